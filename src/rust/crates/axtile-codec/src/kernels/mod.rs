//! Inner loops. Each has a safe scalar twin, and where it pays versions for
//! AVX2 and AVX-512 that are chosen at run time; tests compare them on random
//! input. Gains over the scalar twin are in `benchmarks/README.md`.

mod nonzeros;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod nonzeros_x86;
mod planes;
mod row_sorter;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod row_sorter_x86;
mod simd;
mod sums;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sums_x86;
mod symbols;

pub(crate) use nonzeros::{BlockView, Dictionary, Escapes, READ_AHEAD, Segment, write_segment};
pub use planes::{Count, has_zero, merge_planes, widen, widen_planes};
pub(crate) use row_sorter::RowSorter;
pub(crate) use simd::Simd;
pub use sums::{PlaneSums, sum_planes};
pub use symbols::MIN_SPLIT;
pub(crate) use symbols::{decode_symbols, prefetch, split};
