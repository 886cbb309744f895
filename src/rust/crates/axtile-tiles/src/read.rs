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
    values: &'a mut [C],
}

impl Dataset {
    /// Decodes a tile: for every nonzero its gene (from 0, ascending in each
    /// cell, in the dataset's order) and its value. Cell k's nonzeros lie
    /// between `starts()[k]` and `starts()[k + 1]`. Reports finished nonzeros.
    ///
    /// # Errors
    /// `Error::Corrupt` if a chunk is damaged, `Error::Unsupported` if `C` does
    /// not hold the layer's values, `Error::Interrupted`; the slices then hold
    /// anything.
    ///
    /// # Panics
    /// If a slice is not as long as the tile has nonzeros.
    pub fn read_tile_into<C: Count>(
        &self,
        tile: &OpenTile,
        genes: &mut [i32],
        values: &mut [C],
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        assert_eq!((genes.len(), values.len()), (tile.nnz(), tile.nnz()));
        self.check_holds::<C>(tile.layer)?;
        let order = self.gene_map()?;
        let tasks = chunk_tasks(tile, genes, values);
        let decode = |decoder: &mut TileDecoder, task: ChunkTask<'_, C>| {
            watch.check()?;
            let n = task.genes.len() as u64;
            decoder
                .chunk_into(&tile.file, task.chunk, order, task.genes, task.values)
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
    mut values: &'a mut [C],
) -> Vec<ChunkTask<'a, C>> {
    let n_chunks = tile.file.n_chunks();
    let mut tasks = Vec::with_capacity(n_chunks);
    for chunk in 0..n_chunks {
        let n = tile.file.chunk(chunk).nonzeros.len();
        let (chunk_genes, other_genes) = genes.split_at_mut(n);
        let (chunk_values, other_values) = values.split_at_mut(n);
        (genes, values) = (other_genes, other_values);
        tasks.push(ChunkTask {
            chunk,
            genes: chunk_genes,
            values: chunk_values,
        });
    }
    tasks
}
