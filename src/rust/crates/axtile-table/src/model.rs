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

/// The floating-point types, by width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RealType {
    F16,
    F32,
    F64,
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
