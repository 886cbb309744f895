//! The column model: the types that obs and var columns can have, with missing
//! values kept apart from all values.

/// A column's name and type.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name, unique in its table.
    pub name: String,
    /// The type.
    pub kind: Kind,
}

/// The types of columns.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A factor. Codes are indices into `levels`, -1 is missing.
    Category {
        /// The labels, unique, in their order. Some may never be used.
        levels: Vec<String>,
        /// Whether the order of the levels means something.
        ordered: bool,
    },
    /// Whole numbers.
    Integer(IntegerType),
    /// Floating-point numbers; NaN and missing are one.
    Real(RealType),
    /// True or false.
    Bool,
    /// Text.
    Text,
}

impl Kind {
    /// The kind in words, for messages.
    pub fn describe(&self) -> String {
        match self {
            Kind::Category { levels, .. } => format!("a category of {} levels", levels.len()),
            Kind::Integer(width) => width.name().to_owned(),
            Kind::Real(width) => width.name().to_owned(),
            Kind::Bool => "bool".to_owned(),
            Kind::Text => "string".to_owned(),
        }
    }
}

/// The integer types, by width and sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IntegerType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl IntegerType {
    /// The name in Arrow C++: `int8`, ..., `uint64`.
    pub fn name(self) -> &'static str {
        match self {
            IntegerType::I8 => "int8",
            IntegerType::I16 => "int16",
            IntegerType::I32 => "int32",
            IntegerType::I64 => "int64",
            IntegerType::U8 => "uint8",
            IntegerType::U16 => "uint16",
            IntegerType::U32 => "uint32",
            IntegerType::U64 => "uint64",
        }
    }

    /// The width in bytes.
    pub fn bytes(self) -> usize {
        match self {
            IntegerType::I8 | IntegerType::U8 => 1,
            IntegerType::I16 | IntegerType::U16 => 2,
            IntegerType::I32 | IntegerType::U32 => 4,
            IntegerType::I64 | IntegerType::U64 => 8,
        }
    }

    /// Whether there are negative values.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            IntegerType::I8 | IntegerType::I16 | IntegerType::I32 | IntegerType::I64
        )
    }

    /// Whether a value of [`Column::Integer`] is one of this type. All bit
    /// patterns are values of the 64-bit types.
    pub fn holds(self, value: i64) -> bool {
        match self {
            IntegerType::I8 => i8::try_from(value).is_ok(),
            IntegerType::I16 => i16::try_from(value).is_ok(),
            IntegerType::I32 => i32::try_from(value).is_ok(),
            IntegerType::U8 => u8::try_from(value).is_ok(),
            IntegerType::U16 => u16::try_from(value).is_ok(),
            IntegerType::U32 => u32::try_from(value).is_ok(),
            IntegerType::I64 | IntegerType::U64 => true,
        }
    }

    /// The type of the codes of a factor with so many levels, as deltacells
    /// chooses it: int8 up to 127 levels, int16 up to 32,767, else int32.
    /// `None` where int32 does not suffice.
    pub fn for_codes(n_levels: usize) -> Option<IntegerType> {
        match n_levels {
            0..=127 => Some(IntegerType::I8),
            128..=32_767 => Some(IntegerType::I16),
            _ => i32::try_from(n_levels).ok().map(|_| IntegerType::I32),
        }
    }
}

/// The floating-point types, by width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RealType {
    F16,
    F32,
    F64,
}

impl RealType {
    /// The name in Arrow C++.
    pub fn name(self) -> &'static str {
        match self {
            RealType::F16 => "halffloat",
            RealType::F32 => "float",
            RealType::F64 => "double",
        }
    }

    /// The width in bytes.
    pub fn bytes(self) -> usize {
        match self {
            RealType::F16 => 2,
            RealType::F32 => 4,
            RealType::F64 => 8,
        }
    }
}

/// The values of a column; which variant belongs to which [`Kind`] is fixed.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Codes of [`Kind::Category`]; -1 is missing.
    Category(Vec<i32>),
    /// Values of [`Kind::Integer`]. `U64` values are kept as their bit pattern.
    Integer {
        /// The values; 0 where missing.
        values: Vec<i64>,
        /// Which are missing; `None` where none is.
        missing: Option<Vec<bool>>,
    },
    /// Values of [`Kind::Real`], exact for all widths; NaN is missing.
    Real(Vec<f64>),
    /// Values of [`Kind::Bool`].
    Bool {
        /// The values; false where missing.
        values: Vec<bool>,
        /// Which are missing; `None` where none is.
        missing: Option<Vec<bool>>,
    },
    /// Values of [`Kind::Text`]; `None` is missing.
    Text(Vec<Option<String>>),
}

impl Column {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Category(codes) => codes.len(),
            Column::Integer { values, .. } => values.len(),
            Column::Real(values) => values.len(),
            Column::Bool { values, .. } => values.len(),
            Column::Text(values) => values.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names and types, one a column.
    pub fields: Vec<Field>,
    /// The values, in the order of `fields`.
    pub columns: Vec<Column>,
    /// The number of rows, also where there is no column.
    pub n_rows: usize,
}
