//! The model of a block: how often each of the 256 byte values is, scaled so
//! that the most frequent counts at most 255.

use crate::damage::Damage;
use crate::red::block::STATISTICS_BYTES;

/// Frequencies as both directions of the coder want them.
#[derive(Clone, Debug)]
pub(crate) struct Frequencies {
    /// Per symbol, the sum of the frequencies below it times 256, plus its own.
    pub(crate) parts: [u32; STATISTICS_BYTES],
    /// Sum of all frequencies.
    pub(crate) total: u32,
    /// `range * reciprocal >> 64` is `range / total` for all ranges to 2^31.
    pub(crate) reciprocal: u64,
}

impl Frequencies {
    pub(crate) const EMPTY: Frequencies = Frequencies {
        parts: [0; STATISTICS_BYTES],
        total: 0,
        reciprocal: 0,
    };

    /// # Errors
    /// [`Damage`] where the statistics are of fewer than two bytes: every
    /// sample has four, and the reciprocal of one does not exist.
    pub(crate) fn fill(&mut self, statistics: &[u8; STATISTICS_BYTES]) -> Result<(), Damage> {
        let mut sum = 0_u32;
        for (part, &frequency) in self.parts.iter_mut().zip(statistics) {
            *part = (sum << 8) | u32::from(frequency);
            sum += u32::from(frequency);
        }
        if sum < 2 {
            return Err(Damage::new(format!(
                "the block's statistics sum up to {sum}, expected at least 2"
            )));
        }
        self.total = sum;
        self.reciprocal = u64::MAX / u64::from(sum) + 1;
        Ok(())
    }
}

/// `range / total`.
#[inline(always)]
pub(crate) fn quotient(range: u32, reciprocal: u64) -> u32 {
    ((u128::from(range) * u128::from(reciprocal)) >> 64) as u32
}

/// Bits of the whole bytes by which a range is shifted to get above 2^23.
#[inline(always)]
pub(crate) fn shift(range: u32) -> u32 {
    // Not of zero, which would take a step more; 1 and 2 are shifted alike.
    let n_zeros = (range.wrapping_sub(1) | 1).leading_zeros();
    n_zeros.wrapping_sub(1) & 24
}

/// Scales counts to statistics.
pub(crate) fn scale_counts(counts: &[u32; STATISTICS_BYTES]) -> [u8; STATISTICS_BYTES] {
    let most = counts.iter().copied().max().unwrap_or(0);
    if most <= 255 {
        return counts.map(|count| count as u8);
    }
    // Just below 255, so that rounding up never gives 256.
    let step = 254.999_999_999 / f64::from(most);
    counts.map(|count| (f64::from(count) * step).ceil() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let ranges = [
            (1_u32 << 23) + 1,
            (1 << 24) - 1,
            1 << 24,
            (1 << 30) + 12345,
            (1 << 31) - 1,
            1 << 31,
        ];
        let mut frequencies = Frequencies::EMPTY;
        let mut statistics = [0_u8; STATISTICS_BYTES];
        assert!(frequencies.fill(&statistics).is_err());
        for at in 0..STATISTICS_BYTES * 255 {
            statistics[at % STATISTICS_BYTES] = (at / STATISTICS_BYTES + 1) as u8;
            if frequencies.fill(&statistics).is_err() {
                continue;
            }
            let total = frequencies.total;
            for range in ranges {
                let near = range / total * total;
                for range in [range, near, near - 1] {
                    assert_eq!(
                        quotient(range, frequencies.reciprocal),
                        range / total,
                        "{range} / {total}"
                    );
                }
            }
        }
        assert_eq!(frequencies.total, 65280);
    }

    #[test]
    fn the_most_frequent_counts_255_and_none_vanishes() {
        let mut counts = [0; STATISTICS_BYTES];
        counts[7] = 1_000_000;
        counts[8] = 1;
        counts[9] = 255;
        let scaled = scale_counts(&counts);
        assert_eq!(
            (scaled[7], scaled[8], scaled[9], scaled[10]),
            (255, 1, 1, 0)
        );
    }
}
