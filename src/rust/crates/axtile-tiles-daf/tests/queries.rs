//! Queries of a tile dataset; the oracle is the same data in a store in memory.

#[path = "../../axtile-tiles/tests/common/memory.rs"]
mod memory;

use std::sync::Arc;

use axtile_core::{Error, Unwatched};
use axtile_daf::MemoryDaf;
use axtile_daf::model::{Matrix, Reader, Texts, Values, Writer};
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Answer, Options, Query};
use axtile_tiles::{GeneOrder, LayerKind, write_dataset};
use axtile_tiles_daf::TilesDaf;
use memory::*;
use tempfile::TempDir;

const N_GENES: usize = 50;

fn source() -> Source {
    let cells = plain_cells(83);
    let half = |cell: &Cell| -> FloatCell {
        cell.iter()
            .map(|(&gene, &count)| (gene, f64::from(count) / 2.0))
            .collect()
    };
    let halves: Vec<FloatCell> = cells.iter().map(half).collect();
    let mut source = Source::new(N_GENES, cells);
    source.floats = vec![
        ("halves".into(), LayerKind::Float32, halves.clone()),
        ("wide".into(), LayerKind::Float64, halves),
    ];
    source
}

fn tiles(folder: &TempDir) -> TilesDaf {
    let path = folder.path().join("some.tiles");
    write_dataset(&path, &mut source(), &options(20, 2), &Unwatched).unwrap();
    TilesDaf::new(Arc::new(open(&path, GeneOrder::Source, 0)), Some("tiles")).unwrap()
}

/// All that `store` has, in memory.
fn copied(store: &dyn Reader) -> MemoryDaf {
    let copy = MemoryDaf::new("copy");
    for axis in store.axis_names().unwrap() {
        let entries: Texts = store.axis(&axis).unwrap().entries().clone();
        copy.add_axis(&axis, entries).unwrap();
        for name in store.vector_names(&axis).unwrap() {
            let vector = store.vector(&axis, &name).unwrap();
            copy.set_vector(&axis, &name, &vector, false).unwrap();
        }
    }
    for name in store.matrix_names("gene", "cell").unwrap() {
        let matrix = store.matrix("gene", "cell", &name).unwrap();
        copy.set_matrix("gene", "cell", &name, &matrix, false, false)
            .unwrap();
    }
    copy
}

fn answer(store: &dyn Reader, query: &str, n_threads: usize) -> Answer {
    let options = Options {
        threads: Threads {
            n: n_threads,
            threshold: 0,
        },
        custom: &NoCustomOperations,
    };
    let parsed = Query::parse(query, &NoCustomOperations).unwrap();
    parsed
        .evaluate(store, &options)
        .unwrap_or_else(|error| panic!("{query}: {error}"))
        .answer
}

