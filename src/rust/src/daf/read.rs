//! What is in a store.

use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_daf::describe;
use axtile_daf::model::{Dependency, Matrix, Reader, Stamp, StreamedMatrix, missing_entry};
use extendr_api::prelude::*;

use super::handle::Daf;
use super::kept::{Key, State};
use super::{names, to_r, to_r_matrix};
use crate::altrep::character_vector;
use crate::arguments::Arguments;
use crate::fresh::fresh_integers;
use crate::guard::guard;
use crate::tables;
use crate::watch::watched;

// Name, kind, path, and whether it can be written.
#[extendr]
fn rs_daf_info(arguments: Robj) -> Robj {
    guard(|| {
        let daf = Daf::of(&Arguments::new(&arguments)?)?;
        let path = daf
            .store()
            .path()
            .map(|path| path.to_string_lossy().into_owned());
        Ok(list!(
            name = daf.store().name(),
            kind = daf.store().kind(),
            path = path,
            is_writable = daf.is_writable()
        )
        .into())
    })
}

// All that it holds, as text.
#[extendr]
fn rs_daf_describe(arguments: Robj) -> Robj {
    guard(|| {
        let daf = Daf::of(&Arguments::new(&arguments)?)?;
        let text = describe(daf.store().as_ref())?;
        tables::texts([Some(text.as_str())].into_iter())
    })
}

/// What a question is about.
enum Thing {
    Scalar,
    Axis,
    Vector,
    Matrix,
}

impl Thing {
    fn of(arguments: &Arguments) -> Result<Thing> {
        match arguments.text("what")?.as_str() {
            "scalar" => Ok(Thing::Scalar),
            "axis" => Ok(Thing::Axis),
            "vector" => Ok(Thing::Vector),
            "matrix" => Ok(Thing::Matrix),
            _ => Err(Arguments::wrong("what")),
        }
    }
}

// The names of all scalars, axes, vectors or matrices.
#[extendr]
fn rs_daf_names(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let (store, axis) = (daf.store(), || arguments.text("axis"));
        let names = match Thing::of(&arguments)? {
            Thing::Scalar => store.scalar_names()?,
            Thing::Axis => store.axis_names()?,
            Thing::Vector => store.vector_names(&axis()?)?,
            Thing::Matrix => {
                let columns = arguments.text("columns")?;
                match arguments.flag("relayout")? {
                    true => store.matrix_names(&axis()?, &columns)?,
                    false => store.stored_matrix_names(&axis()?, &columns)?,
                }
            }
        };
        tables::texts(names.iter().map(|name| Some(name.as_str())))
    })
}

// Whether there is such a thing.
#[extendr]
fn rs_daf_has(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let (store, name) = (daf.store(), arguments.text("name")?);
        let axis = || arguments.text("axis");
        let has = match Thing::of(&arguments)? {
            Thing::Scalar => store.has_scalar(&name)?,
            Thing::Axis => store.has_axis(&name)?,
            Thing::Vector => store.has_vector(&axis()?, &name)?,
            Thing::Matrix => {
                let (rows, columns) = (axis()?, arguments.text("columns")?);
                let either_way = store.has_matrix(&rows, &columns, &name)?;
                match arguments.flag("relayout")? {
                    true => either_way,
                    false => store.has_stored_matrix(&rows, &columns, &name)?,
                }
            }
        };
        Ok(has.into())
    })
}

// How often a thing was set, or an axis deleted.
#[extendr]
fn rs_daf_version(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let (store, name) = (daf.store(), arguments.text("name")?);
        let axis = || arguments.text("axis");
        let version = match Thing::of(&arguments)? {
            Thing::Scalar => return Err(Arguments::wrong("what")),
            Thing::Axis => store.axis_version(&name),
            Thing::Vector => store.vector_version(&axis()?, &name),
            Thing::Matrix => store.matrix_version(&axis()?, &arguments.text("columns")?, &name),
        };
        Ok((version as f64).into())
    })
}

// The entries of an axis; NULL if it is missing and may be.
#[extendr]
fn rs_daf_entries(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let axis = arguments.text("axis")?;
        if arguments.flag("optional")? && !daf.store().has_axis(&axis)? {
            return Ok(().into());
        }
        let entries = daf.store().axis(&axis)?;
        names::of_axis(&daf, &axis, &entries)
    })
}

// How many entries an axis has.
#[extendr]
fn rs_daf_axis_length(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let n = Daf::of(&arguments)?
            .store()
            .axis(&arguments.text("axis")?)?
            .len();
        Ok(i32::try_from(n).map_or_else(|_| Robj::from(n as f64), Robj::from))
    })
}

// The entries at some positions, counted from 1; those up to 0 are of the
// empty entry.
#[extendr]
fn rs_daf_entries_at(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let name = arguments.text("axis")?;
        let axis = daf.store().axis(&name)?;
        let allow_empty = arguments.flag("allow_empty")?;
        let wanted = arguments.get("indices");
        let wanted = wanted
            .as_real_slice()
            .ok_or_else(|| Arguments::wrong("indices"))?;
        let position = |&at: &f64| {
            if at < 1.0 && allow_empty {
                return Ok(usize::MAX);
            }
            if at >= 1.0 && at <= axis.len() as f64 {
                return Ok(at as usize - 1);
            }
            Err(Error::range(format!(
                "the index: {at} is none of the {} entries of the axis: {name} in the daf data: {}",
                axis.len(),
                daf.store().name()
            )))
        };
        let positions = wanted.iter().map(position).collect::<Result<Vec<_>>>()?;
        character_vector(&axis.entries().take(positions))
    })
}

