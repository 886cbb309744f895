//! Inner loops. Each has a safe scalar twin, and where it pays versions for
//! AVX2, AVX-512 and NEON; tests compare them on random input. Gains over the
//! scalar twin are in `benchmarks/README.md`.

mod count;
mod escapes;
mod nonzeros;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod nonzeros_avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod nonzeros_avx512;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod nonzeros_neon;
mod nonzeros_plain;
#[cfg(test)]
mod nonzeros_tests;
mod planes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod raw_fields;
mod row;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod row_avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod row_avx512;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod row_neon;
mod row_sorter;
#[cfg(test)]
mod row_tests;
mod simd;
mod sums;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sums_x86;
mod symbols;
#[cfg(test)]
mod symbols_tests;

pub use count::Count;
pub(crate) use escapes::Escapes;
pub(crate) use nonzeros::{BlockView, Dictionary, READ_AHEAD, Segment, write_segment};
pub use planes::{has_zero, merge_planes, widen, widen_planes};
pub(crate) use row_sorter::RowSorter;
pub use simd::Simd;
pub use sums::{PlaneSums, sum_planes};
pub use symbols::MIN_SPLIT;
pub(crate) use symbols::{decode_symbols, prefetch, split};
