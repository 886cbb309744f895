//! Encoding and writing tiles.

use std::ops::Range;
use std::path::Path;

use axtile_codec::deltacells::{assemble, cut_chunks, encode_chunk};
use axtile_codec::floats::{self, Width};
use axtile_codec::integers::{self, Coder};
use axtile_codec::{CellRows, GeneMap, grid};
use axtile_core::{Error, Result, Watch};
use axtile_store::{sync_folder, write_file};
use rayon::prelude::*;

use super::rows::{float_rows, tile_rows};
use super::{DatasetFormat, KeptBlocks};
use crate::manifest::{Layer, tile_file, tiles_folder};
use crate::source::{CellSource, LayerField};
use crate::tile::{TileFile, width_of};

/// Writes the tiles of all layers.
pub(crate) struct TileWriter<'a> {
    pub(crate) source: &'a dyn CellSource,
    /// The source's layers.
    pub(crate) layers: &'a [LayerField],
    pub(crate) format: DatasetFormat,
    pub(crate) folder: &'a Path,
    /// The number of the first of `tiles`.
    pub(crate) first_tile: usize,
    /// The cells of each tile.
    pub(crate) tiles: &'a [Range<u64>],
    /// The stored number of each gene of the source; `None` if it is the same.
    pub(crate) stored_of_source: Option<GeneMap>,
    /// Whether to leave tiles alone that are there and whole.
    pub(crate) resume: bool,
    pub(crate) n_threads: usize,
    pub(crate) watch: &'a dyn Watch,
}

/// What the manifest says of a tile.
struct TileFacts {
    nnz: u64,
    n_bytes: u64,
    checksum: Option<u64>,
}

