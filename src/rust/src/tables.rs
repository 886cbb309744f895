//! Columns of obs and var tables as R vectors, and back.
//!
//! | column | R |
//! |---|---|
//! | category | factor, ordered where it was |
//! | 8- to 32-bit integer, but unsigned 32-bit | integer; double where a value is -2^31, R's NA |
//! | unsigned 32-bit, 64-bit integer | double; character where a value is beyond 2^53 |
//! | floating point | double, missing is NA |
//! | bool | logical |
//! | text | character |

use axtile_core::{Error, Result};
use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};
use extendr_api::prelude::*;

/// Beyond this, not every whole number is a double.
const MAX_EXACT: i128 = 1 << 53;

/// A named list of vectors. The attribute `as_text` names the columns whose
/// integers only text can hold.
pub fn to_r(table: &Table) -> Result<Robj> {
    let mut as_text = Vec::new();
    let mut vectors = Vec::with_capacity(table.columns.len());
    for (field, column) in table.fields.iter().zip(&table.columns) {
        let vector = match (column, &field.kind) {
            (Column::Category(codes), Kind::Category { levels, ordered }) => {
                factor(codes, levels, *ordered)?
            }
            (Column::Integer { values, missing }, Kind::Integer(kind)) => {
                let values = values.iter().map(|&value| widen(value, *kind));
                let is_missing = |row: usize| missing.as_ref().is_some_and(|rows| rows[row]);
                integers(values, is_missing, *kind, || {
                    as_text.push(field.name.as_str())
                })?
            }
            (Column::Real(values), _) => {
                let na = f64::na();
                let known = |&value: &f64| if value.is_nan() { na } else { value };
                Robj::from(values.iter().map(known).collect::<Vec<f64>>())
            }
            (Column::Bool { values, missing }, _) => {
                let logical = |(row, &value): (usize, &bool)| {
                    if missing.as_ref().is_some_and(|rows| rows[row]) {
                        Rbool::na()
                    } else {
                        Rbool::from(value)
                    }
                };
                Robj::from(values.iter().enumerate().map(logical).collect::<Logicals>())
            }
            (Column::Text(values), _) => texts(values.iter().map(Option::as_deref))?,
            _ => {
                return Err(Error::argument(format!(
                    "column '{}' is not of the type it is said to be",
                    field.name
                )));
            }
        };
        vectors.push(vector);
    }
    let mut list = Robj::from(List::from_values(vectors));
    let names = texts(table.fields.iter().map(|field| Some(field.name.as_str())))?;
    list.set_attrib("names", names).map_err(r_failed)?;
    let attribute = texts(as_text.into_iter().map(Some))?;
    list.set_attrib("as_text", attribute).map_err(r_failed)?;
    Ok(list)
}

/// A column's type as users read it.
pub fn type_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Category { ordered: true, .. } => "ordered factor",
        Kind::Category { .. } => "factor",
        Kind::Integer(kind) => kind.name(),
        Kind::Real(kind) => kind.name(),
        Kind::Bool => "logical",
        Kind::Text => "character",
    }
}

/// The number that an integer column's 64 bits stand for.
fn widen(value: i64, kind: IntegerType) -> i128 {
    match kind {
        IntegerType::U64 => i128::from(value as u64),
        _ => i128::from(value),
    }
}

fn integers(
    values: impl ExactSizeIterator<Item = i128> + Clone,
    is_missing: impl Fn(usize) -> bool,
    kind: IntegerType,
    note_text: impl FnOnce(),
) -> Result<Robj> {
    let is_wide = matches!(kind, IntegerType::I64 | IntegerType::U64 | IntegerType::U32);
    let rows = values.enumerate();
    let known = rows.clone().filter(|&(row, _)| !is_missing(row));
    let mut magnitudes = known.map(|(_, value)| value.abs());
    if magnitudes.clone().any(|magnitude| magnitude > MAX_EXACT) {
        note_text();
        let text: Vec<Option<String>> = rows
            .map(|(row, value)| (!is_missing(row)).then(|| value.to_string()))
            .collect();
        return texts(text.iter().map(Option::as_deref));
    }
    if is_wide || magnitudes.any(|magnitude| magnitude > i128::from(i32::MAX)) {
        let na = f64::na();
        let double = |(row, value)| if is_missing(row) { na } else { value as f64 };
        return Ok(Robj::from(rows.map(double).collect::<Vec<f64>>()));
    }
    let integer = |(row, value)| {
        if is_missing(row) {
            i32::MIN
        } else {
            value as i32
        }
    };
    Ok(Robj::from(rows.map(integer).collect::<Vec<i32>>()))
}

