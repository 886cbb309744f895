//! Reductions: their names, parameters and types.

use std::fmt;

use super::custom::{Custom, CustomOperations, OperationKind};
use super::parameters::{Parameter, ParameterProblem, Parameters};
use crate::model::ElementType;

/// Many values to one.
#[derive(Clone, Debug, PartialEq)]
pub enum Reduction {
    /// The sum; whole numbers of up to 32 bits give 32 bits if it fits and
    /// 64 if not, unless a type is asked for.
    Sum {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The arithmetic mean.
    Mean {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The middle value, or the mean of the two middle ones.
    Median {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The quantile of type 7: linear between the two values around
    /// `p * (n - 1)`.
    Quantile {
        /// From 0 to 1.
        p: f64,
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The most frequent value; among equals the one met first.
    Mode,
    /// How many values there are.
    Count {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The variance, divided by the number of values.
    Var {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The square root of the variance.
    Std {
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The variance divided by the mean.
    VarN {
        /// Added to the mean.
        eps: f64,
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// The standard deviation divided by the mean.
    StdN {
        /// Added to the mean.
        eps: f64,
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// `exp(mean(log(x + eps))) - eps`.
    GeoMean {
        /// Added to each value.
        eps: f64,
        /// The type of the result.
        kind: Option<ElementType>,
    },
    /// A function of the user.
    Custom(Custom),
}

const FLOAT: &str = "a float type";
const NUMBER: &str = "a number type";
const NOT_NEGATIVE: &str = "a number that is not negative";

impl Reduction {
    /// The names of all reductions of this crate.
    pub const NAMES: [&str; 13] = [
        "Count", "GeoMean", "Max", "Mean", "Median", "Min", "Mode", "Quantile", "Std", "StdN",
        "Sum", "Var", "VarN",
    ];

    /// The reduction `name` with the parameters `given`; None if there is no
    /// such reduction.
    pub fn parse(
        name: &str,
        given: &[Parameter],
        custom: &dyn CustomOperations,
    ) -> Option<Result<Reduction, ParameterProblem>> {
        if !Reduction::NAMES.contains(&name) {
            let call = Custom::parse(OperationKind::Reduction, name, given, custom)?;
            return Some(call.map(Reduction::Custom));
        }
        Some(Reduction::known(name, given))
    }

    fn known(name: &str, given: &[Parameter]) -> Result<Reduction, ParameterProblem> {
        let mut parameters = Parameters::new(name, given);
        let kind = match name {
            "Min" | "Max" | "Mode" => None,
            "Sum" | "Count" => parameters.element(ElementType::is_number, NUMBER)?,
            _ => parameters.element(ElementType::is_float, FLOAT)?,
        };
        let mut eps = || {
            parameters.number(
                "eps",
                Some(0.0),
                |eps| eps >= 0.0 && eps.is_finite(),
                NOT_NEGATIVE,
            )
        };
        let reduction = match name {
            "Sum" => Reduction::Sum { kind },
            "Mean" => Reduction::Mean { kind },
            "Min" => Reduction::Min,
            "Max" => Reduction::Max,
            "Median" => Reduction::Median { kind },
            "Mode" => Reduction::Mode,
            "Count" => Reduction::Count { kind },
            "Var" => Reduction::Var { kind },
            "Std" => Reduction::Std { kind },
            "VarN" => Reduction::VarN { eps: eps()?, kind },
            "StdN" => Reduction::StdN { eps: eps()?, kind },
            "GeoMean" => Reduction::GeoMean { eps: eps()?, kind },
            _ => Reduction::Quantile {
                p: parameters.number(
                    "p",
                    None,
                    |p| (0.0..=1.0).contains(&p),
                    "a number from 0 to 1",
                )?,
                kind,
            },
        };
        parameters.finish()?;
        Ok(reduction)
    }

    /// The name in queries.
    pub fn name(&self) -> &str {
        match self {
            Reduction::Sum { .. } => "Sum",
            Reduction::Mean { .. } => "Mean",
            Reduction::Min => "Min",
            Reduction::Max => "Max",
            Reduction::Median { .. } => "Median",
            Reduction::Quantile { .. } => "Quantile",
            Reduction::Mode => "Mode",
            Reduction::Count { .. } => "Count",
            Reduction::Var { .. } => "Var",
            Reduction::Std { .. } => "Std",
            Reduction::VarN { .. } => "VarN",
            Reduction::StdN { .. } => "StdN",
            Reduction::GeoMean { .. } => "GeoMean",
            Reduction::Custom(custom) => &custom.name,
        }
    }

    /// The type that was asked for.
    pub fn asked_type(&self) -> Option<ElementType> {
        match self {
            Reduction::Sum { kind }
            | Reduction::Mean { kind }
            | Reduction::Median { kind }
            | Reduction::Quantile { kind, .. }
            | Reduction::Count { kind }
            | Reduction::Var { kind }
            | Reduction::Std { kind }
            | Reduction::VarN { kind, .. }
            | Reduction::StdN { kind, .. }
            | Reduction::GeoMean { kind, .. } => *kind,
            Reduction::Min | Reduction::Max | Reduction::Mode | Reduction::Custom(_) => None,
        }
    }

    /// Whether texts can be reduced.
    pub fn takes_texts(&self) -> bool {
        matches!(self, Reduction::Mode | Reduction::Count { .. })
    }

    /// The type of the result for values of type `input`, if none was asked
    /// for. A sum of whole numbers that does not fit becomes wider.
    pub fn result_type(&self, input: ElementType) -> ElementType {
        if let Some(kind) = self.asked_type() {
            return kind;
        }
        match self {
            Reduction::Min | Reduction::Max | Reduction::Mode => input,
            Reduction::Count { .. } => ElementType::UInt32,
            Reduction::Custom(_) => ElementType::Float64,
            Reduction::Sum { .. } => sum_type(input),
            _ => float_type(input),
        }
    }

    /// The parameters that differ from their defaults, in a fixed order.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut given = Vec::new();
        let mut give = |name: &str, value: String| {
            given.push(Parameter {
                name: name.to_owned(),
                value,
            });
        };
        match self {
            Reduction::Quantile { p, .. } => give("p", p.to_string()),
            Reduction::VarN { eps, .. }
            | Reduction::StdN { eps, .. }
            | Reduction::GeoMean { eps, .. }
                if *eps != 0.0 =>
            {
                give("eps", eps.to_string());
            }
            Reduction::Custom(custom) => return custom.parameters.clone(),
            _ => {}
        }
        if let Some(kind) = self.asked_type() {
            give("type", kind.name().to_owned());
        }
        given
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The type of what is computed from values of type `input`: 64 bits stay 64.
pub fn float_type(input: ElementType) -> ElementType {
    match input {
        ElementType::Int64 | ElementType::UInt64 | ElementType::Float64 => ElementType::Float64,
        _ => ElementType::Float32,
    }
}

fn sum_type(input: ElementType) -> ElementType {
    match input {
        ElementType::Bool | ElementType::UInt8 | ElementType::UInt16 => ElementType::UInt32,
        ElementType::Int8 | ElementType::Int16 => ElementType::Int32,
        other => other,
    }
}
