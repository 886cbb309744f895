//! Changes behind the checksums: of bytes anyhow, and of single fields to
//! values at their limits, with other fields made to agree or not.

use super::model::{Field, Name, Value, fields, model};
use super::parts::{ChunkParts, Parts};
use crate::random::Random;
use crate::wire::{put_varint, varint};

/// A tile that was damaged: one to four changes in `parts`, which may be made up
/// of those of `others`, too.
pub fn mutated(random: &mut Random, mut parts: Parts, others: &[Parts]) -> Vec<u8> {
    for _ in 0..1 + random.below(4) {
        match random.below(16) {
            0..5 => change_model(random, &mut parts, others),
            5..8 => change_counts(random, &mut parts, others),
            8..13 => change_block(random, &mut parts, others),
            13 => change_chunks(random, &mut parts),
            _ => {}
        }
    }
    if !random.once_in(4) {
        settle_totals(&mut parts);
    }
    let mut index = parts.index();
    if random.once_in(20) {
        random.damage(&mut index);
    }
    let mut lies = Vec::new();
    if random.once_in(20) {
        // Genes, cells, chunks, nonzeros, lengths, size.
        let (at, len) = *random.pick(&[
            (12, 4),
            (16, 4),
            (20, 4),
            (24, 8),
            (32, 4),
            (36, 4),
            (40, 4),
            (44, 4),
            (48, 8),
        ]);
        let old = parts.chunks.len() as u64;
        lies.push((at, random.number(old).to_le_bytes()[..len].to_vec()));
    }
    parts.tile(&index, &lies)
}

fn change_model(random: &mut Random, parts: &mut Parts, others: &[Parts]) {
    let Some(mut all) = fields(&parts.model) else {
        return random.damage(&mut parts.model);
    };
    match random.below(12) {
        0 => return random.damage(&mut parts.model),
        1 => {
            let other = random.pick(others);
            parts.model = other.model.clone();
            parts.n_genes = other.n_genes;
            return;
        }
        // Two fields of the same name change places: often still a model.
        2 | 3 => {
            let name = random.pick(&all).name;
            let (a, b) = (one(random, &all, name), one(random, &all, name));
            let value = all[a].value.clone();
            all[a].value = all[b].value.clone();
            all[b].value = value;
        }
        // Another complete code, or one of a single symbol, or none.
        4 | 5 => {
            let at = one(random, &all, Name::Lengths);
            if let Value::Bytes(lengths) = &mut all[at].value {
                change_code(random, lengths);
            }
        }
        // As many raw bits, but others.
        6 => {
            let gap = one(random, &all, Name::GapBits);
            let (gap_bits, count_bits) = (number(&all[gap]), number(&all[gap + 1]));
            let sum = gap_bits.saturating_add(count_bits).min(64);
            let new = random.below(sum as usize + 1) as u64;
            all[gap].value = Value::Number(new);
            all[gap + 1].value = Value::Number(sum - new);
        }
        // More or fewer genes, at the end of all clusters, or with levels.
        7 => widen(random, parts, &mut all),
        8 => reorder(random, parts.n_genes, &mut all),
        _ => {
            let at = random.below(all.len());
            match &mut all[at].value {
                Value::Number(number) => *number = random.number(*number),
                Value::Bytes(bytes) if !bytes.is_empty() => {
                    let at = random.below(bytes.len());
                    bytes[at] = random.number(bytes[at].into()) as u8;
                }
                Value::Bytes(_) => {}
            }
        }
    }
    parts.model = model(&all);
}

/// The place of any field of that name.
fn one(random: &mut Random, all: &[Field], name: Name) -> usize {
    let places: Vec<usize> = (0..all.len()).filter(|&at| all[at].name == name).collect();
    match places.as_slice() {
        [] => 0,
        places => *random.pick(places),
    }
}

fn number(field: &Field) -> u64 {
    match field.value {
        Value::Number(number) => number,
        Value::Bytes(_) => 0,
    }
}

fn change_code(random: &mut Random, lengths: &mut [u8]) {
    if lengths.is_empty() {
        return;
    }
    match random.below(4) {
        0 => {
            let keep = random.below(lengths.len());
            for (symbol, len) in lengths.iter_mut().enumerate() {
                *len = u8::from(symbol == keep);
            }
        }
        1 => lengths.fill(0),
        // 1, 2, 3, ... bits, as far as there are symbols and bits.
        2 => {
            let n = lengths.len().min(12);
            for (symbol, len) in lengths.iter_mut().enumerate() {
                *len = match symbol + 1 {
                    number if number == n => n as u8 - 1,
                    number if number < n => number as u8,
                    _ => 0,
                };
            }
        }
        _ => {
            for at in (1..lengths.len()).rev() {
                lengths.swap(at, random.below(at + 1));
            }
        }
    }
}

fn widen(random: &mut Random, parts: &mut Parts, all: &mut [Field]) {
    let old = u64::from(parts.n_genes);
    let new = match random.below(3) {
        0 => i32::MAX as u64,
        1 => random.number(old) & u64::from(u32::MAX),
        _ => old + random.below(100_000) as u64,
    };
    let n_buckets = number(&all[2]) as usize;
    let widths = all.iter_mut().filter(|field| field.name == Name::Width);
    for last in widths
        .skip(n_buckets.saturating_sub(1))
        .step_by(n_buckets.max(1))
    {
        let width = number(last).wrapping_add(new).wrapping_sub(old);
        last.value = Value::Number(width);
    }
    parts.n_genes = new as u32;
}

