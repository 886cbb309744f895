//! The store.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use axtile_core::{Error, Result, Unwatched};
use axtile_daf::model::{
    Axis, Dependency, Matrix, PartedMatrix, Reader, Scalar, Stamp, Texts, Values, Vector,
    missing_axis,
};
use axtile_table::Table;
use axtile_tiles::{CELL_NAMES, Cells, Dataset};

use crate::layer::{LayerMatrix, PART_VALUES};
use crate::vectors::values_of;
use crate::{CELLS, GENES};

/// A tile dataset to be read as data in axes.
pub struct TilesDaf {
    name: String,
    dataset: Arc<Dataset>,
    cells: OnceLock<Arc<Axis>>,
    genes: OnceLock<Arc<Axis>>,
    /// Annotations of the genes.
    var: OnceLock<Table>,
    part_values: u64,
}

impl TilesDaf {
    /// The dataset as a store; its path is its name if none is given.
    ///
    /// # Errors
    /// `Error::Limit` if it has more cells than an axis can have entries.
    pub fn new(dataset: Arc<Dataset>, name: Option<&str>) -> Result<TilesDaf> {
        let n_cells = dataset.manifest().n_cells;
        if n_cells > Axis::MAX_LEN as u64 {
            let problem = format!("{n_cells} cells; an axis has at most {}", Axis::MAX_LEN);
            return Err(Error::limit(dataset.folder(), problem));
        }
        let path = || dataset.folder().display().to_string();
        Ok(TilesDaf {
            name: name.map_or_else(path, str::to_owned),
            dataset,
            cells: OnceLock::new(),
            genes: OnceLock::new(),
            var: OnceLock::new(),
            part_values: PART_VALUES,
        })
    }

    /// The same with about so many values of a layer in memory at a time, where
    /// genes are reduced; cells are read a tile at a time.
    pub fn with_part_values(self, part_values: u64) -> TilesDaf {
        TilesDaf {
            part_values,
            ..self
        }
    }

    /// An axis of these names, or of numbers behind `prefix` where there are none.
    fn make_axis(&self, names: Option<Texts>, prefix: &str, n: u64) -> Result<Arc<Axis>> {
        let names = names.unwrap_or_else(|| (1..=n).map(|k| format!("{prefix}{k}")).collect());
        let refused = |problem: String| Err(Error::unsupported(self.dataset.folder(), problem));
        if let Some(at) = names.iter_bytes().position(<[u8]>::is_empty) {
            return refused(format!("{prefix} {} has an empty name", at + 1));
        }
        let Some(axis) = Axis::new(names) else {
            return refused(format!(
                "more than {} names of the axis {prefix}",
                Axis::MAX_LEN
            ));
        };
        if let Some(at) = axis.repeated() {
            return refused(format!(
                "the name '{}' comes twice on the axis {prefix}; entries of an axis are unique",
                axis.entries().get(at)
            ));
        }
        Ok(Arc::new(axis))
    }

    fn cell_axis(&self) -> Result<Arc<Axis>> {
        if let Some(axis) = self.cells.get() {
            return Ok(Arc::clone(axis));
        }
        let has_names = self
            .obs_columns(true)?
            .iter()
            .any(|name| name == CELL_NAMES);
        let names = match has_names {
            true => Some(self.obs_vector(CELL_NAMES)?).and_then(|values| match values {
                Values::String(names) => Some(names),
                _ => None,
            }),
            false => None,
        };
        let axis = self.make_axis(names, CELLS, self.dataset.manifest().n_cells)?;
        Ok(Arc::clone(self.cells.get_or_init(|| axis)))
    }

    fn gene_axis(&self) -> Result<Arc<Axis>> {
        if let Some(axis) = self.genes.get() {
            return Ok(Arc::clone(axis));
        }
        let names = self.dataset.gene_names()?;
        let names = names.map(|names| names.into_iter().collect());
        let axis = self.make_axis(names, GENES, self.dataset.manifest().n_genes as u64)?;
        Ok(Arc::clone(self.genes.get_or_init(|| axis)))
    }

    fn var(&self) -> Result<&Table> {
        if let Some(table) = self.var.get() {
            return Ok(table);
        }
        let table = self.dataset.var()?.table;
        Ok(self.var.get_or_init(|| table))
    }

