//! When what was written is on the disk.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::sync_folder;

/// When a write is on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the call returns.
    #[default]
    Full,
    /// When `flush` or `close` returns; metadata never before they are whole.
    Fast,
}

/// Files and folders that are still to be brought to the disk.
#[derive(Debug, Default)]
pub(crate) struct Dirty(BTreeSet<PathBuf>);

impl Dirty {
    pub(crate) fn insert(&mut self, path: &Path) {
        self.0.insert(path.to_owned());
    }

    /// Brings all to the disk; what fails stays on the list.
    pub(crate) fn flush(&mut self) -> Result<()> {
        while let Some(path) = self.0.first() {
            if path.is_dir() {
                sync_folder(path)?;
            } else {
                let file = File::options()
                    .read(true)
                    .write(true)
                    .open(path)
                    .map_err(Error::io("open", path))?;
                file.sync_all().map_err(Error::io("write", path))?;
            }
            self.0.pop_first();
        }
        Ok(())
    }

    /// The paths under another folder, which took the first one's place.
    pub(crate) fn moved(&mut self, from: &Path, to: &Path) {
        self.0 = std::mem::take(&mut self.0)
            .into_iter()
            .map(|path| match path.strip_prefix(from) {
                Ok(rest) => to.join(rest),
                Err(_) => path,
            })
            .collect();
    }
}

/// Ending of a file that is to take another's place.
pub(crate) const TEMPORARY: &str = "axtile-tmp";

/// Puts `bytes` in the place of the file at `path`, whole at any time. The new
/// content is on the disk before it takes the name; the name is when `dirty`
/// is flushed.
pub(crate) fn publish(path: &Path, bytes: &[u8], dirty: &mut Dirty) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{TEMPORARY}"));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(Error::io("write", path));
    if written.is_err() {
        // The first error matters; recovery knows what a leftover is.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    if let Some(folder) = path.parent() {
        dirty.insert(folder);
    }
    Ok(())
}