/// Levels for some of the first genes.
fn reorder(random: &mut Random, n_genes: u32, all: &mut [Field]) {
    let at = one(random, all, Name::LevelsLen);
    let n_levels = 1 + random.below((n_genes as usize).clamp(1, 3_000));
    let n_kinds = 1 + random.below(255);
    let levels = (0..n_levels).map(|_| random.below(n_kinds) as u8).collect();
    all[at].value = Value::Number(n_levels as u64);
    all[at + 1].value = Value::Bytes(levels);
}

fn change_counts(random: &mut Random, parts: &mut Parts, others: &[Parts]) {
    let cluster_bits = cluster_bits(parts);
    if parts.chunks.is_empty() {
        return;
    }
    let at = random.below(parts.chunks.len());
    let chunk = &mut parts.chunks[at];
    let totals_at = (chunk.n_cells * cluster_bits) as usize;
    match random.below(8) {
        // The least total, its width, and the first parameter.
        0 => {
            let (first, n_bits) = *random.pick(&[(0, 32), (0, 8), (32, 6), (38, 5)]);
            let value = random.number(chunk.nnz);
            for bit in 0..n_bits {
                set_bit(&mut chunk.counts, totals_at + first + bit, value >> bit & 1);
            }
        }
        1 => {
            let other = random.pick(others);
            if let Some(other) = other.chunks.first() {
                chunk.counts = other.counts.clone();
                chunk.n_cells = other.n_cells;
            }
        }
        2 => chunk.n_cells = random.number(chunk.n_cells),
        3 => chunk.nnz = random.number(chunk.nnz),
        4 | 5 => {
            let bit = random.below(8 * chunk.counts.len().max(1));
            set_bit(&mut chunk.counts, bit, random.bits() & 1);
        }
        _ => random.damage(&mut chunk.counts),
    }
}

fn set_bit(bytes: &mut [u8], at: usize, bit: u64) {
    if let Some(byte) = bytes.get_mut(at / 8) {
        *byte = *byte & !(1 << (at % 8)) | (bit as u8) << (at % 8);
    }
}

fn change_block(random: &mut Random, parts: &mut Parts, others: &[Parts]) {
    let n_blocks: usize = parts.chunks.iter().map(|chunk| chunk.blocks.len()).sum();
    if n_blocks == 0 {
        return;
    }
    let other = random.pick(others);
    let others = other.chunks.iter().flat_map(|chunk| &chunk.blocks);
    let other = others.clone().nth(random.below(n_blocks)).cloned();
    let at = random.below(n_blocks);
    let mut blocks = parts.chunks.iter_mut().flat_map(|chunk| &mut chunk.blocks);
    let Some(block) = blocks.nth(at) else { return };
    match random.below(8) {
        0 => *block = other.unwrap_or_default(),
        1 => block.clear(),
        2..5 => change_lengths(random, block),
        _ => random.damage(block),
    }
}

/// Changes the first numbers of a block: where its streams end.
fn change_lengths(random: &mut Random, block: &mut Vec<u8>) {
    let mut rest = block.as_slice();
    let mut lengths = Vec::new();
    for _ in 0..4 + 4 * random.below(3) {
        lengths.extend(varint(&mut rest));
    }
    if lengths.is_empty() {
        return;
    }
    let (a, b) = (random.below(lengths.len()), random.below(lengths.len()));
    if random.once_in(3) {
        lengths[a] = random.number(lengths[a]);
    } else {
        // Bytes go from one stream to another.
        let n = 1 + random.below(4) as u64;
        lengths[a] = lengths[a].wrapping_add(n);
        lengths[b] = lengths[b].wrapping_sub(n);
    }
    let mut changed = Vec::new();
    for length in lengths {
        put_varint(&mut changed, length);
    }
    changed.extend_from_slice(rest);
    *block = changed;
}

fn change_chunks(random: &mut Random, parts: &mut Parts) {
    if parts.chunks.is_empty() {
        return;
    }
    let (a, b) = (
        random.below(parts.chunks.len()),
        random.below(parts.chunks.len()),
    );
    match random.below(4) {
        0 => parts.chunks.swap(a, b),
        1 => {
            parts.chunks.remove(a);
        }
        2 => {
            let copy = parts.chunks[a].clone();
            parts.chunks.insert(b, copy);
        }
        _ => {
            let blocks = &mut parts.chunks[a].blocks;
            if random.once_in(2) {
                blocks.pop();
            } else {
                blocks.push(Vec::new());
            }
        }
    }
}

/// Bits of a cell's cluster, if the model says.
fn cluster_bits(parts: &Parts) -> u64 {
    let n_clusters = varint(&mut parts.model.as_slice()).unwrap_or(1);
    u64::from(64 - n_clusters.saturating_sub(1).leading_zeros())
}

/// Makes the index say of every chunk what its counts add up to.
fn settle_totals(parts: &mut Parts) {
    let cluster_bits = cluster_bits(parts);
    for chunk in &mut parts.chunks {
        if let Some(total) = total(chunk, cluster_bits) {
            chunk.nnz = total;
        }
    }
}

fn total(chunk: &ChunkParts, cluster_bits: u64) -> Option<u64> {
    let bits = |at: u64, n_bits: u64| {
        (0..n_bits).try_fold(0u64, |value, bit| {
            let byte = chunk.counts.get(((at + bit) / 8) as usize)?;
            Some(value | u64::from(byte >> ((at + bit) % 8) & 1) << bit)
        })
    };
    let at = chunk.n_cells.checked_mul(cluster_bits)?;
    let (least, width) = (bits(at, 32)?, bits(at + 32, 6)?);
    if width == 0 {
        return least.checked_mul(chunk.n_cells);
    }
    let totals = (0..chunk.n_cells).map(|cell| bits(at + 38 + cell * width, width));
    totals
        .map(|more| Some(more? + least))
        .try_fold(0u64, |sum, total| sum.checked_add(total?))
}
