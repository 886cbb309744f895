//! Marks of what a view shows: those of all that it is made of below.

use axtile_core::{Error, Result};

use super::View;
use crate::model::{Dependency, Reader, Stamp};
use crate::query::{Evaluated, Query};

impl View {
    /// The mark of one thing; see [`Reader::stamp`].
    pub(super) fn mark(&self, of: &Dependency) -> Result<Stamp> {
        match of {
            Dependency::Scalar(name) => self.stamp_of(self.scalar_query(name)),
            Dependency::Axis(axis) => {
                self.stamp_of(Ok(self.axes.get(axis).map(|shown| shown.query.clone())))
            }
            Dependency::Vector(axis, name) => {
                match (self.vector_item(axis, name), self.axes.get(axis)) {
                    (Some("="), Some(shown)) => {
                        let below = Dependency::Vector(shown.base.clone(), name.clone());
                        self.stamp_below(&below, &[axis])
                    }
                    _ => self.stamp_of(self.vector_query(axis, name)),
                }
            }
            Dependency::Matrix(rows, columns, name) => {
                let shown = (self.axes.get(rows), self.axes.get(columns));
                match (self.matrix_item(rows, columns, name), shown) {
                    (Some(("=", _)), (Some(of_rows), Some(of_columns))) => {
                        let (of_rows, of_columns) = (of_rows.base.clone(), of_columns.base.clone());
                        let below = Dependency::Matrix(of_rows, of_columns, name.clone());
                        self.stamp_below(&below, &[rows, columns])
                    }
                    _ => self.stamp_of(self.matrix_query(rows, columns, name)),
                }
            }
            _ => Ok(Stamp::ABSENT),
        }
    }

    /// The mark of what is shown as it is below, made of the marks of that
    /// and of the axes along it, so that nothing large is read for it.
    fn stamp_below(&self, below: &Dependency, axes: &[&str]) -> Result<Stamp> {
        let found = self.base.stamp(below)?;
        if found == Stamp::ABSENT {
            return Ok(found);
        }
        let mut stamps = vec![found];
        for axis in axes {
            stamps.push(self.stamp(&Dependency::Axis((*axis).to_owned()))?);
        }
        Ok(Stamp::of_all(stamps))
    }

    fn stamp_of(&self, query: Result<Option<Query>>) -> Result<Stamp> {
        let Some(query) = query? else {
            return Ok(Stamp::ABSENT);
        };
        match self.evaluate(&query) {
            Ok(result) => Ok(of_dependencies(&result)),
            // What the store below does not have cannot be found here.
            Err(Error::Range { .. }) => Ok(Stamp::ABSENT),
            Err(error) => Err(error),
        }
    }
}

pub(super) fn of_dependencies(result: &Evaluated) -> Stamp {
    Stamp::of_all(result.dependencies.iter().map(|(_, stamp)| *stamp))
}
