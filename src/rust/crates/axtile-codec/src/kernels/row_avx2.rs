//! Taking counts out of a row with AVX2.

use std::arch::x86_64::*;

use super::count::Count;
use super::row::{WINDOW, drain_by};

/// As [`drain_by`].
///
/// # Safety
/// Needs [`Simd::avx2`](super::Simd).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn drain<C: Count>(row: &mut [u8], genes: &mut [i32], counts: &mut [C]) {
    drain_by(row, genes, counts, |bytes: &[u8; WINDOW]| {
        let zeros = |half: &[u8]| {
            assert!(half.len() == 32);
            // SAFETY: 32 bytes; AVX2 is there.
            unsafe {
                let half = _mm256_loadu_si256(half.as_ptr().cast());
                let zeros = _mm256_cmpeq_epi8(half, _mm256_setzero_si256());
                _mm256_movemask_epi8(zeros) as u32
            }
        };
        let (low, high) = bytes.split_at(32);
        !(u64::from(zeros(low)) | u64::from(zeros(high)) << 32)
    });
}
