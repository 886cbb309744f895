//! `manifest.json`: what a dataset consists of. Written last, read first. What
//! the formats have in common is here, their JSON in a module each.

mod axtile;
mod deltacells;
mod file_entry;
mod keys;

use std::io::Read;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::{open_regular, write_file};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::digest::hex;
use crate::obs::ObsSection;

pub(crate) use axtile::MAX_CELLS;
pub use file_entry::{FileEntry, FileFacts};

/// The manifest's file name.
pub const MANIFEST_FILE: &str = "manifest.json";
/// A manifest takes about 60 bytes a tile and layer; this is room for ten
/// million tiles.
const MAX_MANIFEST_LEN: u64 = 1 << 30;

/// The format of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// deltacells, version 1, with what the writer was asked for.
    Deltacells {
        /// Chunks a tile.
        n_chunks: u64,
        /// zstd level.
        zstd_level: i64,
    },
    /// axtile, version 1.
    Axtile,
}

/// The content of a manifest, checked for consistency.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The format.
    pub format: Format,
    /// Cells of the dataset.
    pub n_cells: u64,
    /// Genes of the dataset.
    pub n_genes: usize,
    /// Cells that new tiles get.
    pub tile_size: u64,
    /// Cells of each tile.
    pub tile_cells: Vec<u64>,
    /// The layers; at least one.
    pub layers: Vec<Layer>,
    /// `gene_order.npy`.
    pub gene_order: FileEntry,
    /// `var_names.txt`.
    pub var_names: FileEntry,
    /// `var.parquet`.
    pub var_table: FileEntry,
    /// Annotations of cells, for consecutive runs of tiles; none without obs.
    pub obs_parts: Vec<ObsPart>,
    /// Free notes of the writer.
    pub metadata: Value,
}

/// What a layer's values are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LayerKind {
    /// Whole numbers from 0 on.
    #[default]
    Count,
    /// 32-bit floating-point numbers.
    Float32,
    /// 64-bit floating-point numbers.
    Float64,
}

impl LayerKind {
    /// All kinds.
    pub const ALL: [LayerKind; 3] = [LayerKind::Count, LayerKind::Float32, LayerKind::Float64];

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<LayerKind> {
        LayerKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind's name.
    pub fn name(self) -> &'static str {
        match self {
            LayerKind::Count => "count",
            LayerKind::Float32 => "float32",
            LayerKind::Float64 => "float64",
        }
    }
}

/// A matrix of values; all layers of a dataset have the same cells and genes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The name, unique in its dataset.
    pub name: String,
    /// What its values are.
    pub kind: LayerKind,
    /// Nonzero values of each tile.
    pub tile_nnz: Vec<u64>,
    /// Size of each tile's file in bytes.
    pub tile_bytes: Vec<u64>,
    /// The checksum that each tile has in its header; empty where the format
    /// has none in the manifest.
    pub tile_checksum: Vec<u64>,
}

impl Layer {
    /// Nonzero values in all tiles.
    pub fn nnz(&self) -> u64 {
        sum(&self.tile_nnz)
    }

    /// Size of all tiles in bytes.
    pub fn n_bytes(&self) -> u64 {
        sum(&self.tile_bytes)
    }
}

fn sum(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |sum, &n| sum.saturating_add(n))
}

/// The annotations of the cells of consecutive tiles: a folder of obs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObsPart {
    /// How many tiles.
    pub n_tiles: usize,
    /// The shards.
    pub section: ObsSection,
    /// The schema.
    pub schema: FileEntry,
}

