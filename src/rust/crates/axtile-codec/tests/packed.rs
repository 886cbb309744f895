//! Tiles of small and sparse matrices: what is written is read, damage is found,
//! and none is larger than in the deltacells format.

mod common;

use std::collections::BTreeMap;

use axtile_codec::packed::{Decoder, Options, Plan, Tile};
use axtile_codec::{CellRows, GeneMap, TileResult};
use common::{made_up, renumbered, rows_of};
use proptest::prelude::*;

fn encode(rows: &CellRows, n_genes: u32, chunk_nonzeros: usize) -> Vec<u8> {
    let plan = Plan::new(rows, n_genes, &Options { chunk_nonzeros }).unwrap();
    let chunks: Vec<_> = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(rows, chunk).unwrap())
        .collect();
    plan.assemble(&chunks)
}

/// Decodes by all ways and compares them.
fn decode(bytes: &[u8], order: Option<&GeneMap>) -> TileResult<CellRows> {
    let tile = Tile::parse(bytes)?;
    let mut rows = CellRows {
        starts: tile.starts()?,
        ..CellRows::default()
    };
    let mut decoder = Decoder::new();
    for (idx, chunk) in tile.chunks().iter().enumerate() {
        let n = chunk.nonzeros.len();
        let (mut genes, mut counts) = (vec![-1; n], vec![-1.0f64; n]);
        decoder.chunk_into(&tile, idx, order, &mut genes, &mut counts)?;
        decoder.each_cell(&tile, idx, order, |range, cell_genes, cell_counts| {
            assert_eq!(&genes[range.clone()], cell_genes);
            let wide: Vec<f64> = cell_counts.iter().map(|&count| count.into()).collect();
            assert_eq!(counts[range], wide);
        })?;
        rows.genes.extend(genes.iter().map(|&gene| gene as u32));
        rows.counts.extend(counts.iter().map(|&count| count as u32));
    }
    Ok(rows)
}

