//! Small stores whose answers are known by heart.

use crate::support::{Store, answer, evaluated, refusal, shown, sparse};
use axtile_core::Unwatched;
use axtile_daf::model::{ElementType, Values};
use axtile_daf::operations::{Custom, CustomOperations, OperationKind, Threads};
use axtile_daf::query::{Answer, Options, Query};
use proptest::prelude::*;

fn types() -> Store {
    let mut store = Store::default();
    store.axis_is("cell", &["A", "B", "C"]);
    store.axis_is("metacell", &["X", "Y"]);
    store.axis_is("type", &["U", "V"]);
    store.texts_are("cell", "metacell", &["X", "Y", ""]);
    store.texts_are("metacell", "type", &["U", ""]);
    store.texts_are("type", "color", &["red", "green"]);
    store
}

#[test]
fn empty_values_are_final_or_dropped() {
    let store = types();
    assert_eq!(
        shown(
            &store,
            "@ cell : metacell ?? blue : type ?? magenta : color"
        ),
        "A=red B=magenta C=blue"
    );
    assert_eq!(
        shown(&store, "@ cell : metacell ?? : type ?? : color"),
        "A=red"
    );
    assert_eq!(
        shown(&store, "@ metacell : type ?? 0 : phase || 1"),
        "X=1 Y=0"
    );
    let message = refusal(&store, "@ metacell : type ?? zero : phase || 1");
    assert!(message.contains("'zero' is no Int64"), "{message}");
    assert_eq!(
        shown(&store, "@ cell [ metacell ?? : type ] : metacell"),
        "A=X"
    );
    assert_eq!(shown(&store, "@ cell [ ! metacell ?? : type = V ]"), "A B");
    assert_eq!(shown(&store, "@ cell [ metacell ]"), "A B");
    // What no look-up changes any more is counted like the others.
    assert_eq!(
        shown(&store, "@ cell : metacell ?? none : type >> Count"),
        "3"
    );
    assert_eq!(
        shown(&store, "@ cell : index / metacell ?? none : type >> Sum"),
        "=2 U=1 none=3"
    );
}

#[test]
fn groups_have_a_place_for_each_entry_if_asked() {
    let mut store = Store::default();
    store.axis_is("cell", &["A", "B", "C", "D"]);
    store.axis_is("type", &["U", "V", "W"]);
    store.vector_is("cell", "score", vec![0, 1, 2, 3]);
    store.texts_are("cell", "type", &["U", "U", "V", "V"]);
    store.texts_are("cell", "type.manual", &["W", "U", "W", "V"]);
    assert_eq!(shown(&store, "@ cell : score / type >> Sum"), "U=1 V=5");
    assert_eq!(
        shown(&store, "@ cell : score / type =@ >> Sum || 0.0"),
        "U=1 V=5 W=0"
    );
    assert_eq!(
        shown(&store, "@ cell : score / type.manual =@ >> Sum || 9"),
        "U=1 V=3 W=2"
    );
    assert_eq!(
        shown(&store, "@ cell : score / type =@ >> Mean || 0.5"),
        "U=0.5 V=2.5 W=0.5"
    );
    let message = refusal(&store, "@ cell : score / type =@ >> Sum");
    assert!(message.contains("in the group 'W'"), "{message}");
    assert!(refusal(&store, "@ cell : score / type =@ >> Sum || 0.5").contains("no Int32"));
    assert_eq!(
        shown(&store, "@ cell : type * type.manual"),
        "[U,V,W] U=1,0,1 V=0,1,1"
    );
    assert_eq!(
        shown(&store, "@ cell : type =@ * type.manual =@"),
        "[U,V,W] U=1,0,1 V=0,1,1 W=0,0,0"
    );
    assert_eq!(
        shown(&store, "@ cell : type.manual / type >> Mode"),
        "U=W V=W"
    );
    // Grouped values are those of the axis again.
    assert_eq!(
        shown(
            &store,
            "@ cell : type / type =@ >> Mode || U =@ type : name"
        ),
        "U=U V=V W=U"
    );
    assert!(refusal(&store, "@ cell : score / type >> Sum / score >> Sum").contains("no axis"));
}

