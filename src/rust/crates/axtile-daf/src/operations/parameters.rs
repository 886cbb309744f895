//! Parameters of operations as queries give them.

use crate::model::ElementType;

/// A parameter as it was written: its name and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The value, without escapes.
    pub value: String,
}

/// What is wrong with the parameters of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterProblem {
    /// The parameter concerned; none if one is missing.
    pub at: Option<usize>,
    /// What was given, and what was expected.
    pub problem: String,
}

/// A number of a parameter; `e`, `pi`, `inf` and `nan` are numbers too.
pub fn parse_number(text: &str) -> Option<f64> {
    match text {
        "e" => Some(std::f64::consts::E),
        "pi" => Some(std::f64::consts::PI),
        _ => text.parse().ok(),
    }
}

/// The parameters of one operation, taken one by one.
pub(super) struct Parameters<'a> {
    operation: &'a str,
    given: &'a [Parameter],
    taken: Vec<&'static str>,
}

type Taken<T> = Result<T, ParameterProblem>;

impl<'a> Parameters<'a> {
    pub fn new(operation: &'a str, given: &'a [Parameter]) -> Parameters<'a> {
        Parameters {
            operation,
            given,
            taken: Vec::new(),
        }
    }

    /// Number `name`, or `default`; `is_valid` and `expected` say which
    /// numbers make sense.
    pub fn number(
        &mut self,
        name: &'static str,
        default: Option<f64>,
        is_valid: impl Fn(f64) -> bool,
        expected: &str,
    ) -> Taken<f64> {
        let Some((at, value)) = self.take(name) else {
            return default.ok_or_else(|| ParameterProblem {
                at: None,
                problem: format!(
                    "the operation {} needs the parameter {name}, {expected}",
                    self.operation
                ),
            });
        };
        parse_number(value)
            .filter(|&number| is_valid(number))
            .ok_or_else(|| ParameterProblem {
                at: Some(at),
                problem: format!(
                    "the value '{value}' of the parameter {name} of the operation {} must be {expected}",
                    self.operation
                ),
            })
    }

    /// The type `type` if it is given; `is_valid` and `expected` say which
    /// types make sense.
    pub fn element(
        &mut self,
        is_valid: impl Fn(ElementType) -> bool,
        expected: &str,
    ) -> Taken<Option<ElementType>> {
        let Some((at, value)) = self.take("type") else {
            return Ok(None);
        };
        match ElementType::parse(value).filter(|&kind| is_valid(kind)) {
            Some(kind) => Ok(Some(kind)),
            None => Err(ParameterProblem {
                at: Some(at),
                problem: format!(
                    "the type '{value}' of the operation {} must be: {expected}",
                    self.operation
                ),
            }),
        }
    }

    /// That no other parameter was given, and none twice.
    pub fn finish(self) -> Taken<()> {
        for (at, parameter) in self.given.iter().enumerate() {
            if !self.taken.iter().any(|name| *name == parameter.name) {
                let known = match self.taken.as_slice() {
                    [] => "it has none".to_owned(),
                    known => format!("it has: {}", known.join(", ")),
                };
                return Err(ParameterProblem {
                    at: Some(at),
                    problem: format!(
                        "the parameter {} does not exist for the operation {}; {known}",
                        parameter.name, self.operation
                    ),
                });
            }
        }
        repeated(self.operation, self.given)
    }

    fn take(&mut self, name: &'static str) -> Option<(usize, &'a str)> {
        self.taken.push(name);
        let at = self.given.iter().position(|given| given.name == name)?;
        Some((at, &self.given.get(at)?.value))
    }
}

/// That no parameter is given twice.
pub(super) fn repeated(operation: &str, given: &[Parameter]) -> Taken<()> {
    for (at, parameter) in given.iter().enumerate() {
        if given
            .iter()
            .take(at)
            .any(|other| other.name == parameter.name)
        {
            return Err(ParameterProblem {
                at: Some(at),
                problem: format!(
                    "the parameter {} of the operation {operation} is given twice",
                    parameter.name
                ),
            });
        }
    }
    Ok(())
}
