//! Writing sessions and appending to them.
//!
//! What a call writes is checked and encoded before any file is touched. An
//! append writes blocks, then index entries, then the headers of both files,
//! and puts the new metadata in the place of the old at last, so that a power
//! cut can hurt nothing but the append in flight, which `recover` brings in
//! order. A new segment is built beside and appears whole.

mod append;
mod counts;
mod durability;
mod encode;
mod fresh;
mod opening;
mod part;
mod records;
mod segment;
mod statistics;
mod step;
mod target;
mod writer;

pub(crate) use append::append_all;
pub use counts::Precision;
pub use durability::Durability;
pub(crate) use durability::{Dirty, publish};
pub(crate) use encode::{slot_span, time_of, unstorable};
pub(crate) use fresh::{NewSegment, PARTIAL, new_id};
pub use part::{Part, Values};
pub(crate) use statistics::{BlockSize, Statistics, half_sample, is_poor, redeclare};
pub use writer::{SessionWriter, WriteOptions};
