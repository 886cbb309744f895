//! What is refused, and what else changes with a change; the same for all
//! stores.

use axtile_core::{Error, ErrorKind, Result};
use axtile_daf::model::{ElementType, Reader, Texts, Values, Vector, Writer};
use axtile_daf::{FilesDaf, MemoryDaf, OpenMode, ZarrDaf, describe};

use crate::support::{all, create, dense, texts};

/// Runs a check on an empty store of each kind that can be written.
fn with_stores(check: impl Fn(&dyn Writer)) {
    check(&MemoryDaf::new("memory!"));
    let folder = tempfile::tempdir().unwrap();
    check(&create(&folder.path().join("files!")));
    let path = folder.path().join("zarr!");
    check(&ZarrDaf::open(&path, OpenMode::Create, None).unwrap());
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind, phrase: &str, store: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    let message = error.to_string();
    assert!(message.contains(phrase), "{message}");
    assert!(message.ends_with(store), "{message}");
}

#[test]
fn things_are_found_until_they_are_deleted() {
    with_stores(|store| {
        store.add_axis("cell", texts(&["A", "B"])).unwrap();
        store.add_axis("gene", texts(&["X", "Y", "Z"])).unwrap();
        store.set_scalar("version", &1_u8.into(), false).unwrap();
        let age = Vector::from(vec![1.5, 2.5]);
        store.set_vector("cell", "age", &age, false).unwrap();
        let matrix = dense(2, 3, vec![1, 2, 3, 4, 5, 6]);
        store
            .set_matrix("cell", "gene", "UMIs", &matrix, false, true)
            .unwrap();
        assert_eq!(store.axis_names().unwrap(), ["cell", "gene"]);
        assert_eq!(store.vector("cell", "age").unwrap(), age);
        assert_eq!(
            store.vector("cell", "name").unwrap(),
            texts(&["A", "B"]).into()
        );
        assert_eq!(store.vector("cell", "index").unwrap(), vec![1, 2].into());
        assert!(store.has_vector("cell", "name").unwrap());
        assert_eq!(store.vector_names("cell").unwrap(), ["age"]);
        assert_eq!(store.matrix("cell", "gene", "UMIs").unwrap(), matrix);
        let flipped = store.find_matrix("gene", "cell", "UMIs").unwrap().unwrap();
        assert_eq!(all(&flipped), vec![1, 3, 5, 2, 4, 6].into());
        assert_eq!(store.axis_version("cell"), 0);
        assert_eq!(store.vector_version("cell", "age"), 1);
        assert_eq!(store.matrix_version("gene", "cell", "UMIs"), 1);

        store.delete_axis("cell", true).unwrap();
        assert_eq!(store.axis_version("cell"), 1);
        assert!(!store.has_axis("cell").unwrap());
        store.add_axis("cell", texts(&["C"])).unwrap();
        assert!(store.vector_names("cell").unwrap().is_empty());
        assert!(store.matrix_names("gene", "cell").unwrap().is_empty());
        store.delete_scalar("version", true).unwrap();
        assert!(store.scalar_names().unwrap().is_empty());
    });
}

#[test]
fn what_is_missing_or_there_already_is_refused() {
    with_stores(|store| {
        let (range, exists) = (ErrorKind::Range, ErrorKind::Exists);
        let of = store.name();
        refused(store.scalar("x"), range, "missing scalar: x", of);
        refused(store.axis("x"), range, "missing axis: x", of);
        refused(store.vector("x", "y"), range, "missing axis: x", of);
        refused(store.vector_names("x"), range, "missing axis: x", of);
        store.add_axis("x", texts(&["A"])).unwrap();
        refused(store.vector("x", "y"), range, "missing vector: y", of);
        refused(store.matrix("x", "z", "y"), range, "missing axis: z", of);
        refused(store.matrix("x", "x", "y"), range, "missing matrix: y", of);
        refused(store.delete_scalar("y", true), range, "missing scalar", of);
        refused(store.delete_axis("y", true), range, "missing axis", of);
        refused(
            store.delete_vector("x", "y", true),
            range,
            "missing vector",
            of,
        );
        refused(
            store.delete_matrix("x", "x", "y", true, true),
            range,
            "missing matrix",
            of,
        );
        store.delete_scalar("y", false).unwrap();
        store.delete_axis("y", false).unwrap();
        store.delete_vector("x", "y", false).unwrap();
        store.delete_matrix("q", "x", "y", false, true).unwrap();

        refused(
            store.add_axis("x", texts(&["B"])),
            exists,
            "existing axis: x",
            of,
        );
        store.set_scalar("s", &1.into(), false).unwrap();
        refused(
            store.set_scalar("s", &2.into(), false),
            exists,
            "existing scalar",
            of,
        );
        store.set_scalar("s", &2.into(), true).unwrap();
        assert_eq!(store.scalar("s").unwrap(), 2.into());
        let vector = vec![1.0].into();
        store.set_vector("x", "v", &vector, false).unwrap();
        refused(
            store.set_vector("x", "v", &vector, false),
            exists,
            "existing vector: v",
            of,
        );
        store
            .set_vector("x", "v", &vec![2_u8].into(), true)
            .unwrap();
        assert_eq!(store.vector("x", "v").unwrap(), vec![2_u8].into());
    });
}

