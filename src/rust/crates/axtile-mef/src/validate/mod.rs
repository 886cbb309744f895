//! Checking a session: checksums of all headers, bodies, blocks and records,
//! and whether data, index, headers and metadata say the same.

mod blocks;
mod declarations;
mod finding;
mod records;
mod segment;
mod session;

pub use finding::{Finding, Severity};
pub(crate) use segment::is_body_checksum;
pub use session::{ValidateOptions, validate};
