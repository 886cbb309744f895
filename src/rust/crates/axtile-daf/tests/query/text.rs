//! From text to steps and back: canonical text, errors that point at their
//! place, and no input that breaks the parser.

use axtile_daf::operations::{CustomOperations, NoCustomOperations, OperationKind};
use axtile_daf::query::{Query, escape_value, unescape_value};
use proptest::prelude::*;

/// Queries that make sense, in canonical form.
const CANONICAL: [&str; 44] = [
    ". ?",
    "@ ?",
    "?",
    "@ cell : ?",
    "@ cell @ gene :: ?",
    "@ cell ?",
    ". organism",
    ". missing || 7",
    ". missing || 7 String",
    ". missing || 1.5 Float32 % Abs",
    ": age @ donor = N16",
    ": age || 0 @ donor = N16",
    ":: UMIs @ cell = A @ gene = B",
    "@ donor : age >> VarN eps 0.1",
    "@ donor : age >> Quantile p 0.25 type Float32",
    "@ donor [ age > 60 & ! sex = male ]",
    "@ donor [ ! age > 60 | sex = male ^ name ~ \\^N1.\\$ ]",
    "@ cell [ UMIs @ gene = RPL22 > 0 ]",
    "@ cell [ donor : age > 60 ] : donor",
    "@ cell [ metacell ?? : type != memory-B ] : donor : age / metacell : type =@ >> Mean || 0",
    "@ cell : donor =@ : sex",
    "@ cell : donor =@ donor ?? none : sex",
    "@ metacell : type ?? 0 : phase || 1",
    "@ donor : age % Clamp min 40 max 60",
    "@ donor : age % Log base 2 eps 1 % Significant high 6",
    "@ donor : age % Convert type Int64",
    "@ cell : experiment * donor : sex",
    "@ cell : experiment =@ * donor : sex =@ sexes",
    "@ cell @ gene :: UMIs -/ experiment >- Sum",
    "@ gene @ cell :: UMIs |/ donor : sex >| GeoMean eps 1 || 0",
    "@ gene @ cell [ donor = N16 ] :: UMIs |/ donor : sex >| Sum >- Max",
    "@ cell :: UMIs @ gene = RPL22",
    "@ cell :: UMIs || 0 @ gene = RPL22 > 3",
    "@ metacell :: edge_weight @| M412.08",
    "@ metacell :: edge_weight @- M412.08",
    "@ metacell [ edge_weight @| M412.08 > 0 ]",
    "@ cell : metacell :: fraction @ gene = RPL22",
    "@ cell @ gene :: UMIs > 0 >> Sum",
    "@ metacell : type != ''",
    "@ cell = A\\ B\\/\\:",
    "@ cell : score / type @ x = y >> Sum",
    "@ cell : score !~ a >> Count",
    "@ cell : a <= 1",
    "@ cell : a >= 1",
];

fn parse(text: &str) -> axtile_core::Result<Query> {
    Query::parse(text, &NoCustomOperations)
}

fn error(text: &str) -> String {
    let failed = match parse(text) {
        Ok(query) => query.plan().map(|_| ()),
        Err(error) => Err(error),
    };
    failed.expect_err(text).to_string()
}

#[test]
fn canonical_text_is_read_back() {
    for text in CANONICAL {
        let query = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(query.canonical(), text);
        query
            .plan()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        // Without any blank that is not between two values.
        let mut tight = text.to_owned();
        for sign in [
            "@", ":", ".", "[", "]", "=", ">", "<", "*", "/", "&", "|", "~",
        ] {
            tight = tight.replace(&format!("{sign} "), sign);
        }
        let tight = parse(&tight).unwrap_or_else(|error| panic!("{tight}: {error}"));
        assert_eq!(tight, query);
    }
}

