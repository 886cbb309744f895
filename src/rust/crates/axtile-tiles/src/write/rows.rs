//! From a source's cells to a tile's rows: genes renumbered, sorted, repeats
//! added up, zeros dropped, limits checked.

use axtile_codec::{CellRows, CellSorter, GeneMap};
use axtile_core::{Error, Result};

use super::DatasetFormat;
use crate::source::{CellBlock, CellSource};

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
                let place = format!("cell {}", source.cell_label(first + cell as u64));
                let problem = format!("gene number {gene} of {n_genes}");
                return Err(Error::corrupt(source.path(), place, problem));
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
