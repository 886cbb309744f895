//! Writing datasets: obs and var, then tiles in parallel and, last of all, the
//! manifest, in a folder that takes its name when it is whole.

mod annotations;
mod checks;
mod copy;
mod genes;
mod resume;
mod rows;
mod sort;
mod tiles;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use axtile_codec::{deltacells, grid};
use axtile_core::{Error, Result, Watch};
use axtile_store::{StageMode, StagedFolder, sync_folder};

use crate::manifest::{FileEntry, FileFacts, Format, Manifest, is_dataset, tiles_folder};
use crate::source::{CellSource, LayerField};
use crate::threads::on_threads;
use resume::ResumeNote;

pub(crate) use annotations::{metadata, obs_fields, ordered_columns, write_obs};
pub(crate) use checks::check_source;
pub(crate) use genes::KeptBlocks;
pub(crate) use tiles::TileWriter;

/// The obs column that holds the names of the cells.
pub const CELL_NAMES: &str = "obs_names";

/// The format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// deltacells, version 1.
    Deltacells {
        /// Chunks a tile, at most: what can be decoded in parallel.
        n_chunks: usize,
        /// zstd level.
        level: i32,
    },
    /// axtile, version 1.
    Axtile {
        /// Clusters of cells in each tile, each with its own order of genes: 8
        /// make tiles a few percent smaller and take twice as long to write.
        /// What is read in stored order has to be sorted then; else reading is
        /// as quick.
        n_clusters: usize,
    },
}

impl Default for DatasetFormat {
    fn default() -> DatasetFormat {
        DatasetFormat::AXTILE
    }
}

impl DatasetFormat {
    /// axtile with one cluster.
    pub const AXTILE: DatasetFormat = DatasetFormat::Axtile { n_clusters: 1 };

    /// The name and version, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            DatasetFormat::Deltacells { .. } => "the deltacells format, version 1,",
            DatasetFormat::Axtile { .. } => "the axtile format, version 1,",
        }
    }

    fn max_genes(self) -> usize {
        match self {
            DatasetFormat::Deltacells { .. } => deltacells::MAX_GENES,
            DatasetFormat::Axtile { .. } => grid::MAX_GENES,
        }
    }

    fn max_count(self) -> u32 {
        match self {
            DatasetFormat::Deltacells { .. } => deltacells::MAX_COUNT,
            DatasetFormat::Axtile { .. } => grid::MAX_COUNT,
        }
    }

    /// As the manifest has it.
    pub(crate) fn of_manifest(self) -> Format {
        match self {
            DatasetFormat::Deltacells { n_chunks, level } => Format::Deltacells {
                n_chunks: n_chunks as u64,
                zstd_level: level.into(),
            },
            DatasetFormat::Axtile { .. } => Format::Axtile,
        }
    }

    /// What the manifest says of a file that is on the disk.
    fn entry(self, path: &Path) -> Result<FileEntry> {
        match self {
            DatasetFormat::Deltacells { .. } => Ok(FileEntry::Unchecked),
            DatasetFormat::Axtile { .. } => FileFacts::of(path).map(FileEntry::Checked),
        }
    }
}

/// How a dataset is written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The format.
    pub format: DatasetFormat,
    /// Cells a tile. A dataset that is written anew with the tile size that it
    /// has keeps its tiles.
    pub tile_size: u64,
    /// Whether to store genes by decreasing totals of the first layer. A dataset
    /// that is written anew keeps the order that it has.
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
pub(crate) fn tile_ranges(n_cells: u64, tile_size: u64) -> Vec<Range<u64>> {
    (0..n_cells.div_ceil(tile_size))
        .map(|tile| tile * tile_size..((tile + 1).saturating_mul(tile_size)).min(n_cells))
        .collect()
}

