//! Processor time of queries and of opening large axes, by one thread: of a
//! sparse matrix of 10,000 x 10,000 with 5 million values in both layouts, and
//! of an axis of a million entries. Stores are opened anew each time; the
//! second column of figures is what the fastest R package takes, of which
//! `benchmarks/daf` measures both in one run. Other arguments than Cargo's
//! pick queries by their names.

use std::path::Path;

use axtile_core::{Result, Unwatched};
use axtile_daf::model::{
    DenseMatrix, Indices, Matrix, Reader, SparseMatrix, Texts, Values, Vector, Writer,
};
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Options, Query};
use axtile_daf::{FilesDaf, OpenMode};

const N: usize = 10_000;
const N_KEPT: usize = 5_000_000;
const N_CELLS: usize = 1_000_000;
const REPEATS: usize = 5;
/// Calls that are timed together: the system counts in steps of 4 ms.
const CALLS: usize = 4;

/// Milliseconds of processor that the thread has had.
fn processor_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    first.unwrap_or(f64::NAN) / 1e6
}

/// The same numbers in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn real(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn big_sparse(store: &dyn Writer) -> Result<()> {
    let mut random = Random(9001);
    for axis in ["row", "col"] {
        let names = (1..=N).map(|at| format!("{axis}_{at:05}"));
        store.add_axis(axis, names.collect::<Texts>())?;
    }
    let mut places: Vec<usize> = (0..N_KEPT + N_KEPT / 20)
        .map(|_| random.below(N * N))
        .collect();
    places.sort_unstable();
    places.dedup();
    while places.len() > N_KEPT {
        let at = random.below(places.len());
        places.swap_remove(at);
    }
    places.sort_unstable();
    let mut starts = vec![0; N + 1];
    for place in &places {
        starts[place / N + 1] += 1;
    }
    for column in 0..N {
        starts[column + 1] += starts[column];
    }
    let values: Vec<f64> = places.iter().map(|_| 0.1 + 9.9 * random.real()).collect();
    let size = places.len();
    let matrix = SparseMatrix::new(
        N,
        N,
        Indices::from_positions(starts, size),
        Indices::from_positions(places.iter().map(|place| place % N), size),
        values.into(),
    )
    .expect("a matrix");
    store.set_matrix("row", "col", "value", &Matrix::Sparse(matrix), false, true)?;
    for n_groups in [100, 1000] {
        let labels = (0..N).map(|_| format!("g{n_groups}_{:04}", random.below(n_groups) + 1));
        let labels = Values::String(labels.collect::<Texts>());
        let name = format!("group_{n_groups}");
        store.set_vector("row", &name, &Vector::Dense(labels), false)?;
    }
    Ok(())
}

fn cells(store: &dyn Writer) -> Result<()> {
    let mut random = Random(17);
    let names = (0..N_CELLS).map(|at| format!("cell_{at:07}_{:04x}", at % 65536));
    store.add_axis("cell", names.collect::<Texts>())?;
    let reals: Vec<f64> = (0..N_CELLS).map(|_| random.real()).collect();
    store.set_vector("cell", "x", &reals.into(), false)?;
    let flags: Vec<u8> = (0..N_CELLS)
        .map(|_| u8::from(random.below(2) == 1))
        .collect();
    store.set_vector(
        "cell",
        "flag",
        &Vector::Dense(Values::Bool(flags.into())),
        false,
    )?;
    for (name, n) in [("g", 50), ("i", 20)] {
        let labels = (0..N_CELLS).map(|_| format!("{name}{:02}", random.below(n)));
        let labels = Values::String(labels.collect::<Texts>());
        store.set_vector("cell", name, &Vector::Dense(labels), false)?;
    }
    Ok(())
}

fn dense(store: &dyn Writer) -> Result<()> {
    let mut random = Random(5);
    let (n_rows, n_columns) = (5000, 2000);
    for (axis, n) in [("tall", n_rows), ("wide", n_columns)] {
        let names = (0..n).map(|at| format!("{axis}{at}"));
        store.add_axis(axis, names.collect::<Texts>())?;
    }
    let values: Vec<f64> = (0..n_rows * n_columns)
        .map(|_| (random.real() * 50.0).floor())
        .collect();
    let matrix = DenseMatrix::new(n_rows, n_columns, values.into()).expect("a matrix");
    store.set_matrix("tall", "wide", "d", &Matrix::Dense(matrix), false, false)
}

fn evaluate(path: &Path, query: &str) -> Result<usize> {
    let store = FilesDaf::open(path, OpenMode::Read, None)?;
    let options = Options {
        threads: Threads::default(),
        custom: &NoCustomOperations,
        watch: &Unwatched,
    };
    let query = Query::parse(query, &NoCustomOperations)?;
    let evaluated = query.evaluate(&store, &options)?;
    Ok(evaluated.dependencies.len())
}