/// Names and values in a form that can be compared; sums of floats may be added
/// up in another order.
fn shown(answer: &Answer) -> (Vec<Texts>, Vec<f64>) {
    let numbers = |values: &Values| -> Vec<f64> {
        (0..values.len())
            .map(|at| {
                let value = values.get(at).unwrap();
                value.as_integer().map_or_else(
                    || {
                        format!("{value:?}")
                            .replace("Float64(", "")
                            .replace("Float32(", "")
                            .trim_end_matches(')')
                            .parse()
                            .unwrap()
                    },
                    |whole| whole as f64,
                )
            })
            .collect()
    };
    match answer {
        Answer::Scalar(scalar) => (Vec::new(), numbers(&Values::from(scalar))),
        Answer::Vector { entries, values } => (vec![entries.texts()], numbers(&values.to_dense())),
        Answer::Matrix {
            rows,
            columns,
            values,
        } => {
            let dense = match values {
                Matrix::Dense(dense) => dense.clone(),
                Matrix::Sparse(sparse) => sparse.to_dense().unwrap(),
            };
            (vec![rows.texts(), columns.texts()], numbers(dense.values()))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn queries_give_what_they_give_in_memory() {
    let folder = TempDir::new().unwrap();
    let store = tiles(&folder);
    let copy = copied(&store);
    let dataset = open(
        &folder.path().join("some.tiles"),
        GeneOrder::Source,
        1 << 20,
    );
    let few = TilesDaf::new(Arc::new(dataset), None)
        .unwrap()
        .with_part_values(40);
    let reductions = [
        "Sum",
        "Mean",
        "Max",
        "Min",
        "Count",
        "Var",
        "Std",
        "Median",
        "Mode",
        "Quantile p 0.25",
        "GeoMean eps 1",
    ];
    let mut queries = vec![
        "@ cell @ gene :: counts".to_owned(),
        "@ gene @ cell :: halves".into(),
        "@ cell :: counts @ gene = g3".into(),
        "@ gene [ length > 10 ] @ cell [ number < 40 ] :: wide".into(),
        "@ cell @ gene :: counts % Log base 2 eps 1 >- Mean".into(),
        "@ cell : number >> Sum".into(),
    ];
    for layer in ["counts", "halves", "wide"] {
        for how in reductions {
            for lines in [
                "@ cell @ gene",
                "@ gene @ cell",
                "@ cell [ number >= 10 & number < 70 ] @ gene [ length > 3 ]",
                "@ gene [ length < 7 ] @ cell [ number > 80 ]",
            ] {
                for to in [">|", ">-", ">>"] {
                    queries.push(format!("{lines} :: {layer} {to} {how}"));
                }
            }
            queries.push(format!("@ cell @ gene :: {layer} -/ batch >- {how}"));
            queries.push(format!("@ gene @ cell :: {layer} |/ batch >| {how}"));
            queries.push(format!(
                "@ cell [ number < 50 ] @ gene [ length > 2 ] :: {layer} -/ batch >- {how}"
            ));
            queries.push(format!("@ cell @ gene :: {layer} |/ length >| {how}"));
        }
    }
    for query in &queries {
        let expected = shown(&answer(&copy, query, 1));
        for (store, n_threads) in [(&store, 1), (&few, 3)] {
            let found = shown(&answer(store, query, n_threads));
            assert_eq!(found.0, expected.0, "{query}");
            assert_eq!(found.1.len(), expected.1.len(), "{query}");
            for (a, b) in found.1.iter().zip(&expected.1) {
                let is_near = (a - b).abs() <= 1e-6 * (1.0 + b.abs()) || a.is_nan() && b.is_nan();
                assert!(is_near, "{query}: {a} and {b}");
            }
        }
    }
}

#[test]
fn it_is_described_and_read() {
    let folder = TempDir::new().unwrap();
    let store = tiles(&folder);
    assert_eq!(store.axis_names().unwrap(), ["cell", "gene"]);
    assert_eq!(store.vector_names("cell").unwrap(), ["batch", "number"]);
    assert_eq!(store.vector_names("gene").unwrap(), ["length"]);
    assert_eq!(
        store.matrix_names("cell", "gene").unwrap(),
        ["counts", "halves", "wide"]
    );
    assert_eq!(store.axis("cell").unwrap().entries().get(4), "c4");
    assert_eq!(store.axis("gene").unwrap().entries().get(49), "g49");
    let source = source();
    let batches = store.vector("cell", "batch").unwrap().to_dense();
    for cell in 0..83 {
        let expected = source.batch(cell).unwrap_or_default();
        assert_eq!(
            batches.get(cell as usize).unwrap().as_text(),
            Some(expected.as_str())
        );
    }
    let Matrix::Sparse(counts) = store.matrix("gene", "cell", "counts").unwrap() else {
        panic!("it is dense");
    };
    assert_eq!(
        counts.n_kept(),
        source.layers[0].1.iter().map(Cell::len).sum::<usize>()
    );
    assert!(store.as_writer().is_none());
    for error in [
        store.vector("cell", "none").unwrap_err(),
        store.matrix("cell", "gene", "none").unwrap_err(),
        store.axis("none").unwrap_err(),
    ] {
        assert!(matches!(error, Error::Range { .. }), "{error}");
    }
    assert!(axtile_daf::describe(&store).unwrap().contains("counts"));
}

#[test]
fn names_that_repeat_are_no_axis() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("same.tiles");
    let mut source = source();
    source.genes[7] = "g3".into();
    write_dataset(&path, &mut source, &options(20, 1), &Unwatched).unwrap();
    let store = TilesDaf::new(Arc::new(open(&path, GeneOrder::Source, 0)), None).unwrap();
    let error = store.axis("gene").unwrap_err();
    assert!(error.to_string().contains("'g3' comes twice"), "{error}");
    assert!(store.axis("cell").is_ok());
}
