//! Sparse matrices of R's as a source of cells: their columns are the cells, and
//! each is a layer.

use std::ops::Range;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result, Watch};
use axtile_table::{Column, Field, Table};
use axtile_tiles::{CellBlock, CellSource, FloatBlock, LayerField, LayerKind};

/// The slots of a dgCMatrix (genes x cells), borrowed.
pub struct MatrixLayer<'a> {
    /// The layer's name.
    pub name: String,
    /// What its values are stored as.
    pub kind: LayerKind,
    /// Slot p: where each cell starts.
    pub starts: &'a [i32],
    /// Slot i: gene numbers from 0.
    pub genes: &'a [i32],
    /// Slot x.
    pub values: &'a [f64],
}

/// What holds all of these values: counts, if they are whole numbers from 0 to
/// 2^31-1; else 32-bit floats, or 64-bit ones.
pub fn smallest_kind(values: &[f64]) -> LayerKind {
    let is = |value: f64, other: f64| value.to_bits() == other.to_bits();
    let is_count = |&value: &f64| value >= 0.0 && is(value, f64::from(value as i32));
    if values.iter().all(is_count) {
        return LayerKind::Count;
    }
    match values
        .iter()
        .all(|&value| is(value, f64::from(value as f32)))
    {
        true => LayerKind::Float32,
        false => LayerKind::Float64,
    }
}

/// Matrices of the same genes and cells, with annotations.
pub struct MatrixSource<'a> {
    /// A name for messages.
    pub path: PathBuf,
    /// The matrices; at least one.
    pub layers: Vec<MatrixLayer<'a>>,
    /// Names of the genes.
    pub gene_names: Vec<String>,
    /// Names of the cells, if they have any.
    pub cell_names: Option<Vec<String>>,
    /// Annotations of the genes.
    pub var: Table,
    /// Annotations of the cells.
    pub obs: Table,
}

impl MatrixLayer<'_> {
    /// Where some cells start among those cells' values, and where these are.
    fn range_of(&self, cells: &Range<u64>) -> (Vec<usize>, Range<usize>) {
        let starts = &self.starts[cells.start as usize..=cells.end as usize];
        let (first, end) = (starts[0] as usize, starts[starts.len() - 1] as usize);
        let starts = starts.iter().map(|&start| start as usize - first);
        (starts.collect(), first..end)
    }

    fn genes_in(&self, range: Range<usize>) -> Vec<u32> {
        self.genes[range].iter().map(|&gene| gene as u32).collect()
    }

    fn check(&self, n_genes: usize, n_cells: usize) -> Result<()> {
        let wrong = |problem: String| {
            let name = &self.name;
            Err(Error::argument(format!(
                "layer '{name}' is not a valid dgCMatrix{problem}"
            )))
        };
        let nnz = self.starts.last().copied().unwrap_or(-1);
        let is_sound = self.starts.first() == Some(&0)
            && self.starts.is_sorted()
            && usize::try_from(nnz).is_ok_and(|nnz| nnz == self.genes.len())
            && self.values.len() == self.genes.len();
        if !is_sound {
            return wrong(String::new());
        }
        if self.starts.len() != n_cells + 1 {
            let n = self.starts.len() - 1;
            return wrong(format!(": {n} columns, expected {n_cells}"));
        }
        let is_gene = |&gene: &i32| gene >= 0 && (gene as usize) < n_genes;
        match self.genes.iter().find(|gene| !is_gene(gene)) {
            Some(gene) => wrong(format!(": row {gene} of {n_genes}")),
            None => Ok(()),
        }
    }
}

