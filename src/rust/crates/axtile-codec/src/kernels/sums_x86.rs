//! Running sums with AVX2 (16 numbers at a time) and AVX-512 (32).
//!
//! Sums are formed in 16 bits with saturation, so that one that passes 65,535
//! stays there instead of wrapping round to a small gene number. A last sum
//! of exactly 65,535 may be a true one: a second, exact total in 64 bits tells.

use std::arch::x86_64::*;

use super::sums::{PlaneSums, sum_planes_from};

/// `None` if this machine has neither instruction set.
pub(super) fn sum_planes(low: &[u8], high: &[u8], out: &mut [u16]) -> Option<PlaneSums> {
    assert!(low.len() == out.len() && high.len() == out.len());
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
        // SAFETY: the features were just found; the lengths agree.
        return Some(unsafe { sum_avx512(low, high, out) });
    }
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature was just found; the lengths agree.
        return Some(unsafe { sum_avx2(low, high, out) });
    }
    None
}

/// What the vector loop found, before the scalar loop does the rest.
struct Vectors {
    done: usize,
    last: u16,
    has_zero_gap: bool,
}

impl Vectors {
    fn finish(self, low: &[u8], high: &[u8], out: &mut [u16]) -> PlaneSums {
        let done = self.done;
        let mut sum = u64::from(self.last);
        if self.last == u16::MAX {
            let exact = |plane: &[u8]| plane.iter().map(|&byte| u64::from(byte)).sum::<u64>();
            sum = exact(&low[..done]) + (exact(&high[..done]) << 8);
        }
        let (_, out) = out.split_at_mut(done);
        let mut sums = sum_planes_from(&low[done..], &high[done..], out, sum, done == 0);
        sums.has_zero_gap |= self.has_zero_gap;
        sums
    }
}

/// # Safety
/// Needs AVX-512 BW and VL; the three slices are equally long.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn sum_avx512(low: &[u8], high: &[u8], out: &mut [u16]) -> PlaneSums {
    const STEP: usize = 32;
    // For every 16-bit number: the last one of the 128-bit lane before its own,
    // and of the lane two before.
    let lane_before = _mm512_set_epi64(
        0x0017_0017_0017_0017,
        0x0017_0017_0017_0017,
        0x000f_000f_000f_000f,
        0x000f_000f_000f_000f,
        0x0007_0007_0007_0007,
        0x0007_0007_0007_0007,
        0,
        0,
    );
    let two_before = _mm512_set_epi64(
        0x000f_000f_000f_000f,
        0x000f_000f_000f_000f,
        0x0007_0007_0007_0007,
        0x0007_0007_0007_0007,
        0,
        0,
        0,
        0,
    );
    let last = _mm512_set1_epi16(STEP as i16 - 1);
    let mut carry = _mm512_setzero_si512();
    let mut zero_gaps = 0;
    // The very first gap may be 0.
    let mut checked: __mmask32 = !1;
    let n_steps = out.len() / STEP;
    for step in 0..n_steps {
        let at = step * STEP;
        // SAFETY: at + STEP <= n_steps * STEP <= the length of each slice.
        let (low, high) = unsafe {
            (
                _mm256_loadu_si256(low.as_ptr().add(at).cast()),
                _mm256_loadu_si256(high.as_ptr().add(at).cast()),
            )
        };
        let gaps = _mm512_or_si512(
            _mm512_cvtepu8_epi16(low),
            _mm512_slli_epi16::<8>(_mm512_cvtepu8_epi16(high)),
        );
        zero_gaps |= _mm512_testn_epi16_mask(gaps, gaps) & checked;
        checked = !0;
        let mut sums = _mm512_adds_epu16(gaps, _mm512_bslli_epi128::<2>(gaps));
        sums = _mm512_adds_epu16(sums, _mm512_bslli_epi128::<4>(sums));
        sums = _mm512_adds_epu16(sums, _mm512_bslli_epi128::<8>(sums));
        let before = _mm512_maskz_permutexvar_epi16(0xffff_ff00, lane_before, sums);
        sums = _mm512_adds_epu16(sums, before);
        let before = _mm512_maskz_permutexvar_epi16(0xffff_0000, two_before, sums);
        sums = _mm512_adds_epu16(sums, before);
        sums = _mm512_adds_epu16(sums, carry);
        carry = _mm512_permutexvar_epi16(last, sums);
        // SAFETY: as for the loads.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(at).cast(), sums) };
    }
    Vectors {
        done: n_steps * STEP,
        last: _mm512_cvtsi512_si32(carry) as u16,
        has_zero_gap: zero_gaps != 0,
    }
    .finish(low, high, out)
}

