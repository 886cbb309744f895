//! Annotations of cells: the folder `obs` of a dataset.
//!
//! `schema.json` names the columns, `obs_0000.parquet`, ... hold them: a row
//! group for each tile, `tiles_per_file` tiles a file. Columns can be copied to
//! a local cache of memory-mapped files for fast look-ups.

mod cache;
mod cells;
pub(crate) mod files;
mod localized;
mod reader;
mod schema;
mod shard;
mod writer;

pub use cache::cache_root;
pub use cells::Cells;
pub use reader::ObsReader;
pub use writer::ObsWriter;

/// What the manifest says of obs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObsSection {
    /// Tiles of each shard but the last.
    pub tiles_per_file: u32,
    /// Identifies schema and shards: 24 hexadecimal digits.
    pub fingerprint: String,
    /// The size of each shard.
    pub shard_bytes: Vec<u64>,
    /// The SHA-256 of each shard, in lower-case hexadecimal digits.
    pub shard_sha256: Vec<String>,
}

fn shard_name(shard: usize) -> String {
    format!("obs_{shard:04}.parquet")
}
