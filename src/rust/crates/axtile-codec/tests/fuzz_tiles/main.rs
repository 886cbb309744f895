//! Damaged tiles of the axtile format: an error or cells that keep all rules,
//! and never a panic, a write beside a slice, or more memory than the tile has
//! shown to need.
//!
//! Damage is done behind the checksums, which would stop nearly all of it.
//! `AXTILE_FUZZ_CASES` says how many tiles of each mode to try,
//! `AXTILE_FUZZ_SEED` which.

mod corpus;
mod envelope;
mod floats;
mod grid;
mod memory;
mod mode;
mod packed;
mod random;
mod rows;
mod streams;
mod wire;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

macro_rules! tests {
    ($name:ident, $reader:ty) => {
        mod $name {
            use crate::mode::{self, Mode};

            #[test]
            fn sound_tiles_taken_apart_and_put_together_are_read() {
                mode::sound_tiles::<$reader>();
            }

            #[test]
            fn damage_behind_the_checksums() {
                mode::damage_behind_the_checksums::<$reader>();
            }

            #[test]
            fn single_bytes_behind_the_checksums() {
                mode::single_bytes_behind_the_checksums::<$reader>();
            }

            #[test]
            fn damage_that_checksums_find() {
                mode::damage_that_checksums_find::<$reader>();
            }

            #[test]
            fn tiles_of_the_corpus() {
                mode::tiles_of_the_corpus::<$reader>();
            }

            #[test]
            #[ignore = "writes the corpus"]
            fn write_corpus() {
                crate::corpus::write(<$reader>::NAME, &<$reader>::corpus());
            }
        }
    };
}

tests!(grid_tiles, crate::grid::Reader);
tests!(packed_tiles, crate::packed::Reader);
tests!(float_tiles, crate::floats::Reader);
