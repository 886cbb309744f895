//! Sessions as one file: uncompressed archives that are read in place, and
//! back to folders. The same session gives the same bytes.

mod extract;
mod pack;

pub use extract::extract_session;
pub use pack::archive_session;
