//! Values that come with the names of the entries they belong to.

use axtile_core::{Error, Result};

use super::{Axis, Matrix, Texts, Vector};
use crate::reorder;

/// Where the entries of an axis are among `names`, which must be all of them,
/// in any order. None if they are in the order of the axis.
///
/// # Errors
/// `Error::Argument` if there are more or fewer names than entries, a name is
/// that of no entry, or is there twice.
pub fn order_of_names(
    store: &str,
    axis_name: &str,
    axis: &Axis,
    names: &Texts,
) -> Result<Option<Vec<usize>>> {
    if names == axis.entries() {
        return Ok(None);
    }
    let of = format!("of the axis: {axis_name} in the daf data: {store}");
    if names.len() != axis.len() {
        return Err(Error::argument(format!(
            "the length: {} of the names is different from the length: {} {of}",
            names.len(),
            axis.len()
        )));
    }
    let mut order = vec![usize::MAX; axis.len()];
    for (idx, name) in names.iter_bytes().enumerate() {
        let place = axis
            .position_of_bytes(name)
            .and_then(|at| order.get_mut(at))
            .ok_or_else(|| {
                Error::argument(format!("the name: {} is no entry {of}", names.get(idx)))
            })?;
        if *place != usize::MAX {
            return Err(Error::argument(format!(
                "the name: {} is given twice for the entries {of}",
                names.get(idx)
            )));
        }
        *place = idx;
    }
    Ok(Some(order))
}

impl Vector {
    /// The vector in another order, dense or sparse and of the type it is.
    /// The order names each position once, counted from 0.
    pub fn reordered(&self, order: &[usize]) -> Vector {
        reorder::vector(self, order)
    }
}

impl Matrix {
    /// The matrix with its rows, columns or both in another order, dense or
    /// sparse and of the type it is. Orders name each position once, counted
    /// from 0.
    pub fn reordered(&self, rows: Option<&[usize]>, columns: Option<&[usize]>) -> Matrix {
        reorder::matrix(self, rows, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Texts {
        texts.iter().copied().collect()
    }

    #[test]
    fn values_follow_their_names() {
        let axis = Axis::new(texts(&["A", "B", "C"])).unwrap();
        let order = |names: &[&str]| order_of_names("daf!", "x", &axis, &texts(names));
        assert_eq!(order(&["A", "B", "C"]).unwrap(), None);
        let found = order(&["C", "A", "B"]).unwrap().unwrap();
        let values = Vector::from(vec![3, 1, 2]).reordered(&found);
        assert_eq!(values, vec![1, 2, 3].into());
        for names in [&["A", "B"][..], &["A", "B", "D"], &["A", "B", "B"]] {
            let error = order(names).unwrap_err();
            assert!(matches!(error, Error::Argument { .. }));
            assert!(error.to_string().ends_with("daf!"), "{error}");
        }
    }
}
