//! A thin layer over the crate `hdf5-reader`, which parses HDF5's metadata.
//! The numbers themselves are read here: chunk addresses come from the chunk
//! index, chunks are inflated straight from the file's map, by any number of
//! threads and outside any lock.
//!
//! Facts about the format are from the "HDF5 File Format Specification", version
//! 4.0, <https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t4.html>.

mod chunks;
mod dataset;
mod element;
mod file;
mod filters;
mod lzf;
mod numbers;
mod text;

pub(crate) use dataset::{Dataset, Scratch};
pub(crate) use element::{Element, Order};
pub(crate) use file::{File, Group, Node};
pub(crate) use numbers::{
    Odd, counts_into, floats_into, indices_into, integer, integers_into, real, value_text,
};
pub(crate) use text::TextReader;

/// The largest chunk that is inflated, in bytes. HDF5 allows up to 4 GiB; h5py
/// and anndata make chunks of about a megabyte.
pub(crate) const MAX_CHUNK_BYTES: u64 = 1 << 30;

/// How many times its stored size a deflated or LZF chunk can have: deflate's
/// limit is 1032 (RFC 1951: a match of 258 bytes takes at least 2 bits).
const MAX_EXPANSION: u64 = 1032;

/// The same for chunks of other filters. A zstd block of 128 KiB of one byte
/// takes 4 bytes.
const MAX_EXPANSION_OTHER: u64 = 1 << 16;

/// What small files may expand to beyond [`MAX_EXPANSION`]: a chunk is stored
/// whole even where the dataset ends inside it.
const EXPANSION_SLACK: u64 = 1 << 24;
