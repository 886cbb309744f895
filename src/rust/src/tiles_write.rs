//! Tile datasets: writing and importing.

use std::path::PathBuf;

use axtile_core::{Error, Result};
use axtile_import::{Combined, GeneNames, ImportOptions, Join, Layer, Orientation};
use axtile_tiles::{CellSource, WriteOptions, work_of, write_dataset};
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::guard::guard;
use crate::matrix_source::MatrixSource;
use crate::registry;
use crate::tables;
use crate::watch::watched;

fn write_options(arguments: &Arguments, source_choices: String) -> Result<WriteOptions> {
    let max_files = arguments.count("sort_genes_max_files")?;
    Ok(WriteOptions {
        tile_size: arguments.count("tile_size")?,
        n_chunks: arguments.count("chunks")? as usize,
        level: arguments.number("level")? as i32,
        sort_genes: arguments.flag("sort_genes")?,
        sort_genes_max_files: (max_files > 0).then_some(max_files as usize),
        obs_tiles_per_file: arguments.count("obs_tiles_per_file")? as u32,
        source_choices,
        overwrite: arguments.flag("overwrite")?,
        resume: arguments.flag("resume")?,
        n_threads: arguments.n_threads()?,
    })
}

/// Writes what `source` holds; a progress function is first told the number of
/// units to come, as a negative number.
fn write(
    arguments: &Arguments,
    source: &mut dyn CellSource,
    source_choices: String,
) -> Result<Robj> {
    let options = write_options(arguments, source_choices)?;
    let target = arguments.path("target")?;
    // Some systems do not replace files that are mapped.
    registry::close(&target);
    let progress = arguments.get("progress");
    if let Some(show) = progress.as_function() {
        // A progress bar that fails is no reason to stop the work.
        let _ = show.call(pairlist!(-(work_of(source, &options) as f64)));
    }
    watched(&progress, |watch| {
        write_dataset(&target, source, &options, watch)
    })?;
    Ok(().into())
}

// Writes a dgCMatrix, genes x cells.
#[extendr]
fn rs_tiles_write(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let slot = |name: &str| Error::argument(format!("internal: slot {name}"));
        let (p, i, x) = (arguments.get("p"), arguments.get("i"), arguments.get("x"));
        let mut source = MatrixSource {
            path: arguments.path("name")?,
            starts: p.as_integer_slice().ok_or_else(|| slot("p"))?,
            genes: i.as_integer_slice().ok_or_else(|| slot("i"))?,
            values: x.as_real_slice().ok_or_else(|| slot("x"))?,
            gene_names: arguments.texts("gene_names")?,
            cell_names: match arguments.is_null("cell_names") {
                true => None,
                false => Some(arguments.texts("cell_names")?),
            },
            var: tables::from_r(&arguments.get("var"))?,
            obs: tables::from_r(&arguments.get("obs"))?,
        };
        source.check()?;
        write(&arguments, &mut source, String::new())
    })
}

// Imports files.
#[extendr]
fn rs_tiles_convert(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let options = ImportOptions {
            layer: match arguments.text("layer")?.as_str() {
                "X" => Layer::X,
                "raw" => Layer::Raw,
                // The long form reaches layers of these two names.
                name => Layer::Named(name.strip_prefix("layers/").unwrap_or(name).to_owned()),
            },
            gene_names: match arguments.text("gene_names")?.as_str() {
                "id" => GeneNames::Id,
                "symbol" => GeneNames::Symbol,
                _ => return Err(Arguments::wrong("gene_names")),
            },
            genome: match arguments.is_null("genome") {
                true => None,
                false => Some(arguments.text("genome")?),
            },
            obs_exclude: arguments.texts("obs_exclude")?,
            var_exclude: arguments.texts("var_exclude")?,
            orientation: match arguments.text("orientation")?.as_str() {
                "cells_by_genes" => Orientation::CellsByGenes,
                "genes_by_cells" => Orientation::GenesByCells,
                _ => return Err(Arguments::wrong("orientation")),
            },
            spill_bytes: None,
        };
        let join = match arguments.text("join")?.as_str() {
            "union" => Join::Union,
            "intersection" => Join::Intersection,
            "exact" => Join::Exact,
            _ => return Err(Arguments::wrong("join")),
        };
        let choices = format!("{options:?} {join:?}");
        let paths: Vec<PathBuf> = arguments
            .texts("source")?
            .into_iter()
            .map(PathBuf::from)
            .collect();
        let mut sources = paths
            .iter()
            .map(|path| axtile_import::open(path, &options))
            .collect::<Result<Vec<_>>>()?;
        if sources.len() == 1
            && let Some(mut source) = sources.pop()
        {
            return write(&arguments, source.as_mut(), choices);
        }
        write(&arguments, &mut Combined::new(sources, join)?, choices)
    })
}

// Imported paths: patterns expanded, in natural order.
#[extendr]
fn rs_expand_paths(patterns: Robj) -> Robj {
    guard(|| {
        let patterns: Vec<String> = patterns.as_string_vector().unwrap_or_default();
        let paths = axtile_import::expand_paths(&patterns, true)?;
        let texts: Vec<String> = paths
            .iter()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        tables::texts(texts.iter().map(|path| Some(path.as_str())))
    })
}

extendr_module! {
    mod tiles_write;
    fn rs_tiles_write;
    fn rs_tiles_convert;
    fn rs_expand_paths;
}
