//! The words for what is missing, exists already or cannot be written, the
//! same for all stores; each ends with the store's name.

use axtile_core::Error;

/// There is no such scalar.
pub fn missing_scalar(store: &str, name: &str) -> Error {
    Error::range(format!("missing scalar: {name} in the daf data: {store}"))
}

/// There is no such axis.
pub fn missing_axis(store: &str, axis: &str) -> Error {
    Error::range(format!("missing axis: {axis} in the daf data: {store}"))
}

/// There is no such entry.
pub fn missing_entry(store: &str, axis: &str, entry: &str) -> Error {
    Error::range(format!(
        "missing entry: {entry} of the axis: {axis} in the daf data: {store}"
    ))
}

/// There is no such vector.
pub fn missing_vector(store: &str, axis: &str, name: &str) -> Error {
    Error::range(format!(
        "missing vector: {name} for the axis: {axis} in the daf data: {store}"
    ))
}

/// There is no such matrix.
pub fn missing_matrix(store: &str, rows: &str, columns: &str, name: &str) -> Error {
    Error::range(format!(
        "missing matrix: {name} for the rows axis: {rows} and the columns axis: {columns} \
         in the daf data: {store}"
    ))
}

/// There is such a scalar already.
pub fn existing_scalar(store: &str, name: &str) -> Error {
    Error::existing(format!("existing scalar: {name} in the daf data: {store}"))
}

/// There is such an axis already.
pub fn existing_axis(store: &str, axis: &str) -> Error {
    Error::existing(format!("existing axis: {axis} in the daf data: {store}"))
}

/// There is such a vector already.
pub fn existing_vector(store: &str, axis: &str, name: &str) -> Error {
    Error::existing(format!(
        "existing vector: {name} for the axis: {axis} in the daf data: {store}"
    ))
}

/// There is such a matrix already.
pub fn existing_matrix(store: &str, rows: &str, columns: &str, name: &str) -> Error {
    Error::existing(format!(
        "existing matrix: {name} for the rows axis: {rows} and the columns axis: {columns} \
         in the daf data: {store}"
    ))
}

/// The store cannot be written.
pub fn read_only(store: &str) -> Error {
    Error::argument(format!("store opened read-only; the daf data: {store}"))
}
