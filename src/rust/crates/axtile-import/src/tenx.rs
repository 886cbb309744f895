//! 10x Genomics' HDF5 matrices: version 3 (group `matrix` with `features/*`)
//! and version 2 (a group for each genome, with `genes` and `gene_names`).
//! Features are rows and barcodes columns, compressed by column: cell by cell.
//! <https://www.10xgenomics.com/support/software/cell-ranger/latest/analysis/outputs/cr-outputs-h5-matrices>

use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_table::{Field, Table};
use axtile_tiles::{CellBlock, CellSource};

use crate::columns::{StoredColumn, Values};
use crate::h5::{File, Group, Scratch, integer};
use crate::h5ad::gene_label;
use crate::matrix::{Compressed, Labels};
use crate::options::{GeneNames, ImportOptions};
use crate::range::check_cells;

/// The columns of var that come first, in this order.
const FIRST: [&str; 4] = ["id", "name", "feature_type", "genome"];

/// An open 10x Genomics HDF5 file.
pub struct TenX {
    file: File,
    matrix: Compressed,
    barcodes: StoredColumn,
    genes: Vec<String>,
    var: Vec<(String, StoredColumn)>,
}

impl TenX {
    /// Opens `path`; no counts are read yet.
    ///
    /// # Errors
    /// `Error::Io`, `Error::Corrupt`, and `Error::Argument` if the file has
    /// several genomes and the options do not choose one.
    pub fn open(path: &Path, options: &ImportOptions) -> Result<TenX> {
        TenX::from_file(File::open(path)?, options)
    }

    pub(crate) fn from_file(file: File, options: &ImportOptions) -> Result<TenX> {
        let root = file.root()?;
        let group = find_matrix(&root, options.genome.as_deref())?;
        let (genes, mut var) = read_features(&group, options.gene_names)?;
        var.retain(|(name, _)| !options.var_exclude.contains(name));
        let barcodes = StoredColumn::plain(Values::whole(group.required("barcodes")?), "barcodes")?;
        let (n_cells, n_genes) = (barcodes.n_rows(), genes.len() as u64);
        let shape = read_shape(&group)?;
        if shape != [n_genes, n_cells] {
            return Err(file.corrupt(
                group.name(),
                format!(
                    "its shape is {shape:?}, there are {n_genes} features and {n_cells} barcodes"
                ),
            ));
        }
        Ok(TenX {
            matrix: Compressed::open(&group, n_cells, n_genes)?,
            barcodes,
            genes,
            var,
            file,
        })
    }
}

/// Whether `root` looks like 10x Genomics'.
pub(crate) fn is_tenx(root: &Group) -> Result<bool> {
    if let Some(matrix) = root.group("matrix")? {
        return Ok(matrix.dataset("barcodes")?.is_some());
    }
    Ok(!genomes(root)?.is_empty())
}

/// The groups of a file of version 2.
fn genomes(root: &Group) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for name in root.names()?.0 {
        let Some(group) = root.group(&name)? else {
            continue;
        };
        let (_, datasets) = group.names()?;
        if ["barcodes", "genes", "indptr"]
            .iter()
            .all(|name| datasets.iter().any(|have| have == name))
        {
            found.push(name);
        }
    }
    Ok(found)
}

fn find_matrix(root: &Group, genome: Option<&str>) -> Result<Group> {
    if let Some(matrix) = root.group("matrix")? {
        return Ok(matrix);
    }
    let genomes = genomes(root)?;
    let chosen = match (genome, genomes.as_slice()) {
        (Some(genome), _) => genomes.iter().find(|name| *name == genome),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let group = match chosen {
        Some(name) => root.group(name)?,
        None => None,
    };
    group.ok_or_else(|| {
        Error::argument(format!(
            "'{}' has the genomes {}; choose one with `genome`",
            root.file().path().display(),
            genomes.join(", ")
        ))
    })
}

type Features = (Vec<String>, Vec<(String, StoredColumn)>);

/// Gene names and the other columns.
fn read_features(group: &Group, names: GeneNames) -> Result<Features> {
    let mut columns = Vec::new();
    if let Some(features) = group.group("features")? {
        let (_, mut datasets) = features.names()?;
        datasets.retain(|name| !name.starts_with('_'));
        datasets.sort_by_key(|name| {
            FIRST
                .iter()
                .position(|first| first == name)
                .unwrap_or(FIRST.len())
        });
        for name in datasets {
            let column = StoredColumn::plain(Values::whole(features.required(&name)?), &name)?;
            columns.push((name, column));
        }
    } else {
        for (stored, name) in [("genes", "id"), ("gene_names", "name")] {
            if let Some(dataset) = group.dataset(stored)? {
                let column = StoredColumn::plain(Values::whole(dataset), stored)?;
                columns.push((name.to_owned(), column));
            }
        }
    }
    let file = group.file();
    let wanted = match names {
        GeneNames::Symbol => "name",
        GeneNames::Id => "id",
    };
    let at = columns
        .iter()
        .position(|(name, _)| name == wanted)
        .ok_or_else(|| file.corrupt(group.name(), format!("its features have no '{wanted}'")))?;
    let (_, genes) = columns.remove(at);
    let genes = genes.labels()?;
    for (name, column) in &columns {
        if column.n_rows() != genes.len() as u64 {
            let problem = format!(
                "{} values of '{name}' for {} features",
                column.n_rows(),
                genes.len()
            );
            return Err(file.corrupt(group.name(), problem));
        }
    }
    Ok((genes, columns))
}

fn read_shape(group: &Group) -> Result<Vec<u64>> {
    let dataset = group.required("shape")?;
    let file = group.file();
    let odd = || file.corrupt(dataset.place(), "two whole numbers were expected");
    if dataset.rank() != 1 || dataset.n_rows() != 2 {
        return Err(odd());
    }
    let element = dataset.element();
    let mut shape = Vec::new();
    dataset.visit(0..2, &mut Scratch::default(), |_, bytes| {
        for bytes in bytes.chunks_exact(element.width()) {
            let n = integer(element, bytes).and_then(|n| u64::try_from(n).ok());
            shape.push(n.ok_or_else(odd)?);
        }
        Ok(())
    })?;
    Ok(shape)
}

impl Labels for TenX {
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

impl CellSource for TenX {
    fn path(&self) -> &Path {
        self.file.path()
    }

    fn n_cells(&self) -> u64 {
        self.matrix.n_rows()
    }

    fn genes(&self) -> &[String] {
        &self.genes
    }

    fn var(&self) -> Result<Table> {
        let n_rows = self.genes.len();
        let mut table = Table {
            n_rows,
            ..Table::default()
        };
        for (name, column) in &self.var {
            table.fields.push(Field {
                name: name.clone(),
                kind: column.kind.clone(),
            });
            table.columns.push(column.read(0..n_rows as u64)?);
        }
        Ok(table)
    }

    fn obs_fields(&self) -> &[Field] {
        &[]
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        check_cells(self.path(), &cells, self.n_cells())?;
        Ok(Table {
            n_rows: (cells.end - cells.start) as usize,
            ..Table::default()
        })
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        check_cells(self.path(), &cells, self.n_cells())?;
        self.barcodes.names(cells).map(Some)
    }

    fn prepare(&mut self, _cuts: &[u64], _scratch: &Path, _watch: &dyn Watch) -> Result<()> {
        Ok(())
    }

    fn counts(&self, _layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        check_cells(self.path(), &cells, self.n_cells())?;
        self.matrix.cells::<u32>(cells, self).map(CellBlock::from)
    }
}
