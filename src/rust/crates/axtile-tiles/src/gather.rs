//! Reading any cells, in any order and with repeats, of all genes or some.
//!
//! Only the chunks that hold a wanted cell are decoded; they are kept in the
//! dataset's cache. With all genes the size of every cell is known beforehand,
//! so that the values go straight to their place. With some genes only what was
//! decoded tells; what was picked is kept and copied once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axtile_codec::GeneMap;
use axtile_codec::kernels::Count;
use axtile_core::{Error, Result, Watch};
use rayon::prelude::*;

use crate::dataset::{Dataset, OpenTile};
use crate::decoded::{ChunkKey, DecodedChunk};
use crate::genes::{Picked, WantedGenes};
use crate::threads::on_threads;
use crate::tile::TileDecoder;

/// Which cells and genes to read; numbers are from 0.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// The layer.
    pub layer: usize,
    /// Cells in the order wanted; a cell may come several times.
    pub cells: &'a [u64],
    /// Genes in the order wanted; `None` for all.
    pub genes: Option<&'a [u32]>,
}

/// A selection whose output size is known.
pub struct Gather<'a> {
    dataset: &'a Dataset,
    layer: usize,
    tiles: BTreeMap<usize, Arc<OpenTile>>,
    tasks: Vec<ChunkCells>,
    starts: Vec<usize>,
    n_genes: usize,
    // With some genes: what each task picked, cell after cell.
    picked: Option<Vec<Picked>>,
}

/// The wanted cells of one chunk.
struct ChunkCells {
    tile: usize,
    chunk: usize,
    /// Cell in the chunk, and its place in the output.
    cells: Vec<(usize, usize)>,
}

