//! The dictionary of a cell, and how well a transform predicts it.

use super::transform::Transform;
use super::width::Float;
use crate::streams::Element;

/// The smallest value of a cell is tried as so many multiples of its scale.
const FIRST_MULTIPLES: u32 = 3;
/// Of the bits of a value that nothing is known about, this share has to be
/// stored: signs and exponents are alike.
const STORED_SHARE: f64 = 0.85;

/// A dictionary as multiples of one number.
#[derive(Clone, Debug)]
pub(super) struct Prediction<F: Float> {
    pub(super) scale: F,
    /// How far each multiple is above the one before, or 0.
    pub(super) steps: Vec<u32>,
    pub(super) corrections: Vec<F::Correction>,
    /// About what it takes, in bits.
    pub(super) n_bits: f64,
}

/// The values of a cell that differ, ascending, with those of NaN at the ends.
pub(super) fn distinct(values: &[f64]) -> Vec<f64> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup_by_key(|value| value.to_bits());
    distinct
}

/// The value after `steps` from multiple `multiple` on.
#[inline]
pub(super) fn predict<F: Float>(transform: Transform, scale: F, multiple: u64) -> F {
    F::round(transform.apply(multiple as f64 * scale.widen()))
}

/// The best prediction of a dictionary that `transform` gives.
pub(super) fn fit<F: Float>(transform: Transform, dictionary: &[F]) -> Prediction<F> {
    let multiples: Vec<f64> = dictionary
        .iter()
        .map(|value| transform.invert(value.widen()))
        .collect();
    let smallest = multiples
        .iter()
        .copied()
        .find(|&multiple| multiple > 0.0 && multiple < f64::INFINITY)
        .unwrap_or(1.0);
    let mut best = fit_scale(transform, dictionary, &multiples, smallest);
    for divisor in 2..=FIRST_MULTIPLES {
        let scale = smallest / f64::from(divisor);
        let other = fit_scale(transform, dictionary, &multiples, scale);
        if other.n_bits < best.n_bits {
            best = other;
        }
    }
    best
}

fn fit_scale<F: Float>(
    transform: Transform,
    dictionary: &[F],
    multiples: &[f64],
    scale: f64,
) -> Prediction<F> {
    let scale = F::round(scale);
    let divisor = scale.widen();
    let mut prediction = Prediction {
        scale,
        steps: Vec::with_capacity(dictionary.len()),
        corrections: Vec::with_capacity(dictionary.len()),
        n_bits: plain_bits::<F>(1),
    };
    let mut last = 0u64;
    for (value, multiple) in dictionary.iter().zip(multiples) {
        // From any number to one of 64 bits, NaN to 0.
        let nearest = (multiple / divisor).round() as u64;
        let step = u32::try_from(nearest.saturating_sub(last)).unwrap_or(u32::MAX);
        last += u64::from(step);
        let correction = value.above(predict(transform, scale, last));
        let n_bits = |number: u64| f64::from(u64::BITS - number.leading_zeros());
        prediction.n_bits +=
            1.0 + 2.0 * n_bits(u64::from(step) / 2) + 1.5 * n_bits(correction.bits());
        prediction.steps.push(step);
        prediction.corrections.push(correction);
    }
    prediction
}

/// About what a dictionary takes as it is, in bits.
pub(super) fn plain_bits<F: Float>(n: usize) -> f64 {
    n as f64 * F::WIDTH as f64 * 8.0 * STORED_SHARE
}

/// About what the ranks of a cell take, in bits, above those of a cell whose ranks
/// are all 1.
pub(super) fn rank_bits(n_values: usize, n_distinct: usize) -> f64 {
    n_values as f64 * (n_distinct as f64).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_normalised_cell_is_predicted() {
        let counts = [1.0, 2.0, 3.0, 5.0, 90.0];
        let cell: Vec<f64> = counts
            .iter()
            .map(|count| (count / 1_234.0 * 1e4f64).ln_1p())
            .collect();
        let right = fit(Transform::Log1p, &cell);
        assert_eq!(right.steps, [1, 1, 1, 2, 85]);
        assert!(right.corrections.iter().all(|&correction| correction < 16));
        for other in [Transform::Scaled, Transform::Log2, Transform::Log10] {
            assert!(fit(other, &cell).n_bits > 2.0 * right.n_bits);
        }
        // Without a count of 1, and with a zero that is stored.
        let from_2 = fit(Transform::Log1p, &[0.0, cell[1], cell[2], cell[3]]);
        assert_eq!(from_2.steps, [0, 2, 1, 2]);
    }

    #[test]
    fn values_that_differ_are_kept_apart() {
        let nan = f64::from_bits(0x7ff8_0000_0000_0001);
        let cell = [1.0, 0.0, -0.0, f64::NAN, nan, 1.0, f64::NAN, -1.0];
        let bits: Vec<u64> = distinct(&cell).into_iter().map(f64::to_bits).collect();
        let expected = [-1.0, -0.0, 0.0, 1.0, f64::NAN, nan].map(f64::to_bits);
        assert_eq!(bits, expected);
    }
}
