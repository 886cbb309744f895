//! Writing datasets: tiles in parallel, then obs, var and, last of all, the
//! manifest, in a folder that takes its name when it is whole.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use axtile_codec::deltacells::{CellRows, Tile, TileHeader, assemble, cut_chunks, encode_chunk};
use axtile_core::{Error, Result, Watch};
use axtile_store::{Map, StageMode, StagedFolder, sync_folder, write_file};
use axtile_table::{Column, Field, Kind, Table};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::checks::{check_source, check_text, check_texts};
use crate::dataset::tile_path;
use crate::gene_map::{CellSorter, GeneMap};
use crate::manifest::{Manifest, is_dataset};
use crate::obs::{ObsSection, ObsWriter};
use crate::resume::ResumeNote;
use crate::rows::tile_rows;
use crate::sort::{add_totals, evenly_spaced, order_by_totals};
use crate::source::{CellBlock, CellSource, SourcePart};
use crate::threads::on_threads;
use crate::var::{VarTable, write_gene_order, write_var, write_var_names};

/// The obs column that holds the names of the cells.
pub const CELL_NAMES: &str = "obs_names";

/// How a dataset is written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// Cells a tile.
    pub tile_size: u64,
    /// Chunks a tile, at most: what can be decoded in parallel.
    pub n_chunks: usize,
    /// zstd level.
    pub level: i32,
    /// Whether to store genes by decreasing totals.
    pub sort_genes: bool,
    /// How many files to take the totals from; `None` for all.
    pub sort_genes_max_files: Option<usize>,
    /// Tiles an obs shard.
    pub obs_tiles_per_file: u32,
    /// All that was chosen about the source, as text: a write is resumed only
    /// where this is the same.
    pub source_choices: String,
    /// Replace an earlier dataset of that name.
    pub overwrite: bool,
    /// Go on with what an unfinished attempt left, and leave it if this fails.
    pub resume: bool,
    /// Worker threads.
    pub n_threads: usize,
}

/// The range of cells of every tile.
fn tile_ranges(n_cells: u64, tile_size: u64) -> Vec<Range<u64>> {
    (0..n_cells.div_ceil(tile_size))
        .map(|tile| tile * tile_size..((tile + 1) * tile_size).min(n_cells))
        .collect()
}

/// How many cells the watch will hear of in all.
pub fn work_of(source: &dyn CellSource, options: &WriteOptions) -> u64 {
    let passes = if options.sort_genes { 2 } else { 1 };
    source.prepare_work() + source.n_cells() * passes
}

/// Writes all cells of `source` to a new dataset at `target`.
///
/// Cells keep their order. Repeated genes of a cell are added up and zeros
/// dropped. The result does not depend on the number of threads. Memory: the
/// counts of about two tiles a thread, besides what the source needs.
///
/// # Errors
/// `Error::Exists`, `Error::Value` or `Error::Limit` for counts, genes or
/// cells that the format cannot hold, `Error::Io`, `Error::Interrupted`. The
/// target is then what it was.
pub fn write_dataset(
    target: &Path,
    source: &mut dyn CellSource,
    options: &WriteOptions,
    watch: &dyn Watch,
) -> Result<()> {
    check_source(source, options)?;
    let mode = StageMode {
        overwrite: options.overwrite,
        resume: options.resume,
    };
    let staged = StagedFolder::create(target, mode, is_dataset)?;
    let note = ResumeNote::of(source, options)?;
    if !(options.resume && note.is_in(staged.path())) {
        note.start(staged.path())?;
    }

    let tiles = tile_ranges(source.n_cells(), options.tile_size);
    let scratch = staged.path().join("scratch");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(Error::io("remove", &scratch))?;
    }
    make_folder(&scratch)?;
    make_folder(&staged.path().join("tiles"))?;
    let mut cuts: Vec<u64> = tiles.iter().map(|cells| cells.start).collect();
    cuts.push(source.n_cells());
    source.prepare(&cuts, &scratch, watch)?;

    let writer = Writer {
        source,
        options,
        watch,
        tiles,
        folder: staged.path(),
        blocks: Mutex::default(),
    };
    on_threads(options.n_threads, || writer.write())?;
    fs::remove_dir_all(&scratch).map_err(Error::io("remove", &scratch))?;
    ResumeNote::remove(staged.path())?;
    staged.commit()
}

fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(Error::io("create", path))
}

/// A dataset in the making.
struct Writer<'a> {
    source: &'a dyn CellSource,
    options: &'a WriteOptions,
    watch: &'a dyn Watch,
    tiles: Vec<Range<u64>>,
    folder: &'a Path,
    /// Tiles read for the totals and kept for encoding, one a thread at most.
    blocks: Mutex<HashMap<usize, CellBlock>>,
}

/// What the manifest says of a tile.
struct TileFacts {
    nnz: u64,
    n_bytes: u64,
}

