//! Where a session's files are: in a folder or in an archive.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axtile_core::{Error, Result};

use crate::session::source::ByteSource;
use crate::session::tar_index::TarIndex;

/// A session's files by their path below its folder, with `/` between names.
#[derive(Debug)]
pub(crate) enum Storage {
    Folder(PathBuf),
    Tar(PathBuf, TarIndex),
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) is_folder: bool,
}

impl Storage {
    pub(crate) fn open(path: &Path) -> Result<Storage> {
        let metadata = std::fs::metadata(path).map_err(Error::io("open", path))?;
        if metadata.is_dir() {
            Ok(Storage::Folder(path.to_owned()))
        } else {
            Ok(Storage::Tar(path.to_owned(), TarIndex::open(path)?))
        }
    }

    /// The session's folder or archive.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Storage::Folder(path) | Storage::Tar(path, _) => path,
        }
    }

    /// The session's name: its folder's, without the ending.
    pub(crate) fn session_name(&self) -> String {
        let name = match self {
            Storage::Folder(path) => std::fs::canonicalize(path)
                .ok()
                .as_deref()
                .unwrap_or(path)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
            Storage::Tar(_, index) => index.root.clone(),
        };
        name.strip_suffix(".mefd").unwrap_or(&name).to_owned()
    }

    /// For messages.
    pub(crate) fn path_of(&self, relative: &str) -> PathBuf {
        if relative.is_empty() {
            self.path().to_owned()
        } else {
            self.path().join(relative)
        }
    }

    /// The entries of a folder, sorted; names that are no UTF-8 are left out.
    pub(crate) fn list(&self, relative: &str) -> Result<Vec<Item>> {
        let mut items = BTreeSet::new();
        match self {
            Storage::Folder(_) => {
                let folder = self.path_of(relative);
                for entry in std::fs::read_dir(&folder).map_err(Error::io("list", &folder))? {
                    let entry = entry.map_err(Error::io("list", &folder))?;
                    let Ok(name) = entry.file_name().into_string() else {
                        continue;
                    };
                    let mut kind = entry.file_type().map_err(Error::io("list", &folder))?;
                    if kind.is_symlink()
                        && let Ok(target) = std::fs::metadata(entry.path())
                    {
                        kind = target.file_type();
                    }
                    items.insert(Item {
                        name,
                        is_folder: kind.is_dir(),
                    });
                }
            }
            Storage::Tar(_, index) => {
                let prefix = if relative.is_empty() {
                    String::new()
                } else {
                    format!("{relative}/")
                };
                for (name, _) in index.members.range(prefix.clone()..) {
                    let Some(rest) = name.strip_prefix(&prefix) else {
                        break;
                    };
                    let (name, is_folder) = match rest.split_once('/') {
                        Some((folder, _)) => (folder, true),
                        None => (rest, false),
                    };
                    items.insert(Item {
                        name: name.to_owned(),
                        is_folder,
                    });
                }
            }
        }
        Ok(items.into_iter().collect())
    }

    /// The file's size; `None` if there is none.
    pub(crate) fn size(&self, relative: &str) -> Result<Option<u64>> {
        match self {
            Storage::Folder(_) => {
                let path = self.path_of(relative);
                match std::fs::metadata(&path) {
                    Ok(metadata) if metadata.is_file() => Ok(Some(metadata.len())),
                    Ok(_) => Ok(None),
                    Err(source) if source.kind() == ErrorKind::NotFound => Ok(None),
                    Err(source) => Err(Error::io("inspect", &path)(source)),
                }
            }
            Storage::Tar(_, index) => Ok(index.members.get(relative).map(|&(_, len)| len)),
        }
    }

    /// Opens a file; `None` if there is none.
    pub(crate) fn open_file(&self, relative: &str) -> Result<Option<ByteSource>> {
        let path = self.path_of(relative);
        match self {
            Storage::Folder(_) => {
                if self.size(relative)?.is_none() {
                    return Ok(None);
                }
                let file = File::open(&path).map_err(Error::io("open", &path))?;
                let len = file.metadata().map_err(Error::io("inspect", &path))?.len();
                Ok(Some(ByteSource::new(Arc::new(file), path, 0, len)))
            }
            Storage::Tar(_, index) => Ok(index
                .members
                .get(relative)
                .map(|&(offset, len)| ByteSource::new(index.file.clone(), path, offset, len))),
        }
    }
}
