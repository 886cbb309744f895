//! An opened dataset: the manifest in memory, all else read when asked for.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axtile_codec::deltacells::Tile;
use axtile_core::{Error, Result};
use axtile_store::{FileIdentity, Map, restore_interrupted};

use crate::decoded::DecodedCache;
use crate::gene_map::GeneMap;
use crate::manifest::{MANIFEST_FILE, Manifest};
use crate::obs::ObsReader;
use crate::var::{VarTable, read_gene_order, read_var, read_var_names};

/// The order in which a dataset's genes are numbered and handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GeneOrder {
    /// The order of the source that the dataset was made from.
    #[default]
    Source,
    /// The order in the tiles: decreasing totals, where genes were sorted.
    Stored,
}

/// A tile dataset. Cells, genes and tiles are numbered from 0.
#[derive(Debug)]
pub struct Dataset {
    folder: PathBuf,
    manifest: Manifest,
    identity: String,
    manifest_file: FileIdentity,
    gene_order: GeneOrder,
    tile_ends: Vec<u64>,
    order: OnceLock<Option<Reordering>>,
    pub(crate) obs_reader: OnceLock<ObsReader>,
    tiles: RecentTiles,
    pub(crate) decoded: Arc<DecodedCache>,
    /// Tells this dataset's chunks in `decoded` from others'.
    pub(crate) serial: u64,
}

impl Drop for Dataset {
    fn drop(&mut self) {
        self.decoded.forget(self.serial);
    }
}

/// From stored to source order.
#[derive(Debug)]
struct Reordering {
    source_of_stored: Vec<u32>,
    map: GeneMap,
}

/// A tile of a dataset, checked and ready to be decoded.
#[derive(Debug)]
pub struct OpenTile {
    /// Its number.
    pub idx: usize,
    path: PathBuf,
    pub(crate) tile: Tile<Map>,
}

