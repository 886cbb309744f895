//! Vectors and matrices of R's as values. What the formats cannot hold, above
//! all missing values, is refused, never changed.

use std::ffi::c_void;

use axtile_core::{Error, Result};
use axtile_daf::model::{
    DenseMatrix, Indices, Matrix, Scalar, SparseMatrix, SparseVector, Texts, Values, Vector,
};
use extendr_api::prelude::*;
use extendr_ffi::{LENGTH, R_CHAR, R_NaString, Rf_xlength, SEXP, STRING_ELT, STRING_PTR_RO};

use crate::arguments::Arguments;
use crate::r_api::run_r;

fn missing(what: &str, at: usize) -> Error {
    Error::argument(format!(
        "element {} of `{what}` is NA: a DAF has no missing values",
        at + 1
    ))
}

/// A vector, without its attributes.
///
/// # Errors
/// `Error::Argument` for a missing value, text that is no UTF-8, and what is
/// no vector of values; `what` is what the user calls it.
pub fn values(value: &Robj, what: &str) -> Result<Values> {
    match value.rtype() {
        Rtype::Logicals => {
            let truths = value.as_logical_slice().unwrap_or_default();
            if let Some(at) = truths.iter().position(|truth| truth.is_na()) {
                return Err(missing(what, at));
            }
            Ok(truths
                .iter()
                .map(|truth| truth.is_true())
                .collect::<Vec<bool>>()
                .into())
        }
        Rtype::Integers => {
            let numbers = value.as_integer_slice().unwrap_or_default();
            if let Some(at) = numbers.iter().position(|&number| number == i32::MIN) {
                return Err(missing(what, at));
            }
            Ok(numbers.to_vec().into())
        }
        Rtype::Doubles if value.inherits("integer64") => {
            let numbers = value.as_real_slice().unwrap_or_default();
            let numbers: Vec<i64> = numbers.iter().map(|bits| bits.to_bits() as i64).collect();
            if let Some(at) = numbers.iter().position(|&number| number == i64::MIN) {
                return Err(missing(what, at));
            }
            Ok(numbers.into())
        }
        Rtype::Doubles => {
            let numbers = value.as_real_slice().unwrap_or_default();
            // NaN, which is a number to the formats, is not NA.
            if let Some(at) = numbers.iter().position(|number| number.is_na()) {
                return Err(missing(what, at));
            }
            Ok(numbers.to_vec().into())
        }
        Rtype::Raw => Ok(value.as_raw_slice().unwrap_or_default().to_vec().into()),
        Rtype::Strings => Ok(texts(value, what)?.into()),
        _ => Err(Error::argument(format!(
            "`{what}` must be logical, integer, integer64, double, raw, character or a factor"
        ))),
    }
}

/// A single value.
///
/// # Errors
/// As [`values`]; `Error::Argument` if it is not a single one.
pub fn scalar(value: &Robj, what: &str) -> Result<Scalar> {
    let all = values(value, what)?;
    match (all.len(), all.get(0)) {
        (1, Some(scalar)) => Ok(scalar),
        (n, _) => Err(Error::argument(format!(
            "`{what}` must be a single value, not {n}"
        ))),
    }
}

/// A character vector.
///
/// # Errors
/// As [`values`].
pub fn texts(value: &Robj, what: &str) -> Result<Texts> {
    unsafe extern "C" fn materialise(data: *mut c_void) {
        // SAFETY: `data` is the vector below; on R's thread, where R's jumps
        // are caught.
        unsafe { STRING_PTR_RO(*data.cast::<SEXP>()) };
    }
    if value.rtype() != Rtype::Strings {
        return Err(Arguments::wrong(what));
    }
    // SAFETY: `value` is a character vector, protected while it is borrowed.
    // After `materialise`, looking at its elements runs no code of R's.
    unsafe {
        let mut vector = value.get();
        if !run_r(materialise, &mut vector) {
            return Err(Error::argument(format!("R cannot give all of `{what}`")));
        }
        let n = Rf_xlength(vector) as usize;
        let mut texts: Vec<&str> = Vec::with_capacity(n);
        for at in 0..n {
            let element = STRING_ELT(vector, at as _);
            if element == R_NaString {
                return Err(missing(what, at));
            }
            let start = R_CHAR(element).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LENGTH(element) as usize);
            let text = std::str::from_utf8(bytes).map_err(|_| {
                Error::argument(format!("element {} of `{what}` is no valid UTF-8", at + 1))
            })?;
            texts.push(text);
        }
        Ok(texts.into_iter().collect())
    }
}

/// The vector of the argument `values`: all values, or the kept ones at the
/// argument `indices` of a sparse one of the argument `length`.
///
/// # Errors
/// As [`values`].
pub fn vector(arguments: &Arguments, what: &str) -> Result<Vector> {
    let values = values(&arguments.get("values"), what)?;
    if arguments.is_null("length") {
        return Ok(values.into());
    }
    let len = arguments.count("length")? as usize;
    let positions = arguments.indices("indices")?.unwrap_or_default();
    let positions = positions.into_iter().map(|at| at as usize);
    // One that is too large becomes a position that is refused.
    let indices = Indices::from_positions(positions.map(|at| at.min(len)), len);
    SparseVector::new(len, indices, values)
        .map(Vector::Sparse)
        .map_err(|problem| {
            Error::argument(format!("`{what}` is no valid sparse vector: {problem}"))
        })
}

/// The matrix of the arguments `n_rows`, `n_columns` and `values`: all values,
/// or the kept ones of a sparse one with the slots `p` and `i`.
///
/// # Errors
/// As [`values`]; `Error::Argument` for slots that contradict each other.
pub fn matrix(arguments: &Arguments, what: &str) -> Result<Matrix> {
    let (n_rows, n_columns) = (
        arguments.count("n_rows")? as usize,
        arguments.count("n_columns")? as usize,
    );
    let values = values(&arguments.get("values"), what)?;
    let wrong =
        |problem: String| Error::argument(format!("`{what}` is no valid matrix: {problem}"));
    if arguments.is_null("p") {
        return DenseMatrix::new(n_rows, n_columns, values)
            .map(Matrix::Dense)
            .map_err(wrong);
    }
    let (p, i) = (arguments.get("p"), arguments.get("i"));
    let (p, i) = (
        p.as_integer_slice().ok_or_else(|| Arguments::wrong("p"))?,
        i.as_integer_slice().ok_or_else(|| Arguments::wrong("i"))?,
    );
    let size = n_rows.max(n_columns).max(i.len() + 1);
    // What is negative becomes a position that is refused.
    let position = |&at: &i32| usize::try_from(at).map_or(size, |at| at.min(size));
    let indices = |positions: &[i32]| Indices::from_positions(positions.iter().map(position), size);
    SparseMatrix::new(n_rows, n_columns, indices(p), indices(i), values)
        .map(Matrix::Sparse)
        .map_err(wrong)
}
