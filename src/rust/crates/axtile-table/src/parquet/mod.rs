//! Parquet files (<https://github.com/apache/parquet-format>): the part of the
//! format that annotation tables need.
//!
//! Read: flat columns of the types in [`Stored`], pages of version 1 and 2,
//! plain, dictionary and run-length encoding, zstd or no compression; all else
//! is an `Error::Unsupported` that says what it is. Nothing is allocated on a
//! number from a file before it is bounded, and no byte can make a reader
//! panic: that, and a twentieth of the build time, is why this is not the
//! `parquet` crate.

mod decode;
mod encode;
mod footer;
mod hybrid;
mod page;
mod plain;
mod read;
mod stored;
mod thrift;
mod write;

pub use encode::Categories;
pub use footer::{Leaf, MAX_GROUP_ROWS};
pub use read::ParquetFile;
pub use stored::Stored;
pub use write::ParquetWriter;