fn counts(is_sparse: bool) -> Store {
    let mut store = Store::default();
    store.axis_is("cell", &["X", "Y"]);
    store.axis_is("gene", &["A", "B", "C"]);
    let umis = [0.0, 3.0, 1.0, 4.0, 2.0, 5.0];
    let distance = [0.0, -1.0, 1.0, 0.0];
    if is_sparse {
        store.any_matrix_is("cell", "gene", "UMIs", sparse(2, 3, &umis));
        store.any_matrix_is("cell", "cell", "distance", sparse(2, 2, &distance));
    } else {
        store.matrix_is("cell", "gene", "UMIs", umis.to_vec());
        store.matrix_is("cell", "cell", "distance", distance.to_vec());
    }
    store.texts_are("gene", "set", &["p", "q", "p"]);
    store
}

#[test]
fn matrices_are_cut_turned_and_reduced() {
    for is_sparse in [false, true] {
        let store = counts(is_sparse);
        let cases = [
            ("@ cell @ gene :: UMIs >| Sum", "X=3 Y=12"),
            ("@ cell @ gene :: UMIs >- Sum", "A=3 B=5 C=7"),
            ("@ gene @ cell :: UMIs >| Sum", "A=3 B=5 C=7"),
            ("@ gene @ cell :: UMIs >- Max", "X=2 Y=5"),
            ("@ gene :: UMIs @ cell = X", "A=0 B=1 C=2"),
            ("@ cell :: UMIs @ gene = B", "X=1 Y=4"),
            ("@ cell :: distance @| X", "X=0 Y=-1"),
            ("@ cell :: distance @- X", "X=0 Y=1"),
            (":: UMIs @ gene = C @ cell = Y", "5"),
            ("@ gene @ cell :: UMIs", "[X,Y] A=0,3 B=1,4 C=2,5"),
            (
                "@ gene [ set = p ] @ cell [ name = Y ] :: UMIs",
                "[Y] A=3 C=5",
            ),
            (
                "@ cell @ gene [ set = p ] :: UMIs % Fraction",
                "[A,C] X=0,0.2857142857142857 Y=1,0.7142857142857143",
            ),
            ("@ gene @ cell :: UMIs -/ set >- Sum", "[X,Y] p=2,8 q=1,4"),
            ("@ cell @ gene :: UMIs |/ set >| Max", "[p,q] X=2,1 Y=5,4"),
            (
                "@ cell [ name = Y ] @ gene :: UMIs |/ set >| Mean",
                "[p,q] Y=4,4",
            ),
            (
                "@ cell @ gene :: UMIs > 1",
                "[A,B,C] X=false,false,true Y=true,true,true",
            ),
            (
                "@ cell @ gene :: UMIs <= 1",
                "[A,B,C] X=true,true,false Y=false,false,false",
            ),
            ("@ cell @ gene :: UMIs > 1 >> Sum", "4"),
            (
                "@ cell @ gene :: UMIs % Log base 2 eps 1 >> Max type Float64",
                "2.584962500721156",
            ),
            (
                "@ cell @ gene :: UMIs % Clamp min 1 max 4",
                "[A,B,C] X=1,1,2 Y=3,4,4",
            ),
            (
                "@ cell @ gene :: UMIs % Significant high 3",
                "[A,B,C] X=0,0,0 Y=3,4,5",
            ),
            ("@ cell @ gene :: other || 7 >> Sum", "42"),
            ("@ cell @ gene :: UMIs >> Mode", "0"),
            ("@ gene [ UMIs @ cell = X > 0 ]", "B C"),
            ("@ cell [ distance @| X != 0 ]", "Y"),
            (
                "@ cell [ name = Z ] @ gene :: UMIs >- Sum || 0",
                "A=0 B=0 C=0",
            ),
            ("@ cell [ name = Z ] @ gene :: UMIs >| Sum", ""),
        ];
        for (query, expected) in cases {
            let query = query.replace(" type Float64", "");
            assert_eq!(shown(&store, &query), expected, "{query} {is_sparse}");
        }
        let is_flipped = |query: &str| evaluated(&store, query).unwrap().has_flipped;
        assert!(is_flipped("@ gene @ cell :: UMIs") && is_flipped("@ gene :: UMIs @ cell = X"));
        assert!(!is_flipped("@ cell @ gene :: UMIs") && !is_flipped("@ cell :: UMIs @ gene = B"));
        let empty = refusal(&store, "@ cell [ name = Z ] @ gene :: UMIs >- Sum");
        assert!(empty.contains("no values to reduce"), "{empty}");
        assert!(refusal(&store, "@ cell [ name = Z ] : index >> Max").contains("no values"));
        assert_eq!(
            shown(&store, "@ cell [ name = Z ] : index >> Max || 5"),
            "5"
        );
    }
}

