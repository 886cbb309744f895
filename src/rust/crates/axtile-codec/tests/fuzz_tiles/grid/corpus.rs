//! Tiles made by hand, each at one limit of the format, and what reading them
//! must give.

use super::parts::{ChunkParts, Parts};
use crate::corpus::Tricky;
use crate::wire::{put_varint, varint};

/// A bucket for one cluster and class, with one table.
struct Bucket<'a> {
    raw_bits: [u8; 2],
    regular: &'a [(u8, u8)],
    escapes: &'a [(u8, u8)],
    lengths: &'a [u8],
}

/// Every nonzero is a count of 1 right behind the one before, in no bits.
const NO_BITS: Bucket<'static> = Bucket {
    raw_bits: [0, 0],
    regular: &[(0, 0)],
    escapes: &[],
    lengths: &[1],
};

/// The same bucket so many times; all genes are in the first.
fn model(n_genes: u32, levels: &[u8], bucket: &Bucket<'_>, n_buckets: usize) -> Vec<u8> {
    let mut model = vec![1, 1];
    put_varint(&mut model, n_buckets as u64);
    put_varint(&mut model, levels.len() as u64);
    model.extend_from_slice(levels);
    put_varint(&mut model, n_genes.into());
    model.resize(model.len() + n_buckets - 1, 0);
    for _ in 0..n_buckets {
        // The share.
        model.push(0);
        model.extend_from_slice(&bucket.raw_bits);
        for symbols in [bucket.regular, bucket.escapes] {
            put_varint(&mut model, symbols.len() as u64);
        }
        for symbols in [bucket.regular, bucket.escapes] {
            model.extend(symbols.iter().map(|symbol| symbol.0));
            model.extend(symbols.iter().map(|symbol| symbol.1));
        }
        model.extend_from_slice(&[1, 0]);
        model.extend_from_slice(bucket.lengths);
    }
    model
}

/// A chunk of cells with equally many nonzeros, all in the only bucket.
fn chunk(n_cells: u64, per_cell: u32, block: &[u8]) -> ChunkParts {
    let mut counts = per_cell.to_le_bytes().to_vec();
    counts.push(0);
    ChunkParts {
        n_cells,
        nnz: n_cells * u64::from(per_cell),
        counts,
        blocks: vec![block.to_vec()],
    }
}

fn one_chunk(n_genes: u32, bucket: &Bucket<'_>, chunk: ChunkParts) -> Parts {
    Parts {
        n_genes,
        model: model(n_genes, &[], bucket, 1),
        chunks: vec![chunk],
    }
}

/// `parts` with other lengths of the first block's four streams.
fn with_stream_lengths(mut parts: Parts, change: impl Fn(&mut [u64], u64)) -> Parts {
    let block = &mut parts.chunks[0].blocks[0];
    let mut rest = block.as_slice();
    let mut lengths: Vec<u64> = (0..4).map(|_| varint(&mut rest).unwrap()).collect();
    change(&mut lengths, rest.len() as u64);
    let mut changed = Vec::new();
    for length in lengths {
        put_varint(&mut changed, length);
    }
    changed.extend_from_slice(rest);
    *block = changed;
    parts
}

