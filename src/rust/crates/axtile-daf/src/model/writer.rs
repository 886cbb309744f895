//! How stores are written, whichever way they keep their data.

use std::sync::Arc;

use axtile_core::{Error, Result};

use super::reader::is_reserved;
use super::{
    Axis, Matrix, Reader, Scalar, Texts, Vector, check_name, existing_axis, existing_matrix,
    existing_scalar, existing_vector, missing_axis, missing_matrix, missing_scalar, missing_vector,
};
use crate::Orders;

/// A store to write to. Stores implement the methods without a body, which
/// check nothing and replace what exists; users call the others.
pub trait Writer: Reader {
    /// Keeps a new axis.
    fn put_axis(&self, axis: &str, entries: Arc<Axis>) -> Result<()>;

    /// Forgets an axis whose vectors and matrices are gone.
    fn drop_axis(&self, axis: &str) -> Result<()>;

    /// Keeps a scalar.
    fn put_scalar(&self, name: &str, value: &Scalar) -> Result<()>;

    /// Forgets a scalar.
    fn drop_scalar(&self, name: &str) -> Result<()>;

    /// Keeps a vector of the length of its axis.
    fn put_vector(&self, axis: &str, name: &str, vector: &Vector) -> Result<()>;

    /// Forgets a vector.
    fn drop_vector(&self, axis: &str, name: &str) -> Result<()>;

    /// Keeps a matrix of the lengths of its axes.
    fn put_matrix(&self, rows: &str, columns: &str, name: &str, matrix: &Matrix) -> Result<()>;

    /// Forgets a matrix as it is stored with exactly these rows and columns.
    fn drop_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<()>;

    /// Forgets a matrix as it is stored with exactly these rows and columns,
    /// if it is, because it is about to be set the other way round.
    fn drop_outdated(&self, rows: &str, columns: &str, name: &str) -> Result<()> {
        if self.has_stored_matrix(rows, columns, name)? {
            self.drop_matrix(rows, columns, name)?;
        }
        Ok(())
    }

    /// Puts axes, with everything along them, into orders that were checked
    /// before; see [`reorder_axes`](crate::reorder_axes).
    ///
    /// # Errors
    /// `Error::Argument` if the store is one of others.
    fn reorder(&self, orders: &Orders) -> Result<()> {
        let axes: Vec<&str> = orders.keys().map(String::as_str).collect();
        Err(Error::argument(format!(
            "can't reorder the axes: {} of a store of kind {}, only of those it is made of; the \
             daf data: {}",
            axes.join(", "),
            self.kind(),
            self.name()
        )))
    }

    /// Adds an axis of unique entries, none of them empty.
    ///
    /// # Errors
    /// `Error::Existing` if there is one; `Error::Argument` if the name or an
    /// entry is not allowed.
    fn add_axis(&self, axis: &str, entries: Texts) -> Result<()> {
        check_name("axis", axis)?;
        if self.has_axis(axis)? {
            return Err(existing_axis(self.name(), axis));
        }
        let n_entries = entries.len();
        let entries = Axis::new(entries).ok_or_else(|| {
            Error::argument(format!(
                "{n_entries} entries are more than the {} that an axis can have",
                Axis::MAX_LEN
            ))
        })?;
        let of = format!("for the axis: {axis} in the daf data: {}", self.name());
        if let Some(at) = entries.entries().iter_bytes().position(<[u8]>::is_empty) {
            return Err(Error::argument(format!("empty entry {} {of}", at + 1)));
        }
        if let Some(at) = entries.repeated() {
            return Err(Error::argument(format!(
                "non-unique entries: entry {}, {:?}, was there before {of}",
                at + 1,
                entries.entries().get(at)
            )));
        }
        self.put_axis(axis, Arc::new(entries))
    }

    /// Deletes an axis with all its vectors and matrices.
    ///
    /// # Errors
    /// `Error::Range` if there is none and `must_exist`.
    fn delete_axis(&self, axis: &str, must_exist: bool) -> Result<()> {
        if !self.has_axis(axis)? {
            return absent(must_exist, || missing_axis(self.name(), axis));
        }
        for name in self.vector_names(axis)? {
            self.drop_vector(axis, &name)?;
        }
        for other in self.axis_names()? {
            for name in self.stored_matrix_names(axis, &other)? {
                self.drop_matrix(axis, &other, &name)?;
            }
            for name in self.stored_matrix_names(&other, axis)? {
                self.drop_matrix(&other, axis, &name)?;
            }
        }
        self.drop_axis(axis)
    }

    /// Sets a scalar.
    ///
    /// # Errors
    /// `Error::Existing` if there is one and not `overwrite`;
    /// `Error::Argument` if the name is not allowed.
    fn set_scalar(&self, name: &str, value: &Scalar, overwrite: bool) -> Result<()> {
        check_name("scalar", name)?;
        if !overwrite && self.has_scalar(name)? {
            return Err(existing_scalar(self.name(), name));
        }
        self.put_scalar(name, value)
    }

    /// Deletes a scalar.
    ///
    /// # Errors
    /// `Error::Range` if there is none and `must_exist`.
    fn delete_scalar(&self, name: &str, must_exist: bool) -> Result<()> {
        if !self.has_scalar(name)? {
            return absent(must_exist, || missing_scalar(self.name(), name));
        }
        self.drop_scalar(name)
    }

