//! Values as vectors of R's.
//!
//! | element type | R |
//! |---|---|
//! | Bool | logical |
//! | 8- to 32-bit integers | integer; double where one of the values is beyond R's integers |
//! | Int64, UInt64 | integer64, where the package bit64 is installed; double elsewhere |
//! | Float32, Float64 | double |
//! | String | character |

use std::sync::atomic::{AtomicBool, Ordering};

use axtile_core::{Error, Result};
use axtile_daf::model::{Buffer, Plain, Scalar, Values};
use axtile_store::PrivateMap;
use extendr_api::prelude::*;

use crate::altrep::{character_vector, integer_vector, real_vector};
use crate::fresh::{Fresh, fresh_doubles, fresh_integers, fresh_logicals};

/// Fewer bytes are copied sooner than mapped once more.
const MIN_MAPPED: usize = 16 << 10;

/// An object of R's.
pub struct Made {
    /// The object, which nobody else has yet.
    pub object: Robj,
    /// Bytes of memory that it takes.
    pub n_bytes: usize,
}

/// More than R can hold.
pub fn beyond_r(problem: impl Into<String>) -> Error {
    Error::Limit {
        path: Default::default(),
        problem: problem.into(),
    }
}

/// Whether R has a class of 64-bit integers.
static HAS_INTEGER64: AtomicBool = AtomicBool::new(false);

/// Says whether R has the class integer64, of the package bit64.
pub fn set_integer64(has: bool) {
    HAS_INTEGER64.store(has, Ordering::Relaxed);
}

/// What an object takes besides its values.
pub const OVERHEAD: usize = 256;

impl Made {
    /// An object whose values are in a file.
    pub fn mapped(object: Robj) -> Made {
        Made {
            object,
            n_bytes: OVERHEAD,
        }
    }

    fn fresh<T>(vector: &Fresh<T>, n: usize) -> Made {
        Made {
            object: vector.robj().clone(),
            n_bytes: n * size_of::<T>() + OVERHEAD,
        }
    }
}

/// The values as a vector without names.
///
/// # Errors
/// `Error::Limit` for a value that R cannot hold, or if there is no memory;
/// `Error::Argument` for a text with a zero byte.
pub fn vector(values: &Values) -> Result<Made> {
    match values {
        Values::Bool(truths) => {
            let mut vector = fresh_logicals(truths.len())?;
            fill(vector.elements(), truths, i32::from);
            Ok(Made::fresh(&vector, truths.len()))
        }
        Values::Int8(numbers) => integers(numbers, i32::from),
        Values::Int16(numbers) => integers(numbers, i32::from),
        Values::UInt8(numbers) => integers(numbers, i32::from),
        Values::UInt16(numbers) => integers(numbers, i32::from),
        Values::Int32(numbers) if has(numbers, |number| number == i32::MIN) => {
            doubles(numbers, f64::from)
        }
        Values::Int32(numbers) => match private_map(numbers) {
            Some(map) => Ok(Made::mapped(integer_vector(map)?)),
            None => integers(numbers, |number| number),
        },
        Values::UInt32(numbers) if has(numbers, |number| number > i32::MAX as u32) => {
            doubles(numbers, f64::from)
        }
        Values::UInt32(numbers) => integers(numbers, |number| number as i32),
        Values::Int64(_) | Values::UInt64(_) if !HAS_INTEGER64.load(Ordering::Relaxed) => {
            exact_doubles(values)
        }
        Values::Int64(numbers) => {
            if has(numbers, |number| number == i64::MIN) {
                return Err(beyond_integer64(&i64::MIN));
            }
            integer64(doubles(numbers, |number| f64::from_bits(number as u64))?)
        }
        Values::UInt64(numbers) => {
            let is_beyond = |&&number: &&u64| number > i64::MAX as u64;
            if let Some(number) = numbers.iter().find(is_beyond) {
                return Err(beyond_integer64(number));
            }
            integer64(doubles(numbers, f64::from_bits)?)
        }
        Values::Float32(numbers) => doubles(numbers, f64::from),
        Values::Float64(numbers) => match private_map(numbers) {
            Some(map) => Ok(Made::mapped(real_vector(map)?)),
            None => doubles(numbers, |number| number),
        },
        Values::String(texts) => Ok(Made {
            object: character_vector(texts)?,
            n_bytes: text_bytes(texts.len()),
        }),
    }
}

