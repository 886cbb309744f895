//! New sessions from others: a span of time, several as one, or without what
//! tells who the subject is. Blocks are copied as they are; only those at the
//! edges of a cut are encoded anew.

mod anonymize;
mod blocks;
mod merge;
mod records;
mod segment;
mod session;

pub use anonymize::{AnonymizeOptions, anonymize_session};
pub use merge::merge_sessions;
pub(crate) use segment::{Change, Place};
pub use session::cut_session;