impl Dataset {
    /// Opens the tiles that hold the wanted cells and finds out the size of
    /// the result. With `genes`, the chunks are decoded here. Reports each
    /// wanted cell once.
    ///
    /// # Errors
    /// `Error::Range` if there is no such cell or gene; as [`Dataset::open_tile`].
    pub fn gather(
        &self,
        selection: Selection<'_>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Gather<'_>> {
        self.check_selection(selection)?;
        let tiles = self.open_tiles(selection, n_threads, watch)?;
        let mut wanted: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        let mut starts = vec![0; selection.cells.len() + 1];
        for (place, &cell) in selection.cells.iter().enumerate() {
            let (tile_idx, in_tile) = self.tile_of(cell);
            let tile = &tiles[&tile_idx];
            let chunk = tile.file.chunk_of(in_tile);
            let in_chunk = in_tile - tile.file.chunk(chunk).cells.start;
            wanted
                .entry((tile_idx, chunk))
                .or_default()
                .push((in_chunk, place));
            if selection.genes.is_none() {
                let tile_starts = tile.starts()?;
                starts[place + 1] = tile_starts[in_tile + 1] - tile_starts[in_tile];
            }
        }
        let tasks: Vec<ChunkCells> = wanted
            .into_iter()
            .map(|((tile, chunk), cells)| ChunkCells { tile, chunk, cells })
            .collect();
        let mut gather = Gather {
            dataset: self,
            layer: selection.layer,
            tiles,
            tasks,
            starts,
            n_genes: selection
                .genes
                .map_or(self.manifest().n_genes, <[u32]>::len),
            picked: None,
        };
        if let Some(genes) = selection.genes {
            gather.pick(genes, n_threads, watch)?;
        }
        for place in 1..gather.starts.len() {
            let before = gather.starts[place - 1];
            // Both are lengths of things in memory or bounded by file sizes.
            gather.starts[place] = gather.starts[place].saturating_add(before);
        }
        Ok(gather)
    }

    /// The tiles that hold one of the cells, by number.
    fn open_tiles(
        &self,
        selection: Selection<'_>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<BTreeMap<usize, Arc<OpenTile>>> {
        let cells = selection.cells.iter();
        let numbers: BTreeSet<usize> = cells.map(|&cell| self.tile_of(cell).0).collect();
        on_threads(n_threads, || {
            let open = |&tile: &usize| {
                watch.check()?;
                Ok((tile, self.open_tile(selection.layer, tile)?))
            };
            numbers.par_iter().map(open).collect()
        })
    }

    pub(crate) fn check_selection(&self, selection: Selection<'_>) -> Result<()> {
        let manifest = self.manifest();
        if let Some(cell) = selection
            .cells
            .iter()
            .find(|&&cell| cell >= manifest.n_cells)
        {
            return Err(Error::range(format!(
                "there is no cell {}; the dataset has {} cells",
                cell + 1,
                manifest.n_cells
            )));
        }
        let genes = selection.genes.unwrap_or_default();
        if let Some(gene) = genes
            .iter()
            .find(|&&gene| gene as usize >= manifest.n_genes)
        {
            return Err(Error::range(format!(
                "there is no gene {}; the dataset has {} genes",
                u64::from(*gene) + 1,
                manifest.n_genes
            )));
        }
        Ok(())
    }

    /// Whether a chunk of `tile` is in the cache.
    pub(crate) fn has_decoded(&self, tile: &OpenTile, chunk: usize) -> bool {
        self.decoded.contains(self.key_of(tile, chunk))
    }

    fn key_of(&self, tile: &OpenTile, chunk: usize) -> ChunkKey {
        (self.serial, tile.layer, tile.idx, chunk)
    }

    /// A chunk of `tile` from the cache, or decoded and put there.
    pub(crate) fn decoded_chunk(
        &self,
        tile: &OpenTile,
        chunk: usize,
        order: Option<&GeneMap>,
        decoder: &mut TileDecoder,
    ) -> Result<Arc<DecodedChunk>> {
        let key = self.key_of(tile, chunk);
        if let Some(decoded) = self.decoded.get(key) {
            return Ok(decoded);
        }
        let decoded = Arc::new(self.decode_chunk(tile, chunk, order, decoder)?);
        self.decoded.put(key, &decoded);
        Ok(decoded)
    }

    /// A chunk of `tile`, decoded.
    pub(crate) fn decode_chunk(
        &self,
        tile: &OpenTile,
        chunk: usize,
        order: Option<&GeneMap>,
        decoder: &mut TileDecoder,
    ) -> Result<DecodedChunk> {
        let bounds = tile.file.chunk(chunk);
        let first = bounds.nonzeros.start;
        let starts = &tile.starts()?[bounds.cells.start..=bounds.cells.end];
        let (genes, values) = decoder
            .chunk(&tile.file, chunk, order)
            .map_err(|error| error.at(tile.path()))?;
        Ok(DecodedChunk {
            starts: starts.iter().map(|start| start - first).collect(),
            genes,
            values,
        })
    }
}

impl Gather<'_> {
    /// Where each cell's nonzeros start in the result, and the end of the last.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The number of nonzeros of the result.
    pub fn nnz(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The number of genes of the result.
    pub fn n_genes(&self) -> usize {
        self.n_genes
    }

    fn pick(&mut self, genes: &[u32], n_threads: usize, watch: &dyn Watch) -> Result<()> {
        let wanted = WantedGenes::new(genes, self.dataset)?;
        let picked = on_threads(n_threads, || {
            self.tasks
                .par_iter()
                .map_init(TileDecoder::default, |decoder, task| {
                    watch.check()?;
                    let tile = &self.tiles[&task.tile];
                    let picked =
                        self.dataset
                            .pick(tile, task.chunk, &wanted, &task.cells, decoder)?;
                    watch.advance(task.cells.len() as u64);
                    Ok(picked)
                })
                .collect::<Result<Vec<Picked>>>()
        })?;
        for (task, picked) in self.tasks.iter().zip(&picked) {
            for (&(_, place), bounds) in task.cells.iter().zip(picked.starts.windows(2)) {
                self.starts[place + 1] = bounds[1] - bounds[0];
            }
        }
        self.picked = Some(picked);
        Ok(())
    }

    /// Writes genes (numbered from 0 in the selection's order, ascending in
    /// each cell) and values. With all genes, reports each wanted cell once.
    ///
    /// # Errors
    /// `Error::Corrupt` if a chunk is damaged, `Error::Unsupported` if `C` does
    /// not hold the layer's values, `Error::Interrupted`; the slices then hold
    /// anything.
    ///
    /// # Panics
    /// If a slice is not as long as the result has nonzeros.
    pub fn read_into<C: Count>(
        &self,
        genes: &mut [i32],
        values: &mut [C],
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        assert_eq!((genes.len(), values.len()), (self.nnz(), self.nnz()));
        self.dataset.check_holds::<C>(self.layer)?;
        let order = self.dataset.gene_map()?;
        let outputs = self.outputs(genes, values);
        on_threads(n_threads, || {
            let tasks = self.tasks.par_iter().zip(outputs).enumerate();
            tasks.try_for_each_init(TileDecoder::default, |decoder, (idx, (task, outputs))| {
                watch.check()?;
                let cells = task.cells.iter().zip(outputs);
                if let Some(picked) = self.picked.as_ref().and_then(|all| all.get(idx)) {
                    for ((_, (genes, values)), bounds) in cells.zip(picked.starts.windows(2)) {
                        genes.copy_from_slice(&picked.rows[bounds[0]..bounds[1]]);
                        picked.values.copy_to(bounds[0]..bounds[1], values);
                    }
                    return Ok(());
                }
                let tile = &self.tiles[&task.tile];
                let chunk = self
                    .dataset
                    .decoded_chunk(tile, task.chunk, order, decoder)?;
                for (&(cell, _), (genes, values)) in cells {
                    let range = chunk.starts[cell]..chunk.starts[cell + 1];
                    genes.copy_from_slice(&chunk.genes[range.clone()]);
                    chunk.values.copy_to(range, values);
                }
                watch.advance(task.cells.len() as u64);
                Ok(())
            })
        })
    }

    /// The places of the output, cut by cell and dealt to the tasks.
    fn outputs<'b, C>(
        &self,
        mut genes: &'b mut [i32],
        mut values: &'b mut [C],
    ) -> Vec<Vec<(&'b mut [i32], &'b mut [C])>> {
        let mut cells = Vec::with_capacity(self.starts.len());
        for bounds in self.starts.windows(2) {
            let n = bounds[1] - bounds[0];
            let (cell_genes, other_genes) = genes.split_at_mut(n);
            let (cell_values, other_values) = values.split_at_mut(n);
            (genes, values) = (other_genes, other_values);
            cells.push((cell_genes, cell_values));
        }
        let mut take = |&(_, place): &(usize, usize)| std::mem::take(&mut cells[place]);
        self.tasks
            .iter()
            .map(|task| task.cells.iter().map(&mut take).collect())
            .collect()
    }
}
