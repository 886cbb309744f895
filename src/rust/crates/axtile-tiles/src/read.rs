//! Reading whole tiles into the caller's memory.

use axtile_codec::kernels::Count;
use axtile_core::{Result, Watch};
use rayon::prelude::*;

use crate::dataset::{Dataset, OpenTile};
use crate::threads::on_threads;
use crate::tile::TileDecoder;

/// One chunk's part of the output.
struct ChunkTask<'a, C> {
    chunk: usize,
    genes: &'a mut [i32],
    counts: &'a mut [C],
}

impl Dataset {
    /// Decodes a tile: for every nonzero its gene (from 0, ascending in each
    /// cell, in the dataset's order) and its count. Cell k's nonzeros lie
    /// between `starts()[k]` and `starts()[k + 1]`. Reports finished nonzeros.
    ///
    /// # Errors
    /// `Error::Corrupt` if a chunk is damaged, `Error::Interrupted`; the
    /// slices then hold anything.
    ///
    /// # Panics
    /// If a slice is not as long as the tile has nonzeros.
    pub fn read_tile_into<C: Count>(
        &self,
        tile: &OpenTile,
        genes: &mut [i32],
        counts: &mut [C],
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        assert_eq!((genes.len(), counts.len()), (tile.nnz(), tile.nnz()));
        let order = self.gene_map()?;
        let tasks = chunk_tasks(tile, genes, counts);
        let decode = |decoder: &mut TileDecoder, task: ChunkTask<'_, C>| {
            watch.check()?;
            let n = task.genes.len() as u64;
            decoder
                .chunk_into(&tile.file, task.chunk, order, task.genes, task.counts)
                .map_err(|error| error.at(tile.path()))?;
            watch.advance(n);
            Ok(())
        };
        on_threads(n_threads, || {
            tasks
                .into_par_iter()
                .try_for_each_init(TileDecoder::default, decode)
        })
    }
}

fn chunk_tasks<'a, C>(
    tile: &OpenTile,
    mut genes: &'a mut [i32],
    mut counts: &'a mut [C],
) -> Vec<ChunkTask<'a, C>> {
    let n_chunks = tile.file.n_chunks();
    let mut tasks = Vec::with_capacity(n_chunks);
    for chunk in 0..n_chunks {
        let n = tile.file.chunk(chunk).nonzeros.len();
        let (chunk_genes, other_genes) = genes.split_at_mut(n);
        let (chunk_counts, other_counts) = counts.split_at_mut(n);
        (genes, counts) = (other_genes, other_counts);
        tasks.push(ChunkTask {
            chunk,
            genes: chunk_genes,
            counts: chunk_counts,
        });
    }
    tasks
}
