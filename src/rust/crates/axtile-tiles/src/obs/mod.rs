//! Annotations of cells: the obs parts of a dataset, each a folder for
//! consecutive tiles.
//!
//! `schema.json` names the columns, `obs_0000.parquet`, ... hold them: a row
//! group for each tile, `tiles_per_file` tiles a file. Columns can be copied to
//! a local cache of memory-mapped files for fast look-ups.

mod cache;
mod cells;
pub(crate) mod files;
mod localized;
mod parts;
mod reader;
mod schema;
mod shard;
mod writer;

use crate::digest::{FINGERPRINT_LEN, SHA256_LEN, is_hex};
pub use cache::cache_root;

pub use cells::Cells;
pub(crate) use parts::{ObsParts, same_columns};
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

impl ObsSection {
    /// Whether the fields go with each other and with so many tiles; if not,
    /// the manifest's key and what is wrong with it.
    pub(crate) fn check(&self, n_tiles: usize) -> Result<(), (&'static str, String)> {
        if self.tiles_per_file == 0 {
            return Err(("tiles_per_file", "0".to_owned()));
        }
        // It becomes the name of a folder.
        if !is_hex(&self.fingerprint, FINGERPRINT_LEN) {
            let problem = format!("not {FINGERPRINT_LEN} lower-case hex digits");
            return Err(("fingerprint", problem));
        }
        let n_shards = n_tiles.div_ceil(self.tiles_per_file as usize);
        for (key, n) in [
            ("shard_bytes", self.shard_bytes.len()),
            ("shard_sha256", self.shard_sha256.len()),
        ] {
            if n != n_shards {
                return Err((key, format!("{n} values for {n_shards} shards")));
            }
        }
        match self
            .shard_sha256
            .iter()
            .find(|sha| !is_hex(sha, SHA256_LEN))
        {
            Some(wrong) => Err(("shard_sha256", format!("{wrong:?} is no SHA-256"))),
            None => Ok(()),
        }
    }
}

fn shard_name(shard: usize) -> String {
    format!("obs_{shard:04}.parquet")
}

/// The files of an obs part, the schema first.
pub(crate) fn part_files(section: &ObsSection) -> impl Iterator<Item = String> {
    let shards = (0..section.shard_bytes.len()).map(shard_name);
    std::iter::once(schema::FILE.to_owned()).chain(shards)
}

/// The schema of an obs part, in its folder.
pub(crate) const SCHEMA_FILE: &str = schema::FILE;
