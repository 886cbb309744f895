//! Tile datasets: single-cell counts in self-contained tiles, with annotations
//! of cells (obs) and genes (var).
#![forbid(unsafe_code)]

mod obs;
mod python_json;
mod source;
mod var;

pub use source::{CellBlock, CellSource};
pub use var::{read_gene_order, read_var_names, write_gene_order, write_var_names};
