//! Columns of annotations as vectors.
//!
//! | column | vector |
//! |---|---|
//! | category, text | String; a missing one is empty |
//! | whole numbers | the same type |
//! | floating-point numbers | the same width; a missing one is NaN |
//! | truth | Bool |

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_daf::model::{Texts, Values};
use axtile_table::{Column, Field, IntegerType, Kind, RealType};

/// The values of a column.
///
/// # Errors
/// `Error::Unsupported` for a missing whole number or truth: a daf has none.
pub fn values_of(path: &Path, field: &Field, column: &Column) -> Result<Values> {
    let missing = |at: usize| {
        let problem = format!(
            "value {} of the column '{}' is missing, which no {} in a daf can be",
            at + 1,
            field.name,
            field.kind.describe()
        );
        Error::unsupported(path, problem)
    };
    let none_missing = |flags: &Option<Vec<bool>>| {
        let at = flags
            .as_ref()
            .and_then(|all| all.iter().position(|&is_missing| is_missing));
        at.map_or(Ok(()), |at| Err(missing(at)))
    };
    match (column, &field.kind) {
        (Column::Category(codes), Kind::Category { levels, .. }) => {
            let label = |&code: &i32| {
                let level = usize::try_from(code).ok().and_then(|code| levels.get(code));
                level.map_or("", String::as_str)
            };
            Ok(codes.iter().map(label).collect::<Texts>().into())
        }
        (Column::Text(texts), _) => {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            Ok(texts.iter().map(text).collect::<Texts>().into())
        }
        (Column::Bool { values, missing }, _) => {
            none_missing(missing)?;
            Ok(values.clone().into())
        }
        (Column::Real(values), Kind::Real(RealType::F64)) => Ok(values.clone().into()),
        // Columns hold their values exactly in any width.
        (Column::Real(values), _) => Ok(values
            .iter()
            .map(|&value| value as f32)
            .collect::<Vec<f32>>()
            .into()),
        (Column::Integer { values, missing }, Kind::Integer(kind)) => {
            none_missing(missing)?;
            Ok(integers(values, *kind))
        }
        _ => {
            let problem = format!("column '{}' is not of its type", field.name);
            Err(Error::corrupt(path, "annotations", problem))
        }
    }
}

/// Values of that type, which they were read as.
fn integers(values: &[i64], kind: IntegerType) -> Values {
    macro_rules! narrow {
        ($type:ty) => {
            values
                .iter()
                .map(|&value| value as $type)
                .collect::<Vec<$type>>()
                .into()
        };
    }
    match kind {
        IntegerType::I8 => narrow!(i8),
        IntegerType::I16 => narrow!(i16),
        IntegerType::I32 => narrow!(i32),
        IntegerType::I64 => narrow!(i64),
        IntegerType::U8 => narrow!(u8),
        IntegerType::U16 => narrow!(u16),
        IntegerType::U32 => narrow!(u32),
        IntegerType::U64 => narrow!(u64),
    }
}
