//! Some genes, and sums over genes and cells; the oracle is the list of counts
//! itself.

mod common;

use std::path::Path;

use axtile_core::{ErrorKind, Unwatched};
use axtile_tiles::{
    AppendOptions, CountSums, Dataset, DatasetFormat, GeneOrder, Selection, WriteOptions,
    append_dataset, write_dataset,
};
use common::memory::*;
use proptest::prelude::*;

/// A dataset of two runs of cells, so that tiles differ in size, and two layers.
fn dataset(
    path: &Path,
    runs: [&[Cell]; 2],
    n_genes: usize,
    options: &WriteOptions,
) -> [Vec<Cell>; 2] {
    let mut layers = [Vec::new(), Vec::new()];
    for cells in runs {
        let mut source = Source::new(n_genes, cells.to_vec());
        source.first = layers[0].len() as u64;
        // Counts on both sides of what takes 16 bits.
        let turned = |cell: &Cell| {
            cell.iter()
                .map(|(&g, &c)| (n_genes as u32 - 1 - g, c + 65_000))
                .collect()
        };
        source
            .layers
            .push(("turned".into(), cells.iter().map(turned).collect()));
        if layers[0].is_empty() {
            write_dataset(path, &mut source, options, &Unwatched).unwrap();
        } else {
            let options = AppendOptions {
                obs_tiles_per_file: 2,
                n_threads: 1,
            };
            append_dataset(path, &mut source, &options, &Unwatched).unwrap();
        }
        for (layer, (_, cells)) in layers.iter_mut().zip(&source.layers) {
            layer.extend(cells.iter().cloned());
        }
    }
    layers
}

fn read(dataset: &Dataset, layer: usize, genes: &[u32], n_threads: usize) -> Vec<Cell> {
    let read = dataset
        .read_genes(layer, genes, n_threads, &Unwatched)
        .unwrap();
    assert_eq!(read.n_genes(), genes.len());
    let (mut rows, mut counts) = (vec![0; read.nnz()], vec![0i32; read.nnz()]);
    read.write_into(&mut rows, &mut counts).unwrap();
    cells_of(read.starts(), &rows, &counts)
}

/// The rows that `genes` are in one cell.
fn rows(cell: &Cell, genes: &[u32]) -> Cell {
    (0..)
        .zip(genes)
        .filter_map(|(row, gene)| Some((row, *cell.get(gene)?)))
        .collect()
}

fn sums(counts: impl Iterator<Item = u32>) -> CountSums {
    counts.fold(CountSums::default(), |sums, count| CountSums {
        total: sums.total + u128::from(count),
        squares: sums.squares + u128::from(count).pow(2),
        detected: sums.detected + 1,
        max: sums.max.max(count),
    })
}

fn sums_of_genes(cells: &[&Cell], n_genes: u32) -> Vec<CountSums> {
    let of = |gene| sums(cells.iter().filter_map(|cell| cell.get(&gene).copied()));
    (0..n_genes).map(of).collect()
}

/// The tile's number of a gene, where genes are not numbered as in the source.
fn numbers(dataset: &Dataset) -> Vec<u32> {
    let names = dataset.gene_names().unwrap().unwrap();
    names
        .iter()
        .map(|name| name[1..].parse().unwrap())
        .collect()
}

fn any_cells() -> impl Strategy<Value = Vec<Cell>> {
    let count = prop_oneof![4 => 1u32..4, 1 => Just(65_535)];
    let cell = prop::collection::btree_map(0..60u32, count, 0..40);
    prop::collection::vec(cell, 1..30)
}

