//! Changes of several files that happen whole or not at all. Before the first
//! of them changes, all are linked into `.reorder.backup/` under their paths;
//! as long as that folder exists, the change is not done, and putting its
//! files back undoes it. Renaming the folder away is what completes a change.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::sync_folder;

use super::{paths, steps};

/// What the backup becomes in the moment the change is done.
const DONE: &str = ".reorder.done";

/// Makes the change `work`, which replaces or removes some of `files`.
///
/// # Errors
/// `Error::Argument` if another change is not done; what `work` reports, and
/// all files are then as before; `Error::Io` if they cannot be put back, which
/// opening the store to write tries again.
pub(super) fn change(
    root: &Path,
    files: &[PathBuf],
    work: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let backup = root.join(paths::BACKUP);
    if paths::identity(&backup)?.is_some() {
        return Err(Error::argument(format!(
            "a change of '{}' is not done: another program is at it, or it was interrupted, which \
             opening the store to write puts right",
            root.display()
        )));
    }
    steps::make_folder(&backup)?;
    match save(root, &backup, files).and_then(|()| work()) {
        Ok(()) => finish(root, &backup),
        Err(error) => {
            restore(root)?;
            Err(error)
        }
    }
}

fn save(root: &Path, backup: &Path, files: &[PathBuf]) -> Result<()> {
    let mut folders = vec![backup.to_owned()];
    for file in files {
        let Ok(relative) = file.strip_prefix(root) else {
            continue;
        };
        let saved = backup.join(relative);
        if let Some(folder) = saved.parent()
            && !folders.iter().any(|known| known == folder)
        {
            steps::make_folder(folder)?;
            folders.push(folder.to_owned());
        }
        steps::link(file, &saved)?;
    }
    folders.iter().try_for_each(|folder| sync_folder(folder))
}

fn finish(root: &Path, backup: &Path) -> Result<()> {
    let done = root.join(DONE);
    steps::remove_folder(&done)?;
    steps::rename(backup, &done)?;
    // The change is done; what is left is only untidy.
    let _ = sync_folder(root);
    let _ = steps::remove_folder(&done);
    Ok(())
}

/// Puts back the files of a change that was not done.
///
/// # Errors
/// `Error::Io` if that is not possible; nothing of the backup is then lost.
pub(super) fn restore(root: &Path) -> Result<()> {
    let backup = root.join(paths::BACKUP);
    if paths::identity(&backup)?.is_none() {
        let _ = steps::remove_folder(&root.join(DONE));
        return Ok(());
    }
    // It may say what the interrupted change left.
    super::index::remove(root)?;
    put_back(&backup, root)?;
    finish(root, &backup)
}

/// Refuses a store whose axes are in the middle of a reordering: their entries
/// and the values along them may not belong together.
pub(super) fn check_whole(root: &Path) -> Result<()> {
    let backup = root.join(paths::BACKUP);
    if paths::identity(&backup.join("axes"))?.is_none() {
        return Ok(());
    }
    Err(Error::corrupt(
        root,
        paths::BACKUP,
        "a reordering is not done; opening the store to write undoes it",
    ))
}

fn put_back(saved: &Path, live: &Path) -> Result<()> {
    for entry in fs::read_dir(saved).map_err(Error::io("list", saved))? {
        let entry = entry.map_err(Error::io("list", saved))?;
        let kind = entry.file_type().map_err(Error::io("inspect", saved))?;
        let target = live.join(entry.file_name());
        if kind.is_dir() {
            if paths::identity(&target)?.is_none() {
                steps::make_folder(&target)?;
            }
            put_back(&entry.path(), &target)?;
        } else if kind.is_file() {
            let mut beside = entry.file_name();
            beside.push(".restored");
            let beside = live.join(beside);
            steps::remove_file(&beside)?;
            steps::link(&entry.path(), &beside)?;
            steps::rename(&beside, &target)?;
            // Renaming a file to another name of its own leaves both.
            steps::remove_file(&beside)?;
        }
    }
    sync_folder(live)
}
