//! Bringing a session in order after a power cut, a crash or a damaged index.
//!
//! Blocks with right checksums are what counts: the index, the headers' counts
//! and what metadata declare are made anew from them. No whole block is ever
//! dropped. What is cut off or replaced is kept in a folder beside the session.

mod backup;
mod headers;
mod index;
mod metadata;
mod records;
mod scan;
mod segment;
mod session;

pub use session::{RecoverAction, RecoverReport, recover};
