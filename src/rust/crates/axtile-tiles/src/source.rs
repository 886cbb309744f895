//! Where a writer gets its cells from: a file that is being imported, or the
//! matrix of the calling program.

use std::ops::Range;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result, Watch};
use axtile_table::{Field, Table};

use crate::dataset::Dataset;
use crate::manifest::LayerKind;

/// Counts of consecutive cells, cell by cell.
///
/// Genes of a cell may come unsorted, repeated, or with a count of 0: the
/// writer sorts, adds up and drops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellBlock {
    /// Where each cell starts in `genes` and `counts`, and the end of the last
    /// one: one more element than cells, the first is 0.
    pub starts: Vec<usize>,
    /// Gene numbers, from 0, in the order of [`CellSource::genes`].
    pub genes: Vec<u32>,
    /// Counts, one a gene number.
    pub counts: Vec<u32>,
}

impl CellBlock {
    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Gene numbers and counts of cell `cell` of this block.
    pub fn cell(&self, cell: usize) -> (&[u32], &[u32]) {
        let range = self.starts[cell]..self.starts[cell + 1];
        (&self.genes[range.clone()], &self.counts[range])
    }
}

/// Floating-point values of consecutive cells, cell by cell.
///
/// Genes of a cell may come unsorted or repeated: the writer sorts and adds up.
/// All values are kept, zeros too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FloatBlock {
    /// As in [`CellBlock`].
    pub starts: Vec<usize>,
    /// Gene numbers, from 0, in the order of [`CellSource::genes`].
    pub genes: Vec<u32>,
    /// Values, one a gene number.
    pub values: Vec<f64>,
}

/// One of the files or folders that a source reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePart {
    /// The file or folder.
    pub path: PathBuf,
    /// Its cells, in the numbering of the source.
    pub cells: Range<u64>,
}

/// A layer of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerField {
    /// The name, unique in its source.
    pub name: String,
    /// What its values are.
    pub kind: LayerKind,
}

impl LayerField {
    /// The layer of a source that has one.
    pub fn counts() -> LayerField {
        LayerField {
            name: "counts".to_owned(),
            kind: LayerKind::Count,
        }
    }
}

/// Cells with their counts and annotations, readable by ranges of cells from
/// several threads at once.
pub trait CellSource: Send + Sync {
    /// The file or folder, or a made-up name for a matrix in memory; used in
    /// messages and in the dataset's metadata.
    fn path(&self) -> &Path;

    /// The number of cells.
    fn n_cells(&self) -> u64;

    /// What the source reads, in the order of its cells.
    fn parts(&self) -> Vec<SourcePart> {
        vec![SourcePart {
            path: self.path().to_owned(),
            cells: 0..self.n_cells(),
        }]
    }

    /// The names of the genes, in order. May hold duplicates.
    fn genes(&self) -> &[String];

    /// Annotations of the genes, in the order of [`CellSource::genes`], without
    /// the names; no column where there is none.
    fn var(&self) -> Result<Table>;

    /// The layers; the first gives the order of the genes.
    fn layers(&self) -> Vec<LayerField> {
        vec![LayerField::counts()]
    }

    /// The dataset that the source reads, if it is one: what of it stays the
    /// same is copied as it is.
    fn dataset(&self) -> Option<&Dataset> {
        None
    }

    /// Names and types of the cells' annotations, without the cell names.
    fn obs_fields(&self) -> &[Field];

    /// Annotations of a range of cells, with the fields of
    /// [`CellSource::obs_fields`].
    fn obs(&self, cells: Range<u64>) -> Result<Table>;

    /// Names of a range of cells; `None` where the source has no names.
    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>>;

    /// How much of its work [`CellSource::prepare`] reports, in cells.
    fn prepare_work(&self) -> u64 {
        0
    }

    /// Readies the source for [`CellSource::counts`] or [`CellSource::floats`] of
    /// exactly the ranges between neighbouring `cuts` (the first is 0, the last
    /// `n_cells`), one at a time and thread. A source that is not stored cell by
    /// cell sorts its values into files in `scratch` here, in bounded memory.
    fn prepare(&mut self, cuts: &[u64], scratch: &Path, watch: &dyn Watch) -> Result<()>;

    /// Counts of one of the prepared ranges, in layer number `layer`, whose kind is
    /// [`LayerKind::Count`]. Values that
    /// are no counts (negative, fractional, NaN, above 2^32-1) are an
    /// `Error::Value`.
    fn counts(&self, layer: usize, cells: Range<u64>) -> Result<CellBlock>;

    /// Values of one of the prepared ranges, in layer number `layer`, whose kind is
    /// not [`LayerKind::Count`].
    fn floats(&self, layer: usize, _cells: Range<u64>) -> Result<FloatBlock> {
        let problem = format!("layer {} has counts only", layer + 1);
        Err(Error::unsupported(self.path(), problem))
    }

    /// The name of cell `cell` for messages: its own name, or its number from 1.
    fn cell_label(&self, cell: u64) -> String {
        match self.cell_names(cell..cell + 1) {
            Ok(Some(names)) if names.len() == 1 => format!("'{}'", names[0]),
            _ => format!("number {}", cell + 1),
        }
    }
}
