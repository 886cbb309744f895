//! Reductions of matrices.

use axtile_core::Result;

use super::Evaluation;
use super::data::{dense_matrix, dense_values, positions};
use super::entries::Entries;
use super::groups::reduce_sets;
use super::matrix::Grid;
use super::values::{take, with_default};
use super::vector::Along;
use crate::model::{Matrix, Values};
use crate::operations::{Members, Reduction, Request, Shape};
use crate::query::expression::{Labels, Reduce};

/// The groups of rows or columns.
type Groups<'a> = Option<(&'a [u32], usize)>;

impl Evaluation<'_> {
    /// A value for each row (or each column).
    pub fn reduce_lines(&mut self, grid: Grid, per_row: bool, reduce: &Reduce) -> Result<Along> {
        let grid = self.without_finals(grid)?;
        let (left, gone) = match per_row {
            true => (grid.rows.clone(), &grid.columns),
            false => (grid.columns.clone(), &grid.rows),
        };
        let values = if gone.is_empty() {
            let kind = reduce.how.result_type(grid.source.element_type());
            let one = self.default_as(kind, reduce)?;
            take(&one, &vec![0; left.len()])
        } else {
            let shape = if per_row {
                Shape::PerRow
            } else {
                Shape::PerColumn
            };
            self.reduce_grid(&grid, shape, None, reduce)?
        };
        Ok(Along::new(left, values))
    }

    /// All values to one.
    pub fn reduce_matrix(&mut self, grid: &Grid, reduce: &Reduce) -> Result<Values> {
        let grid = self.without_finals(grid.clone())?;
        if grid.rows.is_empty() || grid.columns.is_empty() {
            let kind = reduce.how.result_type(grid.source.element_type());
            return self.default_as(kind, reduce);
        }
        self.reduce_grid(&grid, Shape::One, None, reduce)
    }

    /// Each group of rows to one row (or of columns to one column).
    pub fn group_lines(
        &mut self,
        grid: Grid,
        labels: &Labels,
        reduce: &Reduce,
        are_rows: bool,
    ) -> Result<Grid> {
        let grid = self.without_finals(grid)?;
        let lines = if are_rows { &grid.rows } else { &grid.columns };
        let of = self.labels(lines, labels)?;
        let (of, groups) = self.groups(
            &of,
            labels.as_axis.as_ref(),
            reduce.if_missing.is_some(),
            labels.property.name.span,
            lines.len(),
        )?;
        let shape = if are_rows {
            Shape::PerColumn
        } else {
            Shape::PerRow
        };
        let values = self.reduce_grid(&grid, shape, Some((&of, groups.len())), reduce)?;
        let stride = if are_rows { 1 } else { grid.rows.len() };
        let values = self.filled_groups(values, &of, &groups, stride, reduce)?;
        let (rows, columns) = match are_rows {
            true => (groups, grid.columns),
            false => (grid.rows, groups),
        };
        let matrix = dense_matrix(rows.len(), columns.len(), values)?;
        Ok(Grid::new(rows, columns, matrix))
    }

    /// The results with the default for groups without members. Results of
    /// one group stand `stride` times in a row.
    pub fn filled_groups(
        &mut self,
        values: Values,
        of: &[u32],
        groups: &Entries,
        stride: usize,
        reduce: &Reduce,
    ) -> Result<Values> {
        let mut is_empty = vec![true; groups.len()];
        for &group in of {
            if let Some(is_empty) = is_empty.get_mut(group as usize) {
                *is_empty = false;
            }
        }
        let Some(first) = is_empty.iter().position(|&is_empty| is_empty) else {
            return Ok(values);
        };
        if reduce.if_missing.is_none() {
            let problem = format!(
                "no values in the group '{}' to reduce by {}; add '||' and the value to give then",
                groups.name(first),
                reduce.how
            );
            return Err(self.wrong(reduce.span, problem));
        }
        let one = self.default_as(values.element_type(), reduce)?;
        let group_of = |at: usize| (at / stride.max(1)) % is_empty.len();
        with_default(&values, &one, |at| {
            is_empty.get(group_of(at)).copied().unwrap_or(false)
        })
    }

    fn without_finals(&mut self, grid: Grid) -> Result<Grid> {
        match grid.finals.is_empty() {
            true => Ok(grid),
            false => Ok(self.settled_matrix(grid)?.into()),
        }
    }

    /// The values of a reduction; `groups` are those of the lines that the
    /// shape does not keep.
    fn reduce_grid(
        &mut self,
        grid: &Grid,
        shape: Shape,
        groups: Groups<'_>,
        reduce: &Reduce,
    ) -> Result<Values> {
        if matches!(reduce.how, Reduction::Custom(_)) {
            return self.reduce_one_by_one(grid, shape, groups, reduce);
        }
        let picked = |entries: &Entries| match grid.is_whole {
            true => entries.picked().map(<[u32]>::to_vec),
            false => None,
        };
        let (rows, columns) = (picked(&grid.rows), picked(&grid.columns));
        let of = |wanted: Shape| groups.filter(|_| shape == wanted);
        let mut request = Request {
            rows: Members {
                selected: rows.as_deref(),
                groups: of(Shape::PerColumn),
            },
            columns: Members {
                selected: columns.as_deref(),
                groups: of(Shape::PerRow),
            },
            shape,
        };
        if grid.is_flipped {
            std::mem::swap(&mut request.rows, &mut request.columns);
            request.shape = match shape {
                Shape::PerRow => Shape::PerColumn,
                Shape::PerColumn => Shape::PerRow,
                Shape::One => Shape::One,
            };
        }
        if let Some(result) = grid.source.reduce(&request, &reduce.how, &self.options) {
            let values = result.map_err(|problem| self.wrap(reduce.span, problem))?;
            return match (grid.is_flipped, groups) {
                (true, Some((_, n))) => turned(grid, shape, n, values),
                _ => Ok(values),
            };
        }
        self.reduce_one_by_one(grid, shape, groups, reduce)
    }

    /// Texts, or by a function of the user.
    fn reduce_one_by_one(
        &mut self,
        grid: &Grid,
        shape: Shape,
        groups: Groups<'_>,
        reduce: &Reduce,
    ) -> Result<Values> {
        let grid = grid.clone().compact(&self.options)?;
        let values = dense_values(&grid.matrix)?;
        let n_values = positions(&values)?;
        let (n_rows, n_columns) = (grid.rows.len() as u32, grid.columns.len() as u32);
        let at = |row: u32, column: u32| column * n_rows + row;
        let lines = |n: u32| match groups {
            Some(groups) => Members {
                selected: None,
                groups: Some(groups),
            }
            .sets(n as usize),
            None => vec![(0..n).collect()],
        };
        match shape {
            Shape::PerColumn => {
                let sets = lines(n_rows);
                let sets = (0..n_columns).flat_map(|column| {
                    sets.iter()
                        .map(move |rows| rows.iter().map(|&row| at(row, column)).collect())
                });
                reduce_sets(self, &values, sets, reduce)
            }
            Shape::PerRow => {
                let sets = lines(n_columns);
                let sets = sets.iter().flat_map(|columns| {
                    (0..n_rows)
                        .map(move |row| columns.iter().map(|&column| at(row, column)).collect())
                });
                reduce_sets(self, &values, sets, reduce)
            }
            Shape::One => {
                let all = (0..n_values).collect();
                reduce_sets(self, &values, std::iter::once(all), reduce)
            }
        }
    }
}

/// Grouped results of a flipped matrix, by the columns of the wanted one.
fn turned(grid: &Grid, shape: Shape, n_groups: usize, values: Values) -> Result<Values> {
    let (n_rows, n_columns) = match shape {
        Shape::PerColumn => (grid.columns.len(), n_groups),
        _ => (n_groups, grid.rows.len()),
    };
    let matrix: Matrix = dense_matrix(n_rows, n_columns, values)?;
    dense_values(&matrix.transposed())
}
