//! Operations that users register in R. Their functions run on R's thread, in
//! the middle of a query, and behind a function of this package's that catches
//! their errors (`R/daf-registries.R`).

use axtile_core::{Error, Result};
use axtile_daf::operations::{Custom, CustomOperations, OperationKind, parse_number};
use extendr_api::prelude::*;

use crate::arguments::Arguments;
use crate::fresh::fresh_doubles;

/// The operations of the argument `custom`: NULL, or a list of a function
/// `call`, and for each kind a list `reduction` and `eltwise` of the functions
/// `fn` and the names `parameters` by name.
pub struct Registered {
    call: Option<Function>,
    reductions: Option<List>,
    eltwises: Option<List>,
}

impl Registered {
    /// What R hands over.
    pub fn of(arguments: &Arguments) -> Result<Registered> {
        if arguments.is_null("custom") {
            return Ok(Registered {
                call: None,
                reductions: None,
                eltwises: None,
            });
        }
        let custom = Arguments::new(&arguments.get("custom"))?;
        Ok(Registered {
            call: custom.get("call").as_function(),
            reductions: custom.get("reduction").as_list(),
            eltwises: custom.get("eltwise").as_list(),
        })
    }

    fn list(&self, kind: OperationKind) -> Option<&List> {
        match kind {
            OperationKind::Reduction => self.reductions.as_ref(),
            OperationKind::Eltwise => self.eltwises.as_ref(),
        }
    }

    fn find(&self, kind: OperationKind, name: &str) -> Option<Arguments> {
        let (_, found) = self.list(kind)?.iter().find(|(key, _)| *key == name)?;
        Arguments::new(&found).ok()
    }

    /// Calls the function of `operation` on `values`, a matrix if they are
    /// more than one column; the result is as long as it must be.
    fn run(
        &self,
        kind: OperationKind,
        operation: &Custom,
        values: &[f64],
        n_rows: usize,
    ) -> Result<Robj> {
        let unknown =
            || Error::argument(format!("no operation '{}' is registered", operation.name));
        let call = self.call.as_ref().ok_or_else(unknown)?;
        let function = self
            .find(kind, &operation.name)
            .ok_or_else(unknown)?
            .get("fn");
        let mut vector = fresh_doubles(values.len())?;
        vector.elements().copy_from_slice(values);
        let mut x = vector.robj().clone();
        if n_rows != values.len() && n_rows > 0 {
            let dim = [n_rows, values.len() / n_rows].map(|n| n as f64);
            x.set_attrib("dim", dim.as_slice())
                .map_err(|problem| Error::argument(problem.to_string()))?;
        }
        let parameters = operation.parameters.iter().map(|parameter| {
            let value: Robj = match parse_number(&parameter.value) {
                Some(number) => number.into(),
                None => parameter.value.as_str().into(),
            };
            (parameter.name.as_str(), value)
        });
        let parameters = List::from_pairs(parameters);
        let is_reduction = kind == OperationKind::Reduction;
        let answer = call
            .call(pairlist!(function, x, parameters, is_reduction))
            .map_err(|_| Error::Interrupted)?;
        let answer = Arguments::new(&answer)?;
        if !answer.is_null("value") {
            return Ok(answer.get("value"));
        }
        if answer.is_null("error") {
            return Err(Error::Interrupted);
        }
        Err(Error::argument(format!(
            "the operation '{}' failed: {}",
            operation.name,
            answer.text("error")?
        )))
    }
}

impl CustomOperations for Registered {
    fn names(&self, kind: OperationKind) -> Vec<String> {
        let list = self.list(kind);
        list.map_or_else(Vec::new, |list| {
            list.iter().map(|(name, _)| name.to_owned()).collect()
        })
    }

    fn parameters(&self, kind: OperationKind, name: &str) -> Option<Vec<String>> {
        self.find(kind, name)?.texts("parameters").ok()
    }

    fn reduce(&self, operation: &Custom, values: &[f64]) -> Result<f64> {
        let result = self.run(OperationKind::Reduction, operation, values, values.len())?;
        result.as_real().ok_or_else(|| Arguments::wrong("value"))
    }

    fn apply(&self, operation: &Custom, values: &[f64], n_rows: usize) -> Result<Vec<f64>> {
        let result = self.run(OperationKind::Eltwise, operation, values, n_rows)?;
        match result.as_real_slice() {
            Some(numbers) if numbers.len() == values.len() => Ok(numbers.to_vec()),
            _ => Err(Arguments::wrong("value")),
        }
    }
}
