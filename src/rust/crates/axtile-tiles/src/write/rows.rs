//! From a source's cells to a tile's rows: genes renumbered, sorted, repeats
//! added up, zeros dropped, limits checked.

use axtile_codec::floats::Width;
use axtile_codec::{CellRows, CellSorter, FloatRows, GeneMap};
use axtile_core::{Error, Result};

use super::DatasetFormat;
use crate::source::{CellBlock, CellSource, FloatBlock};

/// The rows of `block`, whose first cell is cell `first` of `source`, with genes
/// renumbered by `stored_of_source`.
///
/// # Errors
/// `Error::Limit` naming cell and gene for a count that the format cannot hold,
/// `Error::Corrupt` for a gene that the source does not have.
pub(super) fn tile_rows(
    source: &dyn CellSource,
    first: u64,
    block: &CellBlock,
    stored_of_source: Option<&GeneMap>,
    format: DatasetFormat,
) -> Result<CellRows> {
    let n_genes = source.genes().len();
    let max_count = format.max_count();
    let mut sorter = CellSorter::new(n_genes);
    let mut rows = CellRows {
        starts: Vec::with_capacity(block.starts.len().max(1)),
        genes: Vec::with_capacity(block.genes.len()),
        counts: Vec::with_capacity(block.genes.len()),
    };
    rows.starts.push(0);
    for cell in 0..block.n_cells() {
        let (genes, counts) = block.cell(cell);
        for (&gene, &count) in genes.iter().zip(counts) {
            if gene as usize >= n_genes {
                return Err(no_gene(source, first + cell as u64, gene));
            }
            let stored = stored_of_source.map_or(gene, |map| map.get(gene));
            sorter.add(stored, count);
        }
        let mut too_large = false;
        sorter.drain(|gene, count| {
            too_large |= count > max_count;
            if count > 0 {
                rows.genes.push(gene);
                rows.counts.push(count);
            }
        });
        if too_large {
            return Err(too_large_count(source, first, block, cell, format));
        }
        rows.starts.push(rows.genes.len());
    }
    Ok(rows)
}

/// As [`tile_rows`], for floating-point values.
///
/// # Errors
/// `Error::Corrupt` for a gene that the source does not have; `Error::Value`
/// naming cell and gene for a value that does not have `width` without loss.
pub(super) fn float_rows(
    source: &dyn CellSource,
    first: u64,
    block: &FloatBlock,
    stored_of_source: Option<&GeneMap>,
    width: Width,
) -> Result<FloatRows> {
    let n_genes = source.genes().len();
    let mut rows = FloatRows {
        starts: Vec::with_capacity(block.starts.len().max(1)),
        genes: Vec::with_capacity(block.genes.len()),
        values: Vec::with_capacity(block.genes.len()),
    };
    rows.starts.push(0);
    let mut of_cell: Vec<(u32, f64)> = Vec::new();
    for (cell, bounds) in block.starts.windows(2).enumerate() {
        let range = bounds[0]..bounds[1];
        let cell = first + cell as u64;
        of_cell.clear();
        for (&gene, &value) in block.genes[range.clone()].iter().zip(&block.values[range]) {
            if gene as usize >= n_genes {
                return Err(no_gene(source, cell, gene));
            }
            if !width.holds(value) {
                return Err(Error::Value {
                    path: source.path().to_owned(),
                    cell: source.cell_label(cell),
                    gene: format!("'{}'", source.genes()[gene as usize]),
                    value: value.to_string(),
                    expected: "a number that a 32-bit float holds exactly".into(),
                });
            }
            of_cell.push((stored_of_source.map_or(gene, |map| map.get(gene)), value));
        }
        // Stable: repeats are added up in the source's order.
        of_cell.sort_by_key(|&(gene, _)| gene);
        for same in of_cell.chunk_by(|a, b| a.0 == b.0) {
            let sum = match same {
                [(_, value)] => *value,
                _ => same.iter().map(|&(_, value)| value).sum(),
            };
            rows.genes.push(same[0].0);
            rows.values.push(match width {
                Width::F32 => f64::from(sum as f32),
                Width::F64 => sum,
            });
        }
        rows.starts.push(rows.genes.len());
    }
    Ok(rows)
}

fn no_gene(source: &dyn CellSource, cell: u64, gene: u32) -> Error {
    let place = format!("cell {}", source.cell_label(cell));
    let problem = format!("gene number {gene} of {}", source.genes().len());
    Error::corrupt(source.path(), place, problem)
}

fn too_large_count(
    source: &dyn CellSource,
    first: u64,
    block: &CellBlock,
    cell: usize,
    format: DatasetFormat,
) -> Error {
    let (genes, counts) = block.cell(cell);
    let mut sums = std::collections::BTreeMap::<u32, u64>::new();
    for (&gene, &count) in genes.iter().zip(counts) {
        *sums.entry(gene).or_default() += u64::from(count);
    }
    let (gene, count) = sums
        .into_iter()
        .find(|&(_, sum)| sum > format.max_count().into())
        .unwrap_or_default();
    let gene = source.genes().get(gene as usize).map_or_else(
        || format!("number {}", gene + 1),
        |name| format!("'{name}'"),
    );
    Error::limit(
        source.path(),
        format!(
            "cell {}, gene {gene} has a count of {count}; {} holds counts up to {}",
            source.cell_label(first + cell as u64),
            format.name(),
            format.max_count()
        ),
    )
}
