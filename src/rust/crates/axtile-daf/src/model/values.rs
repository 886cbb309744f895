//! Arrays of values of any element type.

use super::{Buffer, ElementType, Plain, Scalar, Texts};

/// An array of values that costs nothing to clone.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Truth: every byte is 0 or 1.
    Bool(Buffer<u8>),
    /// `ElementType::Int8`.
    Int8(Buffer<i8>),
    /// `ElementType::Int16`.
    Int16(Buffer<i16>),
    /// `ElementType::Int32`.
    Int32(Buffer<i32>),
    /// `ElementType::Int64`.
    Int64(Buffer<i64>),
    /// `ElementType::UInt8`.
    UInt8(Buffer<u8>),
    /// `ElementType::UInt16`.
    UInt16(Buffer<u16>),
    /// `ElementType::UInt32`.
    UInt32(Buffer<u32>),
    /// `ElementType::UInt64`.
    UInt64(Buffer<u64>),
    /// `ElementType::Float32`.
    Float32(Buffer<f32>),
    /// `ElementType::Float64`.
    Float64(Buffer<f64>),
    /// `ElementType::String`.
    String(Texts),
}

/// Runs `$body` with `$buffer` bound to the buffer of numbers (or bytes of
/// truth) in `$values`, or `$texts_body` with `$texts` bound to its texts.
#[macro_export]
macro_rules! match_values {
    ($values:expr, $buffer:ident => $body:expr, $texts:ident => $texts_body:expr) => {
        match $values {
            $crate::model::Values::Bool($buffer) => $body,
            $crate::model::Values::Int8($buffer) => $body,
            $crate::model::Values::Int16($buffer) => $body,
            $crate::model::Values::Int32($buffer) => $body,
            $crate::model::Values::Int64($buffer) => $body,
            $crate::model::Values::UInt8($buffer) => $body,
            $crate::model::Values::UInt16($buffer) => $body,
            $crate::model::Values::UInt32($buffer) => $body,
            $crate::model::Values::UInt64($buffer) => $body,
            $crate::model::Values::Float32($buffer) => $body,
            $crate::model::Values::Float64($buffer) => $body,
            $crate::model::Values::String($texts) => $texts_body,
        }
    };
}

/// A number type that vectors and matrices can hold. Truth is none: its bytes
/// look like `u8`.
pub trait Number: Plain + PartialOrd + Default {
    /// The element type of arrays of these numbers.
    const TYPE: ElementType;

    /// An array of these numbers as values.
    fn values(buffer: Buffer<Self>) -> Values;

    /// The array in `values`, if it is of these numbers.
    fn buffer(values: &Values) -> Option<&Buffer<Self>>;
}

macro_rules! number {
    ($($number:ty: $kind:ident),*) => {$(
        impl Number for $number {
            const TYPE: ElementType = ElementType::$kind;

            fn values(buffer: Buffer<$number>) -> Values {
                Values::$kind(buffer)
            }

            fn buffer(values: &Values) -> Option<&Buffer<$number>> {
                match values {
                    Values::$kind(buffer) => Some(buffer),
                    _ => None,
                }
            }
        }

        impl From<Vec<$number>> for Values {
            fn from(values: Vec<$number>) -> Values {
                Values::$kind(values.into())
            }
        }
    )*};
}

number!(
    i8: Int8, i16: Int16, i32: Int32, i64: Int64, u8: UInt8, u16: UInt16, u32: UInt32, u64: UInt64,
    f32: Float32, f64: Float64
);

impl From<Vec<bool>> for Values {
    fn from(values: Vec<bool>) -> Values {
        Values::Bool(values.into_iter().map(u8::from).collect())
    }
}

