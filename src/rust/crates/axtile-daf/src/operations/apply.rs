//! Element-wise operations on numbers.

use std::ops::Range;

use axtile_core::{Error, Result, Watch};

use super::eltwise::Eltwise;
use super::lane::{Lane, LaneKind, Numbers};
use super::piece::outside;
use super::results::Results;
use super::threads::{Threads, fill};
use crate::model::{Buffer, Plain, Values};

/// Values that one thread changes at once.
const CHUNK: usize = 1 << 16;

/// The columns of stored numbers: consecutive ranges.
pub enum Columns<'a> {
    /// Of so many values each; a vector is one column.
    Equal(usize),
    /// Where each starts, and where the last one ends.
    Starts(&'a [usize]),
}

impl Columns<'_> {
    fn ranges(&self, n: usize) -> Vec<Range<usize>> {
        match self {
            Columns::Equal(0) => Vec::new(),
            Columns::Equal(size) => (0..n)
                .step_by(*size)
                .map(|start| start..(start + size).min(n))
                .collect(),
            Columns::Starts(starts) => starts
                .windows(2)
                .map(|ends| match ends {
                    [start, end] => *start..*end,
                    _ => 0..0,
                })
                .collect(),
        }
    }
}

/// What the operation makes of a zero, which need not be stored if that is
/// zero too. None for operations of the user.
pub fn of_zero(operation: &Eltwise) -> Option<f64> {
    match operation {
        Eltwise::Clamp { min, max, .. } => Some(0_f64.max(*min).min(*max)),
        Eltwise::Log { base, eps, .. } => Some(eps.ln() / base.ln()),
        Eltwise::Exp { .. } => Some(1.0),
        Eltwise::Custom(_) => None,
        _ => Some(0.0),
    }
}

/// The operation on all `numbers`.
///
/// # Errors
/// `Error::Range` for a result that its type cannot hold, and for a value
/// outside the domain of the operation. `Error::Argument` for operations of
/// the user, which are no kernels. `Error::Interrupted`; nothing is reported to
/// `watch`.
pub fn apply(
    numbers: &Numbers<'_>,
    columns: &Columns<'_>,
    operation: &Eltwise,
    threads: &Threads,
    watch: &dyn Watch,
) -> Result<Values> {
    let result = operation.result_type(numbers.kind());
    let lane = LaneKind::of(numbers.kind());
    let work = Work {
        numbers,
        threads,
        watch,
    };
    let results = match (operation, lane) {
        (Eltwise::Abs { .. }, LaneKind::Float) => work.floats(f64::abs)?,
        (Eltwise::Abs { .. }, LaneKind::Signed) => {
            Results::Unsigned(work.each(|value: i64| Ok(value.unsigned_abs()))?)
        }
        (Eltwise::Round { .. }, LaneKind::Float) => work.floats(f64::round_ties_even)?,
        (Eltwise::Clamp { min, max, .. }, LaneKind::Signed) if !result.is_float() => {
            let least = bound(*min, i64::MIN as f64, i64::MAX as f64)? as i64;
            let most = bound(*max, i64::MIN as f64, i64::MAX as f64)? as i64;
            Results::Signed(work.each(|value: i64| Ok(value.max(least).min(most)))?)
        }
        (Eltwise::Clamp { min, max, .. }, LaneKind::Unsigned) if !result.is_float() => {
            let least = bound(min.max(0.0), 0.0, u64::MAX as f64)? as u64;
            let most = bound(*max, 0.0, u64::MAX as f64)? as u64;
            Results::Unsigned(work.each(|value: u64| Ok(value.max(least).min(most)))?)
        }
        (Eltwise::Clamp { min, max, .. }, _) => {
            let (min, max) = (*min, *max);
            work.floats(move |value| {
                if value.is_nan() {
                    value
                } else {
                    value.max(min).min(max)
                }
            })?
        }
        (Eltwise::Fraction { .. }, _) => work.columns(columns, |values| {
            let total: f64 = values.iter().sum();
            for value in values {
                *value = if total == 0.0 { 0.0 } else { *value / total };
            }
        })?,
        (Eltwise::Significant { high, low }, LaneKind::Float) => {
            let (high, low) = (*high, *low);
            work.columns(columns, move |values| {
                let reaches = values.iter().any(|value| value.abs() >= high);
                for value in values {
                    if !value.is_nan() && (!reaches || value.abs() < low) {
                        *value = 0.0;
                    }
                }
            })?
        }
        (Eltwise::Significant { high, low }, LaneKind::Signed) => {
            Results::Signed(work.significant(columns, *high, *low)?)
        }
        (Eltwise::Significant { high, low }, LaneKind::Unsigned) => {
            Results::Unsigned(work.significant(columns, *high, *low)?)
        }
        (Eltwise::Log { base, eps, .. }, _) => {
            let (scale, eps) = (base.ln(), *eps);
            Results::Floats(work.each(move |value: f64| {
                if value + eps < 0.0 {
                    return Err(domain(operation, value, &format!("at least {}", -eps)));
                }
                Ok((value + eps).ln() / scale)
            })?)
        }
        (Eltwise::Sqrt { .. }, _) => Results::Floats(work.each(|value: f64| {
            if value < 0.0 {
                return Err(domain(operation, value, "at least 0"));
            }
            Ok(value.sqrt())
        })?),
        (Eltwise::Exp { .. }, _) => work.floats(f64::exp)?,
        (Eltwise::Custom(custom), _) => {
            return Err(Error::argument(format!(
                "the operation '{}' is the user's",
                custom.name
            )));
        }
        (_, LaneKind::Float) => work.floats(|value| value)?,
        (_, LaneKind::Signed) => Results::Signed(work.each(|value: i64| Ok(value))?),
        (_, LaneKind::Unsigned) => Results::Unsigned(work.each(|value: u64| Ok(value))?),
    };
    results.into_values(result)
}

