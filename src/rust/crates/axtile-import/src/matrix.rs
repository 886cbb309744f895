//! Matrices inside an HDF5 file that are stored cell by cell: compressed
//! sparse rows and dense rows. Any range of cells is read by itself, by any
//! number of threads.

use std::ops::Range;

use axtile_core::{Error, Result};

use crate::h5::{Dataset, Group, Odd, Scratch, indices_into, integer, value_text};
use crate::value::{Cells, Value};

/// Names cells and genes in messages about their values.
pub(crate) trait Labels {
    /// The file, cell and gene of a bad value, and what was expected.
    fn bad_value(&self, cell: u64, gene: u32, value: String, expected: &str) -> Error;
}

/// Compressed rows, or columns: `data` and `indices`, and where each row
/// starts in them.
pub(crate) struct Compressed {
    data: Dataset,
    indices: Dataset,
    starts: Dataset,
    /// The number of rows, the compressed dimension.
    n_rows: u64,
    n_columns: u32,
}

impl Compressed {
    /// The matrix in `group` with the datasets `data`, `indices`, `indptr`.
    pub(crate) fn open(group: &Group, n_rows: u64, n_columns: u64) -> Result<Compressed> {
        let file = group.file();
        let matrix = Compressed {
            data: group.required("data")?,
            indices: group.required("indices")?,
            starts: group.required("indptr")?,
            n_rows,
            n_columns: u32::try_from(n_columns).map_err(|_| {
                Error::limit(
                    file.path(),
                    format!("{n_columns} columns; at most 4294967295 are read"),
                )
            })?,
        };
        for dataset in [&matrix.data, &matrix.indices, &matrix.starts] {
            if dataset.rank() != 1 {
                return Err(file.corrupt(dataset.place(), "one dimension was expected"));
            }
        }
        if !matrix.data.element().is_number() {
            let what = matrix.data.element().describe();
            return Err(file.unsupported(
                matrix.data.place(),
                format!("{what} where numbers were expected"),
            ));
        }
        for dataset in [&matrix.indices, &matrix.starts] {
            if !matches!(dataset.element(), crate::h5::Element::Integer { .. }) {
                let what = dataset.element().describe();
                return Err(file.corrupt(
                    dataset.place(),
                    format!("{what} where integers were expected"),
                ));
            }
        }
        if n_rows.checked_add(1) != Some(matrix.starts.n_rows()) {
            return Err(file.corrupt(
                matrix.starts.place(),
                format!(
                    "{} elements for {n_rows} rows, one more was expected",
                    matrix.starts.n_rows()
                ),
            ));
        }
        if matrix.data.n_rows() != matrix.indices.n_rows() {
            return Err(file.corrupt(
                group.name(),
                format!(
                    "{} values and {} indices",
                    matrix.data.n_rows(),
                    matrix.indices.n_rows()
                ),
            ));
        }
        Ok(matrix)
    }

    /// The number of rows.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Where the rows `rows` start, and the end of the last one.
    pub(crate) fn starts(&self, rows: Range<u64>, scratch: &mut Scratch) -> Result<Vec<u64>> {
        let file = self.starts.file();
        let element = self.starts.element();
        let n_values = self.data.n_rows();
        let first = rows.start;
        let mut starts: Vec<u64> = Vec::new();
        self.starts.visit(
            rows.start..rows.end.saturating_add(1),
            scratch,
            |_, bytes| {
                for bytes in bytes.chunks_exact(element.width()) {
                    let start = integer(element, bytes)
                        .and_then(|start| u64::try_from(start).ok())
                        .filter(|&start| {
                            start <= n_values && starts.last().is_none_or(|&last| last <= start)
                        });
                    let start = start.ok_or_else(|| {
                        let row = first + starts.len() as u64;
                        file.corrupt(
                            self.starts.place(),
                            format!(
                                "element {row} is {}, it must not fall and not exceed {n_values}",
                                value_text(element, bytes)
                            ),
                        )
                    })?;
                    starts.push(start);
                }
                Ok(())
            },
        )?;
        if first == 0 && starts.first().is_some_and(|&start| start != 0) {
            return Err(file.corrupt(self.starts.place(), "its first element is not 0"));
        }
        Ok(starts)
    }

    /// Datasets are bounded by their file, entries by their datasets.
    fn capacity(&self, entries: &Range<u64>) -> usize {
        entries
            .end
            .min(self.data.n_rows())
            .saturating_sub(entries.start) as usize
    }

