//! Values some of which are missing, while they are collected.

use crate::model::Column;

/// Values, and which of them are missing.
pub(crate) struct Nullable<T> {
    values: Vec<T>,
    missing: Option<Vec<bool>>,
}

impl<T: Default> Nullable<T> {
    /// Room for `n` values.
    pub(crate) fn with_capacity(n: usize) -> Nullable<T> {
        Nullable {
            values: Vec::with_capacity(n),
            missing: None,
        }
    }

    /// Adds a value; `None` is missing.
    pub(crate) fn push(&mut self, value: Option<T>) {
        if value.is_none() && self.missing.is_none() {
            self.missing = Some(vec![false; self.values.len()]);
        }
        if let Some(missing) = &mut self.missing {
            missing.push(value.is_none());
        }
        self.values.push(value.unwrap_or_default());
    }
}

impl From<Nullable<i64>> for Column {
    fn from(Nullable { values, missing }: Nullable<i64>) -> Column {
        Column::Integer { values, missing }
    }
}

impl From<Nullable<bool>> for Column {
    fn from(Nullable { values, missing }: Nullable<bool>) -> Column {
        Column::Bool { values, missing }
    }
}

/// The values as options.
pub(crate) fn options<'a, T: Copy>(
    values: &'a [T],
    missing: &'a Option<Vec<bool>>,
) -> impl ExactSizeIterator<Item = Option<T>> + Clone + 'a {
    let missing = missing.as_deref().unwrap_or(&[]);
    values.iter().enumerate().map(|(row, value)| {
        let is_missing = missing.get(row).copied().unwrap_or(false);
        (!is_missing).then_some(*value)
    })
}
