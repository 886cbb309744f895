//! Opening and creating folder stores.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use axtile_core::{Error, Result};
use axtile_store::write_file;
use serde_json::Value;

use super::{FilesDaf, backup, index, paths};
use crate::model::{Reader, Scalar};

/// The version that is written; 1.0 is read as well.
const VERSION: &str = "{\"version\":[1,1]}\n";
const MAJOR: u64 = 1;
const MAX_MINOR: u64 = 1;

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// `r`: to read a store that exists.
    Read,
    /// `r+`: to write to a store that exists.
    Update,
    /// `w`: to write to a store that does not exist yet.
    Create,
    /// `w+`: to write to an empty store; what is in one that exists goes.
    Replace,
}

impl FromStr for OpenMode {
    type Err = Error;

    fn from_str(mode: &str) -> Result<OpenMode> {
        match mode {
            "r" => Ok(OpenMode::Read),
            "r+" => Ok(OpenMode::Update),
            "w" => Ok(OpenMode::Create),
            "w+" => Ok(OpenMode::Replace),
            _ => Err(Error::argument(format!(
                "the mode {mode:?} is none of \"r\", \"r+\", \"w\", \"w+\""
            ))),
        }
    }
}

impl FilesDaf {
    /// Opens or creates the store in the folder `path`. Without a name, it is
    /// called by its scalar `name` if there is one, else by its path. Opening
    /// a store to write puts an interrupted change of it right.
    ///
    /// # Errors
    /// `Error::Io` if there is no such store, or the folder cannot be used;
    /// `Error::Exists` if there is something to be replaced and `mode` does
    /// not say so; `Error::Version` if the store has another version;
    /// `Error::Corrupt` if that cannot be read, or if a reordering was
    /// interrupted and the store is opened to read.
    pub fn open(path: &Path, mode: OpenMode, name: Option<&str>) -> Result<FilesDaf> {
        match mode {
            OpenMode::Read | OpenMode::Update => {}
            OpenMode::Create => {
                if !is_vacant(path)? {
                    return Err(Error::Exists {
                        path: path.to_owned(),
                    });
                }
                create(path)?;
            }
            OpenMode::Replace => {
                if !is_vacant(path)? && paths::identity(&path.join("daf.json"))?.is_none() {
                    return Err(Error::argument(format!(
                        "'{}' holds other things than a daf, which would be lost",
                        path.display()
                    )));
                }
                clear(path)?;
                create(path)?;
            }
        }
        let minor = read_minor(path)?;
        let is_writable = mode != OpenMode::Read;
        if is_writable {
            backup::restore(path)?;
        } else {
            backup::check_whole(path)?;
        }
        let mut store = FilesDaf {
            name: name.map_or_else(|| path.display().to_string(), str::to_owned),
            root: path.to_owned(),
            is_writable,
            is_outdated: AtomicBool::new(minor < MAX_MINOR),
            versions: Default::default(),
            axes: Default::default(),
            checked_rows: Default::default(),
            index: Mutex::new(index::Index::default()),
        };
        if name.is_none()
            && let Ok(Some(Scalar::String(own))) = store.find_scalar("name")
        {
            store.name = own;
        }
        if is_writable {
            store.ensure_index()?;
        }
        Ok(store)
    }

    /// Whether the folder `path` is a store.
    pub fn is_store(path: &Path) -> bool {
        path.join("daf.json").is_file()
    }

    /// Puts right what an interrupted change left behind. Stores opened to
    /// write are right already.
    ///
    /// # Errors
    /// `Error::Io` if a file cannot be put back.
    pub fn reset_reorder(path: &Path) -> Result<()> {
        read_minor(path)?;
        backup::restore(path)
    }

    /// Names the version that is written, if the store is older.
    pub(super) fn upgrade(&self) -> Result<()> {
        if self.is_outdated.load(Ordering::Relaxed) {
            write_file(&self.root.join("daf.json"), VERSION.as_bytes())?;
            self.is_outdated.store(false, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn is_vacant(path: &Path) -> Result<bool> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Error::io("open", path)(error)),
    }
}

/// The minor version of the store, if it is one that is read.
fn read_minor(path: &Path) -> Result<u64> {
    let file = path.join("daf.json");
    let bytes = fs::read(&file).map_err(Error::io("open", &file))?;
    let version = serde_json::from_slice::<Value>(&bytes)
        .ok()
        .and_then(|value| match value.get("version")?.as_array()?.as_slice() {
            [major, minor] => Some((major.as_u64()?, minor.as_u64()?)),
            _ => None,
        });
    match version {
        None => Err(Error::corrupt(
            &file,
            "the key \"version\"",
            "no pair of numbers",
        )),
        Some((MAJOR, minor @ 0..=MAX_MINOR)) => Ok(minor),
        Some((major, minor)) => Err(Error::Version {
            path: path.to_owned(),
            problem: format!(
                "it has version {major}.{minor}; versions {MAJOR}.0 to {MAJOR}.{MAX_MINOR} are read"
            ),
        }),
    }
}

fn create(path: &Path) -> Result<()> {
    for folder in paths::FOLDERS {
        let folder = path.join(folder);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    }
    write_file(&path.join("daf.json"), VERSION.as_bytes())
}

/// Removes what makes a folder a store, and what is in it, leaving other
/// files alone.
fn clear(path: &Path) -> Result<()> {
    paths::remove_file(&path.join("daf.json"))?;
    index::remove(path)?;
    for folder in paths::FOLDERS {
        paths::remove_folder(&path.join(folder))?;
    }
    paths::remove_folder(&path.join(paths::BACKUP))
}
