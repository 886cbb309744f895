//! Opening stores, and stores made of others.

use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_daf::model::{Reader, Writer};
use axtile_daf::{
    FilesDaf, MemoryDaf, OpenMode, ZarrDaf, chain_reader, chain_writer, complete_chain,
    complete_daf, complete_path, complete_writer, read_only, viewer,
};
use axtile_tiles_daf::TilesDaf;
use extendr_api::prelude::*;

use super::handle::{self, Daf};
use super::{to_r, view};
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::tables;

/// The argument `name`; none for NULL.
fn name(arguments: &Arguments) -> Result<Option<String>> {
    match arguments.is_null("name") {
        true => Ok(None),
        false => arguments.text("name").map(Some),
    }
}

fn cache_bytes(arguments: &Arguments) -> Result<usize> {
    Ok((arguments.number("cache_mb")?.max(0.0) * 1e6) as usize)
}

fn reader(arguments: &Arguments, store: Arc<dyn Reader>) -> Result<Robj> {
    handle::reader(store, cache_bytes(arguments)?)
}

fn writer(arguments: &Arguments, store: Arc<dyn Writer>) -> Result<Robj> {
    handle::writer(store, cache_bytes(arguments)?)
}

// Whether R has the class integer64.
#[extendr]
fn rs_daf_integer64(has: bool) -> Robj {
    guard(|| {
        to_r::set_integer64(has);
        Ok(().into())
    })
}

// A store in memory.
#[extendr]
fn rs_daf_memory(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        writer(
            &arguments,
            Arc::new(MemoryDaf::new(arguments.text("name")?)),
        )
    })
}

// A store in a folder of files, or of Zarr arrays.
#[extendr]
fn rs_daf_open(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let path = arguments.path("path")?;
        let mode: OpenMode = arguments.text("mode")?.parse()?;
        let name = name(&arguments)?;
        let opened: Result<Arc<dyn Writer>> = match arguments.text("format")?.as_str() {
            "files" => {
                FilesDaf::open(&path, mode, name.as_deref()).map(|store| Arc::new(store) as _)
            }
            "zarr" => ZarrDaf::open(&path, mode, name.as_deref()).map(|store| Arc::new(store) as _),
            _ => return Err(Arguments::wrong("format")),
        };
        let store = opened.map_err(|problem| match problem {
            Error::Exists { path } => Error::Existing {
                problem: format!(
                    "'{}' exists already; the mode \"w+\" replaces it",
                    path.display()
                ),
            },
            other => other,
        })?;
        match mode {
            OpenMode::Read => reader(&arguments, store),
            _ => writer(&arguments, store),
        }
    })
}

// A tile dataset.
#[extendr]
fn rs_daf_tiles(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let name = name(&arguments)?;
        let store = TilesDaf::new(
            arguments.dataset()?,
            name.as_deref(),
            arguments.cache_root()?,
            arguments.n_threads()?,
        )?;
        let cache_bytes = (arguments.number("daf_cache_mb")?.max(0.0) * 1e6) as usize;
        handle::reader(Arc::new(store), cache_bytes)
    })
}

// Several stores as one.
#[extendr]
fn rs_daf_chain(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let name = name(&arguments)?;
        let dafs = Daf::all_of(&arguments)?;
        let stores = |dafs: &[Daf]| dafs.iter().map(|daf| Arc::clone(daf.store())).collect();
        if !arguments.flag("writable")? {
            return reader(&arguments, chain_reader(stores(&dafs), name.as_deref())?);
        }
        let (last, earlier) = dafs
            .split_last()
            .ok_or_else(|| Error::argument("empty chain"))?;
        let last = Arc::clone(last.writer()?);
        let chain = chain_writer(stores(earlier), last, name.as_deref())?;
        writer(&arguments, chain)
    })
}

// A store and one before it, which it remembers.
#[extendr]
fn rs_daf_complete_chain(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dafs = Daf::all_of(&arguments)?;
        let [base, new] = dafs.as_slice() else {
            return Err(Arguments::wrong("dafs"));
        };
        let chain = complete_chain(
            Arc::clone(base.store()),
            Arc::clone(new.writer()?),
            view::spec(&arguments)?,
            arguments.flag("absolute")?,
            name(&arguments)?.as_deref(),
        )?;
        writer(&arguments, chain)
    })
}

// A store with all that it remembers to be before it.
#[extendr]
fn rs_daf_complete(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let path = arguments.path("path")?;
        let name = name(&arguments)?;
        match arguments.text("mode")?.parse()? {
            OpenMode::Update => writer(&arguments, complete_writer(&path, name.as_deref())?),
            mode => reader(&arguments, complete_daf(&path, mode, name.as_deref())?),
        }
    })
}

// The paths of a store and all before it.
#[extendr]
fn rs_daf_complete_path(arguments: Robj) -> Robj {
    guard(|| {
        let daf = Daf::of(&Arguments::new(&arguments)?)?;
        let paths: Vec<String> = complete_path(daf.store().as_ref())?
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        tables::texts(paths.iter().map(|path| Some(path.as_str())))
    })
}

// Another look at a store.
#[extendr]
fn rs_daf_viewer(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let spec = view::spec(&arguments)?.unwrap_or_default();
        let name = name(&arguments)?;
        let view = viewer(Arc::clone(daf.store()), name.as_deref(), spec)?;
        reader(&arguments, view)
    })
}

// A store to read only.
#[extendr]
fn rs_daf_read_only(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let daf = Daf::of(&arguments)?;
        let name = name(&arguments)?;
        let store = Arc::clone(daf.store());
        reader(&arguments, read_only(store, name.as_deref()))
    })
}

// Puts a store right whose change of order was interrupted.
#[extendr]
fn rs_daf_reset_reorder(path: &str) -> Robj {
    guard(|| {
        FilesDaf::reset_reorder(path.as_ref())?;
        Ok(().into())
    })
}

extendr_module! {
    mod stores;
    fn rs_daf_integer64;
    fn rs_daf_memory;
    fn rs_daf_open;
    fn rs_daf_tiles;
    fn rs_daf_chain;
    fn rs_daf_complete_chain;
    fn rs_daf_complete;
    fn rs_daf_complete_path;
    fn rs_daf_viewer;
    fn rs_daf_read_only;
    fn rs_daf_reset_reorder;
}
