//! Samples as difference bytes and back. The first sample is its four bytes;
//! each later one is its difference to the one before as a byte, or the flag
//! 0x80 and its four bytes where the difference does not fit in -127..=127.

use crate::damage::Damage;
use crate::red::block::STATISTICS_BYTES;

/// Before the four bytes of a sample.
const KEY: u8 = 0x80;

/// What the difference of two samples is when it does not fit in 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Differences {
    /// Too large for a byte: the sample is stored whole.
    #[default]
    Exact,
    /// Taken modulo 2^32, as meflib does.
    Wrapping,
}

/// Sums up the differences of `bytes`: `emit` gets each sample.
///
/// # Errors
/// [`Damage`] unless `bytes` hold exactly `out.len()` samples.
pub(crate) fn sum_into<T>(
    bytes: &[u8],
    out: &mut [T],
    convert: impl Fn(i32) -> T,
) -> Result<(), Damage> {
    let expected = out.len();
    let wrong = |found: usize| {
        Damage::new(format!(
            "the block's difference bytes end after {found} of {expected} samples, or go on"
        ))
    };
    let Some((first, mut rest)) = bytes.split_first_chunk::<4>() else {
        return if bytes.is_empty() && expected == 0 {
            Ok(())
        } else {
            Err(wrong(0))
        };
    };
    let mut value = i32::from_le_bytes(*first);
    let mut slots = out.iter_mut();
    match slots.next() {
        Some(slot) => *slot = convert(value),
        None => return Err(wrong(0)),
    }
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == KEY {
            let Some((whole, after)) = rest.split_first_chunk::<4>() else {
                return Err(wrong(expected - slots.len()));
            };
            value = i32::from_le_bytes(*whole);
            rest = after;
        } else {
            value = value.wrapping_add(i32::from(byte as i8));
        }
        match slots.next() {
            Some(slot) => *slot = convert(value),
            None => return Err(wrong(expected)),
        }
    }
    if slots.len() == 0 {
        Ok(())
    } else {
        Err(wrong(expected - slots.len()))
    }
}

/// Four histograms, so that equal neighbours do not wait for each other.
type Histograms = [[u32; STATISTICS_BYTES]; 4];

/// Replaces `bytes` by the difference bytes of `samples`; counts them.
pub(crate) fn difference(
    samples: &[i32],
    differences: Differences,
    bytes: &mut Vec<u8>,
) -> [u32; STATISTICS_BYTES] {
    bytes.clear();
    bytes.reserve(samples.len() + 3);
    if let Some(first) = samples.first() {
        bytes.extend_from_slice(&first.to_le_bytes());
    }
    for pair in samples.windows(2) {
        let &[before, value] = pair else { continue };
        let step = match differences {
            Differences::Exact => i64::from(value) - i64::from(before),
            Differences::Wrapping => i64::from(value.wrapping_sub(before)),
        };
        if (-127..=127).contains(&step) {
            bytes.push(step as u8);
        } else {
            let [a, b, c, d] = value.to_le_bytes();
            bytes.extend_from_slice(&[KEY, a, b, c, d]);
        }
    }
    count(bytes)
}

fn count(bytes: &[u8]) -> [u32; STATISTICS_BYTES] {
    let mut histograms: Histograms = [[0; STATISTICS_BYTES]; 4];
    let (fours, rest) = bytes.as_chunks::<4>();
    for four in fours {
        for (histogram, &byte) in histograms.iter_mut().zip(four) {
            histogram[byte as usize] += 1;
        }
    }
    let [mut sums, others @ ..] = histograms;
    for &byte in rest {
        sums[byte as usize] += 1;
    }
    for other in &others {
        for (sum, count) in sums.iter_mut().zip(other) {
            *sum += count;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(samples: &[i32], differences: Differences) -> usize {
        let mut bytes = Vec::new();
        let counts = difference(samples, differences, &mut bytes);
        assert_eq!(counts.iter().sum::<u32>() as usize, bytes.len());
        let mut back = vec![0; samples.len()];
        sum_into(&bytes, &mut back, |count| count).unwrap();
        assert_eq!(back, samples);
        bytes.len()
    }

    #[test]
    fn samples_come_back() {
        for differences in [Differences::Exact, Differences::Wrapping] {
            for samples in [
                &[][..],
                &[5],
                &[i32::MAX, -i32::MAX, i32::MAX],
                &[0, 127, 0, -127, 0, 128, 0, -128],
            ] {
                round_trip(samples, differences);
            }
        }
        let wrapped = [i32::MAX, -i32::MAX];
        assert_eq!(round_trip(&wrapped, Differences::Exact), 9);
        assert_eq!(round_trip(&wrapped, Differences::Wrapping), 5);
    }

    #[test]
    fn other_numbers_of_samples_are_damage() {
        let bytes = [1, 0, 0, 0, 1, KEY, 1, 2, 3, 4, 9];
        let mut out = [0; 4];
        assert!(sum_into(&bytes, &mut out, |count| count).is_ok());
        assert!(sum_into(&bytes, &mut out[..3], |count| count).is_err());
        assert!(sum_into(&bytes, &mut [0; 5], |count| count).is_err());
        assert!(sum_into(&bytes[..8], &mut out[..3], |count| count).is_err());
        assert!(sum_into(&bytes[..3], &mut out[..1], |count| count).is_err());
        assert!(sum_into(&[], &mut out[..1], |count| count).is_err());
    }
}
