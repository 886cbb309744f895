//! Header, model and index of a tile, checked before anything is decoded.
//!
//! Header by byte offset: 0 magic; 8 version u16; 10 mode u8; 11 reserved (0);
//! 12 genes u32; 16 cells u32; 20 chunks u32; 24 nonzeros u64; 32 model: length
//! and decompressed length, u32 each; 40 index: the same; 48 size of the tile
//! u64; 56 XXH3-64 of the header before this field, the model and the index.

use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use super::cell_counts::{CellCounts, min_len};
use super::model::Model;
use super::{
    HEADER_LEN, MAGIC, MAX_BLOCKS, MAX_CELLS, MAX_CHUNK_CELLS, MAX_CHUNK_NNZ, MAX_GENES,
    MAX_PART_LEN, SLACK_LEN, VERSION,
};
use crate::error::{TileError, TileResult};
use crate::wire::{Cursor, put_varint};

/// The level at which model and index are compressed.
const ZSTD_LEVEL: i32 = 19;

/// A part of a tile with its own checksum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) bytes: Range<usize>,
    pub(super) hash: u64,
}

/// One chunk: consecutive cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Cells, from 0 in the tile.
    pub cells: Range<usize>,
    /// Their nonzeros, from 0 in the tile.
    pub nonzeros: Range<usize>,
    pub(super) counts: Section,
    /// The nonzeros of each bucket.
    pub(super) blocks: Vec<Section>,
}

/// A tile whose structure was found sound, over bytes that it owns or borrows.
#[derive(Debug)]
pub struct Tile<B> {
    bytes: B,
    /// Tells this tile from all others of the process.
    id: u64,
    n_genes: u32,
    checksum: u64,
    chunks: Vec<Chunk>,
    pub(super) model: Model,
}

/// What [`write_tile`] puts together of one chunk.
pub(super) struct ChunkParts<'a> {
    pub(super) n_cells: usize,
    pub(super) nnz: usize,
    pub(super) counts: &'a [u8],
    pub(super) blocks: Vec<&'a [u8]>,
}

/// A whole tile.
pub(super) fn write_tile(model: &Model, chunks: &[ChunkParts<'_>]) -> Vec<u8> {
    let model_bytes = model.to_bytes();
    let mut index = Vec::new();
    for chunk in chunks {
        put_varint(&mut index, chunk.n_cells as u64);
        put_varint(&mut index, chunk.nnz as u64);
        for part in std::iter::once(&chunk.counts).chain(&chunk.blocks) {
            put_varint(&mut index, part.len() as u64);
            if !part.is_empty() {
                index.extend_from_slice(&hash(part).to_le_bytes());
            }
        }
    }
    let compressed = [&model_bytes, &index].map(|part| compress(part));
    let mut tile = vec![0; HEADER_LEN];
    tile.extend_from_slice(&compressed[0]);
    tile.extend_from_slice(&compressed[1]);
    for chunk in chunks {
        tile.extend_from_slice(chunk.counts);
    }
    for chunk in chunks {
        for block in &chunk.blocks {
            tile.extend_from_slice(block);
        }
    }
    tile.resize(tile.len() + SLACK_LEN, 0);

    let sum = |of: fn(&ChunkParts<'_>) -> usize| chunks.iter().map(of).sum::<usize>();
    let mut header = Vec::with_capacity(HEADER_LEN);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&VERSION.to_le_bytes());
    header.extend_from_slice(&[1, 0]);
    header.extend_from_slice(&model.n_genes.to_le_bytes());
    header.extend_from_slice(&(sum(|chunk| chunk.n_cells) as u32).to_le_bytes());
    header.extend_from_slice(&(chunks.len() as u32).to_le_bytes());
    header.extend_from_slice(&(sum(|chunk| chunk.nnz) as u64).to_le_bytes());
    for (compressed, raw) in compressed.iter().zip([&model_bytes, &index]) {
        header.extend_from_slice(&(compressed.len() as u32).to_le_bytes());
        header.extend_from_slice(&(raw.len() as u32).to_le_bytes());
    }
    header.extend_from_slice(&(tile.len() as u64).to_le_bytes());
    let checksum = head_hash(
        &header,
        &tile[HEADER_LEN..],
        compressed[0].len() + compressed[1].len(),
    );
    header.extend_from_slice(&checksum.to_le_bytes());
    tile[..HEADER_LEN].copy_from_slice(&header);
    tile
}

fn head_hash(header: &[u8], rest: &[u8], n_bytes: usize) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(header);
    hasher.update(&rest[..n_bytes]);
    hasher.digest()
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, ZSTD_LEVEL).unwrap_or_default()
}

