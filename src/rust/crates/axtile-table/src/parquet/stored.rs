//! How the types of columns are stored in parquet: physical types and
//! annotations (parquet-format, LogicalTypes.md and parquet.thrift).
//!
//! | kind | physical type | annotation |
//! |---|---|---|
//! | integers up to 32 bits | INT32 | INT(bits, signed); none for i32 |
//! | 64-bit integers | INT64 | INT(64, false) for u64 |
//! | reals | FIXED_LEN_BYTE_ARRAY(2), FLOAT, DOUBLE | FLOAT16 for the first |
//! | bool | BOOLEAN | |
//! | text | BYTE_ARRAY | STRING |
//! | category | as its codes, i8, i16 or i32 | |

use std::fmt;

use super::thrift::{Reader, Wire, Writer};
use crate::damage::Parsed;
use crate::model::{IntegerType, Kind, RealType};

/// The type of a column in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// True or false.
    Bool,
    /// Whole numbers, or the codes of categories.
    Integer(IntegerType),
    /// Floating-point numbers.
    Real(RealType),
    /// Text.
    Text,
    /// Something that is not read; its description.
    Other(String),
}

impl fmt::Display for Stored {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stored::Bool => out.write_str("bool"),
            Stored::Integer(width) => out.write_str(width.name()),
            Stored::Real(width) => out.write_str(width.name()),
            Stored::Text => out.write_str("string"),
            Stored::Other(what) => out.write_str(what),
        }
    }
}

/// The physical types of parquet.thrift, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Physical {
    Boolean = 0,
    Int32 = 1,
    Int64 = 2,
    Float = 4,
    Double = 5,
    ByteArray = 6,
    FixedLenByteArray = 7,
}

impl Stored {
    /// The kind of columns that are stored so, which is never a category;
    /// `None` for what is not read.
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Stored::Bool => Kind::Bool,
            Stored::Integer(width) => Kind::Integer(*width),
            Stored::Real(width) => Kind::Real(*width),
            Stored::Text => Kind::Text,
            Stored::Other(_) => return None,
        })
    }

    /// The physical type; `None` for what is not read.
    pub(super) fn physical(&self) -> Option<Physical> {
        use IntegerType::{I64, U64};
        Some(match self {
            Stored::Bool => Physical::Boolean,
            Stored::Integer(I64 | U64) => Physical::Int64,
            Stored::Integer(_) => Physical::Int32,
            Stored::Real(RealType::F16) => Physical::FixedLenByteArray,
            Stored::Real(RealType::F32) => Physical::Float,
            Stored::Real(RealType::F64) => Physical::Double,
            Stored::Text => Physical::ByteArray,
            Stored::Other(_) => return None,
        })
    }

    /// The older annotation (`ConvertedType`), which readers of format 1 know.
    fn converted(&self) -> Option<i32> {
        use IntegerType as I;
        Some(match self {
            Stored::Text => 0,
            Stored::Integer(I::U8) => 11,
            Stored::Integer(I::U16) => 12,
            Stored::Integer(I::U32) => 13,
            Stored::Integer(I::U64) => 14,
            Stored::Integer(I::I8) => 15,
            Stored::Integer(I::I16) => 16,
            _ => return None,
        })
    }

    /// Writes the fields of a SchemaElement for an optional column.
    pub(super) fn write(&self, name: &str, out: &mut Writer) {
        if let Some(physical) = self.physical() {
            out.i32(1, physical as i32);
        }
        let is_half = *self == Stored::Real(RealType::F16);
        if is_half {
            out.i32(2, 2);
        }
        out.i32(3, 1);
        out.text(4, name);
        if let Some(converted) = self.converted() {
            out.i32(6, converted);
        }
        match self {
            Stored::Text => out.structure(10, |logical| logical.structure(1, |_| {})),
            Stored::Integer(width) if self.converted().is_some() => {
                out.structure(10, |logical| {
                    logical.structure(10, |int| {
                        int.byte(1, (8 * width.bytes()) as i8);
                        int.flag(2, width.is_signed());
                    });
                });
            }
            _ if is_half => out.structure(10, |logical| logical.structure(15, |_| {})),
            _ => {}
        }
    }
}

