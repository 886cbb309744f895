//! Merging of byte planes into numbers: plain loops that the compiler
//! vectorises, compiled once more for each wider instruction set.

use super::count::Count;

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
