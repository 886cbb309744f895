//! Reductions against naive code: dense, sparse, selected and grouped agree,
//! whatever the threads.

mod cut;

use axtile_core::Unwatched;
use axtile_daf::model::{DenseMatrix, ElementType, Indices, Matrix, SparseMatrix, Values};
use axtile_daf::operations::{
    MatrixView, Members, NO_SLOT, NoCustomOperations, Numbers, Parameter, Reduction, Request,
    Shape, SparseView, Threads, reduce_matrix, reduce_streamed,
};
use cut::Cut;
use proptest::prelude::*;

/// A sparse matrix: where columns start, rows from 1, values.
struct Sparse<T> {
    starts: Vec<usize>,
    rows: Vec<u16>,
    values: Vec<T>,
}

/// Leaves out zeros, but for every third, which is stored.
fn sparse_of<T: Copy + PartialEq + Default>(values: &[T], n_rows: usize) -> Sparse<T> {
    let mut sparse = Sparse {
        starts: vec![0],
        rows: Vec::new(),
        values: Vec::new(),
    };
    for (at, &value) in values.iter().enumerate() {
        if value != T::default() || at % 3 == 0 {
            sparse.rows.push((at % n_rows) as u16 + 1);
            sparse.values.push(value);
        }
        if (at + 1) % n_rows == 0 {
            sparse.starts.push(sparse.values.len());
        }
    }
    sparse
}

fn reductions() -> Vec<Reduction> {
    let with = |name: &str, given: &[(&str, &str)]| {
        let given: Vec<Parameter> = given
            .iter()
            .map(|(name, value)| Parameter {
                name: (*name).into(),
                value: (*value).into(),
            })
            .collect();
        Reduction::parse(name, &given, &NoCustomOperations)
            .unwrap()
            .unwrap()
    };
    vec![
        with("Sum", &[]),
        with("Mean", &[("type", "Float64")]),
        with("Min", &[]),
        with("Max", &[]),
        with("Median", &[("type", "Float64")]),
        with("Quantile", &[("p", "0.3"), ("type", "Float64")]),
        with("Quantile", &[("p", "1"), ("type", "Float64")]),
        with("Mode", &[]),
        with("Count", &[]),
        with("Var", &[("type", "Float64")]),
        with("StdN", &[("eps", "0.5"), ("type", "Float64")]),
        with("GeoMean", &[("type", "Float64")]),
        with("GeoMean", &[("eps", "9"), ("type", "Float64")]),
    ]
}

