//! Which vectors are worth storing without their zeros.

use crate::match_values;
use crate::model::{Buffer, ElementType, Indices, Plain, SparseVector, Values, Vector};

/// A sparse vector must not take more than this share of the dense one.
const WORTHWHILE: f64 = 0.75;

/// The vector as it is worth storing. A negative zero is a value to keep.
pub(crate) fn worthwhile(vector: &Vector) -> Vector {
    let Vector::Dense(values) = vector else {
        return vector.clone();
    };
    let len = values.len();
    let position_size = Indices::type_for(len).size().unwrap_or(8);
    let kept = match_values!(
        values,
        buffer => nonzero(buffer),
        texts => (0..len).filter(|&idx| !texts.bytes(idx).is_empty()).collect()
    );
    let (sparse_size, dense_size) = match values.element_type().size() {
        Some(size) => (kept.len() * (size + position_size), len * size),
        None => match values {
            Values::String(texts) => (
                texts.n_bytes() + kept.len() * (1 + position_size),
                texts.n_bytes() + len,
            ),
            _ => return vector.clone(),
        },
    };
    if sparse_size as f64 > WORTHWHILE * dense_size as f64 || len == 0 {
        return vector.clone();
    }
    let indices = Indices::from_positions(kept.iter().copied(), len);
    match values
        .take(&kept)
        .map(|kept| SparseVector::new(len, indices, kept))
    {
        Some(Ok(sparse)) => Vector::Sparse(sparse),
        _ => vector.clone(),
    }
}

/// Where the bytes of a value are not all zero.
fn nonzero<T: Plain>(buffer: &Buffer<T>) -> Vec<usize> {
    fn places<U: PartialEq + Default>(values: &[U]) -> Vec<usize> {
        let zero = U::default();
        values
            .iter()
            .enumerate()
            .filter(|(_, value)| **value != zero)
            .map(|(idx, _)| idx)
            .collect()
    }
    match size_of::<T>() {
        1 => places::<u8>(bytemuck::cast_slice(buffer)),
        2 => places::<u16>(bytemuck::cast_slice(buffer)),
        4 => places::<u32>(bytemuck::cast_slice(buffer)),
        _ => places::<u64>(bytemuck::cast_slice(buffer)),
    }
}

/// The values of sparse data to store: none if all are true.
pub(crate) fn stored_values(values: &Values) -> Option<&Values> {
    match values {
        Values::Bool(truths) if truths.iter().all(|&truth| truth == 1) => None,
        _ => Some(values),
    }
}

/// What the array of kept values is called.
pub(crate) fn values_name(kind: ElementType) -> &'static str {
    match kind {
        ElementType::String => "nztxt",
        _ => "nzval",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Texts;

    fn is_sparse(values: impl Into<Values>) -> bool {
        let vector = Vector::Dense(values.into());
        let stored = worthwhile(&vector);
        assert_eq!(stored.to_dense(), vector.to_dense());
        matches!(stored, Vector::Sparse(_))
    }

    #[test]
    fn few_values_are_stored_sparse() {
        // 10 bytes for each kept value of 8, at most three quarters of 80.
        let with = |n| {
            (0..10)
                .map(|at| f64::from(u8::from(at < n)))
                .collect::<Vec<f64>>()
        };
        assert!(is_sparse(with(6)));
        assert!(!is_sparse(with(7)));
        assert!(is_sparse(vec![false; 10]));
        assert!(!is_sparse(vec![true; 10]));
        assert!(!is_sparse(Vec::<f64>::new()));
    }

    #[test]
    fn few_texts_are_stored_sparse() {
        let with = |n| {
            let texts: Texts = (0..100).map(|at| if at < n { "x" } else { "" }).collect();
            texts
        };
        assert!(is_sparse(with(20)));
        assert!(!is_sparse(with(30)));
    }

    #[test]
    fn the_sign_of_zero_is_kept() {
        let mut values = vec![0.0; 100];
        values[7] = -0.0;
        let Vector::Sparse(sparse) = worthwhile(&values.into()) else {
            panic!("not sparse");
        };
        assert_eq!(sparse.indices().to_positions(), [7]);
    }
}
