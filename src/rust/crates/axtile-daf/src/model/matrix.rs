//! One value for each pair of entries of two axes.

use super::vector::check_ascending;
use super::{ElementType, Index, Indices, Scalar, Values};
use crate::match_indices;

/// One value for each pair of entries of two axes; costs nothing to clone.
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    /// Every value is kept.
    Dense(DenseMatrix),
    /// Zeros, false ones and empty texts are left out.
    Sparse(SparseMatrix),
}

/// All values, column after column.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseMatrix {
    n_rows: usize,
    n_columns: usize,
    values: Values,
}

/// The kept values column after column (compressed sparse columns); all others
/// are zero, false or empty.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix {
    n_rows: usize,
    n_columns: usize,
    colptr: Indices,
    rowval: Indices,
    values: Values,
}

impl DenseMatrix {
    /// `values` column after column.
    ///
    /// # Errors
    /// What is wrong if there are not `n_rows` times `n_columns` values.
    pub fn new(n_rows: usize, n_columns: usize, values: Values) -> Result<DenseMatrix, String> {
        if n_rows.checked_mul(n_columns) != Some(values.len()) {
            return Err(format!(
                "{} values for {n_rows} rows and {n_columns} columns",
                values.len()
            ));
        }
        Ok(DenseMatrix {
            n_rows,
            n_columns,
            values,
        })
    }

    /// As [`DenseMatrix::new`], where the number of values is right.
    pub(crate) fn of_checked(n_rows: usize, n_columns: usize, values: Values) -> DenseMatrix {
        debug_assert_eq!(n_rows * n_columns, values.len());
        DenseMatrix {
            n_rows,
            n_columns,
            values,
        }
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How many columns there are.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// All values, column after column.
    pub fn values(&self) -> &Values {
        &self.values
    }
}

impl SparseMatrix {
    /// Kept `values` with their rows; those of column `j` are from `colptr[j]`
    /// to before `colptr[j + 1]`, all counted from 1.
    ///
    /// # Errors
    /// What is wrong: counts that differ, a column that ends before it begins,
    /// or rows that do not ascend within a column or are outside the matrix.
    pub fn new(
        n_rows: usize,
        n_columns: usize,
        colptr: Indices,
        rowval: Indices,
        values: Values,
    ) -> Result<SparseMatrix, String> {
        let matrix = SparseMatrix::unchecked_rows(n_rows, n_columns, colptr, rowval, values)?;
        match_indices!(matrix.colptr, colptr => match_indices!(
            matrix.rowval,
            rowval => check_rows(colptr, rowval, n_rows)
        ))?;
        Ok(matrix)
    }

    /// As [`SparseMatrix::new`], for rows that were checked before.
    ///
    /// # Errors
    /// As there, but for the rows.
    pub(crate) fn unchecked_rows(
        n_rows: usize,
        n_columns: usize,
        colptr: Indices,
        rowval: Indices,
        values: Values,
    ) -> Result<SparseMatrix, String> {
        if rowval.len() != values.len() {
            return Err(format!("{} rows but {} values", rowval.len(), values.len()));
        }
        if Some(colptr.len()) != n_columns.checked_add(1) {
            return Err(format!(
                "{} starts of columns for {n_columns} columns",
                colptr.len()
            ));
        }
        match_indices!(colptr, buffer => check_starts(buffer, rowval.len()))?;
        Ok(SparseMatrix {
            n_rows,
            n_columns,
            colptr,
            rowval,
            values,
        })
    }

