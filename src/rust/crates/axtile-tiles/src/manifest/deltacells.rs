//! The manifest of the deltacells format, version 1, as Python's json module
//! lays it out.

use std::path::Path;

use axtile_codec::deltacells::MAX_GENES;
use axtile_core::{Error, Result};
use serde_json::{Map, Value};

use super::keys::Keys;
use super::{FileEntry, Format, Layer, LayerKind, Manifest, ObsPart};
use crate::digest::{FINGERPRINT_LEN, is_hex};
use crate::obs::ObsSection;
use crate::python_json;

pub(super) const FORMAT: &str = "deltacells-dataset";
const VERSION: u64 = 1;
/// Obs shards hold this many tiles where the manifest does not say.
const DEFAULT_TILES_PER_FILE: u64 = 1000;
/// What the only layer is called, for which the format has no name.
pub(crate) const LAYER: &str = "counts";

/// The text of a manifest with one layer and at most one obs part.
pub(super) fn text(manifest: &Manifest, n_chunks: u64, zstd_level: i64) -> String {
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
    let part = manifest.obs_parts.first();
    let obs = part.map_or(&no_obs, |part| &part.section);
    let (nnz, bytes) = match manifest.layers.first() {
        Some(layer) => (layer.tile_nnz.clone(), layer.tile_bytes.clone()),
        None => Default::default(),
    };
    put("n_cells", manifest.n_cells.into());
    put("n_genes", manifest.n_genes.into());
    put("tile_size", manifest.tile_size.into());
    put("tile_cells", manifest.tile_cells.clone().into());
    put("tile_nnz", nnz.into());
    put("tile_bytes", bytes.into());
    put("n_chunks", n_chunks.into());
    put("zstd_level", zstd_level.into());
    put("has_gene_order", manifest.gene_order.is_there().into());
    put("has_var_names", manifest.var_names.is_there().into());
    put("metadata", manifest.metadata.clone());
    put("has_obs", part.is_some().into());
    put("obs_tiles_per_file", obs.tiles_per_file.into());
    put("obs_fingerprint", obs.fingerprint.clone().into());
    put("obs_shard_bytes", obs.shard_bytes.clone().into());
    put("obs_shard_sha256", obs.shard_sha256.clone().into());
    put("has_var_table", manifest.var_table.is_there().into());
    put("format", FORMAT.into());
    put("version", VERSION.into());
    python_json::indented(&Value::Object(json))
}

/// The manifest in `value`, which says that it is of this format.
pub(super) fn parse(path: &Path, value: Value) -> Result<Manifest> {
    let mut keys = Keys::new(path, "", value)?;
    keys.take("format");
    let version = keys.take("version").unwrap_or_default();
    if version.as_u64() != Some(VERSION) {
        return Err(Error::Version {
            path: path.to_owned(),
            problem: format!("dataset version {version}, this build reads version {VERSION}"),
        });
    }
    let n_genes = keys.integer("n_genes", None)?;
    if n_genes == 0 || n_genes > MAX_GENES as u64 {
        return Err(keys.wrong("n_genes", format!("{n_genes}, expected 1 to {MAX_GENES}")));
    }
    let n_cells = keys.integer("n_cells", None)?;
    let tile_size = keys.integer("tile_size", None)?;
    let tile_cells = keys.integers("tile_cells", false)?;
    let layer = Layer {
        name: LAYER.to_owned(),
        kind: LayerKind::Count,
        tile_nnz: keys.integers("tile_nnz", false)?,
        tile_bytes: keys.integers("tile_bytes", false)?,
        tile_checksum: Vec::new(),
    };
    check_tiles(&keys, n_cells, tile_size, &tile_cells, &layer)?;
    let format = Format::Deltacells {
        n_chunks: keys.integer("n_chunks", None)?,
        zstd_level: keys.signed("zstd_level")?,
    };
    let mut file = |key: &str| {
        Ok(match keys.flag(key)? {
            true => FileEntry::Unchecked,
            false => FileEntry::Absent,
        })
    };
    let gene_order = file("has_gene_order")?;
    let var_names = file("has_var_names")?;
    let var_table = file("has_var_table")?;
    let metadata = keys.take("metadata").unwrap_or(Value::Object(Map::new()));
    let obs = obs(&mut keys, tile_cells.len())?;
    keys.end()?;
    Ok(Manifest {
        format,
        n_cells,
        n_genes: n_genes as usize,
        tile_size,
        layers: vec![layer],
        gene_order,
        var_names,
        var_table,
        obs_parts: obs
            .map(|section| ObsPart {
                n_tiles: tile_cells.len(),
                section,
                schema: FileEntry::Unchecked,
            })
            .into_iter()
            .collect(),
        tile_cells,
        metadata,
    })
}

