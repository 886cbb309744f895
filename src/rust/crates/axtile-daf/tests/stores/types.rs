//! Values of every type come back as they were, from memory and from files.

use std::path::Path;

use axtile_daf::model::{
    ElementType, Indices, Matrix, Reader, Scalar, SparseMatrix, SparseVector, Values, Vector,
    Writer,
};
use axtile_daf::{FilesDaf, MemoryDaf, OpenMode, ZarrDaf};
use proptest::prelude::*;

use crate::support::{create, dense, open, texts};

/// Four values of each type, with its extremes.
fn extremes() -> Vec<Values> {
    vec![
        vec![true, true, false, true].into(),
        vec![i8::MIN, -1, 1, i8::MAX].into(),
        vec![i16::MIN, -1, 1, i16::MAX].into(),
        vec![i32::MIN, -1, 1, i32::MAX].into(),
        vec![i64::MIN, -1, 1, i64::MAX].into(),
        vec![u8::MAX, 1, 2, 3].into(),
        vec![u16::MAX, 1, 2, 3].into(),
        vec![u32::MAX, 1 << 31, 2, 3].into(),
        vec![u64::MAX, 1 << 63, 2, 3].into(),
        vec![f32::MIN, f32::INFINITY, -0.0, f32::from_bits(0x7fc0_1234)].into(),
        vec![
            f64::MIN,
            f64::NEG_INFINITY,
            -0.0,
            f64::from_bits(0x7ff0_0000_0000_07a2),
        ]
        .into(),
        texts(&["a", "", "é\r ", "N/A"]).into(),
    ]
}

/// The bits of a value, by which also numbers that are none compare.
fn bits(value: Option<Scalar>) -> String {
    match value {
        Some(Scalar::Float32(value)) => format!("{:x}", value.to_bits()),
        Some(Scalar::Float64(value)) => format!("{:x}", value.to_bits()),
        other => format!("{other:?}"),
    }
}

#[track_caller]
fn assert_same(found: &Values, expected: &Values) {
    assert_eq!(found.element_type(), expected.element_type());
    assert_eq!(found.len(), expected.len());
    for idx in 0..found.len() {
        assert_eq!(bits(found.get(idx)), bits(expected.get(idx)), "value {idx}");
    }
}

fn fill(store: &dyn Writer) {
    store
        .add_axis("cell", texts(&["A", "B", "C", "D"]))
        .unwrap();
    store.add_axis("gene", texts(&["X"])).unwrap();
    for values in extremes() {
        let kind = values.element_type().name();
        let matrix = dense(4, 1, values.clone());
        store
            .set_matrix("cell", "gene", kind, &matrix, false, true)
            .unwrap();
        for idx in 0..4 {
            let name = format!("{kind} {idx}");
            store
                .set_scalar(&name, &values.get(idx).unwrap(), false)
                .unwrap();
        }
        store
            .set_vector("cell", kind, &values.into(), false)
            .unwrap();
    }
}

fn check(store: &dyn Reader) {
    for values in extremes() {
        let kind = values.element_type().name();
        let vector = store.vector("cell", kind).unwrap();
        assert_same(&vector.to_dense(), &values);
        for (rows, columns) in [("cell", "gene"), ("gene", "cell")] {
            let matrix = store.find_matrix(rows, columns, kind).unwrap().unwrap();
            assert_same(matrix.to_dense().unwrap().values(), &values);
        }
        for idx in 0..4 {
            let found = store.scalar(&format!("{kind} {idx}")).unwrap();
            let is_nan = |value: &Scalar| match value {
                Scalar::Float32(value) => value.is_nan(),
                Scalar::Float64(value) => value.is_nan(),
                _ => false,
            };
            let expected = values.get(idx).unwrap();
            // JSON has one word for all that are no numbers.
            if !(is_nan(&found) && is_nan(&expected)) {
                assert_eq!(bits(Some(found)), bits(Some(expected)));
            }
        }
    }
}