/// About what a character vector takes once all its elements were looked at.
pub fn text_bytes(n: usize) -> usize {
    n.saturating_mul(64) + OVERHEAD
}

/// One value. Whole numbers of 64 bits are integers of R's where they can be
/// and `is_result`.
///
/// # Errors
/// As [`vector`].
pub fn scalar(value: &Scalar, is_result: bool) -> Result<Robj> {
    if is_result
        && let Some(number) = value.as_integer().and_then(|wide| i32::try_from(wide).ok())
        && number != i32::MIN
    {
        return Ok(number.into());
    }
    Ok(vector(&Values::from(value))?.object)
}

/// Numbers as doubles, each of them exactly.
///
/// # Errors
/// `Error::Limit` for a whole number that is no double, or if there is no
/// memory; `Error::Argument` for texts.
pub fn exact_doubles(values: &Values) -> Result<Made> {
    match values {
        Values::Bool(truths) => doubles(truths, f64::from),
        Values::Int8(numbers) => doubles(numbers, f64::from),
        Values::Int16(numbers) => doubles(numbers, f64::from),
        Values::Int32(numbers) => doubles(numbers, f64::from),
        Values::UInt8(numbers) => doubles(numbers, f64::from),
        Values::UInt16(numbers) => doubles(numbers, f64::from),
        Values::UInt32(numbers) => doubles(numbers, f64::from),
        Values::Int64(numbers) => {
            let is_inexact = |&&number: &&i64| number as f64 as i128 != i128::from(number);
            match numbers.iter().find(is_inexact) {
                Some(number) => Err(no_double(number)),
                None => doubles(numbers, |number| number as f64),
            }
        }
        Values::UInt64(numbers) => {
            let is_inexact = |&&number: &&u64| number as f64 as u128 != u128::from(number);
            match numbers.iter().find(is_inexact) {
                Some(number) => Err(no_double(number)),
                None => doubles(numbers, |number| number as f64),
            }
        }
        Values::Float32(_) | Values::Float64(_) => vector(values),
        Values::String(_) => Err(Error::argument("internal: texts are no numbers")),
    }
}

fn no_double(number: &dyn std::fmt::Display) -> Error {
    beyond_r(format!(
        "the value {number} is no double, and R has no other number for it here; vectors and \
             dense matrices are integer64 if the package bit64 is installed"
    ))
}

fn beyond_integer64(number: &dyn std::fmt::Display) -> Error {
    beyond_r(format!(
        "the value {number} is outside of what an integer64 of R holds, \
             -9223372036854775807 to 9223372036854775807"
    ))
}

fn integer64(mut made: Made) -> Result<Made> {
    made.object
        .set_class(["integer64"])
        .map_err(|problem| Error::argument(problem.to_string()))?;
    Ok(made)
}

/// Whether one of the values is such. Whole blocks are looked at, which
/// compilers do many at a time.
fn has<T: Copy>(values: &[T], is_such: impl Fn(T) -> bool) -> bool {
    values.chunks(4096).any(|block| {
        block
            .iter()
            .fold(false, |found, &value| found | is_such(value))
    })
}

fn fill<T: Copy, U>(elements: &mut [U], values: &[T], convert: impl Fn(T) -> U) {
    for (element, &value) in elements.iter_mut().zip(values) {
        *element = convert(value);
    }
}

fn integers<T: Plain>(numbers: &[T], convert: impl Fn(T) -> i32) -> Result<Made> {
    let mut vector = fresh_integers(numbers.len())?;
    fill(vector.elements(), numbers, convert);
    Ok(Made::fresh(&vector, numbers.len()))
}

fn doubles<T: Plain>(numbers: &[T], convert: impl Fn(T) -> f64) -> Result<Made> {
    let mut vector = fresh_doubles(numbers.len())?;
    fill(vector.elements(), numbers, convert);
    Ok(Made::fresh(&vector, numbers.len()))
}

/// A map of the same part of the same file that R may write to, if there is
/// one and it is worth it.
fn private_map<T: Plain>(numbers: &Buffer<T>) -> Option<PrivateMap> {
    if cfg!(target_endian = "big") || size_of_val(&**numbers) < MIN_MAPPED {
        return None;
    }
    let (map, range) = numbers.place()?;
    PrivateMap::of_map(map, range, size_of::<T>() as u64)
}
