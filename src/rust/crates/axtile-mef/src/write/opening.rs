//! What a session for writing is called, and whose it is.

use std::fs;
use std::path::Path;

use axtile_core::{Error, Result};

use crate::crypt::Access;
use crate::header::Section3;
use crate::session::{Session, check_name};

/// Whether a folder is a session's.
pub(super) fn has_channel(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| {
        entries.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".timd"))
        })
    })
}

/// The name of the session to be at `path`.
pub(super) fn session_name(path: &Path) -> Result<String> {
    let file = path.file_name().and_then(|name| name.to_str());
    let name = file.and_then(|name| name.strip_suffix(".mefd"));
    let Some(name) = name else {
        return Err(Error::argument(format!(
            "'{}' is no name of a session, expected one that ends with '.mefd'",
            path.display()
        )));
    };
    check_name("session", name)?;
    Ok(name.to_owned())
}

/// The keys and section 3 of the first channel, if all agree on the offset.
pub(super) fn common_subject(session: &Session) -> Result<(Access, Section3)> {
    let mut common: Option<(Access, Section3)> = None;
    for channel in session.channels() {
        let ends = [
            channel.first(session.storage())?,
            channel.last(session.storage())?,
        ];
        for segment in ends.into_iter().flatten() {
            let metadata = segment.metadata(session.storage(), session.password())?;
            let Some(section_3) = metadata.section_3.clone() else {
                return Err(Error::argument(format!(
                    "'{}': the level 2 password is needed to write, as it opens the \
                     recording's time offset",
                    session.path().display()
                )));
            };
            match &common {
                Some((_, known)) if known.time_offset() != section_3.time_offset() => {
                    return Err(Error::argument(format!(
                        "'{}' has segments with different recording time offsets",
                        session.path().display()
                    )));
                }
                Some(_) => {}
                None => common = Some((metadata.access.clone(), section_3)),
            }
        }
    }
    common.ok_or_else(|| Error::argument("the session has no channel of samples"))
}
