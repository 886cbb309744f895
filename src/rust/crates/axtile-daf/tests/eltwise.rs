//! Element-wise operations against naive code, whatever the threads; what
//! they refuse.

use axtile_core::Unwatched;
use axtile_daf::model::{ElementType, Values};
use axtile_daf::operations::{
    Columns, Eltwise, NoCustomOperations, Numbers, Parameter, Threads, apply, of_zero,
};
use proptest::prelude::*;

fn operation(name: &str, given: &[(&str, &str)]) -> Eltwise {
    let given: Vec<Parameter> = given
        .iter()
        .map(|(name, value)| Parameter {
            name: (*name).into(),
            value: (*value).into(),
        })
        .collect();
    Eltwise::parse(name, &given, &NoCustomOperations)
        .unwrap()
        .unwrap()
}

/// What each value becomes in a column; None where it is refused.
fn naive(operation: &Eltwise, column: &[f64]) -> Vec<Option<f64>> {
    let total: f64 = column.iter().sum();
    let one = |&x: &f64| {
        Some(match operation {
            Eltwise::Abs { .. } => x.abs(),
            Eltwise::Round { .. } => return (x.is_finite()).then(|| x.round_ties_even()),
            Eltwise::Clamp { .. } if x.is_nan() => x,
            Eltwise::Clamp { min, max, .. } => x.max(*min).min(*max),
            Eltwise::Convert { .. } => return (x.fract() == 0.0).then_some(x),
            Eltwise::Fraction { .. } if total == 0.0 => 0.0,
            Eltwise::Fraction { .. } => x / total,
            Eltwise::Log { eps, .. } if x + eps < 0.0 => return None,
            Eltwise::Log { base, eps, .. } => (x + eps).ln() / base.ln(),
            Eltwise::Significant { high, low } => {
                let reached = column.iter().any(|y| y.abs() >= *high);
                match x.is_nan() || (reached && x.abs() >= *low) {
                    true => x,
                    false => 0.0,
                }
            }
            Eltwise::Exp { .. } => x.exp(),
            Eltwise::Sqrt { .. } if x < 0.0 => return None,
            Eltwise::Sqrt { .. } => x.sqrt(),
            other => panic!("{other}"),
        })
    };
    column.iter().map(one).collect()
}

fn floats(values: &Values) -> Vec<f64> {
    match values {
        Values::Float64(values) => values.to_vec(),
        Values::Int64(values) => values.iter().map(|&value| value as f64).collect(),
        other => panic!("{other:?}"),
    }
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn operations_agree_with_naive_code(
        n_rows in 1_usize..9,
        n_columns in 1_usize..9,
        seeds in prop::collection::vec(0_usize..100, 64),
        palette in prop::sample::select(vec![
            vec![0.0, 1.0, 2.5, -3.5, 4.0, f64::NAN],
            vec![0.0, 0.0, 1.0, 2.0, 5.0],
            vec![0.0, 0.5, 1.5, 2.5],
        ]),
    ) {
        let values: Vec<f64> =
            seeds[..n_rows * n_columns].iter().map(|&seed| palette[seed % palette.len()]).collect();
        // The same without its zeros.
        let mut starts = vec![0];
        let mut kept = Vec::new();
        for column in values.chunks(n_rows) {
            kept.extend(column.iter().copied().filter(|&value| value != 0.0));
            starts.push(kept.len());
        }
        for how in [
            operation("Abs", &[]),
            operation("Round", &[]),
            operation("Clamp", &[("min", "-1"), ("max", "2.25")]),
            operation("Clamp", &[("min", "1")]),
            operation("Convert", &[("type", "Int64")]),
            operation("Fraction", &[]),
            operation("Log", &[("eps", "1")]),
            operation("Log", &[("base", "2")]),
            operation("Significant", &[("high", "3")]),
            operation("Significant", &[("high", "3"), ("low", "1.5")]),
            operation("Exp", &[]),
            operation("Sqrt", &[]),
        ] {
            let expected: Vec<Option<f64>> =
                values.chunks(n_rows).flat_map(|column| naive(&how, column)).collect();
            let dense = [1, 3].map(|n| {
                let threads = Threads { n, threshold: 0 };
                apply(&Numbers::Float64(&values), &Columns::Equal(n_rows), &how, &threads, &Unwatched)
            });
            let [one, three] = dense;
            if expected.contains(&None) {
                prop_assert!(one.is_err() && three.is_err(), "{how:?}");
                continue;
            }
            let (one, three) = (floats(&one.unwrap()), floats(&three.unwrap()));
            for ((&one, &three), expected) in one.iter().zip(&three).zip(&expected) {
                prop_assert!(near(one, expected.unwrap()), "{how:?}: {one}, not {expected:?}");
                prop_assert_eq!(one.to_bits(), three.to_bits());
            }
            let zero = of_zero(&how).unwrap();
            prop_assert!(near(zero, naive(&how, &[0.0])[0].unwrap()), "{how:?}");
            if zero == 0.0 {
                let threads = Threads::default();
                let columns = Columns::Starts(&starts);
                let sparse = apply(&Numbers::Float64(&kept), &columns, &how, &threads, &Unwatched).unwrap();
                let stored = values.iter().zip(&expected).filter(|(value, _)| **value != 0.0);
                for (got, (_, expected)) in floats(&sparse).iter().zip(stored) {
                    prop_assert!(near(*got, expected.unwrap()), "{how:?}");
                }
            }
        }
    }
}