    /// The columns of obs; with the one that holds the names.
    fn obs_columns(&self, with_names: bool) -> Result<Vec<String>> {
        let fields = self.dataset.obs_fields()?.iter();
        let names = fields.map(|field| field.name.clone());
        Ok(names
            .filter(|name| with_names || name != CELL_NAMES)
            .collect())
    }

    fn obs_vector(&self, name: &str) -> Result<Values> {
        let names = [name.to_owned()];
        let table = self
            .dataset
            .read_obs(&names, Cells::All, None, 1, &Unwatched)?;
        self.column_of(&table, name)
    }

    fn column_of(&self, table: &Table, name: &str) -> Result<Values> {
        let found = table
            .fields
            .iter()
            .zip(&table.columns)
            .find(|(field, _)| field.name == name);
        match found {
            Some((field, column)) => values_of(self.dataset.folder(), field, column),
            None => Err(Error::range(format!("there is no column '{name}'"))),
        }
    }

    fn layer(&self, rows: &str, columns: &str, name: &str) -> Option<LayerMatrix> {
        if (rows, columns) != (GENES, CELLS) {
            return None;
        }
        let layers = &self.dataset.manifest().layers;
        let layer = layers.iter().position(|layer| layer.name == name)?;
        Some(LayerMatrix::new(
            Arc::clone(&self.dataset),
            layer,
            self.part_values,
        ))
    }

    fn known_axis(&self, axis: &str) -> Result<()> {
        match axis {
            CELLS | GENES => Ok(()),
            _ => Err(missing_axis(&self.name, axis)),
        }
    }
}

impl Reader for TilesDaf {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "TilesDaf"
    }

    fn path(&self) -> Option<&Path> {
        Some(self.dataset.folder())
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        Ok([CELLS, GENES].map(str::to_owned).to_vec())
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        self.known_axis(axis)?;
        let mut names = match axis {
            CELLS => self.obs_columns(false)?,
            _ => self
                .var()?
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
        };
        // Every axis has vectors of these names.
        names.retain(|name| name != "name" && name != "index");
        names.sort_unstable();
        Ok(names)
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        self.known_axis(rows)?;
        self.known_axis(columns)?;
        if (rows, columns) != (GENES, CELLS) {
            return Ok(Vec::new());
        }
        let layers = self.dataset.manifest().layers.iter();
        let mut names: Vec<String> = layers.map(|layer| layer.name.clone()).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn find_scalar(&self, _name: &str) -> Result<Option<Scalar>> {
        Ok(None)
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        match axis {
            CELLS => self.cell_axis().map(Some),
            GENES => self.gene_axis().map(Some),
            _ => Ok(None),
        }
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        if !self.has_stored_vector(axis, name)? {
            return Ok(None);
        }
        let values = match axis {
            CELLS => self.obs_vector(name)?,
            _ => self.column_of(self.var()?, name)?,
        };
        Ok(Some(Vector::Dense(values)))
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        match self.layer(rows, columns, name) {
            Some(layer) => layer.part(None, None, 1).map(Some),
            None => Ok(None),
        }
    }

    fn find_parted(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Result<Option<Arc<dyn PartedMatrix>>> {
        let layer = self.layer(rows, columns, name);
        Ok(layer.map(|layer| Arc::new(layer) as Arc<dyn PartedMatrix>))
    }

    fn has_scalar(&self, _name: &str) -> Result<bool> {
        Ok(false)
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        Ok(self.known_axis(axis).is_ok())
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        match axis {
            CELLS | GENES => Ok(self.vector_names(axis)?.iter().any(|known| known == name)),
            _ => Ok(false),
        }
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        Ok(self.layer(rows, columns, name).is_some())
    }

    fn axis_version(&self, _axis: &str) -> u64 {
        0
    }

    fn vector_version(&self, _axis: &str, _name: &str) -> u64 {
        0
    }

    fn matrix_version(&self, _rows: &str, _columns: &str, _name: &str) -> u64 {
        0
    }

    /// A dataset never changes: another one in its place is another store.
    fn stamp(&self, _of: &Dependency) -> Result<Stamp> {
        match self.dataset.is_current() {
            true => Ok(Stamp::of(&self.dataset.identity())),
            false => Err(Error::Stale {
                path: self.dataset.folder().to_owned(),
            }),
        }
    }
}
