//! Columns of annotations as vectors. The format has no missing values: texts
//! that are missing are empty, numbers that are missing are NaN.

use axtile_core::{Error, Result};
use axtile_daf::model::{Texts, Values};
use axtile_table::{Column, Field, IntegerType, Kind, RealType};

/// All values of a column. Categories become their labels. Whole numbers and
/// truths of which some are missing become floats.
///
/// # Errors
/// `Error::Range` for a whole number that no float equals, where others are
/// missing.
pub fn values(field: &Field, column: Column) -> Result<Values> {
    Ok(match (column, &field.kind) {
        (Column::Category(codes), Kind::Category { levels, .. }) => {
            let label = |&code: &i32| {
                let level = usize::try_from(code).ok().and_then(|code| levels.get(code));
                level.map_or("", String::as_str)
            };
            Values::String(codes.iter().map(label).collect())
        }
        (Column::Category(codes), _) => codes.into(),
        (Column::Text(texts), _) => {
            let texts: Texts = texts
                .iter()
                .map(|text| text.as_deref().unwrap_or_default())
                .collect();
            Values::String(texts)
        }
        (Column::Bool { values, missing }, _) => match missing {
            None => values.into(),
            Some(missing) => with_missing(&values, &missing, |value| Some(u8::from(value).into()))
                .unwrap_or_default()
                .into(),
        },
        (Column::Real(values), Kind::Real(RealType::F16 | RealType::F32)) => values
            .iter()
            // Columns of this type hold such numbers alone.
            .map(|&value| value as f32)
            .collect::<Vec<f32>>()
            .into(),
        (Column::Real(values), _) => values.into(),
        (Column::Integer { values, missing }, kind) => {
            let width = match kind {
                Kind::Integer(width) => *width,
                _ => IntegerType::I64,
            };
            match missing {
                None => whole(values, width),
                Some(missing) => with_missing(&values, &missing, |value| exact(value, width))
                    .ok_or_else(|| {
                        Error::range(format!(
                            "the column '{}' has missing values and whole numbers beyond 2^53, \
                             which no vector can hold together",
                            field.name
                        ))
                    })?
                    .into(),
            }
        }
    })
}

fn whole(values: Vec<i64>, width: IntegerType) -> Values {
    fn of<T>(values: &[i64], narrow: impl Fn(i64) -> T) -> Vec<T> {
        values.iter().map(|&value| narrow(value)).collect()
    }
    // Columns of a type hold values of it alone; those of U64 are bit patterns.
    match width {
        IntegerType::I8 => of(&values, |value| value as i8).into(),
        IntegerType::I16 => of(&values, |value| value as i16).into(),
        IntegerType::I32 => of(&values, |value| value as i32).into(),
        IntegerType::I64 => values.into(),
        IntegerType::U8 => of(&values, |value| value as u8).into(),
        IntegerType::U16 => of(&values, |value| value as u16).into(),
        IntegerType::U32 => of(&values, |value| value as u32).into(),
        IntegerType::U64 => of(&values, |value| value as u64).into(),
    }
}

/// The float that equals a whole number, if there is one.
fn exact(value: i64, width: IntegerType) -> Option<f64> {
    let (float, back) = match width {
        IntegerType::U64 => (value as u64 as f64, i128::from(value as u64)),
        _ => (value as f64, i128::from(value)),
    };
    (float as i128 == back).then_some(float)
}

fn with_missing<T: Copy>(
    values: &[T],
    missing: &[bool],
    float: impl Fn(T) -> Option<f64>,
) -> Option<Vec<f64>> {
    let one = |(&value, &is_missing): (&T, &bool)| match is_missing {
        true => Some(f64::NAN),
        false => float(value),
    };
    values.iter().zip(missing).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, column: Column) -> Result<Values> {
        let name = "x".to_owned();
        values(&Field { name, kind }, column)
    }

    #[test]
    fn types_are_kept_and_missing_values_told() {
        let texts = |texts: &[&str]| Values::String(texts.iter().copied().collect());
        let levels = vec!["b".to_owned(), "a".to_owned()];
        let kind = Kind::Category {
            levels,
            ordered: false,
        };
        let column = Column::Category(vec![1, -1, 0]);
        assert_eq!(of(kind, column).unwrap(), texts(&["a", "", "b"]));
        let column = Column::Text(vec![None, Some("x\ny".into())]);
        assert_eq!(of(Kind::Text, column).unwrap(), texts(&["", "x\ny"]));
        let column = Column::Real(vec![0.5, 2.0]);
        let single = of(Kind::Real(RealType::F32), column).unwrap();
        assert_eq!(single, vec![0.5_f32, 2.0].into());
        let bits = |values| Column::Integer {
            values,
            missing: None,
        };
        let large = of(Kind::Integer(IntegerType::U64), bits(vec![-1])).unwrap();
        assert_eq!(large, vec![u64::MAX].into());
        let small = of(Kind::Integer(IntegerType::I8), bits(vec![-1])).unwrap();
        assert_eq!(small, vec![-1_i8].into());
    }

    #[test]
    fn numbers_that_are_missing_are_nan_if_all_others_stay_exact() {
        let some = |first| Column::Integer {
            values: vec![first, 0],
            missing: Some(vec![false, true]),
        };
        let kind = || Kind::Integer(IntegerType::I64);
        let Values::Float64(floats) = of(kind(), some(-7)).unwrap() else {
            panic!("no floats");
        };
        assert!(floats[0] == -7.0 && floats[1].is_nan());
        assert!(of(kind(), some((1 << 53) + 1)).is_err());
        let kind = Kind::Integer(IntegerType::U64);
        assert!(of(kind, some(-1)).is_err());
        let column = Column::Bool {
            values: vec![true, false, false],
            missing: Some(vec![false, false, true]),
        };
        let Values::Float64(floats) = of(Kind::Bool, column).unwrap() else {
            panic!("no floats");
        };
        assert!(floats[..2] == [1.0, 0.0] && floats[2].is_nan());
    }
}
