//! What can be chosen when counts are imported.

use axtile_tiles::LayerKind;

/// Which matrix of an h5ad file holds the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// `X`.
    #[default]
    X,
    /// `raw/X`, with the genes of `raw/var`.
    Raw,
    /// One of `layers`.
    Named(String),
}

/// What the genes of a 10x Genomics file are called. The other one becomes a
/// column of var.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GeneNames {
    /// By symbol; symbols may repeat.
    #[default]
    Symbol,
    /// By identifier, such as Ensembl's.
    Id,
}

/// What the rows of a Matrix Market file are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orientation {
    /// Genes, as 10x Genomics writes them.
    #[default]
    GenesByCells,
    /// Cells.
    CellsByGenes,
}

/// Options of [`crate::open`].
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The matrix of an h5ad file.
    pub layer: Layer,
    /// What its values are.
    pub kind: LayerKind,
    /// Names of further matrices of an h5ad file, from its `layers`, and what their
    /// values are.
    pub layers: Vec<(String, LayerKind)>,
    /// The names of genes in 10x Genomics files and folders.
    pub gene_names: GeneNames,
    /// The group of a 10x Genomics HDF5 file of version 2 that has several.
    pub genome: Option<String>,
    /// Columns of obs to leave out, also those that could not be read.
    pub obs_exclude: Vec<String>,
    /// Columns of var to leave out.
    pub var_exclude: Vec<String>,
    /// What the rows of a Matrix Market file are.
    pub orientation: Orientation,
    /// Memory for sorting counts that are not stored cell by cell, in bytes;
    /// [`crate::DEFAULT_SPILL_BYTES`] if `None`.
    pub spill_bytes: Option<usize>,
}
