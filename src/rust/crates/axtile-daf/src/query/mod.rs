//! The query language: text to steps, steps to what they mean together, and
//! what they give for a store.

mod canonical;
mod compare;
mod escape;
mod evaluate;
mod expression;
mod literal;
mod parse;
mod place;
mod plan;
mod plan_parts;
mod scan;
mod step;
mod suggest;

pub use compare::Comparator;
pub use escape::{escape_value, unescape_value};
pub(crate) use evaluate::Picked;
pub use evaluate::{Answer, Entries, Evaluated, Options};
pub use expression::*;
pub use literal::Literal;
pub use place::Span;
pub use step::{Join, NamesOf, Operation, ReduceTo, Step};

use axtile_core::Result;

use crate::operations::CustomOperations;

/// A query, or a piece of one that others complete.
#[derive(Clone, Debug)]
pub struct Query {
    text: String,
    steps: Vec<Step>,
}

impl Query {
    /// Reads a query or a piece of one.
    ///
    /// # Errors
    /// `Error::Argument` that shows the place in the text, says what was
    /// expected there and what near names there are.
    pub fn parse(text: &str, custom: &dyn CustomOperations) -> Result<Query> {
        Ok(Query {
            steps: parse::steps(text, custom)?,
            text: text.to_owned(),
        })
    }

    /// The query that consecutive pieces are together.
    ///
    /// # Errors
    /// As [`Query::parse`].
    pub fn joined(pieces: &[Query], custom: &dyn CustomOperations) -> Result<Query> {
        let texts: Vec<String> = pieces.iter().map(Query::canonical).collect();
        Query::parse(&texts.join(" "), custom)
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The one text of all queries that do the same steps.
    pub fn canonical(&self) -> String {
        let steps: Vec<String> = self
            .steps
            .iter()
            .map(|step| step.operation.to_string())
            .collect();
        steps.join(" ")
    }

    /// What it means.
    ///
    /// # Errors
    /// `Error::Argument` that points at the first step that makes no sense in
    /// its place.
    pub fn plan(&self) -> Result<Expression> {
        plan::plan(&self.text, &self.steps)
    }

    /// Whether it gives the entries of an axis.
    pub fn is_axis(&self) -> bool {
        matches!(
            self.steps.last().map(|step| &step.operation),
            Some(Operation::Axis(_) | Operation::EndMask)
        )
    }

    /// The axis, if there is exactly one outside masks.
    pub fn axis_name(&self) -> Option<&str> {
        let mut is_masked = false;
        let mut found = None;
        for step in &self.steps {
            match &step.operation {
                Operation::BeginMask { .. } => is_masked = true,
                Operation::EndMask => is_masked = false,
                Operation::Axis(_) if !is_masked && found.is_some() => return None,
                Operation::Axis(name) if !is_masked => found = Some(name.as_str()),
                _ => {}
            }
        }
        found
    }

    /// 0 for one value, 1 for a vector, entries or names, 2 for a matrix.
    ///
    /// # Errors
    /// As [`Query::plan`].
    pub fn n_dimensions(&self) -> Result<usize> {
        Ok(match self.plan()? {
            Expression::Scalar(_) => 0,
            Expression::Names(_) | Expression::Axis(_) | Expression::Vector(_) => 1,
            Expression::Matrix(_) => 2,
        })
    }
}

/// Two queries that do the same steps are equal, however they are written.
impl PartialEq for Query {
    fn eq(&self, other: &Query) -> bool {
        self.steps == other.steps
    }
}
