//! Tiles of a dataset as mapped matrices: decoded once, then only mapped.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axtile_core::{Error, Result, Watch};
use axtile_mapped::{Checksum, MappedMatrix, MatrixParts, write_matrix};
use axtile_store::{FileLock, Map};
use axtile_table::Column;
use axtile_tiles::{Cells, Dataset, GeneOrder, OpenTile, cache_root, read_gene_order};
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::guard::guard;
use crate::mapped;
use crate::watch::watched;

/// Between two attempts to take a lock.
const LOCK_WAIT: Duration = Duration::from_millis(50);

/// The obs column with the names of cells.
const CELL_NAMES: &str = "obs_names";

/// Where a tile is to be, and what it is made from.
struct Place {
    folder: PathBuf,
    tile_idx: usize,
    source: String,
}

impl Place {
    fn of(arguments: &Arguments, dataset: &Dataset) -> Result<(Place, Arc<OpenTile>)> {
        let tile_idx = (arguments.count("tile")? as usize).saturating_sub(1);
        let layer = arguments.layer(dataset)?;
        let tile = dataset.open_tile(layer, tile_idx)?;
        let mut root = root(arguments, dataset)?;
        if layer > 0 {
            root.push(format!("layer_{}", layer + 1));
        }
        let place = Place {
            folder: root.join(format!("tile_{:06}", tile_idx + 1)),
            tile_idx,
            source: source_of(dataset, &tile)?,
        };
        Ok((place, tile))
    }

    /// What is there.
    ///
    /// # Errors
    /// If it is no mapped matrix, or a damaged one.
    fn find(&self) -> Result<Found> {
        match MappedMatrix::open(&self.folder) {
            Ok(matrix) if matrix.header.source.as_ref() == Some(&self.source) => {
                Ok(Found::Tile(Box::new(matrix)))
            }
            Ok(_) => Ok(Found::Other),
            Err(_) if fs::symlink_metadata(&self.folder).is_err() => Ok(Found::Nothing),
            Err(error) => Err(error),
        }
    }
}

/// What a tile's place holds.
enum Found {
    Nothing,
    /// A matrix that is not the tile, or not in that order of genes.
    Other,
    Tile(Box<MappedMatrix>),
}

/// The folder of all materialised tiles of a dataset: the argument `root`, or
/// else one in the cache that is named after the dataset and its gene order.
fn root(arguments: &Arguments, dataset: &Dataset) -> Result<PathBuf> {
    if !arguments.is_null("root") {
        return arguments.path("root");
    }
    let cache = cache_root(arguments.cache_root()?.as_deref()).ok_or_else(|| {
        Error::argument("no place for a cache: set options(axtile.cache_dir) or give a path")
    })?;
    let order = order_name(dataset);
    Ok(cache
        .join("mapped")
        .join(format!("{}-{order}", dataset.identity())))
}

fn order_name(dataset: &Dataset) -> &'static str {
    match dataset.gene_order() {
        GeneOrder::Source => "source",
        GeneOrder::Stored => "stored",
    }
}

/// What tells a tile from every other: the manifest does not change with every
/// count, nor with the order and the names of genes.
fn source_of(dataset: &Dataset, tile: &OpenTile) -> Result<String> {
    let manifest = dataset.manifest();
    let mut checksum = Checksum::new();
    let place = format!(
        "{} {} {} {}\n",
        dataset.identity(),
        order_name(dataset),
        tile.layer,
        tile.idx
    );
    checksum.add(place.as_bytes());
    checksum.add(&Map::open(tile.path())?);
    if manifest.gene_order.is_there() {
        for gene in read_gene_order(dataset.folder(), manifest.n_genes)? {
            checksum.add(&gene.to_le_bytes());
        }
    }
    for name in dataset.gene_names()?.iter().flatten() {
        checksum.add(name.as_bytes());
        checksum.add(b"\n");
    }
    Ok(format!("tile {}", checksum.hex()))
}

