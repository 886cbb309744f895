//! Every kernel stops when it is asked to.

mod cut;

use axtile_core::{Error, Result, Watch};
use axtile_daf::model::{DenseMatrix, Indices, Matrix, SparseMatrix, Values};
use axtile_daf::operations::{
    Columns, Eltwise, MatrixView, Members, NoCustomOperations, Numbers, Parameter, Reduction,
    Request, Shape, SparseView, Threads, apply, reduce_matrix, reduce_streamed,
};
use cut::Cut;

/// Someone who asks to stop at once.
struct Stop;

impl Watch for Stop {
    fn advance(&self, _done: u64) {}

    fn is_interrupted(&self) -> bool {
        true
    }
}

const STARTS: [usize; 4] = [0, 1, 3, 5];
const ROWS: [u16; 5] = [1, 1, 2, 1, 2];
const KEPT: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 0.5];
const ALL: [f64; 6] = [1.0, 0.0, 2.0, 3.0, 4.0, 0.5];

fn is_stopped(got: Result<Values>) -> bool {
    matches!(got, Err(Error::Interrupted))
}

#[test]
fn every_kernel_stops() {
    let dense = MatrixView::Dense {
        values: Numbers::Float64(&ALL),
        n_rows: 2,
        n_columns: 3,
    };
    let sparse = MatrixView::Sparse(SparseView {
        n_rows: 2,
        starts: &STARTS,
        rows: Numbers::UInt16(&ROWS),
        values: Numbers::Float64(&KEPT),
    });
    let starts = Indices::from_positions(STARTS, 9);
    let rows = Indices::new(&ROWS.to_vec().into()).unwrap();
    let matrix = SparseMatrix::new(2, 3, starts, rows, KEPT.to_vec().into()).unwrap();
    let whole = DenseMatrix::new(2, 3, ALL.to_vec().into()).unwrap();
    let streamed = [Matrix::Sparse(matrix), Matrix::Dense(whole)].map(|one| Cut::new(one, 2));
    let p = Parameter {
        name: "p".into(),
        value: "0.9".into(),
    };
    let names = [
        "Sum", "Mean", "Min", "Max", "Median", "Quantile", "Mode", "Var", "StdN", "GeoMean",
    ];
    for (name, n) in names.iter().flat_map(|name| [(name, 1), (name, 2)]) {
        let threads = &Threads { n, threshold: 0 };
        let given: &[Parameter] = match *name {
            "Quantile" => std::slice::from_ref(&p),
            _ => &[],
        };
        let reduction = Reduction::parse(name, given, &NoCustomOperations)
            .unwrap()
            .unwrap();
        for shape in [Shape::PerRow, Shape::PerColumn, Shape::One] {
            let request = &Request {
                rows: Members::default(),
                columns: Members::default(),
                shape,
            };
            for matrix in [&dense, &sparse] {
                let got = reduce_matrix(matrix, request, &reduction, threads, &Stop);
                assert!(is_stopped(got), "{name} {shape:?}");
            }
            for matrix in &streamed {
                let got = reduce_streamed(matrix, request, &reduction, threads, &Stop);
                assert!(is_stopped(got), "{name} {shape:?}");
            }
        }
        let abs = Eltwise::parse("Abs", &[], &NoCustomOperations);
        let abs = abs.unwrap().unwrap();
        let numbers = Numbers::Float64(&ALL);
        let got = apply(&numbers, &Columns::Equal(2), &abs, threads, &Stop);
        assert!(is_stopped(got));
    }
}
