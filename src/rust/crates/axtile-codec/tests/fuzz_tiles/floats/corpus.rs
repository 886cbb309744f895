//! Tiles made by hand, each at one limit of the format, and what reading them
//! must give.

use super::section::{Section, Stream};
use crate::corpus::Tricky;
use crate::envelope::{Chunk, Envelope};
use crate::packed;
use crate::rows::rows_of;
use crate::streams::{constant, planes};

/// Cells with these ranks, genes 0 and 1 in each; one section.
fn tile_of(ranks: [[u32; 2]; 2], detail: u8, section: &Section) -> Envelope {
    let cells = ranks.map(|[a, b]| vec![(0, a), (1, b)]);
    Envelope {
        mode: 3,
        detail,
        n_genes: 2,
        inner: packed::encode(&rows_of(cells), 2, 100),
        chunks: vec![Chunk {
            n_cells: 2,
            nnz: 4,
            sections: vec![section.write()],
        }],
    }
}

fn section(transform: u8, n_singles: u64, streams: &[Vec<u8>]) -> Section {
    Section {
        transform,
        n_singles,
        streams: streams.iter().cloned().map(Stream::new).collect(),
    }
}

fn all_of(numbers: &[u64]) -> Vec<u8> {
    planes(numbers, 8, |_| ())
}

fn sizes(numbers: [u64; 2]) -> Vec<u8> {
    planes(&numbers, 4, |_| ())
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
    let bits = [0.5f64, 1.5, -0.0, f64::NAN].map(f64::to_bits);
    let both = [[1, 2], [1, 1]];

    let mixed = section(
        0,
        2,
        &[sizes([2, 0]), all_of(&bits[..2]), all_of(&bits[2..])],
    );
    let note = "a cell with a dictionary of -0 and NaN, one without";
    add("both_kinds_of_cells", true, note, &tile_of(both, 8, &mixed));
    let note = "a rank of 3 in a dictionary of 2";
    add(
        "rank_too_large",
        false,
        note,
        &tile_of([[1, 3], [1, 1]], 8, &mixed),
    );
    let note = "a rank of 2^31 - 1 in a dictionary of 2";
    let ranks = [[1, i32::MAX as u32], [1, 1]];
    add(
        "rank_far_too_large",
        false,
        note,
        &tile_of(ranks, 8, &mixed),
    );
    let note = "a rank of 2 in a cell without a dictionary";
    let ranks = [[1, 2], [1, 2]];
    add(
        "rank_without_dictionary",
        false,
        note,
        &tile_of(ranks, 8, &mixed),
    );
    let note = "values of 5 bytes";
    add("width_of_5", false, note, &tile_of(both, 5, &mixed));
    let note = "values of 8 bytes that are said to have 4";
    add("width_too_small", false, note, &tile_of(both, 4, &mixed));

    let unused = section(0, 0, &[sizes([2, 2]), Vec::new(), all_of(&bits)]);
    let note = "dictionaries of 2, of which one cell has the first only";
    add("values_unused", true, note, &tile_of(both, 8, &unused));
    let few = section(
        0,
        1,
        &[sizes([2, 0]), constant(bits[0], 8), all_of(&bits[2..])],
    );
    let note = "one value for two nonzeros of a cell without a dictionary";
    add("singles_too_few", false, note, &tile_of(both, 8, &few));
    let singles = [bits[0], bits[1], bits[1]];
    let many = section(
        0,
        3,
        &[sizes([1, 0]), all_of(&singles), constant(bits[2], 8)],
    );
    let note = "three values for two nonzeros of a cell without a dictionary";
    add(
        "singles_too_many",
        false,
        note,
        &tile_of([[1, 1]; 2], 8, &many),
    );
    let huge = section(
        0,
        0,
        &[sizes([u32::MAX.into(); 2]), Vec::new(), constant(0, 8)],
    );
    let note = "dictionaries of 2^32 - 1 values each, all alike: would take 64 GB";
    add(
        "dictionaries_too_large",
        false,
        note,
        &tile_of(both, 8, &huge),
    );

    let predicted = |transform, scale: f64, steps: u64, correction: u64| {
        let streams = [
            sizes([2, 2]),
            Vec::new(),
            constant(scale.to_bits(), 8),
            constant(steps, 4),
            constant(correction, 8),
        ];
        tile_of([[1, 2]; 2], 8, &section(transform, 0, &streams))
    };
    let note = "multiples of NaN by the largest steps, with the largest corrections";
    let largest = predicted(2, f64::NAN, u32::MAX.into(), u64::MAX);
    add("prediction_of_nan", true, note, &largest);
    let note = "log10 of multiples of the largest number";
    let infinite = predicted(4, f64::MAX, u32::MAX.into(), 1);
    add("prediction_of_infinity", true, note, &infinite);
    let note = "multiples of a negative number";
    add("prediction_below_0", true, note, &predicted(3, -3.0, 1, 0));
    let note = "a transform that there is not";
    add("transform_of_5", false, note, &predicted(5, 1.0, 1, 0));

    let mut other = tile_of(both, 8, &mixed);
    other.chunks[0].n_cells = 3;
    let note = "three cells, of which the inner tile has two";
    add("cells_of_another_tile", false, note, &other);
    let mut nested = tile_of(both, 8, &mixed);
    nested.inner = nested.tile(None);
    let note = "the inner tile is one of floats";
    add("tile_in_a_tile", false, note, &nested);
    let mut nothing = tile_of(both, 8, &mixed);
    nothing.inner.truncate(40);
    let note = "the inner tile ends in its header";
    add("inner_tile_too_short", false, note, &nothing);
    all
}
