//! Small sound tiles of every kind, the same in every run.

use axtile_codec::CellRows;
use axtile_codec::packed::{Options, Plan};

use crate::random::Random;
use crate::rows::{made_up, rows_of};

pub fn encode(rows: &CellRows, n_genes: u32, chunk_nonzeros: usize) -> Vec<u8> {
    let plan = Plan::new(rows, n_genes, &Options { chunk_nonzeros }).unwrap();
    let chunks: Vec<_> = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(rows, chunk).unwrap())
        .collect();
    plan.assemble(&chunks)
}

/// Every tile with its name.
pub fn bases() -> Vec<(&'static str, Vec<u8>)> {
    let one = |gene: u32, count: u32| vec![(gene, count)];
    let dense: Vec<(u32, u32)> = (0..200).map(|gene| (gene, 1 + gene % 7)).collect();
    let sizes: Vec<(u32, u32)> = (0..90u32)
        .map(|gene| (gene * 3, (1 + gene.pow(4) * 30).min(i32::MAX as u32)))
        .collect();
    let mut random = Random::new(4);
    let wide = rows_of((0..12).map(|_| {
        let mut gene = 0;
        (0..30)
            .map(|_| {
                gene += 1 + random.below(60_000_000) as u32;
                (gene, 1 + random.below(3) as u32)
            })
            .collect()
    }));
    let last = i32::MAX as u32 - 1;
    vec![
        ("sparse", encode(&made_up(60, 800, 4.0, 1), 800, 1 << 20)),
        ("chunks", encode(&made_up(40, 300, 20.0, 2), 300, 90)),
        (
            "many streams",
            encode(&made_up(70, 400, 60.0, 3), 400, 1 << 20),
        ),
        ("dense", encode(&rows_of(vec![dense; 8]), 200, 700)),
        (
            "all sizes of counts",
            encode(&rows_of(vec![sizes; 3]), 301, 1 << 20),
        ),
        ("wide", encode(&wide, i32::MAX as u32, 100)),
        (
            "last gene",
            encode(
                &rows_of([one(last, 5), one(0, i32::MAX as u32)]),
                i32::MAX as u32,
                9,
            ),
        ),
        ("one cell", encode(&made_up(1, 900, 300.0, 5), 900, 1 << 20)),
        ("one nonzero", encode(&rows_of([one(3, 1)]), 5, 9)),
        ("empty cells", encode(&rows_of(vec![vec![]; 100]), 7, 9)),
        ("no cells", encode(&rows_of([]), 5, 9)),
    ]
}
