//! Reductions of vectors: of numbers by kernels, of texts and by the user's
//! functions one group after the other.

use axtile_core::Result;

use super::values::{floats, take};
use super::{Evaluation, Options};
use crate::model::{Texts, Values};
use crate::operations::{
    MatrixView, Members, NO_SLOT, Reduction, Request, Shape, mode_of_texts, numbers, reduce_matrix,
};
use crate::query::expression::Reduce;

/// Each group of values to one; those of empty groups mean nothing.
pub fn reduce_groups(
    evaluation: &Evaluation<'_>,
    values: &Values,
    of: &[u32],
    n_groups: usize,
    reduce: &Reduce,
) -> Result<Values> {
    let request = Request {
        rows: Members {
            selected: None,
            groups: Some((of, n_groups)),
        },
        columns: Members::default(),
        shape: Shape::PerColumn,
    };
    match numbers(values) {
        Some(numbers) if !matches!(reduce.how, Reduction::Custom(_)) => {
            let column = MatrixView::Dense {
                n_rows: numbers.len(),
                n_columns: 1,
                values: numbers,
            };
            let Options { threads, watch, .. } = &evaluation.options;
            reduce_matrix(&column, &request, &reduce.how, threads, *watch)
                .map_err(|problem| evaluation.wrap(reduce.span, problem))
        }
        _ => {
            let sets = request.rows.sets(of.len());
            reduce_sets(evaluation, values, sets.into_iter(), reduce)
        }
    }
}

/// All values to one.
pub fn reduce_values(
    evaluation: &Evaluation<'_>,
    values: &Values,
    reduce: &Reduce,
) -> Result<Values> {
    let request = Request {
        rows: Members::default(),
        columns: Members::default(),
        shape: Shape::One,
    };
    match numbers(values) {
        Some(numbers) if !matches!(reduce.how, Reduction::Custom(_)) => {
            let column = MatrixView::Dense {
                n_rows: numbers.len(),
                n_columns: 1,
                values: numbers,
            };
            let Options { threads, watch, .. } = &evaluation.options;
            reduce_matrix(&column, &request, &reduce.how, threads, *watch)
                .map_err(|problem| evaluation.wrap(reduce.span, problem))
        }
        _ => {
            let all = (0..values.len() as u32).collect();
            reduce_sets(evaluation, values, std::iter::once(all), reduce)
        }
    }
}

/// The values at the positions of each set to one: texts, or by a function of
/// the user.
pub fn reduce_sets(
    evaluation: &Evaluation<'_>,
    values: &Values,
    sets: impl Iterator<Item = Vec<u32>>,
    reduce: &Reduce,
) -> Result<Values> {
    let kind = values.element_type();
    match (&reduce.how, values) {
        (Reduction::Custom(custom), _) => {
            let Some(all) = floats(values) else {
                let problem = format!("'{}' reduces numbers; the values are {kind}", reduce.how);
                return Err(evaluation.wrong(reduce.span, problem));
            };
            let mut results = Vec::new();
            for set in sets {
                evaluation.options.watch.check()?;
                let values: Vec<f64> = set
                    .iter()
                    .filter_map(|&at| all.get(at as usize).copied())
                    .collect();
                results.push(match values.is_empty() {
                    true => 0.0,
                    false => evaluation.options.custom.reduce(custom, &values)?,
                });
            }
            Ok(Values::Float64(results.into()))
        }
        (Reduction::Mode, Values::String(texts)) => {
            let modes: Vec<u32> = sets.map(|set| mode_of_set(texts, &set)).collect();
            Ok(take(values, &modes))
        }
        (Reduction::Count { .. }, _) => {
            let counts = sets.map(|set| set.len() as u64).collect();
            crate::operations::Results::Unsigned(counts).into_values(reduce.how.result_type(kind))
        }
        _ => {
            let problem = format!(
                "'{}' reduces numbers; the values are {kind}, which only Mode and Count reduce",
                reduce.how
            );
            Err(evaluation.wrong(reduce.span, problem))
        }
    }
}

fn mode_of_set(texts: &Texts, set: &[u32]) -> u32 {
    let members = set.iter().map(|&at| texts.bytes(at as usize));
    mode_of_texts(members)
        .and_then(|at| set.get(at).copied())
        .unwrap_or(NO_SLOT)
}
