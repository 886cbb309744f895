//! Worked queries of the shared example data, with their known results.

use crate::support::{Store, answer, number, read_files, refusal, shared, shown};
use axtile_daf::model::ElementType;
use axtile_daf::query::Answer;

/// The example stores read one after the other; None without shared data.
fn store(names: &[&str]) -> Option<Store> {
    let folder = shared()?.join("fixtures/daf");
    let mut store = Store::default();
    for name in names {
        read_files(&mut store, &folder.join(name));
    }
    Some(store)
}

fn size(store: &Store, query: &str) -> (usize, usize) {
    match answer(store, query) {
        Answer::Entries(entries) => (entries.len(), 1),
        Answer::Vector { entries, values } => {
            assert_eq!(entries.len(), values.len());
            (entries.len(), 1)
        }
        Answer::Matrix {
            rows,
            columns,
            values,
        } => {
            assert_eq!(
                (rows.len(), columns.len()),
                (values.n_rows(), values.n_columns())
            );
            (rows.len(), columns.len())
        }
        other => panic!("{query}: {other:?}"),
    }
}

fn scalar(store: &Store, query: &str) -> f64 {
    match answer(store, query) {
        Answer::Scalar(scalar) => number(&scalar),
        other => panic!("{query}: {other:?}"),
    }
}

fn at(store: &Store, query: &str, entry: &str) -> f64 {
    match answer(store, query) {
        Answer::Vector { entries, values } => {
            let idx = (0..entries.len()).find(|&idx| entries.name(idx) == entry);
            number(&values.get(idx.expect(entry)).unwrap())
        }
        other => panic!("{query}: {other:?}"),
    }
}

/// The first row of a matrix.
fn row(store: &Store, query: &str, n: usize) -> Vec<f64> {
    match answer(store, query) {
        Answer::Matrix { values, .. } => {
            let one = |column| number(&values.get(0, column).unwrap());
            (0..n).map(one).collect()
        }
        other => panic!("{query}: {other:?}"),
    }
}

fn first(store: &Store, query: &str, n: usize) -> Vec<f64> {
    match answer(store, query) {
        Answer::Vector { values, .. } => (0..n)
            .map(|idx| number(&values.get(idx).unwrap()))
            .collect(),
        other => panic!("{query}: {other:?}"),
    }
}

/// Equal in 7 digits, as R shows them, but for what a float of 32 bits cannot
/// tell apart.
#[track_caller]
fn near(got: f64, expected: f64) {
    let digit = 10_f64.powf(expected.abs().log10().floor() - 6.0);
    let tolerance = 0.5001 * digit + f64::from(f32::EPSILON) / 2.0 * expected.abs();
    assert!((got - expected).abs() <= tolerance, "{got}, not {expected}");
}