fn check_tiles(
    keys: &Keys,
    n_cells: u64,
    tile_size: u64,
    tile_cells: &[u64],
    layer: &Layer,
) -> Result<()> {
    let n_tiles = tile_cells.len();
    for (key, len) in [
        ("tile_nnz", layer.tile_nnz.len()),
        ("tile_bytes", layer.tile_bytes.len()),
    ] {
        if len != n_tiles {
            return Err(keys.wrong(key, format!("{len} values for {n_tiles} tiles")));
        }
    }
    if tile_size == 0 {
        return Err(keys.wrong("tile_size", "0"));
    }
    for (tile, &cells) in tile_cells.iter().enumerate() {
        let is_right = if tile + 1 == n_tiles {
            (1..=tile_size).contains(&cells)
        } else {
            cells == tile_size
        };
        if !is_right {
            let problem = format!("tile {tile} has {cells} cells, tile_size is {tile_size}");
            return Err(keys.wrong("tile_cells", problem));
        }
    }
    let sum = tile_cells
        .iter()
        .try_fold(0u64, |sum, &cells| sum.checked_add(cells));
    if sum != Some(n_cells) {
        let sum = sum.unwrap_or(u64::MAX);
        return Err(keys.wrong("n_cells", format!("{n_cells}, but the tiles hold {sum}")));
    }
    Ok(())
}

fn obs(keys: &mut Keys, n_tiles: usize) -> Result<Option<ObsSection>> {
    let has_obs = keys.flag("has_obs")?;
    let tiles_per_file = keys.integer("obs_tiles_per_file", Some(DEFAULT_TILES_PER_FILE))?;
    let fingerprint = match keys.take("obs_fingerprint") {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let shard_bytes = keys.integers("obs_shard_bytes", true)?;
    let shard_sha256 = keys.texts("obs_shard_sha256")?;
    if !has_obs {
        // Its form matters also where there is no obs: it names a folder.
        if !fingerprint.is_empty() && !is_hex(&fingerprint, FINGERPRINT_LEN) {
            return Err(keys.wrong("obs_fingerprint", "not of its form"));
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
        .map_err(|(key, problem)| keys.wrong(&format!("obs_{key}"), problem))?;
    Ok(Some(section))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::MANIFEST_FILE;

    fn example() -> Manifest {
        Manifest {
            format: Format::Deltacells {
                n_chunks: 8,
                zstd_level: 19,
            },
            n_cells: 12,
            n_genes: 5,
            tile_size: 10,
            tile_cells: vec![10, 2],
            layers: vec![Layer {
                name: LAYER.into(),
                kind: LayerKind::Count,
                tile_nnz: vec![7, 0],
                tile_bytes: vec![300, 100],
                tile_checksum: Vec::new(),
            }],
            gene_order: FileEntry::Unchecked,
            var_names: FileEntry::Unchecked,
            var_table: FileEntry::Absent,
            obs_parts: vec![ObsPart {
                n_tiles: 2,
                section: ObsSection {
                    tiles_per_file: 1000,
                    fingerprint: "0123456789abcdef01234567".into(),
                    shard_bytes: vec![10],
                    shard_sha256: vec!["a".repeat(64)],
                },
                schema: FileEntry::Unchecked,
            }],
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
                obs_parts: Vec::new(),
                ..example()
            },
        ] {
            let text = text(&manifest, 8, 19);
            assert_eq!(reread(&text).unwrap(), manifest);
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let text = text(&example(), 8, 19);
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
