//! Columns in the local cache: made, found, looked up.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use axtile_core::{Error, Result, Watch};
use axtile_store::FileIdentity;
use axtile_table::Column;
use axtile_table::ipc::{IpcColumn, Place};
use rayon::prelude::*;

use super::cache::{Cache, CacheFile};
use super::cells::TileRows;
use super::reader::ObsReader;
use crate::threads::on_threads;

/// Pieces of columns in memory at once for each thread while they are copied.
const PIECES_PER_THREAD: usize = 4;

/// The maps that are open, by file: they stay open for the next look-up, as long
/// as the file is the same.
#[derive(Debug, Default)]
pub(super) struct OpenMaps(Mutex<HashMap<PathBuf, OpenMap>>);

#[derive(Debug)]
struct OpenMap {
    identity: FileIdentity,
    map: Arc<IpcColumn>,
}

impl OpenMaps {
    fn get(&self, path: &Path) -> Option<Arc<IpcColumn>> {
        let mut maps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = maps.get(path)?;
        if FileIdentity::read(path).is_ok_and(|now| now == open.identity) {
            return Some(Arc::clone(&open.map));
        }
        maps.remove(path);
        None
    }

    fn put(&self, path: PathBuf, map: IpcColumn) -> Arc<IpcColumn> {
        let map = Arc::new(map);
        if let Ok(identity) = FileIdentity::read(&path) {
            let mut maps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let map = Arc::clone(&map);
            maps.insert(path, OpenMap { identity, map });
        }
        map
    }
}

impl ObsReader {
    fn cache(&self, cache_root: Option<&Path>) -> Option<Cache> {
        Cache::of(cache_root, &self.section.fingerprint)
    }

    /// Names of the columns that are in the cache in `cache_root`, or in the
    /// default place.
    pub fn localized_columns(&self, cache_root: Option<&Path>) -> Vec<String> {
        let Some(cache) = self.cache(cache_root) else {
            return Vec::new();
        };
        let names = self.fields().iter().map(|field| &field.name);
        names
            .filter(|name| cache.file(name).is_file())
            .cloned()
            .collect()
    }

    /// Copies columns, by number, to the cache in `cache_root`, or in the
    /// default place. What is there already stays, unless it does not belong to
    /// this dataset: then it is made again. `watch` advances by a unit for each
    /// cell and column.
    ///
    /// # Errors
    /// If there is no such column, no place for a cache, a shard is damaged, or
    /// the cache cannot be written.
    pub fn localize(
        &self,
        columns: &[usize],
        cache_root: Option<&Path>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        let Some(cache) = self.cache(cache_root) else {
            let problem = "no folder for the cache: neither an argument, nor DELTACELLS_CACHE, \
                           nor XDG_CACHE_HOME, nor a home folder";
            return Err(Error::argument(problem));
        };
        // Held until the end.
        let _lock = cache.lock(watch)?;
        let mut missing: Vec<usize> = Vec::new();
        for &column in columns {
            let about = self.column(column)?;
            if missing.contains(&column) {
                continue;
            }
            match cache.open(about, &self.tile_cells) {
                Ok(Some(map)) => {
                    self.maps.put(cache.file(&about.field.name), map);
                    watch.advance(self.n_cells());
                }
                Ok(None) => missing.push(column),
                Err(_) => {
                    cache.remove(&about.field.name)?;
                    missing.push(column);
                }
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        // All of it is read anyway, and the copy has no checksum.
        self.verify_shards(watch)?;
        self.copy(&cache, &missing, n_threads, watch)
    }

    fn copy(
        &self,
        cache: &Cache,
        columns: &[usize],
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        let mut files = Vec::with_capacity(columns.len());
        for &column in columns {
            files.push(CacheFile::create(cache, self.column(column)?)?);
        }
        on_threads(n_threads, || {
            let n_tiles = (n_threads * PIECES_PER_THREAD).div_ceil(columns.len());
            let tiles: Vec<usize> = (0..self.tile_cells.len()).collect();
            for tiles in tiles.chunks(n_tiles) {
                let jobs: Vec<(usize, usize)> = tiles
                    .iter()
                    .flat_map(|tile| (0..columns.len()).map(move |i| (*tile, i)))
                    .collect();
                let pieces = jobs.par_iter().map(|(tile, i)| {
                    watch.check()?;
                    let column = columns.get(*i).copied().unwrap_or(usize::MAX);
                    let rows = None;
                    let piece = self.read_tile(column, &TileRows { tile: *tile, rows })?;
                    watch.advance(piece.len() as u64);
                    Ok(piece)
                });
                let pieces: Vec<Column> = pieces.collect::<Result<_>>()?;
                for ((_, i), piece) in jobs.iter().zip(&pieces) {
                    if let Some(file) = files.get_mut(*i) {
                        file.write(piece)?;
                    }
                }
            }
            Ok(())
        })?;
        files.into_iter().try_for_each(CacheFile::finish)
    }

    /// The map of a column that is in the cache. A file that does not belong
    /// to the dataset is made again; where that fails the shards serve.
    pub(super) fn map(
        &self,
        column: usize,
        cache_root: Option<&Path>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Option<Arc<IpcColumn>>> {
        let Some(cache) = self.cache(cache_root) else {
            return Ok(None);
        };
        let about = self.column(column)?;
        let path = cache.file(&about.field.name);
        if let Some(map) = self.maps.get(&path) {
            return Ok(Some(map));
        }
        let opened = cache.open(about, &self.tile_cells).or_else(|_| {
            match self.localize(&[column], cache_root, n_threads, watch) {
                Err(Error::Interrupted) => Err(Error::Interrupted),
                Err(_) => Ok(None),
                Ok(()) => cache.open(about, &self.tile_cells).or(Ok(None)),
            }
        })?;
        Ok(opened.map(|map| self.maps.put(path, map)))
    }

    /// Looks a column up in its map: the places, or all cells.
    pub(super) fn look_up(
        &self,
        map: &IpcColumn,
        column: usize,
        places: Option<&[Place]>,
        watch: &dyn Watch,
    ) -> Result<Column> {
        let kind = &self.column(column)?.field.kind;
        watch.check()?;
        let values = match places {
            Some(places) => map.take(kind, places)?,
            None => {
                let mut all = kind.empty_column();
                for batch in 0..map.batch_rows().len() {
                    watch.check()?;
                    if !all.append(map.read_batch(kind, batch)?) {
                        return Err(Error::argument("pieces of a column of different types"));
                    }
                }
                all
            }
        };
        watch.advance(values.len() as u64);
        Ok(values)
    }
}
