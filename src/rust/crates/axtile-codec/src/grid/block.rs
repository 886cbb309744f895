//! The nonzeros of a chunk in one bucket, on their way.

use std::ops::{Deref, Range};

use super::bits::BitReader;
use super::cell_counts::CellCounts;
use super::layout::Tile;
use super::model::{Bucket, MAX_ESCAPE_BITS};
use crate::error::{TileError, TileResult};
use crate::kernels::{BlockView, Escapes, Segment};

/// The nonzeros of a chunk in one bucket: symbols decoded, the rest still raw.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its symbols, among all that were decoded of the chunk.
    pub(super) symbols: Range<usize>,
    /// Where its raw bits start in the tile.
    pub(super) raw: usize,
    /// Where each cell's symbols start, from the block's first.
    firsts: Vec<u32>,
    pub(super) escapes: Escapes,
}

impl Block {
    /// The block as the kernels see it.
    pub(super) fn view<'a, B: Deref<Target = [u8]>>(
        &'a self,
        tile: &'a Tile<B>,
        model: &'a Bucket,
        symbols: &'a [u8],
    ) -> BlockView<'a> {
        BlockView::new(
            &model.dictionary,
            &symbols[self.symbols.start..],
            self.symbols.len(),
            &tile.bytes()[self.raw..],
            &self.escapes,
        )
    }

    /// The `n` nonzeros of a cell, in a bucket of `width` genes.
    #[inline]
    pub(super) fn segment<'a>(
        &self,
        block: &'a BlockView<'a>,
        cell: usize,
        n: u32,
        width: u32,
    ) -> Segment<'a> {
        Segment {
            block,
            first: self.firsts[cell] as usize,
            n: n as usize,
            width,
        }
    }

    /// Where each cell's symbols are, and the run of each table: cells of one
    /// table come together, in the order of the chunk.
    pub(super) fn deal(
        &mut self,
        model: &Bucket,
        counts: &CellCounts,
        bucket: usize,
        n_buckets: usize,
    ) -> Vec<Range<usize>> {
        let mut runs = vec![0..0; model.tables.len()];
        let cells = || {
            counts
                .clusters
                .iter()
                .zip(counts.counts.iter().skip(bucket).step_by(n_buckets))
        };
        for (&cluster, &count) in cells() {
            runs[model.table(cluster.into(), count)].end += count as usize;
        }
        let mut end = 0;
        for run in &mut runs {
            let start = end;
            end += run.end;
            *run = start..start;
        }
        self.firsts.clear();
        self.firsts.extend(cells().map(|(&cluster, &count)| {
            let run = &mut runs[model.table(cluster.into(), count)];
            let first = run.end;
            run.end += count as usize;
            first as u32
        }));
        runs
    }

    pub(super) fn read_escapes(
        &mut self,
        model: &Bucket,
        symbols: &[u8],
        bytes: &[u8],
        place: &str,
    ) -> TileResult<()> {
        let mut reader = BitReader::new(bytes);
        let mut part = |n_bits: u8| match n_bits {
            MAX_ESCAPE_BITS => reader.take(n_bits.into()),
            _ => (1u32 << n_bits) - 1 + reader.take(n_bits.into()),
        };
        // Tables have codes for the bucket's symbols only.
        self.escapes
            .find(symbols, model.dictionary.n_regular(), |escape| {
                let (gap_bits, count_bits) = model.escapes[escape];
                (part(gap_bits), part(count_bits))
            });
        if !reader.is_at_end() {
            return Err(TileError::corrupt(
                place,
                "it does not end where its last escape does",
            ));
        }
        Ok(())
    }
}
