//! Values written in a query, and texts as values of a type.

use axtile_core::{Error, Result};

use crate::model::{ElementType, Values};
use crate::operations::parse_number;

/// A value and its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    text: String,
    kind: ElementType,
}

impl Literal {
    /// The value that a text looks like: truth, a whole number, a float, or
    /// else (and if it was quoted) text.
    pub fn inferred(text: String, is_quoted: bool) -> Literal {
        let kind = if is_quoted {
            ElementType::String
        } else {
            looks_like(&text)
        };
        Literal { text, kind }
    }

    /// The value of a type; what is wrong if it is none.
    pub fn typed(text: String, kind: ElementType) -> Result<Literal, String> {
        match filled(&text, kind, 1) {
            Ok(_) => Ok(Literal { text, kind }),
            Err(_) => Err(no_value(&text, kind)),
        }
    }

    /// As it is written, without escapes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its type.
    pub fn kind(&self) -> ElementType {
        self.kind
    }

    /// Whether it would be read as another type if that were not written.
    pub fn needs_type(&self) -> bool {
        looks_like(&self.text) != self.kind
    }

    /// `n` times the value.
    ///
    /// # Errors
    /// None for a literal that was checked.
    pub fn repeated(&self, n: usize) -> Result<Values> {
        filled(&self.text, self.kind, n)
    }

    /// `n` times the value, as a value of `kind`.
    ///
    /// # Errors
    /// `Error::Range` if it is no value of the type.
    pub fn repeated_as(&self, kind: ElementType, n: usize) -> Result<Values> {
        filled(&self.text, kind, n)
    }
}

fn looks_like(text: &str) -> ElementType {
    if text == "true" || text == "false" {
        ElementType::Bool
    } else if text.parse::<i64>().is_ok() {
        ElementType::Int64
    } else if text.parse::<u64>().is_ok() {
        ElementType::UInt64
    } else if parse_number(text).is_some() {
        ElementType::Float64
    } else {
        ElementType::String
    }
}

fn no_value(text: &str, kind: ElementType) -> String {
    format!("the value '{text}' is no {kind}")
}

/// `n` times the value that `text` is.
///
/// # Errors
/// `Error::Range` if it is no value of the type.
pub fn filled(text: &str, kind: ElementType, n: usize) -> Result<Values> {
    fn whole<T: std::str::FromStr + Clone>(text: &str, n: usize) -> Option<Vec<T>> {
        Some(vec![text.parse().ok()?; n])
    }
    let values = match kind {
        ElementType::Bool => truth(text).map(|truth| Values::Bool(vec![u8::from(truth); n].into())),
        ElementType::Int8 => whole(text, n).map(|values| Values::Int8(values.into())),
        ElementType::Int16 => whole(text, n).map(|values| Values::Int16(values.into())),
        ElementType::Int32 => whole(text, n).map(|values| Values::Int32(values.into())),
        ElementType::Int64 => whole(text, n).map(|values| Values::Int64(values.into())),
        ElementType::UInt8 => whole(text, n).map(|values| Values::UInt8(values.into())),
        ElementType::UInt16 => whole(text, n).map(|values| Values::UInt16(values.into())),
        ElementType::UInt32 => whole(text, n).map(|values| Values::UInt32(values.into())),
        ElementType::UInt64 => whole(text, n).map(|values| Values::UInt64(values.into())),
        ElementType::Float32 => {
            parse_number(text).map(|value| Values::Float32(vec![value as f32; n].into()))
        }
        ElementType::Float64 => {
            parse_number(text).map(|value| Values::Float64(vec![value; n].into()))
        }
        ElementType::String => Some(Values::String(std::iter::repeat_n(text, n).collect())),
    };
    values.ok_or_else(|| Error::range(no_value(text, kind)))
}

/// The truth that a text is.
pub fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_inferred() {
        let kind = |text: &str| Literal::inferred(text.into(), false).kind();
        assert_eq!(kind("true"), ElementType::Bool);
        assert_eq!(kind("-7"), ElementType::Int64);
        assert_eq!(kind("18446744073709551615"), ElementType::UInt64);
        assert_eq!(kind("1.0"), ElementType::Float64);
        assert_eq!(kind("pi"), ElementType::Float64);
        assert_eq!(kind("nan"), ElementType::Float64);
        assert_eq!(kind("-"), ElementType::String);
        assert_eq!(kind(""), ElementType::String);
        let quoted = Literal::inferred("7".into(), true);
        assert_eq!(quoted.kind(), ElementType::String);
        assert!(quoted.needs_type());
    }

    #[test]
    fn values_must_be_of_their_type() {
        for (text, kind) in [
            ("1.0", ElementType::Int32),
            ("300", ElementType::UInt8),
            ("-1", ElementType::UInt64),
            ("2", ElementType::Bool),
            ("x", ElementType::Float32),
        ] {
            assert!(Literal::typed(text.into(), kind).is_err(), "{text}");
        }
        let filled = filled("1", ElementType::Bool, 2).unwrap();
        assert_eq!(filled, Values::Bool(vec![1, 1].into()));
    }
}
