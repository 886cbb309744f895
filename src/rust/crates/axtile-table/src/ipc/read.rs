//! Opening a file: all structure is checked once, values when they are taken.

use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};

use axtile_core::Result;
use axtile_store::Map;

use super::flat::Table;
use super::schema::read_only_column;
use super::{CONTINUATION, HEADER_RECORD_BATCH, MAGIC};
use crate::damage::{Damage, Parsed};
use crate::parquet::Stored;

/// A row of a record batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The batch, which is a tile.
    pub batch: usize,
    /// The row in it.
    pub row: usize,
}

/// An open file of one column.
#[derive(Debug)]
pub struct IpcColumn<B = Map> {
    pub(super) path: PathBuf,
    pub(super) bytes: B,
    name: String,
    pub(super) stored: Stored,
    pub(super) batches: Vec<Batch>,
}

/// Where the values of a batch are in the file; all ranges lie in it and are as
/// long as the rows need.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) n_rows: usize,
    /// Validity bits; `None` if nothing is missing.
    pub(super) validity: Option<Range<usize>>,
    /// Offsets of text, one more than rows; empty otherwise.
    pub(super) offsets: Range<usize>,
    pub(super) values: Range<usize>,
}

impl IpcColumn<Map> {
    /// Opens a file.
    ///
    /// # Errors
    /// If the file cannot be mapped or is damaged.
    pub fn open(path: &Path) -> Result<IpcColumn> {
        IpcColumn::parse(path, Map::open(path)?)
    }
}

impl<B: Deref<Target = [u8]>> IpcColumn<B> {
    /// Takes the bytes of a file; `path` is for messages.
    ///
    /// # Errors
    /// If the bytes are damaged, compressed, or hold more than a column.
    pub fn parse(path: &Path, bytes: B) -> Result<IpcColumn<B>> {
        let parsed = parse(&bytes).map_err(|damage| damage.in_file(path));
        let (name, stored, batches) = parsed?;
        Ok(IpcColumn {
            path: path.to_owned(),
            bytes,
            name,
            stored,
            batches,
        })
    }

    /// The name of the column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the values; codes of categories are integers.
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// The rows of each batch.
    pub fn batch_rows(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.batches.iter().map(|batch| batch.n_rows as u64)
    }
}

fn parse(file: &[u8]) -> Parsed<(String, Stored, Vec<Batch>)> {
    let in_footer = |damage: Damage| damage.within("the footer");
    let not_arrow = || Damage::new("expected an Arrow IPC file").within("byte 0");
    let body = file.strip_suffix(MAGIC).filter(|_| file.starts_with(MAGIC));
    let (rest, len) = body
        .and_then(|rest| rest.split_last_chunk::<4>())
        .ok_or_else(not_arrow)?;
    let len = usize::try_from(i32::from_le_bytes(*len)).ok();
    let start = len.and_then(|len| rest.len().checked_sub(len));
    let start = start.ok_or_else(|| in_footer(Damage::new("it is longer than the file")))?;
    let (messages, footer) = rest.split_at_checked(start).unwrap_or((rest, &[]));
    let footer = Table::root(footer).map_err(in_footer)?;

    let schema = footer.table(1).map_err(in_footer)?;
    let schema = schema.ok_or_else(|| in_footer(Damage::new("it has no schema")))?;
    let (name, stored) = read_only_column(schema).map_err(in_footer)?;
    // A Block: i64 offset, i32 length of the metadata, 4 bytes, i64 length.
    let blocks = footer.vector(3, 24).map_err(in_footer)?;
    let mut batches = Vec::new();
    for i in 0..blocks.len {
        let block = || {
            Parsed::Ok((
                blocks.i64(i, 24, 0)?,
                blocks.i32(i, 24, 8)?,
                blocks.i64(i, 24, 16)?,
            ))
        };
        let batch = block().and_then(|block| parse_batch(messages, block, &stored));
        batches.push(batch.map_err(|damage| damage.within(format!("batch {i}")))?);
    }
    Ok((name, stored, batches))
}

fn parse_batch(messages: &[u8], block: (i64, i32, i64), stored: &Stored) -> Parsed<Batch> {
    let outside = || Damage::new("it is not inside the file");
    let start = usize::try_from(block.0).map_err(|_| outside())?;
    let metadata_len = usize::try_from(block.1).map_err(|_| outside())?;
    let body_len = usize::try_from(block.2).map_err(|_| outside())?;
    let body_start = start.checked_add(metadata_len).ok_or_else(outside)?;
    let body_end = body_start.checked_add(body_len).ok_or_else(outside)?;
    if body_end > messages.len() {
        return Err(outside());
    }
    let message = messages.get(start..body_start).ok_or_else(outside)?;
    // Files older than Arrow 0.15 have no continuation marker.
    let message = message.strip_prefix(&CONTINUATION).unwrap_or(message);
    let message = Table::root(message.get(4..).ok_or_else(outside)?)?;
    if message.u8(1)? != HEADER_RECORD_BATCH {
        return Err(Damage::new("expected a record batch"));
    }
    let batch = message.table(2)?;
    let batch = batch.ok_or_else(|| Damage::new("an empty message"))?;
    if batch.has(3)? {
        return Err(Damage::unsupported("compressed buffers"));
    }
    let n_rows = usize::try_from(batch.i64(0)?).map_err(|_| Damage::new("negative rows"))?;
    let nodes = batch.vector(1, 16)?;
    if nodes.len != 1 || nodes.i64(0, 16, 0)? != n_rows as i64 {
        return Err(Damage::new("expected one column of as many values as rows"));
    }
    let n_missing = nodes.i64(0, 16, 8)?;

    let buffers = batch.vector(2, 16)?;
    let n_buffers = if *stored == Stored::Text { 3 } else { 2 };
    if buffers.len != n_buffers {
        let problem = format!("{} buffers, expected {n_buffers}", buffers.len);
        return Err(Damage::new(problem));
    }
    let buffer = |i: usize, needed: Option<usize>| -> Parsed<Range<usize>> {
        let offset = usize::try_from(buffers.i64(i, 16, 0)?).map_err(|_| outside())?;
        let len = usize::try_from(buffers.i64(i, 16, 8)?).map_err(|_| outside())?;
        let is_inside = offset.checked_add(len).is_some_and(|end| end <= body_len);
        if !is_inside || needed.is_none_or(|needed| len < needed) {
            let problem =
                format!("buffer {i}: {len} bytes at {offset} of {body_len}, for {n_rows} rows");
            return Err(Damage::new(problem));
        }
        Ok(body_start + offset..body_start + offset + len)
    };
    let (width, n_offsets) = match stored {
        Stored::Bool => (None, 0),
        Stored::Integer(width) => (Some(width.bytes()), 0),
        Stored::Real(width) => (Some(width.bytes()), 0),
        Stored::Text => (Some(0), n_rows.saturating_add(1)),
        Stored::Other(what) => return Err(Damage::unsupported(format!("the type {what}"))),
    };
    let validity = match n_missing {
        0 => None,
        _ => Some(buffer(0, Some(n_rows.div_ceil(8)))?),
    };
    let offsets = match n_offsets {
        0 => 0..0,
        // Arrow lets the offsets of no rows be absent.
        1 => buffer(1, Some(0))?,
        n => buffer(1, n.checked_mul(4))?,
    };
    let needed = match width {
        None => Some(n_rows.div_ceil(8)),
        Some(width) => n_rows.checked_mul(width),
    };
    Ok(Batch {
        n_rows,
        validity,
        offsets,
        values: buffer(n_buffers - 1, needed)?,
    })
}
