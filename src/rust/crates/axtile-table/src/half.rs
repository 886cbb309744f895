//! 16-bit floating-point numbers (IEEE 754 binary16): sign, 5 bits of
//! exponent, 10 of fraction.

/// The value of a half; exact.
pub(crate) fn half_to_f64(half: u16) -> f64 {
    let fraction = f64::from(half & 0x3ff);
    let magnitude = match (half >> 10) & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => return f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    };
    if half >> 15 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The half with exactly this value, if there is one. NaN has none.
pub(crate) fn f64_to_half(value: f64) -> Option<u16> {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude == f64::INFINITY {
        return Some(sign | 0x7c00);
    }
    // Halves are whole multiples of 2^-24, and grow with their bit patterns.
    let units = magnitude * 2f64.powi(24);
    let bits = if units < 1024.0 {
        units as u16
    } else {
        let exponent = (magnitude.to_bits() >> 52) as i64 - 1023;
        let fraction = (magnitude.to_bits() >> 42) & 0x3ff;
        let field = u16::try_from(exponent + 15)
            .ok()
            .filter(|field| *field < 31)?;
        (field << 10) | fraction as u16
    };
    let half = sign | bits;
    (half_to_f64(half).to_bits() == value.to_bits()).then_some(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back() {
        for half in 0..=u16::MAX {
            let value = half_to_f64(half);
            if !value.is_nan() {
                assert_eq!(f64_to_half(value), Some(half), "{value}");
            }
        }
        assert_eq!(half_to_f64(0x3555), 0.333251953125);
        assert_eq!(half_to_f64(0x0001), 5.960464477539063e-8);
        assert_eq!(half_to_f64(0x7bff), 65504.0);
        for value in [0.1, 65520.0, 1e300, 2f64.powi(-25), f64::NAN, 1025.5] {
            assert_eq!(f64_to_half(value), None);
        }
    }
}
