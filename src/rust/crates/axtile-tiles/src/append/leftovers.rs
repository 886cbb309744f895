//! What an append that was cut off left behind: files of our own making that
//! the manifest does not speak of. Anything else stays.

use std::fs::{self, DirEntry};
use std::path::Path;

use axtile_core::{Error, Result};

use crate::manifest::{MANIFEST_FILE, Manifest, tiles_folder};
use crate::write::Scratch;

/// Removes leftovers from the dataset in `folder`, which nobody else writes.
pub(super) fn remove(folder: &Path, manifest: &Manifest) -> Result<()> {
    remove_where(folder, |name| {
        name == Scratch::NAME || is_temporary(name, MANIFEST_FILE)
    })?;
    for layer in 0..manifest.layers.len() {
        remove_where(&folder.join(tiles_folder(manifest.format, layer)), |name| {
            let number = name
                .strip_prefix("tile_")
                .and_then(|rest| rest.split_once(".axt"));
            number.is_some_and(|(number, rest)| {
                let tile = number.parse::<usize>();
                tile.is_ok_and(|tile| tile >= manifest.n_tiles() || is_temporary(rest, ""))
            })
        })?;
    }
    remove_where(&folder.join("obs"), |name| {
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        let part = name.parse::<usize>();
        is_number && part.is_ok_and(|part| part >= manifest.obs_parts.len())
    })
}

/// Whether this is the name of `name` while it is being written.
fn is_temporary(found: &str, name: &str) -> bool {
    let process = found
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(".tmp"));
    process.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn remove_where(folder: &Path, is_leftover: impl Fn(&str) -> bool) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(Error::io("read", folder))?,
    };
    for entry in entries {
        let entry: DirEntry = entry.map_err(Error::io("read", folder))?;
        if !is_leftover(&entry.file_name().to_string_lossy()) {
            continue;
        }
        let path = entry.path();
        let kind = entry.file_type().map_err(Error::io("inspect", &path))?;
        if kind.is_dir() {
            fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        } else {
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}
