//! Going through all chunks of some tiles, on several threads.

use std::sync::{Mutex, PoisonError};

use axtile_core::{Result, Watch};
use rayon::prelude::*;

use crate::dataset::{Dataset, OpenTile};
use crate::threads::on_threads;

/// What threads work with in turns: as many as work at the same time are made.
#[derive(Debug, Default)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    /// Does `work` with one of them.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut one = taken.unwrap_or_default();
        let result = work(&mut one);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(one);
        result
    }

    /// All that were made.
    pub(crate) fn into_all(self) -> Vec<T> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dataset {
    /// The results of `work` for every chunk of the tiles, in order. No more
    /// tiles are opened at a time than threads need. Reports finished cells.
    ///
    /// # Errors
    /// The first of `work`; `Error::Interrupted`; as [`Dataset::open_tile`].
    pub(crate) fn each_chunk<T: Default + Send, R: Send>(
        &self,
        layer: usize,
        tiles: &[usize],
        pool: &Pool<T>,
        n_threads: usize,
        watch: &dyn Watch,
        work: impl Fn(&mut T, &OpenTile, usize) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let of_tile = |&tile: &usize| -> Result<Vec<R>> {
            watch.check()?;
            let tile = self.open_tile(layer, tile)?;
            let of_chunk = |chunk: usize| {
                watch.check()?;
                let result = pool.with(|mine| work(mine, &tile, chunk))?;
                watch.advance(tile.file.chunk(chunk).cells.len() as u64);
                Ok(result)
            };
            let chunks = (0..tile.file.n_chunks()).into_par_iter();
            chunks.map(of_chunk).collect()
        };
        let results: Vec<Vec<R>> =
            on_threads(n_threads, || tiles.par_iter().map(of_tile).collect())?;
        Ok(results.into_iter().flatten().collect())
    }
}
