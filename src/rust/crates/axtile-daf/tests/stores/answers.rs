//! Known wrong answers of other implementations, each with the right one.

use std::sync::Arc;

use axtile_core::{ErrorKind, Unwatched};
use axtile_daf::model::{
    Indices, Matrix, Reader, SparseMatrix, Values, Vector, Writer, order_of_names,
};
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Answer, Options, Query};
use axtile_daf::{Cache, MemoryDaf, ViewSpec, chain_writer, viewer};

use crate::support::{all, create, dense, texts};

const OPTIONS: Options<'static> = Options {
    threads: Threads { n: 1, threshold: 0 },
    custom: &NoCustomOperations,
    watch: &Unwatched,
};

fn values(answer: &Answer) -> Values {
    match answer {
        Answer::Scalar(scalar) => Values::from(scalar),
        Answer::Vector { values, .. } => values.to_dense(),
        Answer::Matrix { values, .. } => all(values),
        Answer::Entries(entries) => Values::String(entries.texts()),
        Answer::Names(names) => Values::String(names.iter().map(String::as_str).collect()),
    }
}

fn ask(store: &dyn Reader, query: &str) -> Values {
    let query = Query::parse(query, &NoCustomOperations).unwrap();
    values(&query.evaluate(store, &OPTIONS).unwrap().answer)
}

fn kept(cache: &Cache, query: &str) -> Values {
    let query = Query::parse(query, &NoCustomOperations).unwrap();
    values(&cache.evaluate(&query, &OPTIONS, 0).unwrap().answer)
}

/// Cells of donors, and a matrix that is dense and sparse.
fn store(numbers: [f64; 6]) -> MemoryDaf {
    let store = MemoryDaf::new("memory!");
    store.add_axis("cell", texts(&["A", "B", "C"])).unwrap();
    store.add_axis("gene", texts(&["X", "Y"])).unwrap();
    store.add_axis("donor", texts(&["d1", "d2"])).unwrap();
    let set = |axis: &str, name: &str, vector: Vector| {
        store.set_vector(axis, name, &vector, false).unwrap();
    };
    set("cell", "donor", texts(&["d2", "d1", "d2"]).into());
    set(
        "cell",
        "flag",
        Vector::Dense(vec![true, false, true].into()),
    );
    set("cell", "single", vec![0.5_f32, 1.5, 2.5].into());
    set("donor", "sex", texts(&["f", "m"]).into());
    set("donor", "age", vec![40_i32, 60].into());
    let matrix = dense(3, 2, numbers.to_vec());
    store
        .set_matrix("cell", "gene", "dense", &matrix, false, false)
        .unwrap();
    let mut starts = vec![0];
    let mut rows = Vec::new();
    let mut stored = Vec::new();
    for column in numbers.chunks(3) {
        for (row, &number) in column.iter().enumerate() {
            if number != 0.0 {
                rows.push(row);
                stored.push(number);
            }
        }
        starts.push(rows.len());
    }
    let (starts, rows) = (
        Indices::from_positions(starts, 9),
        Indices::from_positions(rows, 9),
    );
    let matrix = SparseMatrix::new(3, 2, starts, rows, stored.into()).unwrap();
    store
        .set_matrix(
            "cell",
            "gene",
            "sparse",
            &Matrix::Sparse(matrix),
            false,
            false,
        )
        .unwrap();
    store
}

#[test]
fn results_through_a_chain_of_look_ups_and_of_stores_are_never_stale() {
    let base = Arc::new(store([1.0; 6]));
    let last = Arc::new(MemoryDaf::new("last!"));
    let chain = chain_writer(vec![base.clone()], last, None).unwrap();
    let query = "@ cell : donor : age";
    for reader in [base.clone() as Arc<dyn Reader>, chain.clone()] {
        let cache = Cache::new(reader, 1 << 20);
        assert_eq!(kept(&cache, query), vec![60, 40, 60].into());
        let writer = cache.store().as_writer().unwrap();
        writer
            .set_vector("donor", "age", &vec![41, 61].into(), true)
            .unwrap();
        assert_eq!(kept(&cache, query), vec![61, 41, 61].into());
        base.set_vector("donor", "age", &vec![40, 60].into(), true)
            .unwrap();
    }
}

#[test]
fn views_leave_the_store_below_alone() {
    let base: Arc<dyn Reader> = Arc::new(store([1.0; 6]));
    let spec = ViewSpec {
        axes: Some(vec![("cell".into(), Some("@ cell [ flag ]".into()))]),
        data: None,
    };
    let view = viewer(Arc::clone(&base), None, spec).unwrap();
    let (above, below) = (Cache::new(view, 1 << 20), Cache::new(base, 1 << 20));
    for _ in 0..2 {
        assert_eq!(kept(&above, "@ cell : single"), vec![0.5_f32, 2.5].into());
        assert_eq!(
            kept(&below, "@ cell : single"),
            vec![0.5_f32, 1.5, 2.5].into()
        );
    }
}

