//! Tile datasets: some genes of all cells, and sums over genes and cells.

use axtile_core::Result;
use axtile_tiles::CountSums;
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
                read.write_into(genes, counts);
                Ok(())
            });
        }
        let starts = starts_to_r(read.starts())?;
        let mut rows = fresh_integers(read.nnz())?;
        let mut values = fresh_doubles(read.nnz())?;
        read.write_into(rows.elements(), values.elements());
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
        let sums = watched(&arguments.get("progress"), |watch| {
            dataset.gene_stats(layer, cells.as_deref(), n_threads, watch)
        });
        let sums = unless_replaced(&dataset, sums)?;
        let n_cells = cells.map_or(dataset.manifest().n_cells, |cells| cells.len() as u64);
        stats_to_r(&sums, n_cells)
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
        let sums = watched(&arguments.get("progress"), |watch| {
            dataset.cell_stats(layer, genes.as_deref(), n_threads, watch)
        });
        let sums = unless_replaced(&dataset, sums)?;
        let n_genes = genes.map_or(dataset.manifest().n_genes, |genes| genes.len());
        stats_to_r(&sums, n_genes as u64)
    })
}

/// Statistics of `n` counts each, as columns of doubles; NaN or NA where there
/// are too few.
fn stats_to_r(sums: &[CountSums], n: u64) -> Result<Robj> {
    let column = |value: &dyn Fn(&CountSums) -> f64| -> Result<Robj> {
        let mut column = fresh_doubles(sums.len())?;
        for (out, sums) in column.elements().iter_mut().zip(sums) {
            *out = value(sums);
        }
        Ok(column.robj().clone())
    };
    let columns = list!(
        total = column(&|sums| sums.total as f64)?,
        mean = column(&|sums| sums.total as f64 / n as f64)?,
        variance = column(&|sums| sums.variance(n).unwrap_or_else(f64::na))?,
        detected = column(&|sums| sums.detected as f64)?,
        max = column(&|sums| if n == 0 { f64::na() } else { sums.max.into() })?
    );
    Ok(columns.into())
}

extendr_module! {
    mod tiles_genes;
    fn rs_tiles_genes;
    fn rs_tiles_gene_stats;
    fn rs_tiles_cell_stats;
}
