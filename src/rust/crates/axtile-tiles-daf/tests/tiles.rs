//! Queries of tile datasets against the same data in memory.

#[path = "../../axtile-tiles/tests/common/memory.rs"]
mod memory;

use std::path::Path;
use std::sync::Arc;

use axtile_core::{Error, Unwatched};
use axtile_daf::model::{DenseMatrix, Matrix, Reader, Texts, Values, Vector, Writer};
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Answer, Options, Query};
use axtile_daf::{DataKey, MemoryDaf, ViewSpec, chain_reader, viewer};
use axtile_tiles::{DecodedCache, GeneOrder, LayerKind, write_dataset};
use axtile_tiles_daf::TilesDaf;
use memory::{Cell, DELTACELLS, FloatCell, Source, open, options};

const N_GENES: usize = 11;
const N_CELLS: usize = 47;

fn cells(seed: u64) -> Vec<Cell> {
    let mut state = seed;
    let mut random = move |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    (0..N_CELLS)
        .map(|_| {
            let mut cell = Cell::new();
            for gene in 0..N_GENES as u32 {
                // Some genes are mostly there, some hardly ever.
                if random(N_GENES as u64) >= u64::from(gene) {
                    let large = if random(20) == 0 { 60_000 } else { 4 };
                    cell.insert(gene, 1 + random(large) as u32);
                }
            }
            cell
        })
        .collect()
}

fn source() -> Source {
    let mut source = Source::new(N_GENES, cells(1));
    source.layers.push(("other".into(), cells(2)));
    let part = |cell: &Cell| -> FloatCell {
        let part = |(&gene, &count): (&u32, &u32)| (gene, f64::from(count) / 4.0);
        cell.iter().map(part).collect()
    };
    for (name, kind) in [
        ("single", LayerKind::Float32),
        ("double", LayerKind::Float64),
    ] {
        let parts = cells(3).iter().map(part).collect();
        source.floats.push((name.into(), kind, parts));
    }
    source
}

/// What a source holds, in memory.
fn in_memory(source: &Source) -> MemoryDaf {
    let store = MemoryDaf::new("memory");
    let names: Texts = (0..N_CELLS).map(|cell| format!("c{cell}")).collect();
    store.add_axis("cell", names).unwrap();
    let genes: Texts = source.genes.iter().map(String::as_str).collect();
    store.add_axis("gene", genes).unwrap();
    let set = |axis: &str, name: &str, values: Values| {
        store
            .set_vector(axis, name, &Vector::Dense(values), false)
            .unwrap();
    };
    set(
        "cell",
        "number",
        (0..N_CELLS as i32).collect::<Vec<i32>>().into(),
    );
    let batches = (0..N_CELLS as u64).map(|cell| source.batch(cell).unwrap_or_default());
    set("cell", "batch", Values::String(batches.collect()));
    set(
        "gene",
        "length",
        (0..N_GENES as i32).collect::<Vec<i32>>().into(),
    );
    for (name, cells) in &source.layers {
        let values: Vec<i32> = cells
            .iter()
            .flat_map(|cell| {
                (0..N_GENES as u32).map(|gene| cell.get(&gene).map_or(0, |&count| count as i32))
            })
            .collect();
        set_matrix(&store, name, values.into());
    }
    for (name, kind, cells) in &source.floats {
        let of = |cell: &FloatCell, gene| cell.get(&gene).copied().unwrap_or(0.0);
        let all = cells
            .iter()
            .flat_map(|cell| (0..N_GENES as u32).map(move |gene| of(cell, gene)));
        let values = match kind {
            LayerKind::Float32 => all.map(|value| value as f32).collect::<Vec<f32>>().into(),
            _ => all.collect::<Vec<f64>>().into(),
        };
        set_matrix(&store, name, values);
    }
    store
}

fn set_matrix(store: &MemoryDaf, name: &str, values: Values) {
    let matrix = DenseMatrix::new(N_GENES, N_CELLS, values).unwrap();
    store
        .set_matrix("gene", "cell", name, &Matrix::Dense(matrix), false, true)
        .unwrap();
}

fn written(folder: &Path, source: &mut Source, sort_genes: bool) -> Arc<TilesDaf> {
    let mut options = options(10, 1);
    options.sort_genes = sort_genes;
    if source.layers.len() == 1 {
        options.format = DELTACELLS;
    }
    write_dataset(folder, source, &options, &Unwatched).unwrap();
    let dataset = Arc::new(open(folder, GeneOrder::Source, 1 << 20));
    Arc::new(TilesDaf::new(dataset, Some("tiles"), Some(folder.join("cache")), 2).unwrap())
}

fn answer(store: &dyn Reader, query: &str, n_threads: usize) -> Answer {
    let options = Options {
        threads: Threads {
            n: n_threads,
            threshold: 0,
        },
        custom: &NoCustomOperations,
        watch: &Unwatched,
    };
    let query = Query::parse(query, &NoCustomOperations).unwrap();
    let evaluated = query.evaluate(store, &options);
    evaluated
        .unwrap_or_else(|problem| panic!("{problem}"))
        .answer
}

