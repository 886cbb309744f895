//! The manifest of the axtile format, version 1.
//!
//! The text ends in a checksum of all that stands before it, so that every
//! changed byte is found:
//! `"checksum": "<16 hex digits: XXH3 of 64 bits>"`, a line break, `}` and a line
//! break.

use std::collections::HashSet;
use std::path::Path;

use axtile_codec::grid::MAX_GENES;
use axtile_core::{Error, Result};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::keys::Keys;
use super::{FileEntry, FileFacts, Format, Layer, LayerKind, Manifest, ObsPart};
use crate::digest::is_hex;
use crate::obs::ObsSection;
use crate::python_json;

pub(super) const FORMAT: &str = "axtile-tiles";
const VERSION: u64 = 1;
/// R's numbers count cells, and not every whole number beyond is one: 2^53.
pub(crate) const MAX_CELLS: u64 = 1 << 53;
/// What the text ends with, around the checksum.
const TAIL: (&str, &str) = ("\"checksum\": \"", "\"\n}\n");
const CHECKSUM_LEN: usize = 16;

/// The text of a manifest.
pub(super) fn text(manifest: &Manifest) -> String {
    let json = json!({
        "format": FORMAT,
        "version": VERSION,
        "required": [],
        "n_cells": manifest.n_cells,
        "n_genes": manifest.n_genes,
        "tile_size": manifest.tile_size,
        "tile_cells": manifest.tile_cells,
        "gene_order": file_json(manifest.gene_order),
        "var_names": file_json(manifest.var_names),
        "var_table": file_json(manifest.var_table),
        "layers": manifest.layers.iter().map(layer_json).collect::<Vec<_>>(),
        "obs_parts": manifest.obs_parts.iter().map(part_json).collect::<Vec<_>>(),
        "metadata": manifest.metadata,
    });
    let text = python_json::indented(&json);
    let mut text = text.strip_suffix("\n}").unwrap_or(&text).to_owned();
    text.push_str(",\n  ");
    let checksum = xxh3_64(text.as_bytes());
    text + &format!("{}{checksum:016x}{}", TAIL.0, TAIL.1)
}

fn file_json(file: FileEntry) -> Value {
    match file {
        FileEntry::Checked(facts) => {
            json!({"bytes": facts.bytes, "xxh3": format!("{:016x}", facts.xxh3)})
        }
        FileEntry::Absent | FileEntry::Unchecked => Value::Null,
    }
}

fn layer_json(layer: &Layer) -> Value {
    let checksums = layer.tile_checksum.iter();
    json!({
        "name": layer.name,
        "kind": layer.kind.name(),
        "tile_nnz": layer.tile_nnz,
        "tile_bytes": layer.tile_bytes,
        "tile_checksum": checksums.map(|sum| format!("{sum:016x}")).collect::<Vec<_>>(),
    })
}

fn part_json(part: &ObsPart) -> Value {
    json!({
        "n_tiles": part.n_tiles,
        "tiles_per_file": part.section.tiles_per_file,
        "fingerprint": part.section.fingerprint,
        "schema": file_json(part.schema),
        "shard_bytes": part.section.shard_bytes,
        "shard_sha256": part.section.shard_sha256,
    })
}

