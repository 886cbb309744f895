//! Writing parquet files: a row group for each table.

use std::io::Write;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use zstd::bulk::Compressor;

use super::encode::{self, Categories};
use super::footer::{MAGIC, MAX_GROUP_ROWS};
use super::page::{PLAIN, RLE_DICTIONARY, ZSTD};
use super::stored::Stored;
use super::thrift::Writer;
use crate::model::{Field, IntegerType, Kind, Table};

/// The version of the footer: 2 allows the types and encodings of format 2,
/// which is what pyarrow writes by default; pages are of version 1 all the same.
const VERSION: i32 = 2;

/// Where a chunk was written.
#[derive(Debug)]
struct ChunkPlace {
    start: u64,
    len: u64,
    dictionary_len: u64,
    uncompressed_len: u64,
    encodings: &'static [i32],
    n_data_pages: usize,
}

#[derive(Debug)]
struct GroupPlace {
    n_rows: u64,
    chunks: Vec<ChunkPlace>,
}

/// Writes one file. All columns are optional, pages are compressed with zstd,
/// there are no statistics.
pub struct ParquetWriter<W> {
    out: W,
    path: PathBuf,
    at: u64,
    fields: Vec<Field>,
    stored: Vec<Stored>,
    categories: Categories,
    groups: Vec<GroupPlace>,
    compressor: Compressor<'static>,
}

/// How a kind is stored: codes of categories in a type that depends on the
/// number of levels.
fn stored(kind: &Kind, categories: Categories) -> Option<Stored> {
    Some(match kind {
        Kind::Category { .. } if categories == Categories::Labels => Stored::Text,
        Kind::Category { levels, .. } => Stored::Integer(IntegerType::for_codes(levels.len())?),
        Kind::Integer(width) => Stored::Integer(*width),
        Kind::Real(width) => Stored::Real(*width),
        Kind::Bool => Stored::Bool,
        Kind::Text => Stored::Text,
    })
}

impl<W: Write> ParquetWriter<W> {
    /// Starts a file; `path` is for messages. Names of fields must be unique,
    /// which the caller checks.
    ///
    /// # Errors
    /// If a category has more levels than int32 codes, or writing fails.
    pub fn new(
        mut out: W,
        path: &Path,
        fields: &[Field],
        categories: Categories,
        level: i32,
    ) -> Result<Self> {
        let stored = fields.iter().map(|field| {
            stored(&field.kind, categories).ok_or_else(|| {
                let problem = format!("the column '{}' has more than 2^31-1 levels", field.name);
                Error::limit(path, problem)
            })
        });
        let stored = stored.collect::<Result<_>>()?;
        out.write_all(MAGIC).map_err(Error::io("write", path))?;
        Ok(ParquetWriter {
            out,
            path: path.to_owned(),
            at: MAGIC.len() as u64,
            fields: fields.to_vec(),
            stored,
            categories,
            groups: Vec::new(),
            compressor: Compressor::new(level).map_err(Error::io("compress", path))?,
        })
    }

    /// Writes a table as a row group.
    ///
    /// # Errors
    /// If the table has other fields, a value does not fit its type, there are
    /// too many rows, or writing fails.
    pub fn write_group(&mut self, table: &Table) -> Result<()> {
        let refused =
            |problem: String| Error::argument(format!("{}: {problem}", self.path.display()));
        if table.fields != self.fields || table.columns.len() != self.fields.len() {
            return Err(refused(
                "a table with other columns than the file".to_owned(),
            ));
        }
        if table.n_rows as u64 > MAX_GROUP_ROWS {
            let problem = format!(
                "{} rows in one row group of at most {MAX_GROUP_ROWS}",
                table.n_rows
            );
            return Err(Error::limit(&self.path, problem));
        }
        let mut chunks = Vec::with_capacity(self.fields.len());
        for (field, column) in self.fields.iter().zip(&table.columns) {
            let named = |problem: String| refused(format!("column '{}': {problem}", field.name));
            if column.len() != table.n_rows {
                return Err(named(format!(
                    "{} values for {} rows",
                    column.len(),
                    table.n_rows
                )));
            }
            let encoded =
                encode::column(column, &field.kind, self.categories, &mut self.compressor);
            let encoded = encoded.map_err(named)?;
            let write = self.out.write_all(&encoded.bytes);
            write.map_err(Error::io("write", &self.path))?;
            chunks.push(ChunkPlace {
                start: self.at,
                len: encoded.bytes.len() as u64,
                dictionary_len: encoded.dictionary_len as u64,
                uncompressed_len: encoded.uncompressed_len as u64,
                encodings: encoded.encodings(),
                n_data_pages: encoded.n_data_pages,
            });
            self.at += encoded.bytes.len() as u64;
        }
        self.groups.push(GroupPlace {
            n_rows: table.n_rows as u64,
            chunks,
        });
        Ok(())
    }

