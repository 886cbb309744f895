//! Reading stores of Zarr arrays.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use axtile_core::{Error, Result};

use super::ZarrDaf;
use super::node::{Array, FILE, Node};
use crate::files::{identity, is_absent};
use crate::model::{
    Axis, DenseMatrix, Dependency, Indices, Matrix, Reader, Scalar, SparseMatrix, SparseVector,
    Stamp, Values, Vector, Writer, is_readable_name, listing_stamp, missing_axis,
};

/// The names of the nodes in a folder, in bytewise order.
pub(super) fn nodes(folder: &Path) -> Result<Vec<String>> {
    let listing = match fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("list", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in listing {
        let entry = entry.map_err(Error::io("list", folder))?;
        // Names that begin with a dot are those of nodes being written.
        if let Ok(name) = entry.file_name().into_string()
            && !name.starts_with('.')
            && entry.path().join(FILE).is_file()
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

impl ZarrDaf {
    /// The folder of a node, if its names are such that it can be one.
    fn node(&self, parts: &[&str]) -> Option<PathBuf> {
        parts
            .iter()
            .all(|part| is_readable_name(part) && !part.starts_with('.'))
            .then(|| self.folder(parts))
    }

    fn has_node(&self, parts: &[&str]) -> Result<bool> {
        match self.node(parts) {
            Some(folder) => Ok(identity(&folder.join(FILE))?.is_some()),
            None => Ok(false),
        }
    }

    fn node_stamp(&self, parts: &[&str], version: u64) -> Result<Stamp> {
        let Some(folder) = self.node(parts) else {
            return Ok(Stamp::ABSENT);
        };
        Ok(match identity(&folder.join(FILE))? {
            Some(identity) => Stamp::of(&(identity, version)),
            None => Stamp::ABSENT,
        })
    }

    fn load_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        let Some(folder) = self.node(&["axes", axis]) else {
            return Ok(None);
        };
        let Some(identity) = identity(&folder.join(FILE))? else {
            return Ok(None);
        };
        let mut axes = self.axes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, loaded)) = axes.get(axis)
            && *known == identity
        {
            return Ok(Some(Arc::clone(loaded)));
        }
        let array = Array::read(&folder)?;
        let damage = |problem: &str| Error::corrupt(&array.chunk(), "the entries", problem);
        let Values::String(entries) = array.load_all()? else {
            return Err(damage("no texts"));
        };
        if entries.iter_bytes().any(<[u8]>::is_empty) {
            return Err(damage("an empty entry"));
        }
        let loaded = Axis::new(entries).ok_or_else(|| damage("too many"))?;
        let loaded = Arc::new(loaded);
        axes.insert(axis.to_owned(), (identity, Arc::clone(&loaded)));
        Ok(Some(loaded))
    }
}

/// Positions of sparse data in an array of a group.
fn positions(group: &Path, name: &str) -> Result<Indices> {
    let array = Array::read(&group.join(name))?;
    Indices::new(&array.load_all()?).ok_or_else(|| array.wrong("positions are no whole numbers"))
}

/// The kept values of sparse data in a group; all true if there is no array.
fn kept(group: &Path, len: usize) -> Result<Values> {
    let folder = group.join("nzval");
    if identity(&folder.join(FILE))?.is_none() {
        return Ok(Values::Bool(vec![1; len].into()));
    }
    Array::read(&folder)?.load(len)
}

impl Reader for ZarrDaf {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "ZarrDaf"
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn as_writer(&self) -> Option<&dyn Writer> {
        self.is_writable.then_some(self as &dyn Writer)
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        nodes(&self.folder(&["scalars"]))
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        nodes(&self.folder(&["axes"]))
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        if !self.has_axis(axis)? {
            return Err(missing_axis(&self.name, axis));
        }
        nodes(&self.folder(&["vectors", axis]))
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        for axis in [rows, columns] {
            if !self.has_axis(axis)? {
                return Err(missing_axis(&self.name, axis));
            }
        }
        nodes(&self.folder(&["matrices", rows, columns]))
    }

    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>> {
        if !self.has_scalar(name)? {
            return Ok(None);
        }
        let array = Array::read(&self.folder(&["scalars", name]))?;
        Ok(array.load(1)?.get(0))
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        self.load_axis(axis)
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        let folder = self.node(&["vectors", axis, name]);
        let (Some(folder), Some(entries)) = (folder, self.load_axis(axis)?) else {
            return Ok(None);
        };
        match Node::read(&folder)? {
            None => Ok(None),
            Some(Node::Array(array)) => array.load(entries.len()).map(Vector::Dense).map(Some),
            Some(Node::Group) => {
                let indices = positions(&folder, "nzind")?;
                let values = kept(&folder, indices.len())?;
                SparseVector::new(entries.len(), indices, values)
                    .map(|sparse| Some(Vector::Sparse(sparse)))
                    .map_err(|problem| Error::corrupt(&folder, "the kept values", problem))
            }
        }
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        let folder = self.node(&["matrices", rows, columns, name]);
        let axes = (self.load_axis(rows)?, self.load_axis(columns)?);
        let (Some(folder), (Some(rows), Some(columns))) = (folder, axes) else {
            return Ok(None);
        };
        let damage = |problem: String| Error::corrupt(&folder, "the values", problem);
        let (n_rows, n_columns) = (rows.len(), columns.len());
        let matrix = match Node::read(&folder)? {
            None => return Ok(None),
            Some(Node::Array(array)) => {
                let values = array.load_matrix(n_rows, n_columns)?;
                Matrix::Dense(DenseMatrix::new(n_rows, n_columns, values).map_err(damage)?)
            }
            Some(Node::Group) => {
                let colptr = positions(&folder, "colptr")?;
                let rowval = positions(&folder, "rowval")?;
                let values = kept(&folder, rowval.len())?;
                let sparse = SparseMatrix::new(n_rows, n_columns, colptr, rowval, values);
                Matrix::Sparse(sparse.map_err(damage)?)
            }
        };
        Ok(Some(matrix))
    }

    fn has_scalar(&self, name: &str) -> Result<bool> {
        self.has_node(&["scalars", name])
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        self.has_node(&["axes", axis])
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        self.has_node(&["vectors", axis, name])
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        self.has_node(&["matrices", rows, columns, name])
    }

    fn axis_version(&self, axis: &str) -> u64 {
        self.versions.get(&[axis])
    }

    fn vector_version(&self, axis: &str, name: &str) -> u64 {
        self.versions.get(&[axis, name])
    }

    fn matrix_version(&self, rows: &str, columns: &str, name: &str) -> u64 {
        self.versions.get(&[rows, columns, name])
    }

    fn stamp(&self, of: &Dependency) -> Result<Stamp> {
        if let Some(stamp) = listing_stamp(self, of)? {
            return Ok(stamp);
        }
        match of {
            Dependency::Scalar(name) => self.node_stamp(&["scalars", name], 0),
            Dependency::Axis(axis) => self.node_stamp(&["axes", axis], self.axis_version(axis)),
            Dependency::Vector(axis, name) => {
                let version = self.vector_version(axis, name);
                self.node_stamp(&["vectors", axis, name], version)
            }
            Dependency::Matrix(rows, columns, name) => {
                let version = self.matrix_version(rows, columns, name);
                self.node_stamp(&["matrices", rows, columns, name], version)
            }
            _ => Ok(Stamp::ABSENT),
        }
    }
}
