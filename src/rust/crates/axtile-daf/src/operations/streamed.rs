//! Reductions of matrices that are read run by run of their columns. What is
//! known of the rows stays between runs; the runs do not.

use std::ops::Range;

use axtile_core::{Error, Result, Watch};

use super::accumulate::Accumulator;
use super::dense::{DenseColumn, DenseView};
use super::jobs::Job;
use super::lane::Lane;
use super::piece::{Filler, Gathered, Piece};
use super::reduce::{Request, Shape, Work, Worker, reduce};
use super::reduction::Reduction;
use super::slots::{Members, Slots};
use super::sparse::Scratch;
use super::threads::{Threads, attended};
use super::view::{MatrixView, viewed};
use crate::model::{Buffer, Matrix, Plain, Room, StreamedMatrix, Values};

/// Results that are accumulated in one pass over the matrix.
const MAX_SLOTS: usize = 1 << 24;
/// Values that are gathered in one pass over the matrix.
const MAX_GATHERED: usize = 1 << 24;

/// As [`super::reduce_matrix`], of a matrix of numbers that is read run by
/// run: once for most reductions, twice for variances. Quantiles and modes
/// gather the values of rows that are mostly not zero, and read the matrix
/// more often where those are many.
///
/// # Errors
/// As there, and those of reading the matrix; `Error::Argument` for texts.
pub fn reduce_streamed(
    matrix: &dyn StreamedMatrix,
    request: &Request<'_>,
    reduction: &Reduction,
    threads: &Threads,
    watch: &dyn Watch,
) -> Result<Values> {
    let streaming = Streaming {
        matrix,
        request,
        threads,
        watch,
    };
    reduce(
        &streaming,
        matrix.element_type(),
        matrix.n_kept(),
        reduction,
    )
}

struct Streaming<'a> {
    matrix: &'a dyn StreamedMatrix,
    request: &'a Request<'a>,
    threads: &'a Threads,
    watch: &'a dyn Watch,
}

impl Worker for Streaming<'_> {
    fn run<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        match self.request.shape {
            Shape::PerColumn => self.per_column(job),
            Shape::PerRow => self.per_row(job),
            Shape::One => self.one(job),
        }
    }
}

impl Streaming<'_> {
    /// Each run by itself.
    fn per_column<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        let columns = self.request.columns.all(self.matrix.n_columns());
        let mut results = Vec::new();
        for (idx, run) in self.matrix.runs().iter().enumerate() {
            let first = columns.partition_point(|&column| (column as usize) < run.start);
            let end = columns.partition_point(|&column| (column as usize) < run.end);
            let wanted = columns.get(first..end).unwrap_or_default();
            if wanted.is_empty() {
                continue;
            }
            let selected: Vec<u32> = wanted.iter().map(|&at| at - run.start as u32).collect();
            let request = Request {
                columns: Members {
                    selected: Some(&selected),
                    groups: None,
                },
                ..*self.request
            };
            let matrix = self.read(idx)?;
            let of_run = on_view(&matrix, |view| {
                let work = Work {
                    matrix: view,
                    request: &request,
                    threads: self.threads,
                    watch: self.watch,
                };
                work.run(job)
            })?;
            results.extend_from_slice(&of_run);
        }
        Ok(results.into())
    }

    /// All groups of columns in one pass, or as many as there is room for.
    fn per_row<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        let n_all = self.matrix.n_rows();
        let selected = self.request.rows.selected;
        let rows = selected.map(|selected| Slots::of_rows(n_all, selected));
        let n_rows = selected.map_or(n_all, <[u32]>::len);
        let sets = self.request.columns.sets(self.matrix.n_columns());
        let mut results = Room::<T>::zeros(n_rows * sets.len());
        let n_sets = (MAX_SLOTS / n_rows.max(1)).max(1);
        let batches = results.as_mut_slice().chunks_mut(n_sets * n_rows.max(1));
        for (batch, sets) in batches.zip(sets.chunks(n_sets)) {
            let piece = Rows {
                streaming: self,
                rows: rows.as_ref(),
                n_rows,
                columns: Slots::new(self.matrix.n_columns(), sets),
            };
            job.run(&piece, batch)?;
        }
        Ok(results.into())
    }

    fn one<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        let rows = Slots::of_groups(self.matrix.n_rows(), self.request.rows);
        let piece = Rows {
            streaming: self,
            rows: Some(&rows),
            n_rows: 1,
            columns: Slots::of_groups(self.matrix.n_columns(), self.request.columns),
        };
        let mut result = vec![T::zeroed()];
        job.run(&piece, &mut result)?;
        Ok(result.into())
    }

    fn read(&self, run: usize) -> Result<Matrix> {
        self.watch.check()?;
        attended(self.watch, || {
            self.matrix.read_run(run, self.threads.n, self.watch)
        })
    }
}