impl Manifest {
    /// Reads `folder/manifest.json`. The second value identifies this very
    /// text: the first 16 hex digits of its SHA-256.
    ///
    /// # Errors
    /// `Error::Io` if there is none, `Error::Version` if it is of another
    /// format or version, `Error::Corrupt` if it contradicts itself.
    pub fn read(folder: &Path) -> Result<(Manifest, String)> {
        let path = folder.join(MANIFEST_FILE);
        let len = std::fs::metadata(&path)
            .map_err(|source| match source.kind() {
                std::io::ErrorKind::NotFound => Error::Io {
                    path: folder.to_owned(),
                    action: "open",
                    source: std::io::Error::new(
                        source.kind(),
                        "it has no manifest.json: not a tile dataset, or an incomplete one",
                    ),
                },
                _ => Error::io("open", &path)(source),
            })?
            .len();
        if len > MAX_MANIFEST_LEN {
            return Err(Error::limit(
                &path,
                format!("{len} bytes, a manifest has at most {MAX_MANIFEST_LEN}"),
            ));
        }
        let mut text = Vec::new();
        open_regular(&path)?
            .take(MAX_MANIFEST_LEN)
            .read_to_end(&mut text)
            .map_err(Error::io("read", &path))?;
        let value: Value = serde_json::from_slice(&text).map_err(|problem| {
            Error::corrupt(
                &path,
                format!("line {}, column {}", problem.line(), problem.column()),
                format!("not JSON ({problem})"),
            )
        })?;
        let manifest = match value.get("format").and_then(Value::as_str) {
            Some(axtile::FORMAT) => axtile::parse(&path, value, &text)?,
            Some(deltacells::FORMAT) => deltacells::parse(&path, value)?,
            _ if !value.is_object() => {
                return Err(Error::corrupt(&path, "top level", "not an object"));
            }
            _ => {
                let format = value.get("format").unwrap_or(&Value::Null);
                return Err(Error::Version {
                    problem: format!(
                        "its format is {format}, expected \"{}\" or \"{}\"",
                        axtile::FORMAT,
                        deltacells::FORMAT
                    ),
                    path,
                });
            }
        };
        let mut identity = hex(Sha256::new_with_prefix(&text));
        identity.truncate(16);
        Ok((manifest, identity))
    }

    /// Writes `folder/manifest.json`, in one step.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = match self.format {
            Format::Deltacells {
                n_chunks,
                zstd_level,
            } => deltacells::text(self, n_chunks, zstd_level),
            Format::Axtile => axtile::text(self),
        };
        write_file(&folder.join(MANIFEST_FILE), text.as_bytes())
    }

    /// The number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.tile_cells.len()
    }

    /// Nonzero values of all layers.
    pub fn nnz(&self) -> u64 {
        self.layers
            .iter()
            .fold(0, |sum, layer| sum.saturating_add(layer.nnz()))
    }

    /// The file of a layer's tile, relative to the dataset's folder.
    pub fn tile_file(&self, layer: usize, tile: usize) -> PathBuf {
        tile_file(self.format, layer, tile)
    }

    /// The folder of obs part `part`, relative to the dataset's.
    pub(crate) fn obs_folder(&self, part: usize) -> PathBuf {
        obs_folder(self.format, part)
    }

    /// The number of the layer with this name; the first for `None`.
    ///
    /// # Errors
    /// `Error::Range` naming the layers that there are.
    pub fn layer_number(&self, name: Option<&str>) -> Result<usize> {
        let Some(name) = name else { return Ok(0) };
        let mut layers = self.layers.iter();
        layers.position(|layer| layer.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.layers.iter().map(|layer| &*layer.name).collect();
            Error::range(format!(
                "there is no layer '{name}'; the dataset has: {}",
                names.join(", ")
            ))
        })
    }
}

/// As [`Manifest::tile_file`], of a dataset in the making.
pub(crate) fn tile_file(format: Format, layer: usize, tile: usize) -> PathBuf {
    match format {
        Format::Deltacells { .. } => {
            tiles_folder(format, layer).join(format!("tile_{tile:06}.dct"))
        }
        Format::Axtile => tiles_folder(format, layer).join(format!("tile_{tile:06}.axt")),
    }
}

/// The folder of a layer's tiles, relative to the dataset's.
pub(crate) fn tiles_folder(format: Format, layer: usize) -> PathBuf {
    match format {
        Format::Deltacells { .. } => PathBuf::from("tiles"),
        Format::Axtile => Path::new("layers").join(layer.to_string()),
    }
}

/// As [`Manifest::obs_folder`], of a dataset in the making.
pub(crate) fn obs_folder(format: Format, part: usize) -> PathBuf {
    match format {
        Format::Deltacells { .. } => PathBuf::from("obs"),
        Format::Axtile => Path::new("obs").join(part.to_string()),
    }
}

/// Whether `folder` holds a dataset of one of the formats, of whatever version.
pub fn is_dataset(folder: &Path) -> bool {
    let text = std::fs::read(folder.join(MANIFEST_FILE)).unwrap_or_default();
    serde_json::from_slice::<Value>(&text)
        .is_ok_and(|json| json["format"] == axtile::FORMAT || json["format"] == deltacells::FORMAT)
}