// The positions of some entries, counted from 1; 0 for what is none.
#[extendr]
fn rs_daf_positions_of(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let name = arguments.text("axis")?;
        let axis = daf.store().axis(&name)?;
        let allow_empty = arguments.flag("allow_empty")?;
        let allow_missing = arguments.flag("allow_missing")?;
        let entries = super::from_r::texts(&arguments.get("entries"), "entries")?;
        let mut positions = fresh_integers(entries.len())?;
        for (place, entry) in positions.elements().iter_mut().zip(entries.iter()) {
            *place = match axis.position(entry) {
                Some(at) => {
                    i32::try_from(at + 1).map_err(|_| to_r::beyond_r("a position beyond 2^31"))?
                }
                None if allow_missing || (allow_empty && entry.is_empty()) => 0,
                None => return Err(missing_entry(daf.store().name(), &name, entry)),
            };
        }
        Ok(positions.robj().clone())
    })
}

// A scalar; NULL if it is missing and may be.
#[extendr]
fn rs_daf_scalar(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let name = arguments.text("name")?;
        if arguments.flag("optional")? && !daf.store().has_scalar(&name)? {
            return Ok(().into());
        }
        to_r::scalar(&daf.store().scalar(&name)?, false)
    })
}

fn stamp<const N: usize>(store: &dyn Reader, of: [Dependency; N]) -> Result<State> {
    let stamps = of
        .iter()
        .map(|one| store.stamp(one))
        .collect::<Result<Vec<Stamp>>>()?;
    Ok(State::Stamp(Stamp::of_all(stamps)))
}

// A vector; NULL if it is missing and may be.
#[extendr]
fn rs_daf_vector(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let store = daf.store().as_ref();
        let (axis, name) = (arguments.text("axis")?, arguments.text("name")?);
        let named = arguments.flag("named")?;
        if arguments.flag("optional")? && !store.has_vector(&axis, &name)? {
            return Ok(().into());
        }
        let state = stamp(
            store,
            [
                Dependency::Axis(axis.clone()),
                Dependency::Vector(axis.clone(), name.clone()),
            ],
        )?;
        let key = Key::Vector(axis.clone(), name.clone(), named);
        if let Some(known) = daf.kept(&key, &state) {
            return Ok(known);
        }
        let values = store.vector(&axis, &name)?;
        let mut made = to_r::vector(&values.to_dense())?;
        if named {
            let entries = store.axis(&axis)?;
            names::set_names(&mut made, names::of_axis(&daf, &axis, &entries)?)?;
        }
        daf.keep(key, state, &made.object, made.n_bytes);
        Ok(made.object)
    })
}

/// The matrix if it is one that is read run by run, so that the user can interrupt
/// that.
fn streamed(
    arguments: &Arguments,
    store: &dyn Reader,
    [rows, columns, name]: [&str; 3],
) -> Result<Option<Matrix>> {
    let n_threads = arguments.n_threads()?;
    let read = |streamed: Arc<dyn StreamedMatrix>| {
        watched(&().into(), |watch| {
            streamed.read(None, None, n_threads, watch)
        })
    };
    if let Some(found) = store.find_streamed(rows, columns, name)? {
        return read(found).map(Some);
    }
    if rows == columns || store.has_stored_matrix(rows, columns, name)? {
        return Ok(None);
    }
    match store.find_streamed(columns, rows, name)? {
        Some(found) => Ok(Some(read(found)?.transposed())),
        None => Ok(None),
    }
}

// A matrix; NULL if it is missing and may be.
#[extendr]
fn rs_daf_matrix(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let store = daf.store().as_ref();
        let (rows, columns) = (arguments.text("axis")?, arguments.text("columns")?);
        let name = arguments.text("name")?;
        if arguments.flag("optional")? && !store.has_matrix(&rows, &columns, &name)? {
            return Ok(().into());
        }
        let of = |rows: &str, columns: &str| {
            Dependency::Matrix(rows.to_owned(), columns.to_owned(), name.clone())
        };
        let state = stamp(
            store,
            [
                Dependency::Axis(rows.clone()),
                Dependency::Axis(columns.clone()),
                of(&rows, &columns),
                of(&columns, &rows),
            ],
        )?;
        let key = Key::Matrix(rows.clone(), columns.clone(), name.clone());
        if let Some(known) = daf.kept(&key, &state) {
            return Ok(known);
        }
        let values = match streamed(&arguments, store, [&rows, &columns, &name])? {
            Some(values) => values,
            None => daf.cache.matrix(&rows, &columns, &name)?,
        };
        let names = names::pair(
            names::of_axis(&daf, &rows, &store.axis(&rows)?)?,
            names::of_axis(&daf, &columns, &store.axis(&columns)?)?,
        );
        let made = to_r_matrix::matrix(&values, &names)?;
        daf.keep(key, state, &made.object, made.n_bytes);
        Ok(made.object)
    })
}

extendr_module! {
    mod read;
    fn rs_daf_info;
    fn rs_daf_describe;
    fn rs_daf_names;
    fn rs_daf_has;
    fn rs_daf_version;
    fn rs_daf_entries;
    fn rs_daf_axis_length;
    fn rs_daf_entries_at;
    fn rs_daf_positions_of;
    fn rs_daf_scalar;
    fn rs_daf_vector;
    fn rs_daf_matrix;
}
