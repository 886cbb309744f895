//! Tiles of counts in general-purpose coders of numbers: for tiles that are too
//! small or too sparse for the tables of [`grid`](crate::grid). Smaller than
//! those at any size, but several times slower to read.
//!
//! A cell is how many nonzeros it has, and for each of these the gap to the gene
//! before it and the count. Gaps and counts are dealt out to streams by what is
//! known beforehand: where among the genes, which are ordered by decreasing
//! totals, the nonzero before stands, and how many nonzeros the cell has. The
//! expected gap goes with the quotient of the two. See `inst/spec/tiles.md`.
//!
//! The envelope of the tile has two sections a chunk:
//!
//! | section | content |
//! |---|---|
//! | totals | a stream of the nonzeros of each cell |
//! | nonzeros | gaps, then counts, each dealt out to streams |

mod classes;
mod decode;
mod encode;
mod tile;

pub use decode::Decoder;
pub use encode::{EncodedChunk, Options, Plan};
pub use tile::Tile;

/// The mode of these tiles, in their header.
pub const MODE: u8 = 2;
/// Classes that gaps and counts are dealt out by.
pub const N_CLASSES: usize = 128;

/// Sections of a chunk.
const TOTALS: usize = 0;
const NONZEROS: usize = 1;
const N_SECTIONS: usize = 2;
