//! Reading folder stores.

use std::fs;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use axtile_core::{Error, Result};
use axtile_store::{FileIdentity, Map};

use super::descriptor::{Array, Descriptor};
use super::{FilesDaf, paths, payload, scalar};
use crate::mapped::mapped_lines;
use crate::model::{
    Axis, DenseMatrix, Dependency, Matrix, Reader, Scalar, SparseMatrix, SparseVector, Stamp,
    Vector, Writer, is_readable_name, listing_stamp, missing_axis,
};
use paths::Files;

/// The axis in `path`.
pub(super) fn axis(path: &Path, map: &Arc<Map>) -> Result<Axis> {
    let damage = |at: usize| Error::corrupt(path, format!("byte {at}"), "an empty entry");
    if map.first() == Some(&b'\n') {
        return Err(damage(0));
    }
    if let Some(at) = memchr::memmem::find(map, b"\n\n") {
        return Err(damage(at + 1));
    }
    let entries = mapped_lines(path, map)?;
    let n_entries = entries.len();
    Axis::new(entries).ok_or_else(|| {
        Error::limit(
            path,
            format!("'{}': {n_entries} entries are too many", path.display()),
        )
    })
}

/// The content of a small file, if there is one.
pub(super) fn content(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if paths::is_absent(&error) => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}

fn all_readable(names: &[&str]) -> bool {
    names.iter().all(|name| is_readable_name(name))
}

impl FilesDaf {
    /// Loads the vector of `len` values that the descriptor describes.
    pub(super) fn load_vector(&self, files: &Files, len: usize) -> Result<Option<Vector>> {
        let path = files.descriptor();
        let Some(bytes) = content(&path)? else {
            return Ok(None);
        };
        let vector = match Descriptor::parse(&path, &bytes, &["nzind"])? {
            Descriptor::Dense(array) => Vector::Dense(payload::dense(files, &array, (len, 1))?),
            Descriptor::Sparse {
                positions,
                values,
                may_lack_values,
            } => {
                let [nzind] = positions.as_slice() else {
                    return Err(Error::corrupt(&path, "the descriptor", "no positions"));
                };
                let indices = payload::positions(files, "nzind", nzind)?;
                let values = payload::kept(files, values.as_ref(), may_lack_values, indices.len())?;
                let sparse = SparseVector::new(len, indices, values)
                    .map_err(|problem| Error::corrupt(&path, "the kept values", problem))?;
                Vector::Sparse(sparse)
            }
        };
        Ok(Some(vector))
    }

    /// Loads the matrix of this shape that the descriptor describes.
    pub(super) fn load_matrix(
        &self,
        files: &Files,
        (n_rows, n_columns): (usize, usize),
    ) -> Result<Option<Matrix>> {
        let path = files.descriptor();
        let Some(bytes) = content(&path)? else {
            return Ok(None);
        };
        let damage = |problem: String| Error::corrupt(&path, "the values", problem);
        let matrix = match Descriptor::parse(&path, &bytes, &["colptr", "rowval"])? {
            Descriptor::Dense(array) => {
                let values = payload::dense(files, &array, (n_rows, n_columns))?;
                Matrix::Dense(DenseMatrix::new(n_rows, n_columns, values).map_err(damage)?)
            }
            Descriptor::Sparse {
                positions,
                values,
                may_lack_values,
            } => {
                let [colptr, rowval] = positions.as_slice() else {
                    return Err(Error::corrupt(&path, "the descriptor", "no positions"));
                };
                let identities = self.row_files(files, colptr, rowval)?;
                let colptr = payload::positions(files, "colptr", colptr)?;
                let rowval = payload::positions(files, "rowval", rowval)?;
                let values = payload::kept(files, values.as_ref(), may_lack_values, rowval.len())?;
                let key = identities.map(|(colptr, rowval)| (colptr, rowval, n_rows));
                let is_checked = key.is_some_and(|key| {
                    self.checked_rows
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .contains(&key)
                });
                let new = if is_checked {
                    SparseMatrix::unchecked_rows
                } else {
                    SparseMatrix::new
                };
                let sparse = new(n_rows, n_columns, colptr, rowval, values).map_err(damage)?;
                if let Some(key) = key {
                    self.checked_rows
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .insert(key);
                }
                Matrix::Sparse(sparse)
            }
        };
        Ok(Some(matrix))
    }

