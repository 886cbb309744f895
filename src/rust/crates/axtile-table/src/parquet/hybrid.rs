//! The hybrid of run-length and bit-packed encoding that holds definition
//! levels and dictionary indices (parquet-format, Encodings.md).
//!
//! A run starts with a varint: `n << 1` and then one value in whole bytes for a
//! run of n equal values, or `groups << 1 | 1` and then 8 values a group, each
//! in `width` bits, lowest bits first.

use super::thrift::{push_varint, varint};
use crate::damage::{Damage, Parsed};

/// The widest values: dictionary indices are 32-bit.
const MAX_WIDTH: u32 = 32;

/// Decodes `n` values of `width` bits; `run` gets each value and how often it
/// occurs in a row. Values behind the `n`th, which fill up the last group, are
/// passed over.
pub(super) fn decode(
    bytes: &[u8],
    width: u32,
    n: usize,
    mut run: impl FnMut(u32, usize) -> Parsed<()>,
) -> Parsed<()> {
    if width > MAX_WIDTH {
        return Err(Damage::new(format!("values of {width} bits")));
    }
    let ended = || Damage::new("the runs end too early");
    let mut rest = bytes;
    let mut left = n;
    while left > 0 {
        let (head, after) = varint(rest)?;
        let size = head >> 1;
        if size == 0 {
            return Err(Damage::new("an empty run"));
        }
        if head & 1 == 0 {
            let n_bytes = width.div_ceil(8) as usize;
            let (value, after) = after.split_at_checked(n_bytes).ok_or_else(ended)?;
            let value = value
                .iter()
                .rev()
                .fold(0u32, |value, byte| value << 8 | u32::from(*byte));
            let count = usize::try_from(size).unwrap_or(usize::MAX).min(left);
            run(value, count)?;
            left -= count;
            rest = after;
        } else {
            // A group of 8 values of w bits takes w bytes.
            let n_values = size.saturating_mul(8).min(left as u64) as usize;
            let needed = (n_values as u64 * u64::from(width)).div_ceil(8) as usize;
            let packed = after.get(..needed).ok_or_else(ended)?;
            unpack(packed, width, n_values, &mut run)?;
            left -= n_values;
            // The last group may be cut short by writers that drop the fill.
            let whole = size.saturating_mul(u64::from(width));
            let whole = usize::try_from(whole).unwrap_or(usize::MAX);
            rest = after.get(whole..).unwrap_or(&[]);
        }
    }
    Ok(())
}

fn unpack(
    packed: &[u8],
    width: u32,
    n: usize,
    run: &mut impl FnMut(u32, usize) -> Parsed<()>,
) -> Parsed<()> {
    if width == 0 {
        return run(0, n);
    }
    let mask = u32::MAX >> (32 - width);
    let mut left = n;
    for group in packed.chunks(width as usize) {
        // 8 values of up to 32 bits, and room to read 8 bytes at the last one.
        let mut buffer = [0u8; 40];
        for (to, from) in buffer.iter_mut().zip(group) {
            *to = *from;
        }
        for i in 0..8u32.min(left as u32) {
            let bit = i * width;
            let window = buffer
                .get((bit / 8) as usize..)
                .and_then(|bytes| bytes.first_chunk::<8>())
                .map_or(0, |bytes| u64::from_le_bytes(*bytes));
            run((window >> (bit % 8)) as u32 & mask, 1)?;
        }
        left = left.saturating_sub(8);
    }
    Ok(())
}

/// The bits that values up to `largest` need.
pub(super) fn width_for(largest: u32) -> u32 {
    32 - largest.leading_zeros()
}

/// Appends values of `width` bits. Stretches of 8 equal values or more become
/// runs, all else is packed.
pub(super) fn encode(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let mut start = 0;
    let mut at = 0;
    while at < values.len() {
        let first = values[at];
        let equal = values[at..].iter().take_while(|v| **v == first).count();
        // A packed stretch must be whole groups, so it takes from the run what
        // it needs to fill its last group.
        let fill = (8 - (at - start) % 8) % 8;
        if equal < fill + 8 {
            at += equal;
            continue;
        }
        pack(&values[start..at + fill], width, out);
        push_varint(out, ((equal - fill) as u64) << 1);
        let n_bytes = width.div_ceil(8) as usize;
        out.extend_from_slice(&first.to_le_bytes()[..n_bytes]);
        at += equal;
        start = at;
    }
    pack(&values[start..], width, out);
}

fn pack(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    push_varint(out, (values.len().div_ceil(8) as u64) << 1 | 1);
    for group in values.chunks(8) {
        let mut window = 0u64;
        let mut n_bits = 0;
        for i in 0..8 {
            window |= u64::from(group.get(i).copied().unwrap_or(0)) << n_bits;
            n_bits += width;
            while n_bits >= 8 {
                out.push(window as u8);
                window >>= 8;
                n_bits -= 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], width: u32, n: usize) -> Parsed<Vec<u32>> {
        let mut values = Vec::new();
        decode(bytes, width, n, |value, count| {
            values.extend(std::iter::repeat_n(value, count));
            Ok(())
        })?;
        Ok(values)
    }

    #[test]
    fn values_of_all_widths_come_back() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(99);
            (state >> 33) as u32
        };
        for width in 0..=32 {
            for n in [0usize, 1, 7, 8, 9, 63, 64, 65, 1000] {
                let mask = if width == 0 {
                    0
                } else {
                    u32::MAX >> (32 - width)
                };
                let mut values = Vec::new();
                while values.len() < n {
                    let value = (random() | random() << 16) & mask;
                    let count = if random() % 4 == 0 { random() % 40 } else { 1 };
                    values.extend(std::iter::repeat_n(value, count as usize));
                }
                values.truncate(n);
                let mut bytes = Vec::new();
                encode(&values, width, &mut bytes);
                assert_eq!(decoded(&bytes, width, n).unwrap(), values, "{width} {n}");
                for len in 0..bytes.len() {
                    if let Ok(short) = decoded(&bytes[..len], width, n) {
                        assert_eq!(short, values, "cut inside the fill");
                    }
                }
            }
        }
    }

    #[test]
    fn known_bytes() {
        // From Encodings.md: 0 to 7 in 3 bits.
        let packed = [0b11, 0b10001000, 0b11000110, 0b11111010];
        assert_eq!(decoded(&packed, 3, 8).unwrap(), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(decoded(&[10, 4], 3, 5).unwrap(), [4; 5]);
        assert!(decoded(&[10, 4], 3, 6).is_err());
        assert!(decoded(&[0, 4], 3, 1).is_err());
        assert!(decoded(&[10, 4], 33, 5).is_err());
        assert_eq!(width_for(0), 0);
        assert_eq!(width_for(255), 8);
        assert_eq!(width_for(256), 9);
    }
}
