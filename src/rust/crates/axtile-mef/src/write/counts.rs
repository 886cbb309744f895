//! Scaled samples as counts.

use axtile_core::{Error, Result};

use crate::red::MISSING_COUNT;
use crate::write::step::find_step;

/// How many decimals scaled samples keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// So many that a typical step between neighbours is 1000 counts or more;
    /// in a channel that exists, those that it has.
    #[default]
    Automatic,
    /// 0 to 9 decimals.
    Decimals(u8),
    /// The amplifier's own step, where all samples are multiples of one number.
    Step,
}

const MAX_DECIMALS: u8 = 9;
const POWERS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const FACTORS: [f64; 10] = [1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9];
/// What a typical step between neighbours has at least, in counts.
const TYPICAL_STEP: f64 = 1000.0;

/// The factor for `values`; `existing` is that of the channel.
///
/// # Errors
/// `Error::Argument` for too many decimals, another factor than the channel's,
/// or no step.
pub(crate) fn choose_factor(
    values: &[f64],
    precision: Precision,
    existing: Option<f64>,
    channel: &str,
) -> Result<f64> {
    let wanted = match (precision, existing) {
        (Precision::Automatic, Some(existing)) | (Precision::Step, Some(existing)) => existing,
        (Precision::Automatic, None) => automatic(values),
        (Precision::Decimals(decimals), _) => {
            *FACTORS.get(usize::from(decimals)).ok_or_else(|| {
                Error::argument(format!(
                    "the precision is {decimals}, expected 0 to {MAX_DECIMALS} decimals"
                ))
            })?
        }
        (Precision::Step, None) => find_step(values).ok_or_else(|| {
            Error::argument(format!(
                "channel '{channel}': the samples are not multiples of one step, or too \
                 few to tell it; give a number of decimals"
            ))
        })?,
    };
    match existing {
        Some(existing) if existing != wanted => Err(Error::argument(format!(
            "channel '{channel}' has the units conversion factor {existing}, {wanted} was \
             asked for"
        ))),
        _ => Ok(wanted),
    }
}

fn automatic(values: &[f64]) -> f64 {
    let (mut sum, mut n, mut largest) = (0.0, 0_u64, 0.0_f64);
    let mut before: Option<f64> = None;
    for &value in values.iter().filter(|value| value.is_finite()) {
        if let Some(before) = before {
            sum += (value - before).abs();
            n += 1;
        }
        largest = largest.max(value.abs());
        before = Some(value);
    }
    let typical = if n > 0 { sum / n as f64 } else { 0.0 };
    let mut decimals = 0;
    if typical > 0.0 {
        while decimals + 1 < POWERS.len() && typical * POWERS[decimals] < TYPICAL_STEP {
            decimals += 1;
        }
    }
    while decimals > 0 && largest * POWERS[decimals] > f64::from(i32::MAX) {
        decimals -= 1;
    }
    FACTORS[decimals]
}

/// Counts of `values`, missing ones as [`MISSING_COUNT`].
///
/// # Errors
/// `Error::Range` for an infinite value, or one whose count does not fit.
pub(crate) fn to_counts(values: &[f64], factor: f64, channel: &str) -> Result<Vec<i32>> {
    // A power of ten is multiplied with: its inverse is not exact.
    let power = FACTORS
        .iter()
        .position(|&known| known == factor)
        .map(|decimals| POWERS[decimals]);
    let mut counts = Vec::with_capacity(values.len());
    for (row, &value) in values.iter().enumerate() {
        let steps = match power {
            Some(power) => value * power,
            None => value / factor,
        };
        counts.push(match nearest_count(steps) {
            Some(count) => count,
            None if value.is_nan() => MISSING_COUNT,
            None => {
                return Err(Error::range(format!(
                    "channel '{channel}', sample {row}: {value} is {} steps of {factor}, \
                     at most {} can be stored; use a lower precision",
                    steps.round(),
                    i32::MAX
                )));
            }
        });
    }
    Ok(counts)
}

/// The nearest integer, half away from zero; `None` for NaN and beyond 2^31 - 1.
/// `f64::round` is a call on processors that are not known to have the
/// instruction.
#[inline(always)]
fn nearest_count(steps: f64) -> Option<i32> {
    const BEYOND: f64 = i32::MAX as f64 + 0.5;
    if !(steps > -BEYOND && steps < BEYOND) {
        return None;
    }
    let whole = steps as i32;
    // Exact: both are below 2^31.
    let rest = steps - f64::from(whole);
    Some(whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_half_away_from_zero() {
        for steps in [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            0.49999999999999994,
            -0.49999999999999994,
            4503599.5,
            2147483646.5,
            -2147483646.5,
            2147483647.4999998,
            -2147483647.4999998,
            f64::MIN_POSITIVE,
        ] {
            assert_eq!(nearest_count(steps).map(f64::from), Some(steps.round()));
        }
        for steps in [f64::NAN, f64::INFINITY, 2147483647.5, -2147483647.5, -1e300] {
            assert_eq!(nearest_count(steps), None);
        }
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        assert_eq!(
            to_counts(&[1.0005, -0.0005, f64::NAN], 1e-3, "a").unwrap(),
            [1001, -1, i32::MIN]
        );
        for value in [3e6, f64::INFINITY, -2147483.648] {
            let error = to_counts(&[0.0, value], 1e-3, "a").unwrap_err();
            assert!(matches!(error, Error::Range { .. }), "{error}");
        }
        assert_eq!(to_counts(&[-2147483.647], 1e-3, "a").unwrap(), [-i32::MAX]);
    }

    #[test]
    fn automatic_keeps_a_thousand_counts_if_they_fit() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(
            choose_factor(&values, Precision::Automatic, None, "a").unwrap(),
            1e-3
        );
        let large = [1e7, 1e7 + 1.0];
        assert_eq!(
            choose_factor(&large, Precision::Automatic, None, "a").unwrap(),
            1e-2
        );
        assert_eq!(
            choose_factor(&[], Precision::Automatic, None, "a").unwrap(),
            1.0
        );
        assert!(choose_factor(&[], Precision::Decimals(10), None, "a").is_err());
        assert!(choose_factor(&[], Precision::Decimals(2), Some(0.1), "a").is_err());
        assert!(choose_factor(&[], Precision::Step, None, "a").is_err());
        assert_eq!(
            choose_factor(&[], Precision::Automatic, Some(0.5), "a").unwrap(),
            0.5
        );
    }
}
