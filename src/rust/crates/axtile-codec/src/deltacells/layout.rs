//! The header, the chunk table and indptr of a tile, checked against each other
//! and against the length of the file before anything is decoded.
//!
//! Header fields by byte offset: 0 magic; 8 version u32; 12 flags u32 (0);
//! 16 cells u64; 24 nonzeros u64; 32 genes u32; 36 chunks u32; 40 offset of
//! indptr u64; 48 size of the tile u64; 56 CRC-32 of all after the header u32;
//! 60 reserved u32 (0). A chunk entry is eight u64: cells from, to; nonzeros
//! from, to; gaps offset, length; counts offset, length.

use std::ops::{Deref, Range};

use zstd::zstd_safe;

use super::{ALIGNMENT, CHUNK_ENTRY_LEN, HEADER_LEN, MAGIC, MAX_GENES, VERSION};
use crate::error::{TileError, TileResult};

/// A zstd block holds at most this many bytes, and is at least 4 bytes long in
/// the file: no frame can hold more than this allows (RFC 8878, section 3.1.1.2).
const ZSTD_BLOCK_MAX: usize = 128 << 10;
const ZSTD_BLOCK_MIN_LEN: usize = 4;
/// What a frame begins with; a skippable one begins otherwise.
const ZSTD_MAGIC: [u8; 4] = 0xFD2F_B528u32.to_le_bytes();

/// What the header says; the bytes behind it are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileHeader {
    /// Cells in the tile.
    pub n_cells: u64,
    /// Nonzero counts in the tile.
    pub nnz: u64,
    /// Genes of the matrix.
    pub n_genes: u32,
    /// Chunks of the tile.
    pub n_chunks: u32,
    /// Size of the tile in bytes.
    pub total_size: u64,
    crc: u32,
    indptr_offset: u64,
}

/// One chunk: consecutive cells whose nonzeros share two streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Cells, from 0 in the tile.
    pub cells: Range<usize>,
    /// Their nonzeros, from 0 in the tile.
    pub nonzeros: Range<usize>,
    /// Byte range of the gaps stream.
    pub gaps: Range<usize>,
    /// Byte range of the counts stream.
    pub counts: Range<usize>,
}

/// A tile whose structure was found sound, over bytes that it owns or borrows.
#[derive(Clone, Debug)]
pub struct Tile<B> {
    bytes: B,
    header: TileHeader,
    chunks: Vec<Chunk>,
    starts: Vec<usize>,
}

impl TileHeader {
    /// Reads the 64 bytes of the header.
    ///
    /// # Errors
    /// `TileError` if it is no header of version 1 or a field is out of range.
    pub fn parse(bytes: &[u8]) -> TileResult<TileHeader> {
        let Some((header, _)) = bytes.split_first_chunk::<HEADER_LEN>() else {
            return Err(TileError::corrupt(
                "header",
                format!("{} bytes, a tile has at least {HEADER_LEN}", bytes.len()),
            ));
        };
        if !header.starts_with(&MAGIC) {
            return Err(TileError::Version {
                problem: "it does not begin with 'DELTACEL': not a tile".into(),
            });
        }
        let version = u32_at(header, 8);
        if version != VERSION {
            return Err(TileError::Version {
                problem: format!("tile version {version}, this build reads version {VERSION}"),
            });
        }
        let flags = u32_at(header, 12);
        if flags != 0 {
            return Err(TileError::Version {
                problem: format!("unknown tile flags {flags:#x}"),
            });
        }
        let reserved = u32_at(header, 60);
        if reserved != 0 {
            return Err(TileError::corrupt(
                "header",
                format!("the reserved field is {reserved}, expected 0"),
            ));
        }
        let n_genes = u32_at(header, 32);
        if n_genes == 0 || n_genes as usize > MAX_GENES {
            return Err(TileError::corrupt(
                "header",
                format!("{n_genes} genes, expected 1 to {MAX_GENES}"),
            ));
        }
        Ok(TileHeader {
            n_cells: u64_at(header, 16),
            nnz: u64_at(header, 24),
            n_genes,
            n_chunks: u32_at(header, 36),
            indptr_offset: u64_at(header, 40),
            total_size: u64_at(header, 48),
            crc: u32_at(header, 56),
        })
    }
}