/// Reads and sums up all layers, and compares with their cells; genes are
/// numbered as in the source there. `some` are cells, modulo how many there are.
fn check(dataset: &Dataset, layers: &[Vec<Cell>], wanted: &[u32], some: &[u64], n_threads: usize) {
    let n_genes = dataset.manifest().n_genes as u32;
    // Everything in the dataset's numbers.
    let names = numbers(dataset);
    let mut number = vec![0; n_genes as usize];
    for (new, &old) in (0..).zip(&names) {
        number[old as usize] = new;
    }
    for (layer, cells) in layers.iter().enumerate() {
        let cells: Vec<Cell> = cells
            .iter()
            .map(|cell| {
                cell.iter()
                    .map(|(&g, &c)| (number[g as usize], c))
                    .collect()
            })
            .collect();
        let some: Vec<u64> = some.iter().map(|cell| cell % cells.len() as u64).collect();
        let picked: Vec<&Cell> = some.iter().map(|&cell| &cells[cell as usize]).collect();
        // Twice: from the file, and from what the first time left.
        for _ in 0..2 {
            let expected: Vec<Cell> = cells.iter().map(|cell| rows(cell, wanted)).collect();
            assert_eq!(read(dataset, layer, wanted, n_threads), expected);
            let expected: Vec<Cell> = picked.iter().map(|cell| rows(cell, wanted)).collect();
            let selection = Selection {
                layer,
                cells: &some,
                genes: Some(wanted),
            };
            assert_eq!(gather(dataset, selection, n_threads), expected);
        }

        let all: Vec<&Cell> = cells.iter().collect();
        let of_cells: Vec<CountSums> = cells.iter().map(|c| sums(c.values().copied())).collect();
        let (genes, by_cell) = dataset.stats(layer, n_threads, &Unwatched).unwrap();
        assert_eq!(&genes, &sums_of_genes(&all, n_genes));
        assert_eq!(&by_cell, &of_cells);
        assert_eq!(
            dataset
                .gene_stats(layer, None, n_threads, &Unwatched)
                .unwrap(),
            genes
        );
        assert_eq!(
            dataset
                .cell_stats(layer, None, n_threads, &Unwatched)
                .unwrap(),
            by_cell
        );
        let genes = dataset
            .gene_stats(layer, Some(&some), n_threads, &Unwatched)
            .unwrap();
        assert_eq!(genes, sums_of_genes(&picked, n_genes));
        let by_cell = dataset
            .cell_stats(layer, Some(wanted), n_threads, &Unwatched)
            .unwrap();
        let expected: Vec<CountSums> = cells
            .iter()
            .map(|cell| sums(wanted.iter().filter_map(|gene| cell.get(gene).copied())))
            .collect();
        assert_eq!(by_cell, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn genes_and_sums_are_those_of_the_matrix(
        format in prop_oneof![Just(DELTACELLS), Just(DatasetFormat::AXTILE)],
        sort_genes in any::<bool>(),
        stored in any::<bool>(),
        first in any_cells(),
        second in any_cells(),
        tile_size in 1u64..15,
        wanted in prop::collection::vec(0u32..60, 0..12),
        some in prop::collection::vec(0u64..1_000, 0..40),
        n_threads in 1usize..4,
        cache_bytes in prop_oneof![Just(0usize), Just(2_000), Just(1 << 20)],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.tiles");
        let options = WriteOptions { format, sort_genes, ..options(tile_size, n_threads) };
        // The format has one layer.
        let is_old = format == DELTACELLS;
        let layers = if is_old {
            let mut source = Source::new(60, first.clone());
            write_dataset(&path, &mut source, &options, &Unwatched).unwrap();
            vec![first]
        } else {
            dataset(&path, [&first, &second], 60, &options).to_vec()
        };
        let order = if stored { GeneOrder::Stored } else { GeneOrder::Source };
        let dataset = open(&path, order, cache_bytes);
        check(&dataset, &layers, &wanted, &some, n_threads);
    }
}

/// Cells of `n_genes` genes, most of them there.
fn dense_cells(n: u32, n_genes: u32) -> Vec<Cell> {
    let random = |number: u32| number.wrapping_mul(2_654_435_761) >> 24;
    let cell = |cell: u32| {
        (0..n_genes)
            .map(|gene| (gene, random(n_genes * cell + gene)))
            .filter(|&(gene, random)| random > gene % 200)
            .map(|(gene, random)| (gene, 1 + random / 64))
            .collect()
    };
    (0..n).map(cell).collect()
}

#[test]
fn genes_and_sums_of_tiles_that_are_grids() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let cells = dense_cells(1_150, 400);
    let runs = [&cells[..1_000], &cells[1_000..]];
    let layers = dataset(&path, runs, 400, &options(500, 2));
    // The tile of the second run has too few nonzeros for a grid.
    let mode = |tile: u32| {
        let file = path.join(format!("layers/0/tile_{tile:06}.axt"));
        std::fs::read(file).unwrap()[10]
    };
    assert_eq!((mode(0), mode(1)), (1, 1));
    assert_ne!(mode(2), 1);
    for order in [GeneOrder::Source, GeneOrder::Stored] {
        for cache_bytes in [0, 1 << 30] {
            let dataset = open(&path, order, cache_bytes);
            let some: Vec<u64> = (0..120).map(|i| i * 7919).collect();
            let all: Vec<u32> = (0..400).rev().collect();
            for wanted in [&[399][..], &[7, 7, 300, 12], &all] {
                check(&dataset, &layers, wanted, &some, 2);
            }
        }
    }
}

#[test]
fn large_sums_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let largest = i32::MAX as u32;
    let mut source = Source::new(2, vec![[(0, largest), (1, largest)].into(); 5]);
    write_dataset(&path, &mut source, &options(3, 1), &Unwatched).unwrap();
    let dataset = open(&path, GeneOrder::Source, 0);
    let (genes, cells) = dataset.stats(0, 2, &Unwatched).unwrap();
    let count = u128::from(largest);
    let expected = |n: u64| CountSums {
        total: count * u128::from(n),
        squares: count * count * u128::from(n),
        detected: n,
        max: largest,
    };
    assert_eq!(genes, [expected(5); 2]);
    assert_eq!(cells, [expected(2); 5]);
    assert_eq!(genes[0].variance(5), Some(0.0));
    assert_eq!(genes[0].variance(1), None);
    assert_eq!(genes[0].variance(0), None);
    // One cell without the gene.
    let mean = largest as f64 * 5.0 / 6.0;
    let squares = 5.0 * (largest as f64 - mean).powi(2) + mean * mean;
    let variance = genes[0].variance(6).unwrap();
    assert!((variance - squares / 5.0).abs() <= variance * 1e-14);
    let sums = CountSums {
        total: 10,
        squares: 1 << 126,
        ..CountSums::default()
    };
    assert_eq!(sums.variance(9), Some(2f64.powi(126) / 8.0));
}

