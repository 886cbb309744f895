//! Stores of Zarr arrays.

use std::fs;

use axtile_core::ErrorKind;
use axtile_daf::model::{ElementType, Matrix, Reader, Vector, Writer};
use axtile_daf::{OpenMode, ZarrDaf};

use crate::support::{all, copy, dense, entries, fixtures, open, shared, texts};

fn zarr(path: &std::path::Path) -> ZarrDaf {
    ZarrDaf::open(path, OpenMode::Read, None).unwrap()
}

#[test]
fn flat_stores_of_other_writers_are_read() {
    let store = zarr(&fixtures().join("flat.daf.zarr"));
    assert_eq!(store.axis_names().unwrap(), ["cell", "gene"]);
    assert_eq!(entries(&store, "cell"), ["c1", "c2", "c3"]);
    assert_eq!(store.scalar_names().unwrap(), ["n", "title"]);
    assert_eq!(store.scalar("n").unwrap(), 7.into());
    assert_eq!(store.scalar("title").unwrap(), "flat".into());
    assert_eq!(
        store.vector("cell", "score").unwrap(),
        vec![1.5, 2.5, 3.5].into()
    );
    let expr = store.find_matrix("cell", "gene", "expr").unwrap().unwrap();
    assert_eq!(expr.element_type(), ElementType::Float32);
    assert_eq!((expr.n_rows(), expr.n_columns()), (3, 2));
    for name in store.matrix_names("cell", "gene").unwrap() {
        let matrix = store.find_matrix("cell", "gene", &name).unwrap().unwrap();
        let flipped = store.find_matrix("gene", "cell", &name).unwrap().unwrap();
        assert_eq!(all(&matrix.transposed()), all(&flipped), "{name}");
    }
    assert_eq!(all(&expr), vec![1.0_f32, 3.0, 5.0, 2.0, 4.0, 6.0].into());
    let sparse = store.matrix("cell", "gene", "sp").unwrap();
    assert!(matches!(sparse, Matrix::Sparse(_)));
    assert_eq!(all(&sparse), vec![0.0, 0.0, 5.0, 2.0, 0.0, 0.0].into());
}

#[test]
fn packed_stores_are_those_of_files() {
    let Some(shared) = shared() else { return };
    for compression in ["bl", "bz", "gz", "zs"] {
        let packed = zarr(&shared.join(format!("packed_zarr/{compression}.daf.zarr")));
        let files = open(&shared.join(format!("packed_files/{compression}.files")));
        assert_eq!(packed.axis_names().unwrap(), files.axis_names().unwrap());
        assert_eq!(entries(&packed, "cell"), entries(&files, "cell"));
        for name in files.vector_names("cell").unwrap() {
            let (a, b) = (packed.vector("cell", &name), files.vector("cell", &name));
            assert_eq!(a.unwrap().to_dense(), b.unwrap().to_dense());
        }
        for (rows, columns) in [("cell", "gene"), ("gene", "cell")] {
            let names = files.stored_matrix_names(rows, columns).unwrap();
            assert_eq!(packed.stored_matrix_names(rows, columns).unwrap(), names);
            for name in names {
                let a = packed.matrix(rows, columns, &name).unwrap();
                let b = files.matrix(rows, columns, &name).unwrap();
                assert_eq!(all(&a), all(&b), "{compression} {name}");
            }
        }
    }
}