impl TileWriter<'_> {
    /// Writes the tiles, on rayon's threads; what the manifest says of them. All
    /// files are on the disk when this returns. Reports each cell once a layer.
    pub(crate) fn write(&self, kept: &KeptBlocks) -> Result<Vec<Layer>> {
        let mut layers = Vec::new();
        for (idx, field) in self.layers.iter().enumerate() {
            let mut layer = Layer {
                name: field.name.clone(),
                kind: field.kind,
                tile_nnz: Vec::with_capacity(self.tiles.len()),
                tile_bytes: Vec::with_capacity(self.tiles.len()),
                tile_checksum: Vec::new(),
            };
            let all: Vec<usize> = (0..self.tiles.len()).collect();
            // As many tiles at a time as there are threads: inside a tile, chunks
            // are compressed in parallel too.
            for batch in all.chunks(self.n_threads) {
                let written: Result<Vec<TileFacts>> = batch
                    .par_iter()
                    .map(|&tile| self.write_tile(idx, tile, kept))
                    .collect();
                for facts in written? {
                    layer.tile_nnz.push(facts.nnz);
                    layer.tile_bytes.push(facts.n_bytes);
                    layer.tile_checksum.extend(facts.checksum);
                }
            }
            let folder = tiles_folder(self.format.of_manifest(), idx);
            sync_folder(&self.folder.join(folder))?;
            layers.push(layer);
        }
        Ok(layers)
    }

    fn write_tile(&self, layer: usize, tile: usize, kept: &KeptBlocks) -> Result<TileFacts> {
        self.watch.check()?;
        let cells = &self.tiles[tile];
        let n_cells = cells.end - cells.start;
        let format = self.format.of_manifest();
        let kind = self.layers[layer].kind;
        let path = self
            .folder
            .join(tile_file(format, layer, self.first_tile + tile));
        if self.resume
            && let Ok(file) = TileFile::open(&path, format, kind)
            && file.n_cells() as u64 == n_cells
            && file.n_genes() == self.source.genes().len()
        {
            self.watch.advance(n_cells);
            return Ok(TileFacts {
                nnz: file.nnz() as u64,
                n_bytes: file.n_bytes(),
                checksum: file.checksum(),
            });
        }
        let (bytes, nnz) = match width_of(kind) {
            None => self.counts_tile(layer, tile, kept)?,
            Some(width) => self.floats_tile(layer, cells, width)?,
        };
        write_file(&path, &bytes)?;
        self.watch.advance(n_cells);
        Ok(TileFacts {
            nnz: nnz as u64,
            n_bytes: bytes.len() as u64,
            checksum: match self.format {
                DatasetFormat::Deltacells { .. } => None,
                DatasetFormat::Axtile { .. } => header_checksum(&bytes),
            },
        })
    }

    /// A tile of counts, and how many are not 0.
    fn counts_tile(
        &self,
        layer: usize,
        tile: usize,
        kept: &KeptBlocks,
    ) -> Result<(Vec<u8>, usize)> {
        let cells = &self.tiles[tile];
        let known = if layer == 0 { kept.take(tile) } else { None };
        let block = match known {
            Some(block) => block,
            None => self.source.counts(layer, cells.clone())?,
        };
        let order = self.stored_of_source.as_ref();
        let rows = tile_rows(self.source, cells.start, &block, order, self.format)?;
        drop(block);
        Ok((self.encode(&rows)?, rows.nnz()))
    }

    /// A tile of floating-point values, and how many are stored.
    fn floats_tile(
        &self,
        layer: usize,
        cells: &Range<u64>,
        width: Width,
    ) -> Result<(Vec<u8>, usize)> {
        let block = self.source.floats(layer, cells.clone())?;
        let order = self.stored_of_source.as_ref();
        let rows = float_rows(self.source, cells.start, &block, order, width)?;
        drop(block);
        let n_genes = self.source.genes().len() as u32;
        let plan = floats::Plan::new(&rows, n_genes, width, &floats::Options::default())?;
        let chunks = self.each_chunk(plan.n_chunks(), |chunk| plan.encode_chunk(&rows, chunk))?;
        Ok((plan.assemble(chunks), rows.nnz()))
    }

    fn encode(&self, rows: &CellRows) -> Result<Vec<u8>> {
        let n_genes = self.source.genes().len();
        match self.format {
            DatasetFormat::Deltacells { n_chunks, level } => {
                let chunks = cut_chunks(&rows.starts, n_chunks);
                let frames = self.each_chunk(chunks.len(), |chunk| {
                    encode_chunk(rows, chunks[chunk].clone(), level)
                })?;
                Ok(assemble(rows, n_genes, &chunks, &frames))
            }
            DatasetFormat::Axtile { n_clusters } => {
                let candidates = Coder::candidates(rows).iter();
                let tiles = candidates
                    .map(|&coder| self.encode_by(coder, rows, n_genes as u32, n_clusters))
                    .collect::<Result<Vec<_>>>()?;
                // Of equal ones the first.
                let smallest = tiles.into_iter().min_by_key(Vec::len);
                smallest.ok_or_else(|| Error::argument("no coder for a tile"))
            }
        }
    }

    fn encode_by(
        &self,
        coder: Coder,
        rows: &CellRows,
        n_genes: u32,
        n_clusters: usize,
    ) -> Result<Vec<u8>> {
        let options = integers::Options {
            coder: Some(coder),
            n_clusters,
            ..integers::Options::default()
        };
        let plan = integers::Plan::new(rows, n_genes, &options)?;
        let chunks = self.each_chunk(plan.n_chunks(), |chunk| plan.encode_chunk(rows, chunk))?;
        Ok(plan.assemble(chunks))
    }

    /// Encodes chunks in parallel.
    fn each_chunk<T: Send>(
        &self,
        n_chunks: usize,
        encode: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        (0..n_chunks)
            .into_par_iter()
            .map(|chunk| {
                self.watch.check()?;
                encode(chunk)
            })
            .collect()
    }
}

/// The last field of a tile's header.
fn header_checksum(tile: &[u8]) -> Option<u64> {
    let field = tile.get(grid::HEADER_LEN - 8..)?.first_chunk()?;
    Some(u64::from_le_bytes(*field))
}