#[test]
fn queries_are_written_in_many_ways() {
    let same = [
        ("@cell:age", "@ cell : age"),
        ("@ cell # all\n : age", "@ cell : age"),
        ("@ cell [ age > 1 &! x ]", "@ cell [ age > 1 & ! x ]"),
        ("@ cell [ a |! b ^! c ]", "@ cell [ a | ! b ^ ! c ]"),
        (". x || 1.0 type Float64", ". x || 1.0"),
        (". x || 7 int32", ". x || 7 Int32"),
        (". x || \"7\"", ". x || 7 String"),
        ("@ a : b % Log base : e eps: 1", "@ a : b % Log eps 1"),
        ("@ a : b >> Quantile p 0.50", "@ a : b >> Quantile p 0.5"),
        ("@ a [ name ~ ^AB.*$ ]", "@ a [ name ~ \\^AB.\\*\\$ ]"),
        ("@ \"a b\" : \"\"", "@ a\\ b : ''"),
        ("@ a = -.5", "@ a = -.5"),
        ("@ café : é", "@ café : é"),
        (". .x", ". .x"),
    ];
    for (written, canonical) in same {
        let query = parse(written).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(query.canonical(), canonical);
    }
}

#[test]
fn pieces_are_joined() {
    let pieces = ["@ cell", ": age", ">> Mean"].map(|text| parse(text).unwrap());
    assert!(pieces[1].plan().is_err());
    let joined = Query::joined(&pieces, &NoCustomOperations).unwrap();
    assert_eq!(joined.canonical(), "@ cell : age >> Mean");
    assert_eq!(joined.n_dimensions().unwrap(), 0);
    assert_eq!(joined.axis_name(), Some("cell"));
    assert!(!joined.is_axis());
    assert!(parse("@ cell [ a = 1 ]").unwrap().is_axis());
    assert_eq!(parse("@ cell @ gene :: x").unwrap().axis_name(), None);
    assert_eq!(
        parse("@ cell [ x @ gene = A ]").unwrap().axis_name(),
        Some("cell")
    );
    assert_eq!(parse("@ a : b * c").unwrap().n_dimensions().unwrap(), 2);
}

#[test]
fn errors_point_at_their_place() {
    assert_eq!(
        error("@ donor : age >> Meen"),
        "unknown reduction 'Meen'; did you mean 'Mean'?\n\
         expected one of: Count, GeoMean, Max, Mean, Median, Min, Mode, Quantile, Std, StdN, \
         Sum, Var, VarN\n  \
         @ donor : age >> Meen\n                   \
         ^^^^"
    );
    let cases = [
        (
            "@",
            "expected the name of an axis or '?', found the end of the query",
        ),
        (
            "@ cell : :",
            "expected the name of a vector or '?', found the operator ':'",
        ),
        (
            "cell",
            "expected an operator such as '@', ':' or '>>', found the value 'cell'",
        ),
        ("@ cell {", "needs a backslash"),
        (
            "@ cell : age >> Log",
            "'Log' is element-wise; it comes after '%'",
        ),
        ("@ cell : age % Sum", "'Sum' is a reduction"),
        (
            "@ cell : age >> Sum eps 1",
            "the parameter eps does not exist for the operation Sum",
        ),
        (
            "@ cell : age >> Max type Int8",
            "the parameter type does not exist",
        ),
        ("@ cell : age >> VarN eps 1 eps 2", "given twice"),
        ("@ cell : age >> VarN eps -1", "not negative"),
        ("@ cell : age >> Mean type Int32", "must be: a float type"),
        ("@ cell : age >> Quantile", "needs the parameter p"),
        ("@ cell : age >> Quantile p 1.5", "a number from 0 to 1"),
        ("@ cell : age % Clamp min 3 max 3", "above min"),
        ("@ cell : age % Significant high 3 low 4", "from 0 to high"),
        ("@ cell : age % Convert", "needs the parameter type"),
        (". x || 1.0 Int32", "the value '1.0' is no Int32"),
        (". x || 1 Int31", "did you mean 'Int32'"),
        ("@ cell [ age > 1", "or ']', found the end of the query"),
        ("@ cell [ age ~ \\( ]", "no regular expression"),
        (
            "@ cell @ gene",
            "expected a matrix '::' of the two axes, found the end of the query",
        ),
        ("@ cell :: UMIs", "which slice of the matrix"),
        (
            "@ cell @ gene :: UMIs -/ a >| Sum",
            "expected '>-' to reduce each group of rows",
        ),
        (
            "@ cell @ gene :: UMIs |/ a >- Sum",
            "expected '>|' to reduce each group of columns",
        ),
        ("@ cell : age >| Sum", "expected '>>' to reduce the vector"),
        ("@ cell : age =@", "what to look up"),
        (". x % Fraction", "makes no sense for a scalar"),
        ("@ cell : age & x", "expected a look-up"),
        ("@ cell ! x", "'!' only stands"),
        ("", "expected an axis '@'"),
        (": age", "and the entry '=' of it"),
    ];
    for (text, expected) in cases {
        let message = error(text);
        assert!(message.contains(expected), "{text}: {message}");
        assert!(message.trim_end().ends_with('^'), "{text}: {message}");
    }
    let deep = format!("@ cell : age{}", " % Abs".repeat(1000));
    assert!(error(&deep).contains("more than 200 operations"));
}

