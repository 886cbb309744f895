//! Results that are kept as long as they are right.

use std::sync::Arc;

use axtile_core::Unwatched;
use axtile_daf::model::Writer;
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Answer, Options, Query};
use axtile_daf::{Cache, FilesDaf, MemoryDaf, OpenMode, chain_writer};

use crate::support::{create, dense, texts};

const ROOM: usize = 1 << 20;

fn filled() -> Arc<MemoryDaf> {
    let store = Arc::new(MemoryDaf::new("memory!"));
    store.add_axis("cell", texts(&["A", "B"])).unwrap();
    store.add_axis("donor", texts(&["d1", "d2"])).unwrap();
    store
        .set_vector("cell", "donor", &texts(&["d2", "d1"]).into(), false)
        .unwrap();
    store
        .set_vector("donor", "age", &vec![1, 2].into(), false)
        .unwrap();
    store.set_scalar("v", &1.into(), false).unwrap();
    store
}

/// The values of the answer, as text.
fn ask(cache: &Cache, query: &str) -> Result<String, String> {
    let options = Options {
        threads: Threads::default(),
        custom: &NoCustomOperations,
        watch: &Unwatched,
    };
    let query = Query::parse(query, &NoCustomOperations).unwrap();
    match cache.evaluate(&query, &options, 0) {
        Err(error) => Err(error.to_string()),
        Ok(result) => Ok(match &result.answer {
            Answer::Scalar(scalar) => format!("{scalar:?}"),
            Answer::Vector { values, .. } => format!("{:?}", values.to_dense()),
            Answer::Names(names) => names.join(" "),
            other => format!("{other:?}"),
        }),
    }
}

#[test]
fn results_follow_what_they_depend_on() {
    let store = filled();
    let cache = Cache::new(store.clone(), ROOM);
    let looked_up = "@ cell : donor : age";
    assert_eq!(ask(&cache, looked_up).unwrap(), "Int32([2, 1])");
    assert_eq!(ask(&cache, ". v").unwrap(), "Int32(1)");
    assert_eq!(ask(&cache, "@ donor : ?").unwrap(), "age");
    assert_eq!(cache.len(), 3);
    store
        .set_vector("donor", "age", &vec![5, 6].into(), true)
        .unwrap();
    store.set_scalar("v", &2.into(), true).unwrap();
    assert_eq!(ask(&cache, looked_up).unwrap(), "Int32([6, 5])");
    assert_eq!(ask(&cache, ". v").unwrap(), "Int32(2)");
    store
        .set_vector("donor", "sex", &vec![5, 6].into(), false)
        .unwrap();
    assert_eq!(ask(&cache, "@ donor : ?").unwrap(), "age sex");
    store.delete_vector("donor", "age", true).unwrap();
    assert!(ask(&cache, looked_up).unwrap_err().contains("age"));
    assert_eq!(ask(&cache, "@ donor : age || 7").unwrap(), "Int64([7, 7])");
    store
        .set_vector("donor", "age", &vec![1, 2].into(), false)
        .unwrap();
    assert_eq!(ask(&cache, "@ donor : age || 7").unwrap(), "Int32([1, 2])");
}

#[test]
fn results_of_chains_follow_their_members() {
    let base = filled();
    let last = Arc::new(MemoryDaf::new("last!"));
    let chain = chain_writer(vec![base.clone()], last, None).unwrap();
    let cache = Cache::new(chain.clone(), ROOM);
    assert_eq!(ask(&cache, "@ donor : age").unwrap(), "Int32([1, 2])");
    chain
        .set_vector("donor", "age", &vec![3, 4].into(), true)
        .unwrap();
    assert_eq!(ask(&cache, "@ donor : age").unwrap(), "Int32([3, 4])");
    chain.delete_vector("donor", "sex", false).unwrap();
    base.set_scalar("v", &9.into(), true).unwrap();
    assert_eq!(ask(&cache, ". v").unwrap(), "Int32(9)");
}

#[test]
fn results_follow_other_writers_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let store = create(&path);
    store.add_axis("x", texts(&["A", "B"])).unwrap();
    store
        .set_vector("x", "v", &vec![1, 2].into(), false)
        .unwrap();
    let cache = Cache::new(Arc::new(crate::support::open(&path)), ROOM);
    assert_eq!(ask(&cache, "@ x : v").unwrap(), "Int32([1, 2])");
    let other = FilesDaf::open(&path, OpenMode::Update, None).unwrap();
    other
        .set_vector("x", "v", &vec![3, 4].into(), true)
        .unwrap();
    assert_eq!(ask(&cache, "@ x : v").unwrap(), "Int32([3, 4])");
}

#[test]
fn memory_is_bounded() {
    let store = Arc::new(MemoryDaf::new("memory!"));
    let names: Vec<String> = (0..1000).map(|at| format!("c{at}")).collect();
    store
        .add_axis("cell", names.iter().map(String::as_str).collect())
        .unwrap();
    let values: Vec<f64> = (0..1000).map(f64::from).collect();
    store
        .set_vector("cell", "v", &values.into(), false)
        .unwrap();
    let cache = Cache::new(store.clone(), 30_000);
    for at in 0..20 {
        ask(&cache, &format!("@ cell : v > {at}")).unwrap();
        ask(&cache, &format!("@ cell : v % Clamp max {}", at + 1)).unwrap();
        assert!(cache.n_bytes() <= 30_000);
    }
    assert!(cache.len() > 2);
    cache.clear_queries();
    assert_eq!((cache.len(), cache.n_bytes()), (0, 0));
    let none = Cache::new(store, 0);
    ask(&none, "@ cell : v").unwrap();
    assert!(none.is_empty());
}

#[test]
fn a_matrix_is_exchanged_once() {
    let store = filled();
    let matrix = dense(2, 2, vec![1, 2, 3, 4]);
    store
        .set_matrix("cell", "donor", "m", &matrix, false, false)
        .unwrap();
    let cache = Cache::new(store.clone(), ROOM);
    let flipped = cache.matrix("donor", "cell", "m").unwrap();
    assert_eq!(flipped, matrix.transposed());
    assert_eq!(cache.len(), 1);
    assert_eq!(cache.matrix("donor", "cell", "m").unwrap(), flipped);
    let other = dense(2, 2, vec![5, 6, 7, 8]);
    store
        .set_matrix("cell", "donor", "m", &other, true, false)
        .unwrap();
    assert_eq!(
        cache.matrix("donor", "cell", "m").unwrap(),
        other.transposed()
    );
    assert_eq!(cache.matrix("cell", "donor", "m").unwrap(), other);
    cache.clear_matrices();
    assert_eq!((cache.len(), cache.n_bytes()), (0, 0));
    assert!(cache.matrix("donor", "cell", "none").is_err());
}
