//! Columns of data frames.

use axtile_core::{Error, Result};
use axtile_mef::time::NO_TIME;
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::tables;

/// Whole numbers up to here are doubles of R's exactly: as microseconds, until
/// the year 2255.
const MAX_EXACT: i64 = 1 << 53;

/// Whole numbers as doubles; `unknown` is NA.
///
/// # Errors
/// `Error::Range` for one that no double is.
pub fn numbers(
    what: &str,
    values: impl IntoIterator<Item = i64>,
    unknown: Option<i64>,
) -> Result<Robj> {
    let number = |value: i64| {
        if Some(value) == unknown {
            return Ok(f64::na());
        }
        if value.unsigned_abs() > MAX_EXACT.unsigned_abs() {
            return Err(Error::range(format!(
                "{what} is {value}, which is beyond the whole numbers that R has exactly"
            )));
        }
        Ok(value as f64)
    };
    let numbers: Vec<f64> = values.into_iter().map(number).collect::<Result<_>>()?;
    Ok(numbers.into())
}

/// Times, microseconds since 1970.
///
/// # Errors
/// As [`numbers`].
pub fn times(what: &str, values: impl IntoIterator<Item = i64>) -> Result<Robj> {
    numbers(what, values, Some(NO_TIME))
}

/// Real numbers, of which `unknown` and NaN are NA.
pub fn reals(values: impl IntoIterator<Item = f64>, unknown: Option<f64>) -> Robj {
    let known = |value: f64| {
        if value.is_nan() || Some(value) == unknown {
            f64::na()
        } else {
            value
        }
    };
    values.into_iter().map(known).collect::<Vec<f64>>().into()
}

/// Texts.
///
/// # Errors
/// `Error::Argument` for one with a zero byte.
pub fn texts<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Robj> {
    let values: Vec<Option<&str>> = values.into_iter().map(Some).collect();
    tables::texts(values.into_iter())
}

/// Texts, some of them missing.
pub fn some_texts<'a>(values: impl IntoIterator<Item = Option<&'a str>>) -> Result<Robj> {
    let values: Vec<Option<&str>> = values.into_iter().collect();
    tables::texts(values.into_iter())
}

/// A time, or another whole number, that R hands over as a double.
pub fn whole(arguments: &Arguments, name: &str) -> Result<i64> {
    let number = arguments.number(name)?;
    if number.fract() == 0.0 && number.abs() <= MAX_EXACT as f64 {
        Ok(number as i64)
    } else {
        Err(Arguments::wrong(name))
    }
}

/// Whole numbers that R hands over as doubles; NA is `missing`.
pub fn all_whole(arguments: &Arguments, name: &str, missing: i64) -> Result<Vec<i64>> {
    let value = arguments.get(name);
    let numbers = value
        .as_real_slice()
        .ok_or_else(|| Arguments::wrong(name))?;
    let whole = |&number: &f64| {
        if number.is_nan() {
            Ok(missing)
        } else if number.fract() == 0.0 && number.abs() <= MAX_EXACT as f64 {
            Ok(number as i64)
        } else {
            Err(Arguments::wrong(name))
        }
    };
    numbers.iter().map(whole).collect()
}

/// A list with names.
pub fn named(values: Vec<(&str, Robj)>) -> Robj {
    List::from_pairs(values).into()
}
