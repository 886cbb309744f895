//! Tiles of the axtile format (see `inst/spec/tiles.md`): a grid of cell chunks
//! and gene buckets.
//!
//! Genes are ordered by decreasing totals and cut into buckets of about equally
//! many nonzeros, cells into chunks. What is known about a nonzero beforehand
//! makes it cheap to store: its bucket tells how large gaps and counts are, and
//! the number of nonzeros that the cell has in the bucket, which is stored
//! first, tells more. A nonzero is one symbol of a prefix code (the upper part
//! of its gap and its count together), and a few raw bits of the gap. All cells
//! of a chunk that share a code table are coded in one run, so that decoding
//! is one loop without any choice in it.
//!
//! | part | content |
//! |---|---|
//! | header | 64 bytes |
//! | model | gene orders, buckets, dictionaries, code lengths; zstd |
//! | index | cells, nonzeros, lengths and checksums of all that follows; zstd |
//! | counts | for each chunk: how many nonzeros every cell has in every bucket |
//! | blocks | for each chunk and bucket: the nonzeros |

mod bits;
mod block;
mod cell_counts;
mod clusters;
mod decode;
mod dictionary;
mod encode;
mod genes;
pub(crate) mod huffman;
mod layout;
mod maps;
mod model;
mod tables;

pub use crate::kernels::MIN_SPLIT;
pub use decode::Decoder;
pub(crate) use encode::cut;
pub use encode::{EncodedChunk, Options, Plan};
pub use huffman::MAX_CODE_LEN;
pub use layout::{Chunk, Tile};
pub use model::{MAX_ESCAPE_BITS, MAX_RAW_BITS};

/// The first bytes of every tile.
pub const MAGIC: [u8; 8] = *b"AXTILE.T";
/// The only version of this format.
pub const VERSION: u16 = 1;
/// Size of the header in bytes.
pub const HEADER_LEN: usize = 64;
/// Zero bytes at the end of a tile, so that decoders may read ahead.
pub const SLACK_LEN: usize = 64;
/// Largest count.
pub const MAX_COUNT: u32 = i32::MAX as u32;
/// Most genes of a tile.
pub const MAX_GENES: usize = i32::MAX as usize;
/// Most nonzeros of a chunk.
pub const MAX_CHUNK_NNZ: usize = 1 << 26;
/// Most cells of a tile: no number of bytes bounds cells without nonzeros.
pub const MAX_CELLS: usize = 1 << 24;
/// Most cells of a chunk.
pub const MAX_CHUNK_CELLS: usize = 1 << 20;
/// Most blocks of a tile: chunks times buckets.
pub const MAX_BLOCKS: usize = 1 << 20;
/// Most buckets of a tile.
pub const MAX_BUCKETS: usize = 256;
/// Most clusters of cells, each with its own order of genes.
pub const MAX_CLUSTERS: usize = 16;
/// Most classes of cells by their nonzeros in a bucket.
pub const MAX_CLASSES: usize = 16;
/// Most code tables of a bucket.
pub const MAX_TABLES: usize = 64;
/// Most symbols of a bucket.
pub const MAX_SYMBOLS: usize = 256;
/// Largest model or index, decompressed, in bytes.
pub const MAX_PART_LEN: usize = 32 << 20;