/// Decodes the tile and writes it.
fn write(
    dataset: &Dataset,
    tile: &OpenTile,
    place: &Place,
    overwrite: bool,
    n_threads: usize,
    watch: &dyn Watch,
) -> Result<()> {
    if tile.nnz() > i32::MAX as usize {
        let problem = format!("{} nonzero counts are too many for a dgCMatrix", tile.nnz());
        return Err(Error::limit(tile.path(), problem));
    }
    let mut genes = vec![0i32; tile.nnz()];
    let mut counts = vec![0f64; tile.nnz()];
    dataset.read_tile_into(tile, &mut genes, &mut counts, n_threads, watch)?;
    let starts: Vec<i32> = tile.starts()?.iter().map(|&start| start as i32).collect();
    let gene_names = dataset.gene_names()?;
    let cell_names = cell_names(dataset, tile, n_threads, watch)?;
    if !dataset.is_current() {
        return Err(Error::Stale {
            path: dataset.folder().to_owned(),
        });
    }
    let matrix = MatrixParts {
        n_rows: dataset.manifest().n_genes,
        starts: &starts,
        rows: &genes,
        values: &counts,
        row_names: gene_names.as_deref(),
        column_names: cell_names.as_deref(),
        dimnames_names: None,
        source: Some(&place.source),
    };
    write_matrix(&place.folder, &matrix, overwrite, watch)
}

fn cell_names(
    dataset: &Dataset,
    tile: &OpenTile,
    n_threads: usize,
    watch: &dyn Watch,
) -> Result<Option<Vec<String>>> {
    let fields = dataset.obs_fields()?;
    if !fields.iter().any(|field| field.name == CELL_NAMES) {
        return Ok(None);
    }
    let first = dataset.tile_start(tile.idx);
    let cells: Vec<u64> = (first..first + tile.n_cells() as u64).collect();
    let columns = [CELL_NAMES.to_owned()];
    let table = dataset.read_obs(&columns, Cells::List(&cells), None, n_threads, watch)?;
    match table.columns.into_iter().next() {
        Some(Column::Text(names)) => names
            .into_iter()
            .collect::<Option<_>>()
            .map(Some)
            .ok_or_else(|| Error::corrupt(dataset.folder(), CELL_NAMES, "a name is missing")),
        _ => Err(Error::corrupt(dataset.folder(), CELL_NAMES, "not text")),
    }
}

/// A lock on the tile's place; waits for another process that writes it.
fn lock(place: &Place, watch: &dyn Watch) -> Result<FileLock> {
    let root = place.folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(root).map_err(Error::io("create", root))?;
    let path = root.join(format!(".tile_{:06}.lock", place.tile_idx + 1));
    loop {
        watch.check()?;
        if let Some(lock) = FileLock::try_take(&path)? {
            return Ok(lock);
        }
        std::thread::sleep(LOCK_WAIT);
    }
}

// Writes a tile unless it is there already.
#[extendr]
fn rs_tiles_materialize(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let n_threads = arguments.n_threads()?;
        let overwrite = arguments.flag("overwrite")?;
        // What is of no use in the cache makes room.
        let may_replace = overwrite || arguments.is_null("root");
        let (place, tile) = Place::of(&arguments, &dataset)?;
        watched(&arguments.get("progress"), |watch| {
            let _lock = lock(&place, watch)?;
            match place.find() {
                Ok(Found::Tile(_)) if !overwrite => Ok(()),
                Ok(Found::Nothing) => write(&dataset, &tile, &place, false, n_threads, watch),
                Ok(_) | Err(_) => write(&dataset, &tile, &place, may_replace, n_threads, watch),
            }
        })?;
        Ok(().into())
    })
}

// A materialised tile and its names; NULL if there is none.
#[extendr]
fn rs_tiles_mapped(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let (place, _) = Place::of(&arguments, &dataset)?;
        match place.find() {
            Ok(Found::Tile(matrix)) => mapped::to_r(*matrix),
            Ok(Found::Nothing) => Ok(().into()),
            // What is of no use in the cache is made again.
            Ok(Found::Other) | Err(_) if arguments.is_null("root") => Ok(().into()),
            Ok(Found::Other) => Err(Error::argument(format!(
                "'{}' is not tile {} of '{}' with its genes in {} order; \
                 materialize_tiles(overwrite = TRUE) replaces it",
                place.folder.display(),
                place.tile_idx + 1,
                dataset.folder().display(),
                order_name(&dataset)
            ))),
            Err(error) => Err(error),
        }
    })
}

// The folder of materialised tiles.
#[extendr]
fn rs_tiles_mapped_root(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let dataset = arguments.dataset()?;
        let root = root(&arguments, &dataset)?;
        Ok(root.to_string_lossy().into_owned().into())
    })
}

extendr_module! {
    mod tiles_materialize;
    fn rs_tiles_materialize;
    fn rs_tiles_mapped;
    fn rs_tiles_mapped_root;
}
