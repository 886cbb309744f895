//! A tile dataset as a store to read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axtile_core::{Error, Result, Unwatched};
use axtile_daf::model::{
    Axis, Dependency, Matrix, Reader, Scalar, Stamp, StreamedMatrix, Values, Vector, missing_axis,
};
use axtile_table::{Column, Field};
use axtile_tiles::{CELL_NAMES, Cells, Dataset, VarTable};

use crate::entries::entries;
use crate::layer::LayerMatrix;
use crate::vectors::values;

/// The axis of cells.
pub const CELL: &str = "cell";
/// The axis of genes.
pub const GENE: &str = "gene";
/// The vector of the names that an axis was made of, where it could not be
/// made of them as they are.
pub const ORIGINAL_NAMES: &str = "original_name";

/// A tile dataset to read: the axes `cell` and `gene`, the columns of obs and
/// var as vectors along them, and each layer as a matrix of genes x cells under
/// its own name, sparse and of whole numbers. Reductions read one tile after
/// the other; `find_matrix` gives a layer as a whole.
///
/// Entries of the axes are the names of cells and genes. Names that are
/// repeated get `-1`, `-2`, ... after them, empty ones are their numbers; the
/// vector `original_name` then has all of them as they are. Without names,
/// entries are numbers from 1.
///
/// In vectors, missing texts and labels are empty, and numbers and truths of
/// which some are missing are floats with NaN for those. Columns called `name`
/// or `index` cannot be seen: every axis has vectors of these names.
#[derive(Debug)]
pub struct TilesDaf {
    name: String,
    dataset: Arc<Dataset>,
    cache_root: Option<PathBuf>,
    n_threads: usize,
    cells: OnceLock<Names>,
    genes: OnceLock<(Names, VarTable)>,
    /// What differs between states of the dataset.
    stamp: Stamp,
    layers: Vec<Arc<LayerMatrix>>,
    /// The column of obs that was read last: masks and groups ask for one again.
    last: Mutex<Option<(String, Vector)>>,
}

#[derive(Debug)]
struct Names {
    axis: Arc<Axis>,
    /// As they are, if the entries are others.
    original: Option<Values>,
}

impl TilesDaf {
    /// The dataset, called `name` or else by its folder. Columns of obs that
    /// were localized come from `cache_root`, or from the default place.
    ///
    /// # Errors
    /// `Error::Limit` if there are more cells than an axis has entries.
    pub fn new(
        dataset: Arc<Dataset>,
        name: Option<&str>,
        cache_root: Option<PathBuf>,
        n_threads: usize,
    ) -> Result<TilesDaf> {
        let manifest = dataset.manifest();
        let n_cells = manifest.n_cells;
        if n_cells > Axis::MAX_LEN as u64 {
            let problem = format!("{n_cells} cells; an axis has at most {}", Axis::MAX_LEN);
            return Err(Error::limit(dataset.folder(), problem));
        }
        let layers = 0..manifest.layers.len();
        let layer = |layer| Arc::new(LayerMatrix::new(Arc::clone(&dataset), layer));
        Ok(TilesDaf {
            name: name.map_or_else(|| dataset.folder().display().to_string(), str::to_owned),
            stamp: Stamp::of(&(dataset.folder(), dataset.identity())),
            layers: layers.map(layer).collect(),
            dataset,
            cache_root,
            n_threads,
            cells: OnceLock::new(),
            genes: OnceLock::new(),
            last: Mutex::new(None),
        })
    }

    /// The dataset.
    pub fn dataset(&self) -> &Arc<Dataset> {
        &self.dataset
    }

    fn names(&self, names: Option<Vec<String>>, n: usize) -> Result<Names> {
        let kept = names.clone();
        let (entries, is_changed) = entries(names, n);
        let axis = Axis::new(entries).ok_or_else(|| {
            Error::limit(self.dataset.folder(), "more entries than an axis can have")
        })?;
        let original = kept.filter(|_| is_changed);
        Ok(Names {
            axis: Arc::new(axis),
            original: original.map(|names| Values::String(names.into_iter().collect())),
        })
    }

    fn cells(&self) -> Result<&Names> {
        if let Some(cells) = self.cells.get() {
            return Ok(cells);
        }
        let has_names = self.dataset.obs_fields()?.iter().any(is_names);
        let names = match has_names {
            true => Some(self.cell_names()?),
            false => None,
        };
        let cells = self.names(names, self.dataset.manifest().n_cells as usize)?;
        Ok(self.cells.get_or_init(|| cells))
    }

    fn cell_names(&self) -> Result<Vec<String>> {
        let (field, column) = self.read_obs(CELL_NAMES)?;
        match values(&field, column)? {
            Values::String(names) => Ok(names.iter().map(str::to_owned).collect()),
            other => {
                let kind = other.element_type();
                let problem = format!("the names of cells are {kind}, expected texts");
                Err(Error::unsupported(self.dataset.folder(), problem))
            }
        }
    }

    fn genes(&self) -> Result<&(Names, VarTable)> {
        if let Some(genes) = self.genes.get() {
            return Ok(genes);
        }
        let mut var = self.dataset.var()?;
        let names = self.names(var.names.take(), self.dataset.manifest().n_genes)?;
        Ok(self.genes.get_or_init(|| (names, var)))
    }

