//! A store in a folder of Zarr arrays of version 3, which general readers of
//! Zarr open too:
//!
//! | node | what |
//! |---|---|
//! | the root | a group with the attribute `daf`: `[1,0]` |
//! | `scalars/NAME` | an array of one value |
//! | `axes/AXIS` | an array of texts |
//! | `vectors/AXIS/NAME` | an array, or a group of `nzind` and `nzval` |
//! | `matrices/ROWS/COLUMNS/NAME` | an array of columns by rows, or a group of `colptr`, `rowval` and `nzval` |
//!
//! Positions are counted from 1. The JSON of all nodes is also in that of the
//! root, but for while they change.

mod node;
mod open;
mod read;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axtile_store::FileIdentity;

use crate::model::Axis;
use crate::versions::Versions;

/// A store in a folder of Zarr arrays.
#[derive(Debug)]
pub struct ZarrDaf {
    name: String,
    root: PathBuf,
    is_writable: bool,
    versions: Versions,
    axes: Mutex<HashMap<String, (FileIdentity, Arc<Axis>)>>,
    /// Held while the JSON of the root changes.
    writing: Mutex<()>,
}

impl ZarrDaf {
    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn folder(&self, parts: &[&str]) -> PathBuf {
        parts
            .iter()
            .fold(self.root.clone(), |folder, part| folder.join(part))
    }
}
