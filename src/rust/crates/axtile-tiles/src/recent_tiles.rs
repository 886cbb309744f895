//! Tiles that were used lately and stay open.

use std::sync::{Arc, Mutex, PoisonError};

use crate::dataset::OpenTile;

/// The layer and the number of a tile.
type TileKey = (usize, usize);

/// The open tiles used last.
#[derive(Debug, Default)]
pub(crate) struct RecentTiles(Mutex<Vec<(TileKey, Arc<OpenTile>)>>);

impl RecentTiles {
    /// A tile takes a map and 8 bytes a cell.
    const MAX: usize = 256;

    pub(crate) fn get(&self, key: TileKey) -> Option<Arc<OpenTile>> {
        let mut tiles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = tiles.iter().position(|(other, _)| *other == key)?;
        let entry = tiles.remove(at);
        let tile = Arc::clone(&entry.1);
        tiles.push(entry);
        Some(tile)
    }

    pub(crate) fn put(&self, key: TileKey, tile: Arc<OpenTile>) {
        let mut tiles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tiles.retain(|(other, _)| *other != key);
        if tiles.len() == Self::MAX {
            tiles.remove(0);
        }
        tiles.push((key, tile));
    }
}
