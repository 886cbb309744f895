//! Tiles of the deltacells format, version 1 (see `inst/spec/deltacells.md`).
//!
//! A tile holds the nonzero counts of some cells, cell by cell, genes
//! ascending. All numbers are little-endian.
//!
//! | part | bytes |
//! |---|---|
//! | header | 64 |
//! | chunk table | 64 a chunk |
//! | indptr: where each cell's nonzeros start | 8 x (cells + 1) |
//! | streams: for each chunk the gene gaps, then the counts | zstd frames, each at a multiple of 8 |
//!
//! A stream of n numbers is one zstd frame of 2n bytes: the low bytes of all
//! numbers, then the high bytes.

mod decode;
mod encode;
mod layout;

pub use decode::Decoder;
pub use encode::{ChunkFrames, assemble, check_level, cut_chunks, encode_chunk};
pub use layout::{Chunk, Tile, TileHeader};

/// The first bytes of every tile.
pub const MAGIC: [u8; 8] = *b"DELTACEL";
/// The only version of this format.
pub const VERSION: u32 = 1;
/// Genes are numbered in 16 bits.
pub const MAX_GENES: usize = 65_536;
/// Counts are kept in 16 bits.
pub const MAX_COUNT: u32 = 65_535;
/// Size of the header in bytes.
pub const HEADER_LEN: usize = 64;
/// Size of one entry of the chunk table in bytes.
pub const CHUNK_ENTRY_LEN: usize = 64;
/// Streams start at multiples of this many bytes.
pub const ALIGNMENT: usize = 8;