fn on_view<T>(matrix: &Matrix, work: impl FnOnce(&MatrixView<'_>) -> Result<T>) -> Result<T> {
    viewed(matrix, work).unwrap_or_else(|| Err(Error::argument("texts are not reduced run by run")))
}

/// Slots of rows in groups of columns; those of one group stand together.
struct Rows<'a> {
    streaming: &'a Streaming<'a>,
    /// Which rows; all, each its own slot, if none.
    rows: Option<&'a Slots>,
    /// How many slots of rows there are.
    n_rows: usize,
    /// Which columns.
    columns: Slots,
}

impl Rows<'_> {
    /// Rows of a slot.
    fn n_rows_of(&self, row_slot: usize) -> usize {
        match self.rows {
            Some(rows) => rows.sizes.get(row_slot).copied().unwrap_or(0),
            None => 1,
        }
    }

    /// Calls `visit` with the slot of each stored value, how many values of
    /// the slot stand before it, and the value.
    fn each<L: Lane>(&self, mut visit: impl FnMut(usize, u32, L)) -> Result<()> {
        for (idx, run) in self.streaming.matrix.runs().iter().enumerate() {
            let wanted = self.columns.of.get(run.clone()).unwrap_or_default();
            if wanted.iter().all(|&slot| self.columns.is_none(slot)) {
                continue;
            }
            let matrix = self.streaming.read(idx)?;
            on_view(&matrix, |view| self.each_of(view, run, &mut visit))?;
        }
        Ok(())
    }

    fn each_of<L: Lane>(
        &self,
        view: &MatrixView<'_>,
        run: &Range<usize>,
        visit: &mut impl FnMut(usize, u32, L),
    ) -> Result<()> {
        let mut scratch = Scratch::default();
        for column in 0..run.len() {
            let at = run.start + column;
            let (Some(&slot), Some(&column_rank)) =
                (self.columns.of.get(at), self.columns.rank.get(at))
            else {
                continue;
            };
            if self.columns.is_none(slot) {
                continue;
            }
            let first = slot as usize * self.n_rows;
            let mut one = |row: usize, value: L| match self.rows {
                None if row < self.n_rows => visit(first + row, column_rank, value),
                None => {}
                Some(rows) => {
                    let (Some(&slot), Some(&rank)) = (rows.of.get(row), rows.rank.get(row)) else {
                        return;
                    };
                    if rows.is_none(slot) {
                        return;
                    }
                    let n_before = u64::from(column_rank) * self.n_rows_of(slot as usize) as u64;
                    let rank = u32::try_from(n_before + u64::from(rank)).unwrap_or(u32::MAX);
                    visit(first + slot as usize, rank, value);
                }
            };
            match view {
                MatrixView::Sparse(sparse) => {
                    sparse.each(
                        column,
                        &mut scratch,
                        self.streaming.watch,
                        |rows, values| {
                            for (&row, &value) in rows.iter().zip(values) {
                                one(row.wrapping_sub(1) as usize, value);
                            }
                        },
                    )?;
                }
                MatrixView::Dense { values, n_rows, .. } => {
                    let column = DenseColumn {
                        view: DenseView {
                            n_rows: *n_rows,
                            values: *values,
                        },
                        column,
                        slots: None,
                        watch: self.streaming.watch,
                    };
                    column.each(0, *n_rows, |from, values| {
                        for (at, &value) in values.iter().enumerate() {
                            one(from + at, value);
                        }
                    })?;
                }
            }
        }
        Ok(())
    }
}

impl<L: Lane> Piece<L> for Rows<'_> {
    fn n_slots(&self) -> usize {
        self.n_rows * self.columns.sizes.len()
    }

    fn size(&self, slot: usize) -> usize {
        let n_rows = self.n_rows.max(1);
        let n_columns = self.columns.sizes.get(slot / n_rows).copied();
        n_columns.unwrap_or(0) * self.n_rows_of(slot % n_rows)
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn max_gathered(&self) -> usize {
        MAX_GATHERED
    }

    fn check(&self) -> Result<()> {
        self.streaming.watch.check()
    }

    fn accumulate<A: Accumulator<L>>(&self, all: &mut [A]) -> Result<()> {
        self.each(|slot, _, value: L| {
            if let Some(one) = all.get_mut(slot) {
                one.push(value);
            }
        })
    }

    fn gather(&self, wanted: &[bool]) -> Result<Gathered<L>> {
        let mut counts = vec![0_usize; wanted.len()];
        self.each(|slot, _, _: L| {
            if let Some(count) = counts.get_mut(slot) {
                *count += 1;
            }
        })?;
        let counts = counts.iter().zip(wanted);
        let mut filler = Filler::new(counts.map(|(&count, &is)| if is { count } else { 0 }));
        self.each(|slot, rank, value: L| {
            if wanted.get(slot) == Some(&true) {
                filler.push(slot, rank, value);
            }
        })?;
        Ok(filler.finish())
    }
}
