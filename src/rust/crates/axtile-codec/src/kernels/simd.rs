//! Which vector instructions this machine has.

/// Found out once and handed on: asking costs more than a short loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd {
    avx512: bool,
}

impl Simd {
    /// What this machine has.
    pub(crate) fn detect() -> Simd {
        #[cfg(target_arch = "x86_64")]
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2");
        #[cfg(not(target_arch = "x86_64"))]
        let avx512 = false;
        Simd { avx512 }
    }

    /// AVX-512 with what the decoding of nonzeros needs: F, BW, VL, VBMI and
    /// VBMI 2 (Ice Lake, Zen 4).
    #[inline]
    pub(crate) fn avx512(self) -> bool {
        self.avx512
    }
}

impl Default for Simd {
    fn default() -> Simd {
        Simd::detect()
    }
}
