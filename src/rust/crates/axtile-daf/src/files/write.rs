//! Writing folder stores. A property appears with its descriptor, which is
//! written last; one that exists is replaced whole or not at all.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use axtile_core::{Error, Result};

use super::index::Edit;
use super::paths::Files;
use super::{FilesDaf, backup, descriptor, paths, scalar, steps};
use crate::model::{
    Axis, ElementType, Matrix, Reader, Scalar, Texts, Values, Vector, Writer, read_only,
};
use crate::sparsify::{stored_values, values_name, worthwhile};
use crate::{Orders, match_values};

/// A descriptor and the arrays it describes, by the ends of their names.
pub(super) struct Stored<'a> {
    pub(super) descriptor: String,
    arrays: Vec<(&'static str, Cow<'a, [u8]>)>,
}

impl<'a> Stored<'a> {
    /// The vector as it is, dense or sparse.
    pub(super) fn vector(vector: &'a Vector) -> Result<Stored<'a>> {
        match vector {
            Vector::Dense(values) => Stored::dense(values),
            Vector::Sparse(sparse) => {
                let indices = sparse.indices();
                let nzind = (
                    "nzind",
                    indices.stored_type(),
                    indices.len(),
                    indices.to_le_bytes(),
                );
                Stored::sparse(vec![nzind], sparse.values())
            }
        }
    }

    /// The matrix as it is, dense or sparse.
    pub(super) fn matrix(matrix: &'a Matrix) -> Result<Stored<'a>> {
        match matrix {
            Matrix::Dense(dense) => Stored::dense(dense.values()),
            Matrix::Sparse(sparse) => {
                let [colptr, rowval] = [("colptr", sparse.colptr()), ("rowval", sparse.rowval())]
                    .map(|(name, indices)| {
                        let bytes = indices.to_le_bytes();
                        (name, indices.stored_type(), indices.len(), bytes)
                    });
                Stored::sparse(vec![colptr, rowval], sparse.values())
            }
        }
    }

    fn dense(values: &'a Values) -> Result<Stored<'a>> {
        let name = match values {
            Values::String(_) => "txt",
            _ => "data",
        };
        Ok(Stored {
            descriptor: descriptor::dense(values.element_type()),
            arrays: vec![(name, bytes(values)?)],
        })
    }

    fn sparse(
        positions: Vec<(&'static str, ElementType, usize, Cow<'a, [u8]>)>,
        values: &'a Values,
    ) -> Result<Stored<'a>> {
        let mut described = Vec::new();
        let mut arrays = Vec::new();
        for (name, kind, len, bytes) in positions {
            described.push((name, kind, len));
            arrays.push((name, bytes));
        }
        if let Some(values) = stored_values(values) {
            described.push(("nzval", values.element_type(), values.len()));
            arrays.push((values_name(values.element_type()), bytes(values)?));
        }
        Ok(Stored {
            descriptor: descriptor::sparse(&described),
            arrays,
        })
    }

    /// Writes the files and removes those that were there for other arrays;
    /// the descriptor goes first and comes last.
    pub(super) fn replace(&self, files: &Files) -> Result<()> {
        steps::remove_file(&files.descriptor())?;
        for (suffix, bytes) in &self.arrays {
            steps::write(&files.path(suffix), bytes)?;
        }
        for suffix in paths::SUFFIXES {
            let is_needed = self.arrays.iter().any(|(needed, _)| *needed == suffix);
            if !is_needed && suffix != "json" && has_own(files, suffix)? {
                steps::remove_file(&files.path(suffix))?;
            }
        }
        steps::write(&files.descriptor(), self.descriptor.as_bytes())
    }
}

fn bytes(values: &Values) -> Result<Cow<'_, [u8]>> {
    match_values!(values, buffer => Ok(buffer.to_le_bytes()), texts => lines(texts))
}

fn lines(texts: &Texts) -> Result<Cow<'_, [u8]>> {
    texts.to_lines().ok_or_else(|| {
        let at = texts
            .iter_bytes()
            .position(|text| text.contains(&b'\n'))
            .unwrap_or_default();
        Error::argument(format!(
            "value {} has a newline in it, which text files of values cannot hold: {:?}",
            at + 1,
            texts.get(at)
        ))
    })
}

/// Whether a property has a file that ends with `suffix`. That of `a` with
/// `nzind.zip` can be that of another property, `a.nzind`, with `zip`.
fn has_own(files: &Files, suffix: &str) -> Result<bool> {
    if paths::identity(&files.path(suffix))?.is_none() {
        return Ok(false);
    }
    Ok(match suffix.split_once('.') {
        Some((part, _)) => paths::identity(&files.path(&format!("{part}.json")))?.is_none(),
        None => true,
    })
}

/// The files of a property that are there.
pub(super) fn present(files: &Files) -> Result<Vec<PathBuf>> {
    let mut present = Vec::new();
    for suffix in paths::SUFFIXES {
        if has_own(files, suffix)? {
            present.push(files.path(suffix));
        }
    }
    Ok(present)
}

