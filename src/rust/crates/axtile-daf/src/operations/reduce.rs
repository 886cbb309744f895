//! Reductions of matrices and vectors of numbers: to a value for each row,
//! for each column, for each group of them, or to one value.

use axtile_core::{Error, Result, Watch};

use super::dense::{DenseColumn, DenseRows, DenseView, Rows};
use super::jobs::{
    Extremes, FloatSums, GeoMeans, Job, Means, Modes, NarrowSums, Quantiles, Sizes, Spreads,
    UnsignedSums, WideSums,
};
use super::lane::LaneKind;
use super::piece::Merged;
use super::reduction::Reduction;
use super::results::Results;
use super::slots::{Members, Slots};
use super::sparse::{SparseColumn, SparseRows};
use super::threads::{Threads, fill};
use super::view::MatrixView;
use crate::model::{Buffer, ElementType, Plain, Values};

/// No more values than this can be added in 64 bits, whatever they are.
const MAX_NARROW: u64 = 1 << 31;

/// What there is a result for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each selected row, and each group of columns.
    PerRow,
    /// Each group of rows, and each selected column.
    PerColumn,
    /// All that is selected together.
    One,
}

/// Which values to reduce, to what.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The rows; grouped only if the shape is `PerColumn`.
    pub rows: Members<'a>,
    /// The columns; grouped only if the shape is `PerRow`.
    pub columns: Members<'a>,
    /// What there is a result for.
    pub shape: Shape,
}

/// The results by columns: rows x groups of columns, groups of rows x
/// columns, or one. Those of empty groups mean nothing.
///
/// # Errors
/// `Error::Range` for a result that its type cannot hold, for negative values
/// where there must be none, and for damaged indices. `Error::Argument` for
/// operations of the user, which are no kernels. `Error::Interrupted`; nothing
/// is reported to `watch`. Those of reading a matrix that is streamed.
pub fn reduce_matrix(
    matrix: &MatrixView<'_>,
    request: &Request<'_>,
    reduction: &Reduction,
    threads: &Threads,
    watch: &dyn Watch,
) -> Result<Values> {
    let work = Work {
        matrix,
        request,
        threads,
        watch,
    };
    let numbers = matrix.numbers();
    reduce(&work, numbers.kind(), numbers.len() as u64, reduction)
}

/// Does jobs on all pieces of a matrix.
pub(super) trait Worker {
    fn run<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>>;
}

/// The reduction of a matrix that stores `n_values` values of type `kind`.
pub(super) fn reduce(
    work: &impl Worker,
    kind: ElementType,
    n_values: u64,
    reduction: &Reduction,
) -> Result<Values> {
    let result = reduction.result_type(kind);
    let lane = LaneKind::of(kind);
    let is_narrow = kind != ElementType::Int64 && n_values <= MAX_NARROW;
    let means = Means { lane, is_narrow };
    let spreads = |is_root, eps| {
        let spreads = Spreads::new(means, is_root, eps);
        work.run(&spreads).map(Results::Floats)
    };
    let results = match reduction {
        Reduction::Sum { .. } => match lane {
            LaneKind::Float => Results::Floats(work.run(&FloatSums)?),
            LaneKind::Signed if is_narrow => Results::Signed(work.run(&NarrowSums)?),
            LaneKind::Signed => Results::Wide(work.run(&WideSums)?),
            LaneKind::Unsigned => Results::Wide(work.run(&UnsignedSums)?),
        },
        Reduction::Count { .. } => Results::Unsigned(work.run(&Sizes)?),
        Reduction::Mean { .. } => Results::Floats(work.run(&means)?),
        Reduction::Min => in_lane(work, lane, Extremes::<false>)?,
        Reduction::Max => in_lane(work, lane, Extremes::<true>)?,
        Reduction::Mode => in_lane(work, lane, Modes)?,
        Reduction::Median { .. } => Results::Floats(work.run(&Quantiles { p: 0.5 })?),
        Reduction::Quantile { p, .. } => Results::Floats(work.run(&Quantiles { p: *p })?),
        Reduction::Var { .. } => spreads(false, None)?,
        Reduction::Std { .. } => spreads(true, None)?,
        Reduction::VarN { eps, .. } => spreads(false, Some(*eps))?,
        Reduction::StdN { eps, .. } => spreads(true, Some(*eps))?,
        Reduction::GeoMean { eps, .. } => Results::Floats(work.run(&GeoMeans { eps: *eps })?),
        Reduction::Custom(custom) => {
            return Err(Error::argument(format!(
                "the operation '{}' is the user's",
                custom.name
            )));
        }
    };
    match reduction.asked_type() {
        None => results.into_values_or_wider(result),
        Some(_) => results.into_values(result),
    }
}

