//! Comparisons of values with one value.

use std::cmp::Ordering;

use axtile_core::{Error, Result};
use regex::bytes::Regex;

use super::literal::truth;
use crate::model::{Texts, Values};
use crate::operations::{Numbers, parse_number};

/// How to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparator {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `=`
    #[default]
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
    /// `~`
    Match,
    /// `!~`
    NotMatch,
}

impl Comparator {
    /// The operator as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Comparator::Less => "<",
            Comparator::LessEqual => "<=",
            Comparator::Equal => "=",
            Comparator::NotEqual => "!=",
            Comparator::GreaterEqual => ">=",
            Comparator::Greater => ">",
            Comparator::Match => "~",
            Comparator::NotMatch => "!~",
        }
    }

    /// Whether it is `=`.
    pub fn is_equal(self) -> bool {
        self == Comparator::Equal
    }

    /// Whether the value is a regular expression.
    pub fn is_match(self) -> bool {
        matches!(self, Comparator::Match | Comparator::NotMatch)
    }

    /// Whether values in this order to the other value (none for NaN) pass.
    fn passes(self, order: Option<Ordering>) -> bool {
        match self {
            Comparator::Less => order == Some(Ordering::Less),
            Comparator::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Comparator::Equal | Comparator::Match => order == Some(Ordering::Equal),
            Comparator::NotEqual | Comparator::NotMatch => order != Some(Ordering::Equal),
            Comparator::GreaterEqual => {
                matches!(order, Some(Ordering::Greater | Ordering::Equal))
            }
            Comparator::Greater => order == Some(Ordering::Greater),
        }
    }
}

/// The regular expression of a pattern; what is wrong if it is none.
pub fn pattern(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|problem| match problem {
        regex::Error::CompiledTooBig(limit) => {
            format!("the regular expression needs more than {limit} bytes")
        }
        _ => format!("'{pattern}' is no regular expression (look-around and back-references are not supported)"),
    })
}

