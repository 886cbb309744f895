//! What tiles have in common that are made of chunks with a fixed number of
//! sections, each with a checksum of its own.
//!
//! Header by byte offset: 0 magic; 8 version u16; 10 mode u8; 11 detail u8,
//! which is the mode's own; 12 genes u32; 16 cells u32; 20 chunks u32; 24
//! nonzeros u64; 32 length of the index u32; 36 reserved (0); 40 length of the
//! inner tile u64; 48 size of the tile u64; 56 XXH3-64 of the header before this
//! field, the index, and the inner tile's header.
//!
//! After it come the index, the inner tile, and the sections of each chunk in
//! turn. The index has for each chunk cells, nonzeros, and each section's length
//! (varints) and XXH3-64.

use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result};

use crate::error::{TileError, TileResult};
use crate::grid::{
    HEADER_LEN, MAGIC, MAX_CELLS, MAX_CHUNK_CELLS, MAX_CHUNK_NNZ, MAX_GENES, VERSION,
};
use crate::wire::{Cursor, put_varint};

/// Most chunks of a tile; the index takes at most 64 bytes for each.
pub(crate) const MAX_CHUNKS: usize = 1 << 24;

/// Consecutive cells of a tile, which are decoded together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Cells, from 0 in the tile.
    pub cells: Range<usize>,
    /// Their nonzeros, from 0 in the tile.
    pub nonzeros: Range<usize>,
}

/// A part of a tile with its own checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    bytes: Range<usize>,
    hash: u64,
}

/// A chunk to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) n_cells: usize,
    pub(crate) nnz: usize,
    pub(crate) sections: Vec<Vec<u8>>,
}

/// The parsed head of a tile.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    pub(crate) detail: u8,
    pub(crate) n_genes: u32,
    pub(crate) checksum: u64,
    pub(crate) inner: Range<usize>,
    pub(crate) chunks: Vec<Chunk>,
    n_sections: usize,
    sections: Vec<Section>,
}

/// The mode of a tile, in its header.
///
/// # Errors
/// `TileError::Version` if it is no tile, or one of another version.
pub fn mode(bytes: &[u8]) -> TileResult<u8> {
    let mut header = Cursor::new(bytes, "header");
    if !bytes.starts_with(&MAGIC) {
        return Err(TileError::Version {
            problem: "it does not begin with 'AXTILE.T': not a tile".into(),
        });
    }
    header.bytes(MAGIC.len())?;
    let version = u16::from_le_bytes(header.array()?);
    if version != VERSION {
        return Err(TileError::Version {
            problem: format!("tile version {version}, this build reads version {VERSION}"),
        });
    }
    header.byte()
}

/// Refuses tiles whose header could not hold these numbers.
///
/// # Errors
/// `Error::Argument` if `n_genes` is not 1 to 2^31-1, `Error::Limit` for too many
/// cells or chunks.
pub(crate) fn check_sizes(n_genes: u32, n_cells: usize, n_chunks: usize) -> Result<()> {
    if n_genes == 0 || n_genes as usize > MAX_GENES {
        return Err(Error::argument(format!(
            "{n_genes} genes, expected 1 to {MAX_GENES}"
        )));
    }
    for (n, max, what) in [
        (n_cells, MAX_CELLS, "cells"),
        (n_chunks, MAX_CHUNKS, "chunks"),
    ] {
        if n > max {
            return Err(Error::limit(
                Path::new(""),
                format!("{n} {what} in a tile, it holds at most {max}"),
            ));
        }
    }
    Ok(())
}

/// A whole tile of `chunks`; [`check_sizes`] has passed its numbers.
pub(crate) fn write(
    (mode, detail): (u8, u8),
    n_genes: u32,
    inner: &[u8],
    chunks: &[&Parts],
) -> Vec<u8> {
    let mut index = Vec::new();
    for chunk in chunks {
        put_varint(&mut index, chunk.n_cells as u64);
        put_varint(&mut index, chunk.nnz as u64);
        for section in &chunk.sections {
            put_varint(&mut index, section.len() as u64);
            index.extend(hash(section).to_le_bytes());
        }
    }
    let n_cells: usize = chunks.iter().map(|chunk| chunk.n_cells).sum();
    let nnz: usize = chunks.iter().map(|chunk| chunk.nnz).sum();
    let sections = || chunks.iter().flat_map(|chunk| &chunk.sections);
    let size = HEADER_LEN + index.len() + inner.len() + sections().map(Vec::len).sum::<usize>();

    let mut tile = Vec::with_capacity(size);
    tile.extend(MAGIC);
    tile.extend(VERSION.to_le_bytes());
    tile.extend([mode, detail]);
    tile.extend(n_genes.to_le_bytes());
    tile.extend((n_cells as u32).to_le_bytes());
    tile.extend((chunks.len() as u32).to_le_bytes());
    tile.extend((nnz as u64).to_le_bytes());
    tile.extend((index.len() as u32).to_le_bytes());
    tile.extend(0u32.to_le_bytes());
    tile.extend((inner.len() as u64).to_le_bytes());
    tile.extend((size as u64).to_le_bytes());
    let checksum = head_hash(&tile, &index, inner);
    tile.extend(checksum.to_le_bytes());
    tile.extend(index);
    tile.extend_from_slice(inner);
    for section in sections() {
        tile.extend_from_slice(section);
    }
    tile
}