fn factor(codes: &[i32], levels: &[String], ordered: bool) -> Result<Robj> {
    let code = |&code: &i32| if code < 0 { i32::MIN } else { code + 1 };
    let mut factor = Robj::from(codes.iter().map(code).collect::<Vec<i32>>());
    let levels = texts(levels.iter().map(|level| Some(level.as_str())))?;
    factor.set_attrib("levels", levels).map_err(r_failed)?;
    let class: &[&str] = if ordered {
        &["ordered", "factor"]
    } else {
        &["factor"]
    };
    factor.set_class(class).map_err(r_failed)?;
    Ok(factor)
}

/// A character vector; `None` is NA.
///
/// # Errors
/// `Error::Argument` for a text with a zero byte, which R cannot hold.
pub fn texts<'a>(values: impl ExactSizeIterator<Item = Option<&'a str>> + Clone) -> Result<Robj> {
    if let Some(text) = values.clone().flatten().find(|text| text.contains('\0')) {
        return Err(Error::argument(format!(
            "the text {text:?} holds a zero byte, which no text in R can"
        )));
    }
    let values = values.map(|value| value.unwrap_or(<&str>::na()));
    Ok(Strings::from_values(values).into())
}

fn r_failed(problem: extendr_api::Error) -> Error {
    Error::argument(problem.to_string())
}

/// The columns of a data frame, checked by R to be of types that there are.
///
/// # Errors
/// `Error::Argument` for a column of another type.
pub fn from_r(columns: &Robj) -> Result<Table> {
    let list = columns
        .as_list()
        .ok_or_else(|| Error::argument("expected a list of columns"))?;
    let mut table = Table::default();
    for (name, vector) in list.iter() {
        let (kind, column) = column_from_r(name, &vector)?;
        table.n_rows = column.len();
        table.fields.push(Field {
            name: name.to_owned(),
            kind,
        });
        table.columns.push(column);
    }
    Ok(table)
}

fn column_from_r(name: &str, vector: &Robj) -> Result<(Kind, Column)> {
    let wrong = || {
        Error::argument(format!(
            "column '{name}' is of a type that cannot be stored"
        ))
    };
    if vector.inherits("factor") {
        let codes = vector.as_integer_slice().ok_or_else(wrong)?;
        let levels = vector.get_attrib("levels").ok_or_else(wrong)?;
        let levels = levels.as_str_vector().ok_or_else(wrong)?;
        let n_levels = levels.len();
        let is_code = |&code: &i32| {
            code == i32::MIN
                || usize::try_from(code).is_ok_and(|code| (1..=n_levels).contains(&code))
        };
        if !codes.iter().all(is_code) {
            return Err(Error::argument(format!(
                "column '{name}' is a factor with codes beyond its {n_levels} levels"
            )));
        }
        let code = |&code: &i32| if code == i32::MIN { -1 } else { code - 1 };
        let kind = Kind::Category {
            levels: levels.into_iter().map(str::to_owned).collect(),
            ordered: vector.inherits("ordered"),
        };
        return Ok((kind, Column::Category(codes.iter().map(code).collect())));
    }
    if let Some(values) = vector.as_logical_slice() {
        let is_missing: Vec<bool> = values.iter().map(|value| value.is_na()).collect();
        let column = Column::Bool {
            values: values.iter().map(|value| value.is_true()).collect(),
            missing: is_missing.contains(&true).then_some(is_missing),
        };
        return Ok((Kind::Bool, column));
    }
    if let Some(values) = vector.as_integer_slice() {
        let is_missing: Vec<bool> = values.iter().map(|&value| value == i32::MIN).collect();
        let known = |&value: &i32| if value == i32::MIN { 0 } else { value.into() };
        let column = Column::Integer {
            values: values.iter().map(known).collect(),
            missing: is_missing.contains(&true).then_some(is_missing),
        };
        return Ok((Kind::Integer(IntegerType::I32), column));
    }
    if let Some(values) = vector.as_real_slice() {
        return Ok((Kind::Real(RealType::F64), Column::Real(values.to_vec())));
    }
    let strings = Strings::try_from(vector.clone()).map_err(|_| wrong())?;
    let text = |value: &Rstr| (!value.is_na()).then(|| value.as_ref().to_owned());
    Ok((Kind::Text, Column::Text(strings.iter().map(text).collect())))
}