#[test]
fn what_is_not_there_is_refused_and_interrupts_are_heard() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let mut source = Source::new(30, plain_cells(50));
    write_dataset(&path, &mut source, &options(7, 1), &Unwatched).unwrap();
    let dataset = open(&path, GeneOrder::Source, 0);
    let kinds = [
        dataset.read_genes(0, &[30], 1, &Unwatched).err(),
        dataset.cell_stats(0, Some(&[3, 30]), 1, &Unwatched).err(),
        dataset.gene_stats(0, Some(&[50]), 1, &Unwatched).err(),
        dataset.read_genes(1, &[0], 1, &Unwatched).err(),
        dataset.stats(1, 1, &Unwatched).err(),
    ];
    for error in kinds {
        assert_eq!(error.unwrap().kind(), ErrorKind::Range);
    }
    let stop = || StopAfter::new(4);
    let kinds = [
        dataset.read_genes(0, &[3], 2, &stop()).err(),
        dataset.cell_stats(0, Some(&[3]), 2, &stop()).err(),
        dataset
            .gene_stats(0, Some(&[1, 49, 20, 30]), 2, &stop())
            .err(),
        dataset.stats(0, 2, &stop()).err(),
    ];
    for error in kinds {
        assert_eq!(error.unwrap().kind(), ErrorKind::Interrupted);
    }
    assert_eq!(
        dataset.gene_stats(0, Some(&[]), 1, &Unwatched).unwrap(),
        [CountSums::default(); 30]
    );
}

#[test]
fn damage_is_met_only_where_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    // Enough nonzeros for a tile that is a grid.
    let count = |number: u32| 1 + (number.wrapping_mul(2_654_435_761) >> 30);
    let cell = |cell: u32| {
        (0..400)
            .map(|gene| (gene, count(400 * cell + gene)))
            .collect()
    };
    let cells: Vec<Cell> = (0..260).map(cell).collect();
    let mut source = Source::new(400, cells.clone());
    write_dataset(&path, &mut source, &options(260, 1), &Unwatched).unwrap();
    let expected: Vec<Cell> = cells.iter().map(|cell| rows(cell, &[399])).collect();
    let dataset = open(&path, GeneOrder::Source, 1 << 30);
    let tile = std::fs::read_dir(path.join("layers/0"))
        .unwrap()
        .next()
        .unwrap();
    let tile = tile.unwrap().path();
    assert_eq!(read(&dataset, 0, &[399], 1), expected);
    let bytes = std::fs::read(&tile).unwrap();
    let (mut n_right, mut n_refused) = (0, 0);
    for at in (64..bytes.len() - 64).step_by(bytes.len() / 50) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        std::fs::remove_file(&tile).unwrap();
        std::fs::write(&tile, damaged).unwrap();
        let dataset = open(&path, GeneOrder::Source, 1 << 30);
        match dataset.read_genes(0, &[399], 1, &Unwatched) {
            Ok(_) => {
                assert_eq!(read(&dataset, 0, &[399], 1), expected);
                n_right += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Corrupt);
                n_refused += 1;
            }
        }
        assert!(dataset.stats(0, 1, &Unwatched).is_err());
    }
    assert!(
        n_right > 0 && n_refused > 0,
        "{n_right} right, {n_refused} refused"
    );
}