#[test]
fn matrices_of_entries_are_looked_up() {
    let mut store = counts(false);
    store.axis_is("set", &["p", "q"]);
    store.vector_is("set", "weight", vec![10, 20]);
    let texts: axtile_daf::model::Texts = ["p", "q", "", "p", "q", "q"].into_iter().collect();
    store.matrix_is("cell", "gene", "set", texts);
    assert_eq!(
        shown(&store, "@ cell @ gene :: set ?? 0 : weight"),
        "[A,B,C] X=10,0,20 Y=20,10,20"
    );
    assert_eq!(shown(&store, "@ cell @ gene :: set >| Mode"), "X=p Y=q");
    assert_eq!(
        shown(&store, "@ gene @ cell :: set -/ set >- Mode"),
        "[X,Y] p=p,q q=,p"
    );
    assert!(refusal(&store, "@ cell @ gene :: set ?? : weight").contains("cannot be dropped"));
    assert!(refusal(&store, "@ cell @ gene :: set >| Sum").contains("only Mode and Count"));
}

#[test]
fn reserved_vectors_and_entries_can_be_asked_for() {
    let store = counts(false);
    assert_eq!(shown(&store, "@ gene : index"), "A=1 B=2 C=3");
    assert_eq!(shown(&store, "@ gene : name"), "A=A B=B C=C");
    assert_eq!(shown(&store, "@ gene [ index > 1 & name != C ]"), "B");
    assert_eq!(shown(&store, "@ gene = B"), "A=false B=true C=false");
    assert_eq!(shown(&store, "@ gene ~ \\[BC\\]"), "A=false B=true C=true");
}

#[test]
fn types_are_kept_from_end_to_end() {
    let mut store = counts(false);
    store.vector_is("gene", "small", vec![1_u8, 2, 3]);
    store.vector_is("gene", "single", vec![0.5_f32, 1.5, 2.5]);
    let kind = |query: &str| match answer(&store, query) {
        Answer::Scalar(scalar) => scalar.element_type(),
        Answer::Vector { values, .. } => values.element_type(),
        other => panic!("{other:?}"),
    };
    for (query, expected) in [
        ("@ gene : small >> Sum", ElementType::UInt32),
        ("@ gene : small >> Max", ElementType::UInt8),
        ("@ gene : small >> Mean", ElementType::Float32),
        ("@ gene : small >> Mean type Float64", ElementType::Float64),
        ("@ gene : small >> Sum type Int64", ElementType::Int64),
        ("@ gene : single >> Sum", ElementType::Float32),
        ("@ gene : single", ElementType::Float32),
        ("@ gene : single % Round", ElementType::Int32),
        ("@ gene : small % Log eps 1", ElementType::Float32),
        ("@ gene : small % Clamp max 2", ElementType::UInt8),
        ("@ gene : small % Clamp max 2.5", ElementType::Float32),
        ("@ gene : small / set >> Median", ElementType::Float32),
        ("@ gene : index % Abs", ElementType::UInt32),
        ("@ gene : index % Convert type Bool > 0", ElementType::Bool),
        (". x || 1.5 Float32 % Round", ElementType::Int32),
    ] {
        if query.contains("Convert") {
            assert!(refusal(&store, query).contains("is no Bool"));
            continue;
        }
        assert_eq!(kind(query), expected, "{query}");
    }
    assert!(refusal(&store, "@ gene : single % Convert type Int8").contains("0.5 is no Int8"));
}

