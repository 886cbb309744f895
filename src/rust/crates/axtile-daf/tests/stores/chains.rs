//! Several stores as one.

use std::sync::Arc;

use axtile_core::ErrorKind;
use axtile_daf::model::{Dependency, Reader, Writer};
use axtile_daf::{
    FilesDaf, MemoryDaf, OpenMode, ViewSpec, chain_reader, chain_writer, complete_chain,
    complete_daf, complete_path, read_only,
};

use crate::support::{all, create, dense, entries, texts};

fn memory(name: &str) -> Arc<MemoryDaf> {
    Arc::new(MemoryDaf::new(name))
}

/// A store with an axis, and one to write after it.
fn pair() -> (Arc<MemoryDaf>, Arc<MemoryDaf>, Arc<dyn Writer>) {
    let (base, last) = (memory("base!"), memory("last!"));
    base.add_axis("x", texts(&["A", "B"])).unwrap();
    base.set_vector("x", "v", &vec![1, 2].into(), false)
        .unwrap();
    base.set_scalar("s", &1.into(), false).unwrap();
    base.set_matrix("x", "x", "m", &dense(2, 2, vec![1, 2, 3, 4]), false, true)
        .unwrap();
    let chain = chain_writer(vec![base.clone()], last.clone(), None).unwrap();
    (base, last, chain)
}

#[test]
fn later_stores_hide_earlier_ones() {
    let (base, last, chain) = pair();
    assert_eq!(chain.name(), "base!;last!");
    assert_eq!(entries(chain.as_ref(), "x"), ["A", "B"]);
    assert_eq!(chain.vector("x", "v").unwrap(), vec![1, 2].into());
    assert!(
        chain
            .set_vector("x", "v", &vec![3, 4].into(), false)
            .is_err()
    );
    chain
        .set_vector("x", "v", &vec![3, 4].into(), true)
        .unwrap();
    chain
        .set_vector("x", "w", &vec![5, 6].into(), false)
        .unwrap();
    assert_eq!(chain.vector("x", "v").unwrap(), vec![3, 4].into());
    assert_eq!(base.vector("x", "v").unwrap(), vec![1, 2].into());
    assert_eq!(entries(last.as_ref(), "x"), ["A", "B"]);
    assert_eq!(chain.vector_names("x").unwrap(), ["v", "w"]);
    assert_eq!(last.vector_names("x").unwrap(), ["v", "w"]);
    assert_eq!(chain.vector_version("x", "v"), 2);
}

#[test]
fn what_an_earlier_store_has_is_not_deleted() {
    let (_, last, chain) = pair();
    chain
        .set_vector("x", "w", &vec![5, 6].into(), false)
        .unwrap();
    chain.set_scalar("s", &2.into(), true).unwrap();
    for error in [
        chain.delete_vector("x", "v", true).unwrap_err(),
        chain.delete_scalar("s", true).unwrap_err(),
        chain.delete_matrix("x", "x", "m", true, true).unwrap_err(),
        chain.delete_axis("x", true).unwrap_err(),
    ] {
        assert!(
            error.to_string().contains("exists in the daf data: base!"),
            "{error}"
        );
    }
    assert_eq!(
        last.vector_names("x").unwrap(),
        ["w"],
        "nothing went with the axis"
    );
    chain.delete_vector("x", "w", true).unwrap();
    assert!(!chain.has_vector("x", "w").unwrap());
    chain.add_axis("y", texts(&["C"])).unwrap();
    chain.delete_axis("y", true).unwrap();
    assert!(!chain.has_axis("y").unwrap());
}

#[test]
fn layouts_come_from_one_store() {
    let (base, last) = (memory("base!"), memory("last!"));
    base.add_axis("x", texts(&["A", "B"])).unwrap();
    base.add_axis("y", texts(&["C"])).unwrap();
    let old = dense(2, 1, vec![1, 2]);
    base.set_matrix("x", "y", "m", &old, false, true).unwrap();
    let chain = chain_writer(vec![base.clone()], last.clone(), None).unwrap();
    let new = dense(2, 1, vec![3, 4]);
    chain.set_matrix("x", "y", "m", &new, true, false).unwrap();
    assert!(!chain.has_stored_matrix("y", "x", "m").unwrap());
    assert_eq!(
        all(&chain.matrix("y", "x", "m").unwrap()),
        vec![3, 4].into()
    );
    assert!(chain.stored_matrix_names("y", "x").unwrap().is_empty());
    chain.relayout_matrix("x", "y", "m", false).unwrap();
    assert_eq!(all(&last.matrix("y", "x", "m").unwrap()), vec![3, 4].into());
    assert_eq!(base.matrix("x", "y", "m").unwrap(), old);
}

