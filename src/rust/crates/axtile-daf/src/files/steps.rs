//! Single changes of the disk, each of which happens or does not. Tests stop
//! between any two of them, as a crash would.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use axtile_core::{Error, Result};

use super::paths;

/// Writes a whole file, and has it on the disk.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    stop::here(path)?;
    axtile_store::write_file(path, bytes)
}

/// Removes a file, unless there is none.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    stop::here(path)?;
    paths::remove_file(path)
}

/// Removes a folder with all that is in it, unless there is none.
pub(super) fn remove_folder(path: &Path) -> Result<()> {
    stop::here(path)?;
    paths::remove_folder(path)
}

/// Makes a folder, and those it is in.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    stop::here(path)?;
    fs::create_dir_all(path).map_err(Error::io("create", path))
}

/// Renames a file or folder, replacing a file.
pub(super) fn rename(from: &Path, to: &Path) -> Result<()> {
    stop::here(from)?;
    fs::rename(from, to).map_err(Error::io("rename", from))
}

/// Gives a file a second name, or copies it where the file system has none.
pub(super) fn link(from: &Path, to: &Path) -> Result<()> {
    stop::here(from)?;
    match fs::hard_link(from, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => fs::copy(from, to)
            .map(|_| ())
            .map_err(Error::io("copy", from)),
        done => done.map_err(Error::io("link", from)),
    }
}

#[cfg(not(test))]
mod stop {
    use std::path::Path;

    use axtile_core::Result;

    #[inline(always)]
    pub(super) fn here(_: &Path) -> Result<()> {
        Ok(())
    }
}

/// A disk that takes some more changes and then none.
#[cfg(test)]
pub(super) mod stop {
    use std::cell::Cell;
    use std::path::Path;

    use axtile_core::{Error, Result};

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    pub(super) fn here(path: &Path) -> Result<()> {
        match LEFT.get() {
            Some(0) => Err(Error::io("write", path)(std::io::Error::other("stopped"))),
            left => {
                LEFT.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }

    /// Runs `work` on a disk that takes `n_steps` more changes; the flag says
    /// whether it asked for more.
    pub(crate) fn after<T>(n_steps: usize, work: impl FnOnce() -> T) -> (T, bool) {
        LEFT.set(Some(n_steps));
        let result = work();
        let was_stopped = LEFT.get() == Some(0);
        LEFT.set(None);
        (result, was_stopped)
    }
}
