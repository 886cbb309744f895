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

    /// Brings all to the disk; on failure all stays on the list.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let paths: Vec<PathBuf> = self.0.iter().cloned().collect();
        sync_paths(&paths)?;
        self.0.clear();
        Ok(())
    }

    /// The paths under another folder, which took the first one's place.
    pub(crate) fn moved(&mut self, from: &Path, to: &Path) {
        // A folder's paths follow it: a long list is not gone through.
        let under: Vec<PathBuf> = self
            .0
            .range(from.to_owned()..)
            .take_while(|path| path.starts_with(from))
            .cloned()
            .collect();
        for path in under {
            if let Ok(rest) = path.strip_prefix(from) {
                self.0.insert(to.join(rest));
            }
            self.0.remove(&path);
        }
    }
}

/// Waits for the disk at a time: journals bring several files there as one.
const WAITING: usize = 8;

/// Brings files and folders to the disk.
pub(crate) fn sync_paths(paths: &[PathBuf]) -> Result<()> {
    let sync = |own: &[PathBuf]| own.iter().try_for_each(|path| sync_path(path));
    let share = paths.len().div_ceil(WAITING).max(1);
    let mut shares = paths.chunks(share);
    let first = shares.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = shares.map(|own| scope.spawn(move || sync(own))).collect();
        let done = sync(first);
        threads.into_iter().fold(done, |done, thread| {
            done.and(
                thread.join().unwrap_or_else(|_| {
                    Err(Error::argument("a thread that wrote files ended early"))
                }),
            )
        })
    })
}

fn sync_path(path: &Path) -> Result<()> {
    if path.is_dir() {
        return sync_folder(path);
    }
    File::options()
        .read(true)
        .write(true)
        .open(path)
        .and_then(|file| file.sync_all())
        .map_err(Error::io("write", path))
}

/// Ending of a file that is to take another's place.
pub(crate) const TEMPORARY: &str = "axtile-tmp";

/// Writes `bytes` to a file beside `path`, whose place it is to take.
pub(crate) fn write_temporary(path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{TEMPORARY}"));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .map_err(Error::io("write", &temporary));
    if written.is_err() {
        // The first error matters; recovery knows what a leftover is.
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| temporary)
}

/// Puts `bytes` in the place of the file at `path`, whole at any time. The new
/// content is on the disk before it takes the name; the name is when `dirty`
/// is flushed.
pub(crate) fn publish(path: &Path, bytes: &[u8], dirty: &mut Dirty) -> Result<()> {
    let temporary = write_temporary(path, bytes)?;
    let renamed = sync_path(&temporary)
        .and_then(|()| fs::rename(&temporary, path).map_err(Error::io("write", path)));
    if renamed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    renamed?;
    if let Some(folder) = path.parent() {
        dirty.insert(folder);
    }
    Ok(())
}