    /// Which files the starts of the columns and the rows are in, if both are
    /// flat.
    fn row_files(
        &self,
        files: &Files,
        colptr: &Array,
        rowval: &Array,
    ) -> Result<Option<(FileIdentity, FileIdentity)>> {
        if colptr.packing.is_some() || rowval.packing.is_some() {
            return Ok(None);
        }
        let colptr = paths::identity(&files.path("colptr"))?;
        Ok(colptr.zip(paths::identity(&files.path("rowval"))?))
    }

    fn vector_files(&self, axis: &str, name: &str) -> Option<Files> {
        all_readable(&[axis, name]).then(|| Files::of_vector(&self.root, axis, name))
    }

    fn matrix_files(&self, rows: &str, columns: &str, name: &str) -> Option<Files> {
        all_readable(&[rows, columns, name])
            .then(|| Files::of_matrix(&self.root, rows, columns, name))
    }

    /// The stamp of a thing that its descriptor, and its version here, tell
    /// from its other states.
    fn file_stamp(&self, path: Option<std::path::PathBuf>, version: u64) -> Result<Stamp> {
        let Some(path) = path else {
            return Ok(Stamp::ABSENT);
        };
        Ok(match paths::identity(&path)? {
            Some(identity) => Stamp::of(&(identity, version)),
            None => Stamp::ABSENT,
        })
    }
}

impl Reader for FilesDaf {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "FilesDaf"
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn as_writer(&self) -> Option<&dyn Writer> {
        self.is_writable.then_some(self as &dyn Writer)
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        paths::names(&self.root.join("scalars"), "json")
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        paths::names(&self.root.join("axes"), "txt")
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        if !self.has_axis(axis)? {
            return Err(missing_axis(&self.name, axis));
        }
        paths::names(&self.root.join("vectors").join(axis), "json")
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        for axis in [rows, columns] {
            if !self.has_axis(axis)? {
                return Err(missing_axis(&self.name, axis));
            }
        }
        paths::names(&self.root.join("matrices").join(rows).join(columns), "json")
    }

    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>> {
        if !is_readable_name(name) {
            return Ok(None);
        }
        let path = paths::scalar(&self.root, name);
        match content(&path)? {
            Some(bytes) => Ok(Some(scalar::parse(&path, &bytes)?)),
            None => Ok(None),
        }
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        self.load_axis(axis)
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        match (self.vector_files(axis, name), self.load_axis(axis)?) {
            (Some(files), Some(entries)) => self.load_vector(&files, entries.len()),
            _ => Ok(None),
        }
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        let files = self.matrix_files(rows, columns, name);
        match (files, self.load_axis(rows)?, self.load_axis(columns)?) {
            (Some(files), Some(rows), Some(columns)) => {
                self.load_matrix(&files, (rows.len(), columns.len()))
            }
            _ => Ok(None),
        }
    }

    fn has_scalar(&self, name: &str) -> Result<bool> {
        Ok(is_readable_name(name) && paths::identity(&paths::scalar(&self.root, name))?.is_some())
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        Ok(is_readable_name(axis) && paths::identity(&paths::axis(&self.root, axis))?.is_some())
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        match self.vector_files(axis, name) {
            Some(files) => Ok(paths::identity(&files.descriptor())?.is_some()),
            None => Ok(false),
        }
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        match self.matrix_files(rows, columns, name) {
            Some(files) => Ok(paths::identity(&files.descriptor())?.is_some()),
            None => Ok(false),
        }
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
            Dependency::Scalar(name) if is_readable_name(name) => {
                self.file_stamp(Some(paths::scalar(&self.root, name)), 0)
            }
            Dependency::Axis(axis) if is_readable_name(axis) => {
                let version = self.axis_version(axis);
                self.file_stamp(Some(paths::axis(&self.root, axis)), version)
            }
            Dependency::Vector(axis, name) => {
                let path = self
                    .vector_files(axis, name)
                    .map(|files| files.descriptor());
                self.file_stamp(path, self.vector_version(axis, name))
            }
            Dependency::Matrix(rows, columns, name) => {
                let files = self.matrix_files(rows, columns, name);
                let version = self.matrix_version(rows, columns, name);
                self.file_stamp(files.map(|files| files.descriptor()), version)
            }
            _ => Ok(Stamp::ABSENT),
        }
    }
}
