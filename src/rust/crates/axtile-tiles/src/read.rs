//! Reading whole tiles into the caller's memory.

use axtile_codec::deltacells::Decoder;
use axtile_codec::kernels::Count;
use axtile_core::{Result, Watch};
use rayon::prelude::*;

use crate::dataset::{Dataset, OpenTile};
use crate::gene_map::CellSorter;
use crate::threads::on_threads;

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
        let map = self.gene_map()?;
        let n_genes = self.manifest().n_genes;
        let tasks = chunk_tasks(tile, genes, counts);
        let decode = |decoder: &mut (Decoder, Option<CellSorter>), task: ChunkTask<'_, C>| {
            watch.check()?;
            let ChunkTask {
                chunk,
                genes,
                counts,
            } = task;
            let n = genes.len() as u64;
            let done = match (map, decoder) {
                (Some(map), (decoder, Some(sorter))) => {
                    decoder.each_cell(&tile.tile, chunk, |range, stored, cell_counts| {
                        for (&gene, &count) in stored.iter().zip(cell_counts) {
                            sorter.insert(map.get(gene), count.into());
                        }
                        let mut out = genes[range.clone()].iter_mut().zip(&mut counts[range]);
                        sorter.drain(n_genes, |gene, count| {
                            if let Some((out_gene, out_count)) = out.next() {
                                *out_gene = gene.into();
                                *out_count = C::from_u16(count as u16);
                            }
                        });
                    })
                }
                (_, (decoder, _)) => decoder.chunk_into(&tile.tile, chunk, genes, counts),
            };
            done.map_err(|error| error.at(tile.path()))?;
            watch.advance(n);
            Ok(())
        };
        on_threads(n_threads, || {
            tasks
                .into_par_iter()
                .try_for_each_init(|| (Decoder::new(), map.map(|_| CellSorter::new())), decode)
        })
    }
}

fn chunk_tasks<'a, C>(
    tile: &OpenTile,
    mut genes: &'a mut [i32],
    mut counts: &'a mut [C],
) -> Vec<ChunkTask<'a, C>> {
    let mut tasks = Vec::with_capacity(tile.tile.chunks().len());
    for (chunk, bounds) in tile.tile.chunks().iter().enumerate() {
        let n = bounds.nonzeros.len();
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
