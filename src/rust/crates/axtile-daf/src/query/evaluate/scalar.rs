//! Single values.

use axtile_core::Result;

use super::Evaluation;
use super::values::{dense, of_scalar, take};
use crate::model::Values;
use crate::query::expression::{Property, ScalarQuery};

impl Evaluation<'_> {
    /// The value that a query gives, as an array of one.
    pub fn scalar(&mut self, query: &ScalarQuery) -> Result<Values> {
        match query {
            ScalarQuery::Lookup { name, if_missing } => match self.stored_scalar(name)? {
                Some(scalar) => Ok(of_scalar(&scalar)),
                None => match if_missing {
                    Some(literal) => literal.repeated(1),
                    None => Err(self.missing_scalar(name)),
                },
            },
            ScalarQuery::OfVector {
                property,
                axis,
                entry,
            } => {
                let of = self.axis(axis)?;
                let idx = self.index(&axis.text, &of, entry)?;
                let values = self.stored_vector(&axis.text, &of, property)?;
                Ok(take(&dense(&values), &[idx]))
            }
            ScalarQuery::OfMatrix {
                property,
                rows,
                columns,
            } => {
                let (rows_axis, columns_axis) = (self.axis(&rows.0)?, self.axis(&columns.0)?);
                let row = self.index(&rows.0.text, &rows_axis, &rows.1)?;
                let column = self.index(&columns.0.text, &columns_axis, &columns.1)?;
                let property = Property {
                    slice: None,
                    ..property.clone()
                };
                let (rows, columns) = (&rows.0.text, &columns.0.text);
                let slice = self.stored_slice(rows, &rows_axis, columns, &property, column)?;
                Ok(take(&dense(&slice), &[row]))
            }
            ScalarQuery::ReduceVector(vector, reduce) => {
                let vector = self.vector(vector)?;
                self.reduced(vector, reduce)
            }
            ScalarQuery::ReduceMatrix(matrix, reduce) => {
                let matrix = self.matrix(matrix)?;
                self.reduce_matrix(&matrix, reduce)
            }
            ScalarQuery::Eltwise(value, how, span) => {
                let value = self.scalar(value)?;
                self.changed(&value, how, *span)
            }
            ScalarQuery::Compare(value, comparison) => {
                let value = self.scalar(value)?;
                Ok(Values::Bool(self.passing(&value, comparison)?.into()))
            }
        }
    }
}