pub(super) fn hash(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

impl<B: Deref<Target = [u8]>> Tile<B> {
    /// Checks header, model and index, and that all parts lie in the file. The
    /// parts themselves are checked when they are decoded.
    ///
    /// # Errors
    /// `TileError` naming the part that is wrong.
    pub fn parse(owner: B) -> TileResult<Tile<B>> {
        let bytes: &[u8] = &owner;
        let place = "header";
        let wrong = |problem: String| TileError::corrupt(place, problem);
        let mut header = Cursor::new(bytes.get(..HEADER_LEN).unwrap_or(bytes), place);
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
        let [mode, reserved] = header.array()?;
        if (mode, reserved) != (1, 0) {
            return Err(TileError::Version {
                problem: format!("a tile of the unknown mode {mode}, {reserved}"),
            });
        }
        let n_genes = u32::from_le_bytes(header.array()?);
        let n_cells = u32::from_le_bytes(header.array()?) as usize;
        let n_chunks = u32::from_le_bytes(header.array()?) as usize;
        let nnz = u64::from_le_bytes(header.array()?);
        let [model_len, model_raw, index_len, index_raw] = [
            header.array()?,
            header.array()?,
            header.array()?,
            header.array()?,
        ]
        .map(|field| u32::from_le_bytes(field) as usize);
        let size = u64::from_le_bytes(header.array()?);
        let checksum = u64::from_le_bytes(header.array()?);
        if size != bytes.len() as u64 {
            return Err(wrong(format!(
                "it says {size} bytes, the file has {}",
                bytes.len()
            )));
        }
        let mut rest = Cursor::new(&bytes[HEADER_LEN..], place);
        let model_bytes = rest.bytes(model_len)?;
        let index_bytes = rest.bytes(index_len)?;
        // Two lengths in 32 bits that lie in the file.
        let head = head_hash(
            &bytes[..HEADER_LEN - 8],
            &bytes[HEADER_LEN..],
            model_len + index_len,
        );
        if head != checksum {
            return Err(wrong("its checksum differs".into()));
        }
        if n_genes == 0 || n_genes as usize > MAX_GENES {
            return Err(wrong(format!("{n_genes} genes, expected 1 to {MAX_GENES}")));
        }
        let model = Model::parse(&decompress(model_bytes, model_raw, "model")?, n_genes)?;
        let index = decompress(index_bytes, index_raw, "index")?;
        let body = HEADER_LEN + model_len + index_len..bytes.len();
        let chunks = parse_index(&index, n_chunks, &model, body)?;
        let slack = &bytes[bytes.len() - SLACK_LEN..];
        if slack.iter().any(|&byte| byte != 0) {
            return Err(TileError::corrupt("the last bytes", "they are not 0"));
        }
        let end = chunks
            .last()
            .map_or((0, 0), |chunk| (chunk.cells.end, chunk.nonzeros.end));
        if end.0 != n_cells || end.1 as u64 != nnz {
            return Err(wrong(format!(
                "{n_cells} cells and {nnz} nonzeros, the index has {} and {}",
                end.0, end.1
            )));
        }
        static PARSED: AtomicU64 = AtomicU64::new(0);
        Ok(Tile {
            id: PARSED.fetch_add(1, Ordering::Relaxed),
            n_genes,
            checksum,
            chunks,
            model,
            bytes: owner,
        })
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.cells.end)
    }

    /// The number of genes.
    pub fn n_genes(&self) -> u32 {
        self.n_genes
    }

    /// The number of nonzero counts.
    pub fn nnz(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.nonzeros.end)
    }

    /// The size in bytes.
    pub fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The checksum of the header, model and index, which hold the checksums of
    /// all the rest: it identifies the tile.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// The chunks, in the order of their cells.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// What holds the bytes.
    pub fn owner(&self) -> &B {
        &self.bytes
    }

    /// Tells this tile from all others of the process, even from one that was
    /// made to have the same checksum.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A part's bytes.
    ///
    /// # Errors
    /// `TileError::Corrupt` if its checksum differs.
    pub(super) fn section(&self, section: &Section, place: &str) -> TileResult<&[u8]> {
        let bytes = &self.bytes[section.bytes.clone()];
        if !bytes.is_empty() && hash(bytes) != section.hash {
            return Err(TileError::corrupt(place, "its checksum differs"));
        }
        Ok(bytes)
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    ///
    /// # Errors
    /// `TileError::Corrupt` if a chunk's counts are damaged.
    pub fn starts(&self) -> TileResult<Vec<usize>> {
        let mut starts = Vec::with_capacity(self.n_cells() + 1);
        starts.push(0);
        let mut counts = CellCounts::default();
        for (idx, chunk) in self.chunks.iter().enumerate() {
            let place = format!("chunk {idx}, counts");
            let bytes = self.section(&chunk.counts, &place)?;
            let (n_cells, nnz) = (chunk.cells.len(), chunk.nonzeros.len());
            counts.decode(&self.model, bytes, n_cells, nnz, 0, &place)?;
            let first = chunk.nonzeros.start;
            starts.extend(counts.starts[1..].iter().map(|start| first + start));
        }
        Ok(starts)
    }
}

