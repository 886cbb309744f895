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
pub(crate) use section1::Encryption;
pub use section2::Section2;
pub use section3::Section3;
pub use universal::{FileType, UNIVERSAL_BYTES, UniversalHeader};
pub(crate) use universal::{check_header, seal_header};
