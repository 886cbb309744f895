//! Values seen in place in files that hold nothing else.

use std::path::Path;
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_store::Map;

use crate::model::{Buffer, ElementType, Texts, Values};

/// Maps the values in `path`: `len` of them, or as many as it holds.
pub(crate) fn mapped_values(path: &Path, kind: ElementType, len: Option<usize>) -> Result<Values> {
    let map = Arc::new(Map::open(path)?);
    let Some(size) = kind.size() else {
        let texts = mapped_lines(path, &map)?;
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
pub(crate) fn mapped_lines(path: &Path, map: &Arc<Map>) -> Result<Texts> {
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
