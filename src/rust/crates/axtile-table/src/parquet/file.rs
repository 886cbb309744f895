//! Reading parquet files: one column of one row group at a time.

use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::Map;
use bytes::Bytes;
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};

use super::{column, schema, schema_check};
use crate::damage::{Damage, Parsed, guarded};
use crate::model::{Column, Field, Kind};
use crate::stored::{Stored, codes};

/// The bytes at both ends of a file.
const MAGIC: &[u8; 4] = b"PAR1";

/// Most rows of a row group that are read: a bound on what a few hostile bytes
/// can make a reader allocate. A row group is a tile, or all genes.
pub const MAX_GROUP_ROWS: u64 = 1 << 24;

/// A column of a file.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The name.
    pub name: String,
    /// The type.
    pub stored: Stored,
}

/// An open parquet file. Only the footer is parsed until a column is read.
#[derive(Debug)]
pub struct ParquetFile {
    path: PathBuf,
    bytes: Bytes,
    footer: ParquetMetaData,
    leaves: Vec<Leaf>,
}

impl ParquetFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If the file cannot be mapped or its footer is damaged.
    pub fn open(path: &Path) -> Result<ParquetFile> {
        ParquetFile::parse(path, Bytes::from_owner(Map::open(path)?))
    }

    /// Takes the bytes of a file; `path` is for messages.
    ///
    /// # Errors
    /// If the footer is damaged.
    pub fn parse(path: &Path, bytes: impl Into<Bytes>) -> Result<ParquetFile> {
        let bytes = bytes.into();
        let footer = parse_footer(&bytes).map_err(|damage| damage.in_file(path))?;
        let leaves = footer.file_metadata().schema_descr().columns().iter();
        let leaves = leaves.map(|leaf| Leaf {
            name: leaf.name().to_owned(),
            stored: schema::stored(leaf),
        });
        Ok(ParquetFile {
            path: path.to_owned(),
            bytes,
            leaves: leaves.collect(),
            footer,
        })
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of the whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The columns, in their order in the file.
    pub fn columns(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The rows of each row group.
    pub fn group_rows(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.footer.row_groups().iter().map(n_rows)
    }

    /// An entry of the file's own metadata.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let entries = self.footer.file_metadata().key_value_metadata()?;
        let entry = entries.iter().find(|entry| entry.key == key)?;
        entry.value.as_deref()
    }

    /// Reads a column of a row group in the type in which it is stored.
    ///
    /// # Errors
    /// If there is no such column, its type is not read, or it is damaged.
    pub fn read_stored(&self, group: usize, column: usize) -> Result<Column> {
        let (leaf, chunk, n_rows) = self.chunk(group, column)?;
        let n_rows = n_rows as usize;
        guarded(|| column::read(&self.bytes, chunk, &leaf.stored, n_rows))
            .map_err(|damage| self.place(damage, group, &leaf.name))
    }

    /// Reads a column of a row group as values of `field`: categories from
    /// their codes, all else from the same type.
    ///
    /// # Errors
    /// As [`ParquetFile::read_stored`]; and if the type is another, a code is
    /// no index of a level, or a code is null.
    pub fn read(&self, group: usize, column: usize, field: &Field) -> Result<Column> {
        let (leaf, ..) = self.chunk(group, column)?;
        let damaged = |problem: String| self.place(Damage::new(problem), group, &leaf.name);
        if !leaf.stored.holds(&field.kind) {
            let expected = field.kind.describe();
            return Err(damaged(format!(
                "the column is stored as {}, expected {expected}",
                leaf.stored
            )));
        }
        match (self.read_stored(group, column)?, &field.kind) {
            (Column::Integer { values, missing }, Kind::Category { levels, .. }) => match missing {
                None => codes(values, levels.len()),
                Some(_) => Err("a code is null, expected -1 for missing".to_owned()),
            }
            .map(Column::Category)
            .map_err(damaged),
            (column, _) => Ok(column),
        }
    }

    /// The texts of a text column's dictionary in the order of their codes, if
    /// the column has one in this row group.
    ///
    /// # Errors
    /// If there is no such column or the dictionary is damaged.
    pub fn read_dictionary(&self, group: usize, column: usize) -> Result<Option<Vec<String>>> {
        let (leaf, chunk, n_rows) = self.chunk(group, column)?;
        if leaf.stored != Stored::Text {
            return Ok(None);
        }
        guarded(|| column::dictionary(&self.bytes, chunk, n_rows))
            .map_err(|damage| self.place(damage, group, &leaf.name))
    }

    fn chunk(&self, group: usize, column: usize) -> Result<(&Leaf, &ColumnChunkMetaData, u64)> {
        let found = || {
            let group = self.footer.row_groups().get(group)?;
            let chunk = group.columns().get(column)?;
            Some((self.leaves.get(column)?, chunk, n_rows(group)))
        };
        found().ok_or_else(|| {
            Error::range(format!(
                "'{}' has no column {column} in row group {group}",
                self.path.display()
            ))
        })
    }

    fn place(&self, damage: Damage, group: usize, column: &str) -> Error {
        let place = format!("row group {group}, column '{column}'");
        damage.within(place).in_file(&self.path)
    }
}

