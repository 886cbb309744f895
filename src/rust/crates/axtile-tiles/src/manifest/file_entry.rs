//! What a manifest says of one of the dataset's small files.

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::Map;
use xxhash_rust::xxh3::xxh3_64;

/// Whether a file is part of the dataset, and what is known of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileEntry {
    /// It is not.
    #[default]
    Absent,
    /// It is; the manifest says no more.
    Unchecked,
    /// It is, with these bytes.
    Checked(FileFacts),
}

/// Size and checksum of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Size in bytes.
    pub bytes: u64,
    /// XXH3 of 64 bits.
    pub xxh3: u64,
}

impl FileFacts {
    /// Of the file at `path`.
    pub(crate) fn of(path: &Path) -> Result<FileFacts> {
        let map = Map::open(path)?;
        Ok(FileFacts {
            bytes: map.len() as u64,
            xxh3: xxh3_64(&map),
        })
    }
}

impl FileEntry {
    /// Whether the file is part of the dataset.
    pub fn is_there(self) -> bool {
        self != FileEntry::Absent
    }

    /// Refuses the file at `path` if it is not the one that was written.
    ///
    /// # Errors
    /// `Error::Corrupt`, or `Error::Io` if it cannot be read.
    pub(crate) fn check(self, path: &Path) -> Result<()> {
        let FileEntry::Checked(expected) = self else {
            return Ok(());
        };
        let found = FileFacts::of(path)?;
        if found == expected {
            return Ok(());
        }
        Err(Error::corrupt(
            path,
            "its bytes",
            format!(
                "{} bytes with checksum {:016x}, expected {} with {:016x}",
                found.bytes, found.xxh3, expected.bytes, expected.xxh3
            ),
        ))
    }
}
