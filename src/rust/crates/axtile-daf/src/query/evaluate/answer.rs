//! Answers to queries.

use axtile_core::{Error, Result};

use super::Evaluation;
use super::entries::Entries;
use crate::model::{Dependency, Matrix, Scalar, Stamp, Vector};
use crate::query::expression::{Expression, NamesQuery};

/// What a query gives.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Names, in the order of their bytes.
    Names(Vec<String>),
    /// Entries of an axis.
    Entries(Entries),
    /// One value.
    Scalar(Scalar),
    /// A value for each entry or group.
    Vector {
        /// What the values belong to.
        entries: Entries,
        /// The values.
        values: Vector,
    },
    /// A value for each pair of entries or groups.
    Matrix {
        /// What the rows belong to.
        rows: Entries,
        /// What the columns belong to.
        columns: Entries,
        /// The values.
        values: Matrix,
    },
}

/// What a query gives, and what that was made of.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// What it gives.
    pub answer: Answer,
    /// All that the answer depends on, with the state it was in: the answer
    /// holds as long as the store gives the same stamps.
    pub dependencies: Vec<(Dependency, Stamp)>,
    /// Whether a matrix was only stored with rows and columns exchanged.
    pub has_flipped: bool,
}

impl Evaluation<'_> {
    pub(super) fn answer(&mut self, plan: &Expression) -> Result<Answer> {
        match plan {
            Expression::Names(names) => self.names(names).map(Answer::Names),
            Expression::Axis(axis) => self.entries(axis).map(Answer::Entries),
            Expression::Scalar(scalar) => {
                let value = self.scalar(scalar)?;
                let value = value.get(0);
                value
                    .map(Answer::Scalar)
                    .ok_or_else(|| Error::range("a scalar without a value"))
            }
            Expression::Vector(vector) => {
                let vector = self.vector(vector)?;
                let vector = self.settled(vector)?;
                Ok(Answer::Vector {
                    entries: vector.entries,
                    values: vector.values,
                })
            }
            Expression::Matrix(matrix) => {
                let grid = self.matrix(matrix)?;
                let grid = self.settled_matrix(grid)?;
                Ok(Answer::Matrix {
                    rows: grid.rows,
                    columns: grid.columns,
                    values: grid.matrix,
                })
            }
        }
    }

    fn names(&mut self, names: &NamesQuery) -> Result<Vec<String>> {
        match names {
            NamesQuery::Scalars => {
                self.depend(Dependency::Scalars)?;
                self.store.scalar_names()
            }
            NamesQuery::Axes => {
                self.depend(Dependency::Axes)?;
                self.store.axis_names()
            }
            NamesQuery::Vectors(axis) => {
                self.axis(axis)?;
                self.depend(Dependency::Vectors(axis.text.clone()))?;
                self.store.vector_names(&axis.text)
            }
            NamesQuery::Matrices(rows, columns) => {
                self.axis(rows)?;
                self.axis(columns)?;
                let (rows, columns) = (&rows.text, &columns.text);
                self.depend(Dependency::Matrices(rows.clone(), columns.clone()))?;
                self.depend(Dependency::Matrices(columns.clone(), rows.clone()))?;
                self.store.matrix_names(rows, columns)
            }
        }
    }
}