/// A SchemaElement as it stands in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) repetition: Option<i64>,
    pub(super) n_children: u64,
    physical: Option<i64>,
    length: i64,
    converted: Option<i64>,
    logical: Option<Logical>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Logical {
    String,
    Integer { bits: i64, signed: bool },
    Half,
    Other(i64),
}

impl Element {
    pub(super) fn parse(reader: &mut Reader, wire: Wire) -> Parsed<Element> {
        let mut element = Element::default();
        reader.structure(wire, |reader, id, wire| {
            match id {
                1 => element.physical = Some(reader.integer(wire)?),
                2 => element.length = reader.integer(wire)?,
                3 => element.repetition = Some(reader.integer(wire)?),
                4 => element.name = reader.text(wire)?.to_owned(),
                5 => element.n_children = reader.count(wire)?,
                6 => element.converted = Some(reader.integer(wire)?),
                10 => element.logical = parse_logical(reader, wire)?,
                _ => reader.skip(wire)?,
            }
            Ok(())
        })?;
        Ok(element)
    }

    /// The type of a column that this element describes.
    pub(super) fn stored(&self) -> Stored {
        use IntegerType as I;
        let annotated = self.logical.is_some() || self.converted.is_some();
        let int = match (self.logical, self.converted) {
            (Some(Logical::Integer { bits, signed }), _) => Some((bits, signed)),
            (None, Some(code @ 11..=14)) => Some((8 << (code - 11), false)),
            (None, Some(code @ 15..=18)) => Some((8 << (code - 15), true)),
            _ => None,
        };
        let is_text = match self.logical {
            Some(logical) => logical == Logical::String,
            None => self.converted == Some(0),
        };
        let is_half = self.logical == Some(Logical::Half);
        match (self.physical, int) {
            (Some(0), _) if !annotated => Stored::Bool,
            (Some(1), None) if !annotated => Stored::Integer(I::I32),
            (Some(2), None) if !annotated => Stored::Integer(I::I64),
            (Some(1), Some((8, true))) => Stored::Integer(I::I8),
            (Some(1), Some((16, true))) => Stored::Integer(I::I16),
            (Some(1), Some((32, true))) => Stored::Integer(I::I32),
            (Some(1), Some((8, false))) => Stored::Integer(I::U8),
            (Some(1), Some((16, false))) => Stored::Integer(I::U16),
            (Some(1), Some((32, false))) => Stored::Integer(I::U32),
            (Some(2), Some((64, true))) => Stored::Integer(I::I64),
            (Some(2), Some((64, false))) => Stored::Integer(I::U64),
            (Some(4), _) if !annotated => Stored::Real(RealType::F32),
            (Some(5), _) if !annotated => Stored::Real(RealType::F64),
            (Some(6), _) if is_text => Stored::Text,
            (Some(7), _) if is_half && self.length == 2 => Stored::Real(RealType::F16),
            _ => Stored::Other(self.describe()),
        }
    }

    fn describe(&self) -> String {
        let annotation = match (self.logical, self.converted) {
            (Some(Logical::Other(4)), _) => "enum",
            (Some(Logical::Other(5)), _) | (None, Some(5)) => "decimal",
            (Some(Logical::Other(6)), _) | (None, Some(6)) => "date",
            (Some(Logical::Other(7)), _) | (None, Some(7 | 8)) => "time",
            (Some(Logical::Other(8)), _) | (None, Some(9 | 10)) => "timestamp",
            (Some(Logical::Other(11)), _) => "null",
            (None, None) if self.physical == Some(6) => "binary",
            _ => "other",
        };
        let physical = self.physical.map_or(-1, |physical| physical);
        format!("{annotation} (parquet type {physical})")
    }
}

fn parse_logical(reader: &mut Reader, wire: Wire) -> Parsed<Option<Logical>> {
    let mut logical = None;
    reader.structure(wire, |reader, id, wire| {
        logical = Some(match id {
            1 => Logical::String,
            15 => Logical::Half,
            other => Logical::Other(other),
        });
        if id != 10 {
            return reader.skip(wire);
        }
        let (mut bits, mut signed) = (0, false);
        reader.structure(wire, |reader, id, wire| {
            match id {
                1 => bits = reader.integer(wire)?,
                2 => signed = reader.flag(wire)?,
                _ => reader.skip(wire)?,
            }
            Ok(())
        })?;
        logical = Some(Logical::Integer { bits, signed });
        Ok(())
    })?;
    Ok(logical)
}
