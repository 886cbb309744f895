//! How the types of columns are stored in parquet: physical types and
//! annotations (parquet-format, LogicalTypes.md).
//!
//! | kind | physical type | annotation |
//! |---|---|---|
//! | integers up to 32 bits | INT32 | INT(bits, signed); none for i32 |
//! | 64-bit integers | INT64 | INT(64, false) for u64 |
//! | reals | FIXED_LEN_BYTE_ARRAY(2), FLOAT, DOUBLE | FLOAT16 for the first |
//! | bool | BOOLEAN | |
//! | text | BYTE_ARRAY | STRING |
//! | category | as its codes, i8, i16 or i32 | |

use std::sync::Arc;

use parquet::basic::{ConvertedType as C, LogicalType, Repetition, Type as Physical};
use parquet::errors::Result;
use parquet::schema::types::{ColumnDescriptor, Type, TypePtr};

use crate::model::{IntegerType as I, RealType};
use crate::stored::Stored;

/// The type of a column of a file.
pub(super) fn stored(column: &ColumnDescriptor) -> Stored {
    if column.max_rep_level() > 0 {
        return Stored::Other("repeated".to_owned());
    }
    let logical = column.logical_type_ref();
    // The crate gives columns that have a new annotation the old one too.
    match (column.physical_type(), column.converted_type(), logical) {
        (Physical::BOOLEAN, C::NONE, None) => Stored::Bool,
        (Physical::INT32, C::INT_8, _) => Stored::Integer(I::I8),
        (Physical::INT32, C::INT_16, _) => Stored::Integer(I::I16),
        (Physical::INT32, C::INT_32, _) => Stored::Integer(I::I32),
        (Physical::INT32, C::NONE, None) => Stored::Integer(I::I32),
        (Physical::INT32, C::UINT_8, _) => Stored::Integer(I::U8),
        (Physical::INT32, C::UINT_16, _) => Stored::Integer(I::U16),
        (Physical::INT32, C::UINT_32, _) => Stored::Integer(I::U32),
        (Physical::INT64, C::INT_64, _) => Stored::Integer(I::I64),
        (Physical::INT64, C::NONE, None) => Stored::Integer(I::I64),
        (Physical::INT64, C::UINT_64, _) => Stored::Integer(I::U64),
        (Physical::FLOAT, C::NONE, None) => Stored::Real(RealType::F32),
        (Physical::DOUBLE, C::NONE, None) => Stored::Real(RealType::F64),
        (Physical::BYTE_ARRAY, C::UTF8, _) => Stored::Text,
        (Physical::FIXED_LEN_BYTE_ARRAY, _, Some(LogicalType::Float16)) => {
            Stored::Real(RealType::F16)
        }
        (physical, C::NONE, None) => Stored::Other(physical.to_string()),
        (physical, C::NONE, Some(logical)) => Stored::Other(format!("{logical:?} ({physical})")),
        (physical, converted, _) => Stored::Other(format!("{converted} ({physical})")),
    }
}

/// The schema of a file of these columns, all of which are optional.
pub(super) fn schema<'a>(columns: impl Iterator<Item = (&'a str, &'a Stored)>) -> Result<TypePtr> {
    let columns = columns.map(|(name, stored)| column(name, stored).map(Arc::new));
    let fields = columns.collect::<Result<_>>()?;
    let root = Type::group_type_builder("schema").with_fields(fields);
    root.build().map(Arc::new)
}

fn column(name: &str, stored: &Stored) -> Result<Type> {
    let (physical, logical) = match stored {
        Stored::Bool => (Physical::BOOLEAN, None),
        Stored::Integer(I::I32) => (Physical::INT32, None),
        Stored::Integer(I::I64) => (Physical::INT64, None),
        Stored::Integer(width) => {
            let bits = 8 * width.bytes() as i8;
            let annotation = LogicalType::integer(bits, width.is_signed());
            let physical = if bits == 64 {
                Physical::INT64
            } else {
                Physical::INT32
            };
            (physical, Some(annotation))
        }
        Stored::Real(RealType::F16) => (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Float16)),
        Stored::Real(RealType::F32) => (Physical::FLOAT, None),
        Stored::Real(RealType::F64) => (Physical::DOUBLE, None),
        Stored::Text | Stored::Other(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let length = if physical == Physical::FIXED_LEN_BYTE_ARRAY {
        2
    } else {
        -1
    };
    Type::primitive_type_builder(name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .with_length(length)
        .build()
}
