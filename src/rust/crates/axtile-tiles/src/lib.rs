//! Tile datasets: single-cell counts in self-contained tiles, with annotations
//! of cells (obs) and genes (var).
#![forbid(unsafe_code)]

mod source;

pub use source::{CellBlock, CellSource};
