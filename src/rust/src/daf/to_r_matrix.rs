//! Matrices as those of R: dense ones as they are, sparse ones as matrices of
//! the package Matrix, but for texts, which it has no sparse matrices of.

use std::ffi::CStr;

use axtile_core::Result;
use axtile_daf::match_indices;
use axtile_daf::model::{ElementType, Index, Indices, Matrix, SparseMatrix};
use extendr_api::prelude::*;

use super::names::set_dimensions;
use super::to_r::{self, Made, beyond_r};
use crate::fresh::{Fresh, fresh_integers};
use crate::r_api::sparse_matrix_of;

/// The matrix, with the names of rows and columns.
///
/// # Errors
/// As [`to_r::vector`]; `Error::Limit` if it is larger than matrices of R can
/// be.
pub fn matrix(matrix: &Matrix, names: &Robj) -> Result<Made> {
    let dense = match matrix {
        Matrix::Sparse(sparse) if matrix.element_type() != ElementType::String => {
            return self::sparse(sparse, names);
        }
        Matrix::Sparse(sparse) => sparse.to_dense().map_err(beyond_r)?,
        Matrix::Dense(dense) => dense.clone(),
    };
    let mut made = to_r::vector(dense.values())?;
    set_dimensions(&mut made, [dense.n_rows(), dense.n_columns()], names)?;
    Ok(made)
}

fn sparse(matrix: &SparseMatrix, names: &Robj) -> Result<Made> {
    let n_kept = matrix.n_kept();
    if i32::try_from(n_kept).is_err() {
        return Err(beyond_r(format!(
            "{n_kept} kept values are more than a sparse matrix of R's can have"
        )));
    }
    let (class, values): (&CStr, Made) = match matrix.values().element_type() {
        ElementType::Bool => (c"lgCMatrix", to_r::vector(matrix.values())?),
        _ => (c"dgCMatrix", to_r::exact_doubles(matrix.values())?),
    };
    let starts = from_zero(matrix.colptr())?;
    let rows = from_zero(matrix.rowval())?;
    let object = sparse_matrix_of(
        class,
        [starts.robj(), rows.robj(), &values.object],
        [matrix.n_rows(), matrix.n_columns()],
        names,
    )?;
    Ok(Made {
        object,
        n_bytes: 4 * (matrix.colptr().len() + n_kept) + values.n_bytes,
    })
}

/// Positions counted from 0, which are known to be small enough.
fn from_zero(positions: &Indices) -> Result<Fresh<i32>> {
    let mut vector = fresh_integers(positions.len())?;
    let elements = vector.elements();
    match_indices!(positions, stored => {
        for (element, at) in elements.iter_mut().zip(stored.iter()) {
            *element = at.position() as i32;
        }
    });
    Ok(vector)
}
