//! An opened dataset: the manifest in memory, all else read when asked for.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use axtile_codec::kernels::Count;
use axtile_codec::{GeneMap, GeneSet};
use axtile_core::{Error, Result};
use axtile_store::{FileIdentity, restore_interrupted};

use crate::decoded::DecodedCache;
use crate::manifest::{FileEntry, LayerKind, MANIFEST_FILE, Manifest};
use crate::obs::ObsParts;
use crate::recent_tiles::RecentTiles;
use crate::tile::TileFile;
use crate::var::{self, VarTable, read_gene_order, read_var, read_var_names};

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
    pub(crate) obs_reader: OnceLock<ObsParts>,
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
    stored_of_source: Vec<u32>,
    map: GeneMap,
}

/// A tile of a dataset, checked and ready to be decoded.
#[derive(Debug)]
pub struct OpenTile {
    /// The number of its layer.
    pub layer: usize,
    /// Its number.
    pub idx: usize,
    path: PathBuf,
    pub(crate) file: TileFile,
    /// Where the format has to decode them.
    starts: OnceLock<Vec<usize>>,
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

    /// Tile `idx` of layer `layer`, mapped and checked: header, checksum,
    /// structure, and that it is the tile that the manifest speaks of. The
    /// tiles used last stay open; they are checked again only if their file is
    /// another one by now.
    ///
    /// # Errors
    /// `Error::Range` if there is no such tile or layer, `Error::Io`,
    /// `Error::Version` or `Error::Corrupt` if its file is missing or wrong.
    pub fn open_tile(&self, layer: usize, idx: usize) -> Result<Arc<OpenTile>> {
        let open = self.tiles.get((layer, idx));
        if let Some(tile) = open
            && FileIdentity::read(tile.path())? == tile.file.identity()
        {
            return Ok(tile);
        }
        let tile = Arc::new(self.check_tile(layer, idx)?);
        self.tiles.put((layer, idx), Arc::clone(&tile));
        Ok(tile)
    }

    /// As [`Dataset::open_tile`], but always from the file.
    pub(crate) fn check_tile(&self, layer_idx: usize, idx: usize) -> Result<OpenTile> {
        let manifest = &self.manifest;
        let no_tile = || {
            Error::range(format!(
                "there is no tile {} in layer {}; '{}' has {} tiles and {} layers",
                idx + 1,
                layer_idx + 1,
                self.folder.display(),
                manifest.n_tiles(),
                manifest.layers.len()
            ))
        };
        let layer = manifest.layers.get(layer_idx).ok_or_else(no_tile)?;
        let (Some(&n_cells), Some(&nnz), Some(&n_bytes)) = (
            manifest.tile_cells.get(idx),
            layer.tile_nnz.get(idx),
            layer.tile_bytes.get(idx),
        ) else {
            return Err(no_tile());
        };
        let path = self.folder.join(manifest.tile_file(layer_idx, idx));
        let file = TileFile::open(&path, manifest.format, layer.kind)?;
        for (what, got, expected) in [
            ("cells", file.n_cells() as u64, n_cells),
            ("nonzeros", file.nnz() as u64, nnz),
            ("genes", file.n_genes() as u64, manifest.n_genes as u64),
            ("bytes", file.n_bytes(), n_bytes),
        ] {
            if got != expected {
                return Err(Error::corrupt(
                    &path,
                    "header",
                    format!("{got} {what}, the manifest says {expected}"),
                ));
            }
        }
        let expected = layer.tile_checksum.get(idx).copied();
        if let (Some(got), Some(expected)) = (file.checksum(), expected)
            && got != expected
        {
            return Err(Error::corrupt(
                &path,
                "header",
                format!("the checksum is {got:016x}, the manifest says {expected:016x}"),
            ));
        }
        Ok(OpenTile {
            layer: layer_idx,
            idx,
            path,
            file,
            starts: OnceLock::new(),
        })
    }

    /// Refuses to hand out the values of a layer in a type that does not hold
    /// them.
    pub(crate) fn check_holds<C: Count>(&self, layer: usize) -> Result<()> {
        match self.manifest.layers.get(layer) {
            Some(layer) if layer.kind != LayerKind::Count && C::as_floats(&mut []).is_none() => {
                let (name, kind) = (&layer.name, layer.kind.name());
                let problem = format!("layer '{name}' holds {kind} values, which are no integers");
                Err(Error::unsupported(&self.folder, problem))
            }
            _ => Ok(()),
        }
    }

