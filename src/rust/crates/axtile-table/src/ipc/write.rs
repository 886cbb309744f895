//! Writing a file, batch by batch.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use axtile_core::{Error, Result};

use super::schema;
use crate::model::{Column, IntegerType as I, RealType};
use crate::nullable::options;
use crate::stored::{Stored, exact_f16, exact_f32, exact_integer};

/// Writes one column.
pub struct IpcWriter<W: Write> {
    out: FileWriter<W>,
    path: PathBuf,
    name: String,
    stored: Stored,
    schema: SchemaRef,
}

fn cannot_write(path: &Path) -> impl Fn(ArrowError) -> Error + '_ {
    |error| Error::io("write", path)(std::io::Error::other(error))
}

impl<W: Write> IpcWriter<W> {
    /// Starts a file; `path` is for messages. Codes of categories are stored as
    /// integers of the type in `stored`.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(out: W, path: &Path, name: &str, stored: Stored) -> Result<IpcWriter<W>> {
        let field = Field::new(name, schema::data_type(&stored), true);
        let schema = Arc::new(Schema::new(vec![field]));
        Ok(IpcWriter {
            out: FileWriter::try_new(out, &schema).map_err(cannot_write(path))?,
            path: path.to_owned(),
            name: name.to_owned(),
            stored,
            schema,
        })
    }

    /// Writes the values of a tile.
    ///
    /// # Errors
    /// If the values are not of the column's type, text takes more than 2 GiB,
    /// or writing fails.
    pub fn write_batch(&mut self, column: &Column) -> Result<()> {
        let array = array(column, &self.stored).map_err(|problem| {
            Error::limit(&self.path, format!("column '{}': {problem}", self.name))
        })?;
        let batch = RecordBatch::try_new(self.schema.clone(), vec![array]);
        batch
            .and_then(|batch| self.out.write(&batch))
            .map_err(cannot_write(&self.path))
    }

    /// Writes the footer and gives the output back.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(self) -> Result<W> {
        let mut out = self.out.into_inner().map_err(cannot_write(&self.path))?;
        out.flush().map_err(Error::io("write", &self.path))?;
        Ok(out)
    }
}

fn array(column: &Column, stored: &Stored) -> Result<ArrayRef, String> {
    match (column, stored) {
        (Column::Category(codes), Stored::Integer(width)) => {
            let codes = codes.iter();
            integers(codes.map(|code| Some(i64::from(*code))), *width)
        }
        (Column::Integer { values, missing }, Stored::Integer(width)) => {
            integers(options(values, missing), *width)
        }
        (Column::Real(values), Stored::Real(width)) => {
            let rows = values.iter();
            let rows = rows.map(|value| (!value.is_nan()).then_some(*value));
            match width {
                RealType::F16 => primitives::<Float16Type, _>(rows, exact_f16),
                RealType::F32 => primitives::<Float32Type, _>(rows, exact_f32),
                RealType::F64 => primitives::<Float64Type, _>(rows, Ok),
            }
        }
        (Column::Bool { values, missing }, Stored::Bool) => {
            let rows: BooleanArray = options(values, missing).collect();
            Ok(Arc::new(rows))
        }
        (Column::Text(values), Stored::Text) => {
            let texts = values.iter().flatten();
            let n_bytes = texts.map(String::len).fold(0, usize::saturating_add);
            if i32::try_from(n_bytes).is_err() {
                return Err("more than 2^31-1 bytes of text in a tile".to_owned());
            }
            let rows: StringArray = values.iter().map(Option::as_deref).collect();
            Ok(Arc::new(rows))
        }
        _ => Err(format!("values that are not {stored}")),
    }
}

fn integers(rows: impl Iterator<Item = Option<i64>>, width: I) -> Result<ArrayRef, String> {
    match width {
        I::I8 => primitives::<Int8Type, _>(rows, |value| exact_integer(value, width)),
        I::I16 => primitives::<Int16Type, _>(rows, |value| exact_integer(value, width)),
        I::I32 => primitives::<Int32Type, _>(rows, |value| exact_integer(value, width)),
        I::I64 => primitives::<Int64Type, _>(rows, Ok),
        I::U8 => primitives::<UInt8Type, _>(rows, |value| exact_integer(value, width)),
        I::U16 => primitives::<UInt16Type, _>(rows, |value| exact_integer(value, width)),
        I::U32 => primitives::<UInt32Type, _>(rows, |value| exact_integer(value, width)),
        I::U64 => primitives::<UInt64Type, _>(rows, |value| Ok(value.cast_unsigned())),
    }
}

fn primitives<T: ArrowPrimitiveType, V>(
    rows: impl Iterator<Item = Option<V>>,
    narrow: impl Fn(V) -> Result<T::Native, String>,
) -> Result<ArrayRef, String> {
    let rows = rows.map(|value| value.map(&narrow).transpose());
    let array = rows.collect::<Result<PrimitiveArray<T>, String>>()?;
    Ok(Arc::new(array))
}
