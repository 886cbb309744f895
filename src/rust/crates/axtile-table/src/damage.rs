//! What is wrong with bytes, before it is known which file they are from.

use std::path::Path;

use axtile_core::Error;

/// The result of parsing bytes.
pub(crate) type Parsed<T> = Result<T, Damage>;

/// Bytes that break the rules of their format, or use something that is not
/// supported.
#[derive(Clone, Debug)]
pub(crate) struct Damage {
    place: String,
    problem: String,
    is_unsupported: bool,
}

impl Damage {
    /// Damage whose place the caller knows better.
    pub(crate) fn new(problem: impl Into<String>) -> Damage {
        Damage {
            place: String::new(),
            problem: problem.into(),
            is_unsupported: false,
        }
    }

    /// Valid, but not supported.
    pub(crate) fn unsupported(problem: impl Into<String>) -> Damage {
        Damage {
            is_unsupported: true,
            ..Damage::new(problem)
        }
    }

    /// Says where, from the outside in: the outer place comes first.
    pub(crate) fn within(mut self, place: impl Into<String>) -> Damage {
        let outer = place.into();
        self.place = if self.place.is_empty() {
            outer
        } else {
            format!("{outer}, {}", self.place)
        };
        self
    }

    /// The error for a reader of `path`.
    pub(crate) fn in_file(self, path: &Path) -> Error {
        if self.is_unsupported {
            let place = self.place;
            Error::unsupported(path, format!("{place}: {}", self.problem))
        } else {
            Error::corrupt(path, self.place, self.problem)
        }
    }
}