/// The manifest in `value`, whose text is `text` and which says that it is of
/// this format.
pub(super) fn parse(path: &Path, value: Value, text: &[u8]) -> Result<Manifest> {
    let mut keys = Keys::new(path, "", value)?;
    keys.take("format");
    let version = keys.take("version").unwrap_or_default();
    if version.as_u64() != Some(VERSION) {
        return Err(Error::Version {
            path: path.to_owned(),
            problem: format!("dataset version {version}, this build reads version {VERSION}"),
        });
    }
    check_text(path, text)?;
    if let Some(feature) = keys.texts("required")?.first() {
        return Err(Error::Version {
            path: path.to_owned(),
            problem: format!("it needs the feature '{feature}', which this build does not know"),
        });
    }
    let n_cells = keys.integer("n_cells", None)?;
    let n_genes = keys.integer("n_genes", None)?;
    if n_genes == 0 || n_genes > MAX_GENES as u64 {
        return Err(keys.wrong("n_genes", format!("{n_genes}, expected 1 to {MAX_GENES}")));
    }
    let tile_size = keys.integer("tile_size", None)?;
    if tile_size == 0 {
        return Err(keys.wrong("tile_size", "0"));
    }
    let tile_cells = keys.integers("tile_cells", false)?;
    if let Some(tile) = tile_cells.iter().position(|&cells| cells == 0) {
        return Err(keys.wrong("tile_cells", format!("tile {tile} has no cell")));
    }
    let sum = tile_cells
        .iter()
        .try_fold(0u64, |sum, &cells| sum.checked_add(cells));
    if sum != Some(n_cells) || !(1..=MAX_CELLS).contains(&n_cells) {
        let sum = sum.unwrap_or(u64::MAX);
        let problem = format!("{n_cells}, but the tiles hold {sum}; expected 1 to {MAX_CELLS}");
        return Err(keys.wrong("n_cells", problem));
    }
    let manifest = Manifest {
        format: Format::Axtile,
        n_cells,
        n_genes: n_genes as usize,
        tile_size,
        gene_order: file(path, &mut keys, "gene_order", "")?,
        var_names: file(path, &mut keys, "var_names", "")?,
        var_table: file(path, &mut keys, "var_table", "")?,
        layers: layers(path, &mut keys, tile_cells.len())?,
        obs_parts: obs_parts(path, &mut keys, tile_cells.len())?,
        tile_cells,
        metadata: keys.value("metadata")?,
    };
    keys.value("checksum")?;
    keys.end()?;
    Ok(manifest)
}

fn check_text(path: &Path, text: &[u8]) -> Result<()> {
    let wrong = |problem: String| Err(Error::corrupt(path, "key 'checksum'", problem));
    let (start, end) = (TAIL.0.as_bytes(), TAIL.1.as_bytes());
    let digits = text
        .strip_suffix(end)
        .and_then(|text| text.split_last_chunk::<CHECKSUM_LEN>())
        .and_then(|(text, digits)| Some((text.strip_suffix(start)?, digits)));
    let Some((text, digits)) = digits else {
        return wrong("not at the end, as it is written".into());
    };
    let expected = format!("{:016x}", xxh3_64(text));
    if expected.as_bytes() == digits {
        return Ok(());
    }
    let found = String::from_utf8_lossy(digits);
    wrong(format!("{found}, but that of the text is {expected}"))
}

fn hex_number(keys: &Keys, key: &str, text: &str) -> Result<u64> {
    let number = u64::from_str_radix(text, 16).ok();
    number
        .filter(|_| is_hex(text, CHECKSUM_LEN))
        .ok_or_else(|| keys.wrong(key, format!("{text:?}, expected {CHECKSUM_LEN} hex digits")))
}

fn file(path: &Path, keys: &mut Keys, key: &str, place: &str) -> Result<FileEntry> {
    let value = keys.value(key)?;
    if value.is_null() {
        return Ok(FileEntry::Absent);
    }
    let mut keys = Keys::new(path, format!("{place}{key}."), value)?;
    let bytes = keys.integer("bytes", None)?;
    let text = keys.text("xxh3")?;
    let xxh3 = hex_number(&keys, "xxh3", &text)?;
    keys.end()?;
    Ok(FileEntry::Checked(FileFacts { bytes, xxh3 }))
}

