//! Taking counts out of a row with NEON.

use std::arch::aarch64::*;

use super::count::Count;
use super::row::{WINDOW, drain_by};

/// As [`drain_by`].
pub(super) fn drain<C: Count>(row: &mut [u8], genes: &mut [i32], counts: &mut [C]) {
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    drain_by(row, genes, counts, |bytes: &[u8; WINDOW]| {
        // SAFETY: 16 of 64 bytes each; NEON is part of the target.
        unsafe {
            let bits = vld1q_u8(BITS.as_ptr());
            let quarter = |at: usize| {
                let bytes = vld1q_u8(bytes.as_ptr().add(at));
                vandq_u8(vtstq_u8(bytes, bytes), bits)
            };
            let low = vpaddq_u8(quarter(0), quarter(16));
            let high = vpaddq_u8(quarter(32), quarter(48));
            let all = vpaddq_u8(low, high);
            let all = vpaddq_u8(all, all);
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(all))
        }
    });
}