impl Dataset {
    /// Opens the dataset in `folder`: reads its manifest. Chunks that are decoded
    /// for look-ups are kept in `decoded`, which several datasets may share.
    ///
    /// # Errors
    /// `Error::Io` if there is none, `Error::Version` or `Error::Corrupt` if
    /// the manifest is not one of this version or contradicts itself.
    pub fn open(
        folder: &Path,
        gene_order: GeneOrder,
        decoded: Arc<DecodedCache>,
    ) -> Result<Dataset> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        restore_interrupted(folder)?;
        let folder = folder.canonicalize().map_err(Error::io("open", folder))?;
        let manifest_file = match FileIdentity::read(&folder.join(MANIFEST_FILE)) {
            Ok(identity) => identity,
            // Says what a folder without a manifest is.
            Err(_) => return Err(missing_manifest(&folder)),
        };
        let (manifest, identity) = Manifest::read(&folder)?;
        let tile_ends = manifest
            .tile_cells
            .iter()
            .scan(0, |end, cells| {
                *end += cells;
                Some(*end)
            })
            .collect();
        Ok(Dataset {
            folder,
            manifest,
            identity,
            manifest_file,
            gene_order,
            tile_ends,
            order: OnceLock::new(),
            obs_reader: OnceLock::new(),
            tiles: RecentTiles::default(),
            decoded,
            serial: OPENED.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The dataset's folder, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// 16 hex digits that change whenever the manifest does.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Whether the manifest's file is still the one that was read.
    pub fn is_current(&self) -> bool {
        FileIdentity::read(&self.folder.join(MANIFEST_FILE))
            .is_ok_and(|now| now == self.manifest_file)
    }

    /// The order of genes in everything that is read.
    pub fn gene_order(&self) -> GeneOrder {
        self.gene_order
    }

    /// The tile that holds `cell`, and the cell's number in it.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn tile_of(&self, cell: u64) -> (usize, usize) {
        assert!(cell < self.manifest.n_cells);
        let tile = self.tile_ends.partition_point(|&end| end <= cell);
        (tile, (cell - self.tile_start(tile)) as usize)
    }

    /// The first cell of tile `tile`.
    pub fn tile_start(&self, tile: usize) -> u64 {
        tile.checked_sub(1)
            .and_then(|before| self.tile_ends.get(before))
            .copied()
            .unwrap_or(0)
    }

    /// Tile `idx`, mapped and checked: header, checksum, structure, and that it
    /// is the tile that the manifest speaks of. The tiles used last stay open;
    /// they are checked again only if their file is another one by now.
    ///
    /// # Errors
    /// `Error::Range` if there is no such tile, `Error::Io`, `Error::Version`
    /// or `Error::Corrupt` if its file is missing or wrong.
    pub fn open_tile(&self, idx: usize) -> Result<Arc<OpenTile>> {
        let open = self.tiles.get(idx);
        if let Some(tile) = open
            && FileIdentity::read(tile.path())? == tile.tile.owner().identity()
        {
            return Ok(tile);
        }
        let tile = Arc::new(self.check_tile(idx)?);
        self.tiles.put(idx, Arc::clone(&tile));
        Ok(tile)
    }

    /// As [`Dataset::open_tile`], but always from the file.
    pub(crate) fn check_tile(&self, idx: usize) -> Result<OpenTile> {
        let manifest = &self.manifest;
        let (Some(&n_cells), Some(&nnz), Some(&n_bytes)) = (
            manifest.tile_cells.get(idx),
            manifest.tile_nnz.get(idx),
            manifest.tile_bytes.get(idx),
        ) else {
            return Err(Error::range(format!(
                "there is no tile {}; '{}' has {} tiles",
                idx + 1,
                self.folder.display(),
                manifest.n_tiles()
            )));
        };
        let path = tile_path(&self.folder, idx);
        let tile = Tile::parse(Map::open(&path)?).map_err(|error| error.at(&path))?;
        let header = tile.header();
        for (what, got, expected) in [
            ("cells", header.n_cells, n_cells),
            ("nonzeros", header.nnz, nnz),
            ("genes", header.n_genes.into(), manifest.n_genes as u64),
            ("bytes", header.total_size, n_bytes),
        ] {
            if got != expected {
                return Err(Error::corrupt(
                    &path,
                    "header",
                    format!("{got} {what}, the manifest says {expected}"),
                ));
            }
        }
        Ok(OpenTile { idx, path, tile })
    }

    /// Annotations and names of the genes, in the dataset's order.
    ///
    /// # Errors
    /// `Error::Io` or `Error::Corrupt` if a file is missing or wrong.
    pub fn var(&self) -> Result<VarTable> {
        let n_genes = self.manifest.n_genes;
        let mut var = if self.manifest.has_var_table {
            read_var(&self.folder, n_genes)?
        } else {
            VarTable::without_columns(n_genes)
        };
        if self.manifest.has_var_names {
            var.names = Some(read_var_names(&self.folder, n_genes)?);
        }
        if let Some(order) = self.reordering()? {
            var = var.permuted(&inverse(&order.source_of_stored));
        }
        Ok(var)
    }

    /// Names of the genes, in the dataset's order; `None` where it has none.
    ///
    /// # Errors
    /// As [`Dataset::var`].
    pub fn gene_names(&self) -> Result<Option<Vec<String>>> {
        if !self.manifest.has_var_names {
            return Ok(self.var()?.names);
        }
        let stored = read_var_names(&self.folder, self.manifest.n_genes)?;
        let Some(order) = self.reordering()? else {
            return Ok(Some(stored));
        };
        let mut names = vec![String::new(); stored.len()];
        for (name, &source) in stored.into_iter().zip(&order.source_of_stored) {
            names[source as usize] = name;
        }
        Ok(Some(names))
    }

    pub(crate) fn check_gene_order(&self) -> Result<()> {
        read_gene_order(&self.folder, self.manifest.n_genes).map(drop)
    }

    /// Gene numbers from stored to the dataset's order; `None` if they agree.
    pub(crate) fn gene_map(&self) -> Result<Option<&GeneMap>> {
        Ok(self.reordering()?.map(|order| &order.map))
    }

    fn reordering(&self) -> Result<Option<&Reordering>> {
        if let Some(order) = self.order.get() {
            return Ok(order.as_ref());
        }
        let order = match self.gene_order {
            GeneOrder::Source if self.manifest.has_gene_order => {
                let source_of_stored = read_gene_order(&self.folder, self.manifest.n_genes)?;
                let map = GeneMap::new(source_of_stored.iter().map(|&gene| gene as u16));
                let is_identity = source_of_stored.is_sorted();
                (!is_identity).then_some(Reordering {
                    source_of_stored,
                    map,
                })
            }
            _ => None,
        };
        Ok(self.order.get_or_init(|| order).as_ref())
    }
}

/// The open tiles used last.
#[derive(Debug, Default)]
struct RecentTiles(Mutex<Vec<(usize, Arc<OpenTile>)>>);

impl RecentTiles {
    /// A tile takes a map and 8 bytes a cell.
    const MAX: usize = 256;

    fn get(&self, idx: usize) -> Option<Arc<OpenTile>> {
        let mut tiles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = tiles.iter().position(|(other, _)| *other == idx)?;
        let entry = tiles.remove(at);
        let tile = Arc::clone(&entry.1);
        tiles.push(entry);
        Some(tile)
    }

    fn put(&self, idx: usize, tile: Arc<OpenTile>) {
        let mut tiles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tiles.retain(|(other, _)| *other != idx);
        if tiles.len() == Self::MAX {
            tiles.remove(0);
        }
        tiles.push((idx, tile));
    }
}

impl OpenTile {
    /// The tile's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    pub fn starts(&self) -> &[usize] {
        self.tile.starts()
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.tile.n_cells()
    }

    /// The number of nonzero counts.
    pub fn nnz(&self) -> usize {
        self.tile.nnz()
    }
}

/// The file of tile `idx`.
pub(crate) fn tile_path(folder: &Path, idx: usize) -> PathBuf {
    folder.join("tiles").join(format!("tile_{idx:06}.dct"))
}

/// `result[order[i]] = i`.
fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        inverse[old as usize] = new as u32;
    }
    inverse
}

fn missing_manifest(folder: &Path) -> Error {
    match Manifest::read(folder) {
        Err(error) => error,
        // It appeared meanwhile: the next attempt will find it.
        Ok(_) => Error::Stale {
            path: folder.to_owned(),
        },
    }
}
