//! One operator of a query and its operands. A query is a flat list of steps;
//! what each means in its place is for the plan to say.

use super::compare::Comparator;
use super::literal::Literal;
use super::place::Span;
use crate::operations::{Eltwise, Reduction};

/// What names are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesOf {
    /// `. ?`
    Scalars,
    /// `@ ?`
    Axes,
    /// `: ?`
    Vectors,
    /// `:: ?`
    Matrices,
    /// `?`, of what stands before it.
    Whatever,
}

/// How a term joins those before it in a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Both.
    And,
    /// Either.
    Or,
    /// One of them alone.
    Xor,
}

/// What a matrix is reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceTo {
    /// `>>`, one value.
    Scalar,
    /// `>-`, one row: a value for each column.
    Row,
    /// `>|`, one column: a value for each row.
    Column,
}

/// An operator and its operands.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// `? ` and the same after `.`, `@`, `:` and `::`.
    Names(NamesOf),
    /// `@ axis`
    Axis(String),
    /// `=@ axis`
    AsAxis(Option<String>),
    /// `. scalar`
    Scalar(String),
    /// `: vector`
    Vector(String),
    /// `:: matrix`
    Matrix(String),
    /// `|| value type`
    IfMissing(Literal),
    /// `?? value`
    IfNot(Option<String>),
    /// `[ property`, `[ ! property`
    BeginMask {
        /// Whether the term is negated.
        negated: bool,
        /// The first property.
        property: String,
    },
    /// `]`
    EndMask,
    /// `& property`, `| ! property`, ...
    Join {
        /// How.
        how: Join,
        /// Whether the term is negated.
        negated: bool,
        /// The property of the term.
        property: String,
    },
    /// `< value`, `~ pattern`, ...
    Compare {
        /// How.
        how: Comparator,
        /// With what.
        value: String,
    },
    /// `@| entry`
    SquareColumn(String),
    /// `@- entry`
    SquareRow(String),
    /// `/ property`
    Group(String),
    /// `-/ property`
    GroupRows(String),
    /// `|/ property`
    GroupColumns(String),
    /// `* property`
    Count(String),
    /// `% operation`
    Eltwise(Eltwise),
    /// `>> operation`, `>| operation`, `>- operation`
    Reduce {
        /// To what.
        to: ReduceTo,
        /// How.
        how: Reduction,
    },
}

/// An operation and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What to do.
    pub operation: Operation,
    /// The place of the operator.
    pub operator: Span,
    /// The place of the operand, or of the operator where there is none.
    pub operand: Span,
}

impl Step {
    /// The place of all of it.
    pub fn span(&self) -> Span {
        self.operator.to(self.operand)
    }
}
