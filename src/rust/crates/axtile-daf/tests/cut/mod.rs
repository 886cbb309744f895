//! A matrix in memory that is read run by run.

use std::ops::Range;

use axtile_core::{Error, Result, Watch};
use axtile_daf::model::{
    DenseMatrix, ElementType, Indices, Matrix, SparseMatrix, StreamedMatrix, Values,
};

#[derive(Debug)]
pub struct Cut {
    matrix: Matrix,
    runs: Vec<Range<usize>>,
}

impl Cut {
    /// Runs of up to `size` columns.
    pub fn new(matrix: Matrix, size: usize) -> Cut {
        let n = matrix.n_columns();
        let runs = (0..n).step_by(size);
        Cut {
            runs: runs.map(|start| start..(start + size).min(n)).collect(),
            matrix,
        }
    }

    fn dense(&self, rows: &[usize], columns: &[usize]) -> Matrix {
        let all = &self.matrix.to_dense().unwrap();
        let places = columns
            .iter()
            .flat_map(|column| rows.iter().map(move |row| column * all.n_rows() + row));
        let values = all.values().take(&places.collect::<Vec<_>>()).unwrap();
        Matrix::Dense(DenseMatrix::new(rows.len(), columns.len(), values).unwrap())
    }
}

impl StreamedMatrix for Cut {
    fn n_rows(&self) -> usize {
        self.matrix.n_rows()
    }

    fn element_type(&self) -> ElementType {
        self.matrix.element_type()
    }

    fn n_kept(&self) -> u64 {
        match &self.matrix {
            Matrix::Dense(dense) => dense.values().len() as u64,
            Matrix::Sparse(sparse) => sparse.n_kept() as u64,
        }
    }

    fn runs(&self) -> &[Range<usize>] {
        &self.runs
    }

    fn read_run(&self, run: usize, n_threads: usize, watch: &dyn Watch) -> Result<Matrix> {
        let columns = self.runs[run].clone();
        let Matrix::Sparse(sparse) = &self.matrix else {
            let columns: Vec<u32> = columns.map(|column| column as u32).collect();
            return self.read(None, Some(&columns), n_threads, watch);
        };
        watch.check()?;
        let mut starts = vec![0];
        let mut places = Vec::new();
        for column in columns {
            places.extend(sparse.column(column));
            starts.push(places.len());
        }
        let size = self.n_rows().max(places.len() + 1);
        let rows = places.iter().map(|&place| sparse.rowval().at(place));
        let values: Values = sparse.values().take(&places).unwrap();
        let n_columns = starts.len() - 1;
        let starts = Indices::from_positions(starts, size);
        let rows = Indices::from_positions(rows, size);
        let matrix = SparseMatrix::new(self.n_rows(), n_columns, starts, rows, values);
        Ok(Matrix::Sparse(matrix.unwrap()))
    }

    fn read(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        _: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix> {
        watch.check()?;
        let all = |picked: Option<&[u32]>, n: usize| match picked {
            Some(picked) => picked.iter().map(|&at| at as usize).collect(),
            None => (0..n).collect::<Vec<_>>(),
        };
        let (rows, columns) = (all(rows, self.n_rows()), all(columns, self.n_columns()));
        if rows.iter().any(|&row| row >= self.n_rows()) {
            return Err(Error::range("no such row"));
        }
        Ok(self.dense(&rows, &columns))
    }
}