/// A job whose results are of the type of the values.
fn in_lane(
    work: &impl Worker,
    lane: LaneKind,
    job: impl Job<f64> + Job<i64> + Job<u64>,
) -> Result<Results> {
    Ok(match lane {
        LaneKind::Float => Results::Floats(work.run(&job)?),
        LaneKind::Signed => Results::Signed(work.run(&job)?),
        LaneKind::Unsigned => Results::Unsigned(work.run(&job)?),
    })
}

pub(super) struct Work<'a> {
    pub(super) matrix: &'a MatrixView<'a>,
    pub(super) request: &'a Request<'a>,
    pub(super) threads: &'a Threads,
    pub(super) watch: &'a dyn Watch,
}

impl Worker for Work<'_> {
    fn run<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        let n_values = self.matrix.numbers().len();
        self.threads
            .run(n_values, self.watch, || match self.request.shape {
                Shape::PerRow => self.per_row(job),
                Shape::PerColumn => self.per_column(job),
                Shape::One => self.one(job),
            })
    }
}

impl Work<'_> {
    fn row_slots(&self) -> Option<Slots> {
        let rows = self.request.rows;
        (!rows.is_everything()).then(|| Slots::of_groups(self.matrix.n_rows(), rows))
    }

    fn columns(&self) -> Vec<u32> {
        self.request.columns.all(self.matrix.n_columns())
    }

    fn per_column<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        let columns = self.columns();
        let slots = self.row_slots();
        let n_slots = slots.as_ref().map_or(1, |slots| slots.sizes.len());
        let sizes = vec![n_slots; columns.len()];
        fill(&sizes, self.watch, |idx, results| {
            let column = columns.get(idx).map_or(0, |&column| column as usize);
            match self.matrix {
                MatrixView::Dense { values, n_rows, .. } => {
                    let view = DenseView {
                        n_rows: *n_rows,
                        values: *values,
                    };
                    let slots = slots.as_ref();
                    job.run(
                        &DenseColumn {
                            view,
                            column,
                            slots,
                            watch: self.watch,
                        },
                        results,
                    )
                }
                MatrixView::Sparse(view) => {
                    let (view, slots) = (*view, slots.as_ref());
                    job.run(
                        &SparseColumn {
                            view,
                            column,
                            slots,
                            watch: self.watch,
                        },
                        results,
                    )
                }
            }
        })
    }

    fn one<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        let columns = self.columns();
        let slots = self.row_slots();
        let slots = slots.as_ref();
        let columns = columns.iter().map(|&column| column as usize);
        let mut result = vec![T::zeroed()];
        match self.matrix {
            MatrixView::Dense { values, n_rows, .. } => {
                let view = DenseView {
                    n_rows: *n_rows,
                    values: *values,
                };
                let pieces = columns.map(|column| DenseColumn {
                    view,
                    column,
                    slots,
                    watch: self.watch,
                });
                job.run(&Merged(pieces.collect()), &mut result)?;
            }
            MatrixView::Sparse(view) => {
                let view = *view;
                let pieces = columns.map(|column| SparseColumn {
                    view,
                    column,
                    slots,
                    watch: self.watch,
                });
                job.run(&Merged(pieces.collect()), &mut result)?;
            }
        }
        Ok(result.into())
    }

    fn per_row<T: Plain>(&self, job: &impl Job<T>) -> Result<Buffer<T>> {
        let sets = self.request.columns.sets(self.matrix.n_columns());
        let selected = self.request.rows.selected;
        let n_rows = selected.map_or(self.matrix.n_rows(), <[u32]>::len);
        match self.matrix {
            MatrixView::Sparse(view) => {
                let slots = selected.map(|selected| Slots::of_rows(view.n_rows, selected));
                fill(&vec![n_rows; sets.len()], self.watch, |idx, results| {
                    let piece = SparseRows {
                        view: *view,
                        slots: slots.as_ref(),
                        columns: sets.get(idx).map(Vec::as_slice).unwrap_or_default(),
                        watch: self.watch,
                    };
                    job.run(&piece, results)
                })
            }
            MatrixView::Dense {
                values,
                n_rows: n_all,
                ..
            } => {
                let view = DenseView {
                    n_rows: *n_all,
                    values: *values,
                };
                let mut sizes = Vec::new();
                let mut parts = Vec::new();
                for columns in &sets {
                    let height = DenseRows::height(columns.len());
                    for first in (0..n_rows).step_by(height) {
                        let n = height.min(n_rows - first);
                        let rows = match selected {
                            None => Rows::Run(first, n),
                            Some(rows) => {
                                Rows::These(rows.get(first..first + n).unwrap_or_default())
                            }
                        };
                        sizes.push(n);
                        parts.push(DenseRows {
                            view,
                            rows,
                            columns,
                            watch: self.watch,
                        });
                    }
                }
                fill(&sizes, self.watch, |idx, results| match parts.get(idx) {
                    Some(piece) => job.run(piece, results),
                    None => Ok(()),
                })
            }
        }
    }
}