/// # Safety
/// Needs AVX2; the three slices are equally long.
#[target_feature(enable = "avx2")]
unsafe fn sum_avx2(low: &[u8], high: &[u8], out: &mut [u16]) -> PlaneSums {
    const STEP: usize = 16;
    let zero = _mm256_setzero_si256();
    // The last 16-bit number of each 128-bit lane, over the whole lane.
    let last = _mm256_set1_epi16(0x0f0e);
    let mut carry = zero;
    // The very first gap may be 0.
    let mut unchecked = _mm256_set_epi16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1);
    let mut zero_gaps = zero;
    let n_steps = out.len() / STEP;
    for step in 0..n_steps {
        let at = step * STEP;
        // SAFETY: at + STEP <= n_steps * STEP <= the length of each slice.
        let (low, high) = unsafe {
            (
                _mm_loadu_si128(low.as_ptr().add(at).cast()),
                _mm_loadu_si128(high.as_ptr().add(at).cast()),
            )
        };
        let gaps = _mm256_or_si256(
            _mm256_cvtepu8_epi16(low),
            _mm256_slli_epi16::<8>(_mm256_cvtepu8_epi16(high)),
        );
        let is_zero = _mm256_cmpeq_epi16(gaps, zero);
        zero_gaps = _mm256_or_si256(zero_gaps, _mm256_andnot_si256(unchecked, is_zero));
        unchecked = zero;
        let mut sums = _mm256_adds_epu16(gaps, _mm256_bslli_epi128::<2>(gaps));
        sums = _mm256_adds_epu16(sums, _mm256_bslli_epi128::<4>(sums));
        sums = _mm256_adds_epu16(sums, _mm256_bslli_epi128::<8>(sums));
        // The low lane's total moves to the high lane; zeros to the low one.
        let lower = _mm256_permute2x128_si256::<0x08>(sums, sums);
        sums = _mm256_adds_epu16(sums, _mm256_shuffle_epi8(lower, last));
        sums = _mm256_adds_epu16(sums, carry);
        let upper = _mm256_permute2x128_si256::<0x11>(sums, sums);
        carry = _mm256_shuffle_epi8(upper, last);
        // SAFETY: as for the loads.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), sums) };
    }
    Vectors {
        done: n_steps * STEP,
        last: _mm256_extract_epi16::<0>(carry) as u16,
        has_zero_gap: _mm256_testz_si256(zero_gaps, zero_gaps) == 0,
    }
    .finish(low, high, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_instruction_sets_agree_with_the_scalar_twin() {
        let mut seed = 1u32;
        let mut random = move |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for round in 0..2_000 {
            let n = random(300) as usize;
            let below = [2, 40, 300, 65_536][round % 4];
            let gaps: Vec<u16> = (0..n).map(|_| random(below) as u16).collect();
            let low: Vec<u8> = gaps.iter().map(|&gap| gap as u8).collect();
            let high: Vec<u8> = gaps.iter().map(|&gap| (gap >> 8) as u8).collect();
            let mut plain = vec![0; n];
            let expected = sum_planes_from(&low, &high, &mut plain, 0, true);
            let check = |sums: PlaneSums, out: Vec<u16>| {
                assert_eq!(sums.has_zero_gap, expected.has_zero_gap);
                assert_eq!(sums.end.min(65_537), expected.end.min(65_537));
                if expected.end <= 65_536 {
                    assert_eq!(out, plain);
                }
            };
            let mut out = vec![0; n];
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the feature was just found; the lengths agree.
                let sums = unsafe { sum_avx2(&low, &high, &mut out) };
                check(sums, out.clone());
            }
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
                // SAFETY: the features were just found; the lengths agree.
                let sums = unsafe { sum_avx512(&low, &high, &mut out) };
                check(sums, out.clone());
            }
        }
    }
}
