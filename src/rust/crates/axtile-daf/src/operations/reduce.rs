//! Reductions of matrices and vectors of numbers: to a value for each row,
//! for each column, for each group of them, or to one value.

use axtile_core::{Error, Result};

use super::dense::{DenseColumn, DenseRows, DenseView, Rows};
use super::jobs::{
    Extremes, FloatSums, GeoMeans, Job, Means, Modes, NarrowSums, Quantiles, Sizes, Spreads,
    UnsignedSums, WideSums,
};
use super::lane::{LaneKind, Numbers};
use super::piece::Merged;
use super::reduction::Reduction;
use super::results::Results;
use super::slots::{Members, Slots};
use super::sparse::{SparseColumn, SparseRows, SparseView};
use super::threads::{Threads, fill};
use crate::model::{ElementType, Values};

/// No more values than this can be added in 64 bits, whatever they are.
const MAX_NARROW: usize = 1 << 31;

/// Numbers in rows and columns.
#[derive(Clone, Copy)]
pub enum MatrixView<'a> {
    /// All are stored.
    Dense {
        /// The numbers, by columns.
        values: Numbers<'a>,
        /// Rows.
        n_rows: usize,
        /// Columns.
        n_columns: usize,
    },
    /// Zeros are not stored.
    Sparse(SparseView<'a>),
}

impl<'a> MatrixView<'a> {
    /// Rows.
    pub fn n_rows(&self) -> usize {
        match self {
            MatrixView::Dense { n_rows, .. } => *n_rows,
            MatrixView::Sparse(view) => view.n_rows,
        }
    }

    /// Columns.
    pub fn n_columns(&self) -> usize {
        match self {
            MatrixView::Dense { n_columns, .. } => *n_columns,
            MatrixView::Sparse(view) => view.starts.len().saturating_sub(1),
        }
    }

