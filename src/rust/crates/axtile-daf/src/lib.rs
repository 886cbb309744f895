//! Data in axes: scalars, axes, and vectors and matrices along the axes, in
//! stores that other programs read and write too. Values are mapped from
//! their files where the layout allows, and never silently changed.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod files;
mod memory;
pub mod model;
pub mod operations;
pub mod query;
mod reorder;
mod shard;
mod versions;

pub use files::{FilesDaf, OpenMode};
pub use memory::MemoryDaf;
pub use reorder::{Orders, reorder_axes};
