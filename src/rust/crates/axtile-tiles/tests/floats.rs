//! Layers of floating-point values: written, read in every way, appended to,
//! written anew.

mod common;

use std::collections::BTreeMap;

use axtile_core::{Error, Unwatched};
use axtile_tiles::{
    AppendOptions, Dataset, DatasetFormat, DatasetSource, GeneOrder, LayerKind, Selection,
    WriteOptions, append_dataset, write_dataset,
};
use common::memory::*;
use tempfile::TempDir;

const N_GENES: usize = 40;
const N_CELLS: usize = 90;

/// Counts, the same log-normalised, values that no transform predicts, and
/// whatever else floats can be.
fn source() -> Source {
    let mut seed = 7u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as u32
    };
    let mut counts: Vec<Cell> = Vec::new();
    for _ in 0..N_CELLS {
        let n = next() % 20;
        counts.push(
            (0..n)
                .map(|_| (next() % N_GENES as u32, next() % 9 + 1))
                .collect(),
        );
    }
    let normalised: Vec<FloatCell> = counts
        .iter()
        .map(|cell| {
            let total: u32 = cell.values().sum();
            let value = |count: u32| (f64::from(count) / f64::from(total) * 1e4).ln_1p();
            cell.iter()
                .map(|(&gene, &count)| (gene, value(count)))
                .collect()
        })
        .collect();
    let odd = [0.0, -0.0, f64::NAN, f64::NEG_INFINITY, 5e-324, -1.5, 1e300];
    let any: Vec<FloatCell> = (0..N_CELLS)
        .map(|cell| match cell % 3 {
            0 => (0..N_GENES as u32)
                .map(|gene| (gene, odd[(gene as usize + cell) % 7]))
                .collect(),
            1 => BTreeMap::new(),
            _ => (0..10)
                .map(|gene| (gene * 3, f64::from(next()) / 7.0))
                .collect(),
        })
        .collect();
    let narrow = any.iter().map(|cell| {
        cell.iter()
            .map(|(&gene, &value)| (gene, f64::from(value as f32)))
            .collect()
    });
    let mut source = Source::new(N_GENES, counts);
    source.floats = vec![
        ("normalised".into(), LayerKind::Float64, normalised),
        ("narrow".into(), LayerKind::Float32, narrow.collect()),
        ("any".into(), LayerKind::Float64, any.clone()),
    ];
    source
}

/// The bits of values, which tell NaNs and zeros apart.
fn bits(cells: &[FloatCell]) -> Vec<Vec<(u32, u64)>> {
    let of_cell = |cell: &FloatCell| cell.iter().map(|(&g, v)| (g, v.to_bits())).collect();
    cells.iter().map(of_cell).collect()
}

fn float_cells(starts: &[usize], genes: &[i32], values: &[f64]) -> Vec<FloatCell> {
    let cell = |bounds: &[usize]| {
        let range = bounds[0]..bounds[1];
        let genes = genes[range.clone()].iter().map(|&gene| gene as u32);
        genes.zip(values[range].iter().copied()).collect()
    };
    starts.windows(2).map(cell).collect()
}

/// All of a layer, tile by tile.
fn read_tiles(dataset: &Dataset, layer: usize, n_threads: usize) -> Vec<FloatCell> {
    let mut all = Vec::new();
    for idx in 0..dataset.manifest().n_tiles() {
        let tile = dataset.open_tile(layer, idx).unwrap();
        let (mut genes, mut values) = (vec![0; tile.nnz()], vec![0.0; tile.nnz()]);
        dataset
            .read_tile_into(&tile, &mut genes, &mut values, n_threads, &Unwatched)
            .unwrap();
        all.extend(float_cells(tile.starts().unwrap(), &genes, &values));
    }
    all
}

fn written(folder: &TempDir, source: &mut Source) -> std::path::PathBuf {
    let path = folder.path().join("floats.tiles");
    write_dataset(&path, source, &options(25, 2), &Unwatched).unwrap();
    path
}

