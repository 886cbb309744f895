//! Opening a file: all structure is checked once, texts when they are taken.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Endianness, root_as_footer};
use arrow_schema::{DataType, Schema};
use axtile_core::Result;
use axtile_store::Map;
use bytes::Bytes;

use super::schema;
use crate::damage::{Damage, Parsed, guarded};
use crate::stored::Stored;

/// What a file starts and ends with.
const MAGIC: &[u8; 6] = b"ARROW1";

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
pub struct IpcColumn {
    pub(super) path: PathBuf,
    name: String,
    pub(super) stored: Stored,
    /// Parts of the mapped file; text is in arrays of bytes.
    pub(super) batches: Vec<ArrayRef>,
}

impl IpcColumn {
    /// Opens a file.
    ///
    /// # Errors
    /// If the file cannot be mapped or is damaged.
    pub fn open(path: &Path) -> Result<IpcColumn> {
        IpcColumn::parse(path, Bytes::from_owner(Map::open(path)?))
    }

    /// Takes the bytes of a file; `path` is for messages.
    ///
    /// # Errors
    /// If the bytes are damaged, compressed, or hold more than a column.
    pub fn parse(path: &Path, bytes: impl Into<Bytes>) -> Result<IpcColumn> {
        let file = Buffer::from(bytes.into());
        let parsed = guarded(|| parse(&file)).map_err(|damage| damage.in_file(path));
        let (name, stored, batches) = parsed?;
        Ok(IpcColumn {
            path: path.to_owned(),
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
        self.batches.iter().map(|batch| batch.len() as u64)
    }
}

fn parse(file: &Buffer) -> Parsed<(String, Stored, Vec<ArrayRef>)> {
    let in_footer = |problem: String| Damage::new(problem).within("the footer");
    let (rest, end) = file
        .strip_prefix(MAGIC)
        .and_then(|rest| rest.split_last_chunk::<10>())
        .ok_or_else(|| Damage::new("expected an Arrow IPC file").within("byte 0"))?;
    let len = read_footer_length(*end)?;
    let start = rest.len().checked_sub(len);
    let start = start.ok_or_else(|| in_footer("it is longer than the file".to_owned()))?;
    let footer = root_as_footer(rest.get(start..).unwrap_or(&[]));
    let footer = footer.map_err(|error| in_footer(error.to_string()))?;
    let no_schema = || in_footer("it has no schema".to_owned());
    let schema = footer.schema().ok_or_else(no_schema)?;
    if schema.endianness() != Endianness::Little {
        return Err(Damage::unsupported("big-endian values").within("the footer"));
    }
    let schema = try_fb_to_schema(schema)?;
    let [field] = &schema.fields()[..] else {
        let n = schema.fields().len();
        return Err(in_footer(format!("{n} columns, expected one")));
    };
    let stored = schema::stored(field.data_type());
    if let Stored::Other(what) = &stored {
        return Err(Damage::unsupported(format!("the type {what}")).within("the footer"));
    }
    // Whether text is UTF-8 is checked where it is taken: not all at once.
    let field = match field.data_type() {
        DataType::Utf8 => field.as_ref().clone().with_data_type(DataType::Binary),
        _ => field.as_ref().clone(),
    };
    let name = field.name().clone();
    let decoder = FileDecoder::new(Arc::new(Schema::new(vec![field])), footer.version());
    let blocks = footer.recordBatches().into_iter().flatten();
    let batches = blocks.enumerate().map(|(i, block)| {
        parse_batch(&decoder, block, file).map_err(|damage| damage.within(format!("batch {i}")))
    });
    Ok((name, stored, batches.collect::<Parsed<_>>()?))
}

fn parse_batch(decoder: &FileDecoder, block: &Block, file: &Buffer) -> Parsed<ArrayRef> {
    let range = || {
        let start = usize::try_from(block.offset()).ok()?;
        let head = usize::try_from(block.metaDataLength()).ok()?;
        let body = usize::try_from(block.bodyLength()).ok()?;
        let len = head.checked_add(body)?;
        (start.checked_add(len)? <= file.len()).then_some((start, len))
    };
    let (start, len) = range().ok_or_else(|| Damage::new("it is not inside the file"))?;
    let batch = decoder.read_record_batch(block, &file.slice_with_length(start, len))?;
    let column = batch.and_then(|batch| batch.columns().first().cloned());
    column.ok_or_else(|| Damage::new("expected a record batch"))
}
