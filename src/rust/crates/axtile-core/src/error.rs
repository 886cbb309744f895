//! One error type for all stores, so that the binding maps it to R's classed
//! conditions in one place. Every variant that speaks of a file carries its
//! path, the place in it, and what was expected there.

use std::io;
use std::path::{Path, PathBuf};

/// The result of every fallible function of axtile.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system said no.
    #[error("cannot {action} '{}': {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// A verb: "open", "read", "write", "rename", ...
        action: &'static str,
        /// What the system answered.
        source: io::Error,
    },
    /// Bytes that break the rules of their format.
    #[error("'{}' is damaged at {place}: {problem}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Where in it: "byte 4096", "chunk 3, gaps stream", ...
        place: String,
        /// What was found and what was expected.
        problem: String,
    },
    /// A format or version that this build does not read.
    #[error("'{}' cannot be read: {problem}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// What was found and which versions are read.
        problem: String,
    },
    /// A valid input that uses something axtile does not support.
    #[error("'{}' is not supported: {problem}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What is not supported, and what to do instead where there is a way.
        problem: String,
    },
    /// An argument that makes no sense.
    #[error("{problem}")]
    Argument {
        /// Which argument, what was given, what was expected.
        problem: String,
    },
    /// A cell, gene, tile, column or value outside what there is.
    #[error("{problem}")]
    Range {
        /// What was asked for and what there is.
        problem: String,
    },
    /// A count that is no count, or does not fit: the cell and gene are named.
    #[error("'{}': cell {cell}, gene {gene}: the value {value} is not {expected}", path.display())]
    Value {
        /// The input.
        path: PathBuf,
        /// The cell's name, or its number counted from 1.
        cell: String,
        /// The gene's name.
        gene: String,
        /// The offending value as text.
        value: String,
        /// What would have been right.
        expected: String,
    },
    /// The target exists and overwriting was not asked for.
    #[error("'{}' exists already; use overwrite = TRUE to replace it", path.display())]
    Exists {
        /// The file or folder.
        path: PathBuf,
    },
    /// More than a format, or R, can hold.
    #[error("{problem}")]
    Limit {
        /// The input or output concerned.
        path: PathBuf,
        /// The limit, what was met, what to do.
        problem: String,
    },
    /// A named thing of a store that exists already.
    #[error("{problem}")]
    Existing {
        /// What exists, and in which store.
        problem: String,
    },
    /// A store that changed on disk since it was opened.
    #[error("'{}' changed on disk since it was opened; open it again", path.display())]
    Stale {
        /// The store.
        path: PathBuf,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The groups of errors that a caller can tell apart; each is a condition
/// class `axtile_error_<kind>` in R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system said no.
    Io,
    /// Damaged bytes.
    Corrupt,
    /// A format or version that is not read.
    Version,
    /// Valid, but not supported.
    Unsupported,
    /// A wrong argument.
    Argument,
    /// Outside what there is.
    Range,
    /// A value that is no count, or is too large.
    Value,
    /// The target exists.
    Exists,
    /// More than a format or R can hold.
    Limit,
    /// Changed on disk since it was opened.
    Stale,
    /// Stopped by the user.
    Interrupted,
}

impl ErrorKind {
    /// The word used in R's condition class.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Io => "io",
            ErrorKind::Corrupt => "corrupt",
            ErrorKind::Version => "version",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Argument => "argument",
            ErrorKind::Range => "range",
            ErrorKind::Value => "value",
            ErrorKind::Exists => "exists",
            ErrorKind::Limit => "limit",
            ErrorKind::Stale => "stale",
            ErrorKind::Interrupted => "interrupt",
        }
    }
}

impl Error {
    /// The group this error belongs to.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Io { .. } => ErrorKind::Io,
            Error::Corrupt { .. } => ErrorKind::Corrupt,
            Error::Version { .. } => ErrorKind::Version,
            Error::Unsupported { .. } => ErrorKind::Unsupported,
            Error::Argument { .. } => ErrorKind::Argument,
            Error::Range { .. } => ErrorKind::Range,
            Error::Value { .. } => ErrorKind::Value,
            Error::Exists { .. } | Error::Existing { .. } => ErrorKind::Exists,
            Error::Limit { .. } => ErrorKind::Limit,
            Error::Stale { .. } => ErrorKind::Stale,
            Error::Interrupted => ErrorKind::Interrupted,
        }
    }

    /// The file or folder concerned, where there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Error::Io { path, .. }
            | Error::Corrupt { path, .. }
            | Error::Version { path, .. }
            | Error::Unsupported { path, .. }
            | Error::Value { path, .. }
            | Error::Exists { path }
            | Error::Limit { path, .. }
            | Error::Stale { path } => Some(path),
            Error::Argument { .. }
            | Error::Range { .. }
            | Error::Existing { .. }
            | Error::Interrupted => None,
        }
    }

    /// The place inside the file, where there is one.
    pub fn place(&self) -> Option<&str> {
        match self {
            Error::Corrupt { place, .. } => Some(place),
            _ => None,
        }
    }

    /// For `map_err`: an I/O error on `path` while doing `action`.
    pub fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Error + 'a {
        move |source| Error::Io {
            path: path.to_owned(),
            action,
            source,
        }
    }

    /// Damage in `path` at `place`.
    pub fn corrupt(path: &Path, place: impl Into<String>, problem: impl Into<String>) -> Error {
        Error::Corrupt {
            path: path.to_owned(),
            place: place.into(),
            problem: problem.into(),
        }
    }

    /// A valid input that is not supported.
    pub fn unsupported(path: &Path, problem: impl Into<String>) -> Error {
        Error::Unsupported {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }

    /// A wrong argument.
    pub fn argument(problem: impl Into<String>) -> Error {
        Error::Argument {
            problem: problem.into(),
        }
    }

    /// Something outside what there is.
    pub fn range(problem: impl Into<String>) -> Error {
        Error::Range {
            problem: problem.into(),
        }
    }

    /// A named thing of a store that exists already.
    pub fn existing(problem: impl Into<String>) -> Error {
        Error::Existing {
            problem: problem.into(),
        }
    }

    /// More than a format or R can hold.
    pub fn limit(path: &Path, problem: impl Into<String>) -> Error {
        Error::Limit {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }
}
