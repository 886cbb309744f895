//! Writing stores of Zarr arrays. A node takes its name once all of it is on
//! the disk.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use axtile_core::{Error, Result};
use axtile_store::{StageMode, StagedFolder, write_file};
use serde_json::{Map, Value};

use super::node::{array_json, chunk, group_json, read_json, write_json};
use super::open::root_json;
use super::{ZarrDaf, read};
use crate::match_values;
use crate::model::{
    Axis, ElementType, Indices, Matrix, Reader, Scalar, Texts, Values, Vector, Writer, read_only,
};
use crate::sparsify::{stored_values, worthwhile};

/// The JSON of new nodes by path; none for nodes that are gone with all below.
type Edits = Vec<(String, Option<Value>)>;

/// A node with its content.
enum New<'a> {
    Array {
        kind: ElementType,
        shape: Vec<usize>,
        bytes: Cow<'a, [u8]>,
    },
    Group(Vec<(&'static str, New<'a>)>),
}

impl<'a> New<'a> {
    fn values(values: &'a Values, shape: Vec<usize>) -> New<'a> {
        New::Array {
            kind: values.element_type(),
            shape,
            bytes: match_values!(
                values,
                buffer => buffer.to_le_bytes(),
                texts => counted(texts).into()
            ),
        }
    }

    fn positions(indices: &'a Indices) -> New<'a> {
        New::Array {
            kind: indices.stored_type(),
            shape: vec![indices.len()],
            bytes: indices.to_le_bytes(),
        }
    }

    fn sparse(mut members: Vec<(&'static str, New<'a>)>, values: &'a Values) -> New<'a> {
        if let Some(values) = stored_values(values) {
            members.push(("nzval", New::values(values, vec![values.len()])));
        }
        New::Group(members)
    }

    fn vector(vector: &'a Vector) -> New<'a> {
        match vector {
            Vector::Dense(values) => New::values(values, vec![values.len()]),
            Vector::Sparse(sparse) => New::sparse(
                vec![("nzind", New::positions(sparse.indices()))],
                sparse.values(),
            ),
        }
    }

    fn matrix(matrix: &'a Matrix) -> New<'a> {
        match matrix {
            Matrix::Dense(dense) => {
                New::values(dense.values(), vec![dense.n_columns(), dense.n_rows()])
            }
            Matrix::Sparse(sparse) => New::sparse(
                vec![
                    ("colptr", New::positions(sparse.colptr())),
                    ("rowval", New::positions(sparse.rowval())),
                ],
                sparse.values(),
            ),
        }
    }

    fn write(&self, folder: &Path, path: &str, edits: &mut Edits) -> Result<()> {
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        let json = match self {
            New::Array { kind, shape, bytes } => {
                if shape.iter().all(|&len| len > 0) {
                    let chunk = chunk(folder, shape.len());
                    if let Some(parent) = chunk.parent() {
                        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
                    }
                    write_file(&chunk, bytes)?;
                }
                array_json(*kind, shape)
            }
            New::Group(_) => group_json(),
        };
        edits.push((path.to_owned(), Some(json.clone())));
        if let New::Group(members) = self {
            for (name, member) in members {
                member.write(&folder.join(name), &format!("{path}/{name}"), edits)?;
            }
        }
        write_json(folder, &json)
    }
}

/// Texts as a count and, for each, its length and bytes.
fn counted(texts: &Texts) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + texts.n_bytes() + 4 * texts.len());
    bytes.extend_from_slice(&(texts.len() as u32).to_le_bytes());
    for text in texts.iter_bytes() {
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text);
    }
    bytes
}

/// Refuses texts that are too many or too long for their counts.
fn check_counts(values: &Values) -> Result<()> {
    let Values::String(texts) = values else {
        return Ok(());
    };
    let fits = u32::try_from(texts.len()).is_ok()
        && texts
            .iter_bytes()
            .all(|text| u32::try_from(text.len()).is_ok());
    if fits {
        return Ok(());
    }
    Err(Error::argument(
        "more texts, or longer ones, than the 4,294,967,295 that a Zarr array can have",
    ))
}

impl ZarrDaf {
    /// Makes a change, and the JSON of the root anew; meanwhile it says
    /// nothing of the other nodes.
    fn change(&self, change: impl FnOnce(&mut Edits) -> Result<()>) -> Result<()> {
        if !self.is_writable {
            return Err(read_only(&self.name));
        }
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut root = read_json(&self.root)?.unwrap_or_else(|| root_json(Map::new()));
        let known = match root.get_mut("consolidated_metadata") {
            Some(consolidated) => match consolidated.get_mut("metadata").map(Value::take) {
                Some(Value::Object(nodes)) => Some(nodes),
                _ => None,
            },
            None => None,
        };
        if let Some(object) = root.as_object_mut() {
            object.remove("consolidated_metadata");
        }
        write_json(&self.root, &root)?;
        let mut edits = Edits::new();
        let changed = change(&mut edits);
        let nodes = match known {
            Some(mut nodes) if changed.is_ok() => {
                for (path, json) in edits {
                    edit(&mut nodes, &path, json);
                }
                Ok(nodes)
            }
            _ => self.walk(),
        };
        let saved = nodes.and_then(|nodes| {
            let consolidated = root_json(nodes);
            if let (Some(object), Some(all)) = (
                root.as_object_mut(),
                consolidated.get("consolidated_metadata"),
            ) {
                object.insert("consolidated_metadata".into(), all.clone());
            }
            write_json(&self.root, &root)
        });
        changed?;
        saved
    }

    /// The JSON of all nodes below the root, by path.
    fn walk(&self) -> Result<Map<String, Value>> {
        fn below(folder: &Path, path: &str, nodes: &mut Map<String, Value>) -> Result<()> {
            for name in read::nodes(folder)? {
                let folder = folder.join(&name);
                let path = match path {
                    "" => name,
                    path => format!("{path}/{name}"),
                };
                if let Some(json) = read_json(&folder)? {
                    nodes.insert(path.clone(), json);
                }
                below(&folder, &path, nodes)?;
            }
            Ok(())
        }
        let mut nodes = Map::new();
        below(&self.root, "", &mut nodes)?;
        Ok(nodes)
    }

    /// Puts a node in the place of what is there.
    fn put(&self, parts: &[&str], new: &New<'_>) -> Result<()> {
        self.change(|edits| self.put_node(parts, new, edits))
    }

    fn put_node(&self, parts: &[&str], new: &New<'_>, edits: &mut Edits) -> Result<()> {
        if let Some(name) = parts.iter().find(|part| part.starts_with('.')) {
            return Err(Error::argument(format!(
                "the name {name:?} begins with a dot, which a name in a Zarr store cannot"
            )));
        }
        let path = parts.join("/");
        edits.push((path.clone(), None));
        let mode = StageMode {
            overwrite: true,
            resume: false,
        };
        let staged = StagedFolder::create(&self.folder(parts), mode, |_| true)?;
        new.write(staged.path(), &path, edits)?;
        staged.commit()
    }

    fn drop(&self, parts: &[&str]) -> Result<()> {
        self.change(|edits| self.drop_node(parts, edits))
    }

    /// Removes a node; its JSON goes first, which makes it none.
    fn drop_node(&self, parts: &[&str], edits: &mut Edits) -> Result<()> {
        edits.push((parts.join("/"), None));
        let folder = self.folder(parts);
        let json = folder.join(super::node::FILE);
        match fs::remove_file(&json) {
            Err(error) if !crate::files::is_absent(&error) => {
                return Err(Error::io("remove", &json)(error));
            }
            _ => {}
        }
        match fs::remove_dir_all(&folder) {
            Err(error) if !crate::files::is_absent(&error) => {
                Err(Error::io("remove", &folder)(error))
            }
            _ => Ok(()),
        }
    }
}

/// Changes one node in the JSON of all nodes.
fn edit(nodes: &mut Map<String, Value>, path: &str, json: Option<Value>) {
    match json {
        Some(json) => {
            nodes.insert(path.to_owned(), json);
        }
        None => {
            let below = format!("{path}/");
            nodes.retain(|key, _| key != path && !key.starts_with(&below));
        }
    }
}

impl Writer for ZarrDaf {
    fn put_axis(&self, axis: &str, entries: Arc<Axis>) -> Result<()> {
        let values = Values::String(entries.entries().clone());
        check_counts(&values)?;
        let new = New::values(&values, vec![entries.len()]);
        self.change(|edits| {
            let group = New::Group(Vec::new());
            self.put_node(&["vectors", axis], &group, edits)?;
            self.put_node(&["matrices", axis], &group, edits)?;
            self.put_node(&["matrices", axis, axis], &group, edits)?;
            for other in self.axis_names()? {
                self.put_node(&["matrices", axis, &other], &group, edits)?;
                self.put_node(&["matrices", &other, axis], &group, edits)?;
            }
            self.put_node(&["axes", axis], &new, edits)
        })
    }

    fn drop_axis(&self, axis: &str) -> Result<()> {
        self.change(|edits| {
            self.drop_node(&["axes", axis], edits)?;
            for other in self.axis_names()? {
                self.drop_node(&["matrices", &other, axis], edits)?;
            }
            self.drop_node(&["matrices", axis], edits)?;
            self.drop_node(&["vectors", axis], edits)
        })?;
        self.versions.count(&[axis]);
        Ok(())
    }

    fn put_scalar(&self, name: &str, value: &Scalar) -> Result<()> {
        let values = Values::from(value);
        check_counts(&values)?;
        self.put(&["scalars", name], &New::values(&values, vec![1]))
    }

    fn drop_scalar(&self, name: &str) -> Result<()> {
        self.drop(&["scalars", name])
    }

    fn put_vector(&self, axis: &str, name: &str, vector: &Vector) -> Result<()> {
        let vector = worthwhile(vector);
        match &vector {
            Vector::Dense(values) => check_counts(values)?,
            Vector::Sparse(sparse) => check_counts(sparse.values())?,
        }
        self.put(&["vectors", axis, name], &New::vector(&vector))?;
        self.versions.count(&[axis, name]);
        Ok(())
    }

    fn drop_vector(&self, axis: &str, name: &str) -> Result<()> {
        self.drop(&["vectors", axis, name])
    }

    fn put_matrix(&self, rows: &str, columns: &str, name: &str, matrix: &Matrix) -> Result<()> {
        match matrix {
            Matrix::Dense(dense) => check_counts(dense.values())?,
            Matrix::Sparse(sparse) => check_counts(sparse.values())?,
        }
        self.put(&["matrices", rows, columns, name], &New::matrix(matrix))?;
        self.versions.count(&[rows, columns, name]);
        Ok(())
    }

    fn drop_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<()> {
        self.drop(&["matrices", rows, columns, name])
    }
}