fn layers(path: &Path, keys: &mut Keys, n_tiles: usize) -> Result<Vec<Layer>> {
    let values = keys.list("layers")?.unwrap_or_default();
    if values.is_empty() {
        return Err(keys.wrong("layers", "no layer; a dataset has at least one"));
    }
    let mut names = HashSet::new();
    let mut layers = Vec::new();
    for (idx, value) in values.into_iter().enumerate() {
        let mut keys = Keys::new(path, format!("layers[{idx}]."), value)?;
        let name = keys.text("name")?;
        if !names.insert(name.clone()) || name.is_empty() {
            return Err(keys.wrong("name", format!("'{name}': empty, or that of two layers")));
        }
        let kind = keys.text("kind")?;
        let kind = LayerKind::from_name(&kind)
            .ok_or_else(|| keys.wrong("kind", format!("'{kind}' is not known")))?;
        let tile_nnz = keys.integers("tile_nnz", false)?;
        let tile_bytes = keys.integers("tile_bytes", false)?;
        let texts = keys.texts("tile_checksum")?;
        let tile_checksum: Vec<u64> = texts
            .iter()
            .map(|text| hex_number(&keys, "tile_checksum", text))
            .collect::<Result<_>>()?;
        for (key, len) in [
            ("tile_nnz", tile_nnz.len()),
            ("tile_bytes", tile_bytes.len()),
            ("tile_checksum", tile_checksum.len()),
        ] {
            if len != n_tiles {
                return Err(keys.wrong(key, format!("{len} values for {n_tiles} tiles")));
            }
        }
        keys.end()?;
        layers.push(Layer {
            name,
            kind,
            tile_nnz,
            tile_bytes,
            tile_checksum,
        });
    }
    Ok(layers)
}

