//! Merging of byte planes into numbers: plain loops that the compiler
//! vectorises, compiled once more for each wider instruction set.

/// Compiles a loop for AVX-512 and AVX2 besides the target's own instructions,
/// and calls the widest that this machine has.
macro_rules! vectorised {
    (
        $(#[$doc:meta])*
        $vis:vis fn $name:ident$(<$generic:ident: $bound:ident>)?(
            $($arg:ident: $type:ty),* $(,)?
        ) $(-> $out:ty)? $body:block
    ) => {
        $(#[$doc])*
        $vis fn $name$(<$generic: $bound>)?($($arg: $type),*) $(-> $out)? {
            #[inline(always)]
            fn body$(<$generic: $bound>)?($($arg: $type),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
                fn avx512$(<$generic: $bound>)?($($arg: $type),*) $(-> $out)? {
                    body($($arg),*)
                }
                #[target_feature(enable = "avx2")]
                fn avx2$(<$generic: $bound>)?($($arg: $type),*) $(-> $out)? {
                    body($($arg),*)
                }
                if is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                {
                    // SAFETY: the machine has the features, as just checked
                    // (avx512bw implies avx512f); the function is safe otherwise.
                    #[allow(unsafe_code)]
                    return unsafe { avx512($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has AVX2, as just checked; the
                    // function is safe otherwise.
                    #[allow(unsafe_code)]
                    return unsafe { avx2($($arg),*) };
                }
            }
            body($($arg),*)
        }
    };
}

/// A number type that counts are handed out in.
pub trait Count: Copy + Default + Send + Sync {
    /// The same count.
    fn from_u16(count: u16) -> Self;

    /// The same count, which is at most 2^31-1.
    fn from_u32(count: u32) -> Self;
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
}

#[inline(always)]
fn join(low: u8, high: u8) -> u16 {
    u16::from(low) | u16::from(high) << 8
}

vectorised! {
    /// Whether any number is 0. Both planes are equally long.
    pub fn has_zero(low: &[u8], high: &[u8]) -> bool {
        low.iter()
            .zip(high)
            .fold(0, |any, (&low, &high)| any | u8::from(low | high == 0))
            != 0
    }
}

vectorised! {
    /// The numbers of two planes in 16 bits. All three are equally long.
    pub fn merge_planes(low: &[u8], high: &[u8], out: &mut [u16]) {
        for ((&low, &high), out) in low.iter().zip(high).zip(out) {
            *out = join(low, high);
        }
    }
}

vectorised! {
    /// The numbers of two planes, widened. All three are equally long.
    pub fn widen_planes<C: Count>(low: &[u8], high: &[u8], out: &mut [C]) {
        for ((&low, &high), out) in low.iter().zip(high).zip(out) {
            *out = C::from_u16(join(low, high));
        }
    }
}

vectorised! {
    /// 16-bit numbers, widened. Both are equally long.
    pub fn widen<C: Count>(numbers: &[u16], out: &mut [C]) {
        for (&number, out) in numbers.iter().zip(out) {
            *out = C::from_u16(number);
        }
    }
}
