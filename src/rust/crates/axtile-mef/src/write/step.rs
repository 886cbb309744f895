//! The amplifier's own step: samples that are whole multiples of one number are
//! stored as those multiples.

/// Values looked at: the first ones, and windows over the whole.
const N_FIRST: usize = 65_536;
const N_WINDOWS: usize = 16;
const WINDOW: usize = 2048;
/// Fewer different magnitudes show no step.
const MIN_DISTINCT: usize = 16;
/// Most digits of a double.
const MAX_DIGITS: usize = 17;

/// Whether `value` is `count * step` but for rounding.
fn is_multiple(value: f64, step: f64) -> bool {
    let count = (value / step).round();
    (value - count * step).abs() <= 64.0 * f64::EPSILON * value.abs()
}

/// The step of which all finite `values` are multiples that fit in 32 bits;
/// `None` if there is none that can be told.
pub(crate) fn find_step(values: &[f64]) -> Option<f64> {
    let magnitudes = sample(values);
    if magnitudes.len() < MIN_DISTINCT {
        return None;
    }
    let largest = *magnitudes.last()?;
    // Multiples to 2^31 are more than 4e-10 of the largest apart; rounding
    // errors stay far below this.
    let tolerance = 1e-11 * largest;
    let mut step = *magnitudes.first()?;
    for &value in &magnitudes {
        step = common_divisor(value, step, tolerance);
        if step * f64::from(i32::MAX) < largest {
            return None;
        }
        // Against rounding errors that add up.
        let count = (value / step).round();
        if count > 0.0 {
            step = value / count;
        }
    }
    let (mut products, mut squares) = (0.0, 0.0);
    for &value in &magnitudes {
        let count = (value / step).round();
        products += count * value;
        squares += count * count;
    }
    let fitted: f64 = products / squares;
    let shortest = (0..MAX_DIGITS).find_map(|digits| {
        let step: f64 = format!("{fitted:.digits$e}").parse().ok()?;
        let fits = step > 0.0 && magnitudes.iter().all(|&value| is_multiple(value, step));
        fits.then_some(step)
    })?;
    let all = values.iter().filter(|value| value.is_finite());
    all.clone()
        .all(|&value| {
            is_multiple(value, shortest) && (value / shortest).abs() < f64::from(i32::MAX)
        })
        .then_some(shortest)
}

/// Distinct magnitudes of some of the values, sorted.
fn sample(values: &[f64]) -> Vec<f64> {
    let usable = |value: &&f64| value.is_finite() && **value != 0.0;
    let mut magnitudes: Vec<f64> = values
        .iter()
        .filter(usable)
        .take(N_FIRST)
        .map(|value| value.abs())
        .collect();
    for window in 0..N_WINDOWS {
        let from = values.len().saturating_sub(WINDOW) / N_WINDOWS * window;
        let part = values.iter().skip(from).take(WINDOW);
        magnitudes.extend(part.filter(usable).map(|value| value.abs()));
    }
    magnitudes.sort_by(f64::total_cmp);
    magnitudes.dedup();
    magnitudes
}

/// Euclid's algorithm on real numbers.
fn common_divisor(mut a: f64, mut b: f64, tolerance: f64) -> f64 {
    while b > tolerance {
        let rest = (a - b * (a / b).round()).abs();
        a = b;
        b = rest;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_steps_and_none_in_noise() {
        for step in [0.195, 0.048828125, 1.0 / 3.0, 2.5e-7, 13.0] {
            let values: Vec<f64> = (0..5000_i64)
                .map(|i| ((i * i * 7919) % 60_001 - 30_000) as f64 * step)
                .collect();
            let found = find_step(&values).unwrap();
            assert!((found / step - 1.0).abs() < 1e-14, "{found} for {step}");
        }
        let noise: Vec<f64> = (1..5000).map(|i| f64::from(i).sqrt()).collect();
        assert_eq!(find_step(&noise), None);
        assert_eq!(find_step(&[1.0, 2.0, f64::NAN]), None);
        let mut late: Vec<f64> = (0..200_000).map(|i| f64::from(i % 100) * 0.5).collect();
        late[123_457] = 0.3;
        assert_eq!(find_step(&late), None);
    }
}
