//! Floating-point numbers of 32 and 64 bits. Conversions go by the bits: those of
//! the machine may change a NaN.

use crate::streams::Element;

const MANTISSA_GAP: u32 = 52 - 23;
const F64_EXPONENT: u64 = 0x7ff << 52;

/// The width of stored values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Width {
    /// 32 bits; values are handed out as the same ones of 64 bits.
    F32 = 4,
    /// 64 bits.
    F64 = 8,
}

impl Width {
    /// The width of so many bytes.
    pub fn from_bytes(n_bytes: u8) -> Option<Width> {
        match n_bytes {
            4 => Some(Width::F32),
            8 => Some(Width::F64),
            _ => None,
        }
    }

    /// Whether a value has this width without loss.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Width::F32 => f32::narrow(value).is_some(),
            Width::F64 => true,
        }
    }
}

/// A floating-point type that values are stored in.
pub(super) trait Float: Element {
    /// An unsigned number for zigzag differences of bits.
    type Correction: Element;

    /// The number that is the same, if there is one.
    fn narrow(value: f64) -> Option<Self>;
    /// The nearest number.
    fn round(value: f64) -> Self;
    /// The same number.
    fn widen(self) -> f64;
    /// How many numbers `self` is above `other`, zigzag, wrapping.
    fn above(self, other: Self) -> Self::Correction;
    /// The number that is so far above `self`.
    fn add(self, correction: Self::Correction) -> Self;
}

/// Bits in the order of the numbers, those of NaN at both ends.
macro_rules! float {
    ($float:ty, $bits:ty, $signed:ty) => {
        fn above(self, other: $float) -> $bits {
            let ordered =
                |bits: $bits| bits ^ (((bits as $signed) >> (<$bits>::BITS - 1)) as $bits >> 1);
            let difference =
                ordered(self.to_bits()).wrapping_sub(ordered(other.to_bits())) as $signed;
            ((difference << 1) ^ (difference >> (<$bits>::BITS - 1))) as $bits
        }

        fn add(self, correction: $bits) -> $float {
            let ordered =
                |bits: $bits| bits ^ (((bits as $signed) >> (<$bits>::BITS - 1)) as $bits >> 1);
            let difference = (correction >> 1) ^ (correction & 1).wrapping_neg();
            <$float>::from_bits(ordered(ordered(self.to_bits()).wrapping_add(difference)))
        }
    };
}

impl Float for f64 {
    type Correction = u64;

    fn narrow(value: f64) -> Option<f64> {
        Some(value)
    }

    fn round(value: f64) -> f64 {
        value
    }

    fn widen(self) -> f64 {
        self
    }

    float!(f64, u64, i64);
}

impl Float for f32 {
    type Correction = u32;

    fn narrow(value: f64) -> Option<f32> {
        let bits = value.to_bits();
        let narrow = if bits & F64_EXPONENT == F64_EXPONENT {
            // Infinite or NaN.
            (bits >> 63 << 31) as u32 | 0xff << 23 | (bits << 12 >> (12 + MANTISSA_GAP)) as u32
        } else {
            (value as f32).to_bits()
        };
        let narrow = f32::from_bits(narrow);
        (narrow.widen().to_bits() == bits).then_some(narrow)
    }

    fn round(value: f64) -> f32 {
        value as f32
    }

    fn widen(self) -> f64 {
        let bits = self.to_bits();
        if bits & 0xff << 23 == 0xff << 23 {
            let mantissa = u64::from(bits & 0x7f_ffff) << MANTISSA_GAP;
            return f64::from_bits(u64::from(bits >> 31) << 63 | F64_EXPONENT | mantissa);
        }
        f64::from(self)
    }

    float!(f32, u32, i32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_bits_of_32_survive(bits in prop_oneof![any::<u32>(), 0x7f80_0000u32..0x7f80_0100]) {
            for bits in [bits, bits | 1 << 31] {
                let wide = f32::from_bits(bits).widen();
                prop_assert_eq!(f32::narrow(wide).map(f32::to_bits), Some(bits));
                let float = f32::from_bits(bits);
                prop_assert!(float.is_nan() || f64::from(float) == wide);
            }
        }

        #[test]
        fn corrections_correct(from in any::<u64>(), to in any::<u64>()) {
            let (from, to) = (f64::from_bits(from), f64::from_bits(to));
            prop_assert_eq!(from.add(to.above(from)).to_bits(), to.to_bits());
            let (from, to) = (from.to_bits() as u32, to.to_bits() as u32);
            let (from, to) = (f32::from_bits(from), f32::from_bits(to));
            prop_assert_eq!(from.add(to.above(from)).to_bits(), to.to_bits());
        }
    }

    #[test]
    fn what_32_bits_do_not_hold() {
        for value in [0.1, 1e300, 1e-60, f64::from_bits(0x7ff0_0000_0000_0001)] {
            assert!(!Width::F32.holds(value), "{value}");
        }
        for value in [
            0.5,
            -0.0,
            f64::INFINITY,
            f64::NAN,
            f64::from(f32::MIN_POSITIVE / 8.0),
        ] {
            assert!(Width::F32.holds(value), "{value}");
        }
        assert_eq!(1.0f64.next_up().above(1.0), 2);
        assert_eq!((-0.0f64).above(0.0), 1);
    }
}
