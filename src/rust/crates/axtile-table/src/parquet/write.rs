//! Writing parquet files: a row group for each table.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axtile_core::{Error, Result};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescPtr, ColumnPath};

use super::file::MAX_GROUP_ROWS;
use super::{labels, schema};
use crate::model::{Column, Field, IntegerType, Kind, RealType, Table};
use crate::nullable::options;
use crate::stored::{Stored, exact_f16, exact_f32, exact_integer};

/// How a file holds categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Categories {
    /// As their codes; -1 is missing.
    Codes,
    /// As their labels, with all levels in order in the dictionary of each row
    /// group; null is missing.
    Labels,
}

/// Writes one file. All columns are optional, pages are of version 1 and
/// compressed with zstd, there are no statistics.
pub struct ParquetWriter<W: Write + Send> {
    out: SerializedFileWriter<W>,
    path: PathBuf,
    fields: Vec<Field>,
    categories: Categories,
    columns: Vec<ColumnDescPtr>,
    level: ZstdLevel,
}

/// Why a column cannot be written.
enum Refused {
    /// A value or type.
    Value(String),
    /// The file.
    File(ParquetError),
}

impl From<String> for Refused {
    fn from(problem: String) -> Refused {
        Refused::Value(problem)
    }
}

impl From<ParquetError> for Refused {
    fn from(error: ParquetError) -> Refused {
        Refused::File(error)
    }
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

fn cannot_write(path: &Path) -> impl Fn(ParquetError) -> Error + '_ {
    |error| Error::io("write", path)(std::io::Error::other(error))
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Starts a file; `path` is for messages. Names of fields must be unique,
    /// which the caller checks.
    ///
    /// # Errors
    /// If a category has more levels than int32 codes, or writing fails.
    pub fn new(
        out: W,
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
        let stored = stored.collect::<Result<Vec<_>>>()?;
        let columns = fields.iter().map(|field| field.name.as_str()).zip(&stored);
        let start = || {
            let level = ZstdLevel::try_new(level)?;
            let mut properties = WriterProperties::builder()
                .set_created_by(concat!("axtile version ", env!("CARGO_PKG_VERSION")).to_owned())
                .set_compression(Compression::ZSTD(level))
                .set_statistics_enabled(EnabledStatistics::None)
                .set_offset_index_disabled(true)
                // As in pyarrow, bytes alone end a page.
                .set_data_page_row_count_limit(usize::MAX);
            // Nearly all reals of a column are different: a dictionary of them
            // makes files a third larger (benchmarks/build-cost.md).
            for (name, stored) in columns.clone() {
                if matches!(stored, Stored::Real(_)) {
                    let column = ColumnPath::from(name);
                    properties = properties.set_column_dictionary_enabled(column, false);
                }
            }
            let schema = schema::schema(columns)?;
            Ok((
                SerializedFileWriter::new(out, schema, Arc::new(properties.build()))?,
                level,
            ))
        };
        let (out, level) = start().map_err(cannot_write(path))?;
        Ok(ParquetWriter {
            columns: out.schema_descr().columns().to_vec(),
            out,
            path: path.to_owned(),
            fields: fields.to_vec(),
            categories,
            level,
        })
    }

    /// Writes a table as a row group.
    ///
    /// # Errors
    /// If the table has other fields, a value does not fit its type, there are
    /// too many rows, or writing fails. The writer cannot be used any more then.
    pub fn write_group(&mut self, table: &Table) -> Result<()> {
        let path = &self.path;
        let refused = |problem: String| Error::argument(format!("{}: {problem}", path.display()));
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
            return Err(Error::limit(path, problem));
        }
        let mut group = self.out.next_row_group().map_err(cannot_write(path))?;
        let columns = self.columns.iter().zip(&table.columns);
        for (field, (about, column)) in self.fields.iter().zip(columns) {
            let named = |problem: String| refused(format!("column '{}': {problem}", field.name));
            if column.len() != table.n_rows {
                return Err(named(format!(
                    "{} values for {} rows",
                    column.len(),
                    table.n_rows
                )));
            }
            let written = match (&field.kind, column) {
                (Kind::Category { levels, .. }, Column::Category(codes))
                    if self.categories == Categories::Labels =>
                {
                    write_labels(&mut group, about, codes, levels, self.level)
                }
                (kind, column) => write_column(&mut group, column, kind),
            };
            written.map_err(|error| match error {
                Refused::Value(problem) => named(problem),
                Refused::File(error) => cannot_write(path)(error),
            })?;
        }
        group.close().map(drop).map_err(cannot_write(path))
    }

    /// Writes the footer with the file's own metadata, and gives the output
    /// back.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self, metadata: &[(&str, &str)]) -> Result<W> {
        for (key, value) in metadata {
            let entry = KeyValue::new((*key).to_owned(), (*value).to_owned());
            self.out.append_key_value_metadata(entry);
        }
        let mut out = self.out.into_inner().map_err(cannot_write(&self.path))?;
        out.flush().map_err(Error::io("write", &self.path))?;
        Ok(out)
    }
}

