//! Encoding and writing tiles.

use std::ops::Range;
use std::path::Path;

use axtile_codec::deltacells::{assemble, cut_chunks, encode_chunk};
use axtile_codec::{CellRows, GeneMap, grid, packed};
use axtile_core::{Result, Watch};
use axtile_store::{sync_folder, write_file};
use rayon::prelude::*;

use super::rows::tile_rows;
use super::{DatasetFormat, KeptBlocks};
use crate::manifest::{Layer, tile_file, tiles_folder};
use crate::source::CellSource;
use crate::tile::TileFile;

/// Writes the tiles of all layers.
pub(crate) struct TileWriter<'a> {
    pub(crate) source: &'a dyn CellSource,
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
        for (idx, field) in self.source.layers().into_iter().enumerate() {
            let mut layer = Layer {
                name: field.name,
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
        let path = self
            .folder
            .join(tile_file(format, layer, self.first_tile + tile));
        if self.resume
            && let Ok(file) = TileFile::open(&path, format)
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
        let known = if layer == 0 { kept.take(tile) } else { None };
        let block = match known {
            Some(block) => block,
            None => self.source.counts(layer, cells.clone())?,
        };
        let order = self.stored_of_source.as_ref();
        let rows = tile_rows(self.source, cells.start, &block, order, self.format)?;
        drop(block);
        let (bytes, checksum) = self.encode(&rows)?;
        write_file(&path, &bytes)?;
        self.watch.advance(n_cells);
        Ok(TileFacts {
            nnz: rows.nnz() as u64,
            n_bytes: bytes.len() as u64,
            checksum,
        })
    }

    /// The tile, and the checksum in its header.
    fn encode(&self, rows: &CellRows) -> Result<(Vec<u8>, Option<u64>)> {
        let n_genes = self.source.genes().len();
        match self.format {
            DatasetFormat::Deltacells { n_chunks, level } => {
                let chunks = cut_chunks(&rows.starts, n_chunks);
                let frames = chunks
                    .par_iter()
                    .map(|cells| {
                        self.watch.check()?;
                        encode_chunk(rows, cells.clone(), level)
                    })
                    .collect::<Result<Vec<_>>>()?;
                Ok((assemble(rows, n_genes, &chunks, &frames), None))
            }
            DatasetFormat::Axtile { n_clusters } => {
                let mut bytes = self.encode_grid(rows, n_genes as u32, n_clusters)?;
                if is_sparse(rows) {
                    let packed = self.encode_packed(rows, n_genes as u32)?;
                    if packed.len() < bytes.len() {
                        bytes = packed;
                    }
                }
                let checksum = header_checksum(&bytes);
                Ok((bytes, checksum))
            }
        }
    }

    fn encode_grid(&self, rows: &CellRows, n_genes: u32, n_clusters: usize) -> Result<Vec<u8>> {
        let options = grid::Options {
            n_clusters,
            ..grid::Options::default()
        };
        let plan = grid::Plan::new(rows, n_genes, &options)?;
        let chunks = self.each_chunk(plan.n_chunks(), |chunk| plan.encode_chunk(rows, chunk))?;
        Ok(plan.assemble(&chunks))
    }

    fn encode_packed(&self, rows: &CellRows, n_genes: u32) -> Result<Vec<u8>> {
        let plan = packed::Plan::new(rows, n_genes, &packed::Options::default())?;
        let chunks = self.each_chunk(plan.n_chunks(), |chunk| plan.encode_chunk(rows, chunk))?;
        Ok(plan.assemble(&chunks))
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

/// Whether a packed tile, which takes longer to read, may be worth it.
fn is_sparse(rows: &CellRows) -> bool {
    const FEW: usize = 100_000;
    const FEW_A_CELL: usize = 32;
    rows.nnz() < FEW || rows.nnz() < FEW_A_CELL * rows.n_cells()
}

/// The last field of a tile's header.
fn header_checksum(tile: &[u8]) -> Option<u64> {
    let field = tile.get(grid::HEADER_LEN - 8..)?.first_chunk()?;
    Some(u64::from_le_bytes(*field))
}
