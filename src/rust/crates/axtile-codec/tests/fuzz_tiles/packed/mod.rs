//! Tiles of mode 2.

mod bases;
mod check;
mod corpus;
mod dealt;
mod mutate;

use axtile_codec::TileResult;

pub use bases::encode;
pub use check::{Reader, assert_genes, bound, reverse};
use mutate::mutated;

use crate::corpus::Tricky;
use crate::envelope::Envelope;
use crate::mode::Mode;
use crate::random::Random;

/// Totals and nonzeros.
pub const N_SECTIONS: usize = 2;

impl Mode for Reader {
    const NAME: &'static str = "packed";
    type Parts = Envelope;

    fn bases() -> Vec<(&'static str, Vec<u8>)> {
        bases::bases()
    }

    fn take_apart(tile: &[u8]) -> Envelope {
        let parts = Envelope::of(tile, N_SECTIONS);
        for chunk in &parts.chunks {
            let nonzeros = &chunk.sections[1];
            assert_eq!(&dealt::write(&dealt::read(nonzeros).unwrap()), nonzeros);
        }
        parts
    }

    fn put_together(parts: &Envelope) -> Vec<u8> {
        parts.tile(None)
    }

    fn buffers(parts: &mut Envelope) -> Vec<&mut Vec<u8>> {
        let sections = parts.chunks.iter_mut().map(|chunk| &mut chunk.sections);
        sections.flatten().collect()
    }

    fn mutated(random: &mut Random, parts: Envelope, others: &[Envelope]) -> Vec<u8> {
        mutated(random, parts, others)
    }

    fn corpus() -> Vec<Tricky> {
        corpus::corpus()
    }

    fn check(&mut self, tile: &[u8]) -> TileResult<()> {
        Reader::check(self, tile)
    }
}
