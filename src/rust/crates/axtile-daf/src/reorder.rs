//! Axes in another order, and everything along them with it. Types and
//! layouts stay as they are.

use std::collections::BTreeMap;

use axtile_core::{Error, Result};

use crate::model::{
    Axis, DenseMatrix, Indices, Matrix, SparseMatrix, SparseVector, Values, Vector, Writer,
};

/// New orders by axis: where in the old order each entry was, counted from 0.
pub type Orders = BTreeMap<String, Vec<usize>>;

/// Reorders axes of several stores alike.
///
/// # Errors
/// `Error::Range` if a store has no such axis; `Error::Argument` if an order is
/// none of the entries, the entries of the stores differ, or a store cannot be
/// reordered. Stores that were reordered before another one failed stay so.
pub fn reorder_axes(stores: &[&dyn Writer], orders: &Orders) -> Result<()> {
    for (axis, order) in orders {
        let mut first: Option<(&str, std::sync::Arc<Axis>)> = None;
        for store in stores {
            let entries = store.axis(axis)?;
            check_order(axis, order, entries.len())?;
            match &first {
                Some((name, known)) if known.entries() != entries.entries() => {
                    return Err(Error::argument(format!(
                        "different entries of the axis: {axis} in the daf data: {name} and in \
                         the daf data: {}",
                        store.name()
                    )));
                }
                Some(_) => {}
                None => first = Some((store.name(), entries)),
            }
        }
    }
    stores.iter().try_for_each(|store| store.reorder(orders))
}

fn check_order(axis: &str, order: &[usize], len: usize) -> Result<()> {
    let mut is_used = vec![false; len];
    let is_right = order.len() == len
        && order.iter().all(|&at| match is_used.get_mut(at) {
            Some(used) => !std::mem::replace(used, true),
            None => false,
        });
    if is_right {
        return Ok(());
    }
    Err(Error::argument(format!(
        "the order of the axis: {axis} does not name each of its {len} entries once"
    )))
}

/// Where each old position is in the new order.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        if let Some(place) = inverse.get_mut(old) {
            *place = new;
        }
    }
    inverse
}

/// Positions in the type they had, or a larger one if they outgrow it.
fn typed(positions: Vec<usize>, old: &Indices, size: usize) -> Indices {
    Indices::with_type(positions.iter().copied(), old.stored_type())
        .unwrap_or_else(|| Indices::from_positions(positions, size))
}

fn taken(values: &Values, positions: &[usize]) -> Values {
    // Orders were checked against the lengths.
    values.take(positions).unwrap_or_else(|| values.clone())
}

/// A vector in another order.
pub(crate) fn vector(vector: &Vector, order: &[usize]) -> Vector {
    match vector {
        Vector::Dense(values) => Vector::Dense(taken(values, order)),
        Vector::Sparse(sparse) => {
            let new_places = inverse(order);
            let mut moved: Vec<(usize, usize)> = sparse
                .indices()
                .to_positions()
                .into_iter()
                .enumerate()
                .map(|(k, old)| (new_places.get(old).copied().unwrap_or(old), k))
                .collect();
            moved.sort_unstable();
            let (places, sources): (Vec<usize>, Vec<usize>) = moved.into_iter().unzip();
            let indices = typed(places, sparse.indices(), sparse.len());
            let values = taken(sparse.values(), &sources);
            Vector::Sparse(SparseVector::of_checked(sparse.len(), indices, values))
        }
    }
}

/// A matrix with its rows, columns or both in another order.
pub(crate) fn matrix(matrix: &Matrix, rows: Option<&[usize]>, columns: Option<&[usize]>) -> Matrix {
    match matrix {
        Matrix::Dense(dense) => Matrix::Dense(dense_matrix(dense, rows, columns)),
        Matrix::Sparse(sparse) => Matrix::Sparse(sparse_matrix(sparse, rows, columns)),
    }
}

fn column_order(columns: Option<&[usize]>, n_columns: usize) -> Vec<usize> {
    columns.map_or_else(|| (0..n_columns).collect(), <[usize]>::to_vec)
}

fn dense_matrix(
    dense: &DenseMatrix,
    rows: Option<&[usize]>,
    columns: Option<&[usize]>,
) -> DenseMatrix {
    let (n_rows, n_columns) = (dense.n_rows(), dense.n_columns());
    let mut sources = Vec::with_capacity(n_rows * n_columns);
    for column in column_order(columns, n_columns) {
        let start = column * n_rows;
        match rows {
            Some(rows) => sources.extend(rows.iter().map(|row| start + row)),
            None => sources.extend(start..start + n_rows),
        }
    }
    DenseMatrix::of_checked(n_rows, n_columns, taken(dense.values(), &sources))
}

fn sparse_matrix(
    sparse: &SparseMatrix,
    rows: Option<&[usize]>,
    columns: Option<&[usize]>,
) -> SparseMatrix {
    let (n_rows, n_columns) = (sparse.n_rows(), sparse.n_columns());
    let new_rows = rows.map(inverse);
    let old_rows = sparse.rowval().to_positions();
    let mut starts = vec![0];
    let mut places = Vec::with_capacity(old_rows.len());
    let mut sources = Vec::with_capacity(old_rows.len());
    let mut moved: Vec<(usize, usize)> = Vec::new();
    for column in column_order(columns, n_columns) {
        moved.clear();
        moved.extend(sparse.column(column).map(|k| {
            let old = old_rows.get(k).copied().unwrap_or_default();
            let new = new_rows.as_ref().and_then(|new| new.get(old)).copied();
            (new.unwrap_or(old), k)
        }));
        moved.sort_unstable();
        places.extend(moved.iter().map(|(row, _)| row));
        sources.extend(moved.iter().map(|(_, k)| k));
        starts.push(places.len());
    }
    let size = n_rows.max(n_columns).max(places.len() + 1);
    SparseMatrix::of_checked(
        n_rows,
        n_columns,
        typed(starts, sparse.colptr(), size),
        typed(places, sparse.rowval(), size),
        taken(sparse.values(), &sources),
    )
}
