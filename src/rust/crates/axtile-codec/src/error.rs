//! Why a tile's bytes were refused. The path is added by the caller.

use std::path::Path;

use axtile_core::Error;

/// The result of reading a tile.
pub type TileResult<T> = Result<T, TileError>;

/// What is wrong with a tile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TileError {
    /// Not a tile, or one of a version that is not read.
    #[error("{problem}")]
    Version {
        /// What was found and what is read.
        problem: String,
    },
    /// More than this machine's memory holds.
    #[error("{place}: no memory for {n_bytes} bytes")]
    Memory {
        /// Where: "chunk 3", ...
        place: String,
        /// What was asked for.
        n_bytes: usize,
    },
    /// Bytes that break the format's rules.
    #[error("{place}: {problem}")]
    Corrupt {
        /// Where: "header", "chunk 3, gaps stream", ...
        place: String,
        /// What was found and what was expected.
        problem: String,
    },
}

impl TileError {
    /// Damage at `place`.
    pub fn corrupt(place: impl Into<String>, problem: impl Into<String>) -> TileError {
        TileError::Corrupt {
            place: place.into(),
            problem: problem.into(),
        }
    }

    /// The same error with the file's path.
    pub fn at(self, path: &Path) -> Error {
        let text = self.to_string();
        let path = path.to_owned();
        match self {
            TileError::Memory { .. } => Error::Limit {
                problem: format!("'{}': {text}", path.display()),
                path,
            },
            TileError::Version { problem } => Error::Version { path, problem },
            TileError::Corrupt { place, problem } => Error::Corrupt {
                path,
                place,
                problem,
            },
        }
    }
}