#[test]
fn queries_of_the_example_cells() {
    let Some(cells) = store(&["cells_daf"]) else {
        return;
    };
    let cells = &cells;
    assert_eq!(shown(cells, ". ?"), "organism reference");
    assert_eq!(shown(cells, "@ ?"), "cell donor experiment gene");
    assert_eq!(shown(cells, "@ cell : ?"), "donor experiment");
    assert_eq!(shown(cells, "@ cell @ gene :: ?"), "UMIs");
    assert_eq!(shown(cells, ". organism"), "human");
    assert_eq!(shown(cells, ". missing || 7"), "7");
    assert_eq!(shown(cells, ". missing || foo String"), "foo");
    assert_eq!(shown(cells, ": age @ donor = N16"), "61");
    assert_eq!(scalar(cells, "@ gene : is_lateral >> Sum"), 438.0);
    assert_eq!(scalar(cells, "@ cell @ gene :: UMIs >> Sum"), 1_171_936.0);
    near(scalar(cells, "@ donor : age >> Mean"), 64.41053);
    assert_eq!(scalar(cells, "@ donor : age >> Median"), 66.0);
    assert_eq!(scalar(cells, "@ donor : age >> Max"), 91.0);
    assert_eq!(scalar(cells, "@ donor : age >> Count"), 95.0);
    near(scalar(cells, "@ donor : age >> Var"), 184.9999);
    near(scalar(cells, "@ donor : age >> Std"), 13.60147);
    near(scalar(cells, "@ donor : age >> VarN eps 0.1"), 2.867747);
    near(scalar(cells, "@ donor : age >> StdN"), 0.2111684);
    assert_eq!(scalar(cells, "@ donor : age >> Quantile p 0.25"), 54.5);
    near(scalar(cells, "@ donor : age >> GeoMean"), 62.77691);
    near(scalar(cells, "@ donor : age >> GeoMean eps 1"), 62.80778);
    assert_eq!(scalar(cells, "@ donor : age >> Mode"), 73.0);
    assert_eq!(shown(cells, "@ donor : sex >> Mode"), "female");
    for (query, n) in [
        ("@ donor [ age > 60 ]", 59),
        ("@ donor [ ! age > 60 ]", 36),
        ("@ donor [ age > 60 & sex = male ]", 29),
        ("@ donor [ age > 60 | sex = male ]", 73),
        ("@ donor [ age > 60 ^ sex = male ]", 44),
        ("@ donor [ age > 60 & ! sex = male ]", 30),
        ("@ donor [ age > 60 &! sex = male ]", 30),
        ("@ gene [ is_lateral ]", 438),
        ("@ gene [ ! is_lateral ]", 245),
        ("@ gene [ is_lateral = true ]", 438),
        ("@ gene [ is_lateral != 1 ]", 245),
        ("@ cell [ UMIs @ gene = RPL22 > 0 ]", 834),
        ("@ cell [ donor : age > 60 ] : donor", 518),
        ("@ cell : donor : age", 856),
        ("@ donor : age > 60", 95),
        ("@ donor [ index <= 3 ]", 3),
    ] {
        assert_eq!(size(cells, query), (n, 1), "{query}");
    }
    assert_eq!(shown(cells, "@ donor [ name ~ \\^N1.\\$ ]"), "N16 N17 N18");
    assert_eq!(shown(cells, "@ donor [ name = N16 ]"), "N16");
    assert_eq!(first(cells, "@ cell : donor : age", 1), [55.0]);
    let sexes = shown(cells, "@ cell : donor =@ : sex");
    assert!(sexes.split(' ').next().unwrap().ends_with("=male"));
    assert_eq!(
        at(cells, "@ donor : age % Clamp min 40 max 60", "N16"),
        60.0
    );
    near(
        at(cells, "@ donor : age % Log base 2 eps 1", "N16"),
        5.954196,
    );
    near(at(cells, "@ donor : age % Fraction", "N16"), 0.009968949);
    near(at(cells, "@ donor : age / sex >> Mean", "female"), 63.19231);
    near(at(cells, "@ donor : age / sex >> Mean", "male"), 65.88372);
    assert_eq!(
        shown(cells, "@ donor : age / sex >> Count"),
        "female=52 male=43"
    );
    assert_eq!(size(cells, "@ cell : donor / experiment >> Mode"), (23, 1));
    let counts = "@ cell : experiment * donor : sex";
    assert_eq!(size(cells, counts), (23, 2));
    assert_eq!(row(cells, counts, 2), [23.0, 14.0]);
    assert_eq!(scalar(cells, &format!("{counts} >> Sum")), 856.0);
    assert_eq!(size(cells, "@ cell @ gene :: UMIs"), (856, 683));
    assert_eq!(row(cells, "@ cell @ gene :: UMIs", 3), [12.0, 1.0, 1.0]);
    for query in [
        "@ gene @ cell :: UMIs >| Sum",
        "@ cell @ gene :: UMIs >- Sum",
    ] {
        for (gene, sum) in [("RPL22", 5114.0), ("PARK7", 409.0), ("ENO1", 887.0)] {
            assert_eq!(at(cells, query, gene), sum);
        }
    }
    let grouped = "@ cell @ gene :: UMIs -/ experiment >- Sum";
    assert_eq!(size(cells, grouped), (23, 683));
    assert_eq!(row(cells, grouped, 3), [257.0, 26.0, 61.0]);
    let slice = "@ cell :: UMIs @ gene = RPL22";
    assert_eq!(first(cells, slice, 3), [12.0, 8.0, 3.0]);
    let lateral = "@ cell @ gene [ is_lateral ] :: UMIs >| Sum";
    assert_eq!(first(cells, lateral, 2), [2095.0, 2874.0]);
    let both = "@ cell [ donor = N16 ] @ gene [ is_lateral ] :: UMIs >> Sum";
    assert_eq!(scalar(cells, both), 22234.0);
    for query in [
        "@ nope",
        "@ cell : nope",
        "@ cell : donor >> Sum",
        "@ gene :: UMIs @ cell = NOPE",
    ] {
        assert!(refusal(cells, query).ends_with('^'), "{query}");
    }
    assert!(refusal(cells, "@ cell : dono").contains("did you mean 'donor'"));
    assert!(refusal(cells, "@ cel : donor").contains("did you mean 'cell'"));
    assert!(refusal(cells, "@ cell @ gene :: UMI").contains("did you mean 'UMIs'"));
    assert!(refusal(cells, "@ cell : donor : agee").contains("did you mean 'age'"));
    // A look-up after the label of a group.
    let by_sex = "@ cell @ gene :: UMIs -/ donor : sex >- Mean";
    assert_eq!(size(cells, by_sex), (2, 683));
    let sums = "@ cell @ gene :: UMIs -/ donor : sex >- Sum";
    assert_eq!(scalar(cells, &format!("{sums} >> Sum")), 1_171_936.0);
    let Answer::Matrix { values, .. } = answer(cells, "@ gene @ cell :: UMIs % Convert type Int64")
    else {
        panic!("no matrix")
    };
    assert_eq!(values.element_type(), ElementType::Int64);
}