/// The reduction of a few numbers, word for word. None where it is refused.
fn naive(reduction: &Reduction, values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let sum: f64 = values.iter().sum();
    let mean = sum / n;
    let var = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let has_nan = values.iter().any(|x| x.is_nan());
    if let Reduction::GeoMean { eps, .. } = reduction {
        if values.iter().any(|x| x + eps < 0.0) {
            return None;
        }
        let logs: f64 = values.iter().map(|x| (x + eps).ln()).sum();
        return Some((logs / n).exp() - eps);
    }
    if has_nan && !matches!(reduction, Reduction::Count { .. }) {
        return Some(f64::NAN);
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let quantile = |p: f64| {
        let place = p * (n - 1.0);
        let (low, high) = (
            sorted[place.floor() as usize],
            sorted[place.ceil() as usize],
        );
        low + (place - place.floor()) * (high - low)
    };
    Some(match reduction {
        Reduction::Sum { .. } => sum,
        Reduction::Mean { .. } => mean,
        Reduction::Min => sorted[0],
        Reduction::Max => sorted[values.len() - 1],
        Reduction::Median { .. } => quantile(0.5),
        Reduction::Quantile { p, .. } => quantile(*p),
        Reduction::Mode => {
            let count = |x: f64| values.iter().filter(|&&y| y == x).count();
            let best = values.iter().map(|&x| count(x)).max().unwrap();
            *values.iter().find(|&&x| count(x) == best).unwrap()
        }
        Reduction::Count { .. } => n,
        Reduction::Var { .. } => var,
        Reduction::StdN { eps, .. } => var.sqrt() / (mean + eps),
        other => panic!("{other}"),
    })
}

fn floats(values: &Values) -> Vec<f64> {
    match values {
        Values::Float64(values) => values.to_vec(),
        Values::Int32(values) => values.iter().map(|&value| value.into()).collect(),
        Values::UInt32(values) => values.iter().map(|&value| value.into()).collect(),
        other => panic!("{other:?}"),
    }
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// The values of each result, by columns of results.
fn expected_slots(
    values: &[f64],
    n_rows: usize,
    n_columns: usize,
    request: &Request<'_>,
) -> Vec<Vec<f64>> {
    let row_sets = request.rows.sets(n_rows);
    let column_sets = request.columns.sets(n_columns);
    let at = |row: u32, column: u32| values[column as usize * n_rows + row as usize];
    match request.shape {
        Shape::PerRow => column_sets
            .iter()
            .flat_map(|set| {
                let rows = &row_sets[0];
                rows.iter()
                    .map(move |&row| set.iter().map(|&column| at(row, column)).collect())
            })
            .collect(),
        Shape::PerColumn => column_sets[0]
            .iter()
            .flat_map(|&column| {
                row_sets
                    .iter()
                    .map(move |set| set.iter().map(|&row| at(row, column)).collect())
            })
            .collect(),
        Shape::One => vec![
            column_sets[0]
                .iter()
                .flat_map(|&column| row_sets[0].iter().map(move |&row| at(row, column)))
                .collect(),
        ],
    }
}

/// Checks one matrix in all ways.
fn check(
    numbers: Numbers<'_>,
    sparse: SparseView<'_>,
    kept: (Values, Values),
    values: &[f64],
    n_rows: usize,
    request: &Request<'_>,
) {
    let n_columns = values.len() / n_rows;
    let Numbers::UInt16(rows) = sparse.rows else {
        panic!("other rows");
    };
    let streamed = [
        Cut::new(
            Matrix::Dense(DenseMatrix::new(n_rows, n_columns, kept.0).unwrap()),
            3,
        ),
        Cut::new(sparse_matrix(n_rows, sparse.starts, rows, kept.1), 2),
    ];
    let dense = MatrixView::Dense {
        values: numbers,
        n_rows,
        n_columns,
    };
    let slots = expected_slots(values, n_rows, n_columns, request);
    if slots.iter().all(|slot| slot.is_empty()) {
        return;
    }
    for reduction in reductions() {
        let expected: Vec<Option<f64>> = slots
            .iter()
            .map(|slot| match slot.is_empty() {
                true => Some(0.0),
                false => naive(&reduction, slot),
            })
            .collect();
        for way in 0..4 {
            let got = [1, 3].map(|n| {
                let threads = &Threads { n, threshold: 0 };
                let matrix = match way {
                    0 => dense,
                    1 => MatrixView::Sparse(sparse),
                    _ => {
                        let cut = &streamed[way - 2];
                        return reduce_streamed(cut, request, &reduction, threads, &Unwatched);
                    }
                };
                reduce_matrix(&matrix, request, &reduction, threads, &Unwatched)
            });
            if expected.contains(&None) {
                assert!(got.iter().all(Result::is_err), "{reduction:?}");
                continue;
            }
            let [one, three] = got.map(|got| floats(&got.unwrap()));
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one), bits(&three), "{reduction:?}");
            assert_eq!(one.len(), expected.len(), "{reduction:?}");
            for ((&got, wanted), slot) in one.iter().zip(&expected).zip(&slots) {
                let is_right = slot.is_empty() || near(got, wanted.unwrap());
                assert!(is_right, "{reduction:?} of {slot:?}: {got}, not {wanted:?}");
            }
        }
    }
}

fn sparse_matrix(n_rows: usize, starts: &[usize], rows: &[u16], values: Values) -> Matrix {
    let size = rows.len() + 1;
    let starts = Indices::from_positions(starts.to_vec(), size);
    let rows = Indices::new(&rows.to_vec().into()).unwrap();
    let n_columns = starts.len() - 1;
    Matrix::Sparse(SparseMatrix::new(n_rows, n_columns, starts, rows, values).unwrap())
}

