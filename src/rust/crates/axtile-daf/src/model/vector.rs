//! One value for each entry of an axis.

use super::{ElementType, Indices, Scalar, Values};
use crate::match_indices;
use crate::model::{Buffer, Index, Plain};

/// One value for each entry of an axis; costs nothing to clone.
#[derive(Clone, Debug, PartialEq)]
pub enum Vector {
    /// Every value is kept.
    Dense(Values),
    /// Zeros, false ones and empty texts are left out.
    Sparse(SparseVector),
}

/// A vector that keeps some values; all others are zero, false or empty.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseVector {
    len: usize,
    indices: Indices,
    values: Values,
}

impl SparseVector {
    /// `values` at ascending positions in a vector of `len` values.
    ///
    /// # Errors
    /// What is wrong: counts that differ, or a position that does not ascend
    /// or is outside the vector.
    pub fn new(len: usize, indices: Indices, values: Values) -> Result<SparseVector, String> {
        if indices.len() != values.len() {
            return Err(format!(
                "{} positions but {} values",
                indices.len(),
                values.len()
            ));
        }
        match_indices!(indices, buffer => check_ascending(buffer, len)).map_err(|k| {
            format!("position {k} of the kept values does not ascend within 1 to {len}")
        })?;
        Ok(SparseVector {
            len,
            indices,
            values,
        })
    }

    /// As [`SparseVector::new`], where all is right.
    pub(crate) fn of_checked(len: usize, indices: Indices, values: Values) -> SparseVector {
        debug_assert_eq!(indices.len(), values.len());
        SparseVector {
            len,
            indices,
            values,
        }
    }

    /// How long the vector is.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the vector has no value at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the kept values are, ascending.
    pub fn indices(&self) -> &Indices {
        &self.indices
    }

    /// The kept values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The vector with all its values.
    pub fn to_dense(&self) -> Values {
        scattered(
            &self.values,
            self.len,
            self.indices.to_positions().into_iter(),
        )
    }
}

/// Whether positions counted from 1 ascend without repeats and end by `len`;
/// the error is the first that does not, counted from 1.
pub(crate) fn check_ascending<T: Index>(positions: &[T], len: usize) -> Result<(), usize> {
    let ascends = positions.windows(2).all(|pair| pair[0] < pair[1]);
    let first = positions.first().map_or(0, |at| at.position());
    let last = positions.last().map_or(0, |at| at.position());
    if ascends && (positions.is_empty() || (first < len && last < len)) {
        return Ok(());
    }
    let mut least = 0;
    for (k, at) in positions.iter().enumerate() {
        let position = at.position();
        if position >= len || (k > 0 && position < least) {
            return Err(k + 1);
        }
        least = position + 1;
    }
    Ok(())
}

/// `len` values that are zero but for `values` at `positions`; positions that
/// do not exist are left out.
pub(crate) fn scattered(
    values: &Values,
    len: usize,
    positions: impl Iterator<Item = usize>,
) -> Values {
    fn plain<T: Plain>(
        values: &Buffer<T>,
        len: usize,
        positions: impl Iterator<Item = usize>,
    ) -> Buffer<T> {
        let mut all = vec![T::zeroed(); len];
        for (&value, at) in values.iter().zip(positions) {
            if let Some(place) = all.get_mut(at) {
                *place = value;
            }
        }
        all.into()
    }
    match values {
        Values::Bool(buffer) => Values::Bool(plain(buffer, len, positions)),
        Values::Int8(buffer) => Values::Int8(plain(buffer, len, positions)),
        Values::Int16(buffer) => Values::Int16(plain(buffer, len, positions)),
        Values::Int32(buffer) => Values::Int32(plain(buffer, len, positions)),
        Values::Int64(buffer) => Values::Int64(plain(buffer, len, positions)),
        Values::UInt8(buffer) => Values::UInt8(plain(buffer, len, positions)),
        Values::UInt16(buffer) => Values::UInt16(plain(buffer, len, positions)),
        Values::UInt32(buffer) => Values::UInt32(plain(buffer, len, positions)),
        Values::UInt64(buffer) => Values::UInt64(plain(buffer, len, positions)),
        Values::Float32(buffer) => Values::Float32(plain(buffer, len, positions)),
        Values::Float64(buffer) => Values::Float64(plain(buffer, len, positions)),
        Values::String(texts) => {
            let mut all: Vec<&[u8]> = vec![b""; len];
            for (text, at) in texts.iter_bytes().zip(positions) {
                if let Some(place) = all.get_mut(at) {
                    *place = text;
                }
            }
            Values::String(super::Texts::of_bytes(all))
        }
    }
}