#[test]
fn nodes_are_those_that_others_expect() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.daf.zarr");
    let store = ZarrDaf::open(&path, OpenMode::Create, None).unwrap();
    store.add_axis("cell", texts(&["c1", "c2", "c3"])).unwrap();
    store.add_axis("gene", texts(&["g1", "g2"])).unwrap();
    store.set_scalar("n", &3.into(), false).unwrap();
    let score = vec![1.0, 2.0, 3.0].into();
    store.set_vector("cell", "score", &score, false).unwrap();
    let expr = dense(3, 2, vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    store
        .set_matrix("cell", "gene", "expr", &expr, false, false)
        .unwrap();
    let json = |path: &std::path::Path| -> serde_json::Value {
        serde_json::from_slice(&fs::read(path.join("zarr.json")).unwrap()).unwrap()
    };
    let theirs = fixtures().join("flat.daf.zarr");
    let same = [
        "axes",
        "axes/cell",
        "scalars/n",
        "vectors/cell",
        "vectors/cell/score",
        "matrices/cell/gene/expr",
    ];
    for node in same {
        assert_eq!(json(&path.join(node)), json(&theirs.join(node)), "{node}");
    }
    for node in ["matrices/cell/cell", "matrices/gene/cell"] {
        assert!(path.join(node).join("zarr.json").is_file());
    }
    assert_eq!(
        fs::read(path.join("axes/cell/c/0")).unwrap(),
        fs::read(theirs.join("axes/cell/c/0")).unwrap()
    );
    let root = json(&path);
    assert_eq!(root["attributes"], json(&theirs)["attributes"]);
    let nodes = root["consolidated_metadata"]["metadata"]
        .as_object()
        .unwrap();
    for node in same {
        assert_eq!(nodes[node], json(&theirs.join(node)), "{node}");
    }
    store.delete_axis("cell", true).unwrap();
    let root = json(&path);
    let nodes = root["consolidated_metadata"]["metadata"]
        .as_object()
        .unwrap();
    let left: Vec<&String> = nodes.keys().filter(|key| key.contains("cell")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(entries(&zarr(&path), "gene"), ["g1", "g2"]);
}

#[test]
fn damage_and_foreign_arrays_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.daf.zarr");
    copy(&fixtures().join("flat.daf.zarr"), &path);
    let node = path.join("vectors/cell/score");
    let text = fs::read_to_string(node.join("zarr.json")).unwrap();
    let check = |from: &str, to: &str, kind: ErrorKind| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        fs::write(node.join("zarr.json"), changed).unwrap();
        let error = zarr(&path).vector("cell", "score").unwrap_err();
        assert_eq!(error.kind(), kind, "{to}: {error}");
    };
    use ErrorKind::{Corrupt, Unsupported, Version};
    check("[3]", "[4]", Corrupt);
    check("[3]", "[4000000000000000000]", Corrupt);
    check("[3]", "[-3]", Corrupt);
    check("\"shape\":[3]", "\"shape\":[3,1]", Unsupported);
    check("\"chunk_shape\":[3]", "\"chunk_shape\":[2]", Unsupported);
    check("float64", "float16", Corrupt);
    check("float64", "string", Unsupported);
    check("float64", "int32", Corrupt);
    check("\"fill_value\":0.0", "\"fill_value\":1.5", Unsupported);
    check("little", "big", Unsupported);
    check("\"array\"", "\"arr\"", Corrupt);
    check("\"zarr_format\":3", "\"zarr_format\":2", Version);
    check("{", "", Corrupt);
    fs::write(node.join("zarr.json"), &text).unwrap();
    let chunk = node.join("c/0");
    let whole = fs::read(&chunk).unwrap();
    for len in 0..whole.len() {
        fs::write(&chunk, &whole[..len]).unwrap();
        assert!(zarr(&path).vector("cell", "score").is_err());
    }
    fs::remove_file(&chunk).unwrap();
    assert_eq!(
        zarr(&path).vector("cell", "score").unwrap(),
        Vector::from(vec![0.0; 3]),
        "no chunk is a chunk of zeros"
    );
    let axis = path.join("axes/cell/c/0");
    let whole = fs::read(&axis).unwrap();
    for len in 0..whole.len() {
        fs::write(&axis, &whole[..len]).unwrap();
        assert!(zarr(&path).axis("cell").is_err());
    }
    fs::write(
        path.join("zarr.json"),
        "{\"zarr_format\":3,\"attributes\":{\"daf\":[2,0]}}",
    )
    .unwrap();
    let error = ZarrDaf::open(&path, OpenMode::Read, None).unwrap_err();
    assert_eq!(error.kind(), Version);
}