fn decompress(bytes: &[u8], len: usize, place: &str) -> TileResult<Vec<u8>> {
    if len > MAX_PART_LEN {
        return Err(TileError::corrupt(
            place,
            format!("{len} bytes, at most {MAX_PART_LEN} are allowed"),
        ));
    }
    let part = zstd::bulk::decompress(bytes, len)
        .map_err(|problem| TileError::corrupt(place, problem.to_string()))?;
    if part.len() != len {
        return Err(TileError::corrupt(
            place,
            format!("{} bytes, the header says {len}", part.len()),
        ));
    }
    Ok(part)
}

/// The chunks, whose parts fill `body` but for the slack.
fn parse_index(
    index: &[u8],
    n_chunks: usize,
    model: &Model,
    body: Range<usize>,
) -> TileResult<Vec<Chunk>> {
    let mut cursor = Cursor::new(index, "index");
    let n_buckets = model.buckets.len();
    if n_chunks.saturating_mul(n_buckets) > MAX_BLOCKS {
        return Err(cursor.wrong(format!(
            "{n_chunks} chunks and {n_buckets} buckets, at most {MAX_BLOCKS} blocks are allowed"
        )));
    }
    let mut chunks: Vec<Chunk> = Vec::new();
    let (mut cell, mut nonzero) = (0usize, 0usize);
    let mut counts_end = body.start as u64;
    for _ in 0..n_chunks {
        let max_cells = MAX_CHUNK_CELLS.min(MAX_CELLS - cell);
        let n_cells = cursor.number("cells", 1, max_cells as u64)? as usize;
        let nnz = cursor.number("nonzeros", 0, MAX_CHUNK_NNZ as u64)? as usize;
        let counts = read_section(&mut cursor, &mut counts_end)?;
        if counts.bytes.len() < min_len(model, n_cells) {
            return Err(cursor.wrong(format!(
                "{} bytes of counts for {n_cells} cells in {n_buckets} buckets",
                counts.bytes.len()
            )));
        }
        // Offsets of the blocks are known when all counts are.
        let mut end = 0;
        let blocks = (0..n_buckets)
            .map(|_| read_section(&mut cursor, &mut end))
            .collect::<TileResult<Vec<Section>>>()?;
        chunks.push(Chunk {
            cells: cell..cell + n_cells,
            nonzeros: nonzero..nonzero + nnz,
            counts,
            blocks,
        });
        (cell, nonzero) = (cell + n_cells, nonzero + nnz);
    }
    cursor.finish()?;
    let mut end = counts_end;
    for chunk in &mut chunks {
        let first = end;
        for block in &mut chunk.blocks {
            end = first.saturating_add(block.bytes.end as u64);
            block.bytes = first.saturating_add(block.bytes.start as u64) as usize..end as usize;
        }
    }
    if end.saturating_add(SLACK_LEN as u64) != body.end as u64 {
        return Err(TileError::corrupt(
            "index",
            format!(
                "its parts end at byte {end} of {}, {SLACK_LEN} before the end were expected",
                body.end
            ),
        ));
    }
    Ok(chunks)
}

fn read_section(cursor: &mut Cursor<'_>, end: &mut u64) -> TileResult<Section> {
    // No sum of lengths that the index has room for passes 64 bits.
    let len = cursor.number("length", 0, u32::MAX.into())?;
    let hash = match len {
        0 => 0,
        _ => u64::from_le_bytes(cursor.array()?),
    };
    let start = *end;
    *end += len;
    Ok(Section {
        bytes: start as usize..*end as usize,
        hash,
    })
}