    fn read_obs(&self, column: &str) -> Result<(Field, Column)> {
        let columns = [column.to_owned()];
        let cache_root = self.cache_root.as_deref();
        let read =
            self.dataset
                .read_obs(&columns, Cells::All, cache_root, self.n_threads, &Unwatched);
        let read = match read {
            Err(_) if !self.dataset.is_current() => Err(Error::Stale {
                path: self.dataset.folder().to_owned(),
            }),
            read => read,
        };
        let mut table = read?;
        match (table.fields.pop(), table.columns.pop()) {
            (Some(field), Some(column)) => Ok((field, column)),
            _ => Err(Error::range(format!("there is no obs column '{column}'"))),
        }
    }

    /// The column of an axis.
    fn column(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        if is_hidden(name) || !self.has_axis(axis)? {
            return Ok(None);
        }
        if name == ORIGINAL_NAMES
            && let Some(original) = &self.names_of(axis)?.original
        {
            return Ok(Some(Vector::Dense(original.clone())));
        }
        if axis == GENE {
            let table = &self.genes()?.1.table;
            let columns = table.fields.iter().zip(&table.columns);
            let found = columns.into_iter().find(|(field, _)| field.name == name);
            return match found {
                Some((field, column)) => Ok(Some(Vector::Dense(values(field, column.clone())?))),
                None => Ok(None),
            };
        }
        let fields = self.dataset.obs_fields()?;
        if !fields
            .iter()
            .any(|field| field.name == name && !is_names(field))
        {
            return Ok(None);
        }
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, vector)) = last().as_ref().filter(|(known, _)| known == name) {
            return Ok(Some(vector.clone()));
        }
        let (field, column) = self.read_obs(name)?;
        let vector = Vector::Dense(values(&field, column)?);
        *last() = Some((name.to_owned(), vector.clone()));
        Ok(Some(vector))
    }

    fn names_of(&self, axis: &str) -> Result<&Names> {
        match axis {
            CELL => self.cells(),
            _ => Ok(&self.genes()?.0),
        }
    }

    fn layer(&self, rows: &str, columns: &str, name: &str) -> Option<&Arc<LayerMatrix>> {
        if (rows, columns) != (GENE, CELL) {
            return None;
        }
        let layers = &self.dataset.manifest().layers;
        let at = layers.iter().position(|layer| layer.name == name)?;
        self.layers.get(at)
    }
}

/// Whether the column holds the names of the cells.
fn is_names(field: &Field) -> bool {
    field.name == CELL_NAMES
}

/// Whether every axis has another vector of this name.
fn is_hidden(name: &str) -> bool {
    name == "name" || name == "index"
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
        Ok(vec![CELL.to_owned(), GENE.to_owned()])
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        let fields = match axis {
            CELL => self.dataset.obs_fields()?,
            GENE => &self.genes()?.1.table.fields,
            _ => return Err(missing_axis(&self.name, axis)),
        };
        let fields = fields
            .iter()
            .filter(|field| axis == GENE || !is_names(field));
        let names = fields.map(|field| field.name.clone());
        let mut names: Vec<String> = names.filter(|name| !is_hidden(name)).collect();
        if self.names_of(axis)?.original.is_some() {
            names.push(ORIGINAL_NAMES.to_owned());
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        for axis in [rows, columns] {
            if !self.has_axis(axis)? {
                return Err(missing_axis(&self.name, axis));
            }
        }
        if (rows, columns) != (GENE, CELL) {
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
        if !self.has_axis(axis)? {
            return Ok(None);
        }
        Ok(Some(Arc::clone(&self.names_of(axis)?.axis)))
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        self.column(axis, name)
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        match self.layer(rows, columns, name) {
            Some(layer) => layer.read(None, None, self.n_threads, &Unwatched).map(Some),
            None => Ok(None),
        }
    }

    fn find_streamed(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Result<Option<Arc<dyn StreamedMatrix>>> {
        let found = self.layer(rows, columns, name);
        Ok(found.map(|layer| Arc::clone(layer) as Arc<dyn StreamedMatrix>))
    }

    fn has_scalar(&self, _name: &str) -> Result<bool> {
        Ok(false)
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        Ok(axis == CELL || axis == GENE)
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        let fields = match axis {
            CELL => self.dataset.obs_fields()?,
            GENE => &self.genes()?.1.table.fields,
            _ => return Ok(false),
        };
        let is_column = |field: &Field| field.name == name && (axis == GENE || !is_names(field));
        Ok(!is_hidden(name) && fields.iter().any(is_column)
            || name == ORIGINAL_NAMES && self.names_of(axis)?.original.is_some())
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

    fn stamp(&self, of: &Dependency) -> Result<Stamp> {
        let is_there = match of {
            Dependency::Scalars | Dependency::Axes => true,
            Dependency::Scalar(_) => false,
            Dependency::Axis(axis) | Dependency::Vectors(axis) => self.has_axis(axis)?,
            Dependency::Vector(axis, name) => self.has_stored_vector(axis, name)?,
            Dependency::Matrices(rows, columns) => {
                self.has_axis(rows)? && self.has_axis(columns)?
            }
            Dependency::Matrix(rows, columns, name) => {
                self.has_stored_matrix(rows, columns, name)?
            }
        };
        Ok(if is_there { self.stamp } else { Stamp::ABSENT })
    }
}