#[test]
fn every_type_comes_back() {
    let memory = MemoryDaf::new("memory!");
    fill(&memory);
    check(&memory);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let store = create(&path);
    fill(&store);
    check(&store);
    check(&open(&path));
    let path = folder.path().join("b");
    let store = ZarrDaf::open(&path, OpenMode::Create, None).unwrap();
    fill(&store);
    check(&store);
    check(&ZarrDaf::open(&path, OpenMode::Read, None).unwrap());
}

#[test]
fn sparse_data_of_every_type_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    sparse_data_comes_back(&create(&path), || Box::new(open(&path)));
    let path = folder.path().join("b");
    let open = |mode| ZarrDaf::open(&path, mode, None).unwrap();
    sparse_data_comes_back(&open(OpenMode::Create), || Box::new(open(OpenMode::Read)));
}

fn sparse_data_comes_back(store: &dyn Writer, reopen: impl Fn() -> Box<dyn Reader>) {
    store
        .add_axis("cell", texts(&["A", "B", "C", "D", "E"]))
        .unwrap();
    store.add_axis("gene", texts(&["X", "Y"])).unwrap();
    let mut stored = Vec::new();
    for values in extremes() {
        for index in ElementType::ALL
            .into_iter()
            .filter(|kind| kind.is_integer())
        {
            let name = format!("{} {index}", values.element_type());
            let at =
                |positions: &[usize]| Indices::with_type(positions.iter().copied(), index).unwrap();
            let vector = SparseVector::new(5, at(&[0, 1, 3, 4]), values.clone()).unwrap();
            let vector = Vector::Sparse(vector);
            store.set_vector("cell", &name, &vector, false).unwrap();
            let (colptr, rowval) = (at(&[0, 2, 4]), at(&[0, 4, 1, 2]));
            let matrix = SparseMatrix::new(5, 2, colptr, rowval, values.clone()).unwrap();
            let matrix = Matrix::Sparse(matrix);
            store
                .set_matrix("cell", "gene", &name, &matrix, false, false)
                .unwrap();
            stored.push((name, vector, matrix));
        }
    }
    let store = reopen();
    for (name, vector, matrix) in stored {
        let Vector::Sparse(found) = store.vector("cell", &name).unwrap() else {
            panic!("{name} is not sparse");
        };
        let Vector::Sparse(vector) = vector else {
            unreachable!()
        };
        assert_eq!(found.indices(), vector.indices(), "{name}");
        assert_same(found.values(), vector.values());
        let Matrix::Sparse(found) = store.matrix("cell", "gene", &name).unwrap() else {
            panic!("{name} is not sparse");
        };
        let Matrix::Sparse(matrix) = matrix else {
            unreachable!()
        };
        assert_eq!(found.colptr(), matrix.colptr(), "{name}");
        assert_eq!(found.rowval(), matrix.rowval(), "{name}");
        assert_same(found.values(), matrix.values());
    }
}

