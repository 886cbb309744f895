//! What a query means: a tree in which each node knows what it works on.

use super::compare::Comparator;
use super::literal::Literal;
use super::place::Span;
use super::step::{Join, ReduceTo};
use crate::operations::{Eltwise, Reduction};

/// A name in the query, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A whole query.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// Names of what the store has.
    Names(NamesQuery),
    /// The entries of an axis.
    Axis(AxisQuery),
    /// One value.
    Scalar(ScalarQuery),
    /// A value for each entry of an axis, or for each group.
    Vector(VectorQuery),
    /// A value for each pair of entries.
    Matrix(MatrixQuery),
}

/// Which names.
#[derive(Clone, Debug, PartialEq)]
pub enum NamesQuery {
    /// Of all scalars.
    Scalars,
    /// Of all axes.
    Axes,
    /// Of the vectors of an axis.
    Vectors(Name),
    /// Of the matrices of two axes: rows, columns.
    Matrices(Name, Name),
}

/// An axis, or the entries of it that masks select.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisQuery {
    /// The axis.
    pub axis: Name,
    /// Which of its entries; all masks must agree.
    pub masks: Vec<Mask>,
}

/// Terms, joined from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// The first joins nothing.
    pub terms: Vec<MaskTerm>,
}

/// One term of a mask.
#[derive(Clone, Debug, PartialEq)]
pub struct MaskTerm {
    /// How it joins the terms before it.
    pub join: Join,
    /// Whether what it says is turned around.
    pub negated: bool,
    /// What it looks at.
    pub property: Property,
    /// What it does with it.
    pub tail: Vec<MaskStep>,
}

/// A step of a term of a mask.
#[derive(Clone, Debug, PartialEq)]
pub enum MaskStep {
    /// A look-up through the axis whose entries the values are.
    Chain(Chain),
    /// A comparison with a value.
    Compare(Comparison),
}

/// A comparison with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How.
    pub how: Comparator,
    /// With what.
    pub value: Name,
}

/// Values along an axis: a vector, or a slice of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The vector or matrix.
    pub name: Name,
    /// Which slice of a matrix; none for a vector.
    pub slice: Option<Slice>,
    /// The value where there is no such vector or matrix.
    pub if_missing: Option<Literal>,
}

/// One row or column of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Slice {
    /// For one entry of another axis: axis, entry.
    Entry(Name, Name),
    /// A column of a square matrix.
    SquareColumn(Name),
    /// A row of a square matrix.
    SquareRow(Name),
}

/// The axis whose entries the values are.
#[derive(Clone, Debug, PartialEq)]
pub struct AsAxis {
    /// The axis; none if the name of the property says it.
    pub axis: Option<String>,
    /// The place.
    pub span: Span,
}

/// What to do with an empty value.
#[derive(Clone, Debug, PartialEq)]
pub struct IfNot {
    /// The result for it; none to drop its entry.
    pub value: Option<String>,
    /// The place.
    pub span: Span,
}

/// A look-up through the axis whose entries the values are.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The axis.
    pub as_axis: Option<AsAxis>,
    /// What to do with an empty value; none to refuse it.
    pub if_not: Option<IfNot>,
    /// What to look up.
    pub property: Property,
}

/// Labels of groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// Where they come from.
    pub property: Property,
    /// Through what.
    pub chain: Vec<Chain>,
    /// The axis whose entries they are, so that there is a group for each.
    pub as_axis: Option<AsAxis>,
}

/// A reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    /// How.
    pub how: Reduction,
    /// The result for nothing.
    pub if_missing: Option<Literal>,
    /// The place.
    pub span: Span,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarQuery {
    /// A scalar of the store.
    Lookup {
        /// Its name.
        name: Name,
        /// The value if there is none.
        if_missing: Option<Literal>,
    },
    /// An entry of a vector.
    OfVector {
        /// The vector.
        property: Property,
        /// The axis.
        axis: Name,
        /// The entry.
        entry: Name,
    },
    /// An entry of a matrix.
    OfMatrix {
        /// The matrix.
        property: Property,
        /// Axis and entry of the rows.
        rows: (Name, Name),
        /// Axis and entry of the columns.
        columns: (Name, Name),
    },
    /// A vector to one value.
    ReduceVector(Box<VectorQuery>, Reduce),
    /// A matrix to one value.
    ReduceMatrix(Box<MatrixQuery>, Reduce),
    /// The value changed.
    Eltwise(Box<ScalarQuery>, Eltwise, Span),
    /// The value compared.
    Compare(Box<ScalarQuery>, Comparison),
}

/// A value for each entry of an axis, or for each group.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorQuery {
    /// The entries themselves.
    Entries(AxisQuery),
    /// A vector or a slice of a matrix.
    Lookup(AxisQuery, Property),
    /// Each row or each column of a matrix to one value.
    Reduce(Box<MatrixQuery>, ReduceTo, Reduce),
    /// The values looked up.
    Chain(Box<VectorQuery>, Chain),
    /// The values changed.
    Eltwise(Box<VectorQuery>, Eltwise, Span),
    /// The values compared.
    Compare(Box<VectorQuery>, Comparison),
    /// Each group to one value.
    Group(Box<VectorQuery>, Labels, Reduce),
}

/// A value for each pair of entries.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixQuery {
    /// A matrix of the store: rows, columns, name.
    Lookup(AxisQuery, AxisQuery, Property),
    /// How many entries have each pair of values.
    Count {
        /// The values of the rows.
        rows: Box<VectorQuery>,
        /// The axis whose entries these are, so that there is a row for each.
        as_axis: Option<AsAxis>,
        /// The values of the columns.
        columns: Labels,
        /// The place.
        span: Span,
    },
    /// The values looked up.
    Chain(Box<MatrixQuery>, Chain),
    /// The values changed.
    Eltwise(Box<MatrixQuery>, Eltwise, Span),
    /// The values compared.
    Compare(Box<MatrixQuery>, Comparison),
    /// Each group of rows to one row.
    GroupRows(Box<MatrixQuery>, Labels, Reduce),
    /// Each group of columns to one column.
    GroupColumns(Box<MatrixQuery>, Labels, Reduce),
}