#[test]
fn what_breaks_the_rules_is_refused() {
    with_stores(|store| {
        let (kind, of) = (ErrorKind::Argument, store.name());
        store.add_axis("x", texts(&["A", "B"])).unwrap();
        let vector = |n: usize| Vector::from(vec![1.0; n]);
        refused(
            store.set_vector("x", "v", &vector(3), false),
            kind,
            "the length: 3 of the vector: v is different from the length: 2 of the axis: x",
            of,
        );
        refused(
            store.set_matrix("x", "x", "m", &dense(2, 1, vec![1, 2]), false, true),
            kind,
            "is different from the length: 2 of the axis: x",
            of,
        );
        for name in ["name", "index"] {
            refused(
                store.set_vector("x", name, &vector(2), true),
                kind,
                "setting the reserved vector",
                of,
            );
            refused(
                store.delete_vector("x", name, false),
                kind,
                "deleting the reserved vector",
                of,
            );
        }
        refused(
            store.add_axis("y", texts(&["A", "B", "A"])),
            kind,
            "non-unique entries",
            of,
        );
        refused(
            store.add_axis("y", texts(&["A", ""])),
            kind,
            "empty entry 2",
            of,
        );
        assert!(store.add_axis("..", texts(&["A"])).is_err());
        assert!(store.add_axis("a/b", texts(&["A"])).is_err());
        assert!(store.set_scalar("../x", &1.into(), false).is_err());
        assert!(store.set_vector("x", "", &vector(2), false).is_err());
        assert!(!store.has_scalar("../daf").unwrap());
        assert!(!store.has_axis("../axes/x").unwrap());
        assert!(store.find_vector("x", "../x/v").unwrap().is_none());
        refused(
            store.relayout_matrix("x", "x", "m", false),
            kind,
            "can't relayout square matrix",
            of,
        );
        store.add_axis("none", Texts::default()).unwrap();
        store
            .set_vector(
                "none",
                "v",
                &Values::zeros(ElementType::String, 0).into(),
                false,
            )
            .unwrap();
        assert_eq!(store.vector("none", "v").unwrap().len(), 0);
    });
}

#[test]
fn layouts_never_hold_different_values() {
    with_stores(|store| {
        store.add_axis("x", texts(&["A", "B"])).unwrap();
        store.add_axis("y", texts(&["C"])).unwrap();
        let set = |values: Vec<i32>, overwrite, relayout| {
            store.set_matrix("x", "y", "m", &dense(2, 1, values), overwrite, relayout)
        };
        set(vec![1, 2], false, true).unwrap();
        assert!(set(vec![3, 4], false, false).is_err());
        set(vec![3, 4], true, false).unwrap();
        assert!(!store.has_stored_matrix("y", "x", "m").unwrap());
        assert_eq!(
            all(&store.matrix("y", "x", "m").unwrap()),
            vec![3, 4].into()
        );
        store.relayout_matrix("x", "y", "m", false).unwrap();
        assert!(store.has_stored_matrix("y", "x", "m").unwrap());
        assert!(store.relayout_matrix("x", "y", "m", false).is_err());
        store.relayout_matrix("x", "y", "m", true).unwrap();
        store.delete_matrix("x", "y", "m", true, false).unwrap();
        assert!(store.has_matrix("x", "y", "m").unwrap());
        store.delete_matrix("x", "y", "m", true, true).unwrap();
        assert!(!store.has_matrix("x", "y", "m").unwrap());
    });
}

#[test]
fn modes_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let open = |mode: OpenMode| FilesDaf::open(&path, mode, None);
    assert!(matches!(open(OpenMode::Read), Err(Error::Io { .. })));
    assert!(matches!(open(OpenMode::Update), Err(Error::Io { .. })));
    open(OpenMode::Create)
        .unwrap()
        .set_scalar("s", &1.into(), false)
        .unwrap();
    assert!(matches!(open(OpenMode::Create), Err(Error::Exists { .. })));
    let store = open(OpenMode::Read).unwrap();
    assert!(store.as_writer().is_none());
    refused(
        store.set_scalar("t", &1.into(), false),
        ErrorKind::Argument,
        "store opened read-only",
        store.name(),
    );
    open(OpenMode::Update)
        .unwrap()
        .set_scalar("t", &1.into(), false)
        .unwrap();
    assert_eq!(store.scalar_names().unwrap(), ["s", "t"]);
    let store = open(OpenMode::Replace).unwrap();
    assert!(store.scalar_names().unwrap().is_empty());
    assert!("rw".parse::<OpenMode>().is_err());
    assert_eq!("w+".parse::<OpenMode>().unwrap(), OpenMode::Replace);

    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("thesis.txt"), "years of work").unwrap();
    for mode in [OpenMode::Create, OpenMode::Replace] {
        assert!(FilesDaf::open(&other, mode, None).is_err());
    }
    assert!(other.join("thesis.txt").exists());
}

#[test]
fn stores_are_described() {
    let store = MemoryDaf::new("cells!");
    store
        .set_scalar("organism", &"human".into(), false)
        .unwrap();
    store.set_scalar("n", &3_u8.into(), false).unwrap();
    store.add_axis("gene", texts(&["X", "Y", "Z"])).unwrap();
    let lateral = vec![true, false, true].into();
    store
        .set_vector("gene", "is_lateral", &lateral, false)
        .unwrap();
    let names = texts(&["a", "b", "c"]).into();
    store.set_vector("gene", "symbol", &names, false).unwrap();
    let near = dense(3, 3, vec![0.5_f32; 9]);
    store
        .set_matrix("gene", "gene", "near", &near, false, true)
        .unwrap();
    assert_eq!(
        describe(&store).unwrap(),
        "name: cells!\ntype: MemoryDaf\nscalars:\n  n: 3 (UInt8)\n  organism: \"human\"\n\
         axes:\n  gene: 3 entries\nvectors:\n  gene:\n    \
         is_lateral: 3 x Bool (Dense; 2 (67%) true)\n    symbol: 3 x Str (Dense)\n\
         matrices:\n  gene,gene:\n    near: 3 x 3 x Float32 in Columns (Dense)\n"
    );
}
