//! A store in a folder of plain files, which other programs read and write
//! too:
//!
//! | file | what |
//! |---|---|
//! | `daf.json` | `{"version":[1,1]}` |
//! | `metadata.json` | all descriptors in one file; follows from the others |
//! | `scalars/NAME.json` | type and value |
//! | `axes/AXIS.txt` | the entries, one a line |
//! | `vectors/AXIS/NAME.json` and more | a descriptor, and the arrays it describes |
//! | `matrices/ROWS/COLUMNS/NAME.json` and more | the same |
//! | `.reorder.backup/` | the files that an unfinished change replaces |

mod backup;
#[cfg(test)]
mod crashes;
mod descriptor;
mod index;
mod open;
mod paths;
mod payload;
mod read;
mod reorder;
mod scalar;
mod steps;
mod write;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use axtile_core::Result;
use axtile_store::{FileIdentity, Map};

pub use open::OpenMode;
pub(crate) use paths::{identity, is_absent};

use crate::model::{Axis, is_readable_name};
use crate::versions::Versions;

/// A store in a folder of plain files.
#[derive(Debug)]
pub struct FilesDaf {
    name: String,
    root: PathBuf,
    is_writable: bool,
    /// Whether `daf.json` names an older version than is written.
    is_outdated: AtomicBool,
    versions: Versions,
    axes: Mutex<HashMap<String, (FileIdentity, Arc<Axis>)>>,
    /// Sparse matrices whose rows were found to be right: the files of their
    /// starts and rows, and how many rows there are.
    checked_rows: Mutex<HashSet<(FileIdentity, FileIdentity, usize)>>,
    index: Mutex<index::Index>,
}

impl FilesDaf {
    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The axis, read again only if its file is another one than before.
    fn load_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        if !is_readable_name(axis) {
            return Ok(None);
        }
        let path = paths::axis(&self.root, axis);
        let Some(identity) = paths::identity(&path)? else {
            return Ok(None);
        };
        let mut axes = self.axes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, loaded)) = axes.get(axis)
            && *known == identity
        {
            return Ok(Some(Arc::clone(loaded)));
        }
        let map = Arc::new(Map::open(&path)?);
        let loaded = Arc::new(read::axis(&path, &map)?);
        axes.insert(axis.to_owned(), (map.identity(), Arc::clone(&loaded)));
        Ok(Some(loaded))
    }
}
