//! Reading parquet files: one column of one row group at a time.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::Map;

use super::decode;
use super::footer::{Chunk, Footer, Leaf};
use super::stored::Stored;
use crate::damage::Damage;
use crate::model::{Column, Field, Kind};

/// An open parquet file. Only the footer is parsed until a column is read.
#[derive(Debug)]
pub struct ParquetFile<B = Map> {
    path: PathBuf,
    bytes: B,
    footer: Footer,
}

impl ParquetFile<Map> {
    /// Opens a file.
    ///
    /// # Errors
    /// If the file cannot be mapped or its footer is damaged.
    pub fn open(path: &Path) -> Result<ParquetFile> {
        ParquetFile::parse(path, Map::open(path)?)
    }
}

impl<B: Deref<Target = [u8]>> ParquetFile<B> {
    /// Takes the bytes of a file; `path` is for messages.
    ///
    /// # Errors
    /// If the footer is damaged.
    pub fn parse(path: &Path, bytes: B) -> Result<ParquetFile<B>> {
        let footer = Footer::parse(&bytes).map_err(|damage| damage.in_file(path))?;
        Ok(ParquetFile {
            path: path.to_owned(),
            bytes,
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
        &self.footer.leaves
    }

    /// The rows of each row group.
    pub fn group_rows(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.footer.row_groups.iter().map(|group| group.n_rows)
    }

    /// An entry of the file's own metadata.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let mut entries = self.footer.metadata.iter();
        let entry = entries.find(|(name, _)| name == key)?;
        Some(&entry.1)
    }

    /// Reads a column of a row group in the type in which it is stored.
    ///
    /// # Errors
    /// If there is no such column, its type is not read, or it is damaged.
    pub fn read_stored(&self, group: usize, column: usize) -> Result<Column> {
        let (leaf, chunk, bytes) = self.chunk(group, column)?;
        let decoded = decode::column(bytes, leaf, chunk);
        decoded.map_err(|damage| self.place(damage, group, &leaf.name))
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
        let fits = match &field.kind {
            Kind::Category { .. } => {
                matches!(&leaf.stored, Stored::Integer(t) if t.is_signed() && t.bytes() <= 4)
            }
            Kind::Integer(width) => leaf.stored == Stored::Integer(*width),
            Kind::Real(width) => leaf.stored == Stored::Real(*width),
            Kind::Bool => leaf.stored == Stored::Bool,
            Kind::Text => leaf.stored == Stored::Text,
        };
        if !fits {
            let expected = field.kind.describe();
            return Err(damaged(format!(
                "the column is stored as {}, expected {expected}",
                leaf.stored
            )));
        }
        match (self.read_stored(group, column)?, &field.kind) {
            (
                Column::Integer {
                    missing: Some(_), ..
                },
                Kind::Category { .. },
            ) => Err(damaged(
                "a code is null, expected -1 for missing".to_owned(),
            )),
            (Column::Integer { values, .. }, Kind::Category { levels, .. }) => {
                let codes = -1..levels.len() as i64;
                let check = |code: i64| {
                    let is_code = codes.contains(&code);
                    i32::try_from(code).ok().filter(|_| is_code).ok_or(code)
                };
                let codes: std::result::Result<_, i64> = values.into_iter().map(check).collect();
                codes
                    .map(Column::Category)
                    .map_err(|code| damaged(format!("the code {code} of {} levels", levels.len())))
            }
            (column, _) => Ok(column),
        }
    }

    /// The texts of a text column's dictionary in the order of their codes, if
    /// the column has one in this row group.
    ///
    /// # Errors
    /// If there is no such column or the dictionary is damaged.
    pub fn read_dictionary(&self, group: usize, column: usize) -> Result<Option<Vec<String>>> {
        let (leaf, chunk, bytes) = self.chunk(group, column)?;
        let decoded = decode::dictionary(bytes, leaf, chunk);
        decoded.map_err(|damage| self.place(damage, group, &leaf.name))
    }

    fn chunk(&self, group: usize, column: usize) -> Result<(&Leaf, &Chunk, &[u8])> {
        let found = || {
            let leaf = self.footer.leaves.get(column)?;
            let chunk = self.footer.row_groups.get(group)?.chunks.get(column)?;
            let start = usize::try_from(chunk.start).ok()?;
            let end = start.checked_add(usize::try_from(chunk.len).ok()?)?;
            Some((leaf, chunk, self.bytes.get(start..end)?))
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
