//! Tiles made by hand, each at one limit of the format, and what reading them
//! must give.

use pco::{ChunkConfig, DeltaSpec, ModeSpec};

use super::dealt::{Dealt, Stream, write};
use crate::corpus::Tricky;
use crate::envelope::{Chunk, Envelope};
use crate::streams::{Kind, constant, pco, planes};

fn dealt(n: u64, bytes: Vec<u8>) -> Dealt {
    Dealt {
        n_streams: 1,
        first_classes: Vec::new(),
        streams: vec![Stream {
            n,
            len: bytes.len() as u64,
            bytes,
        }],
    }
}

/// A chunk of `n_cells` cells with `nnz` nonzeros in all.
fn chunk(n_cells: u64, nnz: u64, totals: Vec<u8>, gaps: Vec<u8>, counts: Vec<u8>) -> Chunk {
    let nonzeros = write(&[dealt(nnz, gaps), dealt(nnz, counts)]);
    Chunk {
        n_cells,
        nnz,
        sections: vec![totals, nonzeros],
    }
}

fn of_chunks(n_genes: u32, chunks: Vec<Chunk>) -> Envelope {
    Envelope {
        mode: 2,
        detail: 0,
        n_genes,
        inner: Vec::new(),
        chunks,
    }
}

/// One cell; gaps are 0, counts in that stream.
fn with_counts(n: u64, counts: Vec<u8>) -> Envelope {
    let chunk = chunk(1, n, constant(n, 4), constant(0, 4), counts);
    of_chunks(1 << 20, vec![chunk])
}

/// A stream in which pco says that it has a dictionary of 2^25-1 numbers.
fn endless_dictionary() -> Vec<u8> {
    let config = ChunkConfig::default()
        .with_delta_spec(DeltaSpec::NoOp)
        .with_mode_spec(ModeSpec::TryDict);
    let numbers: Vec<u64> = (1..=300).collect();
    let mut stream = pco(&numbers, Kind::U32, &config).unwrap();
    // The coding, pco's version (two bytes), four bits of the mode; then the size.
    stream[3] |= 0xf0;
    stream[4..6].fill(0xff);
    stream[6] |= 0x1f;
    stream
}

/// A stream in which pco says that it looks back 2^24 numbers.
fn endless_window() -> Vec<u8> {
    let config = ChunkConfig::default()
        .with_delta_spec(DeltaSpec::TryLookback)
        .with_mode_spec(ModeSpec::Classic);
    let numbers: Vec<u64> = (0..300).map(|i| 1 + i * i % 97).collect();
    let mut stream = pco(&numbers, Kind::U32, &config).unwrap();
    // Behind four bits of the mode and four of the delta: five of the window.
    stream[4] = stream[4] & !0x1f | 23;
    stream
}

/// All of them.
pub fn corpus() -> Vec<Tricky> {
    let mut all = Vec::new();
    let mut add = |name, is_sound, note, parts: &Envelope| {
        let tile = parts.tile(None);
        all.push(Tricky {
            name,
            is_sound,
            note,
            tile,
        });
    };
    let constants = |n_cells: u64, total: u64| {
        let totals = constant(total, 4);
        let numbers = |number| match n_cells * total {
            0 => Vec::new(),
            _ => constant(number, 4),
        };
        chunk(n_cells, n_cells * total, totals, numbers(0), numbers(1))
    };

    let note = "17 chunks of 2^20 empty cells: with enough chunks, starts took 32 GB";
    let empty = vec![constants(1 << 20, 0); 17];
    add("many_cells", false, note, &of_chunks(5, empty));
    let note = "2^20 empty cells";
    let empty = vec![constants(1 << 20, 0)];
    add("cells_without_bits", true, note, &of_chunks(5, empty));
    let note = "2^18 nonzeros in three numbers";
    let dense = vec![constants(512, 512)];
    add("nonzeros_without_bits", true, note, &of_chunks(512, dense));
    let note = "a cell with more nonzeros than there are genes";
    let dense = vec![constants(2, 513)];
    add(
        "more_nonzeros_than_genes",
        false,
        note,
        &of_chunks(512, dense),
    );

    let gap = |gap| {
        let chunk = chunk(1, 2, constant(2, 4), constant(gap, 4), constant(1, 4));
        of_chunks(i32::MAX as u32, vec![chunk])
    };
    let note = "genes 2^30 - 2 and 2^31 - 3 of 2^31 - 1";
    add("last_genes", true, note, &gap((1 << 30) - 2));
    let note = "the second gene is 2^32 - 1";
    add("gene_past_31_bits", false, note, &gap((1 << 31) - 1));
    let note = "the second gene is beyond 32 bits";
    add("gene_past_32_bits", false, note, &gap(u32::MAX.into()));

    let note = "a count of 0";
    add("count_of_0", false, note, &with_counts(3, constant(0, 4)));
    let note = "a count of 2^31";
    let counts = with_counts(3, constant(1 << 31, 4));
    add("count_too_large", false, note, &counts);
    let note = "a constant of 8 bytes";
    let counts = with_counts(3, constant(1, 8));
    add("constant_too_wide", false, note, &counts);
    let numbers: Vec<u64> = (1..=300).collect();
    let note = "numbers of 5 byte planes";
    let counts = with_counts(300, planes(&numbers, 5, |_| ()));
    add("planes_too_many", false, note, &counts);
    let note = "no byte planes";
    let counts = with_counts(300, planes(&numbers, 0, |_| ()));
    add("planes_too_few", false, note, &counts);
    let note = "byte planes of a number too few";
    let counts = with_counts(300, planes(&numbers[1..], 2, |_| ()));
    add("planes_too_short", false, note, &counts);

    let note = "pco's dictionary of 2^25 - 1 numbers, of which there are 300: took 128 MB";
    let counts = with_counts(300, endless_dictionary());
    add("endless_dictionary", false, note, &counts);
    let note = "pco looks back 2^24 numbers, of which there are 300: took 128 MB";
    let counts = with_counts(300, endless_window());
    add("endless_window", false, note, &counts);

    let mut classes = with_counts(3, constant(1, 4));
    let mut both = [dealt(3, constant(0, 4)), dealt(3, constant(1, 4))];
    both[0].n_streams = 129;
    both[0].first_classes = (0..128).collect();
    both[0].streams = vec![
        Stream {
            n: 0,
            len: 0,
            bytes: Vec::new()
        };
        129
    ];
    classes.chunks[0].sections[1] = write(&both);
    let note = "gaps of 129 streams";
    add("streams_too_many", false, note, &classes);
    both[0] = dealt(3, constant(0, 4));
    both[0].n_streams = 2;
    both[0].first_classes = vec![200];
    both[0].streams.push(Stream {
        n: 0,
        len: 0,
        bytes: Vec::new(),
    });
    classes.chunks[0].sections[1] = write(&both);
    let note = "a stream without numbers, of the classes from 200 on";
    add("class_past_the_last", true, note, &classes);
    both[0].first_classes = vec![0];
    both[0].streams.swap(0, 1);
    classes.chunks[0].sections[1] = write(&both);
    let note = "all numbers in the second stream, of the classes from 0 on";
    add("class_0_second", true, note, &classes);
    both[0].streams.swap(0, 1);
    classes.chunks[0].sections[1] = write(&both);
    let note = "all numbers in the first stream, which has no class";
    add("stream_without_class", false, note, &classes);
    all
}
