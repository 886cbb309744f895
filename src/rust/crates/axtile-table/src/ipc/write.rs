//! Writing a file, batch by batch.

use std::io::Write;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use super::build::{Builder, Slot};
use super::schema::{self, ColumnType};
use super::{CONTINUATION, HEADER_RECORD_BATCH, MAGIC, VERSION};
use crate::half::f64_to_half;
use crate::model::{Column, IntegerType, RealType};
use crate::parquet::Stored;

/// Writes one column.
#[derive(Debug)]
pub struct IpcWriter<W> {
    out: W,
    path: PathBuf,
    name: String,
    stored: Stored,
    at: u64,
    /// Offset, length of the metadata with prefix, length of the body.
    blocks: Vec<[i64; 3]>,
}

impl<W: Write> IpcWriter<W> {
    /// Starts a file; `path` is for messages. Codes of categories are stored as
    /// integers of the type in `stored`.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(out: W, path: &Path, name: &str, stored: Stored) -> Result<IpcWriter<W>> {
        let mut writer = IpcWriter {
            out,
            path: path.to_owned(),
            name: name.to_owned(),
            stored,
            at: 0,
            blocks: Vec::new(),
        };
        let mut start = MAGIC.to_vec();
        start.extend_from_slice(&[0, 0]);
        start.extend_from_slice(&schema::message(&[writer.column_type()], &[]));
        writer.write(&start)?;
        Ok(writer)
    }

    fn column_type(&self) -> ColumnType<'_> {
        ColumnType {
            name: &self.name,
            stored: self.stored.clone(),
            dictionary: None,
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.out.write_all(bytes);
        written.map_err(Error::io("write", &self.path))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Writes the values of a tile.
    ///
    /// # Errors
    /// If the values are not of the column's type, text takes more than 2 GiB,
    /// or writing fails.
    pub fn write_batch(&mut self, column: &Column) -> Result<()> {
        let buffers = buffers(column, &self.stored).map_err(|problem| {
            Error::limit(&self.path, format!("column '{}': {problem}", self.name))
        })?;
        let n_missing = buffers.n_missing;
        let mut body = Vec::new();
        let mut places = Vec::new();
        for buffer in buffers.buffers {
            places.push([body.len() as i64, buffer.len() as i64]);
            body.extend_from_slice(&buffer);
            body.resize(body.len().next_multiple_of(8), 0);
        }

        let (mut builder, root) = Builder::new();
        let slots = [
            Slot::I16(VERSION),
            Slot::U8(HEADER_RECORD_BATCH),
            Slot::Reference,
            Slot::I64(body.len() as i64),
        ];
        let [batch] = builder.table(root, &slots);
        let n_rows = column.len() as i64;
        let slots = [Slot::I64(n_rows), Slot::Reference, Slot::Reference];
        let [nodes, buffers] = builder.table(batch, &slots);
        builder.structs(nodes, &[[n_rows, n_missing as i64]]);
        builder.structs(buffers, &places);
        let message = schema::prefixed(builder.finish());

        let lengths = [self.at as i64, message.len() as i64, body.len() as i64];
        self.blocks.push(lengths);
        self.write(&message)?;
        self.write(&body)
    }

    /// Writes the footer and gives the output back.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> Result<W> {
        let (mut builder, root) = Builder::new();
        let slots = [
            Slot::I16(VERSION),
            Slot::Reference,
            Slot::Reference,
            Slot::Reference,
        ];
        let [schema, dictionaries, batches] = builder.table(root, &slots);
        schema::write(&mut builder, schema, &[self.column_type()], &[]);
        builder.structs::<3>(dictionaries, &[]);
        // In a Block the length of the metadata is an i32 before 4 bytes of
        // filling: in little-endian order a 64-bit word.
        builder.structs(batches, &self.blocks);
        let footer = builder.finish();

        let mut end = CONTINUATION.to_vec();
        end.extend_from_slice(&[0; 4]);
        end.extend_from_slice(&footer);
        end.extend_from_slice(&(footer.len() as i32).to_le_bytes());
        end.extend_from_slice(MAGIC);
        self.write(&end)?;
        self.out.flush().map_err(Error::io("write", &self.path))?;
        Ok(self.out)
    }
}

struct Buffers {
    n_missing: usize,
    buffers: Vec<Vec<u8>>,
}

fn buffers(column: &Column, stored: &Stored) -> Result<Buffers, String> {
    let wrong = || format!("values that are not {stored}");
    let all_there = |values: Vec<u8>| Buffers {
        n_missing: 0,
        buffers: vec![Vec::new(), values],
    };
    Ok(match (column, stored) {
        (Column::Category(codes), Stored::Integer(width)) => {
            let codes = codes.iter().map(|code| i64::from(*code));
            all_there(words(codes, *width)?)
        }
        (Column::Integer { values, missing }, Stored::Integer(width)) => {
            let values = words(values.iter().copied(), *width)?;
            with_missing(missing.as_deref(), vec![values])
        }
        (Column::Real(values), Stored::Real(width)) => {
            let missing: Vec<bool> = values.iter().map(|value| value.is_nan()).collect();
            with_missing(Some(&missing), vec![reals(values, *width)?])
        }
        (Column::Bool { values, missing }, Stored::Bool) => {
            with_missing(missing.as_deref(), vec![bits(values.iter().copied())])
        }
        (Column::Text(values), Stored::Text) => {
            let missing: Vec<bool> = values.iter().map(Option::is_none).collect();
            let mut offsets = 0i32.to_le_bytes().to_vec();
            let mut text = Vec::new();
            for value in values {
                text.extend_from_slice(value.as_deref().unwrap_or("").as_bytes());
                let end = i32::try_from(text.len());
                let end = end.map_err(|_| "more than 2^31-1 bytes of text in a tile")?;
                offsets.extend_from_slice(&end.to_le_bytes());
            }
            with_missing(Some(&missing), vec![offsets, text])
        }
        _ => return Err(wrong()),
    })
}

fn with_missing(missing: Option<&[bool]>, buffers: Vec<Vec<u8>>) -> Buffers {
    let missing = missing.unwrap_or(&[]);
    let n_missing = missing.iter().filter(|is_missing| **is_missing).count();
    let validity = if n_missing == 0 {
        Vec::new()
    } else {
        bits(missing.iter().map(|is_missing| !is_missing))
    };
    Buffers {
        n_missing,
        buffers: std::iter::once(validity).chain(buffers).collect(),
    }
}

fn words(values: impl Iterator<Item = i64>, width: IntegerType) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for value in values {
        if !width.holds(value) {
            return Err(format!("the value {value} is no {}", width.name()));
        }
        bytes.extend_from_slice(&value.to_le_bytes()[..width.bytes()]);
    }
    Ok(bytes)
}

fn reals(values: &[f64], width: RealType) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(values.len() * width.bytes());
    for value in values {
        let refused = || format!("the value {value} is no {}", width.name());
        // What is missing has a zero in its place.
        let value = if value.is_nan() { 0.0 } else { *value };
        match width {
            RealType::F64 => bytes.extend_from_slice(&value.to_le_bytes()),
            RealType::F32 => {
                let narrow = value as f32;
                if f64::from(narrow) != value {
                    return Err(refused());
                }
                bytes.extend_from_slice(&narrow.to_le_bytes());
            }
            RealType::F16 => {
                let half = f64_to_half(value).ok_or_else(refused)?;
                bytes.extend_from_slice(&half.to_le_bytes());
            }
        }
    }
    Ok(bytes)
}

fn bits(values: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (i, value) in values.enumerate() {
        if i % 8 == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(value) << (i % 8);
        }
    }
    bytes
}
