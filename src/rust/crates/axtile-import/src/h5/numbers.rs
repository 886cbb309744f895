//! Numbers of all widths and byte orders from a dataset's bytes.

use super::{Element, Order};

/// The first element that is not what it has to be.
pub(crate) struct Odd {
    /// Its number among the bytes given.
    pub(crate) at: usize,
}

/// Runs `$body` for the numbers of `$bytes` with `$Type` their type and
/// `$number` reading one of them from an array of bytes.
macro_rules! for_numbers {
    ($element:expr, $bytes:expr, $visit:ident, $otherwise:expr) => {
        match $element {
            Element::Bool => $visit!(u8, from_le_bytes, 1),
            Element::Integer {
                width,
                signed,
                order,
            } => match (width, signed, order) {
                (1, true, _) => $visit!(i8, from_le_bytes, 1),
                (1, false, _) => $visit!(u8, from_le_bytes, 1),
                (2, true, Order::Little) => $visit!(i16, from_le_bytes, 2),
                (2, false, Order::Little) => $visit!(u16, from_le_bytes, 2),
                (4, true, Order::Little) => $visit!(i32, from_le_bytes, 4),
                (4, false, Order::Little) => $visit!(u32, from_le_bytes, 4),
                (8, true, Order::Little) => $visit!(i64, from_le_bytes, 8),
                (8, false, Order::Little) => $visit!(u64, from_le_bytes, 8),
                (2, true, Order::Big) => $visit!(i16, from_be_bytes, 2),
                (2, false, Order::Big) => $visit!(u16, from_be_bytes, 2),
                (4, true, Order::Big) => $visit!(i32, from_be_bytes, 4),
                (4, false, Order::Big) => $visit!(u32, from_be_bytes, 4),
                (8, true, Order::Big) => $visit!(i64, from_be_bytes, 8),
                (8, false, Order::Big) => $visit!(u64, from_be_bytes, 8),
                _ => $otherwise,
            },
            _ => $otherwise,
        }
    };
}

/// Appends the counts in `bytes`.
///
/// # Errors
/// The first value that is negative, fractional, not a number or above
/// 2^32 - 1.
pub(crate) fn counts_into(element: &Element, bytes: &[u8], out: &mut Vec<u32>) -> Result<(), Odd> {
    if let Element::Real { width, order } = element {
        return reals_into(*width, *order, bytes, out);
    }
    macro_rules! visit {
        ($type:ty, $from:ident, $width:literal) => {{
            let (values, _) = bytes.as_chunks::<$width>();
            fill(out, values, |value| {
                u32::try_from(<$type>::$from(value)).ok()
            })
        }};
    }
    for_numbers!(element, bytes, visit, Err(Odd { at: 0 }))
}

/// Appends the numbers in `bytes`.
///
/// # Errors
/// The first integer that an f64 does not hold.
pub(crate) fn floats_into(element: &Element, bytes: &[u8], out: &mut Vec<f64>) -> Result<(), Odd> {
    if let Element::Real { width, order } = element {
        match (width, order) {
            (2, Order::Little) => extend(out, bytes, |b| half(u16::from_le_bytes(b)).into()),
            (2, Order::Big) => extend(out, bytes, |b| half(u16::from_be_bytes(b)).into()),
            (4, Order::Little) => extend(out, bytes, |b| f32::from_le_bytes(b).into()),
            (4, Order::Big) => extend(out, bytes, |b| f32::from_be_bytes(b).into()),
            (8, Order::Little) => extend(out, bytes, f64::from_le_bytes),
            (8, Order::Big) => extend(out, bytes, f64::from_be_bytes),
            _ => return Err(Odd { at: 0 }),
        }
        return Ok(());
    }
    macro_rules! visit {
        ($type:ty, $from:ident, $width:literal) => {{
            let (values, _) = bytes.as_chunks::<$width>();
            fill(out, values, |bytes| {
                let value = i128::from(<$type>::$from(bytes));
                let float = value as f64;
                (float as i128 == value).then_some(float)
            })
        }};
    }
    for_numbers!(element, bytes, visit, Err(Odd { at: 0 }))
}

