//! Files that are on the disk when the call returns.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

/// Writes `bytes` to `path` by way of a temporary file beside it: readers see
/// the earlier content or the new one, also after a crash.
///
/// # Errors
/// `Error::Io`; the earlier content is then untouched, unless only the folder
/// could not be written to the disk.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".tmp{}", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = write_and_sync(&temporary, bytes)
        .and_then(|()| fs::rename(&temporary, path).map_err(Error::io("write", path)));
    if written.is_err() {
        // The first error matters; a leftover is only untidy.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_folder(&parent(path))
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path).map_err(Error::io("create", path))?;
    file.write_all(bytes).map_err(Error::io("write", path))?;
    file.sync_all().map_err(Error::io("write", path))
}

/// Makes the names in `folder` durable: a rename or a new file survives a power
/// cut. Does nothing where system, file system or permissions do not allow it.
///
/// # Errors
/// `Error::Io` if the system refuses.
pub fn sync_folder(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::io::ErrorKind;
        match File::open(folder).and_then(|handle| handle.sync_all()) {
            Err(source)
                if !matches!(
                    source.kind(),
                    ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
                ) =>
            {
                return Err(Error::io("write", folder)(source));
            }
            _ => {}
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// The folder that holds `path`.
pub(crate) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_and_keeps_on_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a %s.json");
        write_file(&path, b"one").unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("none").join("a");
        assert!(matches!(write_file(&missing, b""), Err(Error::Io { .. })));
    }
}
