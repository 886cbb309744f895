//! Rows of columns: picking some, putting columns one behind the other.

use crate::model::{Column, Kind};

impl Kind {
    /// A column of this kind without rows.
    pub fn empty_column(&self) -> Column {
        match self {
            Kind::Category { .. } => Column::Category(Vec::new()),
            Kind::Integer(_) => Column::Integer {
                values: Vec::new(),
                missing: None,
            },
            Kind::Real(_) => Column::Real(Vec::new()),
            Kind::Bool => Column::Bool {
                values: Vec::new(),
                missing: None,
            },
            Kind::Text => Column::Text(Vec::new()),
        }
    }
}

impl Column {
    /// The rows of these numbers, in any order and with repeats; `None` if one
    /// is out of range.
    pub fn gather(&self, rows: &[usize]) -> Option<Column> {
        Some(match self {
            Column::Category(codes) => Column::Category(pick(codes, rows)?),
            Column::Integer { values, missing } => Column::Integer {
                values: pick(values, rows)?,
                missing: pick_missing(missing, rows)?,
            },
            Column::Real(values) => Column::Real(pick(values, rows)?),
            Column::Bool { values, missing } => Column::Bool {
                values: pick(values, rows)?,
                missing: pick_missing(missing, rows)?,
            },
            Column::Text(values) => Column::Text(pick(values, rows)?),
        })
    }

    /// Puts the rows of `other` behind the own ones; `false` and nothing done
    /// if the columns are of different kinds.
    #[must_use]
    pub fn append(&mut self, other: Column) -> bool {
        match (self, other) {
            (Column::Category(a), Column::Category(b)) => a.extend(b),
            (
                Column::Integer { values, missing },
                Column::Integer {
                    values: b,
                    missing: b_missing,
                },
            ) => {
                append_missing(missing, values.len(), b_missing, b.len());
                values.extend(b);
            }
            (Column::Real(a), Column::Real(b)) => a.extend(b),
            (
                Column::Bool { values, missing },
                Column::Bool {
                    values: b,
                    missing: b_missing,
                },
            ) => {
                append_missing(missing, values.len(), b_missing, b.len());
                values.extend(b);
            }
            (Column::Text(a), Column::Text(b)) => a.extend(b),
            _ => return false,
        }
        true
    }

    /// Makes room for so many more rows.
    pub fn reserve(&mut self, n_rows: usize) {
        match self {
            Column::Category(values) => values.reserve(n_rows),
            Column::Integer { values, .. } => values.reserve(n_rows),
            Column::Real(values) => values.reserve(n_rows),
            Column::Bool { values, .. } => values.reserve(n_rows),
            Column::Text(values) => values.reserve(n_rows),
        }
    }
}

fn pick<T: Clone>(values: &[T], rows: &[usize]) -> Option<Vec<T>> {
    rows.iter().map(|row| values.get(*row).cloned()).collect()
}

/// `Some(None)` if nothing is missing any more.
fn pick_missing(missing: &Option<Vec<bool>>, rows: &[usize]) -> Option<Option<Vec<bool>>> {
    let Some(missing) = missing else {
        return Some(None);
    };
    let picked = pick(missing, rows)?;
    Some(picked.contains(&true).then_some(picked))
}

fn append_missing(a: &mut Option<Vec<bool>>, a_len: usize, b: Option<Vec<bool>>, b_len: usize) {
    if a.is_none() && b.is_none() {
        return;
    }
    let all = a.get_or_insert_with(|| vec![false; a_len]);
    match b {
        Some(b) => all.extend(b),
        None => all.resize(a_len + b_len, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_stay_with_their_rows() {
        let mut column = Column::Integer {
            values: vec![1, 2],
            missing: None,
        };
        assert!(column.append(Column::Integer {
            values: vec![0, 4],
            missing: Some(vec![true, false]),
        }));
        assert!(column.append(Column::Integer {
            values: vec![5],
            missing: None,
        }));
        assert_eq!(
            column,
            Column::Integer {
                values: vec![1, 2, 0, 4, 5],
                missing: Some(vec![false, false, true, false, false]),
            }
        );
        assert_eq!(
            column.gather(&[4, 0, 0]),
            Some(Column::Integer {
                values: vec![5, 1, 1],
                missing: None,
            })
        );
        assert_eq!(
            column.gather(&[2]),
            Some(Column::Integer {
                values: vec![0],
                missing: Some(vec![true]),
            })
        );
        assert_eq!(column.gather(&[5]), None);
        assert!(!column.append(Column::Text(Vec::new())));
    }
}