/// How many cells the watch will hear of in all.
pub fn work_of(source: &dyn CellSource, options: &WriteOptions) -> u64 {
    let sorts = options.sort_genes && !genes::keeps_order(source, options);
    let passes = source.layers().len() as u64 + u64::from(sorts);
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
/// cells that the format cannot hold, `Error::Unsupported` for layers that it
/// cannot, `Error::Io`, `Error::Interrupted`. The target is then what it was.
pub fn write_dataset(
    target: &Path,
    source: &mut dyn CellSource,
    options: &WriteOptions,
    watch: &dyn Watch,
) -> Result<()> {
    checks::check_options(source, options)?;
    let mode = StageMode {
        overwrite: options.overwrite,
        resume: options.resume,
    };
    let staged = StagedFolder::create(target, mode, is_dataset)?;
    let note = ResumeNote::of(source, options)?;
    if !(options.resume && note.is_in(staged.path())) {
        note.start(staged.path())?;
    }

    let tiles = copy::kept_tiles(source, options)
        .unwrap_or_else(|| tile_ranges(source.n_cells(), options.tile_size));
    let scratch = Scratch::create(staged.path())?;
    for layer in 0..source.layers().len() {
        let folder = tiles_folder(options.format.of_manifest(), layer);
        make_folder(&staged.path().join(folder))?;
    }
    source.prepare(&cuts(&tiles), scratch.path(), watch)?;

    let writer = Writer {
        source,
        layers: source.layers(),
        options,
        watch,
        tiles,
        folder: staged.path(),
        blocks: KeptBlocks::new(options.n_threads),
    };
    on_threads(options.n_threads, || writer.write())?;
    scratch.remove()?;
    ResumeNote::remove(staged.path())?;
    staged.commit()
}

/// Where tiles begin, and the end of the last one.
pub(crate) fn cuts(tiles: &[Range<u64>]) -> Vec<u64> {
    let starts = tiles.iter().map(|cells| cells.start);
    starts.chain(tiles.last().map(|cells| cells.end)).collect()
}

fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(Error::io("create", path))
}

/// The folder in which a source sorts, in the one that is being written to.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// The folder's name.
    pub(crate) const NAME: &str = "scratch";

    /// Makes the folder anew.
    pub(crate) fn create(folder: &Path) -> Result<Scratch> {
        let scratch = Scratch(folder.join(Scratch::NAME));
        scratch.remove_if_there()?;
        make_folder(&scratch.0)?;
        Ok(scratch)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn remove(self) -> Result<()> {
        self.remove_if_there()
    }

    fn remove_if_there(&self) -> Result<()> {
        if !self.0.exists() {
            return Ok(());
        }
        fs::remove_dir_all(&self.0).map_err(Error::io("remove", &self.0))
    }
}

/// A dataset in the making.
struct Writer<'a> {
    source: &'a dyn CellSource,
    layers: Vec<LayerField>,
    options: &'a WriteOptions,
    watch: &'a dyn Watch,
    tiles: Vec<Range<u64>>,
    folder: &'a Path,
    blocks: KeptBlocks,
}

impl Writer<'_> {
    fn write(&self) -> Result<()> {
        let format = self.options.format;
        let genes = self.gene_plan()?;
        // Names and annotations first: what is wrong with them comes to light
        // before the long work.
        let (var_names, var_table) = self.var(&genes)?;
        let obs_parts = self.obs()?;
        let layers = TileWriter {
            source: self.source,
            layers: &self.layers,
            format,
            folder: self.folder,
            first_tile: 0,
            tiles: &self.tiles,
            stored_of_source: genes.stored_of_source(),
            resume: self.options.resume,
            n_threads: self.options.n_threads,
            watch: self.watch,
        }
        .write(&self.blocks)?;
        for folder in ["layers", "obs"] {
            let folder = self.folder.join(folder);
            if folder.is_dir() {
                sync_folder(&folder)?;
            }
        }
        let tile_cells = self.tiles.iter().map(|cells| cells.end - cells.start);
        let manifest = Manifest {
            format: format.of_manifest(),
            n_cells: self.source.n_cells(),
            n_genes: self.source.genes().len(),
            tile_size: self.options.tile_size,
            tile_cells: tile_cells.collect(),
            layers,
            gene_order: genes.file,
            var_names,
            var_table,
            obs_parts,
            metadata: metadata(self.source, &genes),
        };
        manifest.write(self.folder)
    }
}
