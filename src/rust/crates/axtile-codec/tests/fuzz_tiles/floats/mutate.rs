//! Changes behind the checksums: of bytes anyhow, of streams, of what is said of
//! them, and of the inner tile.

use axtile_codec::integers::Tile;

use super::Parts;
use super::section::{Section, read};
use crate::envelope::{Chunk, Envelope};
use crate::random::Random;
use crate::streams::mutate;

/// A tile that was damaged: one to three changes in `parts`, which may be made up
/// of those of `others`, too.
pub fn mutated(random: &mut Random, parts: Parts, others: &[Parts]) -> Vec<u8> {
    let Parts { mut outer, inner } = parts;
    outer.inner = if random.once_in(4) {
        let tile = inner.mutated(random, others.iter().map(|other| &other.inner));
        if !random.once_in(4) {
            agree(&mut outer, &tile);
        }
        tile
    } else {
        inner.tile()
    };
    for _ in 0..random.below(4) {
        if outer.chunks.is_empty() || random.once_in(12) {
            change_head(random, &mut outer, others);
            continue;
        }
        let at = random.below(outer.chunks.len());
        let width = outer.detail;
        let other = &random.pick(others).outer.chunks;
        change_chunk(random, &mut outer.chunks[at], width, other);
    }
    outer.tile(Some(random))
}

/// Makes the tile's index say what that of the inner one does.
fn agree(outer: &mut Envelope, inner: &[u8]) {
    let Ok(inner) = Tile::parse(inner) else {
        return;
    };
    outer.n_genes = inner.n_genes();
    let none = vec![vec![0, 0, 0, 0, 0]];
    let mut sections = outer.chunks.iter().map(|chunk| chunk.sections.clone());
    let chunks = inner.chunks().iter().map(|chunk| Chunk {
        n_cells: chunk.cells.len() as u64,
        nnz: chunk.nonzeros.len() as u64,
        sections: sections.next().unwrap_or_else(|| none.clone()),
    });
    outer.chunks = chunks.collect();
}

fn change_head(random: &mut Random, outer: &mut Envelope, others: &[Parts]) {
    match random.below(8) {
        0 => outer.n_genes = random.number(outer.n_genes.into()) as u32,
        1 => outer.detail = *random.pick(&[0, 2, 4, 8, 16]),
        2 => random.damage(&mut outer.inner),
        3 => outer.inner = random.pick(others).inner.tile(),
        // Values of the same cells with other ranks.
        4 => {
            let other = random.pick(others);
            outer.inner = other.inner.tile();
            agree(outer, &other.inner.tile());
        }
        _ => outer.change_chunks(random),
    }
}

fn change_chunk(random: &mut Random, chunk: &mut Chunk, width: u8, other: &[Chunk]) {
    let values = &mut chunk.sections[0];
    let Some(mut section) = read(values) else {
        return random.damage(values);
    };
    let at = random.below(section.streams.len());
    match random.below(16) {
        0 => return random.damage(values),
        1 => {
            if let Some(other) = other.first() {
                *values = other.sections[0].clone();
            }
            return;
        }
        // Often as good a transform as the one before.
        2 | 3 => section.transform = random.below(6) as u8,
        4 => section.n_singles = random.number(section.n_singles),
        5 => section.streams[at].len = random.number(section.streams[at].len),
        6 => {
            let to = random.below(section.streams.len());
            section.streams.swap(at, to);
        }
        7 => {
            section.streams.remove(at);
        }
        // The sizes, which all others go by.
        8..11 => change_stream(random, &mut section, 0, chunk.n_cells, width),
        _ => change_stream(random, &mut section, at, chunk.n_cells, width),
    }
    *values = section.write();
}

fn change_stream(random: &mut Random, section: &mut Section, at: usize, n_cells: u64, width: u8) {
    let n_cells = n_cells.min(1 << 20) as usize;
    let (n, kind) = section.numbers_of(at, n_cells, width);
    let stream = &mut section.streams[at];
    mutate(random, &mut stream.bytes, n, kind);
    stream.len = stream.bytes.len() as u64;
}
