//! Read-only memory maps. Only this module and `private_map` map files.

use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use memmap2::Mmap;

use crate::FileIdentity;

/// A file mapped for reading; dereferences to its bytes.
#[derive(Debug)]
pub struct Map {
    map: Mmap,
    path: PathBuf,
    identity: FileIdentity,
}

impl Map {
    /// Maps the whole of `path`. Nothing is read yet.
    ///
    /// # Errors
    /// `Error::Io` if the file cannot be opened, is no regular file, or cannot
    /// be mapped.
    pub fn open(path: &Path) -> Result<Map> {
        let file = open_regular(path)?;
        let metadata = file.metadata().map_err(Error::io("inspect", path))?;
        // SAFETY: the map is read-only. Files of a store are never changed in
        // place: writers make new files and rename them (see `StagedFolder`),
        // which leaves the mapped file whole. That nothing else truncates it
        // meanwhile is the assumption behind every map.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io("map", path))?;
        Ok(Map {
            map,
            path: path.to_owned(),
            identity: FileIdentity::of(&metadata),
        })
    }

    /// The file's path as it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which file this was when it was opened.
    pub fn identity(&self) -> FileIdentity {
        self.identity
    }
}

/// Opens a regular file for reading. Anything else could be without end, or
/// wait for ever.
///
/// # Errors
/// `Error::Io` if there is none, or it is a folder, a device or a pipe.
pub fn open_regular(path: &Path) -> Result<File> {
    let metadata = std::fs::metadata(path).map_err(Error::io("open", path))?;
    if !metadata.is_file() {
        return Err(Error::io("open", path)(std::io::Error::other(
            "not a regular file",
        )));
    }
    File::open(path).map_err(Error::io("open", path))
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_files_and_refuses_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"abc").unwrap();
        assert_eq!(&*Map::open(&path).unwrap(), b"abc");
        std::fs::write(&path, b"").unwrap();
        assert!(Map::open(&path).unwrap().is_empty());
        assert!(matches!(Map::open(folder.path()), Err(Error::Io { .. })));
        assert!(matches!(
            Map::open(&folder.path().join("none")),
            Err(Error::Io { .. })
        ));
    }
}
