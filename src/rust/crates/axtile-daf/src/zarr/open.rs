//! Opening and creating stores of Zarr arrays.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use axtile_core::{Error, Result};
use axtile_store::{StageMode, StagedFolder};
use serde_json::{Value, json};

use super::{ZarrDaf, node};
use crate::OpenMode;
use crate::model::{Reader, Scalar};

const MAJOR: u64 = 1;
const MINOR: u64 = 0;
/// The groups that every store has.
const GROUPS: [&str; 4] = ["axes", "matrices", "scalars", "vectors"];

impl ZarrDaf {
    /// Opens or creates the store in the folder `path`. Without a name, it is
    /// called by its scalar `name` if there is one, else by its path.
    ///
    /// # Errors
    /// `Error::Io` if there is no such store, or the folder cannot be used;
    /// `Error::Exists` if there is something to be replaced and `mode` does
    /// not say so; `Error::Version` if it is of another version of Zarr or of
    /// these stores; `Error::Corrupt` if it cannot be read; `Error::Argument`
    /// if what would be replaced is no such store.
    pub fn open(path: &Path, mode: OpenMode, name: Option<&str>) -> Result<ZarrDaf> {
        match mode {
            OpenMode::Read | OpenMode::Update => {}
            OpenMode::Create | OpenMode::Replace => create(path, mode == OpenMode::Replace)?,
        }
        check_version(path)?;
        let mut store = ZarrDaf {
            name: name.map_or_else(|| path.display().to_string(), str::to_owned),
            root: path.to_owned(),
            is_writable: mode != OpenMode::Read,
            versions: Default::default(),
            axes: Default::default(),
            writing: Mutex::default(),
        };
        if name.is_none()
            && let Ok(Some(Scalar::String(own))) = store.find_scalar("name")
        {
            store.name = own;
        }
        Ok(store)
    }
}

fn create(path: &Path, overwrite: bool) -> Result<()> {
    let mode = StageMode {
        overwrite,
        resume: false,
    };
    let is_store = |path: &Path| check_version(path).is_ok();
    let staged = StagedFolder::create(path, mode, is_store)?;
    let mut nodes = serde_json::Map::new();
    for group in GROUPS {
        let folder = staged.path().join(group);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        node::write_json(&folder, &node::group_json())?;
        nodes.insert(group.into(), node::group_json());
    }
    node::write_json(staged.path(), &root_json(nodes))?;
    staged.commit()
}

/// The JSON of the root with that of all other nodes.
pub(super) fn root_json(nodes: serde_json::Map<String, Value>) -> Value {
    json!({
        "zarr_format": 3,
        "node_type": "group",
        "attributes": { "daf": [MAJOR, MINOR] },
        "consolidated_metadata": {
            "kind": "inline",
            "must_understand": false,
            "metadata": nodes,
        },
    })
}

fn check_version(path: &Path) -> Result<()> {
    let Some(json) = node::read_json(path)? else {
        let old = [".zgroup", ".zarray", ".zmetadata"];
        if old.iter().any(|file| path.join(file).exists()) {
            return Err(Error::Version {
                path: path.to_owned(),
                problem: "it is of version 2 of Zarr; convert it to version 3 first".into(),
            });
        }
        let absent = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(Error::io("open", &path.join(node::FILE))(absent));
    };
    let version = json
        .get("attributes")
        .and_then(|attributes| attributes.get("daf")?.as_array())
        .and_then(|version| match version.as_slice() {
            [major, minor] => Some((major.as_u64()?, minor.as_u64()?)),
            _ => None,
        });
    match version {
        Some((MAJOR, 0..=MINOR)) => Ok(()),
        Some((major, minor)) => Err(Error::Version {
            path: path.to_owned(),
            problem: format!("it has version {major}.{minor}; version {MAJOR}.{MINOR} is read"),
        }),
        None => Err(Error::corrupt(
            &path.join(node::FILE),
            "the attribute \"daf\"",
            "no pair of numbers",
        )),
    }
}
