//! Mapped vectors and matrices.

use axtile_core::{Error, Result, Watch};
use axtile_mapped::{MappedMatrix, MatrixParts, write_matrix};
use axtile_store::PrivateMap;
use extendr_api::prelude::*;

use crate::altrep::{integer_vector, logical_vector, real_vector};
use crate::arguments::Arguments;
use crate::fresh::fresh_integers;
use crate::guard::guard;
use crate::r_api::sparse_matrix;
use crate::tables;
use crate::watch::watched;

// A vector over a range of a file.
#[extendr]
fn rs_mapped_vector(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let kind = arguments.text("type")?;
        let (width, vector): (u64, fn(PrivateMap) -> Result<Robj>) = match kind.as_str() {
            "integer" => (4, integer_vector),
            "double" => (8, real_vector),
            "logical" => (4, logical_vector),
            _ => return Err(Arguments::wrong("type")),
        };
        let n = match arguments.is_null("length") {
            true => None,
            false => Some(arguments.count("length")?.saturating_mul(width)),
        };
        let path = arguments.path("path")?;
        let map = PrivateMap::open(&path, arguments.count("offset")?, n, width)?;
        vector(map)
    })
}

// A mapped matrix and its names.
#[extendr]
fn rs_mapped_open(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let matrix = MappedMatrix::open(&arguments.path("path")?)?;
        if arguments.flag("verify")? {
            let verify = |watch: &dyn Watch| matrix.verify(watch);
            watched(&arguments.get("progress"), verify)?;
        }
        to_r(matrix)
    })
}

/// A dgCMatrix of mapped slots, and its names.
pub fn to_r(matrix: MappedMatrix) -> Result<Robj> {
    let names = |names: Option<&[String]>| match names {
        Some(names) => tables::texts(names.iter().map(|name| Some(name.as_str()))),
        None => Ok(().into()),
    };
    let row_names = names(matrix.row_names.as_deref())?;
    let column_names = names(matrix.column_names.as_deref())?;
    let header = &matrix.header;
    let dimnames_names = names(header.dimnames_names.as_ref().map(|names| names.as_slice()))?;
    let (n_rows, n_columns) = (header.n_rows as usize, header.n_columns as usize);
    let mut starts = fresh_integers(matrix.starts.len())?;
    starts.elements().copy_from_slice(&matrix.starts);
    let rows = integer_vector(matrix.rows)?;
    let values = real_vector(matrix.values)?;
    let object = sparse_matrix(starts.robj(), &rows, &values, n_rows, n_columns)?;
    Ok(list!(
        matrix = object,
        row_names = row_names,
        column_names = column_names,
        dimnames_names = dimnames_names
    )
    .into())
}

// Writes a dgCMatrix.
#[extendr]
fn rs_mapped_write(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let slot = |name: &str| Error::argument(format!("internal: slot {name}"));
        let names = |name: &str| match arguments.is_null(name) {
            true => Ok(None),
            false => arguments.texts(name).map(Some),
        };
        let (p, i, x) = (arguments.get("p"), arguments.get("i"), arguments.get("x"));
        let row_names = names("row_names")?;
        let column_names = names("column_names")?;
        let dimnames_names = match names("dimnames_names")? {
            Some(names) => Some(
                <[String; 2]>::try_from(names).map_err(|_| Arguments::wrong("dimnames_names"))?,
            ),
            None => None,
        };
        let matrix = MatrixParts {
            n_rows: arguments.count("n_rows")? as usize,
            starts: p.as_integer_slice().ok_or_else(|| slot("p"))?,
            rows: i.as_integer_slice().ok_or_else(|| slot("i"))?,
            values: x.as_real_slice().ok_or_else(|| slot("x"))?,
            row_names: row_names.as_deref(),
            column_names: column_names.as_deref(),
            dimnames_names: dimnames_names.as_ref(),
            source: None,
        };
        if matrix.starts.len() as u64 != arguments.count("n_columns")? + 1 {
            return Err(Error::argument(
                "not a valid dgCMatrix: slot p does not fit Dim",
            ));
        }
        let target = arguments.path("path")?;
        let overwrite = arguments.flag("overwrite")?;
        watched(&arguments.get("progress"), |watch| {
            write_matrix(&target, &matrix, overwrite, watch)
        })?;
        Ok(().into())
    })
}

extendr_module! {
    mod mapped;
    fn rs_mapped_vector;
    fn rs_mapped_open;
    fn rs_mapped_write;
}
