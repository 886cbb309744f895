//! Reading windows of time: a grid at the sampling rate, which blocks fill
//! where they have samples.

mod decode_group;
mod grid;
mod groups;
mod plan;
mod report;

pub(crate) use grid::slot_of;
pub use plan::{ReadPlan, Window};
pub use report::{Notice, ReadOptions};
