//! Stores that other programs wrote.

use std::sync::Arc;

use axtile_core::Unwatched;
use axtile_daf::model::{ElementType, Matrix, Reader, Scalar, Values, Vector};
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Answer, Options, Query};
use axtile_daf::{Cache, chain_reader};

use crate::support::{all, entries, fixtures, open, shared};

#[test]
fn version_1_0_is_read() {
    let store = open(&fixtures().join("julia_files_v1_0"));
    assert_eq!(store.axis_names().unwrap(), ["cell", "gene"]);
    assert_eq!(entries(&store, "cell"), ["A", "B", "C", "D"]);
    assert_eq!(store.scalar_names().unwrap(), ["cells", "note", "pi"]);
    assert_eq!(store.scalar("cells").unwrap(), 100_i64.into());
    assert_eq!(store.scalar("pi").unwrap(), (314.0 / 100.0).into());
    assert_eq!(store.scalar("note").unwrap(), "hello".into());
    assert_eq!(
        store.vector_names("cell").unwrap(),
        ["donor", "flags", "sparse_x"]
    );
    let donor = store.vector("cell", "donor").unwrap();
    assert_eq!(donor, vec![1, 2, 3, 4].into());
    let flags = store.vector("cell", "flags").unwrap();
    assert_eq!(flags.to_dense(), vec![true, false, true, false].into());
    let sparse = store.vector("cell", "sparse_x").unwrap();
    assert!(matches!(sparse, Vector::Sparse(_)));
    assert_eq!(sparse.to_dense(), vec![0.0, 10.0, 0.0, 30.0].into());
    let dense = store.matrix("cell", "gene", "dense_m").unwrap();
    let expected: Values = (1..=8).map(f64::from).collect::<Vec<f64>>().into();
    assert_eq!(all(&dense), expected);
    for name in store.matrix_names("cell", "gene").unwrap() {
        let matrix = store.find_matrix("cell", "gene", &name).unwrap().unwrap();
        let flipped = store.find_matrix("gene", "cell", &name).unwrap().unwrap();
        assert_eq!(all(&matrix.transposed()), all(&flipped), "{name}");
    }
    let mask = store.matrix("cell", "gene", "mask").unwrap();
    let expected = vec![true, false, false, false, false, true, false, false];
    assert_eq!(all(&mask), expected.into());
    let sparse = store.matrix("cell", "gene", "sparse_m").unwrap();
    let expected = vec![10.0, 0.0, 20.0, 0.0, 0.0, 30.0, 0.0, 0.0];
    assert_eq!(all(&sparse), expected.into());
}

#[test]
fn version_1_1_is_read() {
    let store = open(&fixtures().join("julia_files_v1_1"));
    assert_eq!(store.scalar("title").unwrap(), "amos".into());
    let vector = store.vector("cell", "sv").unwrap();
    assert_eq!(vector.to_dense(), vec![0.0, 5.0, 0.0, 7.0].into());
    let matrix = store.matrix("cell", "gene", "UMIs").unwrap();
    let Matrix::Sparse(sparse) = &matrix else {
        panic!("not sparse");
    };
    assert_eq!(sparse.colptr().stored_type(), ElementType::Int64);
    assert!(sparse.rowval().is_mapped() && sparse.values().is_mapped());
    let expected = vec![1.0, 0.0, 0.0, 4.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0];
    assert_eq!(all(&matrix), expected.into());
    assert!(!store.has_stored_matrix("gene", "cell", "UMIs").unwrap());
    let flipped = store.matrix("gene", "cell", "UMIs").unwrap();
    assert_eq!(flipped, matrix.transposed());
}