impl<B: Deref<Target = [u8]>> Tile<B> {
    /// Checks header, checksum, chunk table, indptr and the size of every
    /// stream. Allocates 8 bytes a cell; the streams are not decompressed.
    ///
    /// # Errors
    /// `TileError` naming the part that is wrong.
    pub fn parse(owner: B) -> TileResult<Tile<B>> {
        let bytes: &[u8] = &owner;
        let header = TileHeader::parse(bytes)?;
        if header.total_size != bytes.len() as u64 {
            return Err(TileError::corrupt(
                "header",
                format!(
                    "{} bytes according to the header, {} in the file",
                    header.total_size,
                    bytes.len()
                ),
            ));
        }
        let payload = bytes.get(HEADER_LEN..).unwrap_or_default();
        let crc = crc32fast::hash(payload);
        if crc != header.crc {
            return Err(TileError::corrupt(
                "checksum",
                format!("CRC-32 {crc:08x}, expected {:08x}", header.crc),
            ));
        }
        let table = section(
            bytes,
            HEADER_LEN as u64,
            header.n_chunks.into(),
            CHUNK_ENTRY_LEN,
        )
        .ok_or_else(|| TileError::corrupt("header", "the chunk table lies outside the file"))?;
        let n_starts = header.n_cells.checked_add(1);
        let indptr = n_starts
            .filter(|_| header.indptr_offset % ALIGNMENT as u64 == 0)
            .filter(|_| header.indptr_offset >= table.end as u64)
            .and_then(|n| section(bytes, header.indptr_offset, n, 8))
            .ok_or_else(|| TileError::corrupt("header", "indptr lies outside the file"))?;
        let starts = parse_starts(&bytes[indptr.clone()], &header)?;
        let chunks = parse_chunks(&bytes[table], indptr.end, &header, &starts, bytes)?;
        Ok(Tile {
            bytes: owner,
            header,
            chunks,
            starts,
        })
    }

    /// The owner of the bytes.
    pub fn owner(&self) -> &B {
        &self.bytes
    }

