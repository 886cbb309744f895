//! The names of what values belong to, and of dimensions.

use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_daf::model::Axis;
use axtile_daf::query::Entries;
use extendr_api::prelude::*;

use super::handle::Daf;
use super::kept::{Key, State};
use super::to_r::{Made, beyond_r, text_bytes};
use crate::altrep::character_vector;

/// All entries of an axis: for the same axis, the same vector of R's.
pub fn of_axis(daf: &Daf, name: &str, axis: &Arc<Axis>) -> Result<Robj> {
    let key = Key::Entries(name.to_owned());
    let state = State::Axis(Arc::clone(axis));
    if let Some(known) = daf.kept(&key, &state) {
        return Ok(known);
    }
    let vector = character_vector(axis.entries())?;
    daf.keep(key, state, &vector, text_bytes(axis.len()));
    Ok(vector)
}

/// The names of entries or groups.
pub fn of_entries(daf: &Daf, entries: &Entries) -> Result<Robj> {
    match entries {
        Entries::OfAxis {
            name,
            axis,
            picked: None,
        } => of_axis(daf, name, axis),
        _ => character_vector(&entries.texts()),
    }
}

/// Gives a vector its names.
pub fn set_names(made: &mut Made, names: Robj) -> Result<()> {
    set(&mut made.object, "names", names)
}

/// Makes a vector a matrix with names.
pub fn set_dimensions(
    made: &mut Made,
    [n_rows, n_columns]: [usize; 2],
    names: &Robj,
) -> Result<()> {
    let limit = |_| {
        let problem = format!("{n_rows} x {n_columns} is more than a matrix of R's can have");
        beyond_r(problem)
    };
    let dim = [
        i32::try_from(n_rows).map_err(limit)?,
        i32::try_from(n_columns).map_err(limit)?,
    ];
    set(&mut made.object, "dim", dim.as_slice().into())?;
    set(&mut made.object, "dimnames", names.clone())
}

/// The names of two dimensions.
pub fn pair(rows: Robj, columns: Robj) -> Robj {
    List::from_values([rows, columns]).into()
}

fn set(object: &mut Robj, attribute: &str, value: Robj) -> Result<()> {
    object
        .set_attrib(attribute, value)
        .map(|_| ())
        .map_err(|problem| Error::argument(problem.to_string()))
}