fn view<'a, T>(sparse: &'a Sparse<T>, n_rows: usize, values: Numbers<'a>) -> SparseView<'a> {
    SparseView {
        n_rows,
        starts: &sparse.starts,
        rows: Numbers::UInt16(&sparse.rows),
        values,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn kernels_agree_with_naive_code(
        n_rows in 1_usize..12,
        n_columns in 1_usize..12,
        seeds in prop::collection::vec(0_usize..40, 144),
        picks in prop::collection::vec(any::<bool>(), 12),
        groups in prop::collection::vec(0_u32..4, 12),
        has_nan in any::<bool>(),
        shape in prop::sample::select(vec![Shape::PerRow, Shape::PerColumn, Shape::One]),
        is_grouped in any::<bool>(),
        is_selected in any::<bool>(),
    ) {
        let palette = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.5, -3.0, -3.0, 7.0, -0.0,
            if has_nan { f64::NAN } else { 4.0 }];
        let values: Vec<f64> =
            seeds[..n_rows * n_columns].iter().map(|&seed| palette[seed % palette.len()]).collect();
        let pick = |n: usize| (0..n as u32).filter(|&at| picks[at as usize]).collect::<Vec<_>>();
        let (rows, columns) = (pick(n_rows), pick(n_columns));
        let groups: Vec<u32> = groups.iter().map(|&group| if group == 3 { NO_SLOT } else { group }).collect();
        let selected = |members| is_selected.then_some(members);
        let n_selected = |n: usize, selected: Option<&[u32]>| selected.map_or(n, <[u32]>::len);
        let mut request = Request {
            rows: Members { selected: selected(&rows[..]), groups: None },
            columns: Members { selected: selected(&columns[..]), groups: None },
            shape,
        };
        if is_grouped && shape == Shape::PerRow {
            let n = n_selected(n_columns, request.columns.selected);
            request.columns.groups = Some((&groups[..n], 3));
        }
        if is_grouped && shape == Shape::PerColumn {
            let n = n_selected(n_rows, request.rows.selected);
            request.rows.groups = Some((&groups[..n], 3));
        }
        let sparse = sparse_of(&values, n_rows);
        check(Numbers::Float64(&values), view(&sparse, n_rows, Numbers::Float64(&sparse.values)),
            (values.clone().into(), sparse.values.clone().into()), &values, n_rows, &request);
        let whole: Vec<i32> = values.iter().map(|&value| value as i32).collect();
        let as_floats: Vec<f64> = whole.iter().map(|&value| value.into()).collect();
        let sparse = sparse_of(&whole, n_rows);
        check(Numbers::Int32(&whole), view(&sparse, n_rows, Numbers::Int32(&sparse.values)),
            (whole.clone().into(), sparse.values.clone().into()), &as_floats, n_rows, &request);
    }
}

fn all(shape: Shape) -> Request<'static> {
    Request {
        rows: Members::default(),
        columns: Members::default(),
        shape,
    }
}