impl Vector {
    /// How long the vector is.
    pub fn len(&self) -> usize {
        match self {
            Vector::Dense(values) => values.len(),
            Vector::Sparse(sparse) => sparse.len,
        }
    }

    /// Whether the vector has no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the values are.
    pub fn element_type(&self) -> ElementType {
        match self {
            Vector::Dense(values) => values.element_type(),
            Vector::Sparse(sparse) => sparse.values.element_type(),
        }
    }

    /// Bytes of memory, or of mapped files, that the vector takes.
    pub fn n_bytes(&self) -> usize {
        match self {
            Vector::Dense(values) => values.n_bytes(),
            Vector::Sparse(sparse) => sparse.indices.n_bytes() + sparse.values.n_bytes(),
        }
    }

    /// All values in order; those of a dense vector are not copied.
    pub fn to_dense(&self) -> Values {
        match self {
            Vector::Dense(values) => values.clone(),
            Vector::Sparse(sparse) => sparse.to_dense(),
        }
    }

    /// Value `idx`, if there is one.
    pub fn get(&self, idx: usize) -> Option<Scalar> {
        match self {
            Vector::Dense(values) => values.get(idx),
            Vector::Sparse(sparse) if idx < sparse.len => {
                let found = match_indices!(
                    sparse.indices,
                    buffer => buffer.binary_search_by(|at| at.position().cmp(&idx))
                );
                match found {
                    Ok(k) => sparse.values.get(k),
                    Err(_) => Values::zeros(self.element_type(), 1).get(0),
                }
            }
            Vector::Sparse(_) => None,
        }
    }
}

impl<T: Into<Values>> From<T> for Vector {
    fn from(values: T) -> Vector {
        Vector::Dense(values.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_vectors_read_like_dense_ones() {
        for kind in ElementType::ALL
            .into_iter()
            .filter(|kind| kind.is_integer())
        {
            let indices = Indices::with_type([1, 3], kind).unwrap();
            let sparse = SparseVector::new(5, indices, vec![1.5, 2.5].into()).unwrap();
            let vector = Vector::Sparse(sparse);
            let dense: Values = vec![0.0, 1.5, 0.0, 2.5, 0.0].into();
            assert_eq!(vector.to_dense(), dense);
            for idx in 0..=5 {
                assert_eq!(vector.get(idx), dense.get(idx));
            }
        }
    }

    #[test]
    fn positions_that_do_not_ascend_or_fit_are_refused() {
        let new = |len, positions: Vec<i32>| {
            let values = Values::zeros(ElementType::Int8, positions.len());
            SparseVector::new(len, Indices::new(&positions.into()).unwrap(), values)
        };
        assert!(new(3, vec![1, 2, 3]).is_ok());
        assert!(new(0, vec![]).is_ok());
        assert!(new(3, vec![2, 2]).unwrap_err().contains("position 2"));
        assert!(new(3, vec![2, 1]).unwrap_err().contains("position 2"));
        assert!(new(3, vec![1, 4]).unwrap_err().contains("position 2"));
        assert!(new(3, vec![0]).unwrap_err().contains("position 1"));
        assert!(new(3, vec![-1]).unwrap_err().contains("position 1"));
        assert!(new(3, vec![0, 1]).is_err());
        let indices = Indices::with_type([0], ElementType::UInt8).unwrap();
        assert!(SparseVector::new(1, indices, vec![1, 2].into()).is_err());
    }
}
