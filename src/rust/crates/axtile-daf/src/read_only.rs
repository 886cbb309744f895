//! A store that can only be read, whatever it is made of.

use std::path::Path;
use std::sync::Arc;

use axtile_core::Result;

use crate::model::{Axis, Dependency, Matrix, Reader, Scalar, Stamp, StreamedMatrix, Vector};

/// The store to read only, under another name if one is given; itself if it
/// can only be read already and keeps its name.
pub fn read_only(store: Arc<dyn Reader>, name: Option<&str>) -> Arc<dyn Reader> {
    if name.is_none() && store.as_writer().is_none() {
        return store;
    }
    Arc::new(ReadOnly {
        name: name.unwrap_or(store.name()).to_owned(),
        store,
    })
}

struct ReadOnly {
    name: String,
    store: Arc<dyn Reader>,
}

impl Reader for ReadOnly {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "ReadOnly View"
    }

    fn path(&self) -> Option<&Path> {
        self.store.path()
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        self.store.scalar_names()
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        self.store.axis_names()
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        self.store.vector_names(axis)
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        self.store.stored_matrix_names(rows, columns)
    }

    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>> {
        self.store.find_scalar(name)
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        self.store.find_axis(axis)
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        self.store.find_vector(axis, name)
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        self.store.find_matrix(rows, columns, name)
    }

    fn find_streamed(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Result<Option<Arc<dyn StreamedMatrix>>> {
        self.store.find_streamed(rows, columns, name)
    }

    fn has_scalar(&self, name: &str) -> Result<bool> {
        self.store.has_scalar(name)
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        self.store.has_axis(axis)
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        self.store.has_stored_vector(axis, name)
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        self.store.has_stored_matrix(rows, columns, name)
    }

    fn axis_version(&self, axis: &str) -> u64 {
        self.store.axis_version(axis)
    }

    fn vector_version(&self, axis: &str, name: &str) -> u64 {
        self.store.vector_version(axis, name)
    }

    fn matrix_version(&self, rows: &str, columns: &str, name: &str) -> u64 {
        self.store.matrix_version(rows, columns, name)
    }

    fn stamp(&self, of: &Dependency) -> Result<Stamp> {
        self.store.stamp(of)
    }
}
