//! Parsing of tiles.

use std::ops::{Deref, Range};

use zstd::zstd_safe;

use super::{CHUNK_ENTRY_LEN, HEADER_LEN, MAGIC, MAX_COUNT};
use crate::error::{TileError, TileResult};

/// Consecutive cells that are decoded together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Cells, from 0 in the tile.
    pub cells: Range<usize>,
    /// Their nonzeros, from 0 in the tile.
    pub nonzeros: Range<usize>,
}

/// A tile whose structure was found sound.
#[derive(Clone, Debug)]
pub struct Tile<B> {
    bytes: B,
    checksum: u64,
    n_genes: u32,
    n_cells: usize,
    chunks: Vec<Chunk>,
    frames: Vec<Range<usize>>,
}

fn wrong(problem: &str) -> TileError {
    TileError::corrupt("header", problem)
}

fn u64_at(bytes: &[u8], at: usize) -> TileResult<u64> {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
    Ok(u64::from_le_bytes(
        *number.ok_or_else(|| wrong("too short"))?,
    ))
}

impl<B: Deref<Target = [u8]>> Tile<B> {
    /// Checks checksum and structure.
    ///
    /// # Errors
    /// `TileError` if it is no tile, or a damaged one.
    pub fn parse(owner: B) -> TileResult<Tile<B>> {
        let bytes: &[u8] = &owner;
        if !bytes.starts_with(&MAGIC) {
            return Err(TileError::Version {
                problem: "it does not begin with 'AXTILE': not a tile".into(),
            });
        }
        let checksum = u64_at(bytes, 8)?;
        if u64::from(crc32fast::hash(bytes.get(16..).unwrap_or_default())) != checksum {
            return Err(TileError::corrupt("checksum", "another checksum"));
        }
        let counts = u64_at(bytes, 16)?;
        let (n_genes, n_chunks) = (counts as u32, (counts >> 32) as usize);
        let n_cells = u64_at(bytes, 24)?.min(bytes.len() as u64) as usize;
        let table_len = CHUNK_ENTRY_LEN * n_chunks;
        let mut end = HEADER_LEN + table_len + 4 * n_cells;
        if end > bytes.len() {
            return Err(wrong("the tables lie outside the file"));
        }
        let (mut chunks, mut frames) = (Vec::new(), Vec::new());
        let (mut cell, mut nonzero) = (0, 0);
        for at in (HEADER_LEN..HEADER_LEN + table_len).step_by(CHUNK_ENTRY_LEN) {
            let next = |field: usize| Ok(u64_at(bytes, at + 8 * field)? as usize);
            let (cells, nonzeros, frame) = (cell..next(0)?, nonzero..next(1)?, end..next(2)?);
            if cells.is_empty()
                || cells.end > n_cells
                || frame.is_empty()
                || frame.end > bytes.len()
            {
                return Err(wrong("chunks that do not follow each other"));
            }
            (cell, nonzero, end) = (cells.end, nonzeros.end, frame.end);
            chunks.push(Chunk { cells, nonzeros });
            frames.push(frame);
        }
        let tile = Tile {
            bytes: owner,
            checksum,
            n_genes,
            n_cells,
            chunks,
            frames,
        };
        let starts = tile.starts()?;
        let is_sound = |chunk: &Chunk| {
            starts.get(chunk.cells.start) == Some(&chunk.nonzeros.start)
                && starts.get(chunk.cells.end) == Some(&chunk.nonzeros.end)
        };
        if cell != n_cells || end != tile.len() || !tile.chunks.iter().all(is_sound) {
            return Err(wrong("chunks that are not those of the cells"));
        }
        Ok(tile)
    }

    /// The owner of the bytes.
    pub fn owner(&self) -> &B {
        &self.bytes
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// The number of genes of the matrix.
    pub fn n_genes(&self) -> u32 {
        self.n_genes
    }

    /// The number of nonzero counts.
    pub fn nnz(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.nonzeros.end)
    }

    /// The size in bytes.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Identifies the tile.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// The chunks, in order; together they hold every cell once.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    ///
    /// # Errors
    /// `TileError` if they are damaged.
    pub fn starts(&self) -> TileResult<Vec<usize>> {
        let at = HEADER_LEN + CHUNK_ENTRY_LEN * self.chunks.len();
        let lens = self
            .bytes
            .get(at..at + 4 * self.n_cells)
            .unwrap_or_default();
        let mut starts = vec![0];
        let mut end = 0usize;
        for len in lens.as_chunks::<4>().0 {
            end += u32::from_le_bytes(*len) as usize;
            starts.push(end);
        }
        Ok(starts)
    }

    pub(super) fn cell_ranges(&self, chunk: usize) -> TileResult<Vec<Range<usize>>> {
        let Chunk { cells, nonzeros } = &self.chunks[chunk];
        let starts = self.starts()?;
        let bounds = starts[cells.start..=cells.end].windows(2);
        Ok(bounds
            .map(|pair| pair[0] - nonzeros.start..pair[1] - nonzeros.start)
            .collect())
    }

    /// Genes and counts of a chunk.
    pub(super) fn numbers(&self, chunk: usize) -> TileResult<(Vec<u32>, Vec<u32>)> {
        let damaged = |problem: &str| TileError::corrupt(format!("chunk {chunk}"), problem);
        let n = self.chunks[chunk].nonzeros.len();
        let frame = self
            .bytes
            .get(self.frames[chunk].clone())
            .unwrap_or_default();
        let content = zstd_safe::get_frame_content_size(frame).ok().flatten();
        // A zstd block of 128 kB takes at least 4 bytes.
        if content != Some(8 * n as u64) || 8 * n / (128 << 10) > frame.len() {
            return Err(damaged("another size"));
        }
        let mut bytes = vec![0; 8 * n];
        let written = zstd_safe::decompress(bytes.as_mut_slice(), frame)
            .map_err(|code| damaged(zstd_safe::get_error_name(code)))?;
        let mut numbers = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&word| u32::from_le_bytes(word));
        let genes: Vec<u32> = numbers.by_ref().take(n).collect();
        let counts: Vec<u32> = numbers.collect();
        let is_count = |count: &u32| (1..=MAX_COUNT).contains(count);
        if written != 8 * n || !counts.iter().all(is_count) {
            return Err(damaged("no counts"));
        }
        Ok((genes, counts))
    }
}
