//! From text to steps.

use axtile_core::{Error, Result};

use super::compare::Comparator;
use super::literal::Literal;
use super::place::{Span, wrong};
use super::scan::{Operator, Scanner, Value};
use super::step::{Join, NamesOf, Operation, ReduceTo, Step};
use super::suggest::did_you_mean;
use crate::model::ElementType;
use crate::operations::{
    CustomOperations, Eltwise, OperationKind, Parameter, ParameterProblem, Reduction,
};

/// Longer queries are refused: nobody writes them.
const MAX_QUERY_LEN: usize = 1 << 20;

/// Reads all steps of a query, or of a piece of one.
pub(super) fn steps(text: &str, custom: &dyn CustomOperations) -> Result<Vec<Step>> {
    if text.len() > MAX_QUERY_LEN {
        return Err(Error::argument(format!(
            "a query of {} bytes; at most {MAX_QUERY_LEN} are read",
            text.len()
        )));
    }
    let mut parser = Parser {
        scanner: Scanner::new(text),
        custom,
    };
    let mut steps = Vec::new();
    while !parser.scanner.is_done() {
        steps.push(parser.step()?);
    }
    Ok(steps)
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    custom: &'a dyn CustomOperations,
}

impl Parser<'_> {
    fn step(&mut self) -> Result<Step> {
        let Some((sign, operator)) = self.scanner.operator() else {
            return Err(self.no_operator()?);
        };
        let (operation, operand) = match sign {
            Operator::Axis => self.named(NamesOf::Axes, Operation::Axis, "the name of an axis")?,
            Operator::Scalar => {
                self.named(NamesOf::Scalars, Operation::Scalar, "the name of a scalar")?
            }
            Operator::Vector => {
                self.named(NamesOf::Vectors, Operation::Vector, "the name of a vector")?
            }
            Operator::Matrix => {
                self.named(NamesOf::Matrices, Operation::Matrix, "the name of a matrix")?
            }
            Operator::Names => (Operation::Names(NamesOf::Whatever), operator),
            Operator::AsAxis => self.optional(operator, Operation::AsAxis)?,
            Operator::IfNot => self.optional(operator, Operation::IfNot)?,
            Operator::IfMissing => self.if_missing()?,
            Operator::BeginMask => {
                let (negated, property) = self.term()?;
                let text = property.text;
                (
                    Operation::BeginMask {
                        negated,
                        property: text,
                    },
                    property.span,
                )
            }
            Operator::EndMask => (Operation::EndMask, operator),
            Operator::And => self.join(Join::And)?,
            Operator::Or => self.join(Join::Or)?,
            Operator::Xor => self.join(Join::Xor)?,
            Operator::Less => self.compare(Comparator::Less)?,
            Operator::LessEqual => self.compare(Comparator::LessEqual)?,
            Operator::Equal => self.compare(Comparator::Equal)?,
            Operator::NotEqual => self.compare(Comparator::NotEqual)?,
            Operator::GreaterEqual => self.compare(Comparator::GreaterEqual)?,
            Operator::Greater => self.compare(Comparator::Greater)?,
            Operator::Match => self.matching(Comparator::Match)?,
            Operator::NotMatch => self.matching(Comparator::NotMatch)?,
            Operator::SquareColumn => self.of(Operation::SquareColumn, "the name of an entry")?,
            Operator::SquareRow => self.of(Operation::SquareRow, "the name of an entry")?,
            Operator::Group => self.of(Operation::Group, "the name of a vector")?,
            Operator::GroupRows => self.of(Operation::GroupRows, "the name of a vector")?,
            Operator::GroupColumns => self.of(Operation::GroupColumns, "the name of a vector")?,
            Operator::Count => self.of(Operation::Count, "the name of a vector")?,
            Operator::Eltwise => self.eltwise()?,
            Operator::ToScalar => self.reduce(ReduceTo::Scalar)?,
            Operator::ToRow => self.reduce(ReduceTo::Row)?,
            Operator::ToColumn => self.reduce(ReduceTo::Column)?,
            Operator::Not => {
                return Err(self.wrong(
                    operator,
                    "'!' only stands before the property of a term of a mask",
                ));
            }
        };
        Ok(Step {
            operation,
            operator,
            operand,
        })
    }

    fn wrong(&self, span: Span, problem: impl AsRef<str>) -> Error {
        wrong(self.scanner.text(), span, problem)
    }

    /// Why no operator comes next.
    fn no_operator(&mut self) -> Result<Error> {
        let here = self.scanner.here();
        let problem = match self.scanner.value()? {
            Some(value) => {
                let problem = format!(
                    "expected an operator such as '@', ':' or '>>', found the value '{}'",
                    value.text
                );
                return Ok(self.wrong(value.span, problem));
            }
            None => {
                "expected an operator such as '@', ':' or '>>'; in a value, \
                     this character needs a backslash before it"
            }
        };
        Ok(self.wrong(here, problem))
    }

    fn need(&mut self, expected: &str) -> Result<Value> {
        if let Some(value) = self.scanner.value()? {
            return Ok(value);
        }
        let here = self.scanner.here();
        let found = match self.scanner.peek_operator() {
            Some((operator, _)) => format!("the operator '{}'", operator.sign()),
            None if self.scanner.is_done() => "the end of the query".into(),
            None => "a character that needs a backslash before it".into(),
        };
        Err(self.wrong(here, format!("expected {expected}, found {found}")))
    }

    fn of(
        &mut self,
        operation: impl Fn(String) -> Operation,
        expected: &str,
    ) -> Result<(Operation, Span)> {
        let value = self.need(expected)?;
        Ok((operation(value.text), value.span))
    }

    fn named(
        &mut self,
        names: NamesOf,
        operation: impl Fn(String) -> Operation,
        expected: &str,
    ) -> Result<(Operation, Span)> {
        if let Some(span) = self.scanner.takes(Operator::Names) {
            return Ok((Operation::Names(names), span));
        }
        self.of(operation, &format!("{expected} or '?'"))
    }

    fn optional(
        &mut self,
        operator: Span,
        operation: impl Fn(Option<String>) -> Operation,
    ) -> Result<(Operation, Span)> {
        Ok(match self.scanner.value()? {
            Some(value) => (operation(Some(value.text)), value.span),
            None => (operation(None), operator),
        })
    }

    fn if_missing(&mut self) -> Result<(Operation, Span)> {
        let value = self.need("a value")?;
        let mut kind = self.scanner.value()?;
        if kind.as_ref().is_some_and(|kind| kind.text == "type") {
            kind = Some(self.need("a type")?);
        }
        let Some(kind) = kind else {
            let literal = Literal::inferred(value.text, value.is_quoted);
            return Ok((Operation::IfMissing(literal), value.span));
        };
        let Some(element) = ElementType::parse(&kind.text) else {
            let names = ElementType::ALL.map(ElementType::name);
            let problem = format!(
                "expected an operator or a type, found '{}'{}",
                kind.text,
                did_you_mean(&kind.text, names)
            );
            return Err(self.wrong(kind.span, problem));
        };
        match Literal::typed(value.text, element) {
            Ok(literal) => Ok((Operation::IfMissing(literal), value.span.to(kind.span))),
            Err(problem) => Err(self.wrong(value.span, problem)),
        }
    }

    fn term(&mut self) -> Result<(bool, Value)> {
        let negated = self.scanner.takes(Operator::Not).is_some();
        Ok((negated, self.need("the name of a vector or matrix")?))
    }

    fn join(&mut self, how: Join) -> Result<(Operation, Span)> {
        let (negated, property) = self.term()?;
        let operation = Operation::Join {
            how,
            negated,
            property: property.text,
        };
        Ok((operation, property.span))
    }

    fn compare(&mut self, how: Comparator) -> Result<(Operation, Span)> {
        self.of(|value| Operation::Compare { how, value }, "a value")
    }

    fn matching(&mut self, how: Comparator) -> Result<(Operation, Span)> {
        let Some(pattern) = self.scanner.pattern()? else {
            let here = self.scanner.here();
            return Err(self.wrong(here, "expected a regular expression"));
        };
        if let Err(problem) = super::compare::pattern(&pattern.text) {
            return Err(self.wrong(pattern.span, problem));
        }
        let operation = Operation::Compare {
            how,
            value: pattern.text,
        };
        Ok((operation, pattern.span))
    }

    fn eltwise(&mut self) -> Result<(Operation, Span)> {
        let kind = OperationKind::Eltwise;
        let (name, given, places) = self.call(kind)?;
        let parsed = Eltwise::parse(&name.text, &given, self.custom);
        let how = self.called(kind, &name, &places, parsed)?;
        Ok((Operation::Eltwise(how), name.span))
    }

    fn reduce(&mut self, to: ReduceTo) -> Result<(Operation, Span)> {
        let kind = OperationKind::Reduction;
        let (name, given, places) = self.call(kind)?;
        let parsed = Reduction::parse(&name.text, &given, self.custom);
        let how = self.called(kind, &name, &places, parsed)?;
        Ok((Operation::Reduce { to, how }, name.span))
    }

    fn call(&mut self, kind: OperationKind) -> Result<(Value, Vec<Parameter>, Vec<Span>)> {
        let name = self.need(match kind {
            OperationKind::Reduction => "the name of a reduction",
            OperationKind::Eltwise => "the name of an element-wise operation",
        })?;
        let mut given = Vec::new();
        let mut places = Vec::new();
        while let Some(parameter) = self.scanner.value()? {
            // A colon between them is dafr's way; elsewhere a colon would
            // look up a vector, which nothing can be done with here.
            self.scanner.takes(Operator::Vector);
            let expected = format!("the value of the parameter '{}'", parameter.text);
            let value = self.need(&expected)?;
            places.push(parameter.span.to(value.span));
            given.push(Parameter {
                name: parameter.text,
                value: value.text,
            });
        }
        Ok((name, given, places))
    }

    fn called<T>(
        &self,
        kind: OperationKind,
        name: &Value,
        places: &[Span],
        parsed: Option<Result<T, ParameterProblem>>,
    ) -> Result<T> {
        let (noun, own, other): (_, &[&str], &[&str]) = match kind {
            OperationKind::Reduction => ("reduction", &Reduction::NAMES, &Eltwise::NAMES),
            OperationKind::Eltwise => {
                ("element-wise operation", &Eltwise::NAMES, &Reduction::NAMES)
            }
        };
        match parsed {
            Some(Ok(operation)) => Ok(operation),
            Some(Err(ParameterProblem { at, problem })) => {
                let place = at.and_then(|at| places.get(at)).copied();
                Err(self.wrong(place.unwrap_or(name.span), problem))
            }
            None if other.contains(&name.text.as_str()) => {
                let hint = match kind {
                    OperationKind::Reduction => "is element-wise; it comes after '%'",
                    OperationKind::Eltwise => "is a reduction; it comes after '>>', '>|' or '>-'",
                };
                Err(self.wrong(name.span, format!("the operation '{}' {hint}", name.text)))
            }
            None => {
                let custom = self.custom.names(kind);
                let known = own.iter().copied().chain(custom.iter().map(String::as_str));
                let hint = did_you_mean(&name.text, known.clone());
                let list: Vec<&str> = known.collect();
                let problem = format!(
                    "unknown {noun} '{}'{hint}\nexpected one of: {}",
                    name.text,
                    list.join(", ")
                );
                Err(self.wrong(name.span, problem))
            }
        }
    }
}
