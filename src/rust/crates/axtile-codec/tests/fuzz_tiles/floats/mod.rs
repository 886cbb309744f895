//! Tiles of mode 3.

mod bases;
mod check;
mod corpus;
mod inner;
mod mutate;
mod section;

use axtile_codec::TileResult;

pub use check::Reader;
use inner::Inner;

use crate::corpus::Tricky;
use crate::envelope::Envelope;
use crate::mode::Mode;
use crate::random::Random;

/// A tile whose inner tile is taken apart, too.
#[derive(Clone)]
pub struct Parts {
    outer: Envelope,
    inner: Inner,
}

impl Mode for Reader {
    const NAME: &'static str = "floats";
    type Parts = Parts;

    fn bases() -> Vec<(&'static str, Vec<u8>)> {
        bases::bases()
    }

    fn take_apart(tile: &[u8]) -> Parts {
        let outer = Envelope::of(tile, 1);
        for chunk in &outer.chunks {
            let values = &chunk.sections[0];
            assert_eq!(&section::read(values).unwrap().write(), values);
        }
        let inner = Inner::of(&outer.inner);
        Parts { outer, inner }
    }

    fn put_together(parts: &Parts) -> Vec<u8> {
        let mut outer = parts.outer.clone();
        outer.inner = parts.inner.tile();
        outer.tile(None)
    }

    fn buffers(parts: &mut Parts) -> Vec<&mut Vec<u8>> {
        let sections = parts
            .outer
            .chunks
            .iter_mut()
            .map(|chunk| &mut chunk.sections);
        let mut buffers: Vec<&mut Vec<u8>> = sections.flatten().collect();
        buffers.extend(parts.inner.buffers());
        buffers
    }

    fn mutated(random: &mut Random, parts: Parts, others: &[Parts]) -> Vec<u8> {
        mutate::mutated(random, parts, others)
    }

    fn corpus() -> Vec<Tricky> {
        corpus::corpus()
    }

    fn check(&mut self, tile: &[u8]) -> TileResult<()> {
        Reader::check(self, tile)
    }
}
