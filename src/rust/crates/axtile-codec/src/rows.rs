//! What tile codecs encode.

use std::path::Path;

use axtile_core::{Error, Result};

use crate::grid::{MAX_CHUNK_NNZ, MAX_COUNT};

/// Counts of the cells of a tile as they are stored: genes ascending in each
/// cell, no gene twice, no count of 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellRows {
    /// Where each cell starts, and the end of the last one.
    pub starts: Vec<usize>,
    /// Gene numbers from 0.
    pub genes: Vec<u32>,
    /// Counts, one a gene number.
    pub counts: Vec<u32>,
}

impl CellRows {
    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of nonzero counts.
    pub fn nnz(&self) -> usize {
        self.genes.len()
    }

    /// That rows keep their rules and a tile can hold them.
    ///
    /// # Errors
    /// `Error::Argument` for rows that break their rules, `Error::Limit` for a
    /// count above 2^31-1 or a cell of more than 2^26 nonzeros.
    pub(crate) fn check(&self, n_genes: u32) -> Result<()> {
        check_genes(&self.starts, &self.genes, self.counts.len(), n_genes)?;
        if self.counts.contains(&0) {
            return Err(Error::argument("a count of 0; zeros are never stored"));
        }
        match self.counts.iter().find(|&&count| count > MAX_COUNT) {
            Some(count) => Err(Error::limit(
                Path::new(""),
                format!("the count {count}, a tile holds at most {MAX_COUNT}"),
            )),
            None => Ok(()),
        }
    }
}

/// Floating-point values of the cells of a tile as they are stored: genes
/// ascending in each cell, no gene twice. Any value may be stored, 0 too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FloatRows {
    /// Where each cell starts, and the end of the last one.
    pub starts: Vec<usize>,
    /// Gene numbers from 0.
    pub genes: Vec<u32>,
    /// Values, one a gene number.
    pub values: Vec<f64>,
}

impl FloatRows {
    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of stored values.
    pub fn nnz(&self) -> usize {
        self.genes.len()
    }

    /// That rows keep their rules and a tile can hold them.
    ///
    /// # Errors
    /// `Error::Argument` for rows that break their rules, `Error::Limit` for a
    /// cell of more than 2^26 values.
    pub(crate) fn check(&self, n_genes: u32) -> Result<()> {
        check_genes(&self.starts, &self.genes, self.values.len(), n_genes)
    }
}

fn check_genes(starts: &[usize], genes: &[u32], n_values: usize, n_genes: u32) -> Result<()> {
    let n = starts.last().copied().unwrap_or(0);
    let first = starts.first().copied().unwrap_or(0);
    if first != 0 || !starts.is_sorted() || genes.len() != n || n_values != n {
        return Err(Error::argument("cells that do not follow each other"));
    }
    for (cell, bounds) in starts.windows(2).enumerate() {
        let genes = &genes[bounds[0]..bounds[1]];
        if genes.len() > MAX_CHUNK_NNZ {
            return Err(Error::limit(
                Path::new(""),
                format!(
                    "cell {cell} has {} nonzeros, a tile holds at most {MAX_CHUNK_NNZ} of one cell",
                    genes.len()
                ),
            ));
        }
        if !genes.is_sorted_by(|a, b| a < b) || genes.last().is_some_and(|&gene| gene >= n_genes) {
            return Err(Error::argument(format!(
                "genes of cell {cell} that do not ascend or are not below {n_genes}"
            )));
        }
    }
    Ok(())
}
