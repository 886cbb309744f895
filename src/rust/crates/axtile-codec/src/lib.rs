//! Codecs of single tiles. Everything here works on bytes in memory: files,
//! folders and threads are the business of the crates above.
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod deltacells;
mod envelope;
mod error;
pub mod floats;
mod genes;
pub mod grid;
pub mod integers;
pub mod kernels;
pub mod packed;
mod rows;
mod streams;
mod wire;

pub use envelope::{Chunk, mode};
pub use error::{TileError, TileResult};
pub use genes::{CellSorter, GeneMap, GeneSet};
pub use rows::{CellRows, FloatRows};
