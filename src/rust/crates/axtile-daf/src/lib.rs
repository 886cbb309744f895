//! Data in axes: scalars, axes, and vectors and matrices along the axes, in
//! stores that other programs read and write too. Values are mapped from
//! their files where the layout allows, and never silently changed.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod cache;
mod chain;
mod describe;
mod files;
mod mapped;
mod memory;
pub mod model;
mod open;
pub mod operations;
pub mod query;
mod read_only;
mod reorder;
mod shard;
mod sparsify;
mod versions;
mod view;
mod zarr;

pub use cache::Cache;
pub use chain::{
    chain_reader, chain_writer, complete_chain, complete_daf, complete_path, complete_writer,
};
pub use describe::describe;
pub use files::{FilesDaf, OpenMode};
pub use memory::MemoryDaf;
pub use open::{open_reader, open_writer};
pub use read_only::read_only;
pub use reorder::{Orders, reorder_axes};
pub use view::{DataKey, ViewSpec, viewer};
pub use zarr::ZarrDaf;
