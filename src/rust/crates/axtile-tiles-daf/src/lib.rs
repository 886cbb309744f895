//! A tile dataset as data in axes, to be read: the axes `cell` and `gene`, the
//! annotations of both as vectors, and each layer as a matrix of genes x cells.
//! Reductions of a layer read it in parts: a tile, or some genes of all cells.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod layer;
mod store;
mod vectors;

pub use store::TilesDaf;

/// The axis of the cells.
pub const CELLS: &str = "cell";
/// The axis of the genes.
pub const GENES: &str = "gene";
