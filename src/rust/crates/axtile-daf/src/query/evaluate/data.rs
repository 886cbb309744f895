//! Matrices of the store as kernels see them, and as evaluation makes them.

use axtile_core::{Error, Result};

use crate::match_indices;
use crate::model::{
    DenseMatrix, Index, Indices, Matrix, SparseMatrix, SparseVector, Values, Vector,
};
use crate::operations::{NO_SLOT, Numbers, numbers};

/// More values than this are not made of a few.
const MAX_VALUES: usize = 1 << 31;

/// A number of values to be made, if it is no folly.
fn checked(n_rows: usize, n_columns: usize) -> Result<usize> {
    let n = n_rows.checked_mul(n_columns);
    n.filter(|&n| n <= MAX_VALUES).ok_or_else(|| {
        Error::range(format!(
            "a dense matrix of {n_rows} rows and {n_columns} columns; at most {MAX_VALUES} values are made"
        ))
    })
}

/// Counts of zero.
pub fn zeros(n_rows: usize, n_columns: usize) -> Result<Vec<u32>> {
    Ok(vec![0; checked(n_rows, n_columns)?])
}

/// Values by columns as a matrix.
pub fn dense_matrix(n_rows: usize, n_columns: usize, values: Values) -> Result<Matrix> {
    let dense = DenseMatrix::new(n_rows, n_columns, values).map_err(Error::range)?;
    Ok(Matrix::Dense(dense))
}

/// A matrix of one value everywhere.
pub fn filled_matrix(
    n_rows: usize,
    n_columns: usize,
    values: impl FnOnce(usize) -> Result<Values>,
) -> Result<Matrix> {
    let n = checked(n_rows, n_columns)?;
    dense_matrix(n_rows, n_columns, values(n)?)
}

/// The matrix with all its values, by columns.
pub fn dense_values(matrix: &Matrix) -> Result<Values> {
    match matrix {
        Matrix::Dense(dense) => Ok(dense.values().clone()),
        Matrix::Sparse(sparse) => {
            checked(sparse.n_rows(), sparse.n_columns())?;
            let dense = sparse.to_dense().map_err(Error::range)?;
            Ok(dense.values().clone())
        }
    }
}

/// That every value has a position of 32 bits.
///
/// # Errors
/// `Error::Range` if there are too many.
pub fn positions(values: &Values) -> Result<u32> {
    u32::try_from(values.len()).map_err(|_| {
        Error::range(format!(
            "{} values; texts and operations of the user are for at most {}",
            values.len(),
            u32::MAX
        ))
    })
}

/// A sparse matrix with the starts of its columns counted from 0.
pub struct Sparse<'a> {
    /// Where each column starts, and where the last one ends.
    pub starts: Vec<usize>,
    matrix: &'a SparseMatrix,
}

/// The matrix, if it is sparse.
pub fn as_sparse(matrix: &Matrix) -> Option<Sparse<'_>> {
    match matrix {
        Matrix::Dense(_) => None,
        Matrix::Sparse(matrix) => Some(Sparse {
            starts: matrix.colptr().to_positions(),
            matrix,
        }),
    }
}

impl Sparse<'_> {
    /// The kept values as numbers; none for texts.
    pub fn numbers(&self) -> Option<Numbers<'_>> {
        numbers(self.matrix.values())
    }

    /// The kept values.
    pub fn values(&self) -> &Values {
        self.matrix.values()
    }

    /// The same places with other values.
    pub fn with_values(&self, values: Values) -> Result<Matrix> {
        let matrix = SparseMatrix::unchecked_rows(
            self.matrix.n_rows(),
            self.matrix.n_columns(),
            self.matrix.colptr().clone(),
            self.matrix.rowval().clone(),
            values,
        );
        Ok(Matrix::Sparse(matrix.map_err(Error::range)?))
    }
}

/// Some rows and columns of a matrix, which ascend; all where none are given.
pub fn picked(matrix: &Matrix, rows: Option<&[u32]>, columns: Option<&[u32]>) -> Result<Matrix> {
    if rows.is_none() && columns.is_none() {
        return Ok(matrix.clone());
    }
    let all_columns: Vec<u32>;
    let columns = match columns {
        Some(columns) => columns,
        None => {
            all_columns = (0..matrix.n_columns() as u32).collect();
            &all_columns
        }
    };
    match matrix {
        Matrix::Dense(dense) => picked_dense(dense, rows, columns),
        Matrix::Sparse(sparse) => picked_sparse(sparse, rows, columns),
    }
}

