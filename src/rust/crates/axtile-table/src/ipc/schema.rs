//! Arrow's description of columns.

use arrow_ipc::writer::{DictionaryTracker, IpcDataGenerator, IpcWriteOptions};
use arrow_schema::{DataType, Metadata, Schema};
use base64::prelude::{BASE64_STANDARD, Engine};

use crate::model::{Field, IntegerType as I, Kind, RealType};
use crate::stored::Stored;

/// Arrow's type of a column.
pub(super) fn data_type(stored: &Stored) -> DataType {
    match stored {
        Stored::Bool => DataType::Boolean,
        Stored::Integer(I::I8) => DataType::Int8,
        Stored::Integer(I::I16) => DataType::Int16,
        Stored::Integer(I::I32) => DataType::Int32,
        Stored::Integer(I::I64) => DataType::Int64,
        Stored::Integer(I::U8) => DataType::UInt8,
        Stored::Integer(I::U16) => DataType::UInt16,
        Stored::Integer(I::U32) => DataType::UInt32,
        Stored::Integer(I::U64) => DataType::UInt64,
        Stored::Real(RealType::F16) => DataType::Float16,
        Stored::Real(RealType::F32) => DataType::Float32,
        Stored::Real(RealType::F64) => DataType::Float64,
        Stored::Text | Stored::Other(_) => DataType::Utf8,
    }
}

/// The column that has a type of Arrow's.
pub(super) fn stored(data_type: &DataType) -> Stored {
    match data_type {
        DataType::Boolean => Stored::Bool,
        DataType::Int8 => Stored::Integer(I::I8),
        DataType::Int16 => Stored::Integer(I::I16),
        DataType::Int32 => Stored::Integer(I::I32),
        DataType::Int64 => Stored::Integer(I::I64),
        DataType::UInt8 => Stored::Integer(I::U8),
        DataType::UInt16 => Stored::Integer(I::U16),
        DataType::UInt32 => Stored::Integer(I::U32),
        DataType::UInt64 => Stored::Integer(I::U64),
        DataType::Float16 => Stored::Real(RealType::F16),
        DataType::Float32 => Stored::Real(RealType::F32),
        DataType::Float64 => Stored::Real(RealType::F64),
        DataType::Utf8 => Stored::Text,
        other => Stored::Other(other.to_string()),
    }
}

/// The value of the entry `ARROW:schema` that lets Arrow's readers of a parquet
/// file restore factors, whose labels are plain text otherwise: a schema message
/// in base64. They take the file's own metadata from there too, so it must be
/// given here as well.
pub fn parquet_schema(fields: &[Field], metadata: &[(&str, &str)]) -> String {
    let fields = fields.iter().map(|field| {
        let (data_type, ordered) = match &field.kind {
            Kind::Category { levels, ordered } => {
                let codes = I::for_codes(levels.len()).unwrap_or(I::I32);
                let codes = Box::new(data_type(&Stored::Integer(codes)));
                (
                    DataType::Dictionary(codes, Box::new(DataType::Utf8)),
                    *ordered,
                )
            }
            Kind::Integer(width) => (data_type(&Stored::Integer(*width)), false),
            Kind::Real(width) => (data_type(&Stored::Real(*width)), false),
            Kind::Bool => (DataType::Boolean, false),
            Kind::Text => (DataType::Utf8, false),
        };
        arrow_schema::Field::new(&field.name, data_type, true).with_dict_is_ordered(ordered)
    });
    let metadata: Metadata = metadata.iter().copied().collect();
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata);
    let message = IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
        &schema,
        &mut DictionaryTracker::new(true),
        &IpcWriteOptions::default(),
    );
    // What every message starts with: a mark and the length.
    let mut bytes = vec![0xff; 4];
    bytes.extend_from_slice(&(message.ipc_message.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&message.ipc_message);
    BASE64_STANDARD.encode(bytes)
}
