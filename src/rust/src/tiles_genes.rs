//! Tile datasets: some genes of all cells, and sums over genes and cells.

use axtile_core::Result;
use axtile_tiles::{CountSums, Dataset, FloatSums, LayerKind};
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::fresh::{fresh_doubles, fresh_integers};
use crate::guard::guard;
use crate::r_api::sparse_matrix;
use crate::tiles_read::{check_nnz, compact, starts_to_r, unless_replaced};
use crate::watch::watched;

// Some genes of all cells as a dgCMatrix, genes x cells.
#[extendr]
fn rs_tiles_genes(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let n_threads = arguments.n_threads()?;
        let layer = arguments.layer(&dataset)?;
        let genes = arguments
            .genes("genes")?
            .ok_or_else(|| Arguments::wrong("genes"))?;
        let read = watched(&arguments.get("progress"), |watch| {
            dataset.read_genes(layer, &genes, n_threads, watch)
        });
        let read = unless_replaced(&dataset, read)?;
        check_nnz(&dataset, read.nnz())?;
        let n_cells = read.starts().len() - 1;
        if arguments.flag("as_integer")? {
            let dim = [read.n_genes(), n_cells];
            return compact(read.starts(), dim, |genes, counts| {
                read.write_into(genes, counts)
            });
        }
        let starts = starts_to_r(read.starts())?;
        let mut rows = fresh_integers(read.nnz())?;
        let mut values = fresh_doubles(read.nnz())?;
        read.write_into(rows.elements(), values.elements())?;
        sparse_matrix(&starts, rows.robj(), values.robj(), read.n_genes(), n_cells)
    })
}

// Sums for every gene, over all cells or some.
#[extendr]
fn rs_tiles_gene_stats(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let n_threads = arguments.n_threads()?;
        let layer = arguments.layer(&dataset)?;
        let cells = arguments.indices("cells")?;
        let n_cells = match &cells {
            Some(cells) => cells.len() as u64,
            None => dataset.manifest().n_cells,
        };
        let cells = cells.as_deref();
        let progress = arguments.get("progress");
        if holds_counts(&dataset, layer) {
            let sums = watched(&progress, |watch| {
                dataset.gene_stats(layer, cells, n_threads, watch)
            });
            return stats_to_r(&unless_replaced(&dataset, sums)?, n_cells);
        }
        let sums = watched(&progress, |watch| {
            dataset.float_gene_stats(layer, cells, n_threads, watch)
        });
        stats_to_r(&unless_replaced(&dataset, sums)?, n_cells)
    })
}

// Sums for every cell, over all genes or some.
#[extendr]
fn rs_tiles_cell_stats(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let n_threads = arguments.n_threads()?;
        let layer = arguments.layer(&dataset)?;
        let genes = arguments.genes("genes")?;
        let genes = genes.as_deref();
        let n_genes = genes.map_or(dataset.manifest().n_genes, <[u32]>::len) as u64;
        let progress = arguments.get("progress");
        if holds_counts(&dataset, layer) {
            let sums = watched(&progress, |watch| {
                dataset.cell_stats(layer, genes, n_threads, watch)
            });
            return stats_to_r(&unless_replaced(&dataset, sums)?, n_genes);
        }
        let sums = watched(&progress, |watch| {
            dataset.float_cell_stats(layer, genes, n_threads, watch)
        });
        stats_to_r(&unless_replaced(&dataset, sums)?, n_genes)
    })
}

fn holds_counts(dataset: &Dataset, layer: usize) -> bool {
    let layer = dataset.manifest().layers.get(layer);
    layer.is_some_and(|layer| layer.kind == LayerKind::Count)
}

/// Sums over values of a layer of any kind.
trait Sums {
    fn total(&self) -> f64;
    fn detected(&self) -> u64;
    /// Of `n` values.
    fn variance(&self, n: u64) -> Option<f64>;
    /// Of `n` values.
    fn max(&self, n: u64) -> Option<f64>;
}

impl Sums for CountSums {
    fn total(&self) -> f64 {
        self.total as f64
    }

    fn detected(&self) -> u64 {
        self.detected
    }

    fn variance(&self, n: u64) -> Option<f64> {
        CountSums::variance(self, n)
    }

    fn max(&self, n: u64) -> Option<f64> {
        (n > 0).then(|| self.max.into())
    }
}

impl Sums for FloatSums {
    fn total(&self) -> f64 {
        FloatSums::total(self)
    }

    fn detected(&self) -> u64 {
        self.detected
    }

    fn variance(&self, n: u64) -> Option<f64> {
        FloatSums::variance(self, n)
    }

    fn max(&self, n: u64) -> Option<f64> {
        FloatSums::max(self, n)
    }
}

/// Statistics of `n` values each, as columns of doubles; NaN or NA where there
/// are too few.
fn stats_to_r<S: Sums>(sums: &[S], n: u64) -> Result<Robj> {
    let column = |value: &dyn Fn(&S) -> f64| -> Result<Robj> {
        let mut column = fresh_doubles(sums.len())?;
        for (out, sums) in column.elements().iter_mut().zip(sums) {
            *out = value(sums);
        }
        Ok(column.robj().clone())
    };
    let columns = list!(
        total = column(&|sums| sums.total())?,
        mean = column(&|sums| sums.total() / n as f64)?,
        variance = column(&|sums| sums.variance(n).unwrap_or_else(f64::na))?,
        detected = column(&|sums| sums.detected() as f64)?,
        max = column(&|sums| sums.max(n).unwrap_or_else(f64::na))?
    );
    Ok(columns.into())
}

extendr_module! {
    mod tiles_genes;
    fn rs_tiles_genes;
    fn rs_tiles_gene_stats;
    fn rs_tiles_cell_stats;
}