    /// The header.
    pub fn header(&self) -> &TileHeader {
        &self.header
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of genes of the matrix, at most 65,536.
    pub fn n_genes(&self) -> usize {
        self.header.n_genes as usize
    }

    /// The number of nonzero counts.
    pub fn nnz(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The chunks, in order; together they hold every cell once.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    pub(super) fn stream(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

/// The byte range of `count` items of `width` bytes at `offset`, if inside.
fn section(bytes: &[u8], offset: u64, count: u64, width: usize) -> Option<Range<usize>> {
    let len = count.checked_mul(width as u64)?;
    let end = offset.checked_add(len)?;
    if end > bytes.len() as u64 {
        return None;
    }
    Some(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
}

fn parse_starts(indptr: &[u8], header: &TileHeader) -> TileResult<Vec<usize>> {
    let mut starts = Vec::with_capacity(indptr.len() / 8);
    let mut previous = 0;
    for (cell, bytes) in indptr.as_chunks::<8>().0.iter().enumerate() {
        let start = u64::from_le_bytes(*bytes);
        let is_first_wrong = cell == 0 && start != 0;
        // A cell cannot have more nonzeros than there are genes. This bounds
        // everything that is allocated later by the length of the file.
        if is_first_wrong || start < previous || start - previous > u64::from(header.n_genes) {
            return Err(TileError::corrupt(
                format!("indptr, entry {cell}"),
                format!(
                    "{start} after {previous}; expected a start of 0 and steps of 0 to {}",
                    header.n_genes
                ),
            ));
        }
        previous = start;
        starts.push(usize::try_from(start).map_err(|_| {
            TileError::corrupt(
                format!("indptr, entry {cell}"),
                "beyond this machine's memory",
            )
        })?);
    }
    if previous != header.nnz {
        return Err(TileError::corrupt(
            "indptr",
            format!(
                "ends at {previous}, the header says {} nonzeros",
                header.nnz
            ),
        ));
    }
    Ok(starts)
}

fn parse_chunks(
    table: &[u8],
    streams_start: usize,
    header: &TileHeader,
    starts: &[usize],
    bytes: &[u8],
) -> TileResult<Vec<Chunk>> {
    let n_cells = starts.len() - 1;
    let mut chunks = Vec::with_capacity(table.len() / CHUNK_ENTRY_LEN);
    let (mut cell, mut nonzero, mut stream_end) = (0, 0, streams_start);
    for (idx, entry) in table.as_chunks::<CHUNK_ENTRY_LEN>().0.iter().enumerate() {
        let wrong = |problem: String| TileError::corrupt(format!("chunk {idx}"), problem);
        let field = |field: usize| u64_at(entry, 8 * field);
        let cells = field(0)..field(1);
        let nonzeros = field(2)..field(3);
        if cells.start != cell as u64 || cells.end <= cells.start || cells.end > n_cells as u64 {
            return Err(wrong(format!(
                "cells {} to {} do not follow cell {cell} of {n_cells}",
                cells.start, cells.end
            )));
        }
        let cells = cell..cells.end as usize;
        let expected = nonzero..starts[cells.end];
        if nonzeros != (expected.start as u64..expected.end as u64) {
            return Err(wrong(format!(
                "nonzeros {} to {}, indptr says {} to {}",
                nonzeros.start, nonzeros.end, expected.start, expected.end
            )));
        }
        let mut stream = |name: &str, offset: u64, len: u64| {
            let place = format!("chunk {idx}, {name} stream");
            let range = section(bytes, offset, len, 1)
                .filter(|range| range.start % ALIGNMENT == 0 && range.start >= stream_end)
                .ok_or_else(|| {
                    TileError::corrupt(
                        place.as_str(),
                        format!(
                            "offset {offset}, length {len}: not a multiple of {ALIGNMENT}, \
                             outside the file or over another part"
                        ),
                    )
                })?;
            // Twice what indptr allows still counts bytes in memory on 32 bits.
            let content = expected.len().saturating_mul(2);
            check_frame(&bytes[range.clone()], content, &place)?;
            stream_end = range.end;
            Ok(range)
        };
        let gaps = stream("gaps", field(4), field(5))?;
        let counts = stream("counts", field(6), field(7))?;
        cell = cells.end;
        nonzero = expected.end;
        chunks.push(Chunk {
            cells,
            nonzeros: expected,
            gaps,
            counts,
        });
    }
    if cell != n_cells {
        return Err(TileError::corrupt(
            "chunk table",
            format!(
                "{} chunks hold {cell} cells, the tile has {n_cells}",
                header.n_chunks
            ),
        ));
    }
    Ok(chunks)
}

/// One zstd frame, with its content size, that fills the stream.
fn check_frame(stream: &[u8], content: usize, place: &str) -> TileResult<()> {
    if !stream.starts_with(&ZSTD_MAGIC) {
        return Err(TileError::corrupt(place, "not a zstd frame"));
    }
    let declared = zstd_safe::get_frame_content_size(stream)
        .map_err(|_| TileError::corrupt(place, "not a zstd frame"))?
        .ok_or_else(|| TileError::corrupt(place, "the zstd frame has no content size"))?;
    if declared != content as u64 {
        return Err(TileError::corrupt(
            place,
            format!("the zstd frame holds {declared} bytes, expected {content}"),
        ));
    }
    if content / ZSTD_BLOCK_MAX > stream.len() / ZSTD_BLOCK_MIN_LEN {
        return Err(TileError::corrupt(
            place,
            format!("{} bytes cannot hold {content}", stream.len()),
        ));
    }
    let frame_len = zstd_safe::find_frame_compressed_size(stream)
        .map_err(|code| TileError::corrupt(place, zstd_safe::get_error_name(code)))?;
    if frame_len != stream.len() {
        return Err(TileError::corrupt(
            place,
            format!(
                "a zstd frame of {frame_len} bytes in a stream of {}",
                stream.len()
            ),
        ));
    }
    Ok(())
}

fn u32_at<const N: usize>(bytes: &[u8; N], offset: usize) -> u32 {
    let mut value = [0; 4];
    value.copy_from_slice(&bytes[offset..offset + 4]);
    u32::from_le_bytes(value)
}

fn u64_at<const N: usize>(bytes: &[u8; N], offset: usize) -> u64 {
    let mut value = [0; 8];
    value.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(value)
}
