//! The inner tile of ranks, of either mode.

use axtile_codec::mode;

use crate::envelope::Envelope;
use crate::mode::Mode;
use crate::random::Random;
use crate::{grid, packed};

#[derive(Clone)]
pub enum Inner {
    Grid(grid::parts::Parts),
    Packed(Envelope),
}

impl Inner {
    /// Of a sound tile.
    pub fn of(tile: &[u8]) -> Inner {
        match mode(tile) {
            Ok(1) => Inner::Grid(grid::Reader::take_apart(tile)),
            _ => Inner::Packed(packed::Reader::take_apart(tile)),
        }
    }

    pub fn tile(&self) -> Vec<u8> {
        match self {
            Inner::Grid(parts) => grid::Reader::put_together(parts),
            Inner::Packed(parts) => packed::Reader::put_together(parts),
        }
    }

    pub fn buffers(&mut self) -> Vec<&mut Vec<u8>> {
        match self {
            Inner::Grid(parts) => grid::Reader::buffers(parts),
            Inner::Packed(parts) => packed::Reader::buffers(parts),
        }
    }

    /// A damaged tile, which may have parts of `others`.
    pub fn mutated<'a>(
        &self,
        random: &mut Random,
        others: impl Iterator<Item = &'a Inner>,
    ) -> Vec<u8> {
        let (mut of_grid, mut of_packed) = (Vec::new(), Vec::new());
        for other in others {
            match other {
                Inner::Grid(parts) => of_grid.push(parts.clone()),
                Inner::Packed(parts) => of_packed.push(parts.clone()),
            }
        }
        match self {
            Inner::Grid(parts) => grid::Reader::mutated(random, parts.clone(), &of_grid),
            Inner::Packed(parts) => packed::Reader::mutated(random, parts.clone(), &of_packed),
        }
    }
}