/// Names of what an answer belongs to, its type, and its values.
fn told(answer: &Answer) -> (Vec<Texts>, String, Values) {
    match answer {
        Answer::Names(names) => {
            let names: Texts = names.iter().map(String::as_str).collect();
            (Vec::new(), "names".into(), Values::String(names))
        }
        Answer::Entries(entries) => (
            Vec::new(),
            "entries".into(),
            Values::String(entries.texts()),
        ),
        Answer::Scalar(scalar) => {
            let values = Values::from(scalar);
            (Vec::new(), values.element_type().to_string(), values)
        }
        Answer::Vector { entries, values } => {
            let values = values.to_dense();
            (
                vec![entries.texts()],
                values.element_type().to_string(),
                values,
            )
        }
        Answer::Matrix {
            rows,
            columns,
            values,
        } => {
            let names = vec![rows.texts(), columns.texts()];
            let dense = values.to_dense().unwrap();
            (
                names,
                values.element_type().to_string(),
                dense.values().clone(),
            )
        }
    }
}

fn near(one: &Values, other: &Values) -> bool {
    let (Values::Float64(one), Values::Float64(other)) = (one, other) else {
        if let (Values::Float32(one), Values::Float32(other)) = (one, other) {
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-6 * a.abs().max(1.0);
            return one.len() == other.len() && one.iter().zip(other.iter()).all(is_near);
        }
        return one == other;
    };
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * a.abs().max(1.0);
    one.len() == other.len() && one.iter().zip(other.iter()).all(is_near)
}

fn check(tiles: &dyn Reader, memory: &dyn Reader, query: &str) {
    let expected = told(&answer(memory, query, 1));
    let one = told(&answer(tiles, query, 1));
    let three = told(&answer(tiles, query, 3));
    assert_eq!(one, three, "{query}: the same by any number of threads");
    assert_eq!((&one.0, &one.1), (&expected.0, &expected.1), "{query}");
    assert!(
        near(&one.2, &expected.2),
        "{query}: {:?}, not {:?}",
        one.2,
        expected.2
    );
}

const REDUCTIONS: [&str; 12] = [
    "Sum",
    "Mean",
    "Min",
    "Max",
    "Median",
    "Quantile p 0.9",
    "Mode",
    "Count",
    "Var",
    "Std",
    "VarN eps 1",
    "GeoMean eps 1",
];

fn queries() -> Vec<String> {
    let plain = [
        "@ ?",
        "@ cell",
        "@ gene : ?",
        "@ cell : ?",
        "@ cell @ gene :: ?",
        "@ cell : number",
        "@ cell : batch",
        "@ gene : length",
        "@ cell [ batch = a ] : number",
        "@ cell : number / batch >> Sum",
        "@ cell @ gene :: counts",
        "@ gene @ cell :: other",
        "@ cell [ number > 20 ] @ gene [ length < 4 ] :: counts",
        "@ gene @ cell [ number > 30 & number < 33 ] :: counts",
        "@ cell :: counts @ gene = g3",
        "@ gene :: counts @ cell = c46",
        ":: counts @ cell = c12 @ gene = g0",
        "@ cell [ counts @ gene = g2 > 3 ] : number",
        "@ gene @ cell :: counts % Log base 2 eps 1",
        "@ gene @ cell :: counts % Fraction",
        "@ cell @ gene :: counts > 3",
        "@ cell @ gene :: counts >> Sum",
        "@ cell @ gene :: single",
        "@ gene @ cell [ number < 9 ] :: double",
        "@ cell :: double @ gene = g3",
    ];
    let mut all: Vec<String> = plain.iter().map(|&query| query.to_owned()).collect();
    for reduction in REDUCTIONS {
        for axes in [
            "@ cell @ gene",
            "@ gene @ cell",
            "@ cell [ batch != b ] @ gene [ length > 2 ]",
            "@ gene [ length = 5 ] @ cell [ number > 44 ]",
        ] {
            for how in [">|", ">-", ">>"] {
                all.push(format!("{axes} :: counts {how} {reduction}"));
            }
        }
        all.push(format!("@ cell @ gene :: counts -/ batch >- {reduction}"));
        all.push(format!("@ gene @ cell :: other |/ batch >| {reduction}"));
        for how in [">|", ">-", ">>", "-/ batch >-"] {
            all.push(format!("@ cell @ gene :: single {how} {reduction}"));
            all.push(format!(
                "@ cell @ gene [ length > 2 ] :: double {how} {reduction}"
            ));
        }
        all.push(format!("@ gene @ cell :: counts -/ length >- {reduction}"));
        all.push(format!(
            "@ gene [ length > 3 ] @ cell [ number > 5 ] :: counts |/ batch >| {reduction}"
        ));
    }
    all
}