/// All of them; `long_runs` is a sound tile whose first block has four streams.
pub fn corpus(long_runs: &Parts) -> Vec<Tricky> {
    let no_bits = |n_cells, per_cell| one_chunk(512, &NO_BITS, chunk(n_cells, per_cell, &[]));
    let mut all = Vec::new();
    let mut add = |name, is_sound, note, parts: &Parts, fields: &[(usize, Vec<u8>)]| {
        let tile = parts.tile(&parts.index(), fields);
        all.push(Tricky {
            name,
            is_sound,
            note,
            tile,
        });
    };

    let far = Bucket {
        escapes: &[(30, 0)],
        lengths: &[1, 1],
        ..NO_BITS
    };
    let mut levels = one_chunk(
        i32::MAX as u32,
        &far,
        chunk(1, 2, &[1, 0b0100_0000, 0, 0, 0, 0]),
    );
    let escape = (1u32 << 30) - 2;
    levels.chunks[0].blocks[0][2..].copy_from_slice(&escape.to_le_bytes());
    levels.model = model(i32::MAX as u32, &[2, 0, 1], &far, 1);
    let note = "levels of 3 of 2^31-1 genes: maps of all genes took 8 GB a cluster";
    add("levels_of_few_genes", true, note, &levels, &[]);

    let mut many_buckets = Parts {
        n_genes: 5,
        model: model(5, &[], &NO_BITS, 256),
        chunks: vec![chunk(1 << 20, 0, &[])],
    };
    many_buckets.chunks[0].counts.resize(200, 0);
    many_buckets.chunks[0].blocks.resize(256, Vec::new());
    let note = "2^20 cells in 256 buckets, without bits for their counts: took 1 GB";
    add("cells_without_bits", false, note, &many_buckets, &[]);

    let mut many_cells = no_bits(1 << 20, 0);
    many_cells.chunks.resize(17, many_cells.chunks[0].clone());
    let note = "17 chunks of 2^20 empty cells: with enough chunks, starts took 32 GB";
    add("many_cells", false, note, &many_cells, &[]);

    let note = "2^18 nonzeros in no bits at all";
    add("nonzeros_without_bits", true, note, &no_bits(512, 512), &[]);
    let note = "a cell with more nonzeros than there are genes";
    add(
        "more_nonzeros_than_genes",
        false,
        note,
        &no_bits(2, 513),
        &[],
    );

    let escapes = Bucket {
        regular: &[],
        escapes: &[(0, 0)],
        ..NO_BITS
    };
    let note = "the only symbol is an escape of no bits";
    let parts = one_chunk(64, &escapes, chunk(64, 64, &[]));
    add("escapes_without_bits", true, note, &parts, &[]);

    let large = Bucket {
        raw_bits: [0, 25],
        regular: &[(0, 254)],
        ..NO_BITS
    };
    let note = "a count of 254 * 2^25 + 1";
    let parts = one_chunk(5, &large, chunk(1, 1, &[0; 4]));
    add("count_too_large", false, note, &parts, &[]);

    let wide = Bucket {
        raw_bits: [8, 0],
        regular: &[(254, 0)],
        ..NO_BITS
    };
    let note = "gaps of more than 65,535 in all, in a bucket of 65,534 genes: sums of 16 bits";
    let parts = one_chunk(65_534, &wide, chunk(1, 40, &[0xff; 40]));
    add("gaps_past_16_bits", false, note, &parts, &[]);

    let empty = Bucket {
        lengths: &[0],
        ..NO_BITS
    };
    let note = "nonzeros whose table has no code";
    let parts = one_chunk(5, &empty, chunk(1, 1, &[]));
    add("table_without_codes", false, note, &parts, &[]);

    let note = "every stream is as long as the block, the last ends beyond it";
    let parts = with_stream_lengths(long_runs.clone(), |lengths, len| lengths.fill(len));
    add("streams_beyond_the_block", false, note, &parts, &[]);
    let note = "the first stream has a byte of the second";
    let parts = with_stream_lengths(long_runs.clone(), |lengths, _| {
        lengths[0] += 1;
        lengths[1] -= 1;
    });
    add("streams_cut_elsewhere", false, note, &parts, &[]);
    let note = "streams of no bytes";
    let parts = with_stream_lengths(long_runs.clone(), |lengths, _| lengths.fill(0));
    add("streams_without_bytes", false, note, &parts, &[]);

    let field = ((32u32 << 20) + 1).to_le_bytes().to_vec();
    let note = "the model is said to have a byte more than is allowed";
    add(
        "model_too_long",
        false,
        note,
        &no_bits(1, 1),
        &[(36, field)],
    );
    let mut zeros = no_bits(1, 1);
    zeros.model = vec![0; 32 << 20];
    let note = "the model is 32 MiB of zeros, in about a kilobyte";
    add("model_of_zeros", false, note, &zeros, &[]);
    all
}
