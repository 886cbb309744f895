//! What queries give for a store, and what that was made of.

mod answer;
mod chain;
mod data;
mod entries;
mod groups;
mod labels;
mod mask;
mod matrix;
mod reduce;
mod scalar;
mod source;
mod stored;
mod values;
mod vector;

pub use answer::{Answer, Evaluated};
pub use entries::Entries;

pub(crate) use source::Picked;

use std::collections::BTreeMap;

use axtile_core::{Error, Result, Watch};

use super::Query;
use super::place::{self, Span};
use crate::model::{Dependency, Reader, Stamp};
use crate::operations::{CustomOperations, Threads};

/// With what to evaluate queries.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// For kernels.
    pub threads: Threads,
    /// The operations of the user.
    pub custom: &'a dyn CustomOperations,
    /// Who may ask to stop; nothing is reported to it.
    pub watch: &'a dyn Watch,
}

impl Query {
    /// What the query gives for a store.
    ///
    /// # Errors
    /// `Error::Argument` and `Error::Range` that point at the place in the
    /// query, for what makes no sense and for what the store does not have;
    /// errors of reading the store and of the user's operations;
    /// `Error::Interrupted`.
    pub fn evaluate(&self, store: &dyn Reader, options: &Options<'_>) -> Result<Evaluated> {
        let plan = self.plan()?;
        let mut evaluation = Evaluation {
            text: self.text(),
            store,
            options: *options,
            dependencies: BTreeMap::new(),
            has_flipped: false,
        };
        let answer = evaluation.answer(&plan)?;
        Ok(Evaluated {
            answer,
            dependencies: evaluation.dependencies.into_iter().collect(),
            has_flipped: evaluation.has_flipped,
        })
    }

    /// Whether the store has all that the query looks up. What it would give
    /// is computed for that.
    ///
    /// # Errors
    /// All but `Error::Range`.
    pub fn is_answered_by(&self, store: &dyn Reader, options: &Options<'_>) -> Result<bool> {
        match self.evaluate(store, options) {
            Ok(_) => Ok(true),
            Err(Error::Range { .. }) => Ok(false),
            Err(problem) => Err(problem),
        }
    }
}

/// The evaluation of one query.
struct Evaluation<'a> {
    text: &'a str,
    store: &'a dyn Reader,
    options: Options<'a>,
    dependencies: BTreeMap<Dependency, Stamp>,
    has_flipped: bool,
}

impl Evaluation<'_> {
    /// Remembers that the answer depends on something. To be called before it
    /// is looked up, so that a change in between makes the answer stale.
    fn depend(&mut self, on: Dependency) -> Result<()> {
        if !self.dependencies.contains_key(&on) {
            let stamp = self.store.stamp(&on)?;
            self.dependencies.insert(on, stamp);
        }
        Ok(())
    }

    fn wrong(&self, span: Span, problem: impl AsRef<str>) -> Error {
        place::wrong(self.text, span, problem)
    }

    fn missing(&self, span: Span, problem: impl AsRef<str>) -> Error {
        place::missing(self.text, span, problem)
    }

    /// A problem of a kernel, with its place in the query.
    fn wrap(&self, span: Span, problem: Error) -> Error {
        match problem {
            Error::Argument { problem } => self.wrong(span, problem),
            Error::Range { problem } => self.missing(span, problem),
            other => other,
        }
    }
}
