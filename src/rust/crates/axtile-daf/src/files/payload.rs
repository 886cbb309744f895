//! The arrays of vectors and matrices, mapped from their files.

use std::path::Path;
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_store::Map;

use super::descriptor::Array;
use super::paths::{Files, identity};
use crate::model::{Buffer, ElementType, Indices, Texts, Values};
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
        _ => flat_or_sized(&files.path(name), array.kind, len),
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
    flat_or_sized(path, kind, Some(len))
}

/// Maps the values in `path`: `len` of them, or as many as it holds.
fn flat_or_sized(path: &Path, kind: ElementType, len: Option<usize>) -> Result<Values> {
    let map = Arc::new(Map::open(path)?);
    let Some(size) = kind.size() else {
        let texts = lines(path, &map)?;
        return match len {
            Some(len) if len != texts.len() => Err(Error::corrupt(
                path,
                format!("line {}", texts.len().min(len) + 1),
                format!("{} lines instead of {len}", texts.len()),
            )),
            _ => Ok(Values::String(texts)),
        };
    };
    let fits = match len {
        Some(len) => len.checked_mul(size) == Some(map.len()),
        None => map.len() % size == 0,
    };
    if !fits {
        return Err(Error::corrupt(
            path,
            format!("byte {}", map.len()),
            match len {
                Some(len) => format!("{} bytes instead of {len} values of {kind}", map.len()),
                None => format!("{} bytes are no whole count of {kind}", map.len()),
            },
        ));
    }
    let values = mapped(kind, &map)
        .ok_or_else(|| Error::corrupt(path, "the values", "bytes that are no values"))?;
    if let Values::Bool(truths) = &values
        && let Some(at) = truths.iter().position(|&truth| truth > 1)
    {
        return Err(Error::corrupt(
            path,
            format!("byte {at}"),
            "a truth that is neither 0 nor 1",
        ));
    }
    Ok(values)
}

/// Maps the lines of a text file.
pub(super) fn lines(path: &Path, map: &Arc<Map>) -> Result<Texts> {
    Texts::from_mapped_lines(map)
        .map_err(|(at, problem)| Error::corrupt(path, format!("byte {at}"), problem))
}

fn mapped(kind: ElementType, map: &Arc<Map>) -> Option<Values> {
    let end = map.len();
    Some(match kind {
        ElementType::Bool => Values::Bool(Buffer::mapped(map, 0, end)?),
        ElementType::Int8 => Values::Int8(Buffer::mapped(map, 0, end)?),
        ElementType::Int16 => Values::Int16(Buffer::mapped(map, 0, end)?),
        ElementType::Int32 => Values::Int32(Buffer::mapped(map, 0, end)?),
        ElementType::Int64 => Values::Int64(Buffer::mapped(map, 0, end)?),
        ElementType::UInt8 => Values::UInt8(Buffer::mapped(map, 0, end)?),
        ElementType::UInt16 => Values::UInt16(Buffer::mapped(map, 0, end)?),
        ElementType::UInt32 => Values::UInt32(Buffer::mapped(map, 0, end)?),
        ElementType::UInt64 => Values::UInt64(Buffer::mapped(map, 0, end)?),
        ElementType::Float32 => Values::Float32(Buffer::mapped(map, 0, end)?),
        ElementType::Float64 => Values::Float64(Buffer::mapped(map, 0, end)?),
        ElementType::String => return None,
    })
}