fn extend<const WIDTH: usize>(
    out: &mut Vec<f64>,
    bytes: &[u8],
    value: impl Fn([u8; WIDTH]) -> f64,
) {
    let (values, _) = bytes.as_chunks::<WIDTH>();
    out.extend(values.iter().map(|&bytes| value(bytes)));
}

fn fill<T: Default, const WIDTH: usize>(
    out: &mut Vec<T>,
    values: &[[u8; WIDTH]],
    read: impl Fn([u8; WIDTH]) -> Option<T>,
) -> Result<(), Odd> {
    // Checked at the end, not at each value, so that the loop is vectorised.
    let mut all = true;
    out.extend(values.iter().map(|&value| {
        let read = read(value);
        all &= read.is_some();
        read.unwrap_or_default()
    }));
    if all {
        return Ok(());
    }
    let at = values.iter().position(|&value| read(value).is_none());
    Err(Odd {
        at: at.unwrap_or_default(),
    })
}

fn reals_into(width: usize, order: Order, bytes: &[u8], out: &mut Vec<u32>) -> Result<(), Odd> {
    // Comparisons with NaN are false; 2^32 itself would saturate to 2^32 - 1,
    // which as f32 is 2^32 again.
    let of32 = |value: f32| {
        let count = value as u32;
        (count as f32 == value && value < 4_294_967_296.0).then_some(count)
    };
    let of64 = |value: f64| {
        let count = value as u32;
        (f64::from(count) == value).then_some(count)
    };
    match (width, order) {
        (2, Order::Little) => {
            let (values, _) = bytes.as_chunks::<2>();
            fill(out, values, |value| of32(half(u16::from_le_bytes(value))))
        }
        (2, Order::Big) => {
            let (values, _) = bytes.as_chunks::<2>();
            fill(out, values, |value| of32(half(u16::from_be_bytes(value))))
        }
        (4, Order::Little) => {
            let (values, _) = bytes.as_chunks::<4>();
            fill(out, values, |value| of32(f32::from_le_bytes(value)))
        }
        (4, Order::Big) => {
            let (values, _) = bytes.as_chunks::<4>();
            fill(out, values, |value| of32(f32::from_be_bytes(value)))
        }
        (8, Order::Little) => {
            let (values, _) = bytes.as_chunks::<8>();
            fill(out, values, |value| of64(f64::from_le_bytes(value)))
        }
        (8, Order::Big) => {
            let (values, _) = bytes.as_chunks::<8>();
            fill(out, values, |value| of64(f64::from_be_bytes(value)))
        }
        _ => Err(Odd { at: 0 }),
    }
}

/// Appends the row or column numbers in `bytes`, all below `n`.
///
/// # Errors
/// The first number that is not.
pub(crate) fn indices_into(
    element: &Element,
    bytes: &[u8],
    n: u32,
    out: &mut Vec<u32>,
) -> Result<(), Odd> {
    macro_rules! visit {
        ($type:ty, $from:ident, $width:literal) => {{
            let (values, _) = bytes.as_chunks::<$width>();
            fill(out, values, |value| {
                let index = u32::try_from(<$type>::$from(value)).ok();
                index.filter(|&index| index < n)
            })
        }};
    }
    for_numbers!(element, bytes, visit, Err(Odd { at: 0 }))
}

/// Appends whole numbers; those of 64 bits without sign as their bit pattern.
/// False if the elements are no integers.
pub(crate) fn integers_into(element: &Element, bytes: &[u8], out: &mut Vec<i64>) -> bool {
    macro_rules! visit {
        ($type:ty, $from:ident, $width:literal) => {{
            let (values, _) = bytes.as_chunks::<$width>();
            out.extend(values.iter().map(|&value| <$type>::$from(value) as i64));
            true
        }};
    }
    for_numbers!(element, bytes, visit, false)
}

/// The whole number in `bytes`, `None` if it is none or does not fit.
pub(crate) fn integer(element: &Element, bytes: &[u8]) -> Option<i128> {
    macro_rules! visit {
        ($type:ty, $from:ident, $width:literal) => {{
            let value = bytes.first_chunk::<$width>()?;
            Some(i128::from(<$type>::$from(*value)))
        }};
    }
    for_numbers!(element, bytes, visit, None)
}

