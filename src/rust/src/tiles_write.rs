//! Tile datasets: writing and importing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_import::{Combined, GeneNames, ImportOptions, Join, Layer, Orientation};
use axtile_tiles::{
    AppendOptions, CellSource, Dataset, DatasetFormat, DatasetSource, DecodedCache, GeneOrder,
    LayerKind, WriteOptions, append_dataset, append_work_of, is_dataset, work_of, write_dataset,
};
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::guard::guard;
use crate::matrix_source::{MatrixLayer, MatrixSource, smallest_kind};
use crate::registry;
use crate::tables;
use crate::watch::watched;

/// Cells a tile where neither the user nor the source says.
const TILE_SIZE: u64 = 10_000;

fn write_options(
    arguments: &Arguments,
    source: &dyn CellSource,
    source_choices: String,
) -> Result<WriteOptions> {
    let max_files = arguments.count("sort_genes_max_files")?;
    let own_size = || {
        let dataset = source.dataset();
        dataset.map_or(TILE_SIZE, |dataset| dataset.manifest().tile_size)
    };
    Ok(WriteOptions {
        format: match arguments.text("format")?.as_str() {
            "axtile" => DatasetFormat::Axtile {
                n_clusters: arguments.count("clusters")? as usize,
            },
            "deltacells" => DatasetFormat::Deltacells {
                n_chunks: arguments.count("chunks")? as usize,
                level: arguments.number("level")? as i32,
            },
            _ => return Err(Arguments::wrong("format")),
        },
        tile_size: match arguments.is_null("tile_size") {
            true => own_size(),
            false => arguments.count("tile_size")?,
        },
        sort_genes: arguments.flag("sort_genes")?,
        sort_genes_max_files: (max_files > 0).then_some(max_files as usize),
        obs_tiles_per_file: arguments.count("obs_tiles_per_file")? as u32,
        source_choices,
        overwrite: arguments.flag("overwrite")?,
        resume: arguments.flag("resume")?,
        n_threads: arguments.n_threads()?,
    })
}

/// Tells a progress function the number of units to come, as a negative number.
fn announce(progress: &Robj, work: u64) {
    if let Some(show) = progress.as_function() {
        // A progress bar that fails is no reason to stop the work.
        let _ = show.call(pairlist!(-(work as f64)));
    }
}

/// Writes what `source` holds.
fn write(
    arguments: &Arguments,
    source: &mut dyn CellSource,
    source_choices: String,
) -> Result<Robj> {
    let options = write_options(arguments, source, source_choices)?;
    let target = arguments.path("target")?;
    // Some systems do not replace files that are mapped.
    registry::close(&target);
    let progress = arguments.get("progress");
    announce(&progress, work_of(source, &options));
    watched(&progress, |watch| {
        write_dataset(&target, source, &options, watch)
    })?;
    Ok(().into())
}

/// Appends what `source` holds.
fn append(arguments: &Arguments, source: &mut dyn CellSource) -> Result<Robj> {
    let options = AppendOptions {
        obs_tiles_per_file: arguments.count("obs_tiles_per_file")? as u32,
        n_threads: arguments.n_threads()?,
    };
    let target = arguments.path("target")?;
    let progress = arguments.get("progress");
    announce(&progress, append_work_of(source));
    watched(&progress, |watch| {
        append_dataset(&target, source, &options, watch)
    })?;
    Ok(().into())
}

/// Hands the matrices of the arguments to `body` as a source. Layers of which R
/// does not say what their values are have the kind that `known` has for their
/// name, or the smallest that holds them.
fn with_matrices(
    arguments: &Arguments,
    known: impl Fn(&str) -> Option<LayerKind>,
    body: impl FnOnce(&mut dyn CellSource) -> Result<Robj>,
) -> Result<Robj> {
    let wrong = || Arguments::wrong("layers");
    let list = arguments.get("layers").as_list().ok_or_else(wrong)?;
    let slots = list
        .iter()
        .map(|(name, layer)| {
            let layer = Arguments::new(&layer)?;
            let slot = |slot: &str| layer.get(slot);
            let kind = match layer.is_null("kind") {
                true => known(name),
                false => Some(kind_of(&layer.text("kind")?)?),
            };
            Ok((name.to_owned(), kind, slot("p"), slot("i"), slot("x")))
        })
        .collect::<Result<Vec<_>>>()?;
    let layers = slots.iter().map(|(name, kind, p, i, x)| {
        let values = x.as_real_slice().ok_or_else(wrong)?;
        Ok(MatrixLayer {
            name: name.clone(),
            kind: kind.unwrap_or_else(|| smallest_kind(values)),
            starts: p.as_integer_slice().ok_or_else(wrong)?,
            genes: i.as_integer_slice().ok_or_else(wrong)?,
            values,
        })
    });
    let mut source = MatrixSource {
        path: arguments.path("name")?,
        layers: layers.collect::<Result<_>>()?,
        gene_names: arguments.texts("gene_names")?,
        cell_names: match arguments.is_null("cell_names") {
            true => None,
            false => Some(arguments.texts("cell_names")?),
        },
        var: tables::from_r(&arguments.get("var"))?,
        obs: tables::from_r(&arguments.get("obs"))?,
    };
    source.check()?;
    body(&mut source)
}

fn kind_of(name: &str) -> Result<LayerKind> {
    LayerKind::from_name(name).ok_or_else(|| Arguments::wrong("kinds"))
}

/// The dataset in `folder` as a source.
fn dataset_source(folder: &Path, gene_order: GeneOrder) -> Result<DatasetSource> {
    let no_cache = Arc::new(DecodedCache::new(0));
    DatasetSource::new(Arc::new(Dataset::open(folder, gene_order, no_cache)?))
}

// Writes dgCMatrices, genes x cells.
#[extendr]
fn rs_tiles_write(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        with_matrices(
            &arguments,
            |_| None,
            |source| write(&arguments, source, String::new()),
        )
    })
}

// Appends dgCMatrices, genes x cells, or the dataset `source`.
#[extendr]
fn rs_tiles_append(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        if arguments.is_null("source") {
            let no_cache = Arc::new(DecodedCache::new(0));
            let target = arguments.path("target")?;
            let target = Dataset::open(&target, GeneOrder::Source, no_cache)?;
            let layers = &target.manifest().layers;
            let known = |name: &str| Some(layers.iter().find(|layer| layer.name == name)?.kind);
            return with_matrices(&arguments, known, |source| append(&arguments, source));
        }
        let mut source = dataset_source(&arguments.path("source")?, GeneOrder::Source)?;
        append(&arguments, &mut source)
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
            kind: kind_of(&arguments.text("kind")?)?,
            layers: arguments
                .texts("layers")?
                .into_iter()
                .zip(arguments.texts("layer_kinds")?)
                .map(|(name, kind)| Ok((name, kind_of(&kind)?)))
                .collect::<Result<_>>()?,
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
        let gene_order = arguments.gene_order()?;
        let open = |path: &PathBuf| -> Result<Box<dyn CellSource>> {
            if !is_dataset(path) {
                return axtile_import::open(path, &options);
            }
            if format!("{options:?}") != format!("{:?}", ImportOptions::default()) {
                return Err(Error::argument(format!(
                    "'{}' is a tile dataset: it is taken as it is, without a choice of layer, \
                     kinds, gene names, genome, orientation or columns",
                    path.display()
                )));
            }
            Ok(Box::new(dataset_source(path, gene_order)?))
        };
        let mut sources = paths.iter().map(open).collect::<Result<Vec<_>>>()?;
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
    fn rs_tiles_append;
    fn rs_tiles_convert;
    fn rs_expand_paths;
}
