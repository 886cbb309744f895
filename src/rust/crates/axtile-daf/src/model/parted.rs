//! Matrices that are not to be in memory as a whole.

use std::fmt::Debug;
use std::ops::Range;

use axtile_core::Result;

use super::{ElementType, Matrix};

/// A matrix that is read in parts. Reductions are made of one part after the
/// other; what needs all values reads all of them.
pub trait PartedMatrix: Debug + Send + Sync {
    /// What the values are.
    fn element_type(&self) -> ElementType;

    /// How many rows there are.
    fn n_rows(&self) -> usize;

    /// How many columns there are.
    fn n_columns(&self) -> usize;

    /// The values of some rows and columns, or of all, in the order asked for.
    ///
    /// # Errors
    /// Errors of reading; `Error::Limit` if they are more than memory holds.
    fn part(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        n_threads: usize,
    ) -> Result<Matrix>;

    /// Columns that are best read together, in order; all of them.
    fn column_parts(&self) -> Vec<Range<u32>>;

    /// Rows that are best read together; all of them.
    ///
    /// # Errors
    /// Errors of reading.
    fn row_parts(&self, n_threads: usize) -> Result<Vec<Vec<u32>>>;
}
