//! The session's name in every header.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use axtile_core::{Error, Result, Watch};

use crate::bytes::put_text;
use crate::header::{FileType, UNIVERSAL_BYTES, UniversalHeader, seal_header};
use crate::session::Session;

const SESSION_AT: usize = 308;
const SESSION_BYTES: usize = 256;

/// Headers are read first, all of them, and then written: a damaged one leaves
/// the session as it was. A header is smaller than what disks write at once.
pub(super) fn rename_headers(session: &Session, name: &str, watch: &dyn Watch) -> Result<()> {
    let mut changed: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        watch.check()?;
        for item in session.storage().list(&folder)? {
            let relative = if folder.is_empty() {
                item.name.clone()
            } else {
                format!("{folder}/{}", item.name)
            };
            if item.is_folder {
                if item.name.ends_with(".timd") || item.name.ends_with(".segd") {
                    folders.push(relative);
                }
                continue;
            }
            let file_type = [
                FileType::Metadata,
                FileType::Index,
                FileType::Data,
                FileType::Records,
                FileType::RecordIndex,
            ]
            .into_iter()
            .find(|kind| item.name.ends_with(&format!(".{}", kind.extension())));
            let (Some(file_type), Some(source)) =
                (file_type, session.storage().open_file(&relative)?)
            else {
                continue;
            };
            let mut header = source.read_start(UNIVERSAL_BYTES)?;
            let own = UniversalHeader::parse(&header, file_type, source.path())?;
            if own.session != name {
                put_text(&mut header, SESSION_AT, SESSION_BYTES, name);
                seal_header(&mut header);
                changed.push((source.path().to_owned(), header));
            }
        }
    }
    for (path, header) in changed {
        File::options()
            .write(true)
            .open(&path)
            .and_then(|mut file| {
                file.write_all(&header)?;
                file.sync_all()
            })
            .map_err(Error::io("write", &path))?;
    }
    Ok(())
}