fn shown(name: &str, other_ms: Option<f64>, mut work: impl FnMut()) {
    let picked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|one| one != "--bench")
        .collect();
    if !picked.is_empty() && !picked.iter().any(|one| name.contains(one.as_str())) {
        return;
    }
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let before = processor_ms();
            (0..CALLS).for_each(|_| work());
            (processor_ms() - before) / CALLS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (least, median) = (times[0], times[times.len() / 2]);
    let ratio = other_ms.map(|other| format!("{other:8.1} {:6.1}x", other / median));
    println!(
        "{name:24} {median:8.2} {least:8.2} {}",
        ratio.unwrap_or_default()
    );
}

/// Queries with the processor time of dafr 0.4.9, in milliseconds.
const QUERIES: [(&str, &str, f64); 28] = [
    ("sum_row", "@ row @ col :: value >| Sum", 382.0),
    ("sum_col", "@ row @ col :: value >- Sum", 319.0),
    ("mean_row", "@ row @ col :: value >| Mean", 342.0),
    ("mean_col", "@ row @ col :: value >- Mean", 293.0),
    ("var_row", "@ row @ col :: value >| Var", 305.0),
    ("max_row", "@ row @ col :: value >| Max", 288.0),
    ("max_col", "@ row @ col :: value >- Max", 291.0),
    ("median_row", "@ row @ col :: value >| Median", 342.0),
    ("mode_row", "@ row @ col :: value >| Mode", 1559.0),
    (
        "geomean_row",
        "@ row @ col :: value >| GeoMean eps 1",
        317.0,
    ),
    ("std_row", "@ row @ col :: value >| Std", 306.0),
    (
        "quantile_row",
        "@ row @ col :: value >| Quantile p 0.5",
        381.0,
    ),
    (
        "quantile99_row",
        "@ row @ col :: value >| Quantile p 0.99",
        381.0,
    ),
    (
        "g2_sum_100",
        "@ row @ col :: value -/ group_100 >- Sum",
        424.0,
    ),
    (
        "g2_mean_100",
        "@ row @ col :: value -/ group_100 >- Mean",
        390.0,
    ),
    (
        "g2_mean_1000",
        "@ row @ col :: value -/ group_1000 >- Mean",
        649.0,
    ),
    (
        "g2_max_100",
        "@ row @ col :: value -/ group_100 >- Max",
        147.0,
    ),
    (
        "g3_sum_100",
        "@ col @ row :: value |/ group_100 >| Sum",
        274.0,
    ),
    (
        "g3_mean_100",
        "@ col @ row :: value |/ group_100 >| Mean",
        237.0,
    ),
    (
        "g3_mean_1000",
        "@ col @ row :: value |/ group_1000 >| Mean",
        1238.0,
    ),
    (
        "g3_max_100",
        "@ col @ row :: value |/ group_100 >| Max",
        304.0,
    ),
    ("mask_1e6", "@ cell [ x > 0.5 & flag ]", 470.0),
    ("group_mean_1e6", "@ cell : x / g >> Mean", 334.0),
    ("group_median_1e6", "@ cell : x / g >> Median", 541.0),
    ("count_1e6", "@ cell : g * i", 571.0),
    ("dense_sum_row", "@ tall @ wide :: d >| Sum", 94.0),
    ("dense_median_row", "@ tall @ wide :: d >| Median", 338.0),
    ("dense_mode_row", "@ tall @ wide :: d >| Mode", 4296.0),
];

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("axtile-daf-bench-{}", std::process::id()));
    let open = |name: &str, fill: fn(&dyn Writer) -> Result<()>| -> Result<std::path::PathBuf> {
        let path = folder.join(name);
        fill(&FilesDaf::open(&path, OpenMode::Create, None)?)?;
        Ok(path)
    };
    std::fs::create_dir_all(&folder).map_err(axtile_core::Error::io("create", &folder))?;
    let paths = [
        open("sparse", big_sparse)?,
        open("cells", cells)?,
        open("dense", dense)?,
    ];
    println!(
        "{:24} {:>8} {:>8} {:>8} {:>7}",
        "", "median", "least", "dafr", "ratio"
    );
    for (name, query, other_ms) in QUERIES {
        let path = match name {
            _ if name.ends_with("1e6") => &paths[1],
            _ if name.starts_with("dense") => &paths[2],
            _ => &paths[0],
        };
        shown(name, Some(other_ms), || {
            evaluate(path, query).unwrap_or_else(|problem| panic!("{query}: {problem}"));
        });
    }
    shown("open_axis_1e6", Some(8838.0), || {
        let store = FilesDaf::open(&paths[1], OpenMode::Read, None).expect("a store");
        assert_eq!(store.axis("cell").expect("an axis").len(), N_CELLS);
    });
    let names: Vec<String> = (0..N_CELLS).map(|at| format!("cell {at}")).collect();
    let path = folder.join("added");
    shown("add_axis_1e6", Some(10069.0), || {
        let store = FilesDaf::open(&path, OpenMode::Replace, None).expect("a store");
        let names = names.iter().map(String::as_str).collect::<Texts>();
        store.add_axis("cell", names).expect("added");
    });
    std::fs::remove_dir_all(&folder).map_err(axtile_core::Error::io("remove", &folder))
}
