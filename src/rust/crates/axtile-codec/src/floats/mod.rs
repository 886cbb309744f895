//! Tiles of floating-point values: normalised counts, or whatever else has a
//! value for some genes of every cell. All bits of every value come back,
//! those of NaN and of -0 too.
//!
//! Most such values come from counts, by a function of the cell: there are few
//! different ones in a cell, and the smallest of them are the most frequent. Each
//! cell's different values, ascending, are its dictionary, and a value's rank in
//! it, from 1, is a number as small as the count was; the ranks are a tile of
//! counts ([`integers`](crate::integers)) within the tile. Where a cell's values
//! are mostly different from one another they are stored one by one, and all its
//! ranks are 1.
//!
//! If the values are found to be a known function of multiples of one number of
//! the cell, as they are after a log-normalisation, then a dictionary is that
//! number, the multiples, and how far off in units in the last place each
//! prediction is.
//!
//! The envelope of the tile holds the inner tile of ranks, and one section a
//! chunk, of the same cells as the inner tile's chunk: the [`Transform`] (u8), how
//! many values are stored one by one (varint), then streams, each behind its
//! length (varint):
//!
//! | stream | of | numbers |
//! |---|---|---|
//! | sizes | u32 | for each cell the size of its dictionary; 0 if its values are stored one by one |
//! | values | width | those stored one by one |
//! | dictionaries | width | for [`Transform::None`], of all cells in turn |
//! | scales | width | for other transforms: for each cell with a dictionary |
//! | steps | u32 | likewise: for each value how far its multiple is above the one before, or 0 |
//! | corrections | u32 or u64 | likewise: for each value, zigzag, units in the last place above the prediction |

mod decode;
mod dictionary;
mod encode;
mod section;
mod tile;
mod transform;
mod width;

pub use decode::Decoder;
pub use encode::{EncodedChunk, Options, Plan};
pub use tile::Tile;
pub use transform::Transform;
pub use width::Width;

/// The mode of these tiles, in their header.
pub const MODE: u8 = 3;
/// Sections of a chunk.
const N_SECTIONS: usize = 1;