/// A bound of whole numbers; beyond what they can be, it is only right if
/// nothing is cut to it.
fn bound(bound: f64, least: f64, most: f64) -> Result<f64> {
    if bound.is_finite() && !(least..=most).contains(&bound) {
        return Err(Error::range(format!(
            "Clamp to {bound}, which is no whole number of the type of the values; \
             add a type"
        )));
    }
    Ok(bound)
}

fn domain(operation: &Eltwise, value: f64, expected: &str) -> Error {
    Error::range(format!("{operation} of {value}; it must be {expected}"))
}

struct Work<'a> {
    numbers: &'a Numbers<'a>,
    threads: &'a Threads,
    watch: &'a dyn Watch,
}

impl Work<'_> {
    fn floats(&self, of: impl Fn(f64) -> f64 + Send + Sync) -> Result<Results> {
        Ok(Results::Floats(self.each(|value| Ok(of(value)))?))
    }

    fn each<L: Lane, T: Plain>(
        &self,
        of: impl Fn(L) -> Result<T> + Send + Sync,
    ) -> Result<Buffer<T>> {
        let ranges = Columns::Equal(CHUNK).ranges(self.numbers.len());
        self.by_range(&ranges, |range, results| {
            let mut scratch = Vec::new();
            let values = L::view(self.numbers, range, &mut scratch).ok_or_else(outside)?;
            for (result, &value) in results.iter_mut().zip(values) {
                *result = of(value)?;
            }
            Ok(())
        })
    }

    fn columns(
        &self,
        columns: &Columns<'_>,
        of: impl Fn(&mut [f64]) + Send + Sync,
    ) -> Result<Results> {
        let ranges = columns.ranges(self.numbers.len());
        let results = self.by_range(&ranges, |range, results| {
            let mut scratch = Vec::new();
            let values = f64::view(self.numbers, range, &mut scratch).ok_or_else(outside)?;
            results.copy_from_slice(values);
            of(results);
            Ok(())
        })?;
        Ok(Results::Floats(results))
    }

    fn significant<L: Lane>(
        &self,
        columns: &Columns<'_>,
        high: f64,
        low: f64,
    ) -> Result<Buffer<L>> {
        let ranges = columns.ranges(self.numbers.len());
        self.by_range(&ranges, |range, results| {
            let mut scratch = Vec::new();
            let values = L::view(self.numbers, range, &mut scratch).ok_or_else(outside)?;
            let reaches = values.iter().any(|value| value.float().abs() >= high);
            for (result, &value) in results.iter_mut().zip(values) {
                if reaches && value.float().abs() >= low {
                    *result = value;
                }
            }
            Ok(())
        })
    }

    fn by_range<T: Plain>(
        &self,
        ranges: &[Range<usize>],
        of: impl Fn(Range<usize>, &mut [T]) -> Result<()> + Send + Sync,
    ) -> Result<Buffer<T>> {
        let sizes: Vec<usize> = ranges.iter().map(ExactSizeIterator::len).collect();
        self.threads.run(self.numbers.len(), self.watch, || {
            fill(&sizes, self.watch, |idx, results| match ranges.get(idx) {
                Some(range) => of(range.clone(), results),
                None => Ok(()),
            })
        })
    }
}