impl FilesDaf {
    pub(super) fn check_writable(&self) -> Result<()> {
        if self.is_writable {
            return Ok(());
        }
        Err(read_only(&self.name))
    }

    fn put(&self, files: &Files, stored: &Stored<'_>, edit: Edit) -> Result<()> {
        self.change_indexed(Some(vec![edit]), || {
            let present = present(files)?;
            if present.contains(&files.descriptor()) {
                return backup::change(&self.root, &present, || stored.replace(files));
            }
            let written = stored.replace(files);
            if written.is_err() {
                // The first error matters; without a descriptor, arrays are
                // only untidy.
                for (suffix, _) in &stored.arrays {
                    let _ = paths::remove_file(&files.path(suffix));
                }
            }
            written
        })
    }

    fn remove(&self, files: &Files, edit: Edit) -> Result<()> {
        self.change_indexed(Some(vec![edit]), || {
            steps::remove_file(&files.descriptor())?;
            present(files)?
                .iter()
                .try_for_each(|path| steps::remove_file(path))
        })
    }

    /// The folders of the vectors and matrices of an axis.
    fn folders(&self, axis: &str) -> Result<Vec<PathBuf>> {
        let matrices = self.root.join("matrices");
        let mut folders = vec![
            self.root.join("vectors").join(axis),
            matrices.join(axis).join(axis),
        ];
        for other in self.axis_names()? {
            if other != axis {
                folders.push(matrices.join(axis).join(&other));
                folders.push(matrices.join(&other).join(axis));
            }
        }
        Ok(folders)
    }
}

impl Writer for FilesDaf {
    fn put_axis(&self, axis: &str, entries: Arc<Axis>) -> Result<()> {
        self.check_writable()?;
        let texts = entries.entries();
        if let Some(at) = texts
            .iter_bytes()
            .position(|entry| entry.contains(&b'\n') || entry.contains(&b'\r'))
        {
            return Err(Error::argument(format!(
                "entry {} has a newline in it, which files of entries cannot hold: {:?}",
                at + 1,
                texts.get(at)
            )));
        }
        let edit = Edit::axis(axis, Some(entries.len()));
        self.change_indexed(Some(vec![edit]), || {
            for folder in self.folders(axis)? {
                // What a crash left of an axis of this name is not this one's.
                steps::remove_folder(&folder)?;
                steps::make_folder(&folder)?;
            }
            let path = paths::axis(&self.root, axis);
            steps::write(&path, &lines(texts)?)
        })
    }

    fn drop_axis(&self, axis: &str) -> Result<()> {
        self.check_writable()?;
        self.change_indexed(Some(vec![Edit::axis(axis, None)]), || {
            let folders = self.folders(axis)?;
            steps::remove_file(&paths::axis(&self.root, axis))?;
            folders
                .iter()
                .chain([&self.root.join("matrices").join(axis)])
                .try_for_each(|folder| steps::remove_folder(folder))
        })?;
        self.versions.count(&[axis]);
        Ok(())
    }

    fn put_scalar(&self, name: &str, value: &Scalar) -> Result<()> {
        self.check_writable()?;
        let json = scalar::to_json(value);
        self.change_indexed(Some(vec![Edit::scalar(name, Some(&json))]), || {
            steps::write(&paths::scalar(&self.root, name), json.as_bytes())
        })
    }

    fn drop_scalar(&self, name: &str) -> Result<()> {
        self.check_writable()?;
        self.change_indexed(Some(vec![Edit::scalar(name, None)]), || {
            steps::remove_file(&paths::scalar(&self.root, name))
        })
    }

    fn put_vector(&self, axis: &str, name: &str, vector: &Vector) -> Result<()> {
        self.check_writable()?;
        let vector = worthwhile(vector);
        let stored = Stored::vector(&vector)?;
        let files = Files::of_vector(&self.root, axis, name);
        let edit = Edit::vector(axis, name, Some(&stored.descriptor));
        self.put(&files, &stored, edit)?;
        self.versions.count(&[axis, name]);
        Ok(())
    }

    fn drop_vector(&self, axis: &str, name: &str) -> Result<()> {
        self.check_writable()?;
        let files = Files::of_vector(&self.root, axis, name);
        self.remove(&files, Edit::vector(axis, name, None))
    }

    fn put_matrix(&self, rows: &str, columns: &str, name: &str, matrix: &Matrix) -> Result<()> {
        self.check_writable()?;
        let stored = Stored::matrix(matrix)?;
        let files = Files::of_matrix(&self.root, rows, columns, name);
        let edit = Edit::matrix(rows, columns, name, Some(&stored.descriptor));
        self.put(&files, &stored, edit)?;
        self.versions.count(&[rows, columns, name]);
        Ok(())
    }

    fn drop_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<()> {
        self.check_writable()?;
        let files = Files::of_matrix(&self.root, rows, columns, name);
        self.remove(&files, Edit::matrix(rows, columns, name, None))
    }

    fn reorder(&self, orders: &Orders) -> Result<()> {
        self.check_writable()?;
        self.reorder_files(orders)
    }
}
