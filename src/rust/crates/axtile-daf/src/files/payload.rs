//! The arrays of vectors and matrices, mapped from their files.

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::Map;

use super::descriptor::Array;
use super::paths::{Files, identity};
use crate::mapped::mapped_values;
use crate::model::{ElementType, Indices, Values};
use crate::shard::unpack;

/// Maps the array of a dense vector (one column) or matrix.
pub(super) fn dense(files: &Files, array: &Array, shape: (usize, usize)) -> Result<Values> {
    let (n_rows, n_columns) = shape;
    let len = n_rows.checked_mul(n_columns);
    if let Some(packing) = &array.packing {
        let path = files.path("zip");
        let map = Map::open(&path)?;
        return unpack(&path, &map, array.kind, shape, packing);
    }
    match array.kind {
        ElementType::String => flat(&files.path("txt"), array.kind, len),
        _ => flat(&files.path("data"), array.kind, len),
    }
}

/// Maps one array of sparse data; `name` is what its file is called after.
pub(super) fn component(
    files: &Files,
    name: &str,
    array: &Array,
    len: Option<usize>,
) -> Result<Values> {
    let len = array.n_elements.or(len);
    match (&array.packing, len) {
        (Some(packing), Some(len)) => {
            let path = files.path(&format!("{name}.zip"));
            let map = Map::open(&path)?;
            unpack(&path, &map, array.kind, (len, 1), packing)
        }
        _ => mapped_values(&files.path(name), array.kind, len),
    }
}

/// Maps positions of sparse data.
pub(super) fn positions(files: &Files, name: &str, array: &Array) -> Result<Indices> {
    let values = component(files, name, array, None)?;
    Indices::new(&values).ok_or_else(|| {
        Error::corrupt(
            &files.descriptor(),
            format!("the key {name:?}"),
            "positions are no whole numbers",
        )
    })
}

/// Maps the kept values of sparse data, `len` of them.
pub(super) fn kept(
    files: &Files,
    array: Option<&Array>,
    may_lack: bool,
    len: usize,
) -> Result<Values> {
    let all_true = || Values::Bool(vec![1; len].into());
    let Some(array) = array else {
        return Ok(all_true());
    };
    let name = match array.kind {
        ElementType::String => "nztxt",
        _ => "nzval",
    };
    if may_lack && identity(&files.path(name))?.is_none() {
        return Ok(all_true());
    }
    component(files, name, array, Some(len))
}

fn flat(path: &Path, kind: ElementType, len: Option<usize>) -> Result<Values> {
    let len = len.ok_or_else(|| {
        Error::limit(
            path,
            format!("'{}': more values than the machine counts", path.display()),
        )
    })?;
    mapped_values(path, kind, Some(len))
}
