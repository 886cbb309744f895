//! Reductions of matrices that are read in parts.

use axtile_core::{Error, Result};

use super::Evaluation;
use super::data::viewed;
use crate::model::{DenseMatrix, ElementType, Matrix, PartedMatrix, Scalar, Values};
use crate::operations::{Members, Reduction, Request, Shape, reduce_matrix};

impl Evaluation<'_> {
    /// As [`reduce_matrix`], of a matrix as it is stored. `None` if all values must
    /// be there for it.
    pub fn reduce_parts(
        &self,
        parted: &dyn PartedMatrix,
        request: &Request<'_>,
        how: &Reduction,
    ) -> Result<Option<Values>> {
        match request.shape {
            Shape::PerColumn => self.per_column(parted, request, how).map(Some),
            Shape::PerRow => self.per_row(parted, request, how).map(Some),
            Shape::One => self.of_all(parted, request, how),
        }
    }

    /// What a part gives.
    fn reduce_part(&self, part: &Matrix, request: &Request<'_>, how: &Reduction) -> Result<Values> {
        let threads = &self.options.threads;
        viewed(part, |view| reduce_matrix(view, request, how, threads))
            .unwrap_or_else(|| Err(Error::argument("a part of a matrix without numbers")))
    }

    fn per_column(
        &self,
        parted: &dyn PartedMatrix,
        request: &Request<'_>,
        how: &Reduction,
    ) -> Result<Values> {
        let selected = request.columns.selected;
        let mut all = Vec::new();
        for range in parted.column_parts() {
            let columns: Vec<u32> = match selected {
                None => range.collect(),
                // They ascend.
                Some(selected) => {
                    let at = |column: u32| selected.partition_point(|&other| other < column);
                    selected[at(range.start)..at(range.end)].to_vec()
                }
            };
            if columns.is_empty() {
                continue;
            }
            let part = parted.part(None, Some(&columns), self.options.threads.n)?;
            let request = Request {
                columns: Members::default(),
                ..*request
            };
            all.push(self.reduce_part(&part, &request, how)?);
        }
        joined(all, how.result_type(parted.element_type()))
    }

    fn per_row(
        &self,
        parted: &dyn PartedMatrix,
        request: &Request<'_>,
        how: &Reduction,
    ) -> Result<Values> {
        let n_rows = parted.n_rows();
        // Where each row is among the results; none for those that are left out.
        let mut places = vec![None; n_rows];
        match request.rows.selected {
            None => places
                .iter_mut()
                .enumerate()
                .for_each(|(row, place)| *place = Some(row)),
            Some(selected) => {
                for (at, &row) in selected.iter().enumerate() {
                    if let Some(place) = places.get_mut(row as usize) {
                        *place = Some(at);
                    }
                }
            }
        }
        let n_selected = request.rows.selected.map_or(n_rows, <[u32]>::len);
        let n_groups = request.columns.groups.map_or(1, |(_, n_groups)| n_groups);
        let mut all = Vec::new();
        // Where the result of each row and group is in `all`.
        let mut order = vec![0; n_selected * n_groups];
        let mut n = 0;
        for mut rows in parted.row_parts(self.options.threads.n)? {
            let place = |row: u32| places.get(row as usize).copied().flatten();
            rows.retain(|&row| place(row).is_some());
            rows.sort_unstable();
            if rows.is_empty() {
                continue;
            }
            let part = parted.part(Some(&rows), None, self.options.threads.n)?;
            let request = Request {
                rows: Members::default(),
                ..*request
            };
            all.push(self.reduce_part(&part, &request, how)?);
            for group in 0..n_groups {
                for &row in &rows {
                    if let Some(at) = place(row) {
                        order[group * n_selected + at] = n;
                    }
                    n += 1;
                }
            }
        }
        let values = joined(all, how.result_type(parted.element_type()))?;
        let values = values.take(&order);
        values.ok_or_else(|| Error::argument("parts of a matrix that do not make it up"))
    }

    /// The results of parts, reduced once more.
    fn of_all(
        &self,
        parted: &dyn PartedMatrix,
        request: &Request<'_>,
        how: &Reduction,
    ) -> Result<Option<Values>> {
        let again = match how {
            Reduction::Sum { .. } | Reduction::Min | Reduction::Max => how.clone(),
            Reduction::Count { kind } => Reduction::Sum { kind: *kind },
            _ => return Ok(None),
        };
        let per_column = Request {
            shape: Shape::PerColumn,
            ..*request
        };
        let columns = self.per_column(parted, &per_column, how)?;
        let line = DenseMatrix::new(1, columns.len(), columns).map_err(Error::range)?;
        let all = Request {
            rows: Members::default(),
            columns: Members::default(),
            shape: Shape::One,
        };
        self.reduce_part(&Matrix::Dense(line), &all, &again)
            .map(Some)
    }
}

/// The results of parts after each other; none are of type `kind`. Whole numbers
/// of a part may have needed a wider type than those of others.
fn joined(mut parts: Vec<Values>, kind: ElementType) -> Result<Values> {
    let size = |values: &Values| values.element_type().size().unwrap_or(0);
    let Some(widest) = parts.iter().max_by_key(|part| size(part)) else {
        return Ok(Values::zeros(kind, 0));
    };
    let kind = widest.element_type();
    for part in &mut parts {
        if part.element_type() != kind {
            *part = widened(part, kind)?;
        }
    }
    let joined = Values::concatenated(&parts);
    joined.ok_or_else(|| Error::argument("parts of a matrix whose results have several types"))
}

fn widened(values: &Values, kind: ElementType) -> Result<Values> {
    let wide = |at: usize| {
        let whole = values.get(at)?.as_integer()?;
        Some(Values::from(&Scalar::from_integer(whole, kind)?))
    };
    let all: Option<Vec<Values>> = (0..values.len()).map(wide).collect();
    let all = all.and_then(|all| match all.is_empty() {
        true => Some(Values::zeros(kind, 0)),
        false => Values::concatenated(&all),
    });
    all.ok_or_else(|| Error::argument("parts of a matrix whose results have several types"))
}
