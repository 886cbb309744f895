//! The one way in which each query is written.

use std::fmt;

use super::compare::Comparator;
use super::escape::escape_value;
use super::literal::Literal;
use super::step::{Join, NamesOf, Operation, ReduceTo};
use crate::operations::Parameter;

impl fmt::Display for Operation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Names(NamesOf::Scalars) => to.write_str(". ?"),
            Operation::Names(NamesOf::Axes) => to.write_str("@ ?"),
            Operation::Names(NamesOf::Vectors) => to.write_str(": ?"),
            Operation::Names(NamesOf::Matrices) => to.write_str(":: ?"),
            Operation::Names(NamesOf::Whatever) => to.write_str("?"),
            Operation::Axis(name) => named(to, "@", name),
            Operation::AsAxis(None) => to.write_str("=@"),
            Operation::AsAxis(Some(name)) => named(to, "=@", name),
            Operation::Scalar(name) => named(to, ".", name),
            Operation::Vector(name) => named(to, ":", name),
            Operation::Matrix(name) => named(to, "::", name),
            Operation::IfMissing(literal) => write!(to, "|| {literal}"),
            Operation::IfNot(None) => to.write_str("??"),
            Operation::IfNot(Some(value)) => named(to, "??", value),
            Operation::BeginMask { negated, property } => term(to, "[", *negated, property),
            Operation::EndMask => to.write_str("]"),
            Operation::Join {
                how,
                negated,
                property,
            } => {
                let sign = match how {
                    Join::And => "&",
                    Join::Or => "|",
                    Join::Xor => "^",
                };
                term(to, sign, *negated, property)
            }
            Operation::Compare { how, value } => named(to, how.sign(), value),
            Operation::SquareColumn(entry) => named(to, "@|", entry),
            Operation::SquareRow(entry) => named(to, "@-", entry),
            Operation::Group(property) => named(to, "/", property),
            Operation::GroupRows(property) => named(to, "-/", property),
            Operation::GroupColumns(property) => named(to, "|/", property),
            Operation::Count(property) => named(to, "*", property),
            Operation::Eltwise(how) => call(to, "%", how.name(), &how.parameters()),
            Operation::Reduce { to: shape, how } => {
                let sign = match shape {
                    ReduceTo::Scalar => ">>",
                    ReduceTo::Row => ">-",
                    ReduceTo::Column => ">|",
                };
                call(to, sign, how.name(), &how.parameters())
            }
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&escape_value(self.text()))?;
        if self.needs_type() {
            write!(to, " {}", self.kind())?;
        }
        Ok(())
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.sign())
    }
}

fn named(to: &mut fmt::Formatter<'_>, sign: &str, name: &str) -> fmt::Result {
    write!(to, "{sign} {}", escape_value(name))
}

fn term(to: &mut fmt::Formatter<'_>, sign: &str, negated: bool, property: &str) -> fmt::Result {
    let not = if negated { " !" } else { "" };
    write!(to, "{sign}{not} {}", escape_value(property))
}

fn call(
    to: &mut fmt::Formatter<'_>,
    sign: &str,
    name: &str,
    parameters: &[Parameter],
) -> fmt::Result {
    named(to, sign, name)?;
    for parameter in parameters {
        write!(
            to,
            " {} {}",
            escape_value(&parameter.name),
            escape_value(&parameter.value)
        )?;
    }
    Ok(())
}
