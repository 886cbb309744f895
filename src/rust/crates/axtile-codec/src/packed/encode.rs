//! Encoding of tiles, chunk by chunk.

use std::ops::Range;

use axtile_core::Result;

use super::MODE;
use super::classes::{Depth, deal};
use crate::envelope::{Parts, check_sizes, write};
use crate::grid::cut;
use crate::rows::CellRows;
use crate::streams::encode;

/// How a tile is encoded.
#[derive(Clone, Debug)]
pub struct Options {
    /// About how many nonzeros a chunk holds: what is decoded at once.
    pub chunk_nonzeros: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            chunk_nonzeros: 1_000_000,
        }
    }
}

/// How one tile is cut.
#[derive(Debug)]
pub struct Plan {
    n_genes: u32,
    chunks: Vec<Range<usize>>,
}

/// An encoded chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedChunk(Parts);

impl Plan {
    /// Cuts `rows` into chunks.
    ///
    /// # Errors
    /// `Error::Argument` if `n_genes` is not 1 to 2^31-1 or rows break their
    /// rules; `Error::Limit` for a count above 2^31-1 or a cell of more than
    /// 2^26 nonzeros.
    pub fn new(rows: &CellRows, n_genes: u32, options: &Options) -> Result<Plan> {
        rows.check(n_genes)?;
        let chunks = cut(&rows.starts, options.chunk_nonzeros);
        check_sizes(n_genes, rows.n_cells(), chunks.len())?;
        Ok(Plan { n_genes, chunks })
    }

    /// The number of chunks.
    pub fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The cells of a chunk.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn cells(&self, chunk: usize) -> Range<usize> {
        self.chunks[chunk].clone()
    }

    /// Encodes a chunk of the rows that the plan was made for.
    ///
    /// # Errors
    /// `Error::Limit` if a compressor fails.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn encode_chunk(&self, rows: &CellRows, chunk: usize) -> Result<EncodedChunk> {
        let cells = self.chunks[chunk].clone();
        let bounds = &rows.starts[cells.start..=cells.end];
        let nonzeros = bounds[0]..bounds[cells.len()];
        let mut totals = Vec::with_capacity(cells.len());
        let mut gaps = Vec::with_capacity(nonzeros.len());
        let mut classes_of_gaps = Vec::with_capacity(nonzeros.len());
        let mut classes_of_counts = Vec::with_capacity(nonzeros.len());
        for cell in bounds.windows(2) {
            let genes = &rows.genes[cell[0]..cell[1]];
            totals.push(genes.len() as u32);
            let depth = Depth::new(genes.len());
            // What follows a gene is of that gene's class; the first is of gene 0's.
            let (mut next, mut class) = (0, depth.class(0));
            for &gene in genes {
                gaps.push(gene - next);
                classes_of_gaps.push(class);
                class = depth.class(gene);
                classes_of_counts.push(class);
                next = gene + 1;
            }
        }
        let counts = &rows.counts[nonzeros.clone()];
        let mut dealt = deal(&gaps, &classes_of_gaps)?;
        dealt.extend(deal(counts, &classes_of_counts)?);
        Ok(EncodedChunk(Parts {
            n_cells: cells.len(),
            nnz: nonzeros.len(),
            sections: vec![encode(&totals)?, dealt],
        }))
    }

    /// Puts a tile together from all its chunks, in order.
    pub fn assemble(&self, chunks: &[EncodedChunk]) -> Vec<u8> {
        let parts: Vec<&Parts> = chunks.iter().map(|chunk| &chunk.0).collect();
        write((MODE, 0), self.n_genes, &[], &parts)
    }
}
