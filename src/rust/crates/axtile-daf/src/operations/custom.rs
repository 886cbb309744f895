//! Operations that a user brings: functions of the host language, called with
//! plain numbers on the thread that evaluates the query.

use axtile_core::{Error, Result};

use super::parameters::{Parameter, ParameterProblem, repeated};

/// Which of the two kinds of operations a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Many values to one.
    Reduction,
    /// Each value to one.
    Eltwise,
}

/// The operations that a user registered.
pub trait CustomOperations {
    /// Their names.
    fn names(&self, kind: OperationKind) -> Vec<String>;

    /// The parameters that an operation takes, or None if there is no such
    /// operation.
    fn parameters(&self, kind: OperationKind, name: &str) -> Option<Vec<String>>;

    /// Reduces `values`, one slice or group of the data in its order.
    ///
    /// # Errors
    /// What the function reports.
    fn reduce(&self, operation: &Custom, values: &[f64]) -> Result<f64>;

    /// Replaces each of `values`: the whole vector, or the whole matrix by
    /// columns of `n_rows` values each.
    ///
    /// # Errors
    /// What the function reports.
    fn apply(&self, operation: &Custom, values: &[f64], n_rows: usize) -> Result<Vec<f64>>;
}

/// No operations beyond those of this crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCustomOperations;

impl CustomOperations for NoCustomOperations {
    fn names(&self, _kind: OperationKind) -> Vec<String> {
        Vec::new()
    }

    fn parameters(&self, _kind: OperationKind, _name: &str) -> Option<Vec<String>> {
        None
    }

    fn reduce(&self, operation: &Custom, _values: &[f64]) -> Result<f64> {
        Err(unknown(operation))
    }

    fn apply(&self, operation: &Custom, _values: &[f64], _n_rows: usize) -> Result<Vec<f64>> {
        Err(unknown(operation))
    }
}

fn unknown(operation: &Custom) -> Error {
    Error::argument(format!("no operation '{}' is registered", operation.name))
}

/// A call of an operation that a user registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Custom {
    /// The name it is registered under.
    pub name: String,
    /// What is passed to it.
    pub parameters: Vec<Parameter>,
}

impl Custom {
    /// The call of `name` with `given`, if the user registered that.
    pub(super) fn parse(
        kind: OperationKind,
        name: &str,
        given: &[Parameter],
        custom: &dyn CustomOperations,
    ) -> Option<Result<Custom, ParameterProblem>> {
        let known = custom.parameters(kind, name)?;
        if let Some(at) = given.iter().position(|one| !known.contains(&one.name)) {
            let problem = format!(
                "the parameter {} does not exist for the operation {name}; it has: {}",
                given.get(at).map_or("", |one| &one.name),
                known.join(", ")
            );
            return Some(Err(ParameterProblem {
                at: Some(at),
                problem,
            }));
        }
        Some(repeated(name, given).map(|()| Custom {
            name: name.to_owned(),
            parameters: given.to_vec(),
        }))
    }
}
