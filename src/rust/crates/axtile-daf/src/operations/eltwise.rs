//! Element-wise operations: their names, parameters and types.

use std::fmt;

use super::custom::{Custom, CustomOperations, OperationKind};
use super::parameters::{Parameter, ParameterProblem, Parameters};
use super::reduction::float_type;
use crate::model::ElementType;

/// Each value to one, in the same place.
#[derive(Clone, Debug, PartialEq)]
pub enum Eltwise {
    /// The absolute value; unsigned for whole numbers.
    Abs {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The nearest whole number, the even one of two equally near.
    Round {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// No less than `min`, no more than `max`.
    Clamp {
        /// The least result.
        min: f64,
        /// The largest result, above `min`.
        max: f64,
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The same number as another type, exactly.
    Convert {
        /// The type of the result.
        kind: ElementType,
    },
    /// The part of the total of the vector, or of the column.
    Fraction {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// `log(x + eps) / log(base)`.
    Log {
        /// Above 0.
        base: f64,
        /// Added to each value.
        eps: f64,
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// Zero for what is nearer to zero than `low`, and for the whole vector
    /// or column if nothing in it reaches `high`.
    Significant {
        /// What some value must reach.
        high: f64,
        /// What each value must reach.
        low: f64,
    },
    /// `exp(x)`.
    Exp {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The square root.
    Sqrt {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// A function of the user.
    Custom(Custom),
}

const FLOAT: &str = "a float type";
const NUMBER: &str = "a number type";

impl Eltwise {
    /// The names of all element-wise operations of this crate.
    pub const NAMES: [&str; 9] = [
        "Abs",
        "Clamp",
        "Convert",
        "Exp",
        "Fraction",
        "Log",
        "Round",
        "Significant",
        "Sqrt",
    ];

    /// The operation `name` with the parameters `given`; None if there is no
    /// such operation.
    pub fn parse(
        name: &str,
        given: &[Parameter],
        custom: &dyn CustomOperations,
    ) -> Option<Result<Eltwise, ParameterProblem>> {
        if !Eltwise::NAMES.contains(&name) {
            let call = Custom::parse(OperationKind::Eltwise, name, given, custom)?;
            return Some(call.map(Eltwise::Custom));
        }
        Some(Eltwise::known(name, given))
    }

    fn known(name: &str, given: &[Parameter]) -> Result<Eltwise, ParameterProblem> {
        let mut parameters = Parameters::new(name, given);
        let kind = match name {
            "Significant" => None,
            "Convert" => parameters.element(
                |kind| kind.is_number() || kind == ElementType::Bool,
                "a number type or Bool",
            )?,
            "Abs" | "Round" | "Clamp" => parameters.element(ElementType::is_number, NUMBER)?,
            _ => parameters.element(ElementType::is_float, FLOAT)?,
        };
        let operation = match name {
            "Abs" => Eltwise::Abs { kind },
            "Round" => Eltwise::Round { kind },
            "Clamp" => {
                let is_bound = |bound: f64| !bound.is_nan();
                let min =
                    parameters.number("min", Some(f64::NEG_INFINITY), is_bound, "a number")?;
                let max = parameters.number(
                    "max",
                    Some(f64::INFINITY),
                    |max| max > min,
                    "a number above min",
                )?;
                Eltwise::Clamp { min, max, kind }
            }
            "Convert" => Eltwise::Convert {
                kind: kind.ok_or_else(|| ParameterProblem {
                    at: None,
                    problem: "the operation Convert needs the parameter type, \
                              a number type or Bool"
                        .into(),
                })?,
            },
            "Fraction" => Eltwise::Fraction { kind },
            "Log" => Eltwise::Log {
                base: parameters.number(
                    "base",
                    Some(std::f64::consts::E),
                    |base| base > 0.0 && base != 1.0 && base.is_finite(),
                    "a number above 0 other than 1",
                )?,
                eps: parameters.number(
                    "eps",
                    Some(0.0),
                    |eps| eps >= 0.0 && eps.is_finite(),
                    "a number that is not negative",
                )?,
                kind,
            },
            "Exp" => Eltwise::Exp { kind },
            "Sqrt" => Eltwise::Sqrt { kind },
            _ => {
                let high =
                    parameters.number("high", None, |high| high > 0.0, "a number above 0")?;
                let low = parameters.number(
                    "low",
                    Some(high),
                    |low| (0.0..=high).contains(&low),
                    "a number from 0 to high",
                )?;
                Eltwise::Significant { high, low }
            }
        };
        parameters.finish()?;
        Ok(operation)
    }

    /// The name in queries.
    pub fn name(&self) -> &str {
        match self {
            Eltwise::Abs { .. } => "Abs",
            Eltwise::Round { .. } => "Round",
            Eltwise::Clamp { .. } => "Clamp",
            Eltwise::Convert { .. } => "Convert",
            Eltwise::Fraction { .. } => "Fraction",
            Eltwise::Log { .. } => "Log",
            Eltwise::Significant { .. } => "Significant",
            Eltwise::Exp { .. } => "Exp",
            Eltwise::Sqrt { .. } => "Sqrt",
            Eltwise::Custom(custom) => &custom.name,
        }
    }

    /// The type that was asked for.
    pub fn asked_type(&self) -> Option<ElementType> {
        match self {
            Eltwise::Abs { kind }
            | Eltwise::Round { kind }
            | Eltwise::Clamp { kind, .. }
            | Eltwise::Fraction { kind }
            | Eltwise::Log { kind, .. }
            | Eltwise::Exp { kind }
            | Eltwise::Sqrt { kind } => *kind,
            Eltwise::Convert { kind } => Some(*kind),
            Eltwise::Significant { .. } | Eltwise::Custom(_) => None,
        }
    }

    /// The type of the result for values of type `input`.
    pub fn result_type(&self, input: ElementType) -> ElementType {
        if let Some(kind) = self.asked_type() {
            return kind;
        }
        match self {
            Eltwise::Abs { .. } => unsigned_type(input),
            Eltwise::Round { .. } => match input {
                ElementType::Float32 => ElementType::Int32,
                ElementType::Float64 => ElementType::Int64,
                other => other,
            },
            Eltwise::Clamp { min, max, .. } if !is_whole(*min) || !is_whole(*max) => {
                match input.is_float() {
                    true => input,
                    false => float_type(input),
                }
            }
            Eltwise::Clamp { .. } | Eltwise::Significant { .. } | Eltwise::Convert { .. } => input,
            Eltwise::Fraction { .. }
            | Eltwise::Log { .. }
            | Eltwise::Exp { .. }
            | Eltwise::Sqrt { .. } => float_type(input),
            Eltwise::Custom(_) => ElementType::Float64,
        }
    }

    /// Whether the operation looks at a whole vector or column, so that a
    /// scalar makes no sense.
    pub fn needs_column(&self) -> bool {
        matches!(self, Eltwise::Fraction { .. } | Eltwise::Significant { .. })
    }

    /// The parameters that differ from their defaults, in a fixed order.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut given = Vec::new();
        let mut give = |name: &str, value: f64, default: f64| {
            if value != default {
                given.push(Parameter {
                    name: name.to_owned(),
                    value: value.to_string(),
                });
            }
        };
        match self {
            Eltwise::Clamp { min, max, .. } => {
                give("min", *min, f64::NEG_INFINITY);
                give("max", *max, f64::INFINITY);
            }
            Eltwise::Log { base, eps, .. } => {
                give("base", *base, std::f64::consts::E);
                give("eps", *eps, 0.0);
            }
            Eltwise::Significant { high, low } => {
                give("high", *high, 0.0);
                give("low", *low, *high);
            }
            Eltwise::Custom(custom) => return custom.parameters.clone(),
            _ => {}
        }
        if let Some(kind) = self.asked_type() {
            given.push(Parameter {
                name: "type".to_owned(),
                value: kind.name().to_owned(),
            });
        }
        given
    }
}

impl fmt::Display for Eltwise {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

fn is_whole(bound: f64) -> bool {
    bound.is_infinite() || bound.fract() == 0.0
}

fn unsigned_type(input: ElementType) -> ElementType {
    match input {
        ElementType::Int8 => ElementType::UInt8,
        ElementType::Int16 => ElementType::UInt16,
        ElementType::Int32 => ElementType::UInt32,
        ElementType::Int64 => ElementType::UInt64,
        other => other,
    }
}
