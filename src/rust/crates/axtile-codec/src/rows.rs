//! What every tile codec encodes.

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
}
