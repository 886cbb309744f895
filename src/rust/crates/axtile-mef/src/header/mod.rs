//! The files' headers: the universal header that starts each, the metadata's
//! three sections, and the index of blocks.

mod index;
mod metadata;
mod section1;
mod section2;
mod section3;
mod universal;

pub use index::{ENTRY_BYTES, IndexEntry};
pub use metadata::{METADATA_BYTES, MetadataImage};
pub use section2::Section2;
pub use section3::Section3;
pub(crate) use universal::seal_header;
pub use universal::{FileType, UNIVERSAL_BYTES, UniversalHeader};
