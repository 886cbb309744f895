//! Tile datasets: opening and reading.

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_table::Field;
use axtile_tiles::{Cells, Dataset, Format, Layer, Selection};
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::fresh::{fresh_doubles, fresh_integers};
use crate::guard::guard;
use crate::pool;
use crate::r_api::sparse_matrix;
use crate::registry;
use crate::tables;
use crate::watch::watched;

/// R's vectors of this kind hold no more elements with integer indices.
const MAX_NNZ: usize = i32::MAX as usize;

// What the manifest says.
#[extendr]
fn rs_tiles_open(arguments: Robj) -> Robj {
    guard(|| {
        let dataset = Arguments::new(&arguments)?.dataset()?;
        let manifest = dataset.manifest();
        let layers = &manifest.layers;
        let total = |of: fn(&Layer) -> &Vec<u64>| -> Vec<f64> {
            (0..manifest.n_tiles())
                .map(|tile| layers.iter().map(|layer| of(layer)[tile] as f64).sum())
                .collect()
        };
        let (tile_nnz, tile_bytes) = (
            total(|layer| &layer.tile_nnz),
            total(|layer| &layer.tile_bytes),
        );
        let obs_bytes = manifest
            .obs_parts
            .iter()
            .flat_map(|part| &part.section.shard_bytes)
            .map(|&bytes| bytes as f64)
            .sum::<f64>();
        let (format, level, n_chunks) = match manifest.format {
            Format::Deltacells {
                n_chunks,
                zstd_level,
            } => ("deltacells 1", zstd_level as f64, n_chunks as f64),
            Format::Axtile => ("axtile 1", f64::na(), f64::na()),
        };
        let names = layers.iter().map(|layer| Some(layer.name.as_str()));
        let kinds = layers.iter().map(|layer| Some(layer.kind.name()));
        let of_layers = |of: fn(&Layer) -> u64| -> Vec<f64> {
            layers.iter().map(|layer| of(layer) as f64).collect()
        };
        let doubles = |values: &[u64]| values.iter().map(|&value| value as f64).collect::<Vec<_>>();
        Ok(list!(
            path = dataset.folder().to_string_lossy().into_owned(),
            identity = dataset.identity(),
            format = format,
            n_genes = manifest.n_genes as i32,
            n_cells = manifest.n_cells as f64,
            n_tiles = manifest.n_tiles() as i32,
            tile_size = manifest.tile_size as f64,
            nnz = manifest.nnz() as f64,
            tile_bytes = tile_bytes.iter().sum::<f64>(),
            obs_bytes = match manifest.obs_parts.is_empty() {
                true => f64::na(),
                false => obs_bytes,
            },
            level = level,
            n_chunks = n_chunks,
            has_gene_order = manifest.gene_order.is_there(),
            layers = list!(
                name = tables::texts(names)?,
                kind = tables::texts(kinds)?,
                nnz = of_layers(Layer::nnz),
                bytes = of_layers(Layer::n_bytes)
            ),
            tiles = list!(
                n_cells = doubles(&manifest.tile_cells),
                nnz = tile_nnz,
                bytes = tile_bytes
            )
        )
        .into())
    })
}

// Frees what the open dataset holds.
#[extendr]
fn rs_tiles_close(path: Robj) -> Robj {
    guard(|| {
        let path = path
            .as_str()
            .ok_or_else(|| Error::argument("internal: a path"))?;
        registry::close(Path::new(path));
        pool::clear();
        Ok(().into())
    })
}

// Names of the genes, or NULL.
#[extendr]
fn rs_tiles_gene_names(arguments: Robj) -> Robj {
    guard(|| {
        let dataset = Arguments::new(&arguments)?.dataset()?;
        let names = unless_replaced(&dataset, dataset.gene_names())?;
        names_to_r(names.as_deref())
    })
}

// Names and annotations of the genes.
#[extendr]
fn rs_tiles_var(arguments: Robj) -> Robj {
    guard(|| {
        let dataset = Arguments::new(&arguments)?.dataset()?;
        let var = unless_replaced(&dataset, dataset.var())?;
        let names = names_to_r(var.names.as_deref())?;
        let index_name = names_to_r(var.index_name.as_ref().map(std::slice::from_ref))?;
        let columns = tables::to_r(&var.table)?;
        Ok(list!(names = names, index_name = index_name, columns = columns).into())
    })
}