/// Which of `numbers` pass, as bytes of 0 and 1.
///
/// # Errors
/// `Error::Argument` if `value` is no number, or the comparison is for texts.
pub fn numbers_that_pass(numbers: &Numbers<'_>, how: Comparator, value: &str) -> Result<Vec<u8>> {
    if how.is_match() {
        return Err(Error::argument(format!(
            "'{}' is for texts; the values are {}",
            how.sign(),
            numbers.kind()
        )));
    }
    let wrong = || {
        Error::argument(format!(
            "'{value}' is no {}, which the values are",
            numbers.kind()
        ))
    };
    Ok(match numbers {
        Numbers::Bool(values) => {
            let other = truth(value).ok_or_else(wrong)?;
            let of = [false, true].map(|one| u8::from(how.passes(Some(one.cmp(&other)))));
            values
                .iter()
                .map(|&one| of[usize::from(one != 0)])
                .collect()
        }
        Numbers::AllTrue(n) => {
            let other = truth(value).ok_or_else(wrong)?;
            vec![u8::from(how.passes(Some(true.cmp(&other)))); *n]
        }
        Numbers::Float32(values) => {
            let other = parse_number(value).ok_or_else(wrong)? as f32;
            passing(values, how, |one| one.partial_cmp(&other))
        }
        Numbers::Float64(values) => {
            let other = parse_number(value).ok_or_else(wrong)?;
            passing(values, how, |one| one.partial_cmp(&other))
        }
        Numbers::Int8(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
        Numbers::Int16(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
        Numbers::Int32(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
        Numbers::Int64(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
        Numbers::UInt8(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
        Numbers::UInt16(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
        Numbers::UInt32(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
        Numbers::UInt64(values) => whole(values, how, Other::parse(value).ok_or_else(wrong)?),
    })
}

/// What whole numbers are compared with.
#[derive(Clone, Copy)]
enum Other {
    Whole(i128),
    /// Not whole, or beyond all 64-bit numbers.
    Float(f64),
}

impl Other {
    fn parse(text: &str) -> Option<Other> {
        if let Ok(whole) = text.parse() {
            return Some(Other::Whole(whole));
        }
        let float = parse_number(text)?;
        Some(match float.fract() == 0.0 && float.abs() < 1e30 {
            true => Other::Whole(float as i128),
            false => Other::Float(float),
        })
    }
}

fn whole<T: Copy + Into<i128>>(values: &[T], how: Comparator, other: Other) -> Vec<u8> {
    match other {
        Other::Whole(other) => passing(values, how, |&one| Some(one.into().cmp(&other))),
        // Floats that are not whole are small enough to compare exactly.
        Other::Float(other) => passing(values, how, |&one| (one.into() as f64).partial_cmp(&other)),
    }
}

fn passing<T>(values: &[T], how: Comparator, order: impl Fn(&T) -> Option<Ordering>) -> Vec<u8> {
    match how {
        Comparator::Less => collect(values, |one| order(one) == Some(Ordering::Less)),
        Comparator::Greater => collect(values, |one| order(one) == Some(Ordering::Greater)),
        Comparator::Equal => collect(values, |one| order(one) == Some(Ordering::Equal)),
        _ => collect(values, |one| how.passes(order(one))),
    }
}

fn collect<T>(values: &[T], passes: impl Fn(&T) -> bool) -> Vec<u8> {
    values.iter().map(|one| u8::from(passes(one))).collect()
}

/// Which of `texts` pass, as bytes of 0 and 1.
///
/// # Errors
/// `Error::Argument` for a pattern that is none.
pub fn texts_that_pass(texts: &Texts, how: Comparator, value: &str) -> Result<Vec<u8>> {
    if how.is_match() {
        let regex = pattern(value).map_err(Error::argument)?;
        let wanted = how == Comparator::Match;
        return Ok(texts
            .iter_bytes()
            .map(|text| u8::from(regex.is_match(text) == wanted))
            .collect());
    }
    let value = value.as_bytes();
    Ok(texts
        .iter_bytes()
        .map(|text| u8::from(how.passes(Some(text.cmp(value)))))
        .collect())
}

/// Which of `values` count as true by themselves: truths that are, numbers
/// other than 0 and NaN, texts that are not empty.
pub fn truthy(values: &Values, numbers: Option<&Numbers<'_>>) -> Result<Vec<u8>> {
    if let Values::String(texts) = values {
        return Ok(texts
            .iter_bytes()
            .map(|text| u8::from(!text.is_empty()))
            .collect());
    }
    match numbers {
        Some(Numbers::Bool(values)) => Ok(values.iter().map(|&one| u8::from(one != 0)).collect()),
        Some(Numbers::Float64(values)) => Ok(values
            .iter()
            .map(|&one| u8::from(one != 0.0 && !one.is_nan()))
            .collect()),
        Some(Numbers::Float32(values)) => Ok(values
            .iter()
            .map(|&one| u8::from(one != 0.0 && !one.is_nan()))
            .collect()),
        Some(numbers) => numbers_that_pass(numbers, Comparator::NotEqual, "0"),
        None => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_compare_exactly() {
        let values = [i64::MAX - 1, i64::MAX];
        let pass = |how, value| numbers_that_pass(&Numbers::Int64(&values), how, value).unwrap();
        assert_eq!(pass(Comparator::Greater, "9223372036854775806"), [0, 1]);
        assert_eq!(pass(Comparator::Less, "1e300"), [1, 1]);
        assert_eq!(pass(Comparator::Greater, "60.5"), [1, 1]);
        assert_eq!(pass(Comparator::Equal, "nan"), [0, 0]);
        assert_eq!(pass(Comparator::NotEqual, "nan"), [1, 1]);
        let small = Numbers::Float32(&[0.1, f32::NAN]);
        assert_eq!(
            numbers_that_pass(&small, Comparator::Equal, "0.1").unwrap(),
            [1, 0]
        );
        assert!(numbers_that_pass(&small, Comparator::Equal, "x").is_err());
        assert!(numbers_that_pass(&small, Comparator::Match, "0").is_err());
    }

    #[test]
    fn truths_have_many_names() {
        let flags = Numbers::Bool(&[0, 1]);
        for one in ["1", "true"] {
            assert_eq!(
                numbers_that_pass(&flags, Comparator::Equal, one).unwrap(),
                [0, 1]
            );
        }
        assert_eq!(
            numbers_that_pass(&flags, Comparator::Less, "true").unwrap(),
            [1, 0]
        );
        assert!(numbers_that_pass(&flags, Comparator::Equal, "2").is_err());
    }

    #[test]
    fn patterns_are_not_anchored() {
        let texts: Texts = ["AB1", "xAB", "b"].into_iter().collect();
        assert_eq!(
            texts_that_pass(&texts, Comparator::Match, "AB").unwrap(),
            [1, 1, 0]
        );
        assert_eq!(
            texts_that_pass(&texts, Comparator::NotMatch, "^AB").unwrap(),
            [0, 1, 1]
        );
        assert!(pattern("(?=x)").is_err());
        assert!(pattern(&"(a{1000}){1000}".repeat(9)).is_err());
    }
}
