//! From steps to what they mean together.

use axtile_core::{Error, Result};

use super::expression::{
    AsAxis, AxisQuery, Expression, MatrixQuery, NamesQuery, ScalarQuery, VectorQuery,
};
use super::place::{Span, wrong};
use super::step::{NamesOf, Operation, ReduceTo, Step};

/// Operations on the result of one another: evaluation recurs over them.
const MAX_DEPTH: usize = 200;

/// What the steps of the query `text` mean.
///
/// # Errors
/// `Error::Argument` that points at the first step that makes no sense in its
/// place.
pub(super) fn plan(text: &str, steps: &[Step]) -> Result<Expression> {
    let mut planner = Planner {
        text,
        steps,
        at: 0,
        depth: 0,
    };
    let expression = planner.expression()?;
    match planner.peek() {
        None => Ok(expression),
        Some(_) => Err(planner.unexpected(after(&expression))),
    }
}

/// What can come after a complete query.
fn after(expression: &Expression) -> &'static str {
    match expression {
        Expression::Names(_) => "the end of the query",
        Expression::Axis(_) => {
            "a second axis '@', a look-up ':' or '::', a mask '[' or a comparison"
        }
        Expression::Scalar(_) => "an operation '%', a comparison or the end of the query",
        Expression::Vector(_) => {
            "a look-up ':' or '::', a group '/', a count '*', an operation '%', \
             a comparison or a reduction '>>'"
        }
        Expression::Matrix(_) => {
            "a look-up ':' or '::', a group '-/' or '|/', an operation '%', \
             a comparison or a reduction '>|', '>-' or '>>'"
        }
    }
}

pub(super) struct Planner<'a> {
    text: &'a str,
    steps: &'a [Step],
    at: usize,
    depth: usize,
}

