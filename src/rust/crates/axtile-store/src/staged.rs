//! Folders that appear complete or not at all.
//!
//! A store at `data.tiles` is built in `.data.tiles.axtile-partial` beside it,
//! under the lock `.data.tiles.axtile-lock`, and then takes the name in one
//! step. Where an earlier store has the name, both folders trade places
//! (Linux and macOS); elsewhere the earlier one first moves to
//! `.data.tiles.axtile-earlier`, from where [`restore_interrupted`] brings it
//! back after a crash between the two renames.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use crate::durable::{parent, sync_folder};
use crate::lock::FileLock;

/// How a [`StagedFolder`] treats what is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageMode {
    /// Replace a store that has the name already.
    pub overwrite: bool,
    /// Go on with what an earlier, unfinished attempt left, and leave our own
    /// work to the next attempt if this one fails.
    pub resume: bool,
}

/// A folder under construction. Dropped without [`StagedFolder::commit`], it
/// goes away (unless it is to be resumed) and the target is untouched.
#[derive(Debug)]
pub struct StagedFolder {
    target: PathBuf,
    folder: PathBuf,
    mode: StageMode,
    committed: bool,
    _lock: FileLock,
}

impl StagedFolder {
    /// Starts a folder that is to become `target`. `is_store` tells whether an
    /// existing folder is one that may be replaced: anything else is never
    /// overwritten.
    ///
    /// # Errors
    /// `Error::Exists` if the target exists and is not to be overwritten,
    /// `Error::Argument` if it is no store, or is being written by another
    /// process, `Error::Io` otherwise.
    pub fn create(
        target: &Path,
        mode: StageMode,
        is_store: impl FnOnce(&Path) -> bool,
    ) -> Result<StagedFolder> {
        // What a link leads to is replaced, not the link.
        let resolved = fs::canonicalize(target);
        let target = resolved.as_deref().unwrap_or(target);
        let name = target.file_name().ok_or_else(|| {
            Error::argument(format!("'{}' does not name a folder", target.display()))
        })?;
        let lock = lock_named(target, name)?;
        settle_earlier(target, name)?;
        if fs::symlink_metadata(target).is_ok() {
            if !mode.overwrite {
                return Err(Error::Exists {
                    path: target.to_owned(),
                });
            }
            if !is_store(target) {
                return Err(Error::argument(format!(
                    "'{}' is not a store of this kind and is not overwritten; \
                     remove it first if that is meant",
                    target.display()
                )));
            }
        }
        let folder = beside(target, name, "partial");
        if folder.exists() && !mode.resume {
            fs::remove_dir_all(&folder).map_err(Error::io("remove", &folder))?;
        }
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        Ok(StagedFolder {
            target: target.to_owned(),
            folder,
            mode,
            committed: false,
            _lock: lock,
        })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The name that the folder will take.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the folder its name. The files in it must be on the disk already.
    ///
    /// # Errors
    /// `Error::Io`; what had the name still has it then, unless the disk fails
    /// at the very end, when the new store has the name already.
    pub fn commit(self) -> Result<()> {
        self.commit_by(exchange)
    }

    fn commit_by(mut self, exchange: impl Fn(&Path, &Path) -> Result<bool>) -> Result<()> {
        sync_folder(&self.folder)?;
        let earlier = if fs::symlink_metadata(&self.target).is_ok() {
            Some(self.replace(exchange)?)
        } else {
            fs::rename(&self.folder, &self.target).map_err(Error::io("create", &self.target))?;
            None
        };
        self.committed = true;
        // The earlier store goes only when the new name is on the disk. That it
        // cannot be removed is no failure of the write.
        let synced = sync_folder(&parent(&self.target));
        if let Some(earlier) = earlier {
            let _ = fs::remove_dir_all(earlier);
        }
        synced
    }

    /// Puts the folder in the place of the earlier store; where that one is now.
    fn replace(&self, exchange: impl Fn(&Path, &Path) -> Result<bool>) -> Result<PathBuf> {
        if exchange(&self.folder, &self.target)? {
            return Ok(self.folder.clone());
        }
        let name = self.target.file_name().unwrap_or_default();
        let earlier = beside(&self.target, name, "earlier");
        fs::rename(&self.target, &earlier).map_err(Error::io("replace", &self.target))?;
        if let Err(source) = fs::rename(&self.folder, &self.target) {
            // Best effort: `restore_interrupted` does the same later.
            let _ = fs::rename(&earlier, &self.target);
            return Err(Error::io("replace", &self.target)(source));
        }
        Ok(earlier)
    }
}

impl Drop for StagedFolder {
    fn drop(&mut self) {
        if !self.committed && !self.mode.resume {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Takes the lock on the store at `target`, which is to be changed in place.
///
/// # Errors
/// `Error::Argument` if another process is writing it, `Error::Io` if the lock
/// cannot be taken.
pub fn lock_store(target: &Path) -> Result<FileLock> {
    let resolved = fs::canonicalize(target);
    let target = resolved.as_deref().unwrap_or(target);
    lock_named(target, target.file_name().unwrap_or_default())
}

fn lock_named(target: &Path, name: &std::ffi::OsStr) -> Result<FileLock> {
    FileLock::try_take(&beside(target, name, "lock"))?.ok_or_else(|| {
        Error::argument(format!(
            "'{}' is being written by another process",
            target.display()
        ))
    })
}

/// Brings back a store whose replacement was cut off between two renames.
/// Leaves it to a writer that is at work just now.
///
/// # Errors
/// `Error::Io` if the rename is refused.
pub fn restore_interrupted(target: &Path) -> Result<()> {
    let Some(name) = target.file_name() else {
        return Ok(());
    };
    let is_lost = fs::symlink_metadata(target).is_err()
        && fs::symlink_metadata(beside(target, name, "earlier")).is_ok();
    if is_lost && let Some(_lock) = FileLock::try_take(&beside(target, name, "lock"))? {
        settle_earlier(target, name)?;
    }
    Ok(())
}

/// Under the lock: an earlier store that was set aside comes back if the new one
/// did not take its place, and goes if it did.
fn settle_earlier(target: &Path, name: &std::ffi::OsStr) -> Result<()> {
    let earlier = beside(target, name, "earlier");
    if fs::symlink_metadata(&earlier).is_err() {
        Ok(())
    } else if fs::symlink_metadata(target).is_ok() {
        fs::remove_dir_all(&earlier).map_err(Error::io("remove", &earlier))
    } else {
        fs::rename(&earlier, target).map_err(Error::io("restore", target))
    }
}

/// Trades two folders in one step; `false` where system or file system cannot.
fn exchange(a: &Path, b: &Path) -> Result<bool> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
            Err(errno) => Err(Error::io("replace", b)(errno.into())),
        }
    }
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    {
        let _ = (a, b);
        Ok(false)
    }
}

fn beside(target: &Path, name: &std::ffi::OsStr, role: &str) -> PathBuf {
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".axtile-{role}"));
    target.with_file_name(hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: StageMode = StageMode {
        overwrite: false,
        resume: false,
    };
    const REPLACE: StageMode = StageMode {
        overwrite: true,
        resume: false,
    };

    fn write(target: &Path, mode: StageMode, text: &str) -> Result<()> {
        let staged = StagedFolder::create(target, mode, |path| path.join("store").exists())?;
        fs::write(staged.path().join("store"), text).unwrap();
        staged.commit()
    }

    fn entries(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn appears_whole_and_replaces_only_stores() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.tiles");
        write(&target, NEW, "one").unwrap();
        assert!(matches!(
            write(&target, NEW, "two"),
            Err(Error::Exists { .. })
        ));
        assert_eq!(fs::read_to_string(target.join("store")).unwrap(), "one");
        write(&target, REPLACE, "two").unwrap();
        assert_eq!(fs::read_to_string(target.join("store")).unwrap(), "two");
        assert_eq!(entries(folder.path()), ["x.tiles"]);

        let other = folder.path().join("precious");
        fs::create_dir(&other).unwrap();
        assert!(matches!(
            write(&other, REPLACE, "x"),
            Err(Error::Argument { .. })
        ));
        assert!(other.is_dir());
    }

    #[test]
    fn leaves_nothing_when_dropped_and_keeps_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x");
        write(&target, NEW, "one").unwrap();
        let staged = StagedFolder::create(&target, REPLACE, |_| true).unwrap();
        fs::write(staged.path().join("half"), "").unwrap();
        assert!(matches!(
            StagedFolder::create(&target, REPLACE, |_| true),
            Err(Error::Argument { .. })
        ));
        drop(staged);
        assert_eq!(entries(folder.path()), ["x"]);
        assert_eq!(fs::read_to_string(target.join("store")).unwrap(), "one");
    }

    #[test]
    fn replaces_where_folders_cannot_trade_places() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x");
        write(&target, NEW, "one").unwrap();
        let set_aside = folder.path().join(".x.axtile-earlier");
        for text in ["two", "three"] {
            // As after a crash before the earlier store was removed.
            fs::create_dir(&set_aside).unwrap();
            let staged = StagedFolder::create(&target, REPLACE, |_| true).unwrap();
            assert!(!set_aside.exists());
            fs::write(staged.path().join("store"), text).unwrap();
            staged.commit_by(|_, _| Ok(false)).unwrap();
            assert_eq!(fs::read_to_string(target.join("store")).unwrap(), text);
            assert_eq!(entries(folder.path()), ["x"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x");
        let link = folder.path().join("link");
        write(&target, NEW, "one").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, REPLACE, "two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(target.join("store")).unwrap(), "two");
    }

    #[test]
    fn resumes_and_restores() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x");
        let resume = StageMode {
            overwrite: false,
            resume: true,
        };
        let staged = StagedFolder::create(&target, resume, |_| true).unwrap();
        fs::write(staged.path().join("store"), "half").unwrap();
        drop(staged);
        let staged = StagedFolder::create(&target, resume, |_| true).unwrap();
        assert!(staged.path().join("store").exists());
        staged.commit().unwrap();

        fs::rename(&target, folder.path().join(".x.axtile-earlier")).unwrap();
        let writer = FileLock::try_take(&folder.path().join(".x.axtile-lock")).unwrap();
        restore_interrupted(&target).unwrap();
        assert!(!target.exists());
        drop(writer);
        restore_interrupted(&target).unwrap();
        assert_eq!(fs::read_to_string(target.join("store")).unwrap(), "half");
    }
}
