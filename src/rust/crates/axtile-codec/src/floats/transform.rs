//! Functions that make values of counts.
//!
//! What is stored are differences to what these functions give, so that they are
//! part of the format: they consist of additions, multiplications and divisions
//! of 64 bits in a given order, which give the same bits on all machines, and not
//! of a library's functions, which do not.

use std::f64::consts::{LN_2, LOG2_E, LOG10_E, SQRT_2};

/// How a cell's values follow from multiples of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Transform {
    /// In no known way.
    None = 0,
    /// They are the multiples.
    Scaled = 1,
    /// ln(1 + x) of the multiples.
    Log1p = 2,
    /// log2(1 + x) of the multiples.
    Log2 = 3,
    /// log10(1 + x) of the multiples.
    Log10 = 4,
}

impl Transform {
    /// All that predict something.
    pub(super) const KNOWN: [Transform; 4] = [
        Transform::Scaled,
        Transform::Log1p,
        Transform::Log2,
        Transform::Log10,
    ];

    pub(super) fn from_byte(byte: u8) -> Option<Transform> {
        let mut all = [Transform::None].into_iter().chain(Transform::KNOWN);
        all.find(|&transform| transform as u8 == byte)
    }

    /// The value of a multiple; never NaN.
    pub(super) fn apply(self, multiple: f64) -> f64 {
        let value = match self {
            Transform::None => 0.0,
            Transform::Scaled => multiple,
            Transform::Log1p => ln_1p(multiple),
            Transform::Log2 => ln_1p(multiple) * LOG2_E,
            Transform::Log10 => ln_1p(multiple) * LOG10_E,
        };
        if value.is_nan() { 0.0 } else { value }
    }

    /// About the multiple of a value. The encoder alone uses it, so that it may
    /// differ between machines.
    pub(super) fn invert(self, value: f64) -> f64 {
        match self {
            Transform::None | Transform::Scaled => value,
            Transform::Log1p => value.exp_m1(),
            Transform::Log2 => (value * LN_2).exp_m1(),
            Transform::Log10 => (value / LOG10_E).exp_m1(),
        }
    }
}

/// The bits of the square root of 2 and of 1.
const SQRT_2_BITS: u64 = SQRT_2.to_bits();
const ONE_BITS: u64 = 1f64.to_bits();
/// ln 2 in two parts, the first of which has zeros at its end, so that its
/// products with exponents are exact.
const LN_2_HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0xffff_ffff);
const LN_2_LOW: f64 = 4.749_325_039_031_672_6e-7;
/// Terms of the series of the inverse hyperbolic tangent.
const N_TERMS: u32 = 12;

/// ln(1 + x) to within some units in the last place, for x from 0; 0 for all else.
fn ln_1p(x: f64) -> f64 {
    if !(0.0..f64::INFINITY).contains(&x) {
        return 0.0;
    }
    let y = 1.0 + x;
    // What the sum has lost.
    let lost = if x < 1.0 {
        x - (y - 1.0)
    } else {
        1.0 - (y - x)
    };
    // y = 2^exponent * m with m from about sqrt(1/2) to sqrt(2).
    let mut exponent = (y.to_bits() >> 52) as i64 - 1023;
    let mut m = y.to_bits() & ((1 << 52) - 1) | ONE_BITS;
    if m > SQRT_2_BITS {
        m -= 1 << 52;
        exponent += 1;
    }
    let f = f64::from_bits(m) - 1.0;
    // ln(1 + f) = 2 atanh(s) with s = f / (2 + f), and 2 s = f - s f, so that the
    // rounding of s bears on the smaller part only.
    let s = f / (2.0 + f);
    let square = s * s;
    let mut series = 0.0;
    for term in (1..=N_TERMS).rev() {
        series = square * (1.0 / f64::from(2 * term + 1) + series);
    }
    let exponent = exponent as f64;
    let small = s * (2.0 * series - f) + (exponent * LN_2_LOW + lost / y);
    exponent * LN_2_HIGH + (f + small)
}

#[cfg(test)]
mod tests {
    use super::super::width::Float;
    use super::*;

    #[test]
    fn logarithms_are_near_those_of_the_library() {
        let mut largest = 0;
        let mut x = 1e-12;
        while x < 1e15 {
            let ulps = ln_1p(x).above(x.ln_1p()).div_ceil(2);
            largest = largest.max(ulps);
            x *= 1.000_37;
        }
        assert!(largest <= 3, "{largest} units in the last place");
        assert_eq!(LN_2_HIGH + LN_2_LOW, LN_2);
    }

    /// The very bits: they are part of the format.
    #[test]
    fn logarithms_have_these_bits() {
        let mut hash = 0u64;
        for i in 0..20_000u32 {
            let value = ln_1p(f64::from(i) * 0.37 + 1.0 / f64::from(i + 1));
            hash = hash.rotate_left(5).wrapping_mul(31) ^ value.to_bits();
        }
        assert_eq!(hash, 0x2057_fc9a_c7c0_57cd);
    }

    #[test]
    fn inverses_invert() {
        for transform in Transform::KNOWN {
            for x in [1e-3, 0.5, 1.0, 17.3, 5e4] {
                let back = transform.invert(transform.apply(x));
                assert!((back / x - 1.0).abs() < 1e-12, "{transform:?}, {x}: {back}");
            }
            for x in [f64::NAN, -1.0, f64::INFINITY, f64::MAX, -f64::MAX] {
                assert!(!transform.apply(x).is_nan());
            }
        }
    }
}