#[test]
fn marks_change_with_any_member() {
    let (base, last, chain) = pair();
    let of = Dependency::Vector("x".into(), "v".into());
    let first = chain.stamp(&of).unwrap();
    assert_eq!(chain.stamp(&of).unwrap(), first);
    base.set_vector("x", "v", &vec![7, 8].into(), true).unwrap();
    let second = chain.stamp(&of).unwrap();
    assert_ne!(first, second);
    last.add_axis("x", texts(&["A", "B"])).unwrap();
    last.set_vector("x", "v", &vec![9, 9].into(), false)
        .unwrap();
    assert_ne!(chain.stamp(&of).unwrap(), second);
}

#[test]
fn axes_must_agree_also_later() {
    let (base, last, chain) = pair();
    last.add_axis("x", texts(&["B", "A"])).unwrap();
    let error = chain.vector("x", "v").unwrap_err();
    assert!(error.to_string().contains("different entries"), "{error}");
    let error = chain_reader(vec![base.clone(), last], None).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(chain_reader(Vec::new(), None).is_err());
}

#[test]
fn one_store_is_no_chain() {
    let base = memory("base!");
    let alone = chain_reader(vec![base.clone()], None).unwrap();
    assert_eq!(alone.name(), "base!");
    assert!(alone.as_writer().is_none());
    let again = read_only(alone.clone(), None);
    assert!(Arc::ptr_eq(&alone, &again));
    assert_eq!(read_only(alone, Some("other!")).name(), "other!");
    let writer = chain_writer(Vec::new(), base, None).unwrap();
    assert_eq!(writer.kind(), "MemoryDaf");
}

#[test]
fn chains_are_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let base = create(&path("base"));
    base.add_axis("x", texts(&["A", "B"])).unwrap();
    base.set_vector("x", "v", &vec![1, 2].into(), false)
        .unwrap();
    let middle: Arc<dyn Writer> = Arc::new(create(&path("middle")));
    let chain = complete_chain(Arc::new(base), middle, None, false, None).unwrap();
    chain
        .set_vector("x", "w", &vec![3, 4].into(), false)
        .unwrap();
    let last: Arc<dyn Writer> = Arc::new(create(&path("last")));
    let view = ViewSpec {
        axes: Some(vec![("y".into(), Some("@ x [ v > 1 ]".into()))]),
        data: None,
    };
    let chain: Arc<dyn Reader> = chain;
    let whole = complete_chain(chain, last, Some(view), true, None).unwrap();
    whole.set_vector("y", "z", &vec![5].into(), false).unwrap();
    let leaf = complete_daf(&path("last"), OpenMode::Read, Some("leaf!")).unwrap();
    assert_eq!(leaf.name(), "leaf!");
    assert_eq!(leaf.axis_names().unwrap(), ["y"]);
    assert_eq!(entries(leaf.as_ref(), "y"), ["B"]);
    assert_eq!(leaf.vector("y", "v").unwrap().to_dense(), vec![2].into());
    assert_eq!(leaf.vector("y", "w").unwrap().to_dense(), vec![4].into());
    assert_eq!(leaf.vector("y", "z").unwrap(), vec![5].into());
    assert!(leaf.as_writer().is_none());
    let leaf = complete_daf(&path("last"), OpenMode::Update, None).unwrap();
    let writer = leaf.as_writer().unwrap();
    writer.set_scalar("s", &1.into(), false).unwrap();
    let own = FilesDaf::open(&path("last"), OpenMode::Read, None).unwrap();
    assert_eq!(own.scalar("s").unwrap(), 1.into());
    assert_eq!(complete_path(&own).unwrap().len(), 3);
    // The stores move together.
    let moved = folder.path().join("moved");
    std::fs::create_dir(&moved).unwrap();
    std::fs::rename(path("base"), moved.join("base")).unwrap();
    std::fs::rename(path("middle"), moved.join("middle")).unwrap();
    let leaf = complete_daf(&moved.join("middle"), OpenMode::Read, None).unwrap();
    assert_eq!(leaf.vector("x", "v").unwrap(), vec![1, 2].into());
}

#[test]
fn stores_that_name_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, base) in [("a", "../b"), ("b", "../a")] {
        let store = create(&folder.path().join(name));
        store
            .set_scalar("base_daf_repository", &base.into(), false)
            .unwrap();
    }
    let error = complete_daf(&folder.path().join("a"), OpenMode::Read, None)
        .err()
        .unwrap();
    assert!(error.to_string().contains("name each other"), "{error}");
}
