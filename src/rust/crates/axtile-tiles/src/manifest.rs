//! `manifest.json`: what a dataset consists of. Written last, read first.

use std::io::Read;
use std::path::Path;

use axtile_codec::deltacells::MAX_GENES;
use axtile_core::{Error, Result};
use axtile_store::{open_regular, write_file};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::digest::{FINGERPRINT_LEN, hex, is_hex};
use crate::obs::ObsSection;
use crate::python_json;

/// The manifest's file name.
pub const MANIFEST_FILE: &str = "manifest.json";
const FORMAT: &str = "deltacells-dataset";
const VERSION: u64 = 1;
/// Obs shards hold this many tiles where the manifest does not say.
const DEFAULT_TILES_PER_FILE: u64 = 1000;
/// A manifest takes about 30 bytes a tile; this is room for ten million tiles.
const MAX_MANIFEST_LEN: u64 = 1 << 30;

/// The content of a manifest, checked for consistency.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Cells of the dataset.
    pub n_cells: u64,
    /// Genes of the dataset.
    pub n_genes: usize,
    /// Cells in every tile but the last.
    pub tile_size: u64,
    /// Cells of each tile.
    pub tile_cells: Vec<u64>,
    /// Nonzero counts of each tile.
    pub tile_nnz: Vec<u64>,
    /// Size of each tile's file in bytes.
    pub tile_bytes: Vec<u64>,
    /// Chunks a tile, as asked for when it was written.
    pub n_chunks: u64,
    /// zstd level, as asked for when it was written.
    pub zstd_level: i64,
    /// Whether `gene_order.npy` is there.
    pub has_gene_order: bool,
    /// Whether `var_names.txt` is there.
    pub has_var_names: bool,
    /// Whether `var.parquet` is there.
    pub has_var_table: bool,
    /// The obs shards, if there are any.
    pub obs: Option<ObsSection>,
    /// Free notes of the writer.
    pub metadata: Value,
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
        let manifest = Parser { path: &path }.manifest(value)?;
        let mut identity = hex(Sha256::new_with_prefix(&text));
        identity.truncate(16);
        Ok((manifest, identity))
    }

    /// Writes `folder/manifest.json`, as Python's json module lays it out.
    ///
    /// # Errors
    /// `Error::Io`.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = python_json::indented(&self.to_json());
        write_file(&folder.join(MANIFEST_FILE), text.as_bytes())
    }

    /// The number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.tile_cells.len()
    }

    /// Nonzero counts of the dataset.
    pub fn nnz(&self) -> u64 {
        self.tile_nnz
            .iter()
            .fold(0, |sum, &nnz| sum.saturating_add(nnz))
    }

    fn to_json(&self) -> Value {
        let mut json = Map::new();
        let mut put = |key: &str, value: Value| {
            json.insert(key.to_owned(), value);
        };
        let no_obs = ObsSection {
            tiles_per_file: 0,
            fingerprint: String::new(),
            shard_bytes: Vec::new(),
            shard_sha256: Vec::new(),
        };
        let obs = self.obs.as_ref().unwrap_or(&no_obs);
        put("n_cells", self.n_cells.into());
        put("n_genes", self.n_genes.into());
        put("tile_size", self.tile_size.into());
        put("tile_cells", self.tile_cells.clone().into());
        put("tile_nnz", self.tile_nnz.clone().into());
        put("tile_bytes", self.tile_bytes.clone().into());
        put("n_chunks", self.n_chunks.into());
        put("zstd_level", self.zstd_level.into());
        put("has_gene_order", self.has_gene_order.into());
        put("has_var_names", self.has_var_names.into());
        put("metadata", self.metadata.clone());
        put("has_obs", self.obs.is_some().into());
        put("obs_tiles_per_file", obs.tiles_per_file.into());
        put("obs_fingerprint", obs.fingerprint.clone().into());
        put("obs_shard_bytes", obs.shard_bytes.clone().into());
        put("obs_shard_sha256", obs.shard_sha256.clone().into());
        put("has_var_table", self.has_var_table.into());
        put("format", FORMAT.into());
        put("version", VERSION.into());
        Value::Object(json)
    }
}

/// Whether `folder` holds a dataset of this format, of whatever version.
pub(crate) fn is_dataset(folder: &Path) -> bool {
    let text = std::fs::read(folder.join(MANIFEST_FILE)).unwrap_or_default();
    serde_json::from_slice::<Value>(&text).is_ok_and(|json| json["format"] == FORMAT)
}

/// Takes keys out of the JSON object, with errors that name them.
struct Parser<'a> {
    path: &'a Path,
}