#[test]
fn tiles_answer_as_memory_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source();
    let memory = in_memory(&source);
    for sort_genes in [true, false] {
        let path = folder.path().join(sort_genes.to_string());
        let tiles = written(&path, &mut source, sort_genes);
        for query in queries() {
            check(tiles.as_ref(), &memory, &query);
        }
    }
}

#[test]
fn chains_and_views_of_tiles_answer_as_those_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source();
    source.layers.truncate(1);
    source.floats.clear();
    let memory: Arc<dyn Reader> = Arc::new(in_memory(&source));
    let tiles: Arc<dyn Reader> = written(&folder.path().join("a"), &mut source, true);
    let seen = |base: &Arc<dyn Reader>| {
        let extra = MemoryDaf::new("extra");
        let names: Texts = (0..N_CELLS).map(|cell| format!("c{cell}")).collect();
        extra.add_axis("cell", names).unwrap();
        let chained = chain_reader(vec![Arc::clone(base), Arc::new(extra)], None).unwrap();
        let all = Some("=".to_owned());
        let spec = ViewSpec {
            axes: Some(vec![
                (
                    "cell".into(),
                    Some("@ cell [ number > 7 & batch != b ]".into()),
                ),
                ("gene".into(), Some("@ gene [ length < 9 ]".into())),
            ]),
            data: Some(vec![
                (DataKey::Vector("*".into(), "*".into()), all.clone()),
                (DataKey::Matrix("*".into(), "*".into(), "*".into()), all),
            ]),
        };
        viewer(chained, None, spec).unwrap()
    };
    let (tiles, memory) = (seen(&tiles), seen(&memory));
    assert!(
        tiles
            .find_streamed("gene", "cell", "counts")
            .unwrap()
            .is_some()
    );
    for query in queries() {
        let is_gone = ["other", "c12", "= c46", "single", "double"]
            .iter()
            .any(|gone| query.contains(gone));
        if !is_gone {
            check(tiles.as_ref(), memory.as_ref(), &query);
        }
    }
}

#[test]
fn what_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = written(&folder.path().join("a"), &mut source(), true);
    for error in [
        store.vector("cell", "none").unwrap_err(),
        store.matrix("cell", "gene", "none").unwrap_err(),
        store.axis("none").unwrap_err(),
    ] {
        assert!(matches!(error, Error::Range { .. }), "{error}");
    }
    assert!(store.as_writer().is_none());
    assert!(
        axtile_daf::describe(store.as_ref())
            .unwrap()
            .contains("single")
    );
}

#[test]
fn a_layer_is_had_as_a_whole_either_way_round() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source();
    let memory = in_memory(&source);
    let tiles = written(&folder.path().join("a"), &mut source, true);
    for (rows, columns) in [("gene", "cell"), ("cell", "gene")] {
        assert!(tiles.has_matrix(rows, columns, "counts").unwrap());
        let matrix = tiles.matrix(rows, columns, "counts").unwrap();
        let expected = memory.matrix(rows, columns, "counts").unwrap();
        assert_eq!(matrix.to_dense().unwrap(), expected.to_dense().unwrap());
    }
    assert!(tiles.find_matrix("gene", "cell", "nope").unwrap().is_none());
    assert!(matches!(
        tiles.vector_names("nope"),
        Err(Error::Range { .. })
    ));
    assert!(tiles.as_writer().is_none());
}

#[test]
fn names_that_are_no_entries_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = source();
    source.genes[4] = "g3".into();
    let tiles = written(&folder.path().join("a"), &mut source, true);
    let genes = tiles.axis("gene").unwrap();
    assert_eq!(genes.entries().get(4), "g3-1");
    assert_eq!(genes.repeated(), None);
    let names = tiles.vector("gene", "original_name").unwrap();
    assert_eq!(names.get(4).unwrap().as_text(), Some("g3"));
    assert_eq!(
        tiles.vector_names("gene").unwrap(),
        ["length", "original_name"]
    );
    assert!(!tiles.has_vector("cell", "original_name").unwrap());
}

#[test]
fn a_replaced_dataset_is_not_read_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let tiles = written(&path, &mut source(), true);
    let mut other = Source::new(N_GENES, cells(3));
    other.layers.push(("other".into(), cells(4)));
    written(&path, &mut other, true);
    let read = tiles.find_matrix("gene", "cell", "counts");
    assert!(matches!(read, Err(Error::Stale { .. })), "{read:?}");
    let cache = Arc::new(DecodedCache::new(0));
    let again = axtile_tiles::Dataset::open(&path, GeneOrder::Source, cache).unwrap();
    let again = TilesDaf::new(Arc::new(again), None, None, 1).unwrap();
    let on = axtile_daf::model::Dependency::Axes;
    assert_ne!(tiles.stamp(&on).unwrap(), again.stamp(&on).unwrap());
}