#[test]
fn nan_and_zeros_that_are_not_stored_take_part() {
    for is_sparse in [false, true] {
        let mut store = Store::default();
        store.axis_is("cell", &["X", "Y"]);
        store.axis_is("gene", &["A", "B", "C"]);
        let values = [f64::NAN, 0.0, 1.0, 2.0, 4.0, 0.0];
        if is_sparse {
            store.any_matrix_is("cell", "gene", "m", sparse(2, 3, &values));
        } else {
            store.matrix_is("cell", "gene", "m", values.to_vec());
        }
        for how in [
            "Sum", "Max", "Min", "Median", "Mode", "Mean", "Var", "GeoMean",
        ] {
            let row = shown(&store, &format!("@ cell @ gene :: m >| {how}"));
            assert!(row.starts_with("X=NaN"), "{how}: {row}");
        }
        assert_eq!(
            shown(&store, "@ cell [ name = Y ] @ gene :: m >| GeoMean"),
            "Y=0"
        );
        assert_eq!(
            shown(&store, "@ cell @ gene [ name != A ] :: m >- GeoMean"),
            "B=1.414213562373095 C=0"
        );
    }
}

#[test]
fn answers_know_what_they_were_made_of() {
    let mut store = types();
    store.scalar_is("v", 1);
    store.vector_is("type", "age", vec![10, 20]);
    let chained = "@ cell : metacell ?? : type ?? : age >> Sum";
    let is_fresh = |store: &Store, query: &str, found: &axtile_daf::query::Evaluated| {
        use axtile_daf::model::Reader;
        let same = found
            .dependencies
            .iter()
            .all(|(on, stamp)| store.stamp(on).unwrap() == *stamp);
        let again = evaluated(store, query).map(|again| format!("{:?}", again.answer));
        // An answer that counts as fresh is the one that would be given now.
        assert!(!same || again.unwrap() == format!("{:?}", found.answer));
        same
    };
    let scalar = evaluated(&store, ". v").unwrap();
    let found = evaluated(&store, chained).unwrap();
    assert!(is_fresh(&store, chained, &found));
    store.scalar_is("v", 2);
    assert!(!is_fresh(&store, ". v", &scalar));
    assert!(is_fresh(&store, chained, &found));
    store.vector_is("type", "age", vec![11, 20]);
    assert!(!is_fresh(&store, chained, &found));
    let found = evaluated(&store, chained).unwrap();
    store.vector_is_gone("type", "age");
    assert!(!is_fresh(&store, chained, &found));
    // Also that something was not there.
    let default = "@ cell : age || 5 >> Sum";
    let found = evaluated(&store, default).unwrap();
    store.vector_is("cell", "age", vec![1, 2, 3]);
    assert!(!is_fresh(&store, default, &found));
    let names = evaluated(&store, "@ cell : ?").unwrap();
    store.vector_is("cell", "other", vec![1, 2, 3]);
    assert!(!is_fresh(&store, "@ cell : ?", &names));
    store.axis_is("gene", &["G"]);
    store.matrix_is("cell", "gene", "m", vec![1, 2, 3]);
    let turned = "@ gene @ cell :: m >> Sum";
    let found = evaluated(&store, turned).unwrap();
    store.matrix_is("gene", "cell", "m", vec![4, 5, 6]);
    assert!(!is_fresh(&store, turned, &found));
    // The entries of an axis and a query of it are two things.
    assert!(matches!(answer(&store, "@ cell"), Answer::Entries(_)));
}

struct Doubles;

impl CustomOperations for Doubles {
    fn names(&self, _: OperationKind) -> Vec<String> {
        vec!["Span".into(), "Twice".into()]
    }

    fn parameters(&self, _: OperationKind, name: &str) -> Option<Vec<String>> {
        ["Span", "Twice"].contains(&name).then(|| vec!["by".into()])
    }

    fn reduce(&self, _: &Custom, values: &[f64]) -> axtile_core::Result<f64> {
        let largest = values.iter().copied().fold(f64::MIN, f64::max);
        let least = values.iter().copied().fold(f64::MAX, f64::min);
        Ok(largest - least)
    }

