//! Matrices of numbers as kernels see them.

use super::lane::Numbers;
use super::sparse::SparseView;
use crate::model::{Indices, Matrix, Values, Width};

/// Numbers in rows and columns.
#[derive(Clone, Copy)]
pub enum MatrixView<'a> {
    /// All are stored.
    Dense {
        /// The numbers, by columns.
        values: Numbers<'a>,
        /// Rows.
        n_rows: usize,
        /// Columns.
        n_columns: usize,
    },
    /// Zeros are not stored.
    Sparse(SparseView<'a>),
}

impl<'a> MatrixView<'a> {
    /// Rows.
    pub fn n_rows(&self) -> usize {
        match self {
            MatrixView::Dense { n_rows, .. } => *n_rows,
            MatrixView::Sparse(view) => view.n_rows,
        }
    }

    /// Columns.
    pub fn n_columns(&self) -> usize {
        match self {
            MatrixView::Dense { n_columns, .. } => *n_columns,
            MatrixView::Sparse(view) => view.starts.len().saturating_sub(1),
        }
    }

    /// The stored numbers.
    pub fn numbers(&self) -> &Numbers<'a> {
        match self {
            MatrixView::Dense { values, .. } => values,
            MatrixView::Sparse(view) => &view.values,
        }
    }
}

/// The values as numbers; none for texts.
pub fn numbers(values: &Values) -> Option<Numbers<'_>> {
    Some(match values {
        Values::Bool(values) => Numbers::Bool(values),
        Values::Int8(values) => Numbers::Int8(values),
        Values::Int16(values) => Numbers::Int16(values),
        Values::Int32(values) => Numbers::Int32(values),
        Values::Int64(values) => Numbers::Int64(values),
        Values::UInt8(values) => Numbers::UInt8(values),
        Values::UInt16(values) => Numbers::UInt16(values),
        Values::UInt32(values) => Numbers::UInt32(values),
        Values::UInt64(values) => Numbers::UInt64(values),
        Values::Float32(values) => Numbers::Float32(values),
        Values::Float64(values) => Numbers::Float64(values),
        Values::String(_) => return None,
    })
}

fn row_numbers(indices: &Indices) -> Numbers<'_> {
    match indices.width() {
        Width::U8(rows) => Numbers::UInt8(rows),
        Width::U16(rows) => Numbers::UInt16(rows),
        Width::U32(rows) => Numbers::UInt32(rows),
        Width::U64(rows) => Numbers::UInt64(rows),
    }
}

/// What `work` makes of a matrix of numbers; none for texts.
pub fn viewed<T>(matrix: &Matrix, work: impl FnOnce(&MatrixView<'_>) -> T) -> Option<T> {
    match matrix {
        Matrix::Dense(dense) => Some(work(&MatrixView::Dense {
            values: numbers(dense.values())?,
            n_rows: dense.n_rows(),
            n_columns: dense.n_columns(),
        })),
        Matrix::Sparse(sparse) => {
            let starts = sparse.colptr().to_positions();
            Some(work(&MatrixView::Sparse(SparseView {
                n_rows: sparse.n_rows(),
                starts: &starts,
                rows: row_numbers(sparse.rowval()),
                values: numbers(sparse.values())?,
            })))
        }
    }
}
