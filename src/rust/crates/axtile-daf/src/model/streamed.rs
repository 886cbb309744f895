//! Matrices that are too large to be had at once.

use std::fmt::Debug;
use std::ops::Range;

use axtile_core::{Result, Watch};

use super::{ElementType, Matrix};

/// A matrix that is read run by run of its columns: what needs each value
/// once never has more than a run of them in memory.
pub trait StreamedMatrix: Debug + Send + Sync {
    /// How many rows there are.
    fn n_rows(&self) -> usize;

    /// What the values are.
    fn element_type(&self) -> ElementType;

    /// How many values are kept: all of a dense matrix, those that are not
    /// zero of a sparse one.
    fn n_kept(&self) -> u64;

    /// The columns of each run, counted from 0. The runs follow each other,
    /// and have all columns together.
    fn runs(&self) -> &[Range<usize>];

    /// The columns of a run, with all rows, read by so many threads. Nothing
    /// is reported to `watch`.
    ///
    /// # Errors
    /// `Error::Range` if there is no such run; those of reading it;
    /// `Error::Interrupted`.
    fn read_run(&self, run: usize, n_threads: usize, watch: &dyn Watch) -> Result<Matrix>;

    /// Some rows and columns, which ascend; all where none are given.
    ///
    /// # Errors
    /// `Error::Range` if a row or column does not exist; `Error::Limit` if
    /// there is no memory for so much; as [`StreamedMatrix::read_run`].
    fn read(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix>;

    /// How many columns there are.
    fn n_columns(&self) -> usize {
        self.runs().last().map_or(0, |run| run.end)
    }
}
