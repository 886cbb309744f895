//! Locks between processes.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use crate::FileIdentity;

/// An exclusive lock on a file made for it; the system frees it when the
/// process ends, however it ends. The file is removed when the lock is dropped.
#[derive(Debug)]
pub struct FileLock {
    // Held for the lock that goes with it.
    _file: File,
    path: PathBuf,
}

impl FileLock {
    /// Takes the lock; `None` if somebody else holds it.
    ///
    /// # Errors
    /// `Error::Io` if the lock file cannot be made or locked.
    pub fn try_take(path: &Path) -> Result<Option<FileLock>> {
        loop {
            let file = File::options()
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
                .map_err(Error::io("create", path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(source)) => return Err(Error::io("lock", path)(source)),
            }
            // The holder before us may have removed the file after we opened it.
            let ours = file.metadata().map_err(Error::io("inspect", path))?;
            let is_current =
                FileIdentity::read(path).is_ok_and(|current| current == FileIdentity::of(&ours));
            if is_current {
                return Ok(Some(FileLock {
                    _file: file,
                    path: path.to_owned(),
                }));
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Removed while still locked; whoever opened it meanwhile sees that it
        // is gone and makes a new one.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_exclusive_and_can_be_taken_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = FileLock::try_take(&path).unwrap();
        assert!(first.is_some());
        assert!(FileLock::try_take(&path).unwrap().is_none());
        drop(first);
        assert!(!path.exists());
        assert!(FileLock::try_take(&path).unwrap().is_some());
    }
}
