//! A session without what tells who the subject is.

use std::path::Path;

use axtile_core::{Error, Result, Watch};

use crate::copy::segment::{Anonymity, Change};
use crate::copy::session::copy_session;
use crate::crypt::Access;
use crate::session::Session;

/// How to anonymise.
#[derive(Clone, Debug, Default)]
pub struct AnonymizeOptions {
    /// What stands for the subject; may be empty.
    pub pseudonym: String,
    /// Microseconds that are added to all times.
    pub shift: i64,
    /// Keep the recording's location.
    pub keep_location: bool,
    /// Keep the descriptions of session, channels and reference.
    pub keep_descriptions: bool,
    /// Passwords of the copy; none make it plain.
    pub passwords: Option<(String, String)>,
}

/// Copies the session at `path` to a new one at `target`, without the subject's
/// names and identifier, the location, descriptions, regions for the use of
/// other programs and records of free text. Names of channels stay. `watch`
/// advances by bytes.
///
/// # Errors
/// As [`super::cut_session`]; `Error::Argument` also for a pseudonym that does
/// not fit and for a shift to times that cannot be stored.
pub fn anonymize_session(
    path: &Path,
    target: &Path,
    options: &AnonymizeOptions,
    password: Option<&str>,
    watch: &dyn Watch,
) -> Result<()> {
    if options.pseudonym.len() > 127 || options.pseudonym.contains('\0') {
        return Err(Error::argument(
            "the pseudonym has more than 127 bytes or a NUL",
        ));
    }
    let passwords = options.passwords.as_ref();
    let change = Change {
        window: None,
        shift: options.shift,
        access: Some(Access::for_writing(
            passwords.map(|(a, b)| (a.as_str(), b.as_str())),
        )?),
        anonymize: Some(Anonymity {
            pseudonym: options.pseudonym.clone(),
            keep_location: options.keep_location,
            keep_descriptions: options.keep_descriptions,
        }),
    };
    copy_session(&Session::open(path, password)?, target, &change, watch)
}
