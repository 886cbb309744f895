//! What a binding adds to: opening sessions, and reading all of their channels to
//! scaled doubles by one thread, into memory that is used again. The times go to a
//! table, in milliseconds.
//! `cargo bench -p axtile-mef --bench reading -- --csv FILE SESSION...`

use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use axtile_core::Unwatched;
use axtile_mef::read::ReadOptions;
use axtile_mef::session::Session;

const ROUNDS: usize = 9;

/// Median and least of the rounds, after one that does not count.
fn time(mut work: impl FnMut()) -> (f64, f64) {
    work();
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[ROUNDS / 2], times[0])
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let at = arguments
        .iter()
        .position(|argument| argument == "--csv")
        .expect("--csv FILE");
    let mut table = String::from("session,what,median,min\n");
    for path in arguments.iter().skip(at + 2).filter(|a| *a != "--bench") {
        let name = Path::new(path).file_stem().expect("a name");
        let mut row = |what: &str, (median, least): (f64, f64)| {
            writeln!(table, "{},{what},{median},{least}", name.display()).expect("memory");
        };
        let open = || Session::open(Path::new(path), None).expect("a session");
        row(
            "open",
            time(|| {
                let session = open();
                for index in 0..session.channels().len() {
                    black_box(session.channel_info(index).expect("a channel"));
                }
            }),
        );
        let session = open();
        let all: Vec<usize> = (0..session.channels().len()).collect();
        let plan = session.plan(&all, None, &Unwatched).expect("a plan");
        let mut out = vec![0.0_f64; plan.n_rows() * plan.n_columns()];
        row(
            "read",
            time(|| {
                let plan = session.plan(&all, None, &Unwatched).expect("a plan");
                plan.read(&mut out, ReadOptions::default(), &Unwatched)
                    .expect("samples");
                black_box(&out);
            }),
        );
    }
    fs::write(&arguments[at + 1], table).expect("a table");
}
