//! Gene numbers from gaps: running sums over two byte planes.

/// What a cell's gaps add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneSums {
    /// One more than the last sum, 0 where there is none. Above 65,536 the
    /// sums written are of no use.
    pub end: u64,
    /// Whether a gap after the first is 0.
    pub has_zero_gap: bool,
}

/// Writes the running sums of the numbers in the planes `low` and `high` to
/// `out`. All three are equally long.
///
/// # Panics
/// If they are not.
pub fn sum_planes(low: &[u8], high: &[u8], out: &mut [u16]) -> PlaneSums {
    assert!(low.len() == out.len() && high.len() == out.len());
    #[cfg(target_arch = "x86_64")]
    if let Some(sums) = super::sums_x86::sum_planes(low, high, out) {
        return sums;
    }
    sum_planes_from(low, high, out, 0, true)
}

/// The scalar twin, which also finishes what a vector loop left: `sum` is the
/// last sum so far.
pub(super) fn sum_planes_from(
    low: &[u8],
    high: &[u8],
    out: &mut [u16],
    mut sum: u64,
    mut is_first: bool,
) -> PlaneSums {
    let mut has_zero_gap = false;
    let is_empty = is_first && out.is_empty();
    for ((&low, &high), out) in low.iter().zip(high).zip(out) {
        let gap = u64::from(u16::from(low) | u16::from(high) << 8);
        has_zero_gap |= gap == 0 && !is_first;
        is_first = false;
        sum += gap;
        *out = sum as u16;
    }
    PlaneSums {
        end: if is_empty { 0 } else { sum + 1 },
        has_zero_gap,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn both(gaps: &[u16]) {
        let low: Vec<u8> = gaps.iter().map(|&gap| gap as u8).collect();
        let high: Vec<u8> = gaps.iter().map(|&gap| (gap >> 8) as u8).collect();
        let (mut fast, mut plain) = (vec![0; gaps.len()], vec![0; gaps.len()]);
        let expected = sum_planes_from(&low, &high, &mut plain, 0, true);
        let got = sum_planes(&low, &high, &mut fast);
        assert_eq!(got.has_zero_gap, expected.has_zero_gap);
        if expected.end <= 65_536 {
            assert_eq!(got.end, expected.end);
            assert_eq!(fast, plain);
        } else {
            assert!(got.end > 65_536);
        }
    }

    proptest! {
        #[test]
        fn vector_and_scalar_sums_agree(gaps in prop::collection::vec(0u16..300, 0..400)) {
            both(&gaps);
        }

        #[test]
        fn long_runs_of_small_gaps_agree(n in 0usize..3_000, gap in 1u16..25) {
            both(&vec![gap; n]);
        }

        #[test]
        fn large_gaps_are_found_out(gaps in prop::collection::vec(any::<u16>(), 0..200)) {
            both(&gaps);
        }
    }

    #[test]
    fn ends_at_the_limit_are_exact() {
        for n in [1, 31, 32, 33, 64, 100] {
            for end in [65_534u32, 65_535, 65_536, 65_537] {
                let mut gaps = vec![1u16; n];
                let rest = end - n as u32;
                if rest < 65_536 {
                    *gaps.last_mut().unwrap() = rest as u16;
                    both(&gaps);
                    gaps.rotate_right(1);
                    both(&gaps);
                }
            }
        }
        both(&[1; 65_535]);
        both(&[&[0u16][..], &vec![1; 65_535]].concat());
        both(&[&[1u16][..], &vec![1; 65_535]].concat());
        both(&[]);
        both(&[0, 0]);
    }
}