fn picked_dense(dense: &DenseMatrix, rows: Option<&[u32]>, columns: &[u32]) -> Result<Matrix> {
    let n_all = dense.n_rows();
    let n_rows = rows.map_or(n_all, <[u32]>::len);
    let mut places = Vec::with_capacity(n_rows * columns.len());
    for &column in columns {
        let start = column as usize * n_all;
        match rows {
            Some(rows) => places.extend(rows.iter().map(|&row| start + row as usize)),
            None => places.extend(start..start + n_all),
        }
    }
    let values = dense.values().take(&places);
    let values = values.ok_or_else(|| Error::range("a row or column outside a matrix"))?;
    dense_matrix(n_rows, columns.len(), values)
}

fn picked_sparse(sparse: &SparseMatrix, rows: Option<&[u32]>, columns: &[u32]) -> Result<Matrix> {
    let n_rows = rows.map_or(sparse.n_rows(), <[u32]>::len);
    let new_row = rows.map(|rows| {
        let mut new_row = vec![NO_SLOT; sparse.n_rows()];
        for (new, &old) in rows.iter().enumerate() {
            if let Some(place) = new_row.get_mut(old as usize) {
                *place = new as u32;
            }
        }
        new_row
    });
    let mut starts = vec![0];
    let mut new_rows = Vec::new();
    let mut places = Vec::new();
    match_indices!(sparse.rowval(), rowval => {
        for &column in columns {
            for place in sparse.column(column as usize) {
                let row = rowval.get(place).map_or(usize::MAX, |at| at.position());
                let row = match &new_row {
                    Some(new_row) => new_row.get(row).copied().unwrap_or(NO_SLOT),
                    None => row as u32,
                };
                if row != NO_SLOT {
                    new_rows.push(row as usize);
                    places.push(place);
                }
            }
            starts.push(places.len());
        }
    });
    let values = sparse.values().take(&places);
    let size = n_rows.max(columns.len()).max(places.len()) + 1;
    let matrix = SparseMatrix::unchecked_rows(
        n_rows,
        columns.len(),
        Indices::from_positions(starts, size),
        Indices::from_positions(new_rows, size),
        values.ok_or_else(|| Error::range("a row or column outside a matrix"))?,
    );
    Ok(Matrix::Sparse(matrix.map_err(Error::range)?))
}

/// One column of a matrix.
pub fn column(matrix: &Matrix, column: u32) -> Result<Vector> {
    match matrix {
        Matrix::Dense(dense) => {
            let start = column as usize * dense.n_rows();
            let places: Vec<usize> = (start..start + dense.n_rows()).collect();
            let values = dense.values().take(&places);
            Ok(Vector::Dense(values.ok_or_else(|| {
                Error::range("a column outside a matrix")
            })?))
        }
        Matrix::Sparse(sparse) => {
            let places: Vec<usize> = sparse.column(column as usize).collect();
            let rows = places.iter().map(|&place| sparse.rowval().at(place));
            let indices = Indices::from_positions(rows, sparse.n_rows());
            let values = sparse.values().take(&places);
            let values = values.ok_or_else(|| Error::range("a column outside a matrix"))?;
            let vector = SparseVector::new(sparse.n_rows(), indices, values);
            Ok(Vector::Sparse(vector.map_err(Error::range)?))
        }
    }
}

/// One row of a matrix.
pub fn row(matrix: &Matrix, row: u32) -> Result<Vector> {
    match matrix {
        Matrix::Dense(dense) => {
            let places =
                (0..dense.n_columns()).map(|column| column * dense.n_rows() + row as usize);
            let values = dense.values().take(&places.collect::<Vec<usize>>());
            Ok(Vector::Dense(
                values.ok_or_else(|| Error::range("a row outside a matrix"))?,
            ))
        }
        Matrix::Sparse(sparse) => match_indices!(sparse.rowval(), rowval => {
            let mut columns = Vec::new();
            let mut places = Vec::new();
            for column in 0..sparse.n_columns() {
                let range = sparse.column(column);
                let rows = rowval.get(range.clone()).unwrap_or_default();
                let found = rows.binary_search_by(|at| at.position().cmp(&(row as usize)));
                if let Ok(at) = found {
                    columns.push(column);
                    places.push(range.start + at);
                }
            }
            let indices = Indices::from_positions(columns, sparse.n_columns());
            let values = sparse.values().take(&places);
            let values = values.ok_or_else(|| Error::range("a row outside a matrix"))?;
            let vector = SparseVector::new(sparse.n_columns(), indices, values);
            Ok(Vector::Sparse(vector.map_err(Error::range)?))
        }),
    }
}