#[test]
fn queries_of_the_example_metacells() {
    let Some(metacells) = store(&["metacells_daf"]) else {
        return;
    };
    let metacells = &metacells;
    let colors = shown(metacells, "@ metacell : type : color");
    assert!(colors.contains("M1671.28=gold"), "{colors}");
    for same in [
        "@ metacell : type =@ : color",
        "@ metacell : type =@ type : color",
    ] {
        assert_eq!(shown(metacells, same), colors);
    }
    near(
        at(
            metacells,
            "@ gene :: fraction @ metacell = M412.08",
            "RPL22",
        ),
        0.003735807,
    );
    assert_eq!(
        at(
            metacells,
            "@ metacell :: edge_weight @| M412.08",
            "M1440.15"
        ),
        0.5
    );
    let edges = "@ metacell :: edge_weight @- M412.08";
    assert_eq!(at(metacells, edges, "M756.63"), 0.9);
    assert_eq!(at(metacells, edges, "M2169.56"), 0.1);
    let edge = ":: edge_weight @ metacell = M412.08 @ metacell = M756.63";
    assert_eq!(scalar(metacells, edge), 0.9);
    near(
        first(metacells, "@ metacell @ gene :: fraction >| Max", 1)[0],
        0.02332097,
    );
    near(
        at(metacells, "@ metacell @ gene :: fraction >- Max", "RPL22"),
        0.004740956,
    );
    let rows = |query: &str| match answer(metacells, query) {
        Answer::Matrix { rows, .. } => rows.texts().iter().collect::<Vec<_>>().join(" "),
        other => panic!("{other:?}"),
    };
    let sorted = rows("@ metacell @ gene :: fraction -/ type >- Mean");
    assert_eq!(sorted, "MEBEMP-E MEBEMP-L MPP memory-B");
    let in_order = rows("@ metacell @ gene :: fraction -/ type =@ >- Mean");
    assert_eq!(in_order, "memory-B MEBEMP-E MEBEMP-L MPP");
    let all = shown(metacells, "@ metacell : type != ''");
    assert!(!all.contains("false") && all.matches("true").count() == 7);
    let near_one = shown(metacells, "@ metacell [ edge_weight @| M412.08 > 0 ]");
    assert_eq!(near_one, "M1440.15 M756.63");
}

#[test]
fn queries_of_the_example_chain() {
    let Some(chain) = store(&["cells_daf", "metacells_daf"]) else {
        return;
    };
    let chain = &chain;
    let metacells = shown(chain, "@ cell : metacell");
    assert_eq!(
        metacells
            .split(' ')
            .filter(|one| one.ends_with('='))
            .count(),
        4
    );
    assert_eq!(size(chain, "@ cell : metacell ?? : type"), (852, 1));
    let with_none = shown(chain, "@ cell : metacell ?? none : type");
    assert_eq!(with_none.split(' ').count(), 856);
    assert_eq!(with_none.matches("=none").count(), 4);
    assert!(refusal(chain, "@ cell : metacell : type").contains("is empty"));
    let ages = "@ cell : donor : age / metacell ?? : type >> Mean";
    for (group, mean) in [
        ("MEBEMP-E", 63.97674),
        ("MEBEMP-L", 63.95238),
        ("MPP", 64.23795),
        ("memory-B", 62.30769),
    ] {
        near(at(chain, ages, group), mean);
    }
    let masked = "@ cell [ metacell ?? : type != memory-B ] : donor : age \
                  / metacell : type =@ >> Mean || 0";
    assert_eq!(at(chain, masked, "memory-B"), 0.0);
    near(at(chain, masked, "MPP"), 64.23795);
}