impl Envelope {
    /// Checks header and index of a tile of mode `mode`, and that all parts lie
    /// in the file. The parts themselves are checked when they are asked for.
    ///
    /// # Errors
    /// `TileError` if it is no such tile, or a damaged one.
    pub(crate) fn parse(bytes: &[u8], mode: u8, n_sections: usize) -> TileResult<Envelope> {
        let found = self::mode(bytes)?;
        if found != mode {
            return Err(TileError::Version {
                problem: format!("a tile of mode {found}, expected {mode}"),
            });
        }
        let wrong = |problem: String| TileError::corrupt("header", problem);
        let mut rest = Cursor::new(bytes, "header");
        let mut header = Cursor::new(rest.bytes(HEADER_LEN)?, "header");
        header.bytes(MAGIC.len() + 3)?;
        let detail = header.byte()?;
        let n_genes = u32::from_le_bytes(header.array()?);
        let n_cells = u32::from_le_bytes(header.array()?);
        let n_chunks = u32::from_le_bytes(header.array()?);
        let nnz = u64::from_le_bytes(header.array()?);
        let index_len = u32::from_le_bytes(header.array()?) as usize;
        let reserved = u32::from_le_bytes(header.array()?);
        let inner_len = u64::from_le_bytes(header.array()?);
        let size = u64::from_le_bytes(header.array()?);
        let checksum = u64::from_le_bytes(header.array()?);
        if size != bytes.len() as u64 {
            return Err(wrong(format!(
                "it says {size} bytes, the file has {}",
                bytes.len()
            )));
        }
        let index = rest.bytes(index_len)?;
        let inner = rest.bytes(usize::try_from(inner_len).unwrap_or(usize::MAX))?;
        if head_hash(&bytes[..HEADER_LEN - 8], index, inner) != checksum {
            return Err(wrong("its checksum differs".into()));
        }
        if n_genes == 0 || n_genes as usize > MAX_GENES || reserved != 0 {
            return Err(wrong(format!("{n_genes} genes, expected 1 to {MAX_GENES}")));
        }
        let inner_start = HEADER_LEN + index_len;
        let mut envelope = Envelope {
            detail,
            n_genes,
            checksum,
            inner: inner_start..inner_start + inner.len(),
            chunks: Vec::new(),
            n_sections,
            sections: Vec::new(),
        };
        let end = envelope.read_index(index, n_chunks)?;
        if end != size {
            return Err(wrong(format!(
                "its parts end at byte {end}, expected {size}"
            )));
        }
        if (envelope.n_cells() as u64, envelope.nnz() as u64) != (n_cells.into(), nnz) {
            return Err(wrong(format!(
                "{n_cells} cells and {nnz} nonzeros, the index has {} and {}",
                envelope.n_cells(),
                envelope.nnz()
            )));
        }
        Ok(envelope)
    }

    /// Returns where the last section ends.
    fn read_index(&mut self, index: &[u8], n_chunks: u32) -> TileResult<u64> {
        let mut cursor = Cursor::new(index, "index");
        let (mut cell, mut nonzero, mut end) = (0, 0, self.inner.end as u64);
        for _ in 0..n_chunks {
            let n_cells = cursor.number("cells", 1, MAX_CHUNK_CELLS as u64)? as usize;
            let nnz = cursor.number("nonzeros", 0, MAX_CHUNK_NNZ as u64)? as usize;
            self.chunks.push(Chunk {
                cells: cell..cell + n_cells,
                nonzeros: nonzero..nonzero + nnz,
            });
            (cell, nonzero) = (cell + n_cells, nonzero + nnz);
            if cell > MAX_CELLS {
                return Err(cursor.wrong(format!("more than {MAX_CELLS} cells")));
            }
            for _ in 0..self.n_sections {
                let len = cursor.varint()?;
                let start = end;
                end = end
                    .checked_add(len)
                    .ok_or_else(|| cursor.wrong("a length beyond any file"))?;
                self.sections.push(Section {
                    bytes: start as usize..end as usize,
                    hash: u64::from_le_bytes(cursor.array()?),
                });
            }
        }
        cursor.finish()?;
        Ok(end)
    }

    pub(crate) fn n_cells(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.cells.end)
    }

    pub(crate) fn nnz(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.nonzeros.end)
    }

    /// Section `section` of chunk `chunk` of the tile `bytes`.
    ///
    /// # Errors
    /// `TileError::Corrupt` if its checksum differs.
    pub(crate) fn section<'a>(
        &self,
        bytes: &'a [u8],
        chunk: usize,
        section: usize,
        place: &str,
    ) -> TileResult<&'a [u8]> {
        let section = &self.sections[chunk * self.n_sections + section];
        let bytes = &bytes[section.bytes.clone()];
        if hash(bytes) != section.hash {
            return Err(TileError::corrupt(place, "its checksum differs"));
        }
        Ok(bytes)
    }
}

/// The inner tile's header has the checksums of all of it.
fn head_hash(header: &[u8], index: &[u8], inner: &[u8]) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(header);
    hasher.update(index);
    hasher.update(&inner[..inner.len().min(HEADER_LEN)]);
    hasher.digest()
}

fn hash(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}