impl Writer<'_> {
    fn write(&self) -> Result<()> {
        let parts = self.source.parts();
        let sort_parts = if self.options.sort_genes {
            evenly_spaced(parts.len(), self.options.sort_genes_max_files)
        } else {
            Vec::new()
        };
        let order = self.gene_order(&parts, &sort_parts)?;
        // Names and annotations first: what is wrong with them comes to light
        // before the long work.
        self.write_var(order.as_deref())?;
        let obs = self.write_obs()?;
        let facts = self.write_tiles(order.as_deref())?;
        for folder in ["tiles", "obs"] {
            let folder = self.folder.join(folder);
            if folder.is_dir() {
                sync_folder(&folder)?;
            }
        }
        let manifest = Manifest {
            n_cells: self.source.n_cells(),
            n_genes: self.source.genes().len(),
            tile_size: self.options.tile_size,
            tile_cells: self
                .tiles
                .iter()
                .map(|cells| cells.end - cells.start)
                .collect(),
            tile_nnz: facts.iter().map(|tile| tile.nnz).collect(),
            tile_bytes: facts.iter().map(|tile| tile.n_bytes).collect(),
            n_chunks: self.options.n_chunks as u64,
            zstd_level: self.options.level.into(),
            has_gene_order: order.is_some(),
            has_var_names: true,
            has_var_table: true,
            obs,
            metadata: self.metadata(&parts, sort_parts.len()),
        };
        manifest.write(self.folder)
    }

    /// Stored gene j is source gene `order[j]`; `None` to keep the order.
    fn gene_order(&self, parts: &[SourcePart], sort_parts: &[usize]) -> Result<Option<Vec<u32>>> {
        if !self.options.sort_genes {
            return Ok(None);
        }
        if let Some(order) = ResumeNote::gene_order(self.folder, self.source.genes().len())? {
            self.watch.advance(self.source.n_cells());
            return Ok(Some(order));
        }
        let chosen = || sort_parts.iter().filter_map(|&part| parts.get(part));
        let is_chosen = |cell: u64| chosen().any(|part| part.cells.contains(&cell));
        let overlap = |part: &SourcePart, cells: &Range<u64>| {
            let (start, end) = (
                part.cells.start.max(cells.start),
                part.cells.end.min(cells.end),
            );
            end.saturating_sub(start)
        };
        let n_genes = self.source.genes().len();
        let totals = self
            .tiles
            .par_iter()
            .enumerate()
            .map(|(tile, cells)| {
                self.watch.check()?;
                let mut totals = vec![0.0; n_genes];
                let n_chosen: u64 = chosen().map(|part| overlap(part, cells)).sum();
                if n_chosen > 0 {
                    let mut block = self.source.counts(cells.clone())?;
                    if n_chosen == cells.end - cells.start {
                        add_totals(&mut totals, &block, self.source.path())?;
                        self.keep(tile, block);
                    } else {
                        block = chosen_cells(&block, cells.start, is_chosen);
                        add_totals(&mut totals, &block, self.source.path())?;
                    }
                }
                self.watch.advance(cells.end - cells.start);
                Ok(totals)
            })
            // Sums of whole numbers below 2^53 are exact in any order.
            .try_reduce(
                || vec![0.0; n_genes],
                |mut sums, totals| {
                    for (sum, total) in sums.iter_mut().zip(totals) {
                        *sum += total;
                    }
                    Ok(sums)
                },
            )?;
        let order = order_by_totals(&totals);
        write_gene_order(self.folder, &order)?;
        ResumeNote::mark_gene_order(self.folder)?;
        Ok(Some(order))
    }

    fn keep(&self, tile: usize, block: CellBlock) {
        let mut blocks = self
            .blocks
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        if blocks.len() < self.options.n_threads {
            blocks.insert(tile, block);
        }
    }

    fn block(&self, tile: usize) -> Result<CellBlock> {
        let kept = self
            .blocks
            .lock()
            .unwrap_or_else(|broken| broken.into_inner())
            .remove(&tile);
        match kept {
            Some(block) => Ok(block),
            None => self.source.counts(self.tiles[tile].clone()),
        }
    }

    fn write_tiles(&self, order: Option<&[u32]>) -> Result<Vec<TileFacts>> {
        let map = order.map(|order| {
            let mut stored_of_source = vec![0; order.len()];
            for (stored, &source) in order.iter().enumerate() {
                stored_of_source[source as usize] = stored as u16;
            }
            GeneMap::new(stored_of_source.into_iter())
        });
        let mut facts = Vec::with_capacity(self.tiles.len());
        let all: Vec<usize> = (0..self.tiles.len()).collect();
        // As many tiles at a time as there are threads: inside a tile, chunks
        // are compressed in parallel too.
        for batch in all.chunks(self.options.n_threads) {
            let written: Result<Vec<TileFacts>> = batch
                .par_iter()
                .map(|&tile| self.write_tile(tile, map.as_ref()))
                .collect();
            facts.extend(written?);
        }
        Ok(facts)
    }

    fn write_tile(&self, tile: usize, map: Option<&GeneMap>) -> Result<TileFacts> {
        self.watch.check()?;
        let cells = &self.tiles[tile];
        let n_cells = cells.end - cells.start;
        let n_genes = self.source.genes().len();
        let path = tile_path(self.folder, tile);
        if self.options.resume
            && let Some(facts) = finished_tile(&path, n_cells, n_genes)
        {
            self.watch.advance(n_cells);
            return Ok(facts);
        }
        let block = self.block(tile)?;
        let rows = tile_rows(
            self.source,
            cells.start,
            &block,
            map,
            n_genes,
            &mut CellSorter::new(),
        )?;
        drop(block);
        let bytes = self.encode(&rows, n_genes)?;
        write_file(&path, &bytes)?;
        self.watch.advance(n_cells);
        Ok(TileFacts {
            nnz: rows.nnz() as u64,
            n_bytes: bytes.len() as u64,
        })
    }

    fn encode(&self, rows: &CellRows, n_genes: usize) -> Result<Vec<u8>> {
        let chunks = cut_chunks(&rows.starts, self.options.n_chunks);
        let frames = chunks
            .par_iter()
            .map(|cells| {
                self.watch.check()?;
                encode_chunk(rows, cells.clone(), self.options.level)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(assemble(rows, n_genes, &chunks, &frames))
    }

    fn write_obs(&self) -> Result<Option<ObsSection>> {
        let has_names = self.source.cell_names(0..1)?.is_some();
        let mut fields = self.source.obs_fields().to_vec();
        if has_names {
            fields.push(Field {
                name: CELL_NAMES.to_owned(),
                kind: Kind::Text,
            });
        }
        if fields.is_empty() {
            return Ok(None);
        }
        let mut writer = ObsWriter::create(self.folder, &fields, self.options.obs_tiles_per_file)?;
        for cells in &self.tiles {
            self.watch.check()?;
            let mut table: Table = self.source.obs(cells.clone())?;
            check_texts(&table, self.source.path())?;
            if has_names {
                let names = self.source.cell_names(cells.clone())?.unwrap_or_default();
                names
                    .iter()
                    .try_for_each(|name| check_text(name, "a cell name", self.source.path()))?;
                table
                    .columns
                    .push(Column::Text(names.into_iter().map(Some).collect()));
                table.fields = fields.clone();
            }
            writer.write_tile(&table)?;
        }
        let tile_cells: Vec<u64> = self
            .tiles
            .iter()
            .map(|cells| cells.end - cells.start)
            .collect();
        writer.finish(&tile_cells).map(Some)
    }

    fn write_var(&self, order: Option<&[u32]>) -> Result<()> {
        let names = self.source.genes().to_vec();
        let mut table = self.source.var()?;
        check_texts(&table, self.source.path())?;
        if table.columns.is_empty() {
            table.n_rows = names.len();
        }
        let mut var = VarTable {
            names: Some(names),
            index_name: None,
            table,
        };
        if let Some(order) = order {
            var = var.permuted(order);
        }
        write_var_names(self.folder, var.names.as_deref().unwrap_or_default())?;
        write_var(self.folder, &var)
    }

    fn metadata(&self, parts: &[SourcePart], n_sort_files: usize) -> Value {
        let name = |part: Option<&SourcePart>| {
            part.and_then(|part| part.path.file_name())
                .map(|name| name.to_string_lossy().into_owned())
        };
        let ordered: Vec<&str> = self
            .source
            .obs_fields()
            .iter()
            .filter(|field| matches!(field.kind, Kind::Category { ordered: true, .. }))
            .map(|field| field.name.as_str())
            .collect();
        json!({
            "source": format!("axtile {}", env!("CARGO_PKG_VERSION")),
            "n_source_files": parts.len(),
            "first_file": name(parts.first()),
            "last_file": name(parts.last()),
            "sort_genes": self.options.sort_genes,
            "sort_genes_n_files": n_sort_files,
            "axtile": { "ordered": ordered },
        })
    }
}

/// Names of the obs columns whose levels are ordered: the one thing about
/// factors that the format has no place for.
pub(crate) fn ordered_columns(metadata: &Value) -> Vec<String> {
    metadata["axtile"]["ordered"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

/// The cells of `block` that `is_chosen` wants; `first` is the first one's number.
fn chosen_cells(block: &CellBlock, first: u64, is_chosen: impl Fn(u64) -> bool) -> CellBlock {
    let mut chosen = CellBlock {
        starts: vec![0],
        ..CellBlock::default()
    };
    for cell in (0..block.n_cells()).filter(|&cell| is_chosen(first + cell as u64)) {
        let (genes, counts) = block.cell(cell);
        chosen.genes.extend(genes);
        chosen.counts.extend(counts);
        chosen.starts.push(chosen.genes.len());
    }
    chosen
}

/// A tile that an earlier attempt finished, if it is whole.
fn finished_tile(path: &Path, n_cells: u64, n_genes: usize) -> Option<TileFacts> {
    let tile = Tile::parse(Map::open(path).ok()?).ok()?;
    let header: &TileHeader = tile.header();
    let fits = header.n_cells == n_cells && tile.n_genes() == n_genes;
    fits.then_some(TileFacts {
        nnz: header.nnz,
        n_bytes: header.total_size,
    })
}
