//! The types that columns have in files.

use std::fmt;

use half::f16;

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

    /// Whether values of `kind` can be stored so; categories as their codes.
    pub(crate) fn holds(&self, kind: &Kind) -> bool {
        match (kind, self) {
            (Kind::Category { .. }, Stored::Integer(width)) => {
                width.is_signed() && width.bytes() <= 4
            }
            (Kind::Category { .. }, _) => false,
            _ => self.kind().as_ref() == Some(kind),
        }
    }
}

/// The value as a 32-bit number.
///
/// # Errors
/// If there is none that is equal.
pub(crate) fn exact_f32(value: f64) -> Result<f32, String> {
    let narrow = value as f32;
    if f64::from(narrow) == value {
        return Ok(narrow);
    }
    Err(format!("the value {value} is no {}", RealType::F32.name()))
}

/// The value as a 16-bit number.
///
/// # Errors
/// If there is none that is equal.
pub(crate) fn exact_f16(value: f64) -> Result<f16, String> {
    let narrow = f16::from_f64(value);
    if narrow.to_f64() == value {
        return Ok(narrow);
    }
    Err(format!("the value {value} is no {}", RealType::F16.name()))
}

/// The value as a number of fewer bits.
///
/// # Errors
/// If it is not one of `width`, which `T` must be able to hold.
pub(crate) fn exact_integer<T: TryFrom<i64>>(value: i64, width: IntegerType) -> Result<T, String> {
    T::try_from(value).map_err(|_| format!("the value {value} is no {}", width.name()))
}

/// Codes of `n_levels` levels from a file; -1 is missing.
///
/// # Errors
/// If a code is no index of a level.
pub(crate) fn codes(values: Vec<i64>, n_levels: usize) -> Result<Vec<i32>, String> {
    let allowed = -1..n_levels as i64;
    let check = |code: i64| {
        let is_code = allowed.contains(&code);
        i32::try_from(code).ok().filter(|_| is_code).ok_or(code)
    };
    let codes: Result<_, i64> = values.into_iter().map(check).collect();
    codes.map_err(|code| format!("the code {code} of {n_levels} levels"))
}
