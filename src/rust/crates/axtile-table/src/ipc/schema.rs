//! Arrow's description of columns (Schema.fbs of Apache Arrow).
//!
//! | table | fields |
//! |---|---|
//! | Schema | endianness i16 (0: little), fields, metadata |
//! | KeyValue | key, value |
//! | Field | name, nullable u8, type u8, type's table, dictionary, children |
//! | Int | bits i32, signed u8 |
//! | FloatingPoint | precision i16: half, single, double |
//! | DictionaryEncoding | id i64, index's Int, ordered u8 |

use super::build::{Builder, Reference, Slot};
use super::flat::Table;
use super::{CONTINUATION, HEADER_SCHEMA, VERSION};
use crate::damage::{Damage, Parsed};
use crate::model::{Field, IntegerType, Kind, RealType};
use crate::parquet::Stored;

/// Members of the union Type.
const TYPE_INT: u8 = 2;
const TYPE_FLOATING_POINT: u8 = 3;
const TYPE_UTF8: u8 = 5;
const TYPE_BOOL: u8 = 6;

/// A column to be described.
pub(super) struct ColumnType<'a> {
    pub(super) name: &'a str,
    pub(super) stored: Stored,
    /// For factors: the type of the codes, and whether the levels are ordered.
    pub(super) dictionary: Option<(IntegerType, bool)>,
}

/// Writes a Schema.
pub(super) fn write(
    builder: &mut Builder,
    to: Reference,
    columns: &[ColumnType],
    metadata: &[(&str, &str)],
) {
    let slots = [Slot::Default, Slot::Reference, Slot::Reference];
    let [fields, entries] = builder.table(to, &slots);
    let entries = builder.references(entries, metadata.len());
    for (to, (key, value)) in entries.into_iter().zip(metadata) {
        let [key_to, value_to] = builder.table(to, &[Slot::Reference; 2]);
        builder.text(key_to, key);
        builder.text(value_to, value);
    }
    let fields = builder.references(fields, columns.len());
    for (i, (to, column)) in fields.into_iter().zip(columns).enumerate() {
        write_field(builder, to, column, i as i64);
    }
}

fn write_field(builder: &mut Builder, to: Reference, column: &ColumnType, id: i64) {
    let kind = match column.stored {
        Stored::Bool => TYPE_BOOL,
        Stored::Integer(_) => TYPE_INT,
        Stored::Real(_) => TYPE_FLOATING_POINT,
        Stored::Text | Stored::Other(_) => TYPE_UTF8,
    };
    let slots = [
        Slot::Reference,
        Slot::U8(1),
        Slot::U8(kind),
        Slot::Reference,
        Slot::Reference,
        Slot::Reference,
    ];
    let (name, table, children);
    if let Some((codes, ordered)) = column.dictionary {
        let dictionary;
        [name, table, dictionary, children] = builder.table(to, &slots);
        let slots = [Slot::I64(id), Slot::Reference, Slot::U8(u8::from(ordered))];
        let [index] = builder.table(dictionary, &slots);
        write_int(builder, index, codes);
    } else {
        let mut slots = slots;
        slots[4] = Slot::Default;
        [name, table, children] = builder.table(to, &slots);
    }
    builder.text(name, column.name);
    match column.stored {
        Stored::Integer(width) => write_int(builder, table, width),
        Stored::Real(width) => {
            let precision = match width {
                RealType::F16 => 0,
                RealType::F32 => 1,
                RealType::F64 => 2,
            };
            let [] = builder.table(table, &[Slot::I16(precision)]);
        }
        _ => {
            let [] = builder.table(table, &[]);
        }
    }
    builder.references(children, 0);
}

fn write_int(builder: &mut Builder, to: Reference, width: IntegerType) {
    let signed = u8::from(width.is_signed());
    let bits = 8 * width.bytes() as i32;
    let [] = builder.table(to, &[Slot::I32(bits), Slot::U8(signed)]);
}

/// Reads name and type of the one column of a Schema.
pub(super) fn read_only_column(schema: Table) -> Parsed<(String, Stored)> {
    if schema.i16(0)? != 0 {
        return Err(Damage::unsupported("big-endian values"));
    }
    let fields = schema.vector(1, 4)?;
    if fields.len != 1 {
        let problem = format!("{} columns, expected one", fields.len);
        return Err(Damage::new(problem));
    }
    let field = fields.table(0)?;
    if field.has(4)? {
        return Err(Damage::unsupported("a dictionary"));
    }
    let table = field.table(3)?;
    let table = table.ok_or_else(|| Damage::new("a column without type"))?;
    let stored = match field.u8(2)? {
        TYPE_INT => {
            use IntegerType::*;
            let (bits, signed) = (table.i32(0)?, table.u8(1)? != 0);
            let all = [I8, I16, I32, I64, U8, U16, U32, U64];
            let mut all = all.into_iter();
            let found = all.find(|w| 8 * w.bytes() as i32 == bits && w.is_signed() == signed);
            Stored::Integer(found.ok_or_else(|| Damage::new(format!("{bits}-bit integers")))?)
        }
        TYPE_FLOATING_POINT => Stored::Real(match table.i16(0)? {
            0 => RealType::F16,
            1 => RealType::F32,
            2 => RealType::F64,
            other => return Err(Damage::new(format!("the precision {other}"))),
        }),
        TYPE_UTF8 => Stored::Text,
        TYPE_BOOL => Stored::Bool,
        other => Stored::Other(format!("Arrow type {other}")),
    };
    Ok((field.text(0)?.to_owned(), stored))
}

/// A schema message, with its prefix and without a body.
pub(super) fn message(columns: &[ColumnType], metadata: &[(&str, &str)]) -> Vec<u8> {
    let (mut builder, root) = Builder::new();
    let slots = [
        Slot::I16(VERSION),
        Slot::U8(HEADER_SCHEMA),
        Slot::Reference,
        Slot::I64(0),
    ];
    let [schema] = builder.table(root, &slots);
    write(&mut builder, schema, columns, metadata);
    prefixed(builder.finish())
}

/// A message with its continuation marker and length.
pub(super) fn prefixed(metadata: Vec<u8>) -> Vec<u8> {
    let mut message = CONTINUATION.to_vec();
    message.extend_from_slice(&(metadata.len() as i32).to_le_bytes());
    message.extend_from_slice(&metadata);
    message
}

/// The value of the entry `ARROW:schema` that lets Arrow's readers of a parquet
/// file restore factors, whose labels are plain text otherwise: a schema message
/// in base64. They take the file's own metadata from there too, so it must be
/// given here as well.
pub fn parquet_schema(fields: &[Field], metadata: &[(&str, &str)]) -> String {
    let columns = fields.iter().map(|field| {
        let (stored, dictionary) = match &field.kind {
            Kind::Category { levels, ordered } => {
                let codes = IntegerType::for_codes(levels.len()).unwrap_or(IntegerType::I32);
                (Stored::Text, Some((codes, *ordered)))
            }
            Kind::Integer(width) => (Stored::Integer(*width), None),
            Kind::Real(width) => (Stored::Real(*width), None),
            Kind::Bool => (Stored::Bool, None),
            Kind::Text => (Stored::Text, None),
        };
        ColumnType {
            name: &field.name,
            stored,
            dictionary,
        }
    });
    base64(&message(&columns.collect::<Vec<_>>(), metadata))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = (bits >> (18 - 6 * i)) & 63;
            text.push(if i <= group.len() {
                char::from(DIGITS[digit as usize])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
