//! Other looks at a store.

use std::sync::Arc;

use axtile_daf::model::{Reader, Writer};
use axtile_daf::{DataKey, MemoryDaf, ViewSpec, viewer};

use crate::support::{all, dense, entries, texts};

fn base() -> Arc<MemoryDaf> {
    let base = Arc::new(MemoryDaf::new("base!"));
    base.add_axis("cell", texts(&["A", "B", "C"])).unwrap();
    base.add_axis("gene", texts(&["X", "Y"])).unwrap();
    base.add_axis("donor", texts(&["d1", "d2"])).unwrap();
    base.set_scalar("s", &1.into(), false).unwrap();
    let set = |axis: &str, name: &str, vector| base.set_vector(axis, name, &vector, false).unwrap();
    set("cell", "score", vec![10, 20, 30].into());
    set("cell", "donor", texts(&["d1", "d2", "d1"]).into());
    set("donor", "age", vec![61, 62].into());
    let umis = dense(3, 2, vec![1, 2, 3, 4, 5, 6]);
    base.set_matrix("cell", "gene", "UMIs", &umis, false, true)
        .unwrap();
    base
}

fn axes(items: &[(&str, Option<&str>)]) -> Option<Vec<(String, Option<String>)>> {
    let owned = |(key, query): &(&str, Option<&str>)| (key.to_string(), query.map(str::to_owned));
    Some(items.iter().map(owned).collect())
}

fn vector_key(axis: &str, name: &str) -> DataKey {
    DataKey::Vector(axis.into(), name.into())
}

#[test]
fn everything_is_shown_by_default() {
    let base = base();
    let view = viewer(base.clone(), None, ViewSpec::default()).unwrap();
    assert_eq!(view.name(), "base!.view");
    assert!(view.as_writer().is_none());
    assert_eq!(view.axis_names().unwrap(), base.axis_names().unwrap());
    assert_eq!(view.scalar("s").unwrap(), 1.into());
    assert_eq!(view.vector_names("cell").unwrap(), ["donor", "score"]);
    assert_eq!(
        view.vector("cell", "score").unwrap(),
        base.vector("cell", "score").unwrap()
    );
    assert!(view.has_stored_matrix("gene", "cell", "UMIs").unwrap());
    assert_eq!(
        view.matrix("gene", "cell", "UMIs").unwrap(),
        base.matrix("gene", "cell", "UMIs").unwrap()
    );
}

#[test]
fn some_entries_do_not_leak_into_the_store_below() {
    let base = base();
    let spec = ViewSpec {
        axes: axes(&[("obs", Some("@ cell [ score > 10 ]")), ("gene", Some("="))]),
        data: None,
    };
    let view = viewer(base.clone(), Some("view!"), spec).unwrap();
    assert_eq!(view.axis_names().unwrap(), ["gene", "obs"]);
    assert_eq!(entries(view.as_ref(), "obs"), ["B", "C"]);
    assert_eq!(
        view.vector("obs", "score").unwrap().to_dense(),
        vec![20, 30].into()
    );
    assert_eq!(
        base.vector("cell", "score").unwrap(),
        vec![10, 20, 30].into()
    );
    let umis = view.matrix("obs", "gene", "UMIs").unwrap();
    assert_eq!(all(&umis), vec![2, 3, 5, 6].into());
    let flipped = view.find_matrix("gene", "obs", "UMIs").unwrap().unwrap();
    assert_eq!(all(&flipped), vec![2, 5, 3, 6].into());
    assert!(view.vector("cell", "score").is_err());
    let axis = view.axis("obs").unwrap();
    assert!(Arc::ptr_eq(&axis, &view.axis("obs").unwrap()));
    base.set_vector("cell", "score", &vec![11, 2, 3].into(), true)
        .unwrap();
    assert_eq!(entries(view.as_ref(), "obs"), ["A"]);
    assert_eq!(
        view.vector("obs", "score").unwrap().to_dense(),
        vec![11].into()
    );
}

#[test]
fn data_comes_from_queries() {
    let spec = ViewSpec {
        axes: axes(&[("*", Some("=")), ("donor", None)]),
        data: Some(vec![
            (vector_key("*", "*"), Some("=".into())),
            (vector_key("cell", "donor"), None),
            (vector_key("cell", "age"), Some(": donor : age".into())),
            (
                vector_key("cell", "total"),
                Some("@ __axis__ @ gene :: UMIs >| Sum".into()),
            ),
            (
                DataKey::Matrix("cell".into(), "gene".into(), "plus".into()),
                Some(":: UMIs % Abs".into()),
            ),
            (
                DataKey::Scalar("sum".into()),
                Some("@ cell : score >> Sum".into()),
            ),
        ]),
    };
    let view = viewer(base(), None, spec).unwrap();
    assert_eq!(view.axis_names().unwrap(), ["cell", "gene"]);
    assert_eq!(view.scalar_names().unwrap(), ["sum"]);
    assert_eq!(view.scalar("sum").unwrap().as_integer(), Some(60));
    assert_eq!(
        view.vector_names("cell").unwrap(),
        ["age", "score", "total"]
    );
    assert_eq!(
        view.vector("cell", "age").unwrap().to_dense(),
        vec![61, 62, 61].into()
    );
    let total = view.vector("cell", "total").unwrap();
    assert_eq!(total.get(2).unwrap().as_integer(), Some(9));
    assert_eq!(view.matrix_names("gene", "cell").unwrap(), ["plus"]);
    let plus = view.matrix("gene", "cell", "plus").unwrap();
    assert_eq!(plus.get(1, 0).unwrap().as_integer(), Some(4));
    assert!(view.vector("cell", "donor").is_err());
}

#[test]
fn views_that_make_no_sense_are_refused() {
    let refused = |spec: ViewSpec| viewer(base(), None, spec).err().unwrap().to_string();
    let of_axis = |key, query| ViewSpec {
        axes: axes(&[(key, Some(query))]),
        data: None,
    };
    assert!(refused(of_axis("nope", "=")).contains("missing axis: nope"));
    assert!(refused(of_axis("*", "@ cell")).contains("wildcard"));
    assert!(refused(of_axis("x", "@ cell : score")).contains("no entries"));
    assert!(refused(of_axis("x", "@ cell [")).contains('^'));
    let of_data = |key, query: &str| ViewSpec {
        axes: None,
        data: Some(vec![(key, Some(query.to_owned()))]),
    };
    let vector = |query| refused(of_data(vector_key("cell", "v"), query));
    assert!(vector("@ cell : score >> Sum").contains("no vector"));
    assert!(refused(of_data(vector_key("*", "v"), ": score")).contains("wildcard"));
    assert!(refused(of_data(vector_key("nope", "v"), ": x")).contains("missing axis: nope"));
    let scalar = refused(of_data(DataKey::Scalar("s".into()), "@ cell : score"));
    assert!(scalar.contains("no scalar"));
    let other = of_data(vector_key("cell", "v"), "@ donor : age");
    let view = viewer(base(), None, other).unwrap();
    let error = view.vector("cell", "v").unwrap_err().to_string();
    assert!(error.contains("other entries"), "{error}");
}
