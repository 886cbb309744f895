//! Single values.

use super::ElementType;

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Truth.
    Bool(bool),
    /// `ElementType::Int8`.
    Int8(i8),
    /// `ElementType::Int16`.
    Int16(i16),
    /// `ElementType::Int32`.
    Int32(i32),
    /// `ElementType::Int64`.
    Int64(i64),
    /// `ElementType::UInt8`.
    UInt8(u8),
    /// `ElementType::UInt16`.
    UInt16(u16),
    /// `ElementType::UInt32`.
    UInt32(u32),
    /// `ElementType::UInt64`.
    UInt64(u64),
    /// `ElementType::Float32`.
    Float32(f32),
    /// `ElementType::Float64`.
    Float64(f64),
    /// `ElementType::String`.
    String(String),
}

impl Scalar {
    /// What the value is.
    pub fn element_type(&self) -> ElementType {
        match self {
            Scalar::Bool(_) => ElementType::Bool,
            Scalar::Int8(_) => ElementType::Int8,
            Scalar::Int16(_) => ElementType::Int16,
            Scalar::Int32(_) => ElementType::Int32,
            Scalar::Int64(_) => ElementType::Int64,
            Scalar::UInt8(_) => ElementType::UInt8,
            Scalar::UInt16(_) => ElementType::UInt16,
            Scalar::UInt32(_) => ElementType::UInt32,
            Scalar::UInt64(_) => ElementType::UInt64,
            Scalar::Float32(_) => ElementType::Float32,
            Scalar::Float64(_) => ElementType::Float64,
            Scalar::String(_) => ElementType::String,
        }
    }

    /// The value as a whole number of any size, if it is one.
    pub fn as_integer(&self) -> Option<i128> {
        Some(match self {
            Scalar::Int8(value) => i128::from(*value),
            Scalar::Int16(value) => i128::from(*value),
            Scalar::Int32(value) => i128::from(*value),
            Scalar::Int64(value) => i128::from(*value),
            Scalar::UInt8(value) => i128::from(*value),
            Scalar::UInt16(value) => i128::from(*value),
            Scalar::UInt32(value) => i128::from(*value),
            Scalar::UInt64(value) => i128::from(*value),
            _ => return None,
        })
    }

    /// A whole number as a value of type `kind`, if it is one and holds it.
    pub fn from_integer(value: i128, kind: ElementType) -> Option<Scalar> {
        Some(match kind {
            ElementType::Int8 => Scalar::Int8(value.try_into().ok()?),
            ElementType::Int16 => Scalar::Int16(value.try_into().ok()?),
            ElementType::Int32 => Scalar::Int32(value.try_into().ok()?),
            ElementType::Int64 => Scalar::Int64(value.try_into().ok()?),
            ElementType::UInt8 => Scalar::UInt8(value.try_into().ok()?),
            ElementType::UInt16 => Scalar::UInt16(value.try_into().ok()?),
            ElementType::UInt32 => Scalar::UInt32(value.try_into().ok()?),
            ElementType::UInt64 => Scalar::UInt64(value.try_into().ok()?),
            _ => return None,
        })
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Scalar::String(text) => Some(text),
            _ => None,
        }
    }
}

macro_rules! scalar {
    ($($value:ty: $kind:ident),*) => {$(
        impl From<$value> for Scalar {
            fn from(value: $value) -> Scalar {
                Scalar::$kind(value)
            }
        }
    )*};
}

scalar!(
    bool: Bool, i8: Int8, i16: Int16, i32: Int32, i64: Int64, u8: UInt8, u16: UInt16, u32: UInt32,
    u64: UInt64, f32: Float32, f64: Float64, String: String
);

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        Scalar::String(text.into())
    }
}
