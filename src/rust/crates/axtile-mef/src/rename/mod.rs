//! Giving a session another name: its folder's, that of its records and the one
//! in every header.
//!
//! A journal beside the session says from which name to which. While it is
//! there, [`rename_session`] to the same name goes on where it was cut off, and
//! to the earlier name takes it back: every step can be done twice.

mod headers;
mod journal;

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result, Watch};
use axtile_store::{lock_store, sync_folder};

use crate::rename::headers::rename_headers;
use crate::rename::journal::Journal;
use crate::session::{Session, check_name};

/// Renames the session in folder `path` to `name`, without the ending `.mefd`.
/// Returns its new path. After a crash, the same call on what is there goes on.
///
/// # Errors
/// `Error::Argument` for a name that does not fit and while another process
/// writes the session, `Error::Exists` where the new name is taken,
/// `Error::Unsupported` for an archive, `Error::Corrupt` for a damaged header
/// (all are read before any is changed), `Error::Io`, `Error::Interrupted`.
pub fn rename_session(path: &Path, name: &str, watch: &dyn Watch) -> Result<PathBuf> {
    check_name("session", name)?;
    if !path.is_dir() {
        return Err(Error::unsupported(
            path,
            "only sessions in folders can be renamed",
        ));
    }
    let resolved = fs::canonicalize(path).map_err(Error::io("open", path))?;
    let target = resolved.with_file_name(format!("{name}.mefd"));
    let _lock = lock_store(&resolved)?;
    if target != resolved && fs::symlink_metadata(&target).is_ok() {
        return Err(Error::Exists { path: target });
    }
    let session = Session::list_all(&resolved, None)?;
    if session.channels().is_empty() {
        return Err(Error::argument(format!(
            "'{}' holds no channel of samples",
            path.display()
        )));
    }
    let journal = Journal::start(&resolved, session.name(), name)?;
    rename_headers(&session, name, watch)?;
    rename_records(&session, &journal, name)?;
    sync_folder(&resolved)?;
    journal.end()?;
    if target != resolved {
        fs::rename(&resolved, &target).map_err(Error::io("rename", &resolved))?;
        if let Some(parent) = target.parent() {
            sync_folder(parent)?;
        }
    }
    Ok(target)
}

/// The session's own records are called as it is.
fn rename_records(session: &Session, journal: &Journal, name: &str) -> Result<()> {
    for earlier in journal.names().filter(|earlier| *earlier != name) {
        for ending in ["rdat", "ridx"] {
            let from = session.path().join(format!("{earlier}.{ending}"));
            let to = session.path().join(format!("{name}.{ending}"));
            if from.is_file() {
                if fs::symlink_metadata(&to).is_ok() {
                    return Err(Error::Exists { path: to });
                }
                fs::rename(&from, &to).map_err(Error::io("rename", &from))?;
            }
        }
    }
    Ok(())
}