fn n_rows(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(u64::MAX)
}

/// Parses the footer: FileMetaData in Thrift's compact protocol, its length in
/// 4 bytes, and the magic number.
fn parse_footer(file: &[u8]) -> Parsed<ParquetMetaData> {
    let not_parquet = || Damage::new("expected a parquet file").within("byte 0");
    let rest = file.strip_prefix(MAGIC).ok_or_else(not_parquet)?;
    let (rest, len) = rest
        .strip_suffix(MAGIC)
        .and_then(|rest| rest.split_last_chunk::<4>())
        .ok_or_else(|| Damage::new("expected the end of a parquet file").within("the end"))?;
    let len = u32::from_le_bytes(*len) as usize;
    let start = rest.len().checked_sub(len).ok_or_else(|| {
        Damage::new(format!("the footer is longer than the file: {len} bytes")).within("the end")
    })?;
    let (chunks, footer) = rest.split_at_checked(start).unwrap_or((rest, &[]));
    let chunks_end = (MAGIC.len() + chunks.len()) as u64;
    let parse = || {
        schema_check::check(footer)?;
        let footer = ParquetMetaDataReader::decode_metadata(footer)?;
        check_footer(&footer, chunks_end)?;
        Ok(footer)
    };
    guarded(parse).map_err(|damage| damage.within("the footer"))
}

/// Checks that the row groups are of a size that is read and their chunks
/// inside the file.
fn check_footer(footer: &ParquetMetaData, chunks_end: u64) -> Parsed<()> {
    let groups = footer.row_groups();
    let found = groups.iter().map(n_rows).fold(0, u64::saturating_add);
    let expected = footer.file_metadata().num_rows();
    if u64::try_from(expected) != Ok(found) {
        let problem = format!("the row groups hold {found} rows, expected {expected}");
        return Err(Damage::new(problem));
    }
    for (i, group) in groups.iter().enumerate() {
        let here = |damage: Damage| damage.within(format!("row group {i}"));
        let n_rows = n_rows(group);
        if n_rows > MAX_GROUP_ROWS {
            let problem =
                format!("{n_rows} rows in one row group; at most {MAX_GROUP_ROWS} are read");
            return Err(here(Damage::unsupported(problem)));
        }
        for chunk in group.columns() {
            let column = |damage: Damage| {
                here(damage.within(format!("column '{}'", chunk.column_descr().name())))
            };
            if chunk.file_path().is_some() {
                return Err(column(Damage::unsupported("a chunk in another file")));
            }
            let dictionary = chunk.dictionary_page_offset().filter(|at| *at > 0);
            let start = u64::try_from(dictionary.unwrap_or(chunk.data_page_offset()));
            let len = u64::try_from(chunk.compressed_size());
            let is_inside = matches!((start, len), (Ok(start), Ok(len))
                if start.checked_add(len).is_some_and(|end| end <= chunks_end)
                    && (start >= MAGIC.len() as u64 || n_rows == 0));
            let is_flat = chunk.column_descr().max_rep_level() == 0;
            let n_values = chunk.num_values();
            if !is_inside || (is_flat && u64::try_from(n_values) != Ok(n_rows)) {
                return Err(column(Damage::new(format!(
                    "{n_values} values in {} bytes from {start:?}, expected {n_rows} values in \
                     bytes 4..{chunks_end}",
                    chunk.compressed_size(),
                ))));
            }
        }
    }
    Ok(())
}
