//! Reading windows of time: a grid at the sampling rate, which blocks fill
//! where they have samples.

mod decode_group;
mod grid;
mod groups;
mod plan;
mod report;

pub(crate) use decode_group::prepare;
pub use plan::{ReadPlan, Window};
pub use report::{Notice, ReadOptions};
