//! Parquet files, with the crate `parquet`.
//!
//! Read: flat columns of the types in [`Stored`](crate::Stored), plain,
//! dictionary and run-length encoding, zstd or no compression; all else is an
//! `Error::Unsupported` that says what it is. The crate reserves memory for
//! numbers from the file in three places; each is bounded before:
//!
//! | number | bounded by |
//! |---|---|
//! | children of a group, depth of groups | [`schema_check`]: flat schemas only |
//! | size of a page | [`pages`]: decompressed here, to a fixed limit |
//! | values of a page or dictionary | [`pages`]: rows left, bytes there are |

mod column;
mod file;
mod labels;
mod pages;
mod schema;
mod schema_check;
mod write;

pub use file::{Leaf, MAX_GROUP_ROWS, ParquetFile};
pub use write::{Categories, ParquetWriter};