#[test]
fn every_bit_comes_back() {
    let folder = TempDir::new().unwrap();
    let mut source = source();
    let path = written(&folder, &mut source);
    for n_threads in [1, 3] {
        let dataset = open(&path, GeneOrder::Source, 1 << 20);
        for (idx, (name, kind, cells)) in source.floats.iter().enumerate() {
            let layer = &dataset.manifest().layers[idx + 1];
            assert_eq!((&layer.name, layer.kind), (name, *kind));
            assert_eq!(
                bits(&read_tiles(&dataset, idx + 1, n_threads)),
                bits(cells),
                "{name}"
            );
        }
        let problems: Vec<_> = dataset
            .verify(n_threads, &Unwatched)
            .unwrap()
            .into_iter()
            .filter_map(|report| report.problem)
            .collect();
        assert!(problems.is_empty(), "{problems:?}");
    }
}

#[test]
fn some_cells_and_genes() {
    let folder = TempDir::new().unwrap();
    let mut source = source();
    let path = written(&folder, &mut source);
    let dataset = open(&path, GeneOrder::Source, 1 << 20);
    let cells = [88, 2, 2, 30, 0];
    let genes = [9u32, 3, 9, 39, 0];
    for (idx, (name, _, all)) in source.floats.iter().enumerate() {
        for genes in [None, Some(&genes[..])] {
            let selection = Selection {
                layer: idx + 1,
                cells: &cells,
                genes,
            };
            let gather = dataset.gather(selection, 2, &Unwatched).unwrap();
            let (mut rows, mut values) = (vec![0; gather.nnz()], vec![0.0; gather.nnz()]);
            gather
                .read_into(&mut rows, &mut values, 2, &Unwatched)
                .unwrap();
            let expected: Vec<FloatCell> = cells
                .iter()
                .map(|&cell| select(&all[cell as usize], genes))
                .collect();
            let got = float_cells(gather.starts(), &rows, &values);
            assert_eq!(bits(&got), bits(&expected), "{name}");
        }
        let read = dataset.read_genes(idx + 1, &genes, 2, &Unwatched).unwrap();
        let (mut rows, mut values) = (vec![0; read.nnz()], vec![0.0; read.nnz()]);
        read.write_into(&mut rows, &mut values).unwrap();
        let expected: Vec<FloatCell> = all.iter().map(|cell| select(cell, Some(&genes))).collect();
        assert_eq!(
            bits(&float_cells(read.starts(), &rows, &values)),
            bits(&expected),
            "{name}"
        );
    }
}

fn select(cell: &FloatCell, genes: Option<&[u32]>) -> FloatCell {
    let Some(genes) = genes else {
        return cell.clone();
    };
    let rows = (0u32..).zip(genes);
    rows.filter_map(|(row, gene)| Some((row, *cell.get(gene)?)))
        .collect()
}

#[test]
fn appended_and_written_anew() {
    let folder = TempDir::new().unwrap();
    let mut source = source();
    let path = written(&folder, &mut source);
    append_dataset(
        &path,
        &mut source,
        &AppendOptions {
            obs_tiles_per_file: 2,
            n_threads: 2,
        },
        &Unwatched,
    )
    .unwrap();
    let copy = folder.path().join("copy.tiles");
    let anew = options(33, 2);
    let mut dataset = DatasetSource::new(open(&path, GeneOrder::Source, 1 << 20).into()).unwrap();
    write_dataset(&copy, &mut dataset, &anew, &Unwatched).unwrap();
    for path in [path, copy] {
        let dataset = open(&path, GeneOrder::Source, 1 << 20);
        for (idx, (name, _, cells)) in source.floats.iter().enumerate() {
            let twice = [bits(cells), bits(cells)].concat();
            assert_eq!(bits(&read_tiles(&dataset, idx + 1, 2)), twice, "{name}");
        }
    }
}

#[test]
fn a_first_layer_of_floats_orders_genes_by_how_many_have_them() {
    let folder = TempDir::new().unwrap();
    let cells: Vec<FloatCell> = (0..30u32)
        .map(|cell| {
            (0..3)
                .filter(|gene| cell % (3 - gene) == 0)
                .map(|gene| (gene, 0.5))
                .collect()
        })
        .collect();
    let mut source = Source::new(3, vec![Cell::new(); 30]);
    source.layers.clear();
    source.floats = vec![("x".into(), LayerKind::Float32, cells.clone())];
    let path = written(&folder, &mut source);
    let stored = open(&path, GeneOrder::Stored, 0);
    assert_eq!(stored.gene_names().unwrap().unwrap(), ["g2", "g1", "g0"]);
    let dataset = open(&path, GeneOrder::Source, 1 << 20);
    assert_eq!(bits(&read_tiles(&dataset, 0, 1)), bits(&cells));
}

