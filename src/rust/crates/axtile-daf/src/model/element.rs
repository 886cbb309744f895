//! The types of single values.

use std::fmt;

/// What one value of a scalar, vector or matrix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// Truth, one byte of 0 or 1.
    Bool,
    /// Signed, 8 bits.
    Int8,
    /// Signed, 16 bits.
    Int16,
    /// Signed, 32 bits.
    Int32,
    /// Signed, 64 bits.
    Int64,
    /// Unsigned, 8 bits.
    UInt8,
    /// Unsigned, 16 bits.
    UInt16,
    /// Unsigned, 32 bits.
    UInt32,
    /// Unsigned, 64 bits.
    UInt64,
    /// IEEE 754, 32 bits.
    Float32,
    /// IEEE 754, 64 bits.
    Float64,
    /// UTF-8 text.
    String,
}

impl ElementType {
    /// All types, in the order of their declaration.
    pub const ALL: [ElementType; 12] = [
        ElementType::Bool,
        ElementType::Int8,
        ElementType::Int16,
        ElementType::Int32,
        ElementType::Int64,
        ElementType::UInt8,
        ElementType::UInt16,
        ElementType::UInt32,
        ElementType::UInt64,
        ElementType::Float32,
        ElementType::Float64,
        ElementType::String,
    ];

    /// The name that descriptors and queries use.
    pub fn name(self) -> &'static str {
        match self {
            ElementType::Bool => "Bool",
            ElementType::Int8 => "Int8",
            ElementType::Int16 => "Int16",
            ElementType::Int32 => "Int32",
            ElementType::Int64 => "Int64",
            ElementType::UInt8 => "UInt8",
            ElementType::UInt16 => "UInt16",
            ElementType::UInt32 => "UInt32",
            ElementType::UInt64 => "UInt64",
            ElementType::Float32 => "Float32",
            ElementType::Float64 => "Float64",
            ElementType::String => "String",
        }
    }

    /// The type of that name, also in lower case; `Int` is 64 bits.
    pub fn parse(name: &str) -> Option<ElementType> {
        if name == "Int" || name == "int" {
            return Some(ElementType::Int64);
        }
        ElementType::ALL
            .into_iter()
            .find(|kind| kind.name() == name || kind.name().to_ascii_lowercase() == name)
    }

    /// Bytes of one value; a text has no fixed size.
    pub fn size(self) -> Option<usize> {
        match self {
            ElementType::Bool | ElementType::Int8 | ElementType::UInt8 => Some(1),
            ElementType::Int16 | ElementType::UInt16 => Some(2),
            ElementType::Int32 | ElementType::UInt32 | ElementType::Float32 => Some(4),
            ElementType::Int64 | ElementType::UInt64 | ElementType::Float64 => Some(8),
            ElementType::String => None,
        }
    }

    /// Whether values are whole numbers; truth is none.
    pub fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    /// Whether values are whole numbers with a sign.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64
        )
    }

    /// Whether values are whole numbers without a sign.
    pub fn is_unsigned(self) -> bool {
        matches!(
            self,
            ElementType::UInt8 | ElementType::UInt16 | ElementType::UInt32 | ElementType::UInt64
        )
    }

    /// Whether values are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, ElementType::Float32 | ElementType::Float64)
    }

    /// Whether values are numbers; truth and text are none.
    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_float()
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in ElementType::ALL {
            assert_eq!(ElementType::parse(kind.name()), Some(kind));
            assert_eq!(ElementType::parse(&kind.name().to_lowercase()), Some(kind));
        }
        assert_eq!(ElementType::parse("int"), Some(ElementType::Int64));
        assert_eq!(ElementType::parse("INT8"), None);
        assert_eq!(ElementType::parse("Float16"), None);
    }
}