    /// Writes the footer with the file's own metadata, and gives the output
    /// back.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self, metadata: &[(&str, &str)]) -> Result<W> {
        let footer = self.footer(metadata);
        let len = u32::try_from(footer.len()).map_err(|_| {
            let problem = format!(
                "a footer of {} bytes, which is more than 2^32-1",
                footer.len()
            );
            Error::limit(&self.path, problem)
        })?;
        let mut end = footer;
        end.extend_from_slice(&len.to_le_bytes());
        end.extend_from_slice(MAGIC);
        self.out
            .write_all(&end)
            .and_then(|()| self.out.flush())
            .map_err(Error::io("write", &self.path))?;
        Ok(self.out)
    }

    fn footer(&self, metadata: &[(&str, &str)]) -> Vec<u8> {
        let mut out = Writer::new();
        out.i32(1, VERSION);
        let elements = std::iter::once(None).chain(self.fields.iter().zip(&self.stored).map(Some));
        let elements: Vec<_> = elements.collect();
        out.structures(2, elements.into_iter(), |out, element| match element {
            None => {
                out.i32(3, 0);
                out.text(4, "schema");
                out.i32(5, self.fields.len() as i32);
            }
            Some((field, stored)) => stored.write(&field.name, out),
        });
        let n_rows: u64 = self.groups.iter().map(|group| group.n_rows).sum();
        out.i64(3, n_rows as i64);
        out.structures(4, self.groups.iter().enumerate(), |out, (i, group)| {
            self.group_footer(out, i, group);
        });
        if !metadata.is_empty() {
            out.structures(5, metadata.iter(), |out, (key, value)| {
                out.text(1, key);
                out.text(2, value);
            });
        }
        out.text(6, concat!("axtile version ", env!("CARGO_PKG_VERSION")));
        out.finish()
    }

    fn group_footer(&self, out: &mut Writer, i: usize, group: &GroupPlace) {
        let columns = group
            .chunks
            .iter()
            .zip(self.fields.iter().zip(&self.stored));
        let columns: Vec<_> = columns.collect();
        out.structures(1, columns.into_iter(), |out, (chunk, (field, stored))| {
            out.i64(2, 0);
            out.structure(3, |out| {
                out.i32(1, stored.physical().map_or(-1, |physical| physical as i32));
                out.i32s(2, chunk.encodings);
                out.texts(3, &[&field.name]);
                out.i32(4, ZSTD as i32);
                out.i64(5, group.n_rows as i64);
                out.i64(6, chunk.uncompressed_len as i64);
                out.i64(7, chunk.len as i64);
                out.i64(9, (chunk.start + chunk.dictionary_len) as i64);
                if chunk.dictionary_len > 0 {
                    out.i64(11, chunk.start as i64);
                }
                // Lets readers see without looking whether all is in codes.
                let data = if chunk.dictionary_len > 0 {
                    (0, RLE_DICTIONARY as i32, chunk.n_data_pages as i32)
                } else {
                    (0, PLAIN as i32, chunk.n_data_pages as i32)
                };
                let dictionary = (2, PLAIN as i32, 1);
                let counts = if chunk.dictionary_len > 0 {
                    vec![dictionary, data]
                } else {
                    vec![data]
                };
                out.structures(13, counts.into_iter(), |out, (page, encoding, n)| {
                    out.i32(1, page);
                    out.i32(2, encoding);
                    out.i32(3, n);
                });
            });
        });
        out.i64(
            2,
            group
                .chunks
                .iter()
                .map(|chunk| chunk.uncompressed_len as i64)
                .sum(),
        );
        out.i64(3, group.n_rows as i64);
        out.i64(
            5,
            group.chunks.first().map_or(0, |chunk| chunk.start as i64),
        );
        out.i64(6, group.chunks.iter().map(|chunk| chunk.len as i64).sum());
        if let Ok(ordinal) = i16::try_from(i) {
            out.i16(7, ordinal);
        }
    }
}
