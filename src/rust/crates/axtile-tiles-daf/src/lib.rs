//! Tile datasets seen as data in axes: the axes `cell` and `gene`, vectors of
//! annotations, and a matrix for each layer that queries read tile by tile.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod entries;
mod layer;
mod store;
mod vectors;

pub use store::{CELL, GENE, ORIGINAL_NAMES, TilesDaf};