fn obs_parts(path: &Path, keys: &mut Keys, n_tiles: usize) -> Result<Vec<ObsPart>> {
    let values = keys.list("obs_parts")?;
    let values = values.ok_or_else(|| keys.wrong("obs_parts", "missing"))?;
    let mut parts = Vec::new();
    let mut n_covered = 0usize;
    for (idx, value) in values.into_iter().enumerate() {
        let place = format!("obs_parts[{idx}].");
        let mut keys = Keys::new(path, place.as_str(), value)?;
        let n_part = keys.integer("n_tiles", None)?;
        let n_left = n_tiles - n_covered;
        if n_part == 0 || n_part > n_left as u64 {
            return Err(keys.wrong("n_tiles", format!("{n_part}, expected 1 to {n_left}")));
        }
        n_covered += n_part as usize;
        let tiles_per_file = keys.integer("tiles_per_file", None)?;
        let section = ObsSection {
            tiles_per_file: u32::try_from(tiles_per_file)
                .map_err(|_| keys.wrong("tiles_per_file", "above 2^32-1"))?,
            fingerprint: keys.text("fingerprint")?,
            shard_bytes: keys.integers("shard_bytes", false)?,
            shard_sha256: keys.texts("shard_sha256")?,
        };
        section
            .check(n_part as usize)
            .map_err(|(key, problem)| keys.wrong(key, problem))?;
        let schema = file(path, &mut keys, "schema", &place)?;
        if schema == FileEntry::Absent {
            return Err(keys.wrong("schema", "null"));
        }
        keys.end()?;
        parts.push(ObsPart {
            n_tiles: n_part as usize,
            section,
            schema,
        });
    }
    if !parts.is_empty() && n_covered != n_tiles {
        let problem = format!("of {n_covered} tiles in all, expected {n_tiles}");
        return Err(keys.wrong("obs_parts", problem));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::MANIFEST_FILE;

    fn example() -> Manifest {
        let facts = FileFacts {
            bytes: 12,
            xxh3: 0x00ab_cdef,
        };
        let layer = |name: &str| Layer {
            name: name.into(),
            kind: LayerKind::Count,
            tile_nnz: vec![7, 0, 3],
            tile_bytes: vec![300, 100, 5],
            tile_checksum: vec![1, u64::MAX, 0],
        };
        let part = |n_tiles: usize| ObsPart {
            n_tiles,
            section: ObsSection {
                tiles_per_file: 1000,
                fingerprint: "0123456789abcdef01234567".into(),
                shard_bytes: vec![10],
                shard_sha256: vec!["a".repeat(64)],
            },
            schema: FileEntry::Checked(facts),
        };
        Manifest {
            format: Format::Axtile,
            n_cells: 15,
            n_genes: 70_000,
            tile_size: 10,
            tile_cells: vec![10, 2, 3],
            layers: vec![layer("counts"), layer("\u{fc}")],
            gene_order: FileEntry::Checked(facts),
            var_names: FileEntry::Checked(facts),
            var_table: FileEntry::Absent,
            obs_parts: vec![part(1), part(2)],
            metadata: json!({"checksum": "\"checksum\": \"\n}", "empty": {}}),
        }
    }

    fn reread(text: &[u8]) -> Result<Manifest> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(MANIFEST_FILE), text).unwrap();
        Ok(Manifest::read(folder.path())?.0)
    }

    /// As if a writer had written this.
    fn with_checksum(text: &str) -> String {
        let body = &text[..text.len() - TAIL.1.len() - CHECKSUM_LEN - TAIL.0.len()];
        format!(
            "{body}{}{:016x}{}",
            TAIL.0,
            xxh3_64(body.as_bytes()),
            TAIL.1
        )
    }

    #[test]
    fn what_is_written_is_read() {
        let without = Manifest {
            obs_parts: Vec::new(),
            ..example()
        };
        for manifest in [example(), without] {
            let text = text(&manifest);
            assert_eq!(reread(text.as_bytes()).unwrap(), manifest);
            assert_eq!(with_checksum(&text), text);
        }
    }

    #[test]
    fn every_changed_byte_and_every_truncation_is_found() {
        let text = text(&example()).into_bytes();
        for at in 0..text.len() {
            for flip in [1, 0x20, 0x80] {
                let mut damaged = text.clone();
                damaged[at] ^= flip;
                assert!(reread(&damaged).is_err(), "byte {at}");
            }
            assert!(reread(&text[..at]).is_err(), "{at} bytes");
        }
        assert!(reread(&[text.as_slice(), b"\n"].concat()).is_err());
    }

    #[test]
    fn contradictions_are_refused() {
        let text = text(&example());
        for (from, to) in [
            ("\"n_cells\": 15", "\"n_cells\": 14"),
            ("\"n_cells\": 15", "\"n_cells\": 15.0"),
            ("\"n_genes\": 70000", "\"n_genes\": 2147483648"),
            ("\"n_genes\": 70000", "\"n_genes\": 0"),
            ("\"n_genes\": 70000", "\"n_genes\": 1, \"other\": 1"),
            ("\"tile_size\": 10", "\"tile_size\": 0"),
            ("    2,\n    3\n", "    5,\n    0\n"),
            ("    2,\n    3\n", "    5\n"),
            ("    2,\n    3\n", "    18446744073709551615,\n    5\n"),
            ("\"\\u00fc\"", "\"counts\""),
            ("\"kind\": \"count\"", "\"kind\": \"complex\""),
            ("\"n_tiles\": 2", "\"n_tiles\": 1"),
            ("\"n_tiles\": 2", "\"n_tiles\": 3"),
            ("\"n_tiles\": 2", "\"n_tiles\": 18446744073709551615"),
            ("0123456789abcdef01234567", "../../../evil"),
            ("\"tiles_per_file\": 1000", "\"tiles_per_file\": 0"),
            ("0000000000abcdef", "0000000000ABCDEF"),
            ("\"version\": 1", "\"version\": 2"),
            ("\"required\": []", "\"required\": [\"time travel\"]"),
            ("axtile-tiles", "zarr"),
        ] {
            assert!(text.contains(from), "{from}");
            let changed = with_checksum(&text.replacen(from, to, 1));
            assert!(reread(changed.as_bytes()).is_err(), "{to}");
        }
        let future = text.replace("\"required\": []", "\"required\": [\"x\"]");
        let refused = reread(with_checksum(&future).as_bytes());
        assert!(matches!(refused, Err(Error::Version { .. })));
    }
}
