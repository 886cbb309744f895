//! Known mistakes of other implementations, each with the right answer.

use std::fs;

use axtile_daf::model::{
    ElementType, Indices, Matrix, Reader, Scalar, SparseMatrix, SparseVector, Values, Vector,
    Writer,
};
use axtile_daf::{FilesDaf, MemoryDaf, OpenMode, Orders, reorder_axes};

use crate::support::{all, copy, create, dense, entries, fixtures, texts};

#[test]
fn large_unsigned_numbers_stay_positive() {
    let folder = tempfile::tempdir().unwrap();
    let store = create(&folder.path().join("a"));
    store.add_axis("x", texts(&["A"])).unwrap();
    let large = 3_000_000_000_u32;
    store.set_scalar("s", &large.into(), false).unwrap();
    store
        .set_vector("x", "v", &vec![large].into(), false)
        .unwrap();
    assert_eq!(store.scalar("s").unwrap(), Scalar::UInt32(large));
    assert_eq!(store.vector("x", "v").unwrap().get(0), Some(large.into()));
}

#[test]
fn sparse_texts_and_odd_scalars_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let store = create(&path);
    store.add_axis("x", texts(&["A", "B"])).unwrap();
    let base = path.join("matrices/x/x");
    let array = |name: &str, kind: &str, n: usize| {
        format!("\"{name}\":{{\"format\":\"dense\",\"eltype\":\"{kind}\",\"n_elements\":{n}}}")
    };
    fs::write(
        base.join("m.json"),
        format!(
            "{{\"format\":\"sparse\",{},{},{}}}\n",
            array("colptr", "UInt16", 3),
            array("rowval", "UInt16", 1),
            array("nzval", "String", 1)
        ),
    )
    .unwrap();
    fs::write(base.join("m.colptr"), [1, 0, 1, 0, 2, 0]).unwrap();
    fs::write(base.join("m.rowval"), [2, 0]).unwrap();
    fs::write(base.join("m.nztxt"), "here\n").unwrap();
    let matrix = store.matrix("x", "x", "m").unwrap();
    assert_eq!(all(&matrix), texts(&["", "", "", "here"]).into());
    fs::write(
        path.join("scalars/s.json"),
        "{\"type\":\"Float32\",\"value\":-Inf}",
    )
    .unwrap();
    assert_eq!(store.scalar("s").unwrap(), f32::NEG_INFINITY.into());
}

#[test]
fn indices_of_other_writers_do_not_get_outdated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    copy(&fixtures().join("julia_files_v1_1"), &path);
    fs::write(path.join("metadata.zip"), "PK").unwrap();
    fs::write(path.join("axes/metadata.json"), "[\"cell\",\"gene\"]").unwrap();
    let store = FilesDaf::open(&path, OpenMode::Update, None).unwrap();
    store.add_axis("batch", texts(&["b"])).unwrap();
    store
        .set_vector("cell", "age", &vec![1, 2, 3, 4].into(), true)
        .unwrap();
    store.delete_scalar("title", true).unwrap();
    assert!(!path.join("metadata.zip").exists());
    assert_eq!(
        fs::read_to_string(path.join("axes/metadata.json")).unwrap(),
        "[\"batch\",\"cell\",\"gene\"]"
    );
    let index = fs::read_to_string(path.join("metadata.json")).unwrap();
    assert!(!index.contains("scalars/title"));
    assert!(index.contains("\"vectors/cell/age\":{\"format\":\"dense\",\"eltype\":\"Int32\"}"));
    assert!(index.contains("\"axes/batch\":{\"format\":\"axis\",\"n_entries\":1}"));
    assert!(index.contains("\"matrices/cell/gene/UMIs\":{\"format\":\"sparse\""));
}

fn reordered(store: &dyn Writer) {
    store
        .add_axis("cell", texts(&["A", "B", "C", "D"]))
        .unwrap();
    store.add_axis("gene", texts(&["X", "Y"])).unwrap();
    let single = Vector::from(vec![1.5_f32, 2.5, 3.5, 4.5]);
    store.set_vector("cell", "single", &single, false).unwrap();
    let indices = Indices::with_type([1, 2], ElementType::UInt8).unwrap();
    let sparse = SparseVector::new(4, indices, vec![7_u8, 9].into()).unwrap();
    let sparse = Vector::Sparse(sparse);
    store.set_vector("cell", "bytes", &sparse, false).unwrap();
    let colptr = Indices::with_type([0, 2, 3], ElementType::Int64).unwrap();
    let rowval = Indices::with_type([0, 3, 1], ElementType::Int64).unwrap();
    let matrix = SparseMatrix::new(4, 2, colptr, rowval, vec![1_i16, 2, 3].into()).unwrap();
    let matrix = Matrix::Sparse(matrix);
    store
        .set_matrix("cell", "gene", "m", &matrix, false, true)
        .unwrap();
    let square = dense(2, 2, vec![1_u64, 2, 3, 4]);
    store
        .set_matrix("gene", "gene", "square", &square, false, true)
        .unwrap();
    let orders = Orders::from([
        ("cell".to_owned(), vec![2, 0, 3, 1]),
        ("gene".to_owned(), vec![1, 0]),
    ]);
    reorder_axes(&[store], &orders).unwrap();
    assert_eq!(entries(store, "cell"), ["C", "A", "D", "B"]);
    assert_eq!(
        store.vector("cell", "single").unwrap(),
        vec![3.5_f32, 1.5, 4.5, 2.5].into()
    );
    let Vector::Sparse(found) = store.vector("cell", "bytes").unwrap() else {
        panic!("not sparse");
    };
    assert_eq!(found.indices().stored_type(), ElementType::UInt8);
    assert_eq!(found.to_dense(), vec![9_u8, 0, 0, 7].into());
    let Matrix::Sparse(found) = store.matrix("cell", "gene", "m").unwrap() else {
        panic!("not sparse");
    };
    assert_eq!(found.rowval().stored_type(), ElementType::Int64);
    let expected: Values = vec![0_i16, 0, 0, 3, 0, 1, 2, 0].into();
    assert_eq!(all(&Matrix::Sparse(found.clone())), expected);
    let flipped = store.find_matrix("gene", "cell", "m").unwrap().unwrap();
    assert_eq!(all(&flipped.transposed()), expected);
    let square = store.matrix("gene", "gene", "square").unwrap();
    assert_eq!(all(&square), vec![4_u64, 3, 2, 1].into());
}

#[test]
fn reordering_keeps_types_and_layouts() {
    reordered(&MemoryDaf::new("memory!"));
    let folder = tempfile::tempdir().unwrap();
    reordered(&create(&folder.path().join("a")));
}

#[test]
fn orders_that_are_none_are_refused() {
    let store = MemoryDaf::new("memory!");
    store.add_axis("x", texts(&["A", "B"])).unwrap();
    for order in [vec![0], vec![0, 0], vec![0, 2], vec![0, 1, 1]] {
        let orders = Orders::from([("x".to_owned(), order)]);
        assert!(reorder_axes(&[&store], &orders).is_err());
    }
    let other = MemoryDaf::new("other!");
    other.add_axis("x", texts(&["B", "A"])).unwrap();
    let orders = Orders::from([("x".to_owned(), vec![1, 0])]);
    let error = reorder_axes(&[&store, &other], &orders).unwrap_err();
    assert!(error.to_string().contains("different entries"));
    assert_eq!(entries(&store, "x"), ["A", "B"]);
}
