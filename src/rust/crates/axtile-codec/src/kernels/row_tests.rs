//! Rows of cells by every way, against an ordinary sort.

use proptest::prelude::*;

use super::row::Row;
use super::{RowSorter, Simd};

/// Sorts cells of one map, one after the other.
fn check(map: &[u32], cells: &[Vec<(usize, i32)>]) {
    for simd in Simd::all() {
        let mut sorter = RowSorter::new(simd);
        let mut row = Row::default();
        for cell in cells {
            let positions: Vec<i32> = cell.iter().map(|nonzero| nonzero.0 as i32).collect();
            let values: Vec<i32> = cell.iter().map(|nonzero| nonzero.1).collect();
            let mut expected: Vec<(i32, i32)> = cell
                .iter()
                .map(|&(position, value)| (map[position] as i32, value))
                .collect();
            expected.sort_unstable();
            // Of exactly the cell's length, for sanitizers.
            let (mut genes, mut counts) = (vec![-1; cell.len()], vec![-1.0; cell.len()]);
            sorter.sort(map, &positions, &values, &mut genes, &mut counts);
            let mut whole = vec![-1; cell.len()];
            let mut again = genes.clone();
            sorter.sort(map, &positions, &values, &mut again, &mut whole);
            let (mut row_genes, mut row_counts) = (vec![-1; cell.len()], vec![-1; cell.len()]);
            row.sort(
                simd,
                map,
                &positions,
                &values,
                &mut row_genes,
                &mut row_counts,
            );
            assert_eq!((&row_genes, &row_counts), (&again, &whole), "{simd:?}");
            for (i, &(gene, count)) in expected.iter().enumerate() {
                assert_eq!((genes[i], counts[i]), (gene, f64::from(count)), "{simd:?}");
                assert_eq!((again[i], whole[i]), (gene, count), "{simd:?}");
            }
        }
    }
}

/// A permutation.
fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut map: Vec<u32> = (0..n as u32).collect();
    let mut state = seed;
    for last in (1..n).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        map.swap(last, (state >> 33) as usize % (last + 1));
    }
    map
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_way_sorts_alike(
        n_genes in prop_oneof![5 => 1usize..300, 3 => 1usize..3_000, 1 => 65_500usize..66_000],
        seed in any::<u64>(),
        cells in prop::collection::vec(
            (
                prop_oneof![Just(1.0), 0.0..1.0, 0.0..0.1],
                prop_oneof![3 => Just(3), 1 => Just(300), 1 => Just(i32::MAX)],
                any::<u64>(),
            ),
            1..5,
        ),
    ) {
        let map = shuffled(n_genes, seed);
        let cells: Vec<_> = cells
            .into_iter()
            .map(|(share, most, seed)| {
                let mut state = seed;
                let mut random = move || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) as u32
                };
                (0..n_genes)
                    .filter_map(|position| {
                        let is_there = f64::from(random()) < share * (1u64 << 31) as f64;
                        let value = 1 + (random() % most as u32) as i32;
                        is_there.then_some((position, value))
                    })
                    .collect()
            })
            .collect();
        check(&map, &cells);
    }
}

#[test]
fn counts_around_a_byte_and_genes_around_a_block() {
    let n = 2 * 65_536 + 70;
    let map: Vec<u32> = (0..n as u32).rev().collect();
    let near = [65_534, 65_535, 65_536, 65_537, n - 1];
    let cell = |first: i32| -> Vec<(usize, i32)> {
        let places = (0..n).filter(|place| place % 50 == 0 || near.contains(place));
        places.zip((first..).take(600).cycle()).collect()
    };
    check(
        &map,
        &[cell(1), cell(200), cell(254), cell(65_000), cell(1)],
    );
}

/// What a caller must not do gives wrong numbers or a panic, no more, and the
/// next cell is right.
#[test]
fn broken_promises_do_no_harm() {
    let map: Vec<u32> = (0..1_000).map(|gene| gene / 2).collect();
    let positions: Vec<i32> = (0..1_000).collect();
    let good: Vec<(usize, i32)> = (0..500).map(|gene| (gene, 1 + gene as i32)).collect();
    for simd in Simd::all() {
        let mut sorter = RowSorter::new(simd);
        for values in [
            vec![0; 1_000],
            vec![7; 1_000],
            (0..1_000).collect::<Vec<i32>>(),
        ] {
            let (mut genes, mut counts) = (vec![0; 1_000], vec![0; 1_000]);
            sorter.sort(&map, &positions, &values, &mut genes, &mut counts);
        }
        for beyond in [1_000, -1, i32::MAX, i32::MIN] {
            let mut positions = positions.clone();
            positions[900] = beyond;
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let (mut genes, mut counts) = (vec![0; 1_000], vec![0.0; 1_000]);
                sorter.sort(&map, &positions, &vec![300; 1_000], &mut genes, &mut counts);
            }));
            assert!(caught.is_err());
        }
        let map: Vec<u32> = (0..1_000).collect();
        let (mut genes, mut counts) = (vec![0; 500], vec![0; 500]);
        let (positions, values): (Vec<i32>, Vec<i32>) = good
            .iter()
            .map(|&(gene, value)| (gene as i32, value))
            .unzip();
        sorter.sort(&map, &positions, &values, &mut genes, &mut counts);
        assert_eq!((genes, counts), (positions, values), "{simd:?}");
    }
}