fn column(values: Numbers<'_>) -> MatrixView<'_> {
    MatrixView::Dense {
        n_rows: values.len(),
        values,
        n_columns: 1,
    }
}

fn reduced(values: Numbers<'_>, name: &str, kind: Option<&str>) -> axtile_core::Result<Values> {
    let given: Vec<Parameter> = kind
        .map(|kind| Parameter {
            name: "type".into(),
            value: kind.into(),
        })
        .into_iter()
        .collect();
    let reduction = Reduction::parse(name, &given, &NoCustomOperations)
        .unwrap()
        .unwrap();
    reduce_matrix(
        &column(values),
        &all(Shape::One),
        &reduction,
        &Threads::default(),
        &Unwatched,
    )
}

#[test]
fn whole_sums_do_not_overflow() {
    let large = [i32::MAX; 3];
    let sum = 3 * i64::from(i32::MAX);
    let int64 = Values::Int64(vec![sum].into());
    assert_eq!(reduced(Numbers::Int32(&large), "Sum", None).unwrap(), int64);
    assert_eq!(
        reduced(Numbers::Int32(&large), "Sum", Some("Int64")).unwrap(),
        int64
    );
    assert!(reduced(Numbers::Int32(&large), "Sum", Some("Int32")).is_err());
    assert!(reduced(Numbers::Int64(&[i64::MAX, 1]), "Sum", None).is_err());
    assert_eq!(
        reduced(Numbers::Int64(&[i64::MAX, 1]), "Sum", Some("UInt64")).unwrap(),
        Values::UInt64(vec![1 << 63].into())
    );
    assert_eq!(
        reduced(Numbers::UInt64(&[u64::MAX, u64::MAX]), "Mean", None).unwrap(),
        Values::Float64(vec![u64::MAX as f64].into())
    );
}

#[test]
fn types_are_kept() {
    let kinds = [
        ("Sum", ElementType::UInt32),
        ("Mean", ElementType::Float32),
        ("Min", ElementType::UInt8),
        ("Mode", ElementType::UInt8),
        ("Median", ElementType::Float32),
        ("Count", ElementType::UInt32),
    ];
    for (name, kind) in kinds {
        let values = reduced(Numbers::UInt8(&[1, 2]), name, None).unwrap();
        let expected = match kind {
            ElementType::UInt32 => matches!(values, Values::UInt32(_)),
            ElementType::Float32 => matches!(values, Values::Float32(_)),
            _ => matches!(values, Values::UInt8(_)),
        };
        assert!(expected, "{name}: {values:?}");
    }
}

#[test]
fn variance_survives_a_large_mean() {
    let values = [1e8 + 1.0, 1e8 + 2.0, 1e8 + 3.0];
    let dense = reduced(Numbers::Float64(&values), "Var", None).unwrap();
    let Values::Float64(dense) = dense else {
        panic!("{dense:?}")
    };
    assert!((dense[0] - 2.0 / 3.0).abs() < 1e-9);
    let sparse = MatrixView::Sparse(SparseView {
        n_rows: 3,
        starts: &[0, 3],
        rows: Numbers::Int64(&[1, 2, 3]),
        values: Numbers::Float64(&values),
    });
    let var = Reduction::Var { kind: None };
    for shape in [Shape::One, Shape::PerColumn] {
        let got =
            reduce_matrix(&sparse, &all(shape), &var, &Threads::default(), &Unwatched).unwrap();
        assert_eq!(got, Values::Float64(dense.clone()));
    }
}

#[test]
fn damaged_indices_are_refused() {
    for row in [0_u32, 4, u32::MAX] {
        let rows = [1, row];
        let sparse = MatrixView::Sparse(SparseView {
            n_rows: 3,
            starts: &[0, 2],
            rows: Numbers::UInt32(&rows),
            values: Numbers::Float64(&[1.0, 2.0]),
        });
        let rows_first = [0_u32, 2];
        let mut request = all(Shape::PerRow);
        for reduction in reductions() {
            if matches!(reduction, Reduction::Count { .. }) {
                continue;
            }
            let threads = Threads::default();
            assert!(reduce_matrix(&sparse, &request, &reduction, &threads, &Unwatched).is_err());
            request.rows.selected = Some(&rows_first);
            assert!(reduce_matrix(&sparse, &request, &reduction, &threads, &Unwatched).is_err());
        }
    }
}

#[test]
fn chunks_are_merged_alike_by_any_number_of_threads() {
    // More values than one thread takes at once, of vectors and of matrices.
    let (n_rows, n_columns) = (150, 8_000);
    let values: Vec<f64> = (0..n_rows * n_columns)
        .map(|at| 1.0 + ((at * 7919) % 1009) as f64 / 7.0)
        .collect();
    let sparse = sparse_of(&values, n_rows);
    let matrix = MatrixView::Sparse(view(&sparse, n_rows, Numbers::Float64(&sparse.values)));
    let vector = column(Numbers::Float64(&values));
    let row: Vec<f64> = values.chunks(n_rows).map(|column| column[3]).collect();
    let merged = reductions().into_iter().filter(|reduction| {
        // The others look at all values at once.
        let name = reduction.name();
        !["Median", "Quantile", "Mode", "Count"].contains(&name)
    });
    for reduction in merged {
        for (data, shape, naive_values, at) in [
            (&matrix, Shape::PerRow, &row, 3),
            (&vector, Shape::One, &values, 0),
        ] {
            let [one, two, five] = [1, 2, 5].map(|n| {
                let threads = Threads { n, threshold: 0 };
                floats(&reduce_matrix(data, &all(shape), &reduction, &threads, &Unwatched).unwrap())
            });
            assert!(one == two && one == five, "{reduction:?}");
            let wanted = naive(&reduction, naive_values).unwrap();
            assert!(
                near(one[at], wanted),
                "{reduction:?}: {}, not {wanted}",
                one[at]
            );
        }
    }
}
