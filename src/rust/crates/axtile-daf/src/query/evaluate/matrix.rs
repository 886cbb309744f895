//! Matrices: look-ups, chains, comparisons, operations and counts. Masks and
//! transposition of a stored matrix wait until values are asked for: most
//! reductions do without.

use axtile_core::Result;

use super::chain::Final;
use super::data::{as_sparse, dense_matrix, dense_values, positions};
use super::entries::Entries;
use super::source::Source;
use super::values::floats;
use super::vector::Along;
use super::{Evaluation, Options};
use crate::model::{Matrix, Values};
use crate::operations::{Columns, Eltwise, NO_SLOT, Results, apply, numbers, of_zero};
use crate::query::expression::{AsAxis, Chain, Comparison, Labels, MatrixQuery, VectorQuery};
use crate::query::place::Span;

/// A matrix on its way.
#[derive(Clone, Debug)]
pub struct Grid {
    /// What the rows belong to.
    pub rows: Entries,
    /// What the columns belong to.
    pub columns: Entries,
    /// The values.
    pub source: Source,
    /// Whether the source has all entries of its axes, from which the rows and
    /// columns are still to be picked.
    pub is_whole: bool,
    /// Whether the rows are the columns of the source.
    pub is_flipped: bool,
    /// The matrix or vector that was looked up last.
    pub property: Option<String>,
    /// Values that no later look-up changes.
    pub finals: Vec<Final>,
}

/// A matrix in memory with nothing left to pick or transpose.
#[derive(Clone, Debug)]
pub struct Compact {
    /// What the rows belong to.
    pub rows: Entries,
    /// What the columns belong to.
    pub columns: Entries,
    /// The values.
    pub matrix: Matrix,
    /// As in [`Grid`].
    pub property: Option<String>,
    /// As in [`Grid`].
    pub finals: Vec<Final>,
}

impl Grid {
    pub fn new(rows: Entries, columns: Entries, matrix: Matrix) -> Grid {
        Grid {
            rows,
            columns,
            source: Source::Memory(matrix),
            is_whole: false,
            is_flipped: false,
            property: None,
            finals: Vec::new(),
        }
    }

    /// With nothing left to pick or transpose.
    pub fn compact(self, options: &Options<'_>) -> Result<Compact> {
        let (rows, columns) = match (self.is_whole, self.is_flipped) {
            (false, _) => (None, None),
            (true, false) => (self.rows.picked(), self.columns.picked()),
            (true, true) => (self.columns.picked(), self.rows.picked()),
        };
        let matrix = self.source.read(rows, columns, options)?;
        Ok(Compact {
            matrix: if self.is_flipped {
                matrix.transposed()
            } else {
                matrix
            },
            rows: self.rows,
            columns: self.columns,
            property: self.property,
            finals: self.finals,
        })
    }
}

impl Compact {
    fn with_matrix(self, matrix: Matrix) -> Grid {
        Grid {
            property: self.property,
            finals: self.finals,
            ..Grid::new(self.rows, self.columns, matrix)
        }
    }
}

impl From<Compact> for Grid {
    fn from(compact: Compact) -> Grid {
        let matrix = compact.matrix.clone();
        compact.with_matrix(matrix)
    }
}

