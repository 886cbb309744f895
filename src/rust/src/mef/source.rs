//! Sessions as arguments: open ones, or paths with passwords.

use std::path::PathBuf;

use axtile_core::{Error, Result};
use axtile_mef::session::Session;

use super::handle::{Handle, Target};
use crate::arguments::Arguments;

/// A session that R's object points to.
pub struct OpenSession {
    /// The session.
    pub session: Session,
    /// Opens it again.
    pub password: Option<String>,
}

impl Target for OpenSession {
    const TAG: &'static std::ffi::CStr = c"axtile_mef_session";
}

/// The open session of the argument `pointer`.
///
/// # Errors
/// `Error::Argument` if it is no session, or one of another process.
pub fn open_session(arguments: &Arguments) -> Result<Handle<OpenSession>> {
    Handle::of(arguments, "pointer")?.ok_or_else(|| {
        Error::argument(
            "this MEF session was saved or sent to another process, and is not open there; \
             open it again",
        )
    })
}

/// The session of the arguments `path` and, if it is open, `pointer`, or else
/// `password`.
pub fn path_and_password(arguments: &Arguments) -> Result<(PathBuf, Option<String>)> {
    let path = arguments.path("path")?;
    if arguments.is_null("pointer") {
        return Ok((path, optional_text(arguments, "password")?));
    }
    let password = open_session(arguments)?.password.clone();
    Ok((path, password))
}

/// A text; `None` for NULL.
pub fn optional_text(arguments: &Arguments, name: &str) -> Result<Option<String>> {
    if arguments.is_null(name) {
        Ok(None)
    } else {
        arguments.text(name).map(Some)
    }
}

/// The passwords of both levels; `None` for none.
pub fn passwords(arguments: &Arguments, name: &str) -> Result<Option<(String, String)>> {
    let mut texts = arguments.texts(name)?.into_iter();
    match (texts.next(), texts.next(), texts.next()) {
        (None, ..) => Ok(None),
        (Some(first), Some(second), None) => Ok(Some((first, second))),
        _ => Err(Arguments::wrong(name)),
    }
}