    /// As [`SparseMatrix::new`], where all is right.
    pub(crate) fn of_checked(
        n_rows: usize,
        n_columns: usize,
        colptr: Indices,
        rowval: Indices,
        values: Values,
    ) -> SparseMatrix {
        debug_assert_eq!((rowval.len(), colptr.len()), (values.len(), n_columns + 1));
        SparseMatrix {
            n_rows,
            n_columns,
            colptr,
            rowval,
            values,
        }
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How many columns there are.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// How many values are kept.
    pub fn n_kept(&self) -> usize {
        self.values.len()
    }

    /// Where the columns start among the kept values, and the end of the last
    /// one, counted from 1.
    pub fn colptr(&self) -> &Indices {
        &self.colptr
    }

    /// The rows of the kept values, ascending within a column, counted from 1.
    pub fn rowval(&self) -> &Indices {
        &self.rowval
    }

    /// The kept values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The places of column `column` among the kept values; none if there is
    /// no such column.
    pub fn column(&self, column: usize) -> std::ops::Range<usize> {
        if column >= self.n_columns {
            return 0..0;
        }
        self.colptr.at(column)..self.colptr.at(column + 1)
    }

    /// The matrix with all its values.
    ///
    /// # Errors
    /// What is wrong if the values are too many for the machine.
    pub fn to_dense(&self) -> Result<DenseMatrix, String> {
        let size = self.values.element_type().size().unwrap_or(24);
        let fits = |len: &usize| {
            let n_bytes = len.checked_mul(size).unwrap_or(usize::MAX);
            Vec::<u8>::new().try_reserve_exact(n_bytes).is_ok()
        };
        let len = self
            .n_rows
            .checked_mul(self.n_columns)
            .filter(fits)
            .ok_or_else(|| {
                format!(
                    "{} rows and {} columns are too many for a dense matrix",
                    self.n_rows, self.n_columns
                )
            })?;
        let rows = self.rowval.to_positions();
        let places = (0..self.n_columns).flat_map(|column| {
            let rows = rows.get(self.column(column)).unwrap_or_default();
            rows.iter().map(move |&row| row + column * self.n_rows)
        });
        DenseMatrix::new(
            self.n_rows,
            self.n_columns,
            super::vector::scattered(&self.values, len, places),
        )
    }
}

fn check_starts<T: Index>(colptr: &[T], n_kept: usize) -> Result<(), String> {
    if colptr.first().is_some_and(|start| start.position() != 0) {
        return Err("the first column does not start at 1".into());
    }
    if let Some(column) = colptr.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(format!("column {} ends before it begins", column + 1));
    }
    if colptr.last().is_some_and(|end| end.position() != n_kept) {
        return Err(format!(
            "the last column does not end with the {n_kept} kept values"
        ));
    }
    Ok(())
}

fn check_rows<P: Index, T: Index>(colptr: &[P], rowval: &[T], n_rows: usize) -> Result<(), String> {
    for (column, pair) in colptr.windows(2).enumerate() {
        let rows = rowval
            .get(pair[0].position()..pair[1].position())
            .unwrap_or_default();
        check_ascending(rows, n_rows).map_err(|k| {
            format!(
                "row {k} of the kept values of column {} does not ascend within 1 to {n_rows}",
                column + 1
            )
        })?;
    }
    Ok(())
}

impl Matrix {
    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.n_rows,
            Matrix::Sparse(sparse) => sparse.n_rows,
        }
    }

    /// How many columns there are.
    pub fn n_columns(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.n_columns,
            Matrix::Sparse(sparse) => sparse.n_columns,
        }
    }

    /// What the values are.
    pub fn element_type(&self) -> ElementType {
        match self {
            Matrix::Dense(dense) => dense.values.element_type(),
            Matrix::Sparse(sparse) => sparse.values.element_type(),
        }
    }

    /// Bytes of memory, or of mapped files, that the matrix takes.
    pub fn n_bytes(&self) -> usize {
        match self {
            Matrix::Dense(dense) => dense.values.n_bytes(),
            Matrix::Sparse(sparse) => {
                sparse.colptr.n_bytes() + sparse.rowval.n_bytes() + sparse.values.n_bytes()
            }
        }
    }

    /// All values; those of a dense matrix are not copied.
    ///
    /// # Errors
    /// What is wrong if the values are too many for the machine.
    pub fn to_dense(&self) -> Result<DenseMatrix, String> {
        match self {
            Matrix::Dense(dense) => Ok(dense.clone()),
            Matrix::Sparse(sparse) => sparse.to_dense(),
        }
    }

    /// The value at a row and a column, if they exist.
    pub fn get(&self, row: usize, column: usize) -> Option<Scalar> {
        if row >= self.n_rows() || column >= self.n_columns() {
            return None;
        }
        match self {
            Matrix::Dense(dense) => dense.values.get(row + column * dense.n_rows),
            Matrix::Sparse(sparse) => {
                let kept = sparse.column(column);
                let found = match_indices!(sparse.rowval, rows => rows
                    .get(kept.clone())
                    .and_then(|rows| rows.binary_search_by(|at| at.position().cmp(&row)).ok()));
                match found {
                    Some(k) => sparse.values.get(kept.start + k),
                    None => Values::zeros(self.element_type(), 1).get(0),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(colptr: Vec<i64>, rowval: Vec<i64>) -> Result<SparseMatrix, String> {
        let values = (1..).take(rowval.len()).collect::<Vec<i32>>();
        let colptr = Indices::new(&colptr.into()).unwrap();
        let rowval = Indices::new(&rowval.into()).unwrap();
        SparseMatrix::new(3, 2, colptr, rowval, values.into())
    }

    #[test]
    fn sparse_matrices_read_like_dense_ones() {
        let matrix = Matrix::Sparse(sparse(vec![1, 3, 4], vec![1, 3, 2]).unwrap());
        let dense = Matrix::Dense(matrix.to_dense().unwrap());
        assert_eq!(
            matrix.to_dense().unwrap().values(),
            &vec![1, 0, 2, 0, 3, 0].into()
        );
        for row in 0..=3 {
            for column in 0..=2 {
                assert_eq!(matrix.get(row, column), dense.get(row, column));
            }
        }
    }

    #[test]
    fn broken_matrices_are_refused() {
        let problem = |colptr, rowval| sparse(colptr, rowval).unwrap_err();
        assert!(problem(vec![1, 3], vec![1, 3]).contains("2 starts of columns"));
        assert!(problem(vec![0, 1, 2], vec![1]).contains("start at 1"));
        assert!(problem(vec![1, 3, 2], vec![1]).contains("column 2 ends before"));
        assert!(problem(vec![1, -1, 2], vec![1]).contains("column 2 ends before"));
        assert!(problem(vec![1, 2, 9], vec![1]).contains("does not end with the 1"));
        assert!(problem(vec![1, 2, 3], vec![1, 4]).contains("column 2"));
        assert!(problem(vec![1, 2, 3], vec![0, 1]).contains("column 1"));
        assert!(problem(vec![1, 3, 3], vec![2, 1]).contains("row 2"));
        assert!(problem(vec![1, 3, 3], vec![-2, 1]).contains("row 1"));
        assert!(DenseMatrix::new(2, 2, vec![1, 2, 3].into()).is_err());
        assert!(DenseMatrix::new(usize::MAX, 2, vec![1].into()).is_err());
    }

    #[test]
    fn what_no_machine_holds_is_no_dense_matrix() {
        let none = Indices::new(&vec![1_u8].into()).unwrap();
        let rows = Indices::new(&Vec::<u8>::new().into()).unwrap();
        let matrix = SparseMatrix::new(usize::MAX, 0, none, rows, Vec::<u8>::new().into());
        assert_eq!(matrix.unwrap().to_dense().unwrap().values().len(), 0);
        let starts = Indices::new(&vec![1_u8, 1, 1, 1].into()).unwrap();
        let rows = Indices::new(&Vec::<u8>::new().into()).unwrap();
        let matrix = SparseMatrix::new(usize::MAX / 2, 3, starts, rows, Vec::<u8>::new().into());
        assert!(matrix.unwrap().to_dense().is_err());
    }
}