fn applied(numbers: Numbers<'_>, how: &Eltwise) -> axtile_core::Result<Values> {
    apply(
        &numbers,
        &Columns::Equal(numbers.len()),
        how,
        &Threads::default(),
        &Unwatched,
    )
}

#[test]
fn whole_numbers_stay_whole_and_never_wrap() {
    let least = [i32::MIN, -1, 7];
    assert_eq!(
        applied(Numbers::Int32(&least), &operation("Abs", &[])).unwrap(),
        vec![1_u32 << 31, 1, 7].into()
    );
    assert!(
        applied(
            Numbers::Int32(&least),
            &operation("Abs", &[("type", "Int32")])
        )
        .is_err()
    );
    let clamp = operation("Clamp", &[("min", "0"), ("max", "300")]);
    assert_eq!(
        applied(Numbers::UInt8(&[1, 255]), &clamp).unwrap(),
        vec![1_u8, 255].into()
    );
    let high = operation("Clamp", &[("min", "300")]);
    assert!(applied(Numbers::UInt8(&[1]), &high).is_err());
    let beyond = operation("Clamp", &[("min", "1e30")]);
    assert!(applied(Numbers::Int64(&[1]), &beyond).is_err());
    let round = operation("Round", &[]);
    assert_eq!(
        applied(Numbers::Float64(&[0.5, 1.5, -2.5]), &round).unwrap(),
        vec![0_i64, 2, -2].into()
    );
    for bad in [f64::NAN, f64::INFINITY, 1e19] {
        assert!(applied(Numbers::Float64(&[bad]), &round).is_err());
    }
    let exact = [u64::MAX, 1 << 63];
    let convert = |kind: &str| operation("Convert", &[("type", kind)]);
    assert!(applied(Numbers::UInt64(&exact), &convert("Int64")).is_err());
    assert_eq!(
        applied(Numbers::UInt64(&exact), &convert("UInt64")).unwrap(),
        exact.to_vec().into()
    );
    let narrow = applied(Numbers::Float64(&[1e300]), &convert("Float32"));
    assert!(narrow.is_err());
    let bits = applied(Numbers::AllTrue(2), &convert("Int8")).unwrap();
    assert_eq!(bits, vec![1_i8, 1].into());
    assert_eq!(
        operation("Clamp", &[("max", "2.5")]).result_type(ElementType::Int64),
        ElementType::Float64
    );
}
