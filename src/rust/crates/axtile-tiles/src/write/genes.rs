//! In which order genes are stored.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;

use axtile_codec::GeneMap;
use axtile_core::Result;
use rayon::prelude::*;

use super::resume::ResumeNote;
use super::sort::{add_totals, evenly_spaced, order_by_totals};
use super::{WriteOptions, Writer};
use crate::dataset::{GeneOrder, inverse};
use crate::manifest::{FileEntry, LayerKind};
use crate::source::{CellBlock, CellSource, SourcePart};
use crate::var::{GENE_ORDER_FILE, write_gene_order};

/// How the genes of a source become stored genes.
pub(crate) struct GenePlan {
    /// Stored gene j is source gene `order[j]`; `None` for the same order.
    pub(super) order: Option<Vec<u32>>,
    /// What the manifest says of the file.
    pub(super) file: FileEntry,
    /// Whether the stored order is that of the dataset that the source reads, so
    /// that its names and annotations can be copied.
    pub(super) is_kept: bool,
    /// From how many files the totals are.
    pub(super) n_files: usize,
}

impl GenePlan {
    /// The stored number of each gene of the source; `None` if it is the same.
    pub(super) fn stored_of_source(&self) -> Option<GeneMap> {
        let order = self.order.as_deref()?;
        Some(GeneMap::new(inverse(order).into_iter()))
    }
}

/// Whether a dataset that is written anew keeps its gene order.
pub(super) fn keeps_order(source: &dyn CellSource, options: &WriteOptions) -> bool {
    let is_sorted = |dataset: &crate::Dataset| dataset.manifest().gene_order.is_there();
    options.sort_genes && source.dataset().is_some_and(is_sorted)
}

/// Tiles read for the totals and kept for encoding, one a thread at most.
pub(crate) struct KeptBlocks {
    max: usize,
    blocks: Mutex<HashMap<usize, CellBlock>>,
}

impl KeptBlocks {
    /// Room for so many.
    pub(crate) fn new(max: usize) -> KeptBlocks {
        KeptBlocks {
            max,
            blocks: Mutex::default(),
        }
    }

    fn keep(&self, tile: usize, block: CellBlock) {
        let mut blocks = self.blocks.lock().unwrap_or_else(|it| it.into_inner());
        if blocks.len() < self.max {
            blocks.insert(tile, block);
        }
    }

    /// The first layer's block of a tile, if it was kept.
    pub(super) fn take(&self, tile: usize) -> Option<CellBlock> {
        let mut blocks = self.blocks.lock().unwrap_or_else(|it| it.into_inner());
        blocks.remove(&tile)
    }
}

impl Writer<'_> {
    pub(super) fn gene_plan(&self) -> Result<GenePlan> {
        let path = self.folder.join(GENE_ORDER_FILE);
        let format = self.options.format;
        if let Some(dataset) = self.source.dataset() {
            let is_stored = dataset.gene_order() == GeneOrder::Stored;
            if keeps_order(self.source, self.options) {
                let order = dataset.stored_gene_order()?;
                write_gene_order(self.folder, &order)?;
                return Ok(GenePlan {
                    order: (!is_stored).then_some(order),
                    file: format.entry(&path)?,
                    is_kept: true,
                    n_files: 0,
                });
            }
            if !self.options.sort_genes {
                return Ok(GenePlan {
                    order: None,
                    file: FileEntry::Absent,
                    is_kept: is_stored || !dataset.manifest().gene_order.is_there(),
                    n_files: 0,
                });
            }
        }
        if !self.options.sort_genes {
            return Ok(GenePlan {
                order: None,
                file: FileEntry::Absent,
                is_kept: false,
                n_files: 0,
            });
        }
        let parts = self.source.parts();
        let chosen = evenly_spaced(parts.len(), self.options.sort_genes_max_files);
        Ok(GenePlan {
            order: Some(self.order_by_totals(&parts, &chosen)?),
            file: format.entry(&path)?,
            is_kept: false,
            n_files: chosen.len(),
        })
    }

    fn order_by_totals(&self, parts: &[SourcePart], sort_parts: &[usize]) -> Result<Vec<u32>> {
        let n_genes = self.source.genes().len();
        if let Some(order) = ResumeNote::gene_order(self.folder, n_genes)? {
            self.watch.advance(self.source.n_cells());
            return Ok(order);
        }
        let chosen = || sort_parts.iter().filter_map(|&part| parts.get(part));
        let is_chosen = |cell: u64| chosen().any(|part| part.cells.contains(&cell));
        let overlap = |part: &SourcePart, cells: &Range<u64>| {
            let (start, end) = (
                part.cells.start.max(cells.start),
                part.cells.end.min(cells.end),
            );
            end.saturating_sub(start)
        };
        let totals = self
            .tiles
            .par_iter()
            .enumerate()
            .map(|(tile, cells)| {
                self.watch.check()?;
                let mut totals = vec![0.0; n_genes];
                let n_chosen: u64 = chosen().map(|part| overlap(part, cells)).sum();
                if n_chosen > 0 {
                    let is_wanted = |cell: usize| is_chosen(cells.start + cell as u64);
                    self.add_tile(&mut totals, tile, is_wanted)?;
                }
                self.watch.advance(cells.end - cells.start);
                Ok(totals)
            })
            // Sums of whole numbers below 2^53 are exact in any order.
            .try_reduce(
                || vec![0.0; n_genes],
                |mut sums, totals| {
                    for (sum, total) in sums.iter_mut().zip(totals) {
                        *sum += total;
                    }
                    Ok(sums)
                },
            )?;
        let order = order_by_totals(&totals);
        write_gene_order(self.folder, &order)?;
        ResumeNote::mark_gene_order(self.folder)?;
        Ok(order)
    }

    /// Adds to the totals what the wanted cells of a tile have of each gene: counts,
    /// or how many floating-point values.
    fn add_tile(
        &self,
        totals: &mut [f64],
        tile: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<()> {
        let cells = self.tiles[tile].clone();
        let path = self.source.path();
        let ranges = |starts: &[usize]| {
            let cells = starts.windows(2).enumerate();
            let wanted = cells.filter(|(cell, _)| is_wanted(*cell));
            wanted
                .map(|(_, bounds)| bounds[0]..bounds[1])
                .collect::<Vec<_>>()
        };
        if self.layers[0].kind != LayerKind::Count {
            let block = self.source.floats(0, cells)?;
            let wanted = ranges(&block.starts).into_iter().flatten();
            return add_totals(totals, wanted.map(|at| (block.genes[at], 1.0)), path);
        }
        let block = self.source.counts(0, cells)?;
        let wanted = ranges(&block.starts).into_iter().flatten();
        let counts = wanted.map(|at| (block.genes[at], f64::from(block.counts[at])));
        add_totals(totals, counts, path)?;
        self.blocks.keep(tile, block);
        Ok(())
    }
}