/// The floating-point number in `bytes`, `None` if it is none.
pub(crate) fn real(element: &Element, bytes: &[u8]) -> Option<f64> {
    let Element::Real { width, order } = element else {
        return None;
    };
    match (width, order) {
        (2, Order::Little) => Some(half(u16::from_le_bytes(*bytes.first_chunk()?)).into()),
        (2, Order::Big) => Some(half(u16::from_be_bytes(*bytes.first_chunk()?)).into()),
        (4, Order::Little) => Some(f32::from_le_bytes(*bytes.first_chunk()?).into()),
        (4, Order::Big) => Some(f32::from_be_bytes(*bytes.first_chunk()?).into()),
        (8, Order::Little) => Some(f64::from_le_bytes(*bytes.first_chunk()?)),
        (8, Order::Big) => Some(f64::from_be_bytes(*bytes.first_chunk()?)),
        _ => None,
    }
}

/// A number of any type as text, for messages.
pub(crate) fn value_text(element: &Element, bytes: &[u8]) -> String {
    match (integer(element, bytes), real(element, bytes)) {
        (Some(value), _) => value.to_string(),
        (None, Some(value)) => value.to_string(),
        (None, None) => "not a number".to_owned(),
    }
}

/// An IEEE 754 half-precision number: 1 bit sign, 5 bits exponent, 10 bits
/// mantissa.
pub(crate) fn half(bits: u16) -> f32 {
    let exponent = u32::from(bits >> 10 & 31);
    let mantissa = u32::from(bits & 1023);
    let size = match exponent {
        0 => mantissa as f32 / 16_777_216.0,
        31 if mantissa == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((exponent + 112) << 23 | mantissa << 13),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reals(values: &[f64], width: usize) -> Result<Vec<u32>, usize> {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|&value| match width {
                4 => (value as f32).to_le_bytes().to_vec(),
                _ => value.to_le_bytes().to_vec(),
            })
            .collect();
        let element = Element::Real {
            width,
            order: Order::Little,
        };
        let mut out = Vec::new();
        match counts_into(&element, &bytes, &mut out) {
            Ok(()) => Ok(out),
            Err(odd) => Err(odd.at),
        }
    }

    #[test]
    fn whole_numbers_only() {
        assert_eq!(
            reals(&[0.0, -0.0, 1.0, 65536.0], 4),
            Ok(vec![0, 0, 1, 65536])
        );
        let top = f64::from(u32::MAX);
        assert_eq!(reals(&[top], 8), Ok(vec![u32::MAX]));
        for width in [4, 8] {
            for bad in [0.5, -1.0, f64::NAN, f64::INFINITY, 4_294_967_296.0, 1e20] {
                assert_eq!(reals(&[1.0, bad, bad], width), Err(1), "{bad}");
            }
        }
    }

    #[test]
    fn floats_are_exact_or_refused() {
        let element = Element::Integer {
            width: 8,
            signed: true,
            order: Order::Big,
        };
        let read = |values: &[i64]| {
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value| value.to_be_bytes())
                .collect();
            let mut out = Vec::new();
            floats_into(&element, &bytes, &mut out).map_err(|odd| odd.at)?;
            Ok(out)
        };
        assert_eq!(read(&[-3, 1 << 62]), Ok(vec![-3.0, 2f64.powi(62)]));
        assert_eq!(read(&[0, (1 << 53) + 1]), Err(1));
        assert_eq!(read(&[i64::MAX]), Err(0));
        let element = Element::Real {
            width: 4,
            order: Order::Little,
        };
        let mut out = Vec::new();
        let bytes = [0.1f32, f32::NAN].map(f32::to_le_bytes).concat();
        assert!(floats_into(&element, &bytes, &mut out).is_ok());
        assert!(out[0] == f64::from(0.1f32) && out[1].is_nan());
    }

    #[test]
    fn halves() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan());
    }
}