// A whole tile as a dgCMatrix, genes x cells.
#[extendr]
fn rs_tiles_tile(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let layer = arguments.layer(&dataset)?;
        let tile_idx = arguments.count("tile")?.saturating_sub(1);
        let tile = unless_replaced(&dataset, dataset.open_tile(layer, tile_idx as usize))?;
        let n_threads = arguments.n_threads()?;
        check_nnz(&dataset, tile.nnz())?;
        let starts = unless_replaced(&dataset, tile.starts())?;
        let dim = [dataset.manifest().n_genes, tile.n_cells()];
        let progress = arguments.get("progress");
        if arguments.flag("as_integer")? {
            return compact(starts, dim, |genes, counts| {
                let read = watched(&progress, |watch| {
                    dataset.read_tile_into(&tile, genes, counts, n_threads, watch)
                });
                unless_replaced(&dataset, read)
            });
        }
        let starts = starts_to_r(starts)?;
        let mut rows = fresh_integers(tile.nnz())?;
        let mut values = fresh_doubles(tile.nnz())?;
        let (genes, counts) = (rows.elements(), values.elements());
        let read = watched(&progress, |watch| {
            dataset.read_tile_into(&tile, genes, counts, n_threads, watch)
        });
        unless_replaced(&dataset, read)?;
        sparse_matrix(&starts, rows.robj(), values.robj(), dim[0], dim[1])
    })
}

// Any cells and genes as a dgCMatrix, genes x cells.
#[extendr]
fn rs_tiles_cells(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let n_threads = arguments.n_threads()?;
        let cells = match arguments.indices("cells")? {
            Some(cells) => cells,
            None => (0..dataset.manifest().n_cells).collect(),
        };
        let genes = arguments.genes("genes")?;
        let selection = Selection {
            layer: arguments.layer(&dataset)?,
            cells: &cells,
            genes: genes.as_deref(),
        };
        let progress = arguments.get("progress");
        let gather = watched(&progress, |watch| {
            dataset.gather(selection, n_threads, watch)
        });
        let gather = unless_replaced(&dataset, gather)?;
        check_nnz(&dataset, gather.nnz())?;
        if arguments.flag("as_integer")? {
            let dim = [gather.n_genes(), cells.len()];
            return compact(gather.starts(), dim, |genes, counts| {
                let read = watched(&progress, |watch| {
                    gather.read_into(genes, counts, n_threads, watch)
                });
                unless_replaced(&dataset, read)
            });
        }
        let starts = starts_to_r(gather.starts())?;
        let mut rows = fresh_integers(gather.nnz())?;
        let mut values = fresh_doubles(gather.nnz())?;
        let (genes, counts) = (rows.elements(), values.elements());
        let read = watched(&progress, |watch| {
            gather.read_into(genes, counts, n_threads, watch)
        });
        unless_replaced(&dataset, read)?;
        sparse_matrix(
            &starts,
            rows.robj(),
            values.robj(),
            gather.n_genes(),
            cells.len(),
        )
    })
}

/// Slots of a matrix of integer counts, which `read` fills.
pub fn compact(
    starts: &[usize],
    dim: [usize; 2],
    read: impl FnOnce(&mut [i32], &mut [i32]) -> Result<()>,
) -> Result<Robj> {
    let nnz = starts.last().copied().unwrap_or(0);
    let mut rows = fresh_integers(nnz)?;
    let mut counts = fresh_integers(nnz)?;
    read(rows.elements(), counts.elements())?;
    let mut r_dim = Vec::with_capacity(dim.len());
    for n in dim {
        let limit = |_| Error::limit(Path::new(""), format!("{n} rows or columns are too many"));
        r_dim.push(i32::try_from(n).map_err(limit)?);
    }
    Ok(list!(
        p = starts_to_r(starts)?,
        i = rows.robj().clone(),
        x = counts.robj().clone(),
        dim = r_dim
    )
    .into())
}