impl MatrixSource<'_> {
    /// Checks what the slots' types do not guarantee.
    ///
    /// # Errors
    /// `Error::Argument` if the matrix is malformed or annotations have another
    /// number of rows.
    pub fn check(&self) -> Result<()> {
        let n_genes = self.gene_names.len();
        let Some(first) = self.layers.first() else {
            return Err(Error::argument("internal: no matrix"));
        };
        let n_cells = first.starts.len().saturating_sub(1);
        for layer in &self.layers {
            layer.check(n_genes, n_cells)?;
        }
        if let Some(names) = self
            .cell_names
            .as_ref()
            .filter(|names| names.len() != n_cells)
        {
            return Err(Error::argument(format!(
                "'x' is not a valid dgCMatrix: {} column names for {n_cells} columns",
                names.len()
            )));
        }
        for (what, table, n_rows) in [("var", &self.var, n_genes), ("obs", &self.obs, n_cells)] {
            if !table.columns.is_empty() && table.n_rows != n_rows {
                return Err(Error::argument(format!(
                    "{what} has {} rows, expected {n_rows}",
                    table.n_rows
                )));
            }
        }
        Ok(())
    }
}

impl CellSource for MatrixSource<'_> {
    fn path(&self) -> &Path {
        &self.path
    }

    fn n_cells(&self) -> u64 {
        self.layers
            .first()
            .map_or(0, |layer| layer.starts.len() as u64 - 1)
    }

    fn layers(&self) -> Vec<LayerField> {
        self.layers
            .iter()
            .map(|layer| LayerField {
                name: layer.name.clone(),
                kind: layer.kind,
            })
            .collect()
    }

    fn genes(&self) -> &[String] {
        &self.gene_names
    }

    fn var(&self) -> Result<Table> {
        Ok(self.var.clone())
    }

    fn obs_fields(&self) -> &[Field] {
        &self.obs.fields
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        let rows = cells.start as usize..cells.end as usize;
        Ok(Table {
            fields: self.obs.fields.clone(),
            columns: self
                .obs
                .columns
                .iter()
                .map(|column| slice(column, &rows))
                .collect(),
            n_rows: rows.len(),
        })
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        let rows = cells.start as usize..cells.end as usize;
        Ok(self.cell_names.as_ref().map(|names| names[rows].to_vec()))
    }

    fn prepare(&mut self, _cuts: &[u64], _scratch: &Path, _watch: &dyn Watch) -> Result<()> {
        Ok(())
    }

    fn counts(&self, layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        let layer = &self.layers[layer];
        let (starts, range) = layer.range_of(&cells);
        let mut counts = Vec::with_capacity(range.len());
        for (at, &value) in layer.values[range.clone()].iter().enumerate() {
            let count = value as u32;
            if f64::from(count) != value {
                let in_block = starts.partition_point(|&start| start <= at) - 1;
                let gene = layer.genes[range.start + at] as usize;
                return Err(Error::Value {
                    path: self.path.clone(),
                    cell: self.cell_label(cells.start + in_block as u64),
                    gene: format!("'{}'", self.gene_names[gene]),
                    value: if value.is_nan() {
                        "NA or NaN".into()
                    } else {
                        value.to_string()
                    },
                    expected: "a whole number from 0 to 4294967295".into(),
                });
            }
            counts.push(count);
        }
        Ok(CellBlock {
            starts,
            genes: layer.genes_in(range),
            counts,
        })
    }

    fn floats(&self, layer: usize, cells: Range<u64>) -> Result<FloatBlock> {
        let layer = &self.layers[layer];
        let (starts, range) = layer.range_of(&cells);
        Ok(FloatBlock {
            starts,
            genes: layer.genes_in(range.clone()),
            values: layer.values[range].to_vec(),
        })
    }
}

fn slice(column: &Column, rows: &Range<usize>) -> Column {
    let flags =
        |missing: &Option<Vec<bool>>| missing.as_ref().map(|all| all[rows.clone()].to_vec());
    match column {
        Column::Category(codes) => Column::Category(codes[rows.clone()].to_vec()),
        Column::Integer { values, missing } => Column::Integer {
            values: values[rows.clone()].to_vec(),
            missing: flags(missing),
        },
        Column::Real(values) => Column::Real(values[rows.clone()].to_vec()),
        Column::Bool { values, missing } => Column::Bool {
            values: values[rows.clone()].to_vec(),
            missing: flags(missing),
        },
        Column::Text(values) => Column::Text(values[rows.clone()].to_vec()),
    }
}