impl Evaluation<'_> {
    /// The matrix that a query gives.
    pub fn matrix(&mut self, query: &MatrixQuery) -> Result<Grid> {
        match query {
            MatrixQuery::Lookup(rows, columns, property) => {
                let (rows, columns) = (self.entries(rows)?, self.entries(columns)?);
                self.stored_matrix(rows, columns, property)
            }
            MatrixQuery::Count {
                rows,
                as_axis,
                columns,
                span,
            } => self.count(rows, as_axis.as_ref(), columns, *span),
            MatrixQuery::Chain(matrix, chain) => {
                let matrix = self.matrix(matrix)?;
                self.chain_matrix(matrix, chain)
            }
            MatrixQuery::Eltwise(matrix, how, span) => {
                let matrix = self.matrix(matrix)?;
                self.changed_matrix(matrix, how, *span)
            }
            MatrixQuery::Compare(matrix, comparison) => {
                let matrix = self.matrix(matrix)?;
                self.compared_matrix(matrix, comparison)
            }
            MatrixQuery::GroupRows(matrix, labels, reduce) => {
                let matrix = self.matrix(matrix)?;
                self.group_lines(matrix, labels, reduce, true)
            }
            MatrixQuery::GroupColumns(matrix, labels, reduce) => {
                let matrix = self.matrix(matrix)?;
                self.group_lines(matrix, labels, reduce, false)
            }
        }
    }

    /// The matrix with its final values put in, and nothing left to pick.
    pub fn settled_matrix(&mut self, grid: Grid) -> Result<Compact> {
        let mut grid = grid.compact(&self.options)?;
        if grid.finals.is_empty() {
            return Ok(grid);
        }
        let n_rows = grid.rows.len();
        let vector = Along {
            finals: std::mem::take(&mut grid.finals),
            ..Along::new(
                Entries::Labels(Default::default()),
                dense_values(&grid.matrix)?,
            )
        };
        let values = self.settled(vector)?.values();
        grid.matrix = dense_matrix(n_rows, grid.columns.len(), values)?;
        Ok(grid)
    }

    fn chain_matrix(&mut self, grid: Grid, chain: &Chain) -> Result<Grid> {
        if let Some(if_not) = &chain.if_not
            && if_not.value.is_none()
        {
            let problem = "values of a matrix cannot be dropped; '??' needs a value here";
            return Err(self.wrong(if_not.span, problem));
        }
        let grid = grid.compact(&self.options)?;
        let values = dense_values(&grid.matrix)?;
        positions(&values)?;
        let vector = Along {
            property: grid.property.clone(),
            finals: grid.finals.clone(),
            ..Along::new(Entries::Labels(Default::default()), values)
        };
        let looked_up = self.chain(vector, chain)?;
        let (n_rows, n_columns) = (grid.rows.len(), grid.columns.len());
        let matrix = dense_matrix(n_rows, n_columns, looked_up.values())?;
        Ok(Grid {
            property: looked_up.property,
            finals: looked_up.finals,
            ..Grid::new(grid.rows, grid.columns, matrix)
        })
    }

    fn changed_matrix(&mut self, grid: Grid, how: &Eltwise, span: Span) -> Result<Grid> {
        let grid = self.settled_matrix(grid)?;
        let Options { threads, watch, .. } = self.options;
        if of_zero(how) == Some(0.0)
            && let Some(sparse) = as_sparse(&grid.matrix)
            && let Some(stored) = sparse.numbers()
        {
            let columns = Columns::Starts(&sparse.starts);
            let values = apply(&stored, &columns, how, &threads, watch)
                .map_err(|problem| self.wrap(span, problem))?;
            let matrix = sparse.with_values(values)?;
            return Ok(grid.with_matrix(matrix));
        }
        let (n_rows, n_columns) = (grid.rows.len(), grid.columns.len());
        let values = dense_values(&grid.matrix)?;
        let values = self.changed_columns(&values, n_rows, how, span)?;
        Ok(grid.with_matrix(dense_matrix(n_rows, n_columns, values)?))
    }

    /// The values of a vector, changed.
    pub fn changed(&mut self, values: &Values, how: &Eltwise, span: Span) -> Result<Values> {
        self.changed_columns(values, values.len(), how, span)
    }

    fn changed_columns(
        &mut self,
        values: &Values,
        n_rows: usize,
        how: &Eltwise,
        span: Span,
    ) -> Result<Values> {
        let kind = values.element_type();
        let Some(stored) = numbers(values) else {
            let problem = format!("'{how}' changes numbers; the values are {kind}");
            return Err(self.wrong(span, problem));
        };
        if matches!(how, Eltwise::Convert { kind: same } if *same == kind) {
            return Ok(values.clone());
        }
        let Eltwise::Custom(custom) = how else {
            let Options { threads, watch, .. } = self.options;
            return apply(&stored, &Columns::Equal(n_rows), how, &threads, watch)
                .map_err(|problem| self.wrap(span, problem));
        };
        let all = floats(values).unwrap_or_default();
        let changed = self.options.custom.apply(custom, &all, n_rows)?;
        if changed.len() != all.len() {
            let problem = format!(
                "'{how}' gave {} values for {}; it must keep their number",
                changed.len(),
                all.len()
            );
            return Err(self.wrong(span, problem));
        }
        Ok(Values::Float64(changed.into()))
    }

    fn compared_matrix(&mut self, grid: Grid, comparison: &Comparison) -> Result<Grid> {
        let grid = self.settled_matrix(grid)?;
        if let Some(sparse) = as_sparse(&grid.matrix)
            && let Some(stored) = sparse.numbers()
        {
            let zero = Results::Signed(vec![0].into()).into_values(stored.kind())?;
            if self.passing(&zero, comparison)? == [0] {
                let passes = self.passing(sparse.values(), comparison)?;
                let matrix = sparse.with_values(Values::Bool(passes.into()))?;
                return Ok(grid.with_matrix(matrix));
            }
        }
        let values = dense_values(&grid.matrix)?;
        let passes = Values::Bool(self.passing(&values, comparison)?.into());
        let (n_rows, n_columns) = (grid.rows.len(), grid.columns.len());
        Ok(grid.with_matrix(dense_matrix(n_rows, n_columns, passes)?))
    }

    fn count(
        &mut self,
        rows: &VectorQuery,
        as_axis: Option<&AsAxis>,
        columns: &Labels,
        span: Span,
    ) -> Result<Grid> {
        let vector = self.vector(rows)?;
        let vector = self.settled(vector)?;
        let n = vector.entries.len();
        let of_columns = self.labels(&vector.entries, columns)?;
        let (columns_of, columns) = self.groups(
            &of_columns,
            columns.as_axis.as_ref(),
            false,
            columns.property.name.span,
            n,
        )?;
        let vector = Along {
            kept: None,
            ..vector
        };
        let (rows_of, rows) = self.groups(&vector, as_axis, false, span, n)?;
        let n_rows = rows.len();
        let mut counts = super::data::zeros(n_rows, columns.len())?;
        for (&row, &column) in rows_of.iter().zip(&columns_of) {
            if row == NO_SLOT || column == NO_SLOT {
                continue;
            }
            if let Some(count) = counts.get_mut(column as usize * n_rows + row as usize) {
                *count += 1;
            }
        }
        let matrix = dense_matrix(n_rows, columns.len(), Values::UInt32(counts.into()))?;
        Ok(Grid::new(rows, columns, matrix))
    }
}
