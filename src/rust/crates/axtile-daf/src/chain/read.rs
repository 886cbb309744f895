//! Reading chains.

use std::path::Path;
use std::sync::Arc;

use axtile_core::Result;

use super::Chain;
use crate::model::{
    Axis, Dependency, Matrix, Reader, Scalar, Stamp, StreamedMatrix, Vector, Writer, listing_stamp,
    missing_axis,
};

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

impl Reader for Chain {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        match self.last {
            Some(_) => "Write Chain",
            None => "ReadOnly Chain",
        }
    }

    fn path(&self) -> Option<&Path> {
        self.members.last()?.path()
    }

    fn as_writer(&self) -> Option<&dyn Writer> {
        self.last.is_some().then_some(self as &dyn Writer)
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for member in &self.members {
            names.extend(member.scalar_names()?);
        }
        Ok(sorted(names))
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for member in &self.members {
            names.extend(member.axis_names()?);
        }
        Ok(sorted(names))
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        let mut names = Vec::new();
        let mut is_there = false;
        for member in &self.members {
            if member.has_axis(axis)? {
                is_there = true;
                names.extend(member.vector_names(axis)?);
            }
        }
        if !is_there {
            return Err(missing_axis(&self.name, axis));
        }
        Ok(sorted(names))
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        for axis in [rows, columns] {
            if !self.has_axis(axis)? {
                return Err(missing_axis(&self.name, axis));
            }
        }
        let mut names = Vec::new();
        for member in &self.members {
            if member.has_axis(rows)? && member.has_axis(columns)? {
                names.extend(member.stored_matrix_names(rows, columns)?);
            }
        }
        let mut stored = Vec::new();
        for name in sorted(names) {
            if self.has_stored_matrix(rows, columns, &name)? {
                stored.push(name);
            }
        }
        Ok(stored)
    }

    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>> {
        for member in self.members.iter().rev() {
            if let Some(scalar) = member.find_scalar(name)? {
                return Ok(Some(scalar));
            }
        }
        Ok(None)
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        self.common_axis(axis)
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        if self.common_axis(axis)?.is_none() {
            return Ok(None);
        }
        for member in self.members.iter().rev() {
            if let Some(vector) = member.find_vector(axis, name)? {
                return Ok(Some(vector));
            }
        }
        Ok(None)
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        if self.common_axis(rows)?.is_none() || self.common_axis(columns)?.is_none() {
            return Ok(None);
        }
        match self.owner(rows, columns, name)? {
            Some(owner) => owner.find_matrix(rows, columns, name),
            None => Ok(None),
        }
    }

    fn find_streamed(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Result<Option<Arc<dyn StreamedMatrix>>> {
        if self.common_axis(rows)?.is_none() || self.common_axis(columns)?.is_none() {
            return Ok(None);
        }
        match self.owner(rows, columns, name)? {
            Some(owner) => owner.find_streamed(rows, columns, name),
            None => Ok(None),
        }
    }

    fn has_scalar(&self, name: &str) -> Result<bool> {
        self.any(|member| member.has_scalar(name))
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        self.any(|member| member.has_axis(axis))
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        self.any(|member| member.has_stored_vector(axis, name))
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        match self.owner(rows, columns, name)? {
            Some(owner) => owner.has_stored_matrix(rows, columns, name),
            None => Ok(false),
        }
    }

    fn axis_version(&self, axis: &str) -> u64 {
        self.sum(|member| member.axis_version(axis))
    }

    fn vector_version(&self, axis: &str, name: &str) -> u64 {
        self.sum(|member| member.vector_version(axis, name))
    }

    fn matrix_version(&self, rows: &str, columns: &str, name: &str) -> u64 {
        self.sum(|member| member.matrix_version(rows, columns, name))
    }

    fn stamp(&self, of: &Dependency) -> Result<Stamp> {
        if let Some(stamp) = listing_stamp(self, of)? {
            return Ok(stamp);
        }
        let Dependency::Matrix(rows, columns, name) = of else {
            return self.stamp_of_all(of);
        };
        if !self.has_stored_matrix(rows, columns, name)? {
            return Ok(Stamp::ABSENT);
        }
        // The other way round decides which member the matrix comes from.
        let flipped = Dependency::Matrix(columns.clone(), rows.clone(), name.clone());
        let stamps = [self.stamp_of_all(of)?, self.stamp_of_all(&flipped)?];
        Ok(Stamp::of_all(stamps))
    }
}

impl Chain {
    fn any(&self, has: impl Fn(&dyn Reader) -> Result<bool>) -> Result<bool> {
        for member in &self.members {
            if has(member.as_ref())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn sum(&self, version: impl Fn(&dyn Reader) -> u64) -> u64 {
        self.members
            .iter()
            .map(|member| version(member.as_ref()))
            .sum()
    }
}