/// An array of one value.
impl From<&Scalar> for Values {
    fn from(scalar: &Scalar) -> Values {
        match scalar {
            Scalar::Bool(value) => vec![*value].into(),
            Scalar::Int8(value) => vec![*value].into(),
            Scalar::Int16(value) => vec![*value].into(),
            Scalar::Int32(value) => vec![*value].into(),
            Scalar::Int64(value) => vec![*value].into(),
            Scalar::UInt8(value) => vec![*value].into(),
            Scalar::UInt16(value) => vec![*value].into(),
            Scalar::UInt32(value) => vec![*value].into(),
            Scalar::UInt64(value) => vec![*value].into(),
            Scalar::Float32(value) => vec![*value].into(),
            Scalar::Float64(value) => vec![*value].into(),
            Scalar::String(text) => Values::String(std::iter::once(text.as_str()).collect()),
        }
    }
}

impl From<Texts> for Values {
    fn from(texts: Texts) -> Values {
        Values::String(texts)
    }
}

impl Values {
    /// What the values are.
    pub fn element_type(&self) -> ElementType {
        match self {
            Values::Bool(_) => ElementType::Bool,
            Values::Int8(_) => ElementType::Int8,
            Values::Int16(_) => ElementType::Int16,
            Values::Int32(_) => ElementType::Int32,
            Values::Int64(_) => ElementType::Int64,
            Values::UInt8(_) => ElementType::UInt8,
            Values::UInt16(_) => ElementType::UInt16,
            Values::UInt32(_) => ElementType::UInt32,
            Values::UInt64(_) => ElementType::UInt64,
            Values::Float32(_) => ElementType::Float32,
            Values::Float64(_) => ElementType::Float64,
            Values::String(_) => ElementType::String,
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        match_values!(self, buffer => buffer.len(), texts => texts.len())
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory, or of mapped file, that the values take.
    pub fn n_bytes(&self) -> usize {
        match_values!(
            self,
            buffer => size_of_val(&**buffer),
            texts => texts.n_bytes() + 8 * texts.len()
        )
    }

    /// Whether the values are seen in place in a mapped file.
    pub fn is_mapped(&self) -> bool {
        match_values!(self, buffer => buffer.is_mapped(), texts => texts.is_mapped())
    }

    /// Value `idx`, if there is one.
    pub fn get(&self, idx: usize) -> Option<Scalar> {
        Some(match self {
            Values::Bool(buffer) => Scalar::Bool(*buffer.get(idx)? != 0),
            Values::Int8(buffer) => Scalar::Int8(*buffer.get(idx)?),
            Values::Int16(buffer) => Scalar::Int16(*buffer.get(idx)?),
            Values::Int32(buffer) => Scalar::Int32(*buffer.get(idx)?),
            Values::Int64(buffer) => Scalar::Int64(*buffer.get(idx)?),
            Values::UInt8(buffer) => Scalar::UInt8(*buffer.get(idx)?),
            Values::UInt16(buffer) => Scalar::UInt16(*buffer.get(idx)?),
            Values::UInt32(buffer) => Scalar::UInt32(*buffer.get(idx)?),
            Values::UInt64(buffer) => Scalar::UInt64(*buffer.get(idx)?),
            Values::Float32(buffer) => Scalar::Float32(*buffer.get(idx)?),
            Values::Float64(buffer) => Scalar::Float64(*buffer.get(idx)?),
            Values::String(texts) if idx < texts.len() => Scalar::String(texts.get(idx).into()),
            Values::String(_) => return None,
        })
    }

    /// The values at `positions`, in their order. None if one of them does
    /// not exist.
    pub fn take(&self, positions: &[usize]) -> Option<Values> {
        fn taken<T: Plain>(buffer: &Buffer<T>, positions: &[usize]) -> Option<Buffer<T>> {
            positions
                .iter()
                .map(|&idx| buffer.get(idx).copied())
                .collect()
        }
        Some(match self {
            Values::Bool(buffer) => Values::Bool(taken(buffer, positions)?),
            Values::Int8(buffer) => Values::Int8(taken(buffer, positions)?),
            Values::Int16(buffer) => Values::Int16(taken(buffer, positions)?),
            Values::Int32(buffer) => Values::Int32(taken(buffer, positions)?),
            Values::Int64(buffer) => Values::Int64(taken(buffer, positions)?),
            Values::UInt8(buffer) => Values::UInt8(taken(buffer, positions)?),
            Values::UInt16(buffer) => Values::UInt16(taken(buffer, positions)?),
            Values::UInt32(buffer) => Values::UInt32(taken(buffer, positions)?),
            Values::UInt64(buffer) => Values::UInt64(taken(buffer, positions)?),
            Values::Float32(buffer) => Values::Float32(taken(buffer, positions)?),
            Values::Float64(buffer) => Values::Float64(taken(buffer, positions)?),
            Values::String(texts) if positions.iter().all(|&idx| idx < texts.len()) => {
                Values::String(texts.take(positions.iter().copied()))
            }
            Values::String(_) => return None,
        })
    }

    /// `len` values that are zero, false or empty.
    pub fn zeros(kind: ElementType, len: usize) -> Values {
        match kind {
            ElementType::Bool => Values::Bool(vec![0; len].into()),
            ElementType::Int8 => vec![0_i8; len].into(),
            ElementType::Int16 => vec![0_i16; len].into(),
            ElementType::Int32 => vec![0_i32; len].into(),
            ElementType::Int64 => vec![0_i64; len].into(),
            ElementType::UInt8 => vec![0_u8; len].into(),
            ElementType::UInt16 => vec![0_u16; len].into(),
            ElementType::UInt32 => vec![0_u32; len].into(),
            ElementType::UInt64 => vec![0_u64; len].into(),
            ElementType::Float32 => vec![0_f32; len].into(),
            ElementType::Float64 => vec![0_f64; len].into(),
            ElementType::String => Values::String(std::iter::repeat_n("", len).collect()),
        }
    }

    /// Little-endian numbers, or bytes of truth, of type `kind`. None if there
    /// is no whole count of them, a truth is neither 0 nor 1, or `kind` is
    /// text.
    pub fn from_le_bytes(kind: ElementType, bytes: &[u8]) -> Option<Values> {
        Some(match kind {
            ElementType::Bool => {
                if bytes.iter().any(|&byte| byte > 1) {
                    return None;
                }
                Values::Bool(bytes.to_vec().into())
            }
            ElementType::Int8 => Values::Int8(Buffer::from_le_bytes(bytes)?),
            ElementType::Int16 => Values::Int16(Buffer::from_le_bytes(bytes)?),
            ElementType::Int32 => Values::Int32(Buffer::from_le_bytes(bytes)?),
            ElementType::Int64 => Values::Int64(Buffer::from_le_bytes(bytes)?),
            ElementType::UInt8 => Values::UInt8(Buffer::from_le_bytes(bytes)?),
            ElementType::UInt16 => Values::UInt16(Buffer::from_le_bytes(bytes)?),
            ElementType::UInt32 => Values::UInt32(Buffer::from_le_bytes(bytes)?),
            ElementType::UInt64 => Values::UInt64(Buffer::from_le_bytes(bytes)?),
            ElementType::Float32 => Values::Float32(Buffer::from_le_bytes(bytes)?),
            ElementType::Float64 => Values::Float64(Buffer::from_le_bytes(bytes)?),
            ElementType::String => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_takes_and_gives() {
        for kind in ElementType::ALL {
            let values = Values::zeros(kind, 3);
            assert_eq!((values.element_type(), values.len()), (kind, 3));
            assert_eq!(values.take(&[2, 0]), Some(Values::zeros(kind, 2)));
            assert_eq!(values.take(&[3]), None);
            assert_eq!(values.get(2).unwrap().element_type(), kind);
            assert_eq!(values.get(3), None);
        }
    }

    #[test]
    fn bytes_become_numbers() {
        assert_eq!(
            Values::from_le_bytes(ElementType::Int16, &[255, 255, 1, 0]),
            Some(vec![-1_i16, 1].into())
        );
        assert_eq!(Values::from_le_bytes(ElementType::Int16, &[1]), None);
        assert_eq!(Values::from_le_bytes(ElementType::Bool, &[2]), None);
    }
}
