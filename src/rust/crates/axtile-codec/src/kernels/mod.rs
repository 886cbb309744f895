//! Inner loops over byte planes. Each has a safe scalar twin, and on x86-64
//! versions for AVX2 and AVX-512 that are chosen at run time; tests compare
//! them on random input. Gains over the scalar twin are in
//! `benchmarks/README.md`.

mod planes;
mod sums;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sums_x86;

pub use planes::{Count, has_zero, merge_planes, widen, widen_planes};
pub use sums::{PlaneSums, sum_planes};