fn write_labels<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    about: &ColumnDescPtr,
    codes: &[i32],
    levels: &[String],
    level: ZstdLevel,
) -> Result<(), Refused> {
    check_codes(codes, levels)?;
    if levels.is_empty() {
        return write::<ByteArrayType, _>(group, codes.iter().map(|_| Ok(None)));
    }
    let (bytes, close) = labels::chunk(about, codes, levels, level)?;
    Ok(group.append_column(&bytes, close)?)
}

fn check_codes(codes: &[i32], levels: &[String]) -> Result<(), String> {
    let n_levels = levels.len() as i64;
    let is_code = |code: &&i32| (-1..n_levels).contains(&i64::from(**code));
    match codes.iter().find(|code| !is_code(code)) {
        None => Ok(()),
        Some(code) => Err(format!("the code {code} of {n_levels} levels")),
    }
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &Column,
    kind: &Kind,
) -> Result<(), Refused> {
    match (column, kind) {
        (Column::Category(codes), Kind::Category { levels, .. }) => {
            check_codes(codes, levels)?;
            write::<Int32Type, _>(group, codes.iter().map(|code| Ok(Some(*code))))
        }
        (Column::Integer { values, missing }, Kind::Integer(width)) => {
            let rows = options(values, missing);
            if let Some(value) = rows.clone().flatten().find(|value| !width.holds(*value)) {
                return Err(format!("the value {value} is no {}", width.name()).into());
            }
            match width {
                IntegerType::I64 | IntegerType::U64 => write::<Int64Type, _>(group, rows.map(Ok)),
                IntegerType::U32 => {
                    let bits = |value: i64| value as u32 as i32;
                    write::<Int32Type, _>(group, rows.map(|value| Ok(value.map(bits))))
                }
                width => {
                    let narrow = |value| exact_integer(value, *width);
                    let rows = rows.map(|value| value.map(narrow).transpose());
                    write::<Int32Type, _>(group, rows)
                }
            }
        }
        (Column::Real(values), Kind::Real(width)) => {
            let rows = values.iter();
            let rows = rows.map(|value| (!value.is_nan()).then_some(*value));
            match width {
                RealType::F64 => write::<DoubleType, _>(group, rows.map(Ok)),
                RealType::F32 => {
                    write::<FloatType, _>(group, rows.map(|value| value.map(exact_f32).transpose()))
                }
                RealType::F16 => {
                    let bytes = |value| {
                        let half = exact_f16(value)?.to_le_bytes();
                        Ok(FixedLenByteArray::from(half.to_vec()))
                    };
                    let rows = rows.map(|value| value.map(bytes).transpose());
                    write::<FixedLenByteArrayType, _>(group, rows)
                }
            }
        }
        (Column::Bool { values, missing }, Kind::Bool) => {
            write::<BoolType, _>(group, options(values, missing).map(Ok))
        }
        (Column::Text(values), Kind::Text) => {
            let rows = values.iter();
            let rows = rows.map(|value| Ok(value.as_deref().map(ByteArray::from)));
            write::<ByteArrayType, _>(group, rows)
        }
        _ => Err(format!("its values are not those of {}", kind.describe()).into()),
    }
}

/// Writes the next column; `None` is missing.
fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: impl ExactSizeIterator<Item = Result<Option<T::T>, String>>,
) -> Result<(), Refused> {
    let mut levels = Vec::with_capacity(rows.len());
    let mut values = Vec::with_capacity(rows.len());
    for row in rows {
        let row = row?;
        levels.push(i16::from(row.is_some()));
        values.extend(row);
    }
    let Some(mut column) = group.next_column()? else {
        return Err("a column too many".to_owned().into());
    };
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    Ok(column.close()?)
}
