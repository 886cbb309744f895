//! What is wrong with bytes, before it is known which file they are of.

use std::path::Path;

use axtile_core::Error;

/// What was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage(pub(crate) String);

impl Damage {
    pub(crate) fn new(problem: impl Into<String>) -> Damage {
        Damage(problem.into())
    }

    /// The problem in words.
    pub fn problem(&self) -> &str {
        &self.0
    }

    /// As an error in `path` at `place`.
    pub fn at(self, path: &Path, place: impl Into<String>) -> Error {
        Error::corrupt(path, place, self.0)
    }
}
