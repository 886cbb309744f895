//! A parsed tile.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use super::section::Values;
use super::{MODE, N_SECTIONS, Width};
use crate::envelope::{Chunk, Envelope};
use crate::error::{TileError, TileResult};
use crate::integers;

/// A part of the bytes that something owns.
#[derive(Clone, Debug)]
pub(super) struct Part<B> {
    owner: Arc<B>,
    range: Range<usize>,
}

impl<B: Deref<Target = [u8]>> Deref for Part<B> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.owner[self.range.clone()]
    }
}

/// A tile whose structure was found sound, over bytes that it owns or borrows.
#[derive(Debug)]
pub struct Tile<B> {
    owner: Arc<B>,
    envelope: Envelope,
    width: Width,
    pub(super) ranks: integers::Tile<Part<B>>,
    starts: OnceLock<Vec<usize>>,
}

impl<B: Deref<Target = [u8]>> Tile<B> {
    /// Checks the heads of the tile and of the inner one. The parts are checked
    /// when they are decoded.
    ///
    /// # Errors
    /// `TileError` naming the part that is wrong.
    pub fn parse(owner: B) -> TileResult<Tile<B>> {
        let envelope = Envelope::parse(&owner, MODE, N_SECTIONS)?;
        let wrong = |problem: String| TileError::corrupt("header", problem);
        let width = Width::from_bytes(envelope.detail)
            .ok_or_else(|| wrong(format!("values of {} bytes", envelope.detail)))?;
        let owner = Arc::new(owner);
        let ranks = integers::Tile::parse(Part {
            owner: Arc::clone(&owner),
            range: envelope.inner.clone(),
        })?;
        if ranks.n_genes() != envelope.n_genes || ranks.chunks() != envelope.chunks {
            return Err(wrong("its chunks are not those of the inner tile".into()));
        }
        Ok(Tile {
            owner,
            envelope,
            width,
            ranks,
            starts: OnceLock::new(),
        })
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.envelope.n_cells()
    }

    /// The number of genes.
    pub fn n_genes(&self) -> u32 {
        self.envelope.n_genes
    }

    /// The number of stored values.
    pub fn nnz(&self) -> usize {
        self.envelope.nnz()
    }

    /// The width of the values.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The size in bytes.
    pub fn n_bytes(&self) -> usize {
        self.owner.len()
    }

    /// The checksum of the header, the index and the inner tile's header, which
    /// hold the checksums of all the rest: it identifies the tile.
    pub fn checksum(&self) -> u64 {
        self.envelope.checksum
    }

    /// The chunks, in the order of their cells.
    pub fn chunks(&self) -> &[Chunk] {
        &self.envelope.chunks
    }

    /// What holds the bytes.
    pub fn owner(&self) -> &B {
        &self.owner
    }

    /// Where each cell's values start, and the end of the last one. They are
    /// decoded when they are first asked for.
    ///
    /// # Errors
    /// `TileError` if they are damaged.
    pub fn starts(&self) -> TileResult<&[usize]> {
        if let Some(starts) = self.starts.get() {
            return Ok(starts);
        }
        let starts = self.ranks.starts()?;
        Ok(self.starts.get_or_init(|| starts))
    }

    /// Decodes the values of a chunk.
    pub(super) fn values(&self, idx: usize, values: &mut Values) -> TileResult<()> {
        let place = format!("chunk {idx}, values");
        let section = self.envelope.section(&self.owner, idx, 0, &place)?;
        let chunk = &self.chunks()[idx];
        let (n_cells, nnz) = (chunk.cells.len(), chunk.nonzeros.len());
        values.decode(section, self.width, n_cells, nnz, &place)
    }
}
