//! What opening a session found, kept in a file for the next time: names,
//! segments and the channels' descriptions; of archives, where members are.
//!
//! A snapshot is used only while sizes and times of change of what it was made
//! from are the same: the session's folder, each channel's folder (which changes
//! with every new segment) and the files of each channel's first and last
//! segment; of archives, the archive. Other segments are read when they are
//! needed, as always, so that a change to them is seen. The cost does not grow
//! with the number of segments. Sessions with passwords have no snapshot.

mod identity;
mod load;
mod save;

use std::path::{Path, PathBuf};

use axtile_core::Result;
use sha2::{Digest, Sha256};

use crate::session::Session;

const FORMAT: i64 = 1;

impl Session {
    /// As [`Session::open`], with a snapshot in the folder `cache`, which is
    /// made where it is missing or out of date. Nothing about the snapshot is
    /// ever an error: without it, the session is opened as always.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn open_cached(path: &Path, password: Option<&str>, cache: &Path) -> Result<Session> {
        let file = file_of(path, cache);
        if let Some(file) = &file
            && let Some(session) = load::load(path, password, file)
        {
            return Ok(session);
        }
        let session = Session::open(path, password)?;
        if let Some(file) = &file {
            save::save(&session, file);
        }
        Ok(session)
    }
}

/// The snapshot's file: no name of a session shows in it.
fn file_of(path: &Path, cache: &Path) -> Option<PathBuf> {
    let full = std::fs::canonicalize(path).ok()?;
    let digest = Sha256::digest(full.as_os_str().as_encoded_bytes());
    let name: String = digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Some(cache.join(format!("{name}.axtile-mef")))
}
