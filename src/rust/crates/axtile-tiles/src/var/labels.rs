//! Values as texts, and texts as factors.

use std::collections::{HashMap, HashSet};

use axtile_table::{Column, Kind};

use crate::python_json::repr;

/// The values of a column as Python's `str` prints them; `None` is missing.
pub(super) fn texts(column: &Column) -> Vec<Option<String>> {
    let is_missing = |missing: &Option<Vec<bool>>, i: usize| {
        let missing = missing.as_ref().and_then(|missing| missing.get(i));
        missing.copied().unwrap_or(false)
    };
    match column {
        Column::Text(values) => values.clone(),
        Column::Category(codes) => {
            let codes = codes.iter();
            codes
                .map(|code| (*code >= 0).then(|| code.to_string()))
                .collect()
        }
        Column::Integer { values, missing } => {
            let values = values.iter().enumerate();
            let text =
                |(i, value): (usize, &i64)| (!is_missing(missing, i)).then(|| value.to_string());
            values.map(text).collect()
        }
        Column::Real(values) => {
            let values = values.iter();
            values
                .map(|value| (!value.is_nan()).then(|| repr(*value)))
                .collect()
        }
        Column::Bool { values, missing } => {
            let values = values.iter().enumerate();
            let text = |(i, value): (usize, &bool)| {
                let text = if *value { "True" } else { "False" };
                (!is_missing(missing, i)).then(|| text.to_owned())
            };
            values.map(text).collect()
        }
    }
}

/// The distinct values as texts: numbers in increasing order, texts in order of
/// first appearance.
pub(super) fn levels_of(column: &Column) -> Vec<String> {
    let labels = texts(column);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    match column {
        Column::Integer { values, .. } => order.sort_by_key(|i| values.get(*i)),
        Column::Real(values) => order.sort_by(|a, b| match (values.get(*a), values.get(*b)) {
            (Some(a), Some(b)) => a.total_cmp(b),
            _ => a.cmp(b),
        }),
        Column::Bool { values, .. } => order.sort_by_key(|i| values.get(*i)),
        Column::Text(_) | Column::Category(_) => {}
    }
    let mut seen = HashSet::new();
    let labels = order.iter().filter_map(|i| labels.get(*i)?.as_ref());
    labels
        .filter(|label| seen.insert(*label))
        .cloned()
        .collect()
}

/// A factor with these levels.
///
/// # Errors
/// If a level occurs twice or a label is no level.
pub(super) fn factor(
    labels: &[Option<String>],
    levels: Vec<String>,
    ordered: bool,
) -> Result<(Kind, Column), String> {
    let mut codes: HashMap<&str, i32> = HashMap::with_capacity(levels.len());
    for (code, level) in levels.iter().enumerate() {
        let code = i32::try_from(code).map_err(|_| "more than 2^31-1 levels")?;
        if codes.insert(level, code).is_some() {
            return Err(format!("the level '{level}' occurs twice"));
        }
    }
    let code = |label: &Option<String>| match label {
        None => Ok(-1),
        Some(label) => codes
            .get(label.as_str())
            .copied()
            .ok_or_else(|| format!("'{label}' is none of the levels")),
    };
    let codes = labels.iter().map(code).collect::<Result<Vec<_>, _>>()?;
    Ok((Kind::Category { levels, ordered }, Column::Category(codes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sorted_and_texts_are_not() {
        let numbers = Column::Integer {
            values: vec![10, 9, 0, 10],
            missing: Some(vec![false, false, true, false]),
        };
        assert_eq!(levels_of(&numbers), ["9", "10"]);
        let numbers = Column::Real(vec![2.5, f64::NAN, 1e-7, -1.0]);
        assert_eq!(levels_of(&numbers), ["-1.0", "1e-07", "2.5"]);
        let text = |t: &str| Some(t.to_owned());
        let labels = vec![text("b"), None, text("a"), text("b")];
        let levels = levels_of(&Column::Text(labels.clone()));
        assert_eq!(levels, ["b", "a"]);
        let (_, column) = factor(&labels, levels, true).unwrap();
        assert_eq!(column, Column::Category(vec![0, -1, 1, 0]));
        assert!(factor(&labels, vec!["a".to_owned()], false).is_err());
        assert!(factor(&[], vec!["a".to_owned(); 2], false).is_err());
    }
}
