//! Changes behind the checksums: of bytes anyhow, of streams, and of what is said
//! of them.

use super::dealt::{Dealt, read, write};
use crate::envelope::{Chunk, Envelope};
use crate::random::Random;
use crate::streams::{Kind, mutate, numbers};

/// A tile that was damaged: one to three changes in `parts`, which may be made up
/// of those of `others`, too.
pub fn mutated(random: &mut Random, mut parts: Envelope, others: &[Envelope]) -> Vec<u8> {
    for _ in 0..1 + random.below(3) {
        if parts.chunks.is_empty() || random.once_in(12) {
            change_head(random, &mut parts);
            continue;
        }
        let at = random.below(parts.chunks.len());
        let chunk = &mut parts.chunks[at];
        match random.below(12) {
            0 => {
                let section = random.below(chunk.sections.len());
                random.damage(&mut chunk.sections[section]);
            }
            1 => {
                if let Some(other) = random.pick(others).chunks.first() {
                    let section = random.below(chunk.sections.len());
                    chunk.sections[section] = other.sections[section].clone();
                }
            }
            2..5 => {
                let n_cells = chunk.n_cells as usize;
                mutate(random, &mut chunk.sections[0], n_cells, Kind::U32);
            }
            _ => change_nonzeros(random, &mut chunk.sections[1]),
        }
    }
    if !random.once_in(4) {
        parts.chunks.iter_mut().for_each(settle);
    }
    parts.tile(Some(random))
}

fn change_head(random: &mut Random, parts: &mut Envelope) {
    match random.below(8) {
        0 => parts.n_genes = random.number(parts.n_genes.into()) as u32,
        1 => parts.n_genes = parts.n_genes.wrapping_sub(1),
        2 => parts.detail = random.bits() as u8,
        3 => random.damage(&mut parts.inner),
        _ => parts.change_chunks(random),
    }
}

fn change_nonzeros(random: &mut Random, section: &mut Vec<u8>) {
    let Some(mut all) = read(section) else {
        return random.damage(section);
    };
    let one = random.below(all.len());
    let dealt = &mut all[one];
    let at = random.below(dealt.streams.len());
    match random.below(12) {
        0 => dealt.n_streams = random.number(dealt.n_streams),
        1 => random.damage(&mut dealt.first_classes),
        2 => dealt.streams[at].n = random.number(dealt.streams[at].n),
        3 => dealt.streams[at].len = random.number(dealt.streams[at].len),
        4 => move_numbers(random, dealt),
        5 => split(random, dealt),
        6 => all.swap(0, 1),
        _ => {
            let stream = &mut dealt.streams[at];
            mutate(random, &mut stream.bytes, stream.n as usize, Kind::U32);
            stream.len = stream.bytes.len() as u64;
        }
    }
    *section = write(&all);
}

/// A number of one stream is said to be another's.
fn move_numbers(random: &mut Random, dealt: &mut Dealt) {
    let [a, b] = [(); 2].map(|()| random.below(dealt.streams.len()));
    dealt.streams[a].n = dealt.streams[a].n.wrapping_add(1);
    dealt.streams[b].n = dealt.streams[b].n.wrapping_sub(1);
}

/// One more stream, of nothing.
fn split(random: &mut Random, dealt: &mut Dealt) {
    let at = random.below(dealt.streams.len());
    let mut stream = dealt.streams[at].clone();
    (stream.n, stream.len) = (0, 0);
    stream.bytes.clear();
    dealt.streams.insert(at, stream);
    let class = random.below(128) as u8;
    dealt.first_classes.push(class);
    dealt.first_classes.sort_unstable();
    dealt.n_streams += 1;
}

/// Makes the index say what the totals add up to.
fn settle(chunk: &mut Chunk) {
    let n_cells = usize::try_from(chunk.n_cells).unwrap_or(usize::MAX);
    if let Some(totals) = numbers(&chunk.sections[0], n_cells, Kind::U32) {
        let totals = totals.into_iter().map(|total| total & 0xffff_ffff);
        chunk.nnz = totals.sum();
    }
}