/// What was read of `dataset`, unless it was replaced meanwhile: then some of
/// it, or the damage that was met, may be another dataset's.
pub fn unless_replaced<T>(dataset: &Dataset, read: Result<T>) -> Result<T> {
    if dataset.is_current() || matches!(read, Err(Error::Interrupted)) {
        return read;
    }
    Err(Error::Stale {
        path: dataset.folder().to_owned(),
    })
}

pub fn check_nnz(dataset: &Dataset, nnz: usize) -> Result<()> {
    if nnz <= MAX_NNZ {
        return Ok(());
    }
    Err(Error::limit(
        dataset.folder(),
        format!(
            "{nnz} nonzero counts; a dgCMatrix holds at most {MAX_NNZ}: \
             read fewer cells or genes at a time"
        ),
    ))
}

/// Names, or NULL.
fn names_to_r(names: Option<&[String]>) -> Result<Robj> {
    match names {
        Some(names) => tables::texts(names.iter().map(|name| Some(name.as_str()))),
        None => Ok(().into()),
    }
}

/// Slot p of a matrix with at most `MAX_NNZ` nonzeros.
pub fn starts_to_r(starts: &[usize]) -> Result<Robj> {
    let mut vector = fresh_integers(starts.len())?;
    for (out, &start) in vector.elements().iter_mut().zip(starts) {
        *out = start as i32;
    }
    Ok(vector.robj().clone())
}

// Names and types of the obs columns.
#[extendr]
fn rs_tiles_obs_fields(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let fields = dataset.obs_fields()?;
        let localized = dataset.localized_obs(arguments.cache_root()?.as_deref())?;
        let is_local = |field: &Field| localized.contains(&field.name);
        let names = fields.iter().map(|field| Some(field.name.as_str()));
        let types = fields
            .iter()
            .map(|field| Some(tables::type_name(&field.kind)));
        Ok(list!(
            name = tables::texts(names)?,
            type_name = tables::texts(types)?,
            localized = fields.iter().map(is_local).collect::<Vec<bool>>()
        )
        .into())
    })
}

// Columns of obs for some cells, or all.
#[extendr]
fn rs_tiles_obs(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let columns = arguments.texts("columns")?;
        let cells = arguments.indices("cells")?;
        let n_threads = arguments.n_threads()?;
        let root = arguments.cache_root()?;
        let table = watched(&arguments.get("progress"), |watch| {
            let cells = cells.as_deref().map_or(Cells::All, Cells::List);
            dataset.read_obs(&columns, cells, root.as_deref(), n_threads, watch)
        });
        tables::to_r(&unless_replaced(&dataset, table)?)
    })
}

// Copies columns of obs to the local cache.
#[extendr]
fn rs_tiles_localize(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let columns = arguments.texts("columns")?;
        let n_threads = arguments.n_threads()?;
        let root = arguments.cache_root()?;
        watched(&arguments.get("progress"), |watch| {
            dataset.localize_obs(&columns, root.as_deref(), n_threads, watch)
        })?;
        Ok(().into())
    })
}

// Checks every file.
#[extendr]
fn rs_tiles_verify(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset_anew()?;
        let n_threads = arguments.n_threads()?;
        let reports = watched(&arguments.get("progress"), |watch| {
            dataset.verify(n_threads, watch)
        })?;
        let files = reports.iter().map(|report| Some(report.file.as_str()));
        let problems: Vec<Option<String>> = reports
            .iter()
            .map(|report| report.problem.as_ref().map(ToString::to_string))
            .collect();
        Ok(list!(
            file = tables::texts(files)?,
            ok = problems.iter().map(Option::is_none).collect::<Vec<bool>>(),
            problem = tables::texts(problems.iter().map(Option::as_deref))?
        )
        .into())
    })
}

extendr_module! {
    mod tiles_read;
    fn rs_tiles_open;
    fn rs_tiles_close;
    fn rs_tiles_gene_names;
    fn rs_tiles_var;
    fn rs_tiles_tile;
    fn rs_tiles_cells;
    fn rs_tiles_obs_fields;
    fn rs_tiles_obs;
    fn rs_tiles_localize;
    fn rs_tiles_verify;
}
