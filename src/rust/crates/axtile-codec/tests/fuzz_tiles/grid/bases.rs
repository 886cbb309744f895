//! Small sound tiles of every kind, the same in every run.

use axtile_codec::CellRows;
use axtile_codec::grid::{Options, Plan};

use crate::random::Random;
use crate::rows::{made_up, rows_of};

fn encode(rows: &CellRows, n_genes: u32, options: &Options) -> Vec<u8> {
    let plan = Plan::new(rows, n_genes, options).unwrap();
    let chunks: Vec<_> = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(rows, chunk).unwrap())
        .collect();
    plan.assemble(&chunks)
}

/// Every tile with its name.
pub fn bases() -> Vec<(&'static str, Vec<u8>)> {
    let options = |chunk_nonzeros, n_buckets, n_classes, n_clusters| Options {
        chunk_nonzeros,
        n_buckets: Some(n_buckets),
        n_classes: Some(n_classes),
        n_clusters,
        ..Options::default()
    };
    let all = Options::default();
    let dense = (0..80).map(|gene| (gene, 1 + gene % 7)).collect::<Vec<_>>();
    let ones = (0..150).map(|gene| (gene, 1)).collect::<Vec<_>>();
    let sizes: Vec<(u32, u32)> = (0..300u32)
        .map(|gene| (gene, (1 + gene.pow(3) * 80).min(i32::MAX as u32)))
        .chain([(300, i32::MAX as u32)])
        .collect();
    let bytes = (0..400)
        .map(|gene| (gene, 1 + gene % 300))
        .collect::<Vec<_>>();
    let mut random = Random::new(4);
    let wide = rows_of((0..20).map(|_| {
        let mut gene = 0;
        (0..40)
            .map(|_| {
                gene += 1 + random.below(40_000) as u32;
                (gene, 1 + random.below(3) as u32)
            })
            .collect()
    }));
    vec![
        ("sparse", encode(&made_up(40, 2_000, 30.0, 1), 2_000, &all)),
        (
            "classes",
            encode(&made_up(50, 600, 60.0, 2), 600, &options(900, 6, 5, 1)),
        ),
        (
            "dense",
            encode(&rows_of(vec![dense; 20]), 80, &options(700, 3, 2, 1)),
        ),
        ("constant", encode(&rows_of(vec![ones; 20]), 150, &all)),
        (
            "all sizes of counts",
            encode(&rows_of(vec![sizes; 4]), 301, &options(700, 3, 2, 1)),
        ),
        (
            "counts of a byte",
            encode(&rows_of(vec![bytes; 6]), 400, &options(900, 2, 2, 1)),
        ),
        ("wide", encode(&wide, 2_000_000, &options(300, 3, 2, 1))),
        (
            "one cell",
            encode(&made_up(1, 1_200, 400.0, 5), 1_200, &all),
        ),
        (
            "many chunks",
            encode(&made_up(40, 300, 20.0, 6), 300, &options(20, 4, 2, 1)),
        ),
        (
            "clusters",
            encode(&made_up(60, 500, 40.0, 7), 500, &options(900, 4, 3, 3)),
        ),
        (
            "one bucket",
            encode(&made_up(30, 300, 40.0, 8), 300, &options(600, 1, 1, 1)),
        ),
        (
            "long runs",
            encode(&made_up(40, 900, 120.0, 9), 900, &options(3_000, 2, 1, 1)),
        ),
        ("empty cells", encode(&rows_of(vec![vec![]; 100]), 7, &all)),
        ("no cells", encode(&rows_of([]), 5, &all)),
    ]
}
