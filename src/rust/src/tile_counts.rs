//! Sums over compact matrices of integer counts, whose slots R's own functions
//! would first turn into doubles.

use axtile_core::{Error, Result};
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::fresh::fresh_doubles;
use crate::guard::guard;

// Sums of the rows or of the columns, as doubles: exact, since fewer than 2^31
// counts below 2^31 add up to less than 2^62, and rounded once.
#[extendr]
fn rs_counts_sums(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (p, i, x) = (arguments.get("p"), arguments.get("i"), arguments.get("x"));
        let slot = |name: &str| Error::argument(format!("not a valid TileCounts: slot {name}"));
        let starts = p.as_integer_slice().ok_or_else(|| slot("p"))?;
        let rows = i.as_integer_slice().ok_or_else(|| slot("i"))?;
        let counts = x.as_integer_slice().ok_or_else(|| slot("x"))?;
        if counts.len() != rows.len() {
            return Err(slot("x"));
        }
        let sums = if arguments.flag("by_row")? {
            row_sums(rows, counts, arguments.count("n_rows")? as usize).ok_or_else(|| slot("i"))
        } else {
            column_sums(starts, counts).ok_or_else(|| slot("p"))
        }?;
        to_r(&sums)
    })
}

/// `None` for a row that there is not.
fn row_sums(rows: &[i32], counts: &[i32], n_rows: usize) -> Option<Vec<i64>> {
    let mut sums = vec![0i64; n_rows];
    for (&row, &count) in rows.iter().zip(counts) {
        *sums.get_mut(usize::try_from(row).ok()?)? += i64::from(count);
    }
    Some(sums)
}

/// `None` if a column ends before it starts, or beyond the last count.
fn column_sums(starts: &[i32], counts: &[i32]) -> Option<Vec<i64>> {
    let sum = |bounds: &[i32]| {
        let (from, to) = (bounds.first()?, bounds.last()?);
        let range = usize::try_from(*from).ok()?..usize::try_from(*to).ok()?;
        let counts = counts.get(range)?.iter();
        Some(counts.map(|&count| i64::from(count)).sum())
    };
    starts.windows(2).map(sum).collect()
}

fn to_r(sums: &[i64]) -> Result<Robj> {
    let mut vector = fresh_doubles(sums.len())?;
    for (out, &sum) in vector.elements().iter_mut().zip(sums) {
        *out = sum as f64;
    }
    Ok(vector.robj().clone())
}

extendr_module! {
    mod tile_counts;
    fn rs_counts_sums;
}