#[test]
fn values_go_to_the_entries_that_their_names_say() {
    let store = store([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let axis = store.axis("cell").unwrap();
    let order = order_of_names("memory!", "cell", &axis, &texts(&["C", "A", "B"])).unwrap();
    let order = order.unwrap();
    assert_eq!(order, [1, 2, 0]);
    let matrix = dense(3, 2, vec![3.0, 1.0, 2.0, 6.0, 4.0, 5.0]);
    let moved = matrix.reordered(Some(&order), None);
    assert_eq!(all(&moved), ask(&store, "@ cell @ gene :: dense"));
}

#[test]
fn what_files_cannot_hold_is_refused_and_the_old_values_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = create(&folder.path().join("a"));
    store.add_axis("cell", texts(&["A", "B"])).unwrap();
    let old = Vector::from(texts(&["x", "y"]));
    store.set_vector("cell", "v", &old, false).unwrap();
    let new = Vector::from(texts(&["x", "y\nz"]));
    let error = store.set_vector("cell", "v", &new, true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert_eq!(store.vector("cell", "v").unwrap(), old);
    let nan = Vector::from(vec![f64::NAN, 1.0]);
    store.set_vector("cell", "v", &nan, true).unwrap();
    let read = store.vector("cell", "v").unwrap().to_dense();
    assert!(matches!(read, Values::Float64(read) if read[0].is_nan() && read[1] == 1.0));
}

#[test]
fn sums_do_not_overflow_and_types_are_kept() {
    let store = store([1.0; 6]);
    let large = Vector::from(vec![i32::MAX, i32::MAX, 2]);
    store.set_vector("cell", "large", &large, false).unwrap();
    let sum = 2 * i64::from(i32::MAX) + 2;
    assert_eq!(
        ask(&store, "@ cell : large >> Sum type Int64"),
        vec![sum].into()
    );
    assert_eq!(ask(&store, "@ cell : large >> Sum"), vec![sum].into());
    assert_eq!(ask(&store, "@ cell : large >> Max"), vec![i32::MAX].into());
    assert_eq!(ask(&store, "@ cell : single >> Max"), vec![2.5_f32].into());
    assert_eq!(ask(&store, "@ cell : single >> Mean"), vec![1.5_f32].into());
    let counts = ask(&store, "@ cell : donor * flag");
    assert_eq!(counts, vec![1_u32, 0, 0, 2].into());
}

#[test]
fn zeros_that_are_not_stored_and_nan_take_part() {
    let numbers = store([0.0, 2.0, 2.0, 0.0, f64::NAN, 3.0]);
    for name in ["dense", "sparse"] {
        let of = |reduction: &str| {
            let query = format!("@ cell @ gene :: {name} >- {reduction}");
            match ask(&numbers, &query) {
                Values::Float64(values) => [values[0], values[1]],
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(of("GeoMean")[0], 0.0, "{name}");
        for reduction in ["Max", "Min", "Median", "Mode", "Sum", "Var"] {
            assert!(of(reduction)[1].is_nan(), "{reduction} {name}");
        }
    }
    let large = store([1e8 + 1.0, 1e8 + 2.0, 1e8 + 3.0, 1.0, 2.0, 3.0]);
    for name in ["dense", "sparse"] {
        for query in [">- Var", "-/ index >- Var"] {
            let variances = ask(&large, &format!("@ cell @ gene :: {name} {query}"));
            let Values::Float64(variances) = variances else {
                panic!("no floats");
            };
            let expected = if query == ">- Var" { 2.0 / 3.0 } else { 0.0 };
            let is_near = |variance: &f64| (variance - expected).abs() < 1e-9;
            assert!(
                variances.iter().all(is_near),
                "{query} {name}: {variances:?}"
            );
        }
    }
}

#[test]
fn groups_masks_and_positions_are_asked_for_as_documented() {
    let store = store([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let sums = ask(&store, "@ cell @ gene :: dense -/ donor : sex >- Sum");
    assert_eq!(sums, vec![2.0, 4.0, 5.0, 10.0].into());
    let flipped = ask(&store, "@ gene @ cell :: dense |/ donor : sex >| Sum");
    assert_eq!(flipped, vec![2.0, 5.0, 4.0, 10.0].into());
    let flagged = Values::String(texts(&["A", "C"]));
    assert_eq!(ask(&store, "@ cell [ flag = true ]"), flagged);
    assert_eq!(
        ask(&store, "@ cell [ flag &! index = 3 ]"),
        Values::String(texts(&["A"]))
    );
    assert_eq!(ask(&store, "@ cell : index"), vec![1, 2, 3].into());
}
