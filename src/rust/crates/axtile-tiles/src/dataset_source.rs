//! A dataset as a source of cells: to be written in another format or with
//! other tiles, or appended to another dataset.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use axtile_core::{Error, Result, Watch};
use axtile_table::{Column, Field, Kind, Table};

use crate::dataset::Dataset;
use crate::obs::Cells;
use crate::source::{CellBlock, CellSource, FloatBlock, LayerField};
use crate::tile::TileDecoder;
use crate::values::Values;
use crate::write::CELL_NAMES;
use crate::{Selection, SourcePart};

/// All of a dataset, its genes in the order in which it was opened.
pub struct DatasetSource {
    dataset: Arc<Dataset>,
    genes: Vec<String>,
    fields: Vec<Field>,
    has_names: bool,
}

impl DatasetSource {
    /// Reads the names of genes and columns. Genes without names are called
    /// gene1, gene2, ...
    ///
    /// # Errors
    /// `Error::Io` or `Error::Corrupt` if a file is missing or wrong,
    /// `Error::Unsupported` if cell names are no texts.
    pub fn new(dataset: Arc<Dataset>) -> Result<DatasetSource> {
        let genes = match dataset.gene_names()? {
            Some(names) => names,
            None => made_up_names(&dataset)?,
        };
        let mut fields = dataset.obs_fields()?.to_vec();
        let names = fields.iter().position(|field| field.name == CELL_NAMES);
        if let Some(at) = names {
            let field = fields.remove(at);
            if !matches!(field.kind, Kind::Text | Kind::Category { .. }) {
                let problem = format!("the cell names are {}", field.kind.describe());
                return Err(Error::unsupported(dataset.folder(), problem));
            }
        }
        Ok(DatasetSource {
            dataset,
            genes,
            fields,
            has_names: names.is_some(),
        })
    }

    /// Calls `each` for some cells in turn with the genes, and with values and where
    /// among them those of the genes are.
    fn each_cell(
        &self,
        layer: usize,
        cells: Range<u64>,
        mut each: impl FnMut(&[i32], &Values, Range<usize>),
    ) -> Result<()> {
        self.dataset.check_selection(Selection {
            layer,
            cells: &[cells.end.saturating_sub(1)],
            genes: None,
        })?;
        let order = self.dataset.gene_map()?;
        let mut decoder = TileDecoder::default();
        let mut next = cells.start;
        while next < cells.end {
            let (tile_idx, in_tile) = self.dataset.tile_of(next);
            let tile = self.dataset.open_tile(layer, tile_idx)?;
            let end = (cells.end - self.dataset.tile_start(tile_idx)).min(tile.n_cells() as u64);
            let wanted = in_tile..end as usize;
            let mut chunk = tile.file.chunk_of(in_tile);
            while chunk < tile.file.n_chunks() {
                let cells = tile.file.chunk(chunk).cells;
                if cells.start >= wanted.end {
                    break;
                }
                let decoded = self
                    .dataset
                    .decode_chunk(&tile, chunk, order, &mut decoder)?;
                for (cell, bounds) in cells.zip(decoded.starts.windows(2)) {
                    if wanted.contains(&cell) {
                        let range = bounds[0]..bounds[1];
                        each(&decoded.genes[range.clone()], &decoded.values, range);
                    }
                }
                chunk += 1;
            }
            next += wanted.len() as u64;
        }
        Ok(())
    }

    fn columns(&self, names: &[String], cells: Range<u64>) -> Result<Table> {
        let cells: Vec<u64> = cells.collect();
        self.dataset
            .read_obs(names, Cells::List(&cells), None, 1, &axtile_core::Unwatched)
    }
}

fn made_up_names(dataset: &Dataset) -> Result<Vec<String>> {
    let n_genes = dataset.manifest().n_genes;
    let mut names = Vec::new();
    // The manifest alone vouches for the number of genes.
    names.try_reserve_exact(n_genes).map_err(|_| {
        let problem = format!("no memory for the names of {n_genes} genes");
        Error::limit(dataset.folder(), problem)
    })?;
    names.extend((1..=n_genes).map(|number| format!("gene{number}")));
    Ok(names)
}

impl CellSource for DatasetSource {
    fn path(&self) -> &Path {
        self.dataset.folder()
    }

    fn n_cells(&self) -> u64 {
        self.dataset.manifest().n_cells
    }

    fn parts(&self) -> Vec<SourcePart> {
        vec![SourcePart {
            path: self.path().to_owned(),
            cells: 0..self.n_cells(),
        }]
    }

    fn genes(&self) -> &[String] {
        &self.genes
    }

    fn var(&self) -> Result<Table> {
        Ok(self.dataset.var()?.table)
    }

    fn layers(&self) -> Vec<LayerField> {
        let layers = self.dataset.manifest().layers.iter();
        layers
            .map(|layer| LayerField {
                name: layer.name.clone(),
                kind: layer.kind,
            })
            .collect()
    }

    fn dataset(&self) -> Option<&Dataset> {
        Some(&self.dataset)
    }

    fn obs_fields(&self) -> &[Field] {
        &self.fields
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        let names: Vec<String> = self.fields.iter().map(|field| field.name.clone()).collect();
        let n_rows = (cells.end - cells.start) as usize;
        let mut table = self.columns(&names, cells)?;
        table.n_rows = n_rows;
        Ok(table)
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        if !self.has_names {
            return Ok(None);
        }
        let first = cells.start;
        let table = self.columns(&[CELL_NAMES.to_owned()], cells)?;
        let names: Option<Vec<Option<String>>> = match (table.columns.first(), table.fields.first())
        {
            (Some(Column::Text(names)), _) => Some(names.clone()),
            (
                Some(Column::Category(codes)),
                Some(Field {
                    kind: Kind::Category { levels, .. },
                    ..
                }),
            ) => {
                let name = |&code: &i32| levels.get(usize::try_from(code).ok()?).cloned();
                Some(codes.iter().map(name).collect())
            }
            _ => None,
        };
        let names = names.unwrap_or_default();
        if let Some(at) = names.iter().position(Option::is_none) {
            let cell = first + at as u64 + 1;
            let problem = format!("the name of cell number {cell} is missing");
            return Err(Error::unsupported(self.path(), problem));
        }
        Ok(Some(names.into_iter().flatten().collect()))
    }

    fn prepare(&mut self, _cuts: &[u64], _scratch: &Path, _watch: &dyn Watch) -> Result<()> {
        if self.dataset.is_current() {
            return Ok(());
        }
        Err(Error::Stale {
            path: self.path().to_owned(),
        })
    }

    fn counts(&self, layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        let mut block = CellBlock {
            starts: vec![0],
            ..CellBlock::default()
        };
        self.each_cell(layer, cells, |genes, values, range| {
            if let Values::Counts(counts) = values {
                // Genes and counts are not negative.
                block.genes.extend(genes.iter().map(|&gene| gene as u32));
                block
                    .counts
                    .extend(counts[range].iter().map(|&count| count as u32));
            }
            block.starts.push(block.genes.len());
        })?;
        Ok(block)
    }

    fn floats(&self, layer: usize, cells: Range<u64>) -> Result<FloatBlock> {
        let mut block = FloatBlock {
            starts: vec![0],
            ..FloatBlock::default()
        };
        self.each_cell(layer, cells, |genes, values, range| {
            if let Values::Floats(values) = values {
                block.genes.extend(genes.iter().map(|&gene| gene as u32));
                block.values.extend_from_slice(&values[range]);
            }
            block.starts.push(block.genes.len());
        })?;
        Ok(block)
    }
}
