//! What is wrong with bytes, before it is known which file they are from.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_schema::ArrowError;
use axtile_core::Error;
use parquet::errors::ParquetError;

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

impl From<ParquetError> for Damage {
    fn from(error: ParquetError) -> Damage {
        match error {
            ParquetError::NYI(problem) => Damage::unsupported(problem),
            other => Damage::new(other.to_string()),
        }
    }
}

impl From<ArrowError> for Damage {
    fn from(error: ArrowError) -> Damage {
        Damage::new(error.to_string())
    }
}

impl From<String> for Damage {
    fn from(problem: String) -> Damage {
        Damage::new(problem)
    }
}

/// Runs the parquet and Arrow crates on bytes of a file. Both have asserts that
/// damaged files reach; what they worked on is dropped, so that nothing
/// half-done is seen after a panic.
pub(crate) fn guarded<T>(parse: impl FnOnce() -> Parsed<T>) -> Parsed<T> {
    catch_unwind(AssertUnwindSafe(parse)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Damage::new(text.unwrap_or("it cannot be parsed")))
    })
}
