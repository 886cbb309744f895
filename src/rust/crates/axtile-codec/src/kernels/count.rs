//! The number types that counts are handed out in, and how vectors of counts
//! are stored as them.

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// A number type that counts are handed out in.
pub trait Count: Copy + Default + Send + Sync {
    /// The same count.
    fn from_u16(count: u16) -> Self;

    /// The same count, which is at most 2^31-1.
    fn from_u32(count: u32) -> Self;

    /// The same places for floating-point values; `None` if the type does not
    /// hold them.
    fn as_floats(places: &mut [Self]) -> Option<&mut [f64]>;

    /// Stores 4 counts.
    ///
    /// # Safety
    /// There are 4 places at `out`.
    #[cfg(target_arch = "aarch64")]
    #[doc(hidden)]
    #[allow(unsafe_code)]
    unsafe fn store_4(out: *mut Self, counts: uint32x4_t);

    /// Stores 8 counts.
    ///
    /// # Safety
    /// Needs AVX; there are 8 places at `out`.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    #[allow(unsafe_code)]
    unsafe fn store_8(out: *mut Self, counts: __m256i);

    /// Stores 16 counts.
    ///
    /// # Safety
    /// Needs AVX-512 F; there are 16 places at `out`.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    #[allow(unsafe_code)]
    unsafe fn store_16(out: *mut Self, counts: __m512i);

    /// Stores the counts that `mask` names, of 16.
    ///
    /// # Safety
    /// Needs AVX-512 F; there is a place for every count that `mask` names.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    #[allow(unsafe_code)]
    unsafe fn store_masked(out: *mut Self, counts: __m512i, mask: __mmask16);
}

impl Count for f64 {
    #[inline(always)]
    fn from_u16(count: u16) -> f64 {
        // Through i32, for which every instruction set has a conversion.
        f64::from(i32::from(count))
    }

    #[inline(always)]
    fn from_u32(count: u32) -> f64 {
        f64::from(count as i32)
    }

    fn as_floats(places: &mut [f64]) -> Option<&mut [f64]> {
        Some(places)
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_4(out: *mut f64, counts: uint32x4_t) {
        // SAFETY: the caller's promise; NEON is part of the target.
        unsafe {
            let low = vcvtq_f64_u64(vmovl_u32(vget_low_u32(counts)));
            let high = vcvtq_f64_u64(vmovl_high_u32(counts));
            vst1q_f64(out, low);
            vst1q_f64(out.add(2), high);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_8(out: *mut f64, counts: __m256i) {
        // SAFETY: the caller's promise.
        unsafe {
            let low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(counts));
            let high = _mm256_cvtepi32_pd(_mm256_extractf128_si256::<1>(counts));
            _mm256_storeu_pd(out, low);
            _mm256_storeu_pd(out.add(4), high);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_16(out: *mut f64, counts: __m512i) {
        // SAFETY: the caller's promise.
        unsafe {
            let low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(counts));
            let high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64::<1>(counts));
            _mm512_storeu_pd(out, low);
            _mm512_storeu_pd(out.add(8), high);
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_masked(out: *mut f64, counts: __m512i, mask: __mmask16) {
        // SAFETY: the caller's promise.
        unsafe {
            let low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(counts));
            let high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64::<1>(counts));
            _mm512_mask_storeu_pd(out, mask as __mmask8, low);
            _mm512_mask_storeu_pd(out.wrapping_add(8), (mask >> 8) as __mmask8, high);
        }
    }
}

impl Count for i32 {
    #[inline(always)]
    fn from_u16(count: u16) -> i32 {
        count.into()
    }

    #[inline(always)]
    fn from_u32(count: u32) -> i32 {
        count as i32
    }

    fn as_floats(_: &mut [i32]) -> Option<&mut [f64]> {
        None
    }

    #[cfg(target_arch = "aarch64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_4(out: *mut i32, counts: uint32x4_t) {
        // SAFETY: the caller's promise; NEON is part of the target.
        unsafe { vst1q_u32(out.cast(), counts) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_8(out: *mut i32, counts: __m256i) {
        // SAFETY: the caller's promise.
        unsafe { _mm256_storeu_si256(out.cast(), counts) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_16(out: *mut i32, counts: __m512i) {
        // SAFETY: the caller's promise.
        unsafe { _mm512_storeu_si512(out.cast(), counts) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn store_masked(out: *mut i32, counts: __m512i, mask: __mmask16) {
        // SAFETY: the caller's promise.
        unsafe { _mm512_mask_storeu_epi32(out, mask, counts) }
    }
}
