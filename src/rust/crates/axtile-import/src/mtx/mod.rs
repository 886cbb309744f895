//! Matrix Market files: 10x Genomics' folders of `matrix.mtx`, `barcodes.tsv`
//! and `features.tsv` or `genes.tsv`, gzipped or not, also with one prefix for
//! the three, as public archives name them; and bare `.mtx` files.

mod lines;
mod matrix;
mod tables;

use std::ops::Range;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result, Watch};
use axtile_table::{Field, Table};
use axtile_tiles::{CellBlock, CellSource};

use crate::h5ad::gene_label;
use crate::options::{ImportOptions, Orientation};
use crate::range::check_cells;
use crate::spill::{DEFAULT_SPILL_BYTES, SortProgress, Spill, SpillWriter};
use crate::value::Value;
use matrix::Entries;
use tables::{Features, read_features, read_names};

pub(crate) use matrix::BANNER;

/// Genes of a bare file, which names none, get names made up here.
const MAX_NAMELESS_GENES: u64 = 1 << 24;

/// Cells of a bare file: so many in any case, more if the file is long enough
/// for counts of them all.
const MAX_EMPTY_CELLS: u64 = 1 << 24;

/// Deflate's limit, and the shortest line of an entry.
const MAX_EXPANSION: u64 = 1032;
const MIN_ENTRY_LEN: u64 = 4;

/// How often the watch is asked, in entries.
const WATCH_STEP: u64 = 1 << 16;

/// An open Matrix Market file or folder.
pub struct Mtx {
    path: PathBuf,
    matrix: PathBuf,
    n_cells: u64,
    cells: Option<Vec<String>>,
    features: Features,
    orientation: Orientation,
    spill_bytes: usize,
    spill: Option<Spill<u32>>,
}

impl Mtx {
    /// Opens the folder or `.mtx` file `path`; no counts are read yet. A file
    /// with barcodes and features beside it is read with them.
    ///
    /// # Errors
    /// `Error::Io`, `Error::Corrupt` with the line, `Error::Unsupported` if there
    /// is no matrix or several, or if it is not in coordinate format.
    pub fn open(path: &Path, options: &ImportOptions) -> Result<Mtx> {
        let matrix = if path.is_dir() {
            find_matrix(path)?
        } else {
            path.to_owned()
        };
        let entries = Entries::open(&matrix)?;
        let (n_genes, n_cells) = match options.orientation {
            Orientation::GenesByCells => (entries.n_rows, entries.n_columns),
            Orientation::CellsByGenes => (entries.n_columns, entries.n_rows),
        };
        let cells = match beside(&matrix, &["barcodes.tsv"]) {
            Some(path) => {
                let names = read_names(&path)?;
                check_len(&path, names.len(), n_cells, "cells")?;
                Some(names)
            }
            None => {
                check_nameless_cells(&matrix, n_cells)?;
                None
            }
        };
        let features = match beside(&matrix, &["features.tsv", "genes.tsv"]) {
            Some(path) => {
                let features = read_features(&path, options.gene_names, &options.var_exclude)?;
                check_len(&path, features.genes.len(), n_genes, "genes")?;
                features
            }
            None => nameless(&matrix, n_genes)?,
        };
        Ok(Mtx {
            path: path.to_owned(),
            matrix,
            n_cells,
            cells,
            features,
            orientation: options.orientation,
            spill_bytes: options.spill_bytes.unwrap_or(DEFAULT_SPILL_BYTES),
            spill: None,
        })
    }
}

/// What comes before `matrix.mtx` in a file name, `None` if it is not called so.
fn prefix(name: &str) -> Option<&str> {
    name.strip_suffix(".gz")
        .unwrap_or(name)
        .strip_suffix("matrix.mtx")
}

fn find_matrix(folder: &Path) -> Result<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io("open", folder))? {
        let name = entry.map_err(Error::io("read", folder))?.file_name();
        let name = name.to_string_lossy().into_owned();
        if prefix(&name).is_some() {
            found.push(name);
        }
    }
    found.sort();
    match found.as_slice() {
        [only] => Ok(folder.join(only)),
        [] => Err(Error::unsupported(
            folder,
            "a folder without matrix.mtx or matrix.mtx.gz",
        )),
        several => Err(Error::unsupported(
            folder,
            format!("several matrices: {}; name one of them", several.join(", ")),
        )),
    }
}

