//! Queries.

use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_daf::operations::Threads;
use axtile_daf::query::{Answer, Evaluated, Options, Query, escape_value, unescape_value};
use extendr_api::prelude::*;

use super::custom::Registered;
use super::handle::Daf;
use super::kept::{Key, State};
use super::to_r::{self, Made};
use super::{names, to_r_matrix};
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::tables;
use crate::watch::RWatch;

/// The query of the arguments, and what is registered.
fn parse(arguments: &Arguments) -> Result<(Query, Registered)> {
    let custom = Registered::of(arguments)?;
    let query = Query::parse(&arguments.text("query")?, &custom)?;
    Ok((query, custom))
}

fn options<'a>(
    arguments: &Arguments,
    custom: &'a Registered,
    watch: &'a RWatch,
) -> Result<Options<'a>> {
    Ok(Options {
        threads: Threads {
            n: arguments.n_threads()?.max(1),
            threshold: arguments.count("threshold")? as usize,
        },
        custom,
        watch,
    })
}

/// What the query of the arguments gives, from the cache if it is there.
fn evaluated(
    arguments: &Arguments,
    daf: &Daf,
    query: &Query,
    custom: &Registered,
) -> Result<Arc<Evaluated>> {
    let watch = RWatch::new();
    let options = options(arguments, custom, &watch)?;
    let registrations = arguments.count("registrations")?;
    watch.settle(daf.cache.evaluate(query, &options, registrations))
}

// What a query gives.
#[extendr]
fn rs_daf_query(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let (query, custom) = parse(&arguments)?;
        let result = evaluated(&arguments, &daf, &query, &custom)?;
        let key = Key::Query(query.text().to_owned());
        let state = State::Result(result.clone());
        let made = match &result.answer {
            Answer::Names(names) => {
                return tables::texts(names.iter().map(|name| Some(name.as_str())));
            }
            Answer::Scalar(value) => return to_r::scalar(value, true),
            Answer::Entries(entries) => return names::of_entries(&daf, entries),
            _ if let Some(known) = daf.kept(&key, &state) => return Ok(known),
            Answer::Vector { entries, values } => vector(&daf, entries, values)?,
            Answer::Matrix {
                rows,
                columns,
                values,
            } => {
                let pair = names::pair(
                    names::of_entries(&daf, rows)?,
                    names::of_entries(&daf, columns)?,
                );
                to_r_matrix::matrix(values, &pair)?
            }
        };
        daf.keep(key, state, &made.object, made.n_bytes);
        Ok(made.object)
    })
}

fn vector(
    daf: &Daf,
    entries: &axtile_daf::query::Entries,
    values: &axtile_daf::model::Vector,
) -> Result<Made> {
    let mut made = to_r::vector(&values.to_dense())?;
    names::set_names(&mut made, names::of_entries(daf, entries)?)?;
    Ok(made)
}

// Whether the store has all that a query looks up.
#[extendr]
fn rs_daf_has_query(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let (query, custom) = parse(&arguments)?;
        let watch = RWatch::new();
        let options = options(&arguments, &custom, &watch)?;
        let is_answered = query.is_answered_by(daf.store().as_ref(), &options);
        Ok(watch.settle(is_answered)?.into())
    })
}

// Whether a query looks up a matrix that is only stored the other way round.
#[extendr]
fn rs_daf_query_flips(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let (query, custom) = parse(&arguments)?;
        let result = evaluated(&arguments, &daf, &query, &custom)?;
        Ok(result.has_flipped.into())
    })
}

// What the text of a query says about it.
#[extendr]
fn rs_daf_query_info(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let (query, _) = parse(&arguments)?;
        // A piece of a query has no dimensions of its own.
        let n_dimensions = match arguments.flag("is_whole")? {
            true => i32::try_from(query.n_dimensions()?).ok(),
            false => None,
        };
        Ok(list!(
            canonical = query.canonical(),
            is_axis = query.is_axis(),
            axis = query.axis_name(),
            n_dimensions = n_dimensions
        )
        .into())
    })
}

// Values as queries write them, and back.
#[extendr]
fn rs_daf_query_values(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let values = arguments.texts("values")?;
        let changed: Vec<String> = match arguments.flag("escape")? {
            true => values.iter().map(|value| escape_value(value)).collect(),
            false => values.iter().map(|value| unescape_value(value)).collect(),
        };
        tables::texts(changed.iter().map(|value| Some(value.as_str())))
    })
}

// The names of the operations that need no registration.
#[extendr]
fn rs_daf_operations(kind: &str) -> Robj {
    use axtile_daf::operations::{Eltwise, Reduction};
    guard(|| {
        let names: &[&str] = match kind {
            "reduction" => &Reduction::NAMES,
            "eltwise" => &Eltwise::NAMES,
            _ => return Err(Error::argument("internal: no such kind of operations")),
        };
        tables::texts(names.iter().map(|&name| Some(name)))
    })
}

// Forgets results.
#[extendr]
fn rs_daf_empty_cache(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        if arguments.flag("query")? {
            daf.cache.clear_queries();
            daf.forget(|key| matches!(key, Key::Query(_)));
        }
        if arguments.flag("memory")? {
            daf.cache.clear_matrices();
        }
        if arguments.flag("mapped")? {
            daf.forget(|key| !matches!(key, Key::Query(_)));
        }
        Ok(().into())
    })
}

extendr_module! {
    mod query;
    fn rs_daf_query;
    fn rs_daf_has_query;
    fn rs_daf_query_flips;
    fn rs_daf_query_info;
    fn rs_daf_query_values;
    fn rs_daf_operations;
    fn rs_daf_empty_cache;
}
