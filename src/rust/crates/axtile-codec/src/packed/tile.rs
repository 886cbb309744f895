//! A parsed tile.

use std::ops::Deref;

use super::{MODE, N_SECTIONS, TOTALS};
use crate::envelope::{Chunk, Envelope};
use crate::error::{TileError, TileResult};
use crate::streams::{decode, room};

/// A tile whose structure was found sound, over bytes that it owns or borrows.
#[derive(Debug)]
pub struct Tile<B> {
    bytes: B,
    envelope: Envelope,
}

impl<B: Deref<Target = [u8]>> Tile<B> {
    /// Checks header and index, and that all parts lie in the file. The parts
    /// themselves are checked when they are decoded.
    ///
    /// # Errors
    /// `TileError` naming the part that is wrong.
    pub fn parse(owner: B) -> TileResult<Tile<B>> {
        let envelope = Envelope::parse(&owner, MODE, N_SECTIONS)?;
        if envelope.detail != 0 || !envelope.inner.is_empty() {
            return Err(TileError::corrupt(
                "header",
                "reserved fields that are not 0",
            ));
        }
        Ok(Tile {
            bytes: owner,
            envelope,
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

    /// The number of nonzero counts.
    pub fn nnz(&self) -> usize {
        self.envelope.nnz()
    }

    /// The size in bytes.
    pub fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The checksum of the header and the index, which hold the checksums of all
    /// the rest: it identifies the tile.
    pub fn checksum(&self) -> u64 {
        self.envelope.checksum
    }

    /// The chunks, in the order of their cells.
    pub fn chunks(&self) -> &[Chunk] {
        &self.envelope.chunks
    }

    /// What holds the bytes.
    pub fn owner(&self) -> &B {
        &self.bytes
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    ///
    /// # Errors
    /// `TileError` if a chunk's totals are damaged.
    pub fn starts(&self) -> TileResult<Vec<usize>> {
        let mut starts = vec![0];
        let (mut totals, mut planes) = (Vec::new(), Vec::new());
        let mut end = 0;
        for (idx, chunk) in self.chunks().iter().enumerate() {
            self.totals(idx, &mut totals, &mut planes)?;
            starts
                .try_reserve(chunk.cells.len())
                .map_err(|_| TileError::Memory {
                    place: format!("chunk {idx}, totals"),
                    n_bytes: chunk.cells.end.saturating_mul(size_of::<usize>()),
                })?;
            for &total in &totals[..chunk.cells.len()] {
                end += total as usize;
                starts.push(end);
            }
        }
        Ok(starts)
    }

    /// A section's bytes.
    pub(super) fn section(&self, idx: usize, section: usize, place: &str) -> TileResult<&[u8]> {
        self.envelope.section(&self.bytes, idx, section, place)
    }

    /// The nonzeros of each cell of a chunk, at the start of `totals`; their sum
    /// is the chunk's.
    pub(super) fn totals(
        &self,
        idx: usize,
        totals: &mut Vec<u32>,
        planes: &mut Vec<u8>,
    ) -> TileResult<()> {
        let chunk = &self.chunks()[idx];
        let place = format!("chunk {idx}, totals");
        let stream = self.section(idx, TOTALS, &place)?;
        let totals = room(totals, chunk.cells.len(), &place)?;
        decode(stream, totals, planes, &place)?;
        let sum: u64 = totals.iter().map(|&total| u64::from(total)).sum();
        if sum != chunk.nonzeros.len() as u64 {
            return Err(TileError::corrupt(
                place,
                format!("{sum} nonzeros, the index has {}", chunk.nonzeros.len()),
            ));
        }
        Ok(())
    }
}
