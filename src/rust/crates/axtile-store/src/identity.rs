//! Whether a file is still the one that was opened.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use axtile_core::{Error, Result};

/// Size, time of change and, where the system has them, device and file
/// number. Stores replace files by renaming, so a new version differs in one
/// of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    size: u64,
    modified: Option<SystemTime>,
    device: u64,
    number: u64,
}

impl FileIdentity {
    /// The identity of the file that `metadata` describes.
    pub fn of(metadata: &Metadata) -> FileIdentity {
        #[cfg(unix)]
        let (device, number) = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let (device, number) = (0, 0);
        FileIdentity {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            device,
            number,
        }
    }

    /// The identity of the file at `path` now.
    ///
    /// # Errors
    /// `Error::Io` if there is none.
    pub fn read(path: &Path) -> Result<FileIdentity> {
        let metadata = std::fs::metadata(path).map_err(Error::io("open", path))?;
        Ok(FileIdentity::of(&metadata))
    }

    /// The file's size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Seconds and nanoseconds of the last change since 1970, if known.
    pub fn modified(&self) -> Option<(u64, u32)> {
        let since = self.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some((since.as_secs(), since.subsec_nanos()))
    }
}
