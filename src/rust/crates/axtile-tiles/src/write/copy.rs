//! What stays the same when a dataset is written anew is copied byte for byte.

use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::{Map, write_file};
use sha2::{Digest, Sha256};

use super::{DatasetFormat, WriteOptions, make_folder};
use crate::dataset::Dataset;
use crate::digest::hex;
use crate::manifest::{FileEntry, Manifest, ObsPart, obs_folder};
use crate::obs::{SCHEMA_FILE, part_files};
use crate::source::CellSource;
use crate::var::{NAMES_FILE, TABLE_FILE};

/// The tiles of the dataset that `source` reads, if the new one is to have the
/// same.
pub(super) fn kept_tiles(
    source: &dyn CellSource,
    options: &WriteOptions,
) -> Option<Vec<Range<u64>>> {
    let manifest = source.dataset()?.manifest();
    let is_even = || {
        let (last, full) = manifest.tile_cells.split_last()?;
        let is_full = full.iter().all(|&cells| cells == options.tile_size);
        (is_full && *last <= options.tile_size).then_some(())
    };
    if manifest.tile_size != options.tile_size {
        return None;
    }
    if let DatasetFormat::Deltacells { .. } = options.format {
        is_even()?;
    }
    Some(ranges_of(manifest))
}

fn ranges_of(manifest: &Manifest) -> Vec<Range<u64>> {
    let mut end = 0;
    let range = |&cells: &u64| {
        end += cells;
        end - cells..end
    };
    manifest.tile_cells.iter().map(range).collect()
}

/// Copies obs, if the new dataset has the same tiles and can hold the parts.
pub(super) fn obs(
    source: &dyn CellSource,
    format: DatasetFormat,
    tiles: &[Range<u64>],
    folder: &Path,
) -> Result<Option<Vec<ObsPart>>> {
    let Some(dataset) = source.dataset() else {
        return Ok(None);
    };
    let manifest = dataset.manifest();
    let holds_many = !matches!(format, DatasetFormat::Deltacells { .. });
    if ranges_of(manifest) != tiles || !(holds_many || manifest.obs_parts.len() <= 1) {
        return Ok(None);
    }
    // Refuses columns that contradict each other.
    dataset.obs_fields()?;
    let mut parts = Vec::with_capacity(manifest.obs_parts.len());
    for (idx, part) in manifest.obs_parts.iter().enumerate() {
        let from = dataset.folder().join(manifest.obs_folder(idx));
        let to = folder.join(obs_folder(format.of_manifest(), idx));
        make_folder(&to)?;
        for (file, name) in part_files(&part.section).enumerate() {
            let path = from.join(&name);
            let map = Map::open(&path)?;
            match file
                .checked_sub(1)
                .and_then(|i| part.section.shard_sha256.get(i))
            {
                None => part.schema.check(&path)?,
                Some(expected) => {
                    let found = hex(Sha256::new_with_prefix(&*map));
                    if found != *expected {
                        let problem = format!("the SHA-256 is {found}, expected {expected}");
                        return Err(Error::corrupt(&path, "its bytes", problem));
                    }
                }
            }
            write_file(&to.join(&name), &map)?;
        }
        parts.push(ObsPart {
            n_tiles: part.n_tiles,
            section: part.section.clone(),
            schema: format.entry(&to.join(SCHEMA_FILE))?,
        });
    }
    Ok(Some(parts))
}

/// Copies names and annotations of the genes; what the manifest says of the two.
pub(super) fn var(
    dataset: &Dataset,
    format: DatasetFormat,
    folder: &Path,
) -> Result<(FileEntry, FileEntry)> {
    // Refuses what is damaged.
    dataset.var()?;
    let manifest = dataset.manifest();
    let copy = |entry: FileEntry, name: &str| {
        if !entry.is_there() {
            return Ok(FileEntry::Absent);
        }
        let to = folder.join(name);
        write_file(&to, &Map::open(&dataset.folder().join(name))?)?;
        format.entry(&to)
    };
    Ok((
        copy(manifest.var_names, NAMES_FILE)?,
        copy(manifest.var_table, TABLE_FILE)?,
    ))
}
