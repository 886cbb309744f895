//! How stores are read, whichever way they keep their data.

use std::path::Path;
use std::sync::Arc;

use axtile_core::Result;

use super::{
    Axis, Dependency, Matrix, Scalar, Stamp, StreamedMatrix, Values, Vector, Writer, missing_axis,
    missing_matrix, missing_scalar, missing_vector,
};

/// A store to read from. All lists of names are in bytewise order. Stores
/// implement the methods without a body; the others follow from them.
pub trait Reader: Send + Sync {
    /// What the store is called in messages.
    fn name(&self) -> &str;

    /// What kind of store this is, as its type is called: `MemoryDaf`, ...
    fn kind(&self) -> &'static str;

    /// Where the store is, if it is a file or folder.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// The store to write to, unless it can only be read.
    fn as_writer(&self) -> Option<&dyn Writer> {
        None
    }

    /// The names of the scalars.
    fn scalar_names(&self) -> Result<Vec<String>>;

    /// The names of the axes.
    fn axis_names(&self) -> Result<Vec<String>>;

    /// The names of the vectors along `axis`, without the reserved ones.
    ///
    /// # Errors
    /// `Error::Range` if there is no such axis.
    fn vector_names(&self, axis: &str) -> Result<Vec<String>>;

    /// The names of the matrices stored with exactly these rows and columns.
    ///
    /// # Errors
    /// `Error::Range` if there is no such axis.
    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>>;

    /// The scalar, if there is one.
    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>>;

    /// The axis, if there is one.
    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>>;

    /// The vector, if there is one; the reserved ones are not looked for.
    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>>;

    /// The matrix, if it is stored with exactly these rows and columns.
    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>>;

    /// The matrix to be read run by run, if it is stored with exactly these
    /// rows and columns and better not had at once: queries then only read
    /// what they need. `find_matrix` gives it as a whole.
    fn find_streamed(
        &self,
        _rows: &str,
        _columns: &str,
        _name: &str,
    ) -> Result<Option<Arc<dyn StreamedMatrix>>> {
        Ok(None)
    }

    /// Whether there is such a scalar.
    fn has_scalar(&self, name: &str) -> Result<bool>;

    /// Whether there is such an axis.
    fn has_axis(&self, axis: &str) -> Result<bool>;

    /// Whether there is such a vector, not counting the reserved ones.
    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool>;

    /// Whether the matrix is stored with exactly these rows and columns.
    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool>;

    /// How often the axis was deleted.
    fn axis_version(&self, axis: &str) -> u64;

    /// How often the vector was set.
    fn vector_version(&self, axis: &str, name: &str) -> u64;

    /// How often the matrix was set with these rows and columns.
    fn matrix_version(&self, rows: &str, columns: &str, name: &str) -> u64;

    /// A mark of the state of one thing; it differs once that has changed.
    fn stamp(&self, of: &Dependency) -> Result<Stamp>;

    /// The scalar.
    ///
    /// # Errors
    /// `Error::Range` if there is none.
    fn scalar(&self, name: &str) -> Result<Scalar> {
        self.find_scalar(name)?
            .ok_or_else(|| missing_scalar(self.name(), name))
    }

    /// The axis.
    ///
    /// # Errors
    /// `Error::Range` if there is none.
    fn axis(&self, axis: &str) -> Result<Arc<Axis>> {
        self.find_axis(axis)?
            .ok_or_else(|| missing_axis(self.name(), axis))
    }

    /// Whether there is such a vector: of every axis, `name` and `index` are.
    ///
    /// # Errors
    /// `Error::Range` if there is no such axis.
    fn has_vector(&self, axis: &str, name: &str) -> Result<bool> {
        if !self.has_axis(axis)? {
            return Err(missing_axis(self.name(), axis));
        }
        Ok(is_reserved(name) || self.has_stored_vector(axis, name)?)
    }

    /// The vector; `name` is the entries of the axis, `index` their positions
    /// counted from 1.
    ///
    /// # Errors
    /// `Error::Range` if there is no such axis or vector.
    fn vector(&self, axis: &str, name: &str) -> Result<Vector> {
        match name {
            "name" => Ok(Vector::Dense(Values::String(
                self.axis(axis)?.entries().clone(),
            ))),
            "index" => Ok(Vector::Dense(positions(self.axis(axis)?.len()))),
            _ => match self.find_vector(axis, name)? {
                Some(vector) => Ok(vector),
                None if !self.has_axis(axis)? => Err(missing_axis(self.name(), axis)),
                None => Err(missing_vector(self.name(), axis, name)),
            },
        }
    }

    /// Whether there is such a matrix, stored either way round.
    ///
    /// # Errors
    /// `Error::Range` if there is no such axis.
    fn has_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        for axis in [rows, columns] {
            if !self.has_axis(axis)? {
                return Err(missing_axis(self.name(), axis));
            }
        }
        Ok(self.has_stored_matrix(rows, columns, name)?
            || self.has_stored_matrix(columns, rows, name)?)
    }

    /// The matrix: as it is stored, or exchanged on the fly if it is only
    /// stored the other way round.
    ///
    /// # Errors
    /// `Error::Range` if there is no such axis or matrix.
    fn matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Matrix> {
        if let Some(matrix) = self.find_matrix(rows, columns, name)? {
            return Ok(matrix);
        }
        if rows != columns
            && let Some(matrix) = self.find_matrix(columns, rows, name)?
        {
            return Ok(matrix.transposed());
        }
        for axis in [rows, columns] {
            if !self.has_axis(axis)? {
                return Err(missing_axis(self.name(), axis));
            }
        }
        Err(missing_matrix(self.name(), rows, columns, name))
    }

    /// The names of the matrices of these axes, stored either way round.
    fn matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        let mut names = self.stored_matrix_names(rows, columns)?;
        if rows != columns {
            names.extend(self.stored_matrix_names(columns, rows)?);
            names.sort_unstable();
            names.dedup();
        }
        Ok(names)
    }
}

/// Whether every axis has a vector of this name that no one sets.
pub(crate) fn is_reserved(name: &str) -> bool {
    name == "name" || name == "index"
}

/// 1 to `len`, as small a signed number as R has.
fn positions(len: usize) -> Values {
    match i32::try_from(len) {
        Ok(len) => (1..=len).collect::<Vec<i32>>().into(),
        Err(_) => (1..=len as i64).collect::<Vec<i64>>().into(),
    }
}