    /// Annotations and names of the genes, in the dataset's order.
    ///
    /// # Errors
    /// `Error::Io` or `Error::Corrupt` if a file is missing or wrong.
    pub fn var(&self) -> Result<VarTable> {
        let manifest = &self.manifest;
        let mut var = if manifest.var_table.is_there() {
            self.check_file(manifest.var_table, var::TABLE_FILE)?;
            read_var(&self.folder, manifest.n_genes)?
        } else {
            VarTable::without_columns(manifest.n_genes)
        };
        if manifest.var_names.is_there() {
            var.names = Some(self.stored_names()?);
        }
        if let Some(order) = self.reordering()? {
            var = var.permuted(&order.stored_of_source);
        }
        Ok(var)
    }

    /// Names of the genes, in the dataset's order; `None` where it has none.
    ///
    /// # Errors
    /// As [`Dataset::var`].
    pub fn gene_names(&self) -> Result<Option<Vec<String>>> {
        if !self.manifest.var_names.is_there() {
            return Ok(self.var()?.names);
        }
        let stored = self.stored_names()?;
        let Some(order) = self.reordering()? else {
            return Ok(Some(stored));
        };
        let mut names = vec![String::new(); stored.len()];
        for (name, &source) in stored.into_iter().zip(&order.source_of_stored) {
            names[source as usize] = name;
        }
        Ok(Some(names))
    }

    fn stored_names(&self) -> Result<Vec<String>> {
        self.check_file(self.manifest.var_names, var::NAMES_FILE)?;
        read_var_names(&self.folder, self.manifest.n_genes)
    }

    /// Stored gene j was gene `order[j]` of the source.
    pub(crate) fn stored_gene_order(&self) -> Result<Vec<u32>> {
        self.check_file(self.manifest.gene_order, var::GENE_ORDER_FILE)?;
        read_gene_order(&self.folder, self.manifest.n_genes)
    }

    fn check_file(&self, entry: FileEntry, name: &str) -> Result<()> {
        entry.check(&self.folder.join(name))
    }

    /// Gene numbers from stored to the dataset's order; `None` if they agree.
    pub(crate) fn gene_map(&self) -> Result<Option<&GeneMap>> {
        Ok(self.reordering()?.map(|order| &order.map))
    }

    /// The numbers in the tiles of genes that the dataset has.
    pub(crate) fn stored_numbers(&self, genes: &[u32]) -> Result<Vec<u32>> {
        Ok(match self.reordering()? {
            Some(order) => {
                let stored = |&gene: &u32| order.stored_of_source[gene as usize];
                genes.iter().map(stored).collect()
            }
            None => genes.to_vec(),
        })
    }

    /// Those genes as the tiles know them.
    pub(crate) fn gene_set(&self, genes: &[u32]) -> Result<GeneSet> {
        Ok(GeneSet::new(self.stored_numbers(genes)?))
    }

    fn reordering(&self) -> Result<Option<&Reordering>> {
        if let Some(order) = self.order.get() {
            return Ok(order.as_ref());
        }
        let order = match self.gene_order {
            GeneOrder::Source if self.manifest.gene_order.is_there() => {
                let source_of_stored = self.stored_gene_order()?;
                let map = GeneMap::new(source_of_stored.iter().copied());
                let is_identity = source_of_stored.is_sorted();
                (!is_identity).then(|| Reordering {
                    stored_of_source: inverse(&source_of_stored),
                    source_of_stored,
                    map,
                })
            }
            _ => None,
        };
        Ok(self.order.get_or_init(|| order).as_ref())
    }
}

impl OpenTile {
    /// The tile's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    ///
    /// # Errors
    /// `Error::Corrupt` if they are damaged.
    pub fn starts(&self) -> Result<&[usize]> {
        if let Some(starts) = self.starts.get() {
            return Ok(starts);
        }
        match self.file.starts().map_err(|error| error.at(&self.path))? {
            Cow::Borrowed(starts) => Ok(starts),
            Cow::Owned(starts) => Ok(self.starts.get_or_init(|| starts)),
        }
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.file.n_cells()
    }

    /// The number of nonzeros.
    pub fn nnz(&self) -> usize {
        self.file.nnz()
    }
}

/// `result[order[i]] = i`.
pub(crate) fn inverse(order: &[u32]) -> Vec<u32> {
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