#[test]
fn sums_of_genes_and_cells() {
    let folder = TempDir::new().unwrap();
    let mut source = source();
    let path = written(&folder, &mut source);
    let dataset = open(&path, GeneOrder::Source, 1 << 20);
    let (_, _, cells) = &source.floats[0];
    let some = [5u64, 5, 80, 31];
    for wanted in [None, Some(&some[..])] {
        let all: Vec<&FloatCell> = match wanted {
            None => cells.iter().collect(),
            Some(wanted) => wanted.iter().map(|&cell| &cells[cell as usize]).collect(),
        };
        let one = dataset.float_gene_stats(1, wanted, 1, &Unwatched).unwrap();
        assert_eq!(
            one,
            dataset.float_gene_stats(1, wanted, 3, &Unwatched).unwrap()
        );
        for (gene, sums) in (0u32..).zip(&one) {
            let values: Vec<f64> = all
                .iter()
                .map(|cell| cell.get(&gene).copied().unwrap_or(0.0))
                .collect();
            check_sums(sums, &values);
        }
    }
    let genes = [4u32, 4, 17, 0];
    for wanted in [None, Some(&genes[..])] {
        let sums = dataset.float_cell_stats(1, wanted, 2, &Unwatched).unwrap();
        for (cell, sums) in cells.iter().zip(&sums) {
            let value = |gene: &u32| cell.get(gene).copied().unwrap_or(0.0);
            let values: Vec<f64> = match wanted {
                None => (0..N_GENES as u32).map(|gene| value(&gene)).collect(),
                Some(genes) => genes.iter().map(value).collect(),
            };
            check_sums(sums, &values);
        }
    }
}

fn check_sums(sums: &axtile_tiles::FloatSums, values: &[f64]) {
    let n = values.len();
    let total: f64 = values.iter().sum();
    let mean = total / n as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
    assert!(near(sums.total(), total));
    assert!(near(
        sums.variance(n as u64).unwrap(),
        squares / (n - 1) as f64
    ));
    assert_eq!(sums.max(n as u64), values.iter().copied().reduce(f64::max));
    assert_eq!(
        sums.detected,
        values.iter().filter(|&&value| value != 0.0).count() as u64
    );
}

#[test]
fn what_does_not_go_is_refused() {
    let folder = TempDir::new().unwrap();
    let mut source = source();
    let path = written(&folder, &mut source);
    let dataset = open(&path, GeneOrder::Source, 1 << 20);
    let tile = dataset.open_tile(1, 0).unwrap();
    let (mut genes, mut counts) = (vec![0; tile.nnz()], vec![0i32; tile.nnz()]);
    let integers = dataset.read_tile_into(&tile, &mut genes, &mut counts, 1, &Unwatched);
    let error = integers.unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(
        error.to_string().contains("'normalised' holds float64"),
        "{error}"
    );
    assert!(dataset.gene_stats(1, None, 1, &Unwatched).is_err());
    let counts = dataset.float_gene_stats(0, None, 1, &Unwatched);
    assert!(matches!(counts, Err(Error::Unsupported { .. })));

    let target = folder.path().join("other.tiles");
    let deltacells = WriteOptions {
        format: DatasetFormat::Deltacells {
            n_chunks: 2,
            level: 3,
        },
        ..options(25, 2)
    };
    source.layers.clear();
    source.floats.truncate(1);
    let error = write_dataset(&target, &mut source, &deltacells, &Unwatched).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    source.floats[0].1 = LayerKind::Float32;
    let error = write_dataset(&target, &mut source, &options(25, 2), &Unwatched).unwrap_err();
    assert!(matches!(error, Error::Value { .. }), "{error}");
    assert!(!target.exists());
}

#[test]
fn a_tile_of_another_kind_is_found_out() {
    let folder = TempDir::new().unwrap();
    let path = written(&folder, &mut source());
    // 32-bit values in the place of 64-bit ones.
    let manifest = open(&path, GeneOrder::Source, 1 << 20).manifest().clone();
    let [narrow, wide] = [2, 3].map(|layer| path.join(manifest.tile_file(layer, 0)));
    std::fs::copy(narrow, wide).unwrap();
    let error = open(&path, GeneOrder::Source, 1 << 20)
        .open_tile(3, 0)
        .unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
}