    /// The stored numbers.
    pub fn numbers(&self) -> &Numbers<'a> {
        match self {
            MatrixView::Dense { values, .. } => values,
            MatrixView::Sparse(view) => &view.values,
        }
    }
}

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
/// operations of the user, which are no kernels.
pub fn reduce_matrix(
    matrix: &MatrixView<'_>,
    request: &Request<'_>,
    reduction: &Reduction,
    threads: &Threads,
) -> Result<Values> {
    let kind = matrix.numbers().kind();
    let n_values = matrix.numbers().len();
    let result = reduction.result_type(kind);
    let work = Work {
        matrix,
        request,
        threads,
    };
    let lane = LaneKind::of(kind);
    let is_narrow = kind != ElementType::Int64 && n_values <= MAX_NARROW;
    let means = Means { lane, is_narrow };
    let results = match reduction {
        Reduction::Sum { .. } => match lane {
            LaneKind::Float => Results::Floats(work.run(FloatSums)?),
            LaneKind::Signed if is_narrow => Results::Signed(work.run(NarrowSums)?),
            LaneKind::Signed => Results::Wide(work.run(WideSums)?),
            LaneKind::Unsigned => Results::Wide(work.run(UnsignedSums)?),
        },
        Reduction::Count { .. } => Results::Unsigned(work.run(Sizes)?),
        Reduction::Mean { .. } => Results::Floats(work.run(means)?),
        Reduction::Min => work.extremes::<false>(lane)?,
        Reduction::Max => work.extremes::<true>(lane)?,
        Reduction::Mode => match lane {
            LaneKind::Float => Results::Floats(work.run(Modes)?),
            LaneKind::Signed => Results::Signed(work.run(Modes)?),
            LaneKind::Unsigned => Results::Unsigned(work.run(Modes)?),
        },
        Reduction::Median { .. } => Results::Floats(work.run(Quantiles { p: 0.5 })?),
        Reduction::Quantile { p, .. } => Results::Floats(work.run(Quantiles { p: *p })?),
        Reduction::Var { .. } => Results::Floats(work.run(Spreads::new(means, false, None))?),
        Reduction::Std { .. } => Results::Floats(work.run(Spreads::new(means, true, None))?),
        Reduction::VarN { eps, .. } => {
            Results::Floats(work.run(Spreads::new(means, false, Some(*eps)))?)
        }
        Reduction::StdN { eps, .. } => {
            Results::Floats(work.run(Spreads::new(means, true, Some(*eps)))?)
        }
        Reduction::GeoMean { eps, .. } => Results::Floats(work.run(GeoMeans { eps: *eps })?),
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

struct Work<'a> {
    matrix: &'a MatrixView<'a>,
    request: &'a Request<'a>,
    threads: &'a Threads,
}

impl Work<'_> {
    fn run<T: Clone + Default + Send>(&self, job: impl Job<T>) -> Result<Vec<T>> {
        self.threads
            .run(self.matrix.numbers().len(), || match self.request.shape {
                Shape::PerRow => self.per_row(&job),
                Shape::PerColumn => self.per_column(&job),
                Shape::One => self.one(&job),
            })
    }

    fn extremes<const LARGEST: bool>(&self, lane: LaneKind) -> Result<Results> {
        Ok(match lane {
            LaneKind::Float => Results::Floats(self.run(Extremes::<LARGEST>)?),
            LaneKind::Signed => Results::Signed(self.run(Extremes::<LARGEST>)?),
            LaneKind::Unsigned => Results::Unsigned(self.run(Extremes::<LARGEST>)?),
        })
    }

    fn row_slots(&self) -> Option<Slots> {
        let rows = self.request.rows;
        (!rows.is_everything()).then(|| Slots::of_groups(self.matrix.n_rows(), rows))
    }

    fn columns(&self) -> Vec<u32> {
        let columns = Members {
            groups: None,
            ..self.request.columns
        };
        let sets = columns.sets(self.matrix.n_columns());
        sets.into_iter().next().unwrap_or_default()
    }

    fn per_column<T: Clone + Default + Send>(&self, job: &impl Job<T>) -> Result<Vec<T>> {
        let columns = self.columns();
        let slots = self.row_slots();
        let n_slots = slots.as_ref().map_or(1, |slots| slots.sizes.len());
        let sizes = vec![n_slots; columns.len()];
        fill(&sizes, |idx, results| {
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
                        },
                        results,
                    )
                }
            }
        })
    }

    fn one<T: Clone + Default + Send>(&self, job: &impl Job<T>) -> Result<Vec<T>> {
        let columns = self.columns();
        let slots = self.row_slots();
        let slots = slots.as_ref();
        let columns = columns.iter().map(|&column| column as usize);
        let mut result = vec![T::default()];
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
                });
                job.run(&Merged(pieces.collect()), &mut result)?;
            }
            MatrixView::Sparse(view) => {
                let view = *view;
                let pieces = columns.map(|column| SparseColumn {
                    view,
                    column,
                    slots,
                });
                job.run(&Merged(pieces.collect()), &mut result)?;
            }
        }
        Ok(result)
    }

    fn per_row<T: Clone + Default + Send>(&self, job: &impl Job<T>) -> Result<Vec<T>> {
        let sets = self.request.columns.sets(self.matrix.n_columns());
        let selected = self.request.rows.selected;
        let n_rows = selected.map_or(self.matrix.n_rows(), <[u32]>::len);
        match self.matrix {
            MatrixView::Sparse(view) => {
                let slots = selected.map(|selected| Slots::of_rows(view.n_rows, selected));
                fill(&vec![n_rows; sets.len()], |idx, results| {
                    let piece = SparseRows {
                        view: *view,
                        slots: slots.as_ref(),
                        columns: sets.get(idx).map(Vec::as_slice).unwrap_or_default(),
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
                        });
                    }
                }
                fill(&sizes, |idx, results| match parts.get(idx) {
                    Some(piece) => job.run(piece, results),
                    None => Ok(()),
                })
            }
        }
    }
}
