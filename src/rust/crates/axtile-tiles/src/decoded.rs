//! Chunks that were decoded lately, so that looking up cells of the same tile
//! again and again does not decode it again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::values::Values;

/// The cells of a chunk, genes ascending in the dataset's order.
#[derive(Debug)]
pub(crate) struct DecodedChunk {
    /// Where each cell starts, and the end of the last one.
    pub(crate) starts: Vec<usize>,
    pub(crate) genes: Vec<i32>,
    pub(crate) values: Values,
}

impl DecodedChunk {
    fn n_bytes(&self) -> usize {
        8 * self.starts.len() + 4 * self.genes.len() + self.values.n_bytes()
    }
}

/// Which chunk: dataset (its number in this process), layer, tile, chunk in the
/// tile.
pub(crate) type ChunkKey = (u64, usize, usize, usize);

/// Decoded chunks of any datasets, up to a number of bytes; the ones used
/// longest ago go first.
#[derive(Debug)]
pub struct DecodedCache {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    chunks: HashMap<ChunkKey, (u64, Arc<DecodedChunk>)>,
    n_bytes: usize,
    max_bytes: usize,
    clock: u64,
}

impl DecodedCache {
    /// An empty cache for so many bytes.
    pub fn new(max_bytes: usize) -> DecodedCache {
        DecodedCache {
            state: Mutex::new(State {
                max_bytes,
                ..State::default()
            }),
        }
    }

    pub(crate) fn contains(&self, key: ChunkKey) -> bool {
        self.lock().chunks.contains_key(&key)
    }

    pub(crate) fn get(&self, key: ChunkKey) -> Option<Arc<DecodedChunk>> {
        let mut state = self.lock();
        state.clock += 1;
        let clock = state.clock;
        let (used, chunk) = state.chunks.get_mut(&key)?;
        *used = clock;
        Some(Arc::clone(chunk))
    }

    /// Keeps the chunk if it fits.
    pub(crate) fn put(&self, key: ChunkKey, chunk: &Arc<DecodedChunk>) {
        let mut state = self.lock();
        if chunk.n_bytes() > state.max_bytes {
            return;
        }
        state.clock += 1;
        let entry = (state.clock, Arc::clone(chunk));
        state.n_bytes += chunk.n_bytes();
        if let Some((_, earlier)) = state.chunks.insert(key, entry) {
            state.n_bytes -= earlier.n_bytes();
        }
        state.shrink();
    }

    /// Forgets the chunks of a dataset.
    pub(crate) fn forget(&self, dataset: u64) {
        let mut state = self.lock();
        let mut freed = 0;
        state.chunks.retain(|key, (_, chunk)| {
            let is_other = key.0 != dataset;
            freed += if is_other { 0 } else { chunk.n_bytes() };
            is_other
        });
        state.n_bytes -= freed;
    }

    /// Changes the limit; 0 empties the cache.
    pub fn set_max_bytes(&self, max_bytes: usize) {
        let mut state = self.lock();
        state.max_bytes = max_bytes;
        state.shrink();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A cache is right whatever a panicking thread left: entries are
        // complete when they go in.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn shrink(&mut self) {
        while self.n_bytes > self.max_bytes {
            let oldest = self.chunks.iter().min_by_key(|(_, (used, _))| *used);
            let Some(key) = oldest.map(|(&key, _)| key) else {
                return;
            };
            if let Some((_, chunk)) = self.chunks.remove(&key) {
                self.n_bytes -= chunk.n_bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(n: usize) -> Arc<DecodedChunk> {
        Arc::new(DecodedChunk {
            starts: Vec::new(),
            genes: vec![0; n],
            values: Values::Counts(vec![0; n]),
        })
    }

    #[test]
    fn keeps_what_was_used_last_within_the_limit() {
        let cache = DecodedCache::new(200);
        cache.put((0, 0, 0, 0), &chunk(10));
        cache.put((0, 0, 0, 1), &chunk(10));
        assert!(cache.get((0, 0, 0, 0)).is_some());
        cache.put((0, 0, 0, 2), &chunk(10));
        assert!(cache.get((0, 0, 0, 1)).is_none());
        assert!(cache.get((0, 0, 0, 0)).is_some() && cache.get((0, 0, 0, 2)).is_some());
        cache.put((0, 0, 1, 0), &chunk(1_000));
        assert!(cache.get((0, 0, 1, 0)).is_none());
        assert!(cache.get((0, 0, 0, 0)).is_some());
        cache.put((0, 0, 1, 1), &chunk(5));
        cache.put((0, 0, 1, 1), &chunk(6));
        cache.set_max_bytes(48);
        assert!(cache.get((0, 0, 1, 1)).is_some());
        cache.put((7, 0, 1, 1), &chunk(0));
        cache.forget(7);
        assert!(cache.get((7, 0, 1, 1)).is_none());
        cache.set_max_bytes(0);
        assert!(cache.get((0, 0, 1, 1)).is_none());
    }
}
