//! Arrays of values as the evaluation needs them: seen as numbers, picked,
//! joined with single values.

use axtile_core::{Error, Result};

use crate::model::{Buffer, ElementType, Plain, Scalar, Texts, Values, Vector};
use crate::operations::{NO_SLOT, Results, numbers, parse_number};
use crate::query::literal::{Literal, filled};

/// Runs `$body` with `$values` as the buffer of whichever numbers it is, and
/// `$of` as the variant to make of the result.
macro_rules! map_numbers {
    ($of_values:expr, $values:ident => $body:expr, $texts:ident => $of_texts:expr) => {
        match $of_values {
            Values::Bool($values) => Values::Bool($body),
            Values::Int8($values) => Values::Int8($body),
            Values::Int16($values) => Values::Int16($body),
            Values::Int32($values) => Values::Int32($body),
            Values::Int64($values) => Values::Int64($body),
            Values::UInt8($values) => Values::UInt8($body),
            Values::UInt16($values) => Values::UInt16($body),
            Values::UInt32($values) => Values::UInt32($body),
            Values::UInt64($values) => Values::UInt64($body),
            Values::Float32($values) => Values::Float32($body),
            Values::Float64($values) => Values::Float64($body),
            Values::String($texts) => Values::String($of_texts),
        }
    };
}

/// The values at `positions`; zero or the empty text at [`NO_SLOT`].
pub fn take(values: &Values, positions: &[u32]) -> Values {
    fn of<T: Plain>(values: &Buffer<T>, positions: &[u32]) -> Buffer<T> {
        let values: &[T] = values;
        let one = |&at: &u32| values.get(at as usize).copied().unwrap_or(T::zeroed());
        positions.iter().map(one).collect()
    }
    map_numbers!(values, values => of(values, positions),
    texts => texts.take(positions.iter().map(|&at| match at {
        NO_SLOT => usize::MAX,
        at => at as usize,
    })))
}

/// The values with others in some places, which are written as texts.
///
/// # Errors
/// The place of the first text that is no value of the type.
pub fn with_finals(values: &Values, finals: &[(u32, String)]) -> Result<Values, usize> {
    fn put<T: Plain>(values: &mut [T], at: u32, one: &[T]) {
        if let (Some(place), Some(&one)) = (values.get_mut(at as usize), one.first()) {
            *place = one;
        }
    }
    if let Values::String(texts) = values {
        let mut finals = finals.iter().peekable();
        let texts = texts.iter_bytes().enumerate().map(|(at, text)| {
            match finals.next_if(|(place, _)| *place as usize == at) {
                Some((_, text)) => text.as_bytes(),
                None => text,
            }
        });
        return Ok(Values::String(Texts::of_bytes(texts)));
    }
    macro_rules! set {
        ($($kind:ident),*) => {
            match values {
                $(Values::$kind(values) => {
                    let mut values = values.to_vec();
                    for (idx, (at, text)) in finals.iter().enumerate() {
                        match filled(text, ElementType::$kind, 1) {
                            Ok(Values::$kind(one)) => put(&mut values, *at, &one),
                            _ => return Err(idx),
                        }
                    }
                    Ok(Values::$kind(values.into()))
                })*
                Values::String(_) => Ok(values.clone()),
            }
        };
    }
    set!(
        Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64
    )
}

/// A literal as one value of `kind`, exactly.
///
/// # Errors
/// `Error::Range` if it is none.
pub fn one_as(literal: &Literal, kind: ElementType) -> Result<Values> {
    literal.repeated_as(kind, 1).or_else(|problem| {
        match parse_number(literal.text()).filter(|_| kind != ElementType::Bool) {
            Some(number) => Results::Floats(vec![number].into()).into_values(kind),
            None => Err(problem),
        }
    })
}

/// The values with `one` in the places for which `is_empty` says so.
///
/// # Errors
/// `Error::Range` if it is not of their type.
pub fn with_default(
    values: &Values,
    one: &Values,
    is_empty: impl Fn(usize) -> bool,
) -> Result<Values> {
    fn of<T: Plain>(values: &[T], one: &[T], is_empty: impl Fn(usize) -> bool) -> Buffer<T> {
        let one = one.first().copied();
        let new = |(at, &value): (usize, &T)| match one {
            Some(one) if is_empty(at) => one,
            _ => value,
        };
        values.iter().enumerate().map(new).collect()
    }
    macro_rules! join {
        ($($kind:ident),*) => {
            match (values, one) {
                $((Values::$kind(values), Values::$kind(one)) => {
                    Ok(Values::$kind(of(values, one, is_empty)))
                })*
                (Values::String(texts), Values::String(one)) => {
                    let texts = texts.iter_bytes().enumerate();
                    Ok(Values::String(Texts::of_bytes(texts.map(|(at, text)| {
                        if is_empty(at) { one.bytes(0) } else { text }
                    }))))
                }
                _ => Err(Error::range(format!(
                    "a default of type {} for values of type {}",
                    one.element_type(),
                    values.element_type()
                ))),
            }
        };
    }
    join!(
        Bool, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64
    )
}

/// A vector that keeps all its values.
pub fn of_vector(values: Values) -> Vector {
    Vector::Dense(values)
}

/// All values of a vector.
pub fn dense(vector: &Vector) -> Values {
    vector.to_dense()
}

/// All values as floats; none for texts.
pub fn floats(values: &Values) -> Option<Vec<f64>> {
    let numbers = numbers(values)?;
    numbers.floats()
}

/// One value as an array.
pub fn of_scalar(scalar: &Scalar) -> Values {
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