    fn apply(&self, call: &Custom, values: &[f64], _: usize) -> axtile_core::Result<Vec<f64>> {
        let by: f64 = call.parameters[0].value.parse().unwrap();
        Ok(values.iter().map(|value| value * by).collect())
    }
}

#[test]
fn operations_of_the_user_are_called() {
    let show = |store: &Store, text: &str| {
        let options = Options {
            threads: Threads { n: 2, threshold: 0 },
            custom: &Doubles,
            watch: &Unwatched,
        };
        let found = Query::parse(text, &Doubles)?.evaluate(store, &options)?;
        match found.answer {
            Answer::Scalar(scalar) => Ok(crate::support::scalar_text(&scalar)),
            Answer::Vector { values, .. } => Ok(format!("{:?}", values.to_dense())),
            Answer::Matrix { values, .. } => {
                Ok(format!("{:?}", values.to_dense().unwrap().values().clone()))
            }
            other => panic!("{other:?}"),
        }
    };
    for is_sparse in [false, true] {
        let store = counts(is_sparse);
        let show =
            |text: &str| show(&store, text).unwrap_or_else(|e: axtile_core::Error| panic!("{e}"));
        assert_eq!(show("@ cell @ gene :: UMIs >| Span"), "Float64([2.0, 2.0])");
        assert_eq!(
            show("@ gene @ cell :: UMIs >| Span"),
            "Float64([3.0, 3.0, 3.0])"
        );
        assert_eq!(
            show("@ gene @ cell :: UMIs -/ set >- Span"),
            "Float64([2.0, 0.0, 2.0, 0.0])"
        );
        assert_eq!(show("@ gene : index >> Span"), "2");
        assert_eq!(show("@ gene : index / set >> Span"), "Float64([2.0, 0.0])");
        assert_eq!(
            show("@ gene : index % Twice by 3"),
            "Float64([3.0, 6.0, 9.0])"
        );
        assert_eq!(
            show("@ cell @ gene :: UMIs % Twice by 2"),
            "Float64([0.0, 6.0, 2.0, 8.0, 4.0, 10.0])"
        );
    }
    let mut store = types();
    store.vector_is("cell", "x", Values::zeros(ElementType::Int8, 3));
    let refused = show(&store, "@ cell : metacell >> Span").unwrap_err();
    assert!(refused.to_string().contains("reduces numbers"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn queries_of_likely_pieces_never_break(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "@ cell", "@ gene", ": set", ": index", ": name", ":: UMIs", ":: distance",
            "@ gene = A", "@ cell = X", "@| X", "@- Y", "/ set", "/ index", "-/ set", "|/ set",
            "-/ name", "|/ index", "* set", "* name", "=@", "=@ gene", "??", "?? 0", "|| 1",
            "|| x", "> 1", "= A", "~ A", "[ name ]", "[ index > 1 ]", "[ ! set = p ]",
            "[ UMIs @ cell = X ]", "[ distance @| X > 0 ]", "% Abs", "% Fraction", "% Log eps 1",
            "% Log", "% Significant high 2", "% Convert type UInt8", ">> Sum", ">| Sum", ">- Max",
            ">| Mode", ">- Median", ">> Count", ">| Var", ">- GeoMean", ">> Mode", "?",
        ]), 1..7),
        is_sparse in any::<bool>(),
    ) {
        let store = counts(is_sparse);
        let pieces = pieces.join(" ");
        for text in [&format!("@ cell {pieces}"), &format!("@ gene {pieces}"), &pieces] {
            match evaluated(&store, text) {
                Ok(found) => {
                    // What was written in another way has the same answer.
                    let query = Query::parse(text, &axtile_daf::operations::NoCustomOperations);
                    let again = evaluated(&store, &query.unwrap().canonical()).unwrap();
                    prop_assert_eq!(format!("{found:?}"), format!("{again:?}"));
                }
                Err(problem) => prop_assert!(problem.to_string().contains('^'), "{}: {}", text, problem),
            }
        }
    }
}