#[test]
fn example_stores_are_read() {
    let Some(shared) = shared() else { return };
    let cells = open(&shared.join("cells_daf"));
    assert_eq!(
        cells.axis_names().unwrap(),
        ["cell", "donor", "experiment", "gene"]
    );
    assert_eq!(cells.scalar_names().unwrap(), ["organism", "reference"]);
    assert_eq!(cells.scalar("organism").unwrap(), "human".into());
    let lengths = [
        ("cell", 856),
        ("gene", 683),
        ("donor", 95),
        ("experiment", 23),
    ];
    for (axis, len) in lengths {
        assert_eq!(cells.axis(axis).unwrap().len(), len);
    }
    let at = cells.axis("donor").unwrap().position("N16").unwrap();
    let age = cells.vector("donor", "age").unwrap();
    assert_eq!(age.get(at), Some(Scalar::Int32(61)));
    assert_eq!(
        cells.vector("donor", "sex").unwrap().element_type(),
        ElementType::String
    );
    let Values::Bool(lateral) = cells.vector("gene", "is_lateral").unwrap().to_dense() else {
        panic!("not truth");
    };
    assert_eq!(lateral.iter().filter(|&&truth| truth == 1).count(), 438);
    let umis = cells.matrix("cell", "gene", "UMIs").unwrap();
    let Values::Int32(counts) = all(&umis) else {
        panic!("not Int32");
    };
    assert!(counts.is_mapped());
    assert_eq!(counts.iter().map(|&n| i64::from(n)).sum::<i64>(), 1_171_936);
    let flipped = cells.find_matrix("gene", "cell", "UMIs").unwrap().unwrap();
    assert_eq!(umis.transposed(), flipped);

    let metacells = open(&shared.join("metacells_daf"));
    let colours = metacells.vector("type", "color").unwrap();
    let Values::String(colours) = colours.to_dense() else {
        panic!("not text");
    };
    assert_eq!(
        colours.iter().collect::<Vec<_>>(),
        ["steelblue", "#eebb6e", "plum", "gold"]
    );
    assert_eq!(
        entries(&metacells, "type"),
        ["memory-B", "MEBEMP-E", "MEBEMP-L", "MPP"]
    );
    for axis in metacells.axis_names().unwrap() {
        for name in metacells.vector_names(&axis).unwrap() {
            let vector = metacells.vector(&axis, &name).unwrap();
            assert_eq!(vector.len(), metacells.axis(&axis).unwrap().len());
        }
        for other in metacells.axis_names().unwrap() {
            for name in metacells.stored_matrix_names(&axis, &other).unwrap() {
                metacells.matrix(&axis, &other, &name).unwrap();
            }
        }
    }
}

#[test]
fn queries_are_answered_from_mapped_files() {
    let Some(shared) = shared() else { return };
    let members: Vec<Arc<dyn Reader>> = ["cells_daf", "metacells_daf"]
        .map(|name| Arc::new(open(&shared.join(name))) as Arc<dyn Reader>)
        .into();
    let chain = chain_reader(members, Some("chain!")).unwrap();
    let cache = Cache::new(chain, 1 << 20);
    let options = Options {
        threads: Threads::default(),
        custom: &NoCustomOperations,
        watch: &Unwatched,
    };
    let text = "@ cell : donor : age / metacell ?? : type >> Mean";
    let query = Query::parse(text, &NoCustomOperations).unwrap();
    for _ in 0..2 {
        let result = cache.evaluate(&query, &options, 0).unwrap();
        let Answer::Vector { entries, values } = &result.answer else {
            panic!("no vector");
        };
        let expected = [
            ("MEBEMP-E", 63.97674),
            ("MEBEMP-L", 63.95238),
            ("MPP", 64.23795),
            ("memory-B", 62.30769),
        ];
        for (idx, (name, mean)) in expected.into_iter().enumerate() {
            assert_eq!(entries.name(idx), name);
            let found = match values.get(idx).unwrap() {
                Scalar::Float64(found) => found,
                Scalar::Float32(found) => f64::from(found),
                other => panic!("{other:?}"),
            };
            assert!((found - mean).abs() < 1e-4, "{name}: {found}");
        }
    }
    assert_eq!(cache.len(), 1);
}