struct Range;

impl CustomOperations for Range {
    fn names(&self, kind: OperationKind) -> Vec<String> {
        match kind {
            OperationKind::Reduction => vec!["Range".into()],
            OperationKind::Eltwise => Vec::new(),
        }
    }

    fn parameters(&self, kind: OperationKind, name: &str) -> Option<Vec<String>> {
        (kind == OperationKind::Reduction && name == "Range").then(|| vec!["by".into()])
    }

    fn reduce(
        &self,
        _: &axtile_daf::operations::Custom,
        values: &[f64],
    ) -> axtile_core::Result<f64> {
        Ok(values.len() as f64)
    }

    fn apply(
        &self,
        _: &axtile_daf::operations::Custom,
        values: &[f64],
        _: usize,
    ) -> axtile_core::Result<Vec<f64>> {
        Ok(values.to_vec())
    }
}

#[test]
fn operations_of_the_user_are_known() {
    let query = Query::parse("@ a : b >> Range by 2", &Range).unwrap();
    assert_eq!(query.canonical(), "@ a : b >> Range by 2");
    let message = Query::parse("@ a : b >> Rnage", &Range)
        .unwrap_err()
        .to_string();
    assert!(message.contains("did you mean 'Range'"), "{message}");
    let message = Query::parse("@ a : b >> Range x 2", &Range)
        .unwrap_err()
        .to_string();
    assert!(message.contains("it has: by"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_value_survives_escaping(value in "\\PC{0,12}|[ -~\\n\\t\u{80}-\u{ff}]{0,12}") {
        let escaped = escape_value(&value);
        prop_assert_eq!(unescape_value(&escaped), value.clone());
        let query = parse(&format!("@ {escaped} : {escaped} || {escaped} String")).unwrap();
        let again = parse(&query.canonical()).unwrap();
        prop_assert_eq!(&query, &again);
        prop_assert_eq!(query.axis_name(), Some(value.as_str()));
    }

    #[test]
    fn garbage_is_refused_and_never_breaks(text in "\\PC{0,40}") {
        if let Ok(query) = parse(&text) {
            let _ = query.plan();
        }
    }

    #[test]
    fn tokens_in_any_order_are_read_back_or_refused(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "@", ":", "::", ".", "?", "[", "]", "&", "|", "^", "!", "=", "!=", "<", ">=", "~",
            "??", "||", "=@", "@|", "@-", "/", "-/", "|/", "*", "%", ">>", ">-", ">|", "a", "b",
            "''", "7", "1.5", "String", "Int8", "Sum", "Mean", "Log", "eps", "1", "Abs", "\\^x", "#",
        ]), 0..14),
    ) {
        let text = tokens.join(" ");
        if let Ok(query) = parse(&text) {
            let canonical = query.canonical();
            let again = parse(&canonical).unwrap();
            prop_assert_eq!(&again, &query);
            prop_assert_eq!(again.canonical(), canonical);
            if let Ok(plan) = query.plan() {
                prop_assert_eq!(plan, again.plan().unwrap());
            }
        }
    }
}