impl Parser<'_> {
    fn manifest(&self, value: Value) -> Result<Manifest> {
        let Value::Object(mut json) = value else {
            return Err(self.wrong("top level", "not an object"));
        };
        self.check_version(&mut json)?;
        let n_genes = self.integer(&mut json, "n_genes", None)?;
        if n_genes == 0 || n_genes > MAX_GENES as u64 {
            return Err(self.wrong("n_genes", format!("{n_genes}, expected 1 to {MAX_GENES}")));
        }
        let mut manifest = Manifest {
            n_cells: self.integer(&mut json, "n_cells", None)?,
            n_genes: n_genes as usize,
            tile_size: self.integer(&mut json, "tile_size", None)?,
            tile_cells: self.integers(&mut json, "tile_cells", false)?,
            tile_nnz: self.integers(&mut json, "tile_nnz", false)?,
            tile_bytes: self.integers(&mut json, "tile_bytes", false)?,
            n_chunks: self.integer(&mut json, "n_chunks", None)?,
            zstd_level: self.signed(&mut json, "zstd_level")?,
            has_gene_order: self.flag(&mut json, "has_gene_order")?,
            has_var_names: self.flag(&mut json, "has_var_names")?,
            has_var_table: self.flag(&mut json, "has_var_table")?,
            obs: None,
            metadata: json
                .shift_remove("metadata")
                .unwrap_or(Value::Object(Map::new())),
        };
        self.check_tiles(&manifest)?;
        manifest.obs = self.obs(&mut json, manifest.n_tiles())?;
        if let Some(key) = json.keys().next() {
            return Err(self.wrong(key, "not a key of this version"));
        }
        Ok(manifest)
    }

    fn check_version(&self, json: &mut Map<String, Value>) -> Result<()> {
        let format = json.shift_remove("format").unwrap_or_default();
        let version = json.shift_remove("version").unwrap_or_default();
        if format != FORMAT {
            return Err(Error::Version {
                path: self.path.to_owned(),
                problem: format!("its format is {format}, expected \"{FORMAT}\""),
            });
        }
        if version.as_u64() != Some(VERSION) {
            return Err(Error::Version {
                path: self.path.to_owned(),
                problem: format!("dataset version {version}, this build reads version {VERSION}"),
            });
        }
        Ok(())
    }

    fn check_tiles(&self, manifest: &Manifest) -> Result<()> {
        let n_tiles = manifest.n_tiles();
        for (key, len) in [
            ("tile_nnz", manifest.tile_nnz.len()),
            ("tile_bytes", manifest.tile_bytes.len()),
        ] {
            if len != n_tiles {
                return Err(self.wrong(key, format!("{len} values for {n_tiles} tiles")));
            }
        }
        if manifest.tile_size == 0 {
            return Err(self.wrong("tile_size", "0"));
        }
        for (tile, &cells) in manifest.tile_cells.iter().enumerate() {
            let is_last = tile + 1 == n_tiles;
            let is_right = if is_last {
                (1..=manifest.tile_size).contains(&cells)
            } else {
                cells == manifest.tile_size
            };
            if !is_right {
                return Err(self.wrong(
                    "tile_cells",
                    format!(
                        "tile {tile} has {cells} cells, tile_size is {}",
                        manifest.tile_size
                    ),
                ));
            }
        }
        let sum = manifest
            .tile_cells
            .iter()
            .try_fold(0u64, |sum, &cells| sum.checked_add(cells));
        if sum != Some(manifest.n_cells) {
            return Err(self.wrong(
                "n_cells",
                format!(
                    "{}, but the tiles hold {}",
                    manifest.n_cells,
                    sum.unwrap_or(u64::MAX)
                ),
            ));
        }
        Ok(())
    }

    fn obs(&self, json: &mut Map<String, Value>, n_tiles: usize) -> Result<Option<ObsSection>> {
        let has_obs = self.flag(json, "has_obs")?;
        let tiles_per_file =
            self.integer(json, "obs_tiles_per_file", Some(DEFAULT_TILES_PER_FILE))?;
        let fingerprint = match json.shift_remove("obs_fingerprint") {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let shard_bytes = self.integers(json, "obs_shard_bytes", true)?;
        let shard_sha256 = self.texts(json, "obs_shard_sha256")?;
        if !has_obs {
            // Its form matters also where there is no obs: it names a folder.
            if !fingerprint.is_empty() && !is_hex(&fingerprint, FINGERPRINT_LEN) {
                return Err(self.wrong("obs_fingerprint", "not of its form"));
            }
            return Ok(None);
        }
        let section = ObsSection {
            tiles_per_file: u32::try_from(tiles_per_file).unwrap_or(u32::MAX),
            fingerprint,
            shard_bytes,
            shard_sha256,
        };
        section
            .check(n_tiles)
            .map_err(|(key, problem)| self.wrong(key, problem))?;
        Ok(Some(section))
    }

    fn wrong(&self, key: &str, problem: impl Into<String>) -> Error {
        Error::corrupt(self.path, format!("key '{key}'"), problem)
    }

    fn integer(
        &self,
        json: &mut Map<String, Value>,
        key: &str,
        default: Option<u64>,
    ) -> Result<u64> {
        match (json.shift_remove(key), default) {
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.wrong(key, "missing")),
            (Some(value), _) => value
                .as_u64()
                .ok_or_else(|| self.wrong(key, format!("{value}, expected a whole number"))),
        }
    }

    fn signed(&self, json: &mut Map<String, Value>, key: &str) -> Result<i64> {
        let value = json
            .shift_remove(key)
            .ok_or_else(|| self.wrong(key, "missing"))?;
        value
            .as_i64()
            .ok_or_else(|| self.wrong(key, format!("{value}, expected a whole number")))
    }

    fn flag(&self, json: &mut Map<String, Value>, key: &str) -> Result<bool> {
        match json.shift_remove(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(value) => Err(self.wrong(key, format!("{value}, expected true or false"))),
        }
    }

    fn integers(
        &self,
        json: &mut Map<String, Value>,
        key: &str,
        is_optional: bool,
    ) -> Result<Vec<u64>> {
        let values = match json.shift_remove(key) {
            None if is_optional => return Ok(Vec::new()),
            None => return Err(self.wrong(key, "missing")),
            Some(Value::Array(values)) => values,
            Some(_) => return Err(self.wrong(key, "not a list")),
        };
        let number = |value: Value| {
            value
                .as_u64()
                .ok_or_else(|| self.wrong(key, format!("{value}, expected a whole number")))
        };
        values.into_iter().map(number).collect()
    }

    fn texts(&self, json: &mut Map<String, Value>, key: &str) -> Result<Vec<String>> {
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            value => Err(self.wrong(key, format!("{value}, expected a text"))),
        };
        match json.shift_remove(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => values.into_iter().map(text).collect(),
            Some(_) => Err(self.wrong(key, "not a list")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Manifest {
        Manifest {
            n_cells: 12,
            n_genes: 5,
            tile_size: 10,
            tile_cells: vec![10, 2],
            tile_nnz: vec![7, 0],
            tile_bytes: vec![300, 100],
            n_chunks: 8,
            zstd_level: 19,
            has_gene_order: true,
            has_var_names: true,
            has_var_table: false,
            obs: Some(ObsSection {
                tiles_per_file: 1000,
                fingerprint: "0123456789abcdef01234567".into(),
                shard_bytes: vec![10],
                shard_sha256: vec!["a".repeat(64)],
            }),
            metadata: serde_json::json!({"note": "\u{fc}"}),
        }
    }

    fn reread(text: &str) -> Result<Manifest> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(MANIFEST_FILE), text).unwrap();
        Ok(Manifest::read(folder.path())?.0)
    }

    #[test]
    fn what_is_written_is_read() {
        for manifest in [
            example(),
            Manifest {
                obs: None,
                ..example()
            },
        ] {
            let text = python_json::indented(&manifest.to_json());
            assert_eq!(reread(&text).unwrap(), manifest);
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let text = python_json::indented(&example().to_json());
        for (from, to) in [
            ("\"n_cells\": 12", "\"n_cells\": 13"),
            ("\"n_cells\": 12", "\"n_cells\": -12"),
            ("\"n_cells\": 12", "\"n_cells\": 12.0"),
            ("\"n_genes\": 5", "\"n_genes\": 65537"),
            ("\"n_genes\": 5", "\"n_genes\": 0"),
            ("\"tile_size\": 10", "\"tile_size\": 11"),
            ("\"n_chunks\": 8,", ""),
            ("\"n_chunks\": 8,", "\"n_chunks\": 8, \"other\": 1,"),
            ("0123456789abcdef01234567", "../../../evil"),
            ("\"version\": 1", "\"version\": \"1\""),
            ("\"version\": 1", "\"version\": 2"),
            ("deltacells-dataset", "zarr"),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(reread(&text.replace(from, to)).is_err(), "{to}");
        }
        assert!(matches!(reread(""), Err(Error::Corrupt { .. })));
        assert!(matches!(reread("[]"), Err(Error::Corrupt { .. })));
    }
}
