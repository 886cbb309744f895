//! AnnData's HDF5 files: counts stored cell by cell (CSR), gene by gene (CSC)
//! or dense, in `X`, `raw/X` or a layer, with annotations from obs and var.
//! Encodings: <https://anndata.readthedocs.io/en/latest/fileformat-prose.html>;
//! files of anndata 0.6 mark sparse matrices with `h5sparse_format`.

use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_table::{Field, Table};
use axtile_tiles::{CellBlock, CellSource, FloatBlock, LayerField, LayerKind};

use crate::anndata_table::AnnTable;
use crate::h5::{File, Group, Node, Scratch};
use crate::matrix::{Compressed, Dense, Labels};
use crate::options::{ImportOptions, Layer};
use crate::range::check_cells;
use crate::spill::{DEFAULT_SPILL_BYTES, SortProgress, Spill, SpillWriter};
use crate::value::{Cells, Value};

/// How many counts of a matrix stored gene by gene are taken at a time.
const STEP: u64 = 1 << 20;

/// An open h5ad file.
pub struct H5ad {
    file: File,
    /// What the first one is, and each layer.
    matrices: Vec<(LayerField, Matrix)>,
    genes: Vec<String>,
    obs: AnnTable,
    var: AnnTable,
    spill_bytes: usize,
}

enum Matrix {
    Cells(Compressed),
    Dense(Dense),
    Genes {
        matrix: Compressed,
        sorted: Option<Sorted>,
    },
}

/// The values of a matrix sorted by cell.
enum Sorted {
    Counts(Spill<u32>),
    Floats(Spill<f64>),
}

impl H5ad {
    /// Opens `path`; no counts are read yet.
    ///
    /// # Errors
    /// `Error::Io`, `Error::Corrupt`, and `Error::Unsupported` for columns or
    /// encodings that cannot be read.
    pub fn open(path: &Path, options: &ImportOptions) -> Result<H5ad> {
        H5ad::from_file(File::open(path)?, options)
    }

    pub(crate) fn from_file(file: File, options: &ImportOptions) -> Result<H5ad> {
        let root = file.root()?;
        let (node, var_name, var_group) = find_matrix(&root, &options.layer)?;
        let obs = AnnTable::open(&root, "obs", &options.obs_exclude)?;
        let var = AnnTable::open(&var_group, var_name, &options.var_exclude)?;
        let (n_cells, n_genes) = (obs.n_rows(), var.n_rows());
        if options.layer == Layer::Raw && !options.layers.is_empty() {
            return Err(Error::argument(format!(
                "'{}': layers have the genes of X, which raw/X need not have; \
                 convert one or the other",
                file.path().display()
            )));
        }
        let matrix = |node: Node| match node {
            Node::Dataset(data) => Ok(Matrix::Dense(Dense::open(*data, n_cells, n_genes)?)),
            Node::Group(group) => open_sparse(&group, n_cells, n_genes),
        };
        let mut matrices = vec![(first_layer(options), matrix(node)?)];
        for (name, kind) in &options.layers {
            if matrices.iter().any(|(layer, _)| layer.name == *name) {
                return Err(Error::argument(format!("two layers are called '{name}'")));
            }
            let (node, ..) = find_matrix(&root, &Layer::Named(name.clone()))?;
            let layer = LayerField {
                name: name.clone(),
                kind: *kind,
            };
            matrices.push((layer, matrix(node)?));
        }
        Ok(H5ad {
            matrices,
            genes: var.names(0..n_genes)?,
            obs,
            var,
            spill_bytes: options.spill_bytes.unwrap_or(DEFAULT_SPILL_BYTES),
            file,
        })
    }
}

/// The layer of the dataset that the first matrix becomes.
fn first_layer(options: &ImportOptions) -> LayerField {
    if options.kind == LayerKind::Count {
        return LayerField::counts();
    }
    LayerField {
        name: match &options.layer {
            Layer::X => "X".to_owned(),
            Layer::Raw => "raw".to_owned(),
            Layer::Named(name) => name.clone(),
        },
        kind: options.kind,
    }
}