fn json(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn files_are_those_that_others_expect() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let store = create(&path);
    store.add_axis("cell", texts(&["A", "B"])).unwrap();
    store.add_axis("gene", texts(&["X"])).unwrap();
    for at in [
        "vectors/cell",
        "vectors/gene",
        "matrices/cell/cell",
        "matrices/cell/gene",
        "matrices/gene/cell",
        "matrices/gene/gene",
    ] {
        assert!(path.join(at).is_dir(), "{at}");
    }
    assert_eq!(json(&path.join("daf.json")), "{\"version\":[1,1]}\n");
    assert_eq!(json(&path.join("axes/cell.txt")), "A\nB\n");
    store.set_scalar("s", &2.0.into(), false).unwrap();
    assert_eq!(
        json(&path.join("scalars/s.json")),
        "{\"type\":\"Float64\",\"value\":2.0}\n"
    );
    let name = texts(&["p", "q"]);
    store.set_vector("cell", "v", &name.into(), false).unwrap();
    assert_eq!(json(&path.join("vectors/cell/v.txt")), "p\nq\n");
    let index = SparseVector::new(2, Indices::from_positions([1], 2), Values::from(vec![true]));
    let truth = Vector::Sparse(index.unwrap());
    store.set_vector("cell", "t", &truth, false).unwrap();
    assert_eq!(
        json(&path.join("vectors/cell/t.json")),
        "{\"format\":\"sparse\",\"nzind\":{\"format\":\"dense\",\"eltype\":\"UInt16\",\
         \"n_elements\":1}}\n"
    );
    assert!(!path.join("vectors/cell/t.nzval").exists());
    let matrix = dense(2, 1, vec![1_i64, 2]);
    store
        .set_matrix("cell", "gene", "m", &matrix, false, false)
        .unwrap();
    assert_eq!(
        json(&path.join("metadata.json")),
        "{\"axes/cell\":{\"format\":\"axis\",\"n_entries\":2},\
         \"axes/gene\":{\"format\":\"axis\",\"n_entries\":1},\
         \"scalars/s\":{\"type\":\"Float64\",\"value\":2.0},\
         \"vectors/cell/t\":{\"format\":\"sparse\",\"nzind\":{\"format\":\"dense\",\
         \"eltype\":\"UInt16\",\"n_elements\":1}},\
         \"vectors/cell/v\":{\"format\":\"dense\",\"eltype\":\"String\"},\
         \"matrices/cell/gene/m\":{\"format\":\"dense\",\"eltype\":\"Int64\"}}"
    );
    store.delete_axis("gene", true).unwrap();
    store.delete_vector("cell", "v", true).unwrap();
    store.delete_vector("cell", "t", true).unwrap();
    store.delete_scalar("s", true).unwrap();
    assert_eq!(
        json(&path.join("metadata.json")),
        "{\"axes/cell\":{\"format\":\"axis\",\"n_entries\":2}}"
    );
    assert_eq!(
        std::fs::read_dir(path.join("vectors/cell"))
            .unwrap()
            .count(),
        0
    );
    assert_eq!(std::fs::read_dir(path.join("matrices")).unwrap().count(), 1);
}

#[test]
fn another_type_takes_the_place_of_a_vector() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let store = create(&path);
    store
        .add_axis("cell", texts(&["A", "B", "C", "D"]))
        .unwrap();
    let before = store.vector("cell", "name").unwrap();
    for values in extremes() {
        store
            .set_vector("cell", "v", &values.clone().into(), true)
            .unwrap();
        assert_same(&store.vector("cell", "v").unwrap().to_dense(), &values);
        assert!(!path.join(".reorder.backup").exists());
    }
    // What was mapped before is what it was.
    assert_eq!(before, texts(&["A", "B", "C", "D"]).into());
    let left = std::fs::read_dir(path.join("vectors/cell"))
        .unwrap()
        .count();
    assert_eq!(left, 2, "a descriptor and texts");
}

#[test]
fn properties_with_like_names_keep_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let store = create(&path);
    store.add_axis("x", texts(&["A", "B"])).unwrap();
    for name in ["a", "a.nzind", "a.b"] {
        store
            .set_vector("x", name, &vec![1, 2].into(), false)
            .unwrap();
    }
    // What a packed array of `a.nzind` is called, `a` could have too.
    let packed = path.join("vectors/x/a.nzind.zip");
    std::fs::write(&packed, "packed").unwrap();
    store
        .set_vector("x", "a", &vec![1.5, 2.5].into(), true)
        .unwrap();
    store.delete_vector("x", "a", true).unwrap();
    assert!(packed.exists());
    assert_eq!(store.vector_names("x").unwrap(), ["a.b", "a.nzind"]);
    assert_eq!(store.vector("x", "a.nzind").unwrap(), vec![1, 2].into());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_numbers_come_back(bits in prop::collection::vec(any::<u64>(), 0..40), zeros in 0_u64..4) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let store = FilesDaf::open(&path, OpenMode::Create, None).unwrap();
        let names: Vec<String> = (0..bits.len()).map(|at| format!("c{at}")).collect();
        store.add_axis("cell", names.iter().map(String::as_str).collect()).unwrap();
        let values: Vec<f64> = bits
            .iter()
            .map(|&bits| if bits % 4 < zeros { 0.0 } else { f64::from_bits(bits) })
            .collect();
        let values = Values::from(values);
        store.set_vector("cell", "v", &values.clone().into(), false).unwrap();
        assert_same(&open(&path).vector("cell", "v").unwrap().to_dense(), &values);
    }
}