    /// Sets a vector, one value for each entry of the axis.
    ///
    /// # Errors
    /// `Error::Existing` if there is one and not `overwrite`; `Error::Range`
    /// if there is no such axis; `Error::Argument` if the length is not that
    /// of the axis, or the name is reserved or not allowed.
    fn set_vector(&self, axis: &str, name: &str, vector: &Vector, overwrite: bool) -> Result<()> {
        check_name("vector", name)?;
        refuse_reserved(self.name(), axis, name, "setting")?;
        let n_entries = self.axis(axis)?.len();
        if vector.len() != n_entries {
            return Err(Error::argument(format!(
                "the length: {} of the vector: {name} is different from the length: {n_entries} \
                 of the axis: {axis} in the daf data: {}",
                vector.len(),
                self.name()
            )));
        }
        if !overwrite && self.has_stored_vector(axis, name)? {
            return Err(existing_vector(self.name(), axis, name));
        }
        self.put_vector(axis, name, vector)
    }

    /// Deletes a vector.
    ///
    /// # Errors
    /// `Error::Range` if there is none and `must_exist`, or no such axis;
    /// `Error::Argument` if the name is reserved.
    fn delete_vector(&self, axis: &str, name: &str, must_exist: bool) -> Result<()> {
        refuse_reserved(self.name(), axis, name, "deleting")?;
        if !self.has_axis(axis)? {
            return absent(must_exist, || missing_axis(self.name(), axis));
        }
        if !self.has_stored_vector(axis, name)? {
            return absent(must_exist, || missing_vector(self.name(), axis, name));
        }
        self.drop_vector(axis, name)
    }

    /// Sets a matrix, one value for each pair of entries, and with `relayout`
    /// also the matrix with rows and columns exchanged, unless both are along
    /// the same axis. Without it, a matrix stored the other way round goes,
    /// which would hold other values.
    ///
    /// # Errors
    /// `Error::Existing` if there is one, either way round, and not
    /// `overwrite`; `Error::Range` if there is no such axis;
    /// `Error::Argument` if a length is not that of its axis, or the name is
    /// not allowed.
    fn set_matrix(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
        matrix: &Matrix,
        overwrite: bool,
        relayout: bool,
    ) -> Result<()> {
        check_name("matrix", name)?;
        let lengths = [
            ("rows", rows, matrix.n_rows()),
            ("columns", columns, matrix.n_columns()),
        ];
        for (what, axis, n_given) in lengths {
            let n_entries = self.axis(axis)?.len();
            if n_given != n_entries {
                return Err(Error::argument(format!(
                    "the length: {n_given} of the {what} of the matrix: {name} is different from \
                     the length: {n_entries} of the axis: {axis} in the daf data: {}",
                    self.name()
                )));
            }
        }
        if !overwrite && self.has_matrix(rows, columns, name)? {
            return Err(existing_matrix(self.name(), rows, columns, name));
        }
        let flipped = rows != columns;
        if flipped && !relayout {
            self.drop_outdated(columns, rows, name)?;
        }
        self.put_matrix(rows, columns, name, matrix)?;
        if flipped && relayout {
            self.put_matrix(columns, rows, name, &matrix.transposed())?;
        }
        Ok(())
    }

    /// Stores the matrix with rows and columns exchanged as well.
    ///
    /// # Errors
    /// `Error::Range` if there is no such matrix; `Error::Existing` if both
    /// are stored and not `overwrite`; `Error::Argument` if both are along the
    /// same axis.
    fn relayout_matrix(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
        overwrite: bool,
    ) -> Result<()> {
        if rows == columns {
            return Err(Error::argument(format!(
                "can't relayout square matrix: {name} of the axis: {rows} in the daf data: {}",
                self.name()
            )));
        }
        if !self.has_matrix(rows, columns, name)? {
            return Err(missing_matrix(self.name(), rows, columns, name));
        }
        let Some(matrix) = self.find_matrix(rows, columns, name)? else {
            let matrix = self.matrix(rows, columns, name)?;
            return self.put_matrix(rows, columns, name, &matrix);
        };
        if !overwrite && self.has_stored_matrix(columns, rows, name)? {
            return Err(existing_matrix(self.name(), columns, rows, name));
        }
        self.put_matrix(columns, rows, name, &matrix.transposed())
    }

    /// Deletes a matrix, with `relayout` also as it is stored the other way
    /// round.
    ///
    /// # Errors
    /// `Error::Range` if there is none and `must_exist`, or no such axis.
    fn delete_matrix(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
        must_exist: bool,
        relayout: bool,
    ) -> Result<()> {
        for axis in [rows, columns] {
            if !self.has_axis(axis)? {
                return absent(must_exist, || missing_axis(self.name(), axis));
            }
        }
        let mut found = false;
        if self.has_stored_matrix(rows, columns, name)? {
            self.drop_matrix(rows, columns, name)?;
            found = true;
        }
        if relayout && rows != columns && self.has_stored_matrix(columns, rows, name)? {
            self.drop_matrix(columns, rows, name)?;
            found = true;
        }
        if found {
            return Ok(());
        }
        absent(must_exist, || {
            missing_matrix(self.name(), rows, columns, name)
        })
    }
}

fn absent(must_exist: bool, missing: impl FnOnce() -> Error) -> Result<()> {
    if must_exist { Err(missing()) } else { Ok(()) }
}

fn refuse_reserved(store: &str, axis: &str, name: &str, doing: &str) -> Result<()> {
    if !is_reserved(name) {
        return Ok(());
    }
    Err(Error::argument(format!(
        "{doing} the reserved vector: {name} for the axis: {axis} in the daf data: {store}"
    )))
}