/// The file beside `matrix` with one of `names` and the same prefix.
fn beside(matrix: &Path, names: &[&str]) -> Option<PathBuf> {
    let prefix = prefix(matrix.file_name()?.to_str()?)?.to_owned();
    let candidates = names
        .iter()
        .flat_map(|name| [format!("{prefix}{name}"), format!("{prefix}{name}.gz")]);
    candidates
        .map(|name| matrix.with_file_name(name))
        .find(|path| path.is_file())
}

fn check_len(path: &Path, n: usize, expected: u64, what: &str) -> Result<()> {
    if n as u64 == expected {
        return Ok(());
    }
    Err(Error::corrupt(
        path,
        format!("line {n}"),
        format!("{n} lines for the matrix's {expected} {what}"),
    ))
}

fn check_nameless_cells(matrix: &Path, n_cells: u64) -> Result<()> {
    let metadata = std::fs::metadata(matrix).map_err(Error::io("inspect", matrix))?;
    let most = metadata.len().saturating_mul(MAX_EXPANSION) / MIN_ENTRY_LEN;
    if n_cells <= most.max(MAX_EMPTY_CELLS) {
        return Ok(());
    }
    Err(Error::limit(
        matrix,
        format!(
            "'{}' has {} bytes and claims {n_cells} cells",
            matrix.display(),
            metadata.len()
        ),
    ))
}

fn nameless(matrix: &Path, n_genes: u64) -> Result<Features> {
    if n_genes > MAX_NAMELESS_GENES {
        return Err(Error::limit(
            matrix,
            format!(
                "'{}' has {n_genes} genes and no names; at most {MAX_NAMELESS_GENES} are named here",
                matrix.display()
            ),
        ));
    }
    Ok(Features {
        genes: (1..=n_genes)
            .map(|number| format!("gene_{number}"))
            .collect(),
        var: Table {
            n_rows: n_genes as usize,
            ..Table::default()
        },
    })
}

impl CellSource for Mtx {
    fn path(&self) -> &Path {
        &self.path
    }

    fn n_cells(&self) -> u64 {
        self.n_cells
    }

    fn genes(&self) -> &[String] {
        &self.features.genes
    }

    fn var(&self) -> Result<Table> {
        Ok(self.features.var.clone())
    }

    fn obs_fields(&self) -> &[Field] {
        &[]
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        check_cells(&self.path, &cells, self.n_cells)?;
        Ok(Table {
            n_rows: (cells.end - cells.start) as usize,
            ..Table::default()
        })
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        check_cells(&self.path, &cells, self.n_cells)?;
        let names = self.cells.as_ref();
        // As many names as cells, see `open`.
        Ok(names.and_then(|names| {
            Some(
                names
                    .get(cells.start as usize..cells.end as usize)?
                    .to_vec(),
            )
        }))
    }

    fn prepare_work(&self) -> u64 {
        self.n_cells
    }

    fn prepare(&mut self, cuts: &[u64], scratch: &Path, watch: &dyn Watch) -> Result<()> {
        let mut writer = SpillWriter::create(cuts, scratch, self.spill_bytes)?;
        let mut entries = Entries::open(&self.matrix)?;
        let mut progress = SortProgress::new(watch, self.n_cells, entries.n_entries());
        let mut n = 0u64;
        while let Some(entry) = entries.next()? {
            let (gene, cell) = match self.orientation {
                Orientation::GenesByCells => (entry.row, entry.column),
                Orientation::CellsByGenes => (entry.column, entry.row),
            };
            // There are as many genes as names, far fewer than 2^32 fit in memory.
            let gene = gene as u32;
            match entry.count {
                Ok(count) => writer.push(cell, gene, count)?,
                Err(value) => {
                    let value = String::from_utf8_lossy(value).into_owned();
                    return Err(Error::Value {
                        path: self.matrix.clone(),
                        cell: self.cell_label(cell),
                        gene: gene_label(&self.features.genes, gene),
                        value: format!("{value} (line {})", entries.line()),
                        expected: u32::EXPECTED.to_owned(),
                    });
                }
            }
            n += 1;
            if n.is_multiple_of(WATCH_STEP) {
                progress.reach(n)?;
            }
        }
        progress.reach(n)?;
        self.spill = Some(writer.finish()?);
        Ok(())
    }

    fn counts(&self, _layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        check_cells(&self.path, &cells, self.n_cells)?;
        match &self.spill {
            Some(spill) => spill.cells(cells).map(CellBlock::from),
            None => Err(Error::argument(format!(
                "'{}' is not sorted by cell and must be prepared first",
                self.path.display()
            ))),
        }
    }
}
