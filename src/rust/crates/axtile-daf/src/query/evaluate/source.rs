//! Where the values of a matrix are: in memory, or to be read run by run.

use std::ops::Range;
use std::sync::Arc;

use axtile_core::{Error, Result, Watch};

use super::data::{column, picked, row};
use super::{Evaluation, Options};
use crate::model::{ElementType, Matrix, StreamedMatrix, Values, Vector};
use crate::operations::{Reduction, Request, attended, reduce_matrix, reduce_streamed, viewed};

/// The values of a matrix.
#[derive(Clone, Debug)]
pub enum Source {
    /// In memory, or mapped.
    Memory(Matrix),
    /// To be read.
    Streamed(Arc<dyn StreamedMatrix>),
}

impl Source {
    /// What the values are.
    pub fn element_type(&self) -> ElementType {
        match self {
            Source::Memory(matrix) => matrix.element_type(),
            Source::Streamed(matrix) => matrix.element_type(),
        }
    }

    /// Some rows and columns, which ascend; all where none are given.
    pub fn read(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        options: &Options<'_>,
    ) -> Result<Matrix> {
        let Options { threads, watch, .. } = *options;
        match self {
            Source::Memory(matrix) => picked(matrix, rows, columns),
            Source::Streamed(matrix) => {
                attended(watch, || matrix.read(rows, columns, threads.n, watch))
            }
        }
    }

    /// A reduction by a kernel; none for texts.
    pub fn reduce(
        &self,
        request: &Request<'_>,
        how: &Reduction,
        options: &Options<'_>,
    ) -> Option<Result<Values>> {
        let Options { threads, watch, .. } = options;
        match self {
            Source::Memory(matrix) => viewed(matrix, |view| {
                reduce_matrix(view, request, how, threads, *watch)
            }),
            Source::Streamed(matrix) if matrix.element_type() == ElementType::String => None,
            Source::Streamed(matrix) => Some(reduce_streamed(
                matrix.as_ref(),
                request,
                how,
                threads,
                *watch,
            )),
        }
    }
}

impl Evaluation<'_> {
    /// One column of a matrix.
    pub fn column_of(&self, source: &Source, idx: u32) -> Result<Vector> {
        match source {
            Source::Memory(matrix) => column(matrix, idx),
            Source::Streamed(_) => column(&source.read(None, Some(&[idx]), &self.options)?, 0),
        }
    }

    /// One row of a matrix.
    pub fn row_of(&self, source: &Source, idx: u32) -> Result<Vector> {
        match source {
            Source::Memory(matrix) => row(matrix, idx),
            Source::Streamed(_) => row(&source.read(Some(&[idx]), None, &self.options)?, 0),
        }
    }
}

/// Some rows and columns of a matrix that is read run by run.
#[derive(Debug)]
pub(crate) struct Picked {
    whole: Arc<dyn StreamedMatrix>,
    rows: Option<Arc<Vec<u32>>>,
    /// As positions among all columns.
    columns: Vec<u32>,
    /// The run of the whole matrix that each run is of.
    of: Vec<usize>,
    runs: Vec<Range<usize>>,
}

impl Picked {
    /// These rows and columns, which ascend; all where none are given.
    pub(crate) fn new(
        whole: Arc<dyn StreamedMatrix>,
        rows: Option<Arc<Vec<u32>>>,
        columns: Option<&[u32]>,
    ) -> Picked {
        let columns = match columns {
            Some(columns) => columns.to_vec(),
            None => (0..whole.n_columns() as u32).collect(),
        };
        let mut of = Vec::new();
        let mut runs = Vec::new();
        let mut start = 0;
        for (idx, run) in whole.runs().iter().enumerate() {
            let end = columns.partition_point(|&column| (column as usize) < run.end);
            if end > start {
                of.push(idx);
                runs.push(start..end);
            }
            start = end;
        }
        Picked {
            whole,
            rows,
            columns,
            of,
            runs,
        }
    }

    fn rows(&self) -> Option<&[u32]> {
        self.rows.as_deref().map(Vec::as_slice)
    }
}

/// The picks of `inner` among those of `outer`; all where none are given.
fn among(outer: Option<&[u32]>, inner: Option<&[u32]>) -> Result<Option<Vec<u32>>> {
    let outside = || Error::range("a row or column outside a matrix");
    match (outer, inner) {
        (None, None) => Ok(None),
        (Some(one), None) | (None, Some(one)) => Ok(Some(one.to_vec())),
        (Some(outer), Some(inner)) => inner
            .iter()
            .map(|&at| outer.get(at as usize).copied().ok_or_else(outside))
            .collect::<Result<_>>()
            .map(Some),
    }
}

impl StreamedMatrix for Picked {
    fn n_rows(&self) -> usize {
        self.rows().map_or(self.whole.n_rows(), <[u32]>::len)
    }

    fn element_type(&self) -> ElementType {
        self.whole.element_type()
    }

    fn n_kept(&self) -> u64 {
        self.whole.n_kept()
    }

    fn runs(&self) -> &[Range<usize>] {
        &self.runs
    }

    fn read_run(&self, run: usize, n_threads: usize, watch: &dyn Watch) -> Result<Matrix> {
        let (Some(range), Some(&of)) = (self.runs.get(run), self.of.get(run)) else {
            return Err(Error::range(format!("there is no run {run} of a matrix")));
        };
        let start = self.whole.runs().get(of).map_or(0, |run| run.start as u32);
        let columns = self.columns.get(range.clone()).unwrap_or_default();
        let columns: Vec<u32> = columns.iter().map(|&column| column - start).collect();
        let matrix = self.whole.read_run(of, n_threads, watch)?;
        picked(&matrix, self.rows(), Some(&columns))
    }

    fn read(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix> {
        let rows = among(self.rows(), rows)?;
        let columns = among(Some(&self.columns), columns)?;
        let (rows, columns) = (rows.as_deref(), columns.as_deref());
        self.whole.read(rows, columns, n_threads, watch)
    }
}
