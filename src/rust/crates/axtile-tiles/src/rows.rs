//! From a source's cells to a tile's rows: genes renumbered, sorted, repeats
//! added up, zeros dropped, limits checked.

use axtile_codec::deltacells::{CellRows, MAX_COUNT};
use axtile_core::{Error, Result};

use crate::gene_map::{CellSorter, GeneMap};
use crate::source::{CellBlock, CellSource};

/// The rows of `block`, whose first cell is cell `first` of `source`.
///
/// # Errors
/// `Error::Limit` naming cell and gene for a count that the format cannot hold,
/// `Error::Corrupt` for a gene that the source does not have.
pub(crate) fn tile_rows(
    source: &dyn CellSource,
    first: u64,
    block: &CellBlock,
    stored_of_source: Option<&GeneMap>,
    n_genes: usize,
    sorter: &mut CellSorter,
) -> Result<CellRows> {
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
            // There are at most 65,536 genes.
            let gene = gene as u16;
            let stored = stored_of_source.map_or(gene, |map| map.get(gene));
            sorter.add(stored, count);
        }
        let mut too_large = false;
        sorter.drain(n_genes, |gene, count| {
            too_large |= count > MAX_COUNT;
            if count > 0 {
                rows.genes.push(gene);
                rows.counts.push(count as u16);
            }
        });
        if too_large {
            return Err(too_large_count(source, first, block, cell));
        }
        rows.starts.push(rows.genes.len());
    }
    Ok(rows)
}

fn too_large_count(source: &dyn CellSource, first: u64, block: &CellBlock, cell: usize) -> Error {
    let (genes, counts) = block.cell(cell);
    let mut sums = std::collections::BTreeMap::<u32, u64>::new();
    for (&gene, &count) in genes.iter().zip(counts) {
        *sums.entry(gene).or_default() += u64::from(count);
    }
    let (gene, count) = sums
        .into_iter()
        .find(|&(_, sum)| sum > MAX_COUNT.into())
        .unwrap_or_default();
    let gene = source.genes().get(gene as usize).map_or_else(
        || format!("number {}", gene + 1),
        |name| format!("'{name}'"),
    );
    Error::limit(
        source.path(),
        format!(
            "cell {}, gene {gene} has a count of {count}; \
             the deltacells format, version 1, holds counts up to {MAX_COUNT}",
            source.cell_label(first + cell as u64)
        ),
    )
}
