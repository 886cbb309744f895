//! Writing to the last store of a chain.

use std::sync::Arc;

use axtile_core::{Error, Result};

use super::Chain;
use crate::model::{
    Axis, Matrix, Reader, Scalar, Vector, Writer, missing_axis, read_only as cannot_write,
};

impl Chain {
    fn last(&self) -> Result<&dyn Writer> {
        self.last.as_deref().ok_or_else(|| cannot_write(&self.name))
    }

    /// Refuses to delete what would still be there.
    fn check_not_earlier(
        &self,
        what: &str,
        has: impl Fn(&dyn Reader) -> Result<bool>,
    ) -> Result<()> {
        let n_earlier = self.members.len().saturating_sub(1);
        for member in self.members.iter().take(n_earlier) {
            if has(member.as_ref())? {
                return Err(Error::argument(format!(
                    "can't delete the {what} which exists in the daf data: {} of the chain: {}",
                    member.name(),
                    self.name
                )));
            }
        }
        Ok(())
    }

    /// Gives the last store an axis that only earlier ones have.
    fn ensure_axis(&self, axis: &str) -> Result<()> {
        let last = self.last()?;
        if last.has_axis(axis)? {
            return Ok(());
        }
        let entries = self
            .common_axis(axis)?
            .ok_or_else(|| missing_axis(&self.name, axis))?;
        last.put_axis(axis, entries)
    }
}

impl Writer for Chain {
    fn put_axis(&self, axis: &str, entries: Arc<Axis>) -> Result<()> {
        self.last()?.put_axis(axis, entries)
    }

    fn drop_axis(&self, axis: &str) -> Result<()> {
        self.last()?.drop_axis(axis)
    }

    fn delete_axis(&self, axis: &str, must_exist: bool) -> Result<()> {
        let what = format!("axis: {axis}");
        self.check_not_earlier(&what, |member| member.has_axis(axis))?;
        if !self.has_axis(axis)? && must_exist {
            return Err(missing_axis(&self.name, axis));
        }
        self.last()?.delete_axis(axis, false)
    }

    fn put_scalar(&self, name: &str, value: &Scalar) -> Result<()> {
        self.last()?.put_scalar(name, value)
    }

    fn drop_scalar(&self, name: &str) -> Result<()> {
        let what = format!("scalar: {name}");
        self.check_not_earlier(&what, |member| member.has_scalar(name))?;
        self.last()?.drop_scalar(name)
    }

    fn put_vector(&self, axis: &str, name: &str, vector: &Vector) -> Result<()> {
        self.ensure_axis(axis)?;
        self.last()?.put_vector(axis, name, vector)
    }

    fn drop_vector(&self, axis: &str, name: &str) -> Result<()> {
        let what = format!("vector: {name} of the axis: {axis}");
        self.check_not_earlier(&what, |member| member.has_stored_vector(axis, name))?;
        self.last()?.drop_vector(axis, name)
    }

    fn put_matrix(&self, rows: &str, columns: &str, name: &str, matrix: &Matrix) -> Result<()> {
        self.ensure_axis(rows)?;
        self.ensure_axis(columns)?;
        self.last()?.put_matrix(rows, columns, name, matrix)
    }

    fn drop_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<()> {
        let what =
            format!("matrix: {name} of the rows axis: {rows} and the columns axis: {columns}");
        self.check_not_earlier(&what, |member| {
            Ok(member.has_stored_matrix(rows, columns, name)?
                || member.has_stored_matrix(columns, rows, name)?)
        })?;
        self.last()?.drop_matrix(rows, columns, name)
    }

    fn drop_outdated(&self, rows: &str, columns: &str, name: &str) -> Result<()> {
        // What earlier stores have is hidden by what the last one gets.
        self.last()?.drop_outdated(rows, columns, name)
    }
}
