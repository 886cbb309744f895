//! A column chunk to a column.

use bytes::Bytes;
use half::f16;
use parquet::column::page::{Page, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::file::metadata::ColumnChunkMetaData;

use super::pages::Pages;
use crate::damage::{Damage, Parsed};
use crate::model::{Column, IntegerType};
use crate::nullable::Nullable;
use crate::stored::Stored;

/// Most bytes of text in a column chunk: what an Arrow string column holds. A
/// dictionary lets a few bytes stand for more.
const MAX_TEXT_BYTES: usize = i32::MAX as usize;

/// Decodes a chunk with the type it is stored in: codes of categories come as
/// integers.
pub(super) fn read(
    file: &Bytes,
    chunk: &ColumnChunkMetaData,
    stored: &Stored,
    n_rows: usize,
) -> Parsed<Column> {
    let pages = Pages::new(file, chunk, n_rows as u64)?;
    let reader = get_column_reader(chunk.column_descr_ptr(), Box::new(pages));
    Ok(match (stored, reader) {
        (Stored::Bool, ColumnReader::BoolColumnReader(reader)) => {
            let mut column = Nullable::with_capacity(n_rows);
            values(reader, n_rows)?.for_each(|value| column.push(value));
            column.into()
        }
        (Stored::Integer(width), ColumnReader::Int32ColumnReader(reader)) => {
            let is_u32 = *width == IntegerType::U32;
            let widen = |value: i32| match is_u32 {
                true => i64::from(value.cast_unsigned()),
                false => i64::from(value),
            };
            integers(
                values(reader, n_rows)?.map(|value| value.map(widen)),
                *width,
            )?
        }
        (Stored::Integer(width), ColumnReader::Int64ColumnReader(reader)) => {
            integers(values(reader, n_rows)?, *width)?
        }
        (Stored::Real(_), ColumnReader::FloatColumnReader(reader)) => {
            let values = values(reader, n_rows)?;
            Column::Real(values.map(|v| v.map_or(f64::NAN, f64::from)).collect())
        }
        (Stored::Real(_), ColumnReader::DoubleColumnReader(reader)) => {
            let values = values(reader, n_rows)?;
            Column::Real(values.map(|v| v.unwrap_or(f64::NAN)).collect())
        }
        (Stored::Real(_), ColumnReader::FixedLenByteArrayColumnReader(reader)) => {
            let half = |bytes: &[u8]| bytes.try_into().map(f16::from_le_bytes).map(f64::from);
            let values = values(reader, n_rows)?.map(|value| match value {
                None => Ok(f64::NAN),
                Some(value) => half(value.data()).map_err(|_| Damage::new("a half of 2 bytes")),
            });
            Column::Real(values.collect::<Parsed<_>>()?)
        }
        (Stored::Text, ColumnReader::ByteArrayColumnReader(reader)) => {
            let mut n_bytes = 0usize;
            let texts = values(reader, n_rows)?.map(|value| {
                let Some(value) = value else { return Ok(None) };
                n_bytes = n_bytes.saturating_add(value.len());
                if n_bytes > MAX_TEXT_BYTES {
                    let problem = format!("more than {MAX_TEXT_BYTES} bytes of text");
                    return Err(Damage::unsupported(problem));
                }
                text(value.data()).map(Some)
            });
            Column::Text(texts.collect::<Parsed<_>>()?)
        }
        (other, _) => return Err(Damage::unsupported(format!("the type {other}"))),
    })
}

/// The texts of a chunk's dictionary page, if it starts with one.
pub(super) fn dictionary(
    file: &Bytes,
    chunk: &ColumnChunkMetaData,
    n_rows: u64,
) -> Parsed<Option<Vec<String>>> {
    let mut pages = Pages::new(file, chunk, n_rows)?;
    let Some(Page::DictionaryPage {
        buf, num_values, ..
    }) = pages.get_next_page()?
    else {
        return Ok(None);
    };
    let mut rest = &buf[..];
    let mut next = || {
        let (len, after) = rest.split_first_chunk::<4>()?;
        let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        rest = after;
        Some(bytes)
    };
    let ended = || Damage::new("the dictionary ends too early");
    let texts = (0..num_values).map(|_| next().ok_or_else(ended).and_then(text));
    texts.collect::<Parsed<_>>().map(Some)
}

/// The values of all rows; `None` is missing.
fn values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    n_rows: usize,
) -> Parsed<impl Iterator<Item = Option<T::T>>> {
    // Stays empty if the column is not optional.
    let mut levels = Vec::new();
    let mut values = Vec::new();
    let (n_read, ..) = reader.read_records(n_rows, Some(&mut levels), None, &mut values)?;
    if n_read != n_rows {
        let problem = format!("{n_read} values, expected {n_rows}");
        return Err(Damage::new(problem));
    }
    let mut values = values.into_iter();
    Ok((0..n_rows).map(move |row| {
        let is_there = levels.get(row).is_none_or(|level| *level == 1);
        if is_there { values.next() } else { None }
    }))
}

fn integers(values: impl Iterator<Item = Option<i64>>, width: IntegerType) -> Parsed<Column> {
    let mut column = Nullable::with_capacity(values.size_hint().0);
    for value in values {
        if let Some(value) = value.filter(|value| !width.holds(*value)) {
            let problem = format!("the value {value} is no {}", width.name());
            return Err(Damage::new(problem));
        }
        column.push(value);
    }
    Ok(column.into())
}

fn text(bytes: &[u8]) -> Parsed<String> {
    let text = std::str::from_utf8(bytes).map_err(|_| Damage::new("a text that is no UTF-8"))?;
    Ok(text.to_owned())
}