impl<'a> Planner<'a> {
    pub(super) fn peek(&self) -> Option<&'a Operation> {
        self.steps.get(self.at).map(|step| &step.operation)
    }

    pub(super) fn step(&mut self) -> Option<&'a Step> {
        let step = self.steps.get(self.at);
        self.at += usize::from(step.is_some());
        step
    }

    /// The place of the step that comes next, or of the end.
    pub(super) fn here(&self) -> Span {
        let end = Span {
            start: self.text.trim_end().len(),
            end: self.text.trim_end().len(),
        };
        self.steps.get(self.at).map_or(end, Step::span)
    }

    pub(super) fn unexpected(&self, expected: &str) -> Error {
        let found = match self.steps.get(self.at) {
            Some(step) => format!("'{}'", step.operation),
            None => "the end of the query".to_owned(),
        };
        let problem = format!("expected {expected}, found {found}");
        wrong(self.text, self.here(), problem)
    }

    /// One more operation on the result of the last one.
    fn deepen(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let problem = format!("more than {MAX_DEPTH} operations on one another");
        Err(wrong(self.text, self.here(), problem))
    }

    fn expression(&mut self) -> Result<Expression> {
        match self.peek() {
            Some(Operation::Names(NamesOf::Scalars)) => {
                self.step();
                Ok(Expression::Names(NamesQuery::Scalars))
            }
            Some(Operation::Names(NamesOf::Axes | NamesOf::Whatever)) => {
                self.step();
                Ok(Expression::Names(NamesQuery::Axes))
            }
            Some(Operation::Scalar(_)) => {
                let name = self.name();
                let if_missing = self.if_missing();
                self.scalar(ScalarQuery::Lookup { name, if_missing })
            }
            Some(Operation::Vector(_)) => {
                let property = self.vector_property();
                let (axis, entry) = self.entry()?;
                self.scalar(ScalarQuery::OfVector {
                    property,
                    axis,
                    entry,
                })
            }
            Some(Operation::Matrix(_)) => {
                let property = self.vector_property();
                let rows = self.entry()?;
                let columns = self.entry()?;
                self.scalar(ScalarQuery::OfMatrix {
                    property,
                    rows,
                    columns,
                })
            }
            Some(Operation::Axis(_)) => self.of_axis(),
            _ => Err(self.unexpected("an axis '@', a scalar '.', a vector ':' or a matrix '::'")),
        }
    }

    fn of_axis(&mut self) -> Result<Expression> {
        let rows = self.axis()?;
        match self.peek() {
            None => Ok(Expression::Axis(rows)),
            Some(Operation::Names(NamesOf::Vectors | NamesOf::Whatever))
                if rows.masks.is_empty() =>
            {
                self.step();
                Ok(Expression::Names(NamesQuery::Vectors(rows.axis)))
            }
            Some(Operation::Axis(_)) => {
                let columns = self.axis()?;
                self.of_axes(rows, columns)
            }
            Some(Operation::Vector(_)) => {
                let property = self.vector_property();
                self.vector(VectorQuery::Lookup(rows, property))
            }
            Some(Operation::Matrix(_)) => {
                let property = self.slice_property()?;
                self.vector(VectorQuery::Lookup(rows, property))
            }
            Some(
                Operation::Compare { .. }
                | Operation::Group(_)
                | Operation::Count(_)
                | Operation::Reduce { .. },
            ) => self.vector(VectorQuery::Entries(rows)),
            _ => Err(self.unexpected(after(&Expression::Axis(rows)))),
        }
    }

    fn of_axes(&mut self, rows: AxisQuery, columns: AxisQuery) -> Result<Expression> {
        match self.peek() {
            Some(Operation::Names(NamesOf::Matrices | NamesOf::Whatever))
                if rows.masks.is_empty() && columns.masks.is_empty() =>
            {
                self.step();
                let names = NamesQuery::Matrices(rows.axis, columns.axis);
                Ok(Expression::Names(names))
            }
            Some(Operation::Matrix(_)) => {
                let property = self.vector_property();
                self.matrix(MatrixQuery::Lookup(rows, columns, property))
            }
            _ => Err(self.unexpected("a matrix '::' of the two axes")),
        }
    }

    fn scalar(&mut self, mut value: ScalarQuery) -> Result<Expression> {
        loop {
            self.deepen()?;
            match self.peek() {
                Some(Operation::Eltwise(how)) => {
                    let span = self.here();
                    if how.needs_column() {
                        let problem = format!("the operation '{how}' makes no sense for a scalar");
                        return Err(wrong(self.text, span, problem));
                    }
                    self.step();
                    value = ScalarQuery::Eltwise(Box::new(value), how.clone(), span);
                }
                Some(Operation::Compare { .. }) => {
                    value = ScalarQuery::Compare(Box::new(value), self.comparison());
                }
                _ => return Ok(Expression::Scalar(value)),
            }
        }
    }

    fn vector(&mut self, mut values: VectorQuery) -> Result<Expression> {
        loop {
            self.deepen()?;
            match self.peek() {
                Some(Operation::AsAxis(_) | Operation::IfNot(_))
                | Some(Operation::Vector(_) | Operation::Matrix(_)) => {
                    let as_axis = self.as_axis();
                    if matches!(self.peek(), Some(Operation::Count(_))) {
                        return self.count(values, as_axis);
                    }
                    values = VectorQuery::Chain(Box::new(values), self.chain(as_axis)?);
                }
                Some(Operation::Count(_)) => return self.count(values, None),
                Some(Operation::Eltwise(how)) => {
                    let span = self.here();
                    self.step();
                    values = VectorQuery::Eltwise(Box::new(values), how.clone(), span);
                }
                Some(Operation::Compare { .. }) => {
                    values = VectorQuery::Compare(Box::new(values), self.comparison());
                }
                Some(Operation::Group(_)) => {
                    let labels = self.labels()?;
                    let reduce = self.reduce(ReduceTo::Scalar, "to reduce each group")?;
                    values = VectorQuery::Group(Box::new(values), labels, reduce);
                }
                Some(Operation::Reduce { .. }) => {
                    let reduce = self.reduce(ReduceTo::Scalar, "to reduce the vector")?;
                    return self.scalar(ScalarQuery::ReduceVector(Box::new(values), reduce));
                }
                _ => return Ok(Expression::Vector(values)),
            }
        }
    }

    fn count(&mut self, values: VectorQuery, as_axis: Option<AsAxis>) -> Result<Expression> {
        let span = self.here();
        let columns = self.labels()?;
        self.matrix(MatrixQuery::Count {
            rows: Box::new(values),
            as_axis,
            columns,
            span,
        })
    }

    fn matrix(&mut self, mut values: MatrixQuery) -> Result<Expression> {
        loop {
            self.deepen()?;
            match self.peek() {
                Some(Operation::AsAxis(_) | Operation::IfNot(_))
                | Some(Operation::Vector(_) | Operation::Matrix(_)) => {
                    let as_axis = self.as_axis();
                    values = MatrixQuery::Chain(Box::new(values), self.chain(as_axis)?);
                }
                Some(Operation::Eltwise(how)) => {
                    let span = self.here();
                    self.step();
                    values = MatrixQuery::Eltwise(Box::new(values), how.clone(), span);
                }
                Some(Operation::Compare { .. }) => {
                    values = MatrixQuery::Compare(Box::new(values), self.comparison());
                }
                Some(Operation::GroupRows(_)) => {
                    let labels = self.labels()?;
                    let reduce = self.reduce(ReduceTo::Row, "to reduce each group of rows")?;
                    values = MatrixQuery::GroupRows(Box::new(values), labels, reduce);
                }
                Some(Operation::GroupColumns(_)) => {
                    let labels = self.labels()?;
                    let reduce =
                        self.reduce(ReduceTo::Column, "to reduce each group of columns")?;
                    values = MatrixQuery::GroupColumns(Box::new(values), labels, reduce);
                }
                Some(Operation::Reduce { to, .. }) => {
                    let reduce = self.reduce(*to, "to reduce the matrix")?;
                    if *to == ReduceTo::Scalar {
                        let value = ScalarQuery::ReduceMatrix(Box::new(values), reduce);
                        return self.scalar(value);
                    }
                    return self.vector(VectorQuery::Reduce(Box::new(values), *to, reduce));
                }
                _ => return Ok(Expression::Matrix(values)),
            }
        }
    }
}
