//! Codecs of single tiles. Everything here works on bytes in memory: files,
//! folders and threads are the business of the crates above.
#![deny(unsafe_code)]

pub mod deltacells;
mod error;
pub mod kernels;

pub use error::{TileError, TileResult};
