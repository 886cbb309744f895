//! Which vector instructions this machine has.

/// A set of vector instructions that this machine has. Found out once and
/// handed on: asking costs more than a short loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    None,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Simd {
    /// No more than the compiler takes for granted.
    pub(crate) const NONE: Simd = Simd(Level::None);

    /// The most that this machine has.
    pub fn detect() -> Simd {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            let has_avx512 = has_avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("avx512vbmi2");
            if has_avx512 {
                return Simd(Level::Avx512);
            }
            if has_avx2 {
                return Simd(Level::Avx2);
            }
        }
        #[cfg(target_arch = "aarch64")]
        return Simd(Level::Neon);
        #[cfg(not(target_arch = "aarch64"))]
        Simd(Level::None)
    }

    /// All that this machine has, the least first: for tests and benchmarks.
    pub fn all() -> Vec<Simd> {
        let levels = [
            Level::None,
            #[cfg(target_arch = "aarch64")]
            Level::Neon,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2,
            #[cfg(target_arch = "x86_64")]
            Level::Avx512,
        ];
        let most = Simd::detect().0;
        levels
            .into_iter()
            .filter(|&level| level <= most)
            .map(Simd)
            .collect()
    }

    /// What its instructions are called.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::None => "none",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "NEON",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
        }
    }

    /// NEON, which every such machine has.
    #[cfg(target_arch = "aarch64")]
    #[inline]
    pub(crate) fn neon(self) -> bool {
        self.0 >= Level::Neon
    }

    /// AVX2, and BMI 1 and 2 (Haswell, Zen).
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn avx2(self) -> bool {
        self.0 >= Level::Avx2
    }

    /// Whether it can bring the marked bytes of a vector together.
    #[inline]
    pub(crate) fn compresses(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.avx512();
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// AVX-512 with what the decoding of nonzeros needs: F, BW, VL, VBMI and
    /// VBMI 2 (Ice Lake, Zen 4); and all of [`Simd::avx2`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn avx512(self) -> bool {
        self.0 >= Level::Avx512
    }
}

impl Default for Simd {
    fn default() -> Simd {
        Simd::detect()
    }
}