    /// Indices of the entries `entries`, all below the number of columns.
    pub(crate) fn indices(&self, entries: Range<u64>, scratch: &mut Scratch) -> Result<Vec<u32>> {
        let file = self.indices.file();
        let element = self.indices.element();
        let mut indices = Vec::with_capacity(self.capacity(&entries));
        self.indices.visit(entries, scratch, |first, bytes| {
            indices_into(element, bytes, self.n_columns, &mut indices).map_err(|Odd { at }| {
                let bytes = bytes
                    .chunks_exact(element.width())
                    .nth(at)
                    .unwrap_or_default();
                file.corrupt(
                    self.indices.place(),
                    format!(
                        "element {} is {}, an index below {} was expected",
                        first + at as u64,
                        value_text(element, bytes),
                        self.n_columns
                    ),
                )
            })
        })?;
        Ok(indices)
    }

    /// Values of the entries `entries`; `bad` makes the error for entry number
    /// and value.
    pub(crate) fn values<V: Value>(
        &self,
        entries: Range<u64>,
        scratch: &mut Scratch,
        bad: impl Fn(u64, String) -> Error,
    ) -> Result<Vec<V>> {
        let element = self.data.element();
        let mut values = Vec::with_capacity(self.capacity(&entries));
        self.data.visit(entries, scratch, |first, bytes| {
            V::append(element, bytes, &mut values).map_err(|Odd { at }| {
                let bytes = bytes
                    .chunks_exact(element.width())
                    .nth(at)
                    .unwrap_or_default();
                bad(first + at as u64, value_text(element, bytes))
            })
        })?;
        Ok(values)
    }

    /// The rows `cells` as cells.
    pub(crate) fn cells<V: Value>(
        &self,
        cells: Range<u64>,
        labels: &dyn Labels,
    ) -> Result<Cells<V>> {
        let mut scratch = Scratch::default();
        let starts = self.starts(cells.clone(), &mut scratch)?;
        let (Some(&first), Some(&last)) = (starts.first(), starts.last()) else {
            return Ok(Cells::none());
        };
        let genes = self.indices(first..last, &mut scratch)?;
        let values = self.values(first..last, &mut scratch, |entry, value| {
            let cell = starts
                .partition_point(|&start| start <= entry)
                .saturating_sub(1);
            let gene = genes.get((entry - first) as usize).copied().unwrap_or(0);
            labels.bad_value(cells.start + cell as u64, gene, value, V::EXPECTED)
        })?;
        Ok(Cells {
            starts: starts
                .iter()
                .map(|start| (start - first) as usize)
                .collect(),
            genes,
            values,
        })
    }
}

/// A dense matrix of cells x genes.
pub(crate) struct Dense {
    data: Dataset,
}

impl Dense {
    /// The matrix in `data`.
    pub(crate) fn open(data: Dataset, n_rows: u64, n_columns: u64) -> Result<Dense> {
        let file = data.file();
        if data.rank() != 2 || data.n_rows() != n_rows || data.n_columns() != n_columns {
            return Err(file.corrupt(
                data.place(),
                format!(
                    "{} x {} values for {n_rows} cells and {n_columns} genes",
                    data.n_rows(),
                    data.n_columns()
                ),
            ));
        }
        if !data.element().is_number() {
            let what = data.element().describe();
            return Err(
                file.unsupported(data.place(), format!("{what} where numbers were expected"))
            );
        }
        Ok(Dense { data })
    }

    /// The rows `cells`, without their zeros.
    pub(crate) fn cells<V: Value>(
        &self,
        cells: Range<u64>,
        labels: &dyn Labels,
    ) -> Result<Cells<V>> {
        let element = self.data.element();
        let row_len = element.width() * self.data.n_columns() as usize;
        let mut block = Cells::none();
        let mut row: Vec<V> = Vec::new();
        if row_len == 0 {
            block
                .starts
                .resize((cells.end - cells.start) as usize + 1, 0);
            return Ok(block);
        }
        self.data
            .visit(cells, &mut Scratch::default(), |first, bytes| {
                for (cell, bytes) in (first..).zip(bytes.chunks_exact(row_len)) {
                    row.clear();
                    V::append(element, bytes, &mut row).map_err(|Odd { at }| {
                        let bytes = bytes
                            .chunks_exact(element.width())
                            .nth(at)
                            .unwrap_or_default();
                        labels.bad_value(cell, at as u32, value_text(element, bytes), V::EXPECTED)
                    })?;
                    for (gene, &value) in (0u32..).zip(&row) {
                        if !value.is_nothing() {
                            block.genes.push(gene);
                            block.values.push(value);
                        }
                    }
                    block.starts.push(block.genes.len());
                }
                Ok(())
            })?;
        Ok(block)
    }
}
