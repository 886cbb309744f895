//! Tiles of mode 1.

mod bases;
mod check;
mod corpus;
mod model;
pub mod mutate;
pub mod parts;

use axtile_codec::TileResult;

use bases::bases;
pub use check::Reader;
use parts::Parts;

use crate::corpus::Tricky;
use crate::mode::Mode;
use crate::random::Random;

impl Mode for Reader {
    const NAME: &'static str = "grid";
    type Parts = Parts;

    fn bases() -> Vec<(&'static str, Vec<u8>)> {
        bases()
    }

    fn take_apart(tile: &[u8]) -> Parts {
        let parts = Parts::of(tile);
        let fields = model::fields(&parts.model).unwrap();
        assert_eq!(model::model(&fields), parts.model);
        parts
    }

    fn put_together(parts: &Parts) -> Vec<u8> {
        parts.tile(&parts.index(), &[])
    }

    fn buffers(parts: &mut Parts) -> Vec<&mut Vec<u8>> {
        let chunks = parts.chunks.iter_mut().flat_map(|chunk| {
            let counts = std::iter::once(&mut chunk.counts);
            counts.chain(&mut chunk.blocks)
        });
        std::iter::once(&mut parts.model).chain(chunks).collect()
    }

    fn mutated(random: &mut Random, parts: Parts, others: &[Parts]) -> Vec<u8> {
        mutate::mutated(random, parts, others)
    }

    fn corpus() -> Vec<Tricky> {
        let bases = bases();
        let (_, tile) = bases.iter().find(|base| base.0 == "long runs").unwrap();
        corpus::corpus(&Parts::of(tile))
    }

    fn check(&mut self, tile: &[u8]) -> TileResult<()> {
        Reader::check(self, tile)
    }
}