#[track_caller]
fn assert_same(rows: &CellRows, n_genes: u32, chunk_nonzeros: usize) {
    let bytes = encode(rows, n_genes, chunk_nonzeros);
    assert_eq!(&decode(&bytes, None).unwrap(), rows);
    let number = |gene: u32| n_genes - 1 - gene;
    let order = GeneMap::new((0..n_genes).map(number));
    assert_eq!(
        decode(&bytes, Some(&order)).unwrap(),
        renumbered(rows, number)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read(
        cells in prop::collection::vec(
            prop::collection::btree_map(
                prop_oneof![0u32..200, 0u32..40_000],
                prop_oneof![8 => 1u32..4, 2 => 1u32..2_000, 1 => 1u32..=i32::MAX as u32],
                0..120,
            ),
            0..12,
        ),
        chunk_nonzeros in 1usize..500,
    ) {
        let cells: Vec<Vec<(u32, u32)>> =
            cells.into_iter().map(|c: BTreeMap<u32, u32>| c.into_iter().collect()).collect();
        assert_same(&rows_of(&cells), 40_000, chunk_nonzeros);
    }
}

#[test]
fn extremes() {
    assert_same(&rows_of(&[]), 5, 100);
    assert_same(&rows_of(&[vec![]]), 1, 100);
    assert_same(&rows_of(&vec![vec![]; 1_000]), 7, 100);
    assert_same(&rows_of(&[vec![(0, 1)]]), 1, 100);
    assert_same(&rows_of(&[vec![(4, i32::MAX as u32)]]), 5, 100);
    let dense: Vec<(u32, u32)> = (0..300).map(|gene| (gene, 1)).collect();
    assert_same(&rows_of(&vec![dense; 50]), 300, 1_000);
    let wide = vec![(3, 7), (70_000, 1), (999_999, 300)];
    assert_same(&rows_of(&vec![wide; 20]), 1_000_000, 1_000);
    // The last gene there can be.
    let last = i32::MAX as u32 - 1;
    let rows = rows_of(&[vec![(0, 1), (last, 2)], vec![(last, 5)]]);
    let bytes = encode(&rows, i32::MAX as u32, 100);
    assert_eq!(decode(&bytes, None).unwrap(), rows);
    // Enough for several streams, and for several parts of one.
    assert_same(&made_up(2_000, 900, 60.0, 5), 900, 1_000_000);
    let ones = vec![(0..2_100).map(|gene| (gene, 1 + gene % 3)).collect(); 600];
    assert_same(&rows_of(&ones), 2_100, 2_000_000);
}

#[test]
fn rows_that_no_tile_holds_are_refused() {
    let refused = |rows: &CellRows, n_genes| Plan::new(rows, n_genes, &Options::default()).is_err();
    assert!(refused(&rows_of(&[vec![(0, 0)]]), 5));
    assert!(refused(&rows_of(&[vec![(0, 1 << 31)]]), 5));
    assert!(refused(&rows_of(&[vec![(5, 1)]]), 5));
    assert!(refused(&rows_of(&[vec![(2, 1), (2, 1)]]), 5));
    assert!(refused(&rows_of(&[vec![(2, 1), (1, 1)]]), 5));
    assert!(refused(&rows_of(&[]), 0));
    assert!(refused(&rows_of(&[]), 1 << 31));
    let cut_short = CellRows {
        starts: vec![0, 2],
        genes: vec![0],
        counts: vec![1],
    };
    assert!(refused(&cut_short, 5));
}

#[test]
fn every_changed_byte_and_every_missing_end_is_found() {
    let bytes = encode(&made_up(24, 200, 25.0, 7), 200, 250);
    common::assert_damage_is_found(&bytes, |bytes| decode(bytes, None).is_err());
}

/// Whoever makes a hostile tile can make its checksums right, too.
#[test]
fn damage_behind_right_checksums_never_panics() {
    let rows = made_up(60, 500, 40.0, 7);
    let bytes = encode(&rows, 500, 1_000);
    let n_read = common::damage_behind_checksums(&bytes, 2, 3_000, |bytes| {
        let Ok(read) = decode(bytes, None) else {
            return false;
        };
        let n_genes = Tile::parse(bytes).unwrap().n_genes();
        assert!(read.genes.iter().all(|&gene| gene < n_genes));
        assert!(read.counts.iter().all(|&count| count > 0));
        true
    });
    // Some damage changes numbers only.
    assert!(n_read > 0 && n_read < 3_000);
}

#[test]
fn no_tile_is_larger_than_in_the_deltacells_format() {
    let same: Vec<(u32, u32)> = (0..400)
        .map(|i| (i * 83 + i * i % 60, 1 + i * i % 11))
        .collect();
    for (rows, share) in [
        (made_up(1, 20_000, 900.0, 1), 1.0),
        (made_up(10, 20_000, 900.0, 2), 1.0),
        (made_up(3_000, 36_000, 4.0, 3), 0.85),
        (made_up(3_000, 100, 50.0, 4), 1.0),
        (rows_of(&vec![same; 200]), 1.0),
        (rows_of(&[vec![(3, 1)]]), 1.0),
        (rows_of(&[]), 1.0),
    ] {
        let theirs = common::write_deltacells(&rows, 36_000).len();
        let ours = encode(&rows, 36_000, 1_000_000).len();
        assert!(ours as f64 <= share * theirs as f64, "{ours}, {theirs}");
    }
}

/// A tile that the first writer of version 1 wrote, and the same counts as a
/// deltacells tile. It is read for ever.
const GOLDEN: &str = "tests/golden/v1_packed";

#[test]
fn the_golden_tile_is_read() {
    let bytes = std::fs::read(format!("{GOLDEN}.axt")).unwrap();
    let rows = common::read_deltacells(&std::fs::read(format!("{GOLDEN}.dct")).unwrap());
    assert_eq!(decode(&bytes, None).unwrap(), rows);
}

#[test]
#[ignore = "writes the golden tile of a new version"]
fn write_the_golden_tile() {
    let rows = made_up(250, 400, 30.0, 11);
    std::fs::write(format!("{GOLDEN}.axt"), encode(&rows, 400, 4_000)).unwrap();
    std::fs::write(
        format!("{GOLDEN}.dct"),
        common::write_deltacells(&rows, 400),
    )
    .unwrap();
}
