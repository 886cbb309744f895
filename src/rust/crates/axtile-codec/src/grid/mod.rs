//! Tiles of the axtile format: rows of counts of any number of genes, in
//! chunks. All numbers are little-endian: magic (8 bytes), CRC-32 of all that
//! follows (u64), genes, chunks (u32), cells (u64), then for each chunk its last
//! cell, last nonzero and last byte (u64), the nonzeros of each cell (u32), and
//! for each chunk a zstd frame of its genes and its counts (u32).

use std::ops::{Deref, Range};

use axtile_core::{Error, Result};
use zstd::zstd_safe;

use crate::error::{TileError, TileResult};
use crate::genes::{CellSorter, GeneMap};
use crate::kernels::Count;
use crate::rows::CellRows;

mod tile;

pub use tile::{Chunk, Tile};

const MAGIC: [u8; 8] = *b"AXTILE\0\0";
const HEADER_LEN: usize = 32;
const CHUNK_ENTRY_LEN: usize = 24;

/// The largest count.
pub const MAX_COUNT: u32 = i32::MAX as u32;
/// The largest number of genes.
pub const MAX_GENES: usize = i32::MAX as usize;

/// How tiles are encoded.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Nonzeros a chunk, about.
    pub chunk_nonzeros: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            chunk_nonzeros: 1 << 18,
        }
    }
}

/// How one tile is cut and encoded.
pub struct Plan {
    n_genes: u32,
    lens: Vec<u32>,
    chunks: Vec<Chunk>,
}

impl Plan {
    /// Cuts `rows` into chunks.
    ///
    /// # Errors
    /// `Error::Limit` for rows that a tile cannot hold.
    pub fn new(rows: &CellRows, n_genes: u32, options: &Options) -> Result<Plan> {
        if rows.counts.iter().any(|&count| count > MAX_COUNT) {
            return Err(Error::limit(
                std::path::Path::new(""),
                "a count above 2^31-1 in a tile",
            ));
        }
        let mut chunks: Vec<Chunk> = Vec::new();
        for (cell, bounds) in rows.starts.windows(2).enumerate() {
            match chunks.last_mut() {
                Some(last) if last.nonzeros.len() < options.chunk_nonzeros => {
                    last.cells.end = cell + 1;
                    last.nonzeros.end = bounds[1];
                }
                _ => chunks.push(Chunk {
                    cells: cell..cell + 1,
                    nonzeros: bounds[0]..bounds[1],
                }),
            }
        }
        let lens = rows
            .starts
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as u32);
        Ok(Plan {
            n_genes,
            lens: lens.collect(),
            chunks,
        })
    }

    /// The number of chunks.
    pub fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Compresses chunk `chunk` of the rows of the plan.
    ///
    /// # Errors
    /// `Error::Limit` if zstd gets no memory.
    pub fn encode_chunk(&self, rows: &CellRows, chunk: usize) -> Result<Vec<u8>> {
        let range = self.chunks[chunk].nonzeros.clone();
        let numbers = rows.genes[range.clone()].iter().chain(&rows.counts[range]);
        let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        let mut frame = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
        zstd_safe::compress(&mut frame, &bytes, 1).map_err(|code| {
            Error::limit(std::path::Path::new(""), zstd_safe::get_error_name(code))
        })?;
        Ok(frame)
    }

    /// Puts a tile together from its encoded chunks.
    pub fn assemble(&self, chunks: &[Vec<u8>]) -> Vec<u8> {
        let mut tile = Vec::new();
        tile.extend(MAGIC);
        tile.extend(0u64.to_le_bytes());
        tile.extend(self.n_genes.to_le_bytes());
        tile.extend((self.chunks.len() as u32).to_le_bytes());
        tile.extend((self.lens.len() as u64).to_le_bytes());
        let mut end = HEADER_LEN + CHUNK_ENTRY_LEN * self.chunks.len() + 4 * self.lens.len();
        for (chunk, bytes) in self.chunks.iter().zip(chunks) {
            end += bytes.len();
            for field in [chunk.cells.end, chunk.nonzeros.end, end] {
                tile.extend((field as u64).to_le_bytes());
            }
        }
        tile.extend(self.lens.iter().flat_map(|len| len.to_le_bytes()));
        tile.extend(chunks.iter().flatten());
        let crc = u64::from(crc32fast::hash(&tile[16..]));
        tile[8..16].copy_from_slice(&crc.to_le_bytes());
        tile
    }
}

/// Decodes chunks one after the other.
#[derive(Default)]
pub struct Decoder {
    sorter: CellSorter,
}

impl Decoder {
    /// A decoder without any buffer yet.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Genes, renumbered by `order` and ascending in each cell, and counts.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged.
    pub fn chunk_into<B: Deref<Target = [u8]>, C: Count>(
        &mut self,
        tile: &Tile<B>,
        chunk: usize,
        order: Option<&GeneMap>,
        genes: &mut [i32],
        counts: &mut [C],
    ) -> TileResult<()> {
        self.each_cell(tile, chunk, order, |range, cell_genes, cell_counts| {
            for (out, &gene) in genes[range.clone()].iter_mut().zip(cell_genes) {
                *out = gene as i32;
            }
            for (out, &count) in counts[range].iter_mut().zip(cell_counts) {
                *out = C::from_u32(count);
            }
        })
    }

    /// Calls `each` for every cell in turn, with its nonzeros' range in the chunk.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged.
    pub fn each_cell<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        chunk: usize,
        order: Option<&GeneMap>,
        mut each: impl FnMut(Range<usize>, &[u32], &[u32]),
    ) -> TileResult<()> {
        let (mut genes, mut counts) = tile.numbers(chunk)?;
        for range in tile.cell_ranges(chunk)? {
            let cell = &genes[range.clone()];
            let is_sound = cell.is_sorted_by(|a, b| a < b)
                && cell.last().is_none_or(|&gene| gene < tile.n_genes());
            if !is_sound {
                return Err(TileError::corrupt(format!("chunk {chunk}"), "genes"));
            }
            if let Some(order) = order {
                self.sorter.fit(order.n_genes());
                for (&gene, &count) in cell.iter().zip(&counts[range.clone()]) {
                    self.sorter.insert(order.get(gene), count);
                }
                let mut at = range.start;
                self.sorter.drain(|gene, count| {
                    (genes[at], counts[at]) = (gene, count);
                    at += 1;
                });
            }
            each(range.clone(), &genes[range.clone()], &counts[range]);
        }
        Ok(())
    }
}
