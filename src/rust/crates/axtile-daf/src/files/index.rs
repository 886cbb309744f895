//! The index of a folder store: all descriptors in `metadata.json`, so that
//! they can be had at once. It follows from the other files; while they
//! change there is none, so that no one finds an outdated one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::PoisonError;

use axtile_core::{Error, Result};
use axtile_store::FileIdentity;
use serde_json::Value;

use super::read::content;
use super::{FilesDaf, paths};
use crate::model::Reader;

const FILE: &str = "metadata.json";
/// The index of other writers, which cannot be changed in place.
const ARCHIVE: &str = "metadata.zip";

/// What was last written, and to which file.
#[derive(Debug, Default)]
pub(super) struct Index {
    known: Option<(FileIdentity, Entries)>,
}

/// Descriptors by key. The keys of scalars follow those of axes, then vectors
/// and matrices.
type Entries = BTreeMap<(Group, String), String>;

/// The parts of the index in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Axes,
    Scalars,
    Vectors,
    Matrices,
}

/// What a change does to one entry.
#[derive(Debug)]
pub(super) struct Edit {
    key: (Group, String),
    descriptor: Option<String>,
}

impl Edit {
    /// The axis has so many entries now, or is gone.
    pub(super) fn axis(axis: &str, n_entries: Option<usize>) -> Edit {
        Edit {
            key: (Group::Axes, format!("axes/{axis}")),
            descriptor: n_entries.map(axis_descriptor),
        }
    }

    /// The scalar is this now, or gone.
    pub(super) fn scalar(name: &str, json: Option<&str>) -> Edit {
        Edit {
            key: (Group::Scalars, format!("scalars/{name}")),
            descriptor: json.map(|json| json.trim().to_owned()),
        }
    }

    /// The vector has this descriptor now, or is gone.
    pub(super) fn vector(axis: &str, name: &str, descriptor: Option<&str>) -> Edit {
        Edit {
            key: (Group::Vectors, format!("vectors/{axis}/{name}")),
            descriptor: descriptor.map(|text| text.trim().to_owned()),
        }
    }

    /// The matrix has this descriptor now, or is gone.
    pub(super) fn matrix(rows: &str, columns: &str, name: &str, descriptor: Option<&str>) -> Edit {
        Edit {
            key: (Group::Matrices, format!("matrices/{rows}/{columns}/{name}")),
            descriptor: descriptor.map(|text| text.trim().to_owned()),
        }
    }
}

fn axis_descriptor(n_entries: usize) -> String {
    format!("{{\"format\":\"axis\",\"n_entries\":{n_entries}}}")
}

/// Removes the index.
pub(super) fn remove(root: &Path) -> Result<()> {
    paths::remove_file(&root.join(FILE))?;
    paths::remove_file(&root.join(ARCHIVE))
}

impl FilesDaf {
    /// Writes the index if there is none.
    pub(super) fn ensure_index(&self) -> Result<()> {
        let path = self.root.join(FILE);
        let is_readable =
            content(&path)?.is_some_and(|bytes| serde_json::from_slice::<Value>(&bytes).is_ok());
        if is_readable {
            return Ok(());
        }
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        *index = self.save_index(self.walk()?)?;
        Ok(())
    }

    /// Makes a change of the store, and the index anew: by what the change
    /// does to it, or from all files.
    pub(super) fn change_indexed(
        &self,
        edits: Option<Vec<Edit>>,
        change: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let identity = paths::identity(&self.root.join(FILE))?;
        let known = index
            .known
            .take()
            .filter(|(known, _)| Some(*known) == identity);
        remove(&self.root)?;
        let changed = self.upgrade().and_then(|()| change());
        let entries = match (known, edits) {
            (Some((_, mut entries)), Some(edits)) if changed.is_ok() => {
                for edit in edits {
                    match edit.descriptor {
                        Some(descriptor) => entries.insert(edit.key, descriptor),
                        None => entries.remove(&edit.key),
                    };
                }
                Ok(entries)
            }
            _ => self.walk(),
        };
        let saved = entries.and_then(|entries| self.save_index(entries));
        changed?;
        *index = saved?;
        Ok(())
    }

    fn walk(&self) -> Result<Entries> {
        let mut entries = Entries::new();
        let mut keep = |group, key: String, path: &Path| -> Result<()> {
            if let Some(bytes) = content(path)?
                && let Ok(text) = String::from_utf8(bytes)
            {
                entries.insert((group, key), text.trim().to_owned());
            }
            Ok(())
        };
        for name in self.scalar_names()? {
            let path = paths::scalar(&self.root, &name);
            keep(Group::Scalars, format!("scalars/{name}"), &path)?;
        }
        let axes = self.axis_names()?;
        for axis in &axes {
            let folder = self.root.join("vectors").join(axis);
            for name in paths::names(&folder, "json")? {
                let path = folder.join(format!("{name}.json"));
                keep(Group::Vectors, format!("vectors/{axis}/{name}"), &path)?;
            }
            for columns in &axes {
                let folder = self.root.join("matrices").join(axis).join(columns);
                for name in paths::names(&folder, "json")? {
                    let path = folder.join(format!("{name}.json"));
                    let key = format!("matrices/{axis}/{columns}/{name}");
                    keep(Group::Matrices, key, &path)?;
                }
            }
        }
        for axis in &axes {
            let key = (Group::Axes, format!("axes/{axis}"));
            if let Some(loaded) = self.load_axis(axis)? {
                entries.insert(key, axis_descriptor(loaded.len()));
            }
        }
        Ok(entries)
    }

    fn save_index(&self, entries: Entries) -> Result<Index> {
        let mut text = String::from("{");
        for ((_, key), descriptor) in &entries {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&Value::from(key.as_str()).to_string());
            text.push(':');
            text.push_str(descriptor);
        }
        text.push('}');
        let path = self.root.join(FILE);
        replace(&path, text.as_bytes())?;
        self.save_axis_list()?;
        let identity = paths::identity(&path)?;
        Ok(Index {
            known: identity.map(|identity| (identity, entries)),
        })
    }

    /// Refreshes the list of axes of other writers, if there is one.
    fn save_axis_list(&self) -> Result<()> {
        let path = self.root.join("axes").join(FILE);
        if paths::identity(&path)?.is_none() {
            return Ok(());
        }
        let text = Value::from(self.axis_names()?).to_string();
        replace(&path, text.as_bytes())
    }
}

/// Replaces a file that can be made again, without waiting for the disk.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let new = path.with_extension("json.new");
    fs::write(&new, bytes).map_err(Error::io("write", &new))?;
    fs::rename(&new, path).map_err(Error::io("rename", &new))
}