/// The matrix of `layer`, and where the table of its genes is.
fn find_matrix(root: &Group, layer: &Layer) -> Result<(Node, &'static str, Group)> {
    let file = root.file();
    let absent = |name: &str| {
        let layers = match root.group("layers") {
            Ok(Some(layers)) => layers
                .names()
                .map(|(a, b)| [a, b].concat())
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        Error::argument(format!(
            "'{}' has no matrix '{name}'; its layers: {}",
            file.path().display(),
            if layers.is_empty() {
                "none".to_owned()
            } else {
                layers.join(", ")
            }
        ))
    };
    match layer {
        Layer::X => {
            let matrix = root.child("X")?.ok_or_else(|| absent("X"))?;
            Ok((matrix, "var", root.clone()))
        }
        Layer::Raw => {
            if let Some(raw) = root.group("raw")? {
                let matrix = raw.child("X")?.ok_or_else(|| absent("raw/X"))?;
                return Ok((matrix, "var", raw));
            }
            // anndata 0.6 has a dot instead of a group
            let matrix = root.child("raw.X")?.ok_or_else(|| absent("raw/X"))?;
            Ok((matrix, "raw.var", root.clone()))
        }
        Layer::Named(name) => {
            let layers = root.group("layers")?.ok_or_else(|| absent(name))?;
            let matrix = layers.child(name)?.ok_or_else(|| absent(name))?;
            Ok((matrix, "var", root.clone()))
        }
    }
}

fn open_sparse(group: &Group, n_cells: u64, n_genes: u64) -> Result<Matrix> {
    let file = group.file();
    let encoding = match group.text_attribute("encoding-type")? {
        Some(encoding) => encoding,
        None => group.text_attribute("h5sparse_format")?.unwrap_or_default(),
    };
    let shape = match group.integers_attribute("shape")? {
        Some(shape) => Some(shape),
        None => group.integers_attribute("h5sparse_shape")?,
    };
    if shape
        .as_deref()
        .is_some_and(|shape| shape != [n_cells, n_genes])
    {
        return Err(file.corrupt(
            group.name(),
            format!("its shape is {shape:?}, there are {n_cells} cells and {n_genes} genes"),
        ));
    }
    match encoding.as_str() {
        "csr_matrix" | "csr" => Ok(Matrix::Cells(Compressed::open(group, n_cells, n_genes)?)),
        "csc_matrix" | "csc" => Ok(Matrix::Genes {
            matrix: Compressed::open(group, n_genes, n_cells)?,
            sorted: None,
        }),
        other => Err(file.unsupported(
            group.name(),
            format!("the matrix encoding '{other}'; csr_matrix, csc_matrix and dense are read"),
        )),
    }
}

impl Labels for H5ad {
    fn bad_value(&self, cell: u64, gene: u32, value: String, expected: &str) -> Error {
        Error::Value {
            path: self.file.path().to_owned(),
            cell: self.cell_label(cell),
            gene: gene_label(&self.genes, gene),
            value,
            expected: expected.to_owned(),
        }
    }
}

/// The name of gene `gene` for messages.
pub(crate) fn gene_label(genes: &[String], gene: u32) -> String {
    match genes.get(gene as usize) {
        Some(name) => format!("'{name}'"),
        None => format!("number {}", u64::from(gene) + 1),
    }
}

impl CellSource for H5ad {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn n_cells(&self) -> u64 {
        self.obs.n_rows()
    }

    fn genes(&self) -> &[String] {
        &self.genes
    }

    fn var(&self) -> Result<Table> {
        self.var.read(0..self.var.n_rows())
    }

    fn obs_fields(&self) -> &[Field] {
        self.obs.fields()
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        check_cells(self.path(), &cells, self.n_cells())?;
        self.obs.read(cells)
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        check_cells(self.path(), &cells, self.n_cells())?;
        self.obs.names(cells).map(Some)
    }

    fn layers(&self) -> Vec<LayerField> {
        let layers = self.matrices.iter();
        layers.map(|(layer, _)| layer.clone()).collect()
    }

    fn prepare_work(&self) -> u64 {
        let is_sorted = |matrix: &Matrix| !matches!(matrix, Matrix::Genes { .. });
        let matrices = self.matrices.iter();
        let n_unsorted = matrices.filter(|(_, matrix)| !is_sorted(matrix)).count();
        self.n_cells().saturating_mul(n_unsorted as u64)
    }

    fn prepare(&mut self, cuts: &[u64], scratch: &Path, watch: &dyn Watch) -> Result<()> {
        let mut sorted = Vec::new();
        for (layer, matrix) in &self.matrices {
            let Matrix::Genes { matrix, .. } = matrix else {
                sorted.push(None);
                continue;
            };
            sorted.push(Some(match layer.kind {
                LayerKind::Count => {
                    Sorted::Counts(self.sort_by_cell(matrix, cuts, scratch, watch)?)
                }
                LayerKind::Float32 | LayerKind::Float64 => {
                    Sorted::Floats(self.sort_by_cell(matrix, cuts, scratch, watch)?)
                }
            }));
        }
        for ((_, matrix), outcome) in self.matrices.iter_mut().zip(sorted) {
            if let Matrix::Genes { sorted, .. } = matrix {
                *sorted = outcome;
            }
        }
        Ok(())
    }

    fn counts(&self, layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        let sorted = |sorted: &Sorted| match sorted {
            Sorted::Counts(spill) => Some(spill.cells(cells.clone())),
            Sorted::Floats(_) => None,
        };
        self.cells(layer, &cells, sorted).map(CellBlock::from)
    }

    fn floats(&self, layer: usize, cells: Range<u64>) -> Result<FloatBlock> {
        let sorted = |sorted: &Sorted| match sorted {
            Sorted::Counts(_) => None,
            Sorted::Floats(spill) => Some(spill.cells(cells.clone())),
        };
        self.cells(layer, &cells, sorted).map(FloatBlock::from)
    }
}

impl H5ad {
    /// The values of some cells; `sorted` reads those that had to be sorted.
    fn cells<V: Value>(
        &self,
        layer: usize,
        cells: &Range<u64>,
        from_sorted: impl Fn(&Sorted) -> Option<Result<Cells<V>>>,
    ) -> Result<Cells<V>> {
        check_cells(self.path(), cells, self.n_cells())?;
        let Some((_, matrix)) = self.matrices.get(layer) else {
            return Err(Error::range(format!("there is no layer {}", layer + 1)));
        };
        match matrix {
            Matrix::Cells(matrix) => matrix.cells(cells.clone(), self),
            Matrix::Dense(matrix) => matrix.cells(cells.clone(), self),
            Matrix::Genes { sorted, .. } => {
                sorted.as_ref().and_then(from_sorted).unwrap_or_else(|| {
                    Err(Error::argument(format!(
                        "'{}' is stored gene by gene and must be prepared first",
                        self.path().display()
                    )))
                })
            }
        }
    }

    /// Sorts a matrix of genes x cells into the ranges between `cuts`.
    fn sort_by_cell<V: Value>(
        &self,
        matrix: &Compressed,
        cuts: &[u64],
        scratch: &Path,
        watch: &dyn Watch,
    ) -> Result<Spill<V>> {
        let mut writer = SpillWriter::create(cuts, scratch, self.spill_bytes)?;
        let mut buffers = Scratch::default();
        let starts = matrix.starts(0..matrix.n_rows(), &mut buffers)?;
        let end = starts.last().copied().unwrap_or(0);
        // `starts` neither falls nor ends before `end`, so each entry has a gene.
        let gene_of = |entry: u64| {
            starts
                .partition_point(|&start| start <= entry)
                .saturating_sub(1)
        };
        let mut progress = SortProgress::new(watch, cuts.last().copied().unwrap_or(0), end);
        let mut entry = 0;
        while entry < end {
            let step = entry..end.min(entry + STEP);
            let cells = matrix.indices(step.clone(), &mut buffers)?;
            let values = matrix.values::<V>(step.clone(), &mut buffers, |bad, value| {
                let cell = cells.get((bad - entry) as usize).copied().unwrap_or(0);
                self.bad_value(u64::from(cell), gene_of(bad) as u32, value, V::EXPECTED)
            })?;
            let mut gene = gene_of(entry);
            for ((entry, &cell), &value) in step.clone().zip(&cells).zip(&values) {
                while starts.get(gene + 1).is_some_and(|&next| next <= entry) {
                    gene += 1;
                }
                writer.push(u64::from(cell), gene as u32, value)?;
            }
            entry = step.end;
            progress.reach(entry)?;
        }
        writer.finish()
    }
}

/// Whether `root` looks like AnnData's.
pub(crate) fn is_h5ad(root: &Group) -> Result<bool> {
    Ok(root.child("obs")?.is_some() && root.child("var")?.is_some())
}
