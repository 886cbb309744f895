//! Matrices with rows and columns exchanged.

use super::{Buffer, DenseMatrix, Index, Indices, Matrix, Plain, SparseMatrix, Texts, Values};
use crate::match_indices;

/// Rows and columns of the squares that a dense matrix is cut into, so that
/// the lines of both sides stay in the processor's cache.
const SQUARE: usize = 32;

impl Matrix {
    /// The matrix with rows and columns exchanged, dense or sparse as it is.
    pub fn transposed(&self) -> Matrix {
        match self {
            Matrix::Dense(dense) => Matrix::Dense(dense.transposed()),
            Matrix::Sparse(sparse) => Matrix::Sparse(sparse.transposed()),
        }
    }
}

impl DenseMatrix {
    /// The matrix with rows and columns exchanged.
    pub fn transposed(&self) -> DenseMatrix {
        let (n_rows, n_columns) = (self.n_rows(), self.n_columns());
        fn plain<T: Plain>(values: &Buffer<T>, n_rows: usize, n_columns: usize) -> Buffer<T> {
            let values: &[T] = values;
            let mut flipped = vec![T::zeroed(); values.len()];
            for top in (0..n_rows).step_by(SQUARE) {
                for left in (0..n_columns).step_by(SQUARE) {
                    for row in top..n_rows.min(top + SQUARE) {
                        for column in left..n_columns.min(left + SQUARE) {
                            flipped[column + row * n_columns] = values[row + column * n_rows];
                        }
                    }
                }
            }
            flipped.into()
        }
        let values = match self.values() {
            Values::Bool(buffer) => Values::Bool(plain(buffer, n_rows, n_columns)),
            Values::Int8(buffer) => Values::Int8(plain(buffer, n_rows, n_columns)),
            Values::Int16(buffer) => Values::Int16(plain(buffer, n_rows, n_columns)),
            Values::Int32(buffer) => Values::Int32(plain(buffer, n_rows, n_columns)),
            Values::Int64(buffer) => Values::Int64(plain(buffer, n_rows, n_columns)),
            Values::UInt8(buffer) => Values::UInt8(plain(buffer, n_rows, n_columns)),
            Values::UInt16(buffer) => Values::UInt16(plain(buffer, n_rows, n_columns)),
            Values::UInt32(buffer) => Values::UInt32(plain(buffer, n_rows, n_columns)),
            Values::UInt64(buffer) => Values::UInt64(plain(buffer, n_rows, n_columns)),
            Values::Float32(buffer) => Values::Float32(plain(buffer, n_rows, n_columns)),
            Values::Float64(buffer) => Values::Float64(plain(buffer, n_rows, n_columns)),
            Values::String(texts) => Values::String(Texts::of_bytes((0..n_rows).flat_map(|row| {
                (0..n_columns).map(move |column| texts.bytes(row + column * n_rows))
            }))),
        };
        DenseMatrix::of_checked(n_columns, n_rows, values)
    }
}

impl SparseMatrix {
    /// The matrix with rows and columns exchanged; its positions have the
    /// smallest type for its size.
    pub fn transposed(&self) -> SparseMatrix {
        let (n_rows, n_columns) = (self.n_rows(), self.n_columns());
        let starts = self.colptr().to_positions();
        let mut ends = vec![0; n_rows];
        let mut columns = vec![0; self.n_kept()];
        let mut sources = vec![0; self.n_kept()];
        match_indices!(self.rowval(), rows => {
            for row in rows.iter() {
                ends[row.position()] += 1;
            }
            let mut start = 0;
            for end in &mut ends {
                start += std::mem::replace(end, start);
            }
            for (column, pair) in starts.windows(2).enumerate() {
                for (k, row) in rows[pair[0]..pair[1]].iter().enumerate() {
                    let end = &mut ends[row.position()];
                    columns[*end] = column;
                    sources[*end] = pair[0] + k;
                    *end += 1;
                }
            }
        });
        let size = n_rows.max(n_columns).max(self.n_kept() + 1);
        let colptr = Indices::from_positions(std::iter::once(0).chain(ends), size);
        let rowval = Indices::from_positions(columns, size);
        let values = self
            .values()
            .take(&sources)
            .unwrap_or_else(|| self.values().clone());
        SparseMatrix::of_checked(n_columns, n_rows, colptr, rowval, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ElementType;

    #[test]
    fn dense_matrices_flip() {
        for (n_rows, n_columns) in [(0, 3), (1, 1), (70, 33), (32, 64)] {
            let values: Vec<u16> = (0..(n_rows * n_columns) as u16).collect();
            let matrix = DenseMatrix::new(n_rows, n_columns, values.into()).unwrap();
            let matrix = Matrix::Dense(matrix);
            let flipped = matrix.transposed();
            for row in 0..n_rows {
                for column in 0..n_columns {
                    assert_eq!(matrix.get(row, column), flipped.get(column, row));
                }
            }
            assert_eq!(flipped.transposed(), matrix);
        }
    }

    #[test]
    fn every_type_flips() {
        for kind in ElementType::ALL {
            let values = Values::zeros(kind, 6);
            let dense = DenseMatrix::new(2, 3, values.clone()).unwrap();
            assert_eq!(dense.transposed().values(), &values);
        }
        let texts: Texts = ["a", "b", "c", "d"].into_iter().collect();
        let dense = DenseMatrix::new(2, 2, texts.into()).unwrap();
        let flipped: Texts = ["a", "c", "b", "d"].into_iter().collect();
        assert_eq!(dense.transposed().values(), &flipped.into());
    }

    #[test]
    fn sparse_matrices_flip() {
        let colptr = Indices::new(&vec![1_i64, 3, 3, 5].into()).unwrap();
        let rowval = Indices::new(&vec![1_i64, 3, 1, 2].into()).unwrap();
        let values = vec![1_u8, 2, 3, 4].into();
        let sparse = SparseMatrix::new(3, 3, colptr, rowval, values).unwrap();
        let flipped = sparse.transposed();
        assert_eq!(
            flipped.to_dense().unwrap(),
            sparse.to_dense().unwrap().transposed()
        );
        let parts = (flipped.colptr().clone(), flipped.rowval().clone());
        assert!(SparseMatrix::new(3, 3, parts.0, parts.1, flipped.values().clone()).is_ok());
    }
}
