//! Sizes of one tile in several codecs, and times to encode and decode it, in
//! nanoseconds a nonzero: the axtile format with every instruction set of this
//! machine, the deltacells format at several levels of zstd, BP-128 as BPCells
//! packs, pco and lz4, and filling the same memory.
//!
//! `cargo bench -p axtile-codec --bench codecs -- FILE...` for counts of your own:
//! little-endian u32 numbers of cells, genes and nonzeros, where each cell starts
//! and the last one ends, genes by falling totals, counts, and the number of each
//! gene elsewhere. Without, a made-up matrix is used. `--levels A,B` sets zstd's
//! levels (3,12,19), `--only TEXT` takes ways whose label has the text only,
//! `--csv FILE` also writes a table.
//!
//! All ways are timed in turns, so that a busy machine disturbs them alike;
//! medians and best of 9 rounds.

mod bp128;
mod matrix;
mod streams;
mod ways;

use std::fmt::Write;
use std::time::Instant;

use axtile_codec::{CellRows, deltacells, grid};

use bp128::Bp128;
use matrix::{Matrix, made_up, read};
use streams::{Compressor, Streams};
use ways::{Coded, Way, all_ways};

const ROUNDS: usize = 9;

fn main() {
    let mut files = Vec::new();
    let mut levels = vec![3, 12, 19];
    let mut only = String::new();
    let mut csv = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--levels" => {
                let text = arguments.next().expect("levels");
                let texts = text.split(',').filter(|text| !text.is_empty());
                levels = texts.map(|level| level.parse().expect("a level")).collect();
            }
            "--only" => only = arguments.next().expect("a text"),
            "--csv" => csv = Some(arguments.next().expect("a file")),
            _ if argument.starts_with("--") => {}
            _ => files.push(argument),
        }
    }
    let mut table = Table::default();
    if files.is_empty() {
        bench(&made_up(4_000, 20_000, 2_000), &levels, &only, &mut table);
    }
    for file in files {
        bench(&read(&file), &levels, &only, &mut table);
    }
    if let Some(csv) = csv {
        std::fs::write(csv, table.0).expect("a file to write to");
    }
}

/// Lines of what, threads, metric, value, unit and n.
struct Table(String);

impl Default for Table {
    fn default() -> Table {
        Table("what,threads,metric,value,unit,n\n".to_owned())
    }
}

impl Table {
    fn add(&mut self, what: &str, threads: &str, metric: &str, value: f64, unit: &str, n: usize) {
        println!("  {what:<50} {threads:>2} {metric:<8} {value:9.3} {unit}");
        writeln!(self.0, "\"{what}\",{threads},{metric},{value},{unit},{n}").expect("memory");
    }
}

fn bench(matrix: &Matrix, levels: &[i32], only: &str, table: &mut Table) {
    let n = matrix.rows.nnz();
    println!("{}: {n} nonzeros", matrix.name);
    let mut encoded = |what: String, encode: &dyn Fn() -> Coded| {
        let start = Instant::now();
        let coded = encode();
        let ns = start.elapsed().as_nanos() as f64 / n as f64;
        let bits = 8.0 * coded.len() as f64 / n as f64;
        table.add(&what, "NA", "bits", bits, "bits a nonzero", 1);
        table.add(&what, "1", "encode", ns, "ns a nonzero", 1);
        (what, coded)
    };
    let rows = &matrix.rows;
    let mut all = vec![encoded("axtile".into(), &|| {
        Coded::Grid(encode_grid(matrix))
    })];
    let fits = matrix.n_genes as usize <= deltacells::MAX_GENES
        && rows
            .counts
            .iter()
            .all(|&count| count <= deltacells::MAX_COUNT);
    for &level in levels.iter().filter(|_| fits) {
        let encode = || Coded::Deltacells(encode_deltacells(matrix, level));
        all.push(encoded(format!("deltacells, zstd {level}"), &encode));
    }
    let encode = || Coded::Bp128(Bp128::encode(&rows.genes, &rows.counts));
    all.push(encoded("BP-128".into(), &encode));
    for compressor in [Compressor::Pco, Compressor::Lz4] {
        let encode = || Coded::Streams(Streams::encode(rows, compressor));
        all.push(encoded(
            format!("gaps and counts, {}", compressor.name()),
            &encode,
        ));
    }
    let out = ways::Out::new(n);
    let mut ways: Vec<Way<'_>> = all_ways(matrix, &all, &out);
    ways.retain(|way| way.label.contains(only));
    time(&mut ways, n, &|way| check(way, &out, rows));
    for way in &mut ways {
        way.times.sort_by(f64::total_cmp);
        let threads = way.n_threads.to_string();
        let unit = "ns a nonzero";
        table.add(
            &way.label,
            &threads,
            "median",
            way.times[ROUNDS / 2],
            unit,
            ROUNDS,
        );
        table.add(&way.label, &threads, "min", way.times[0], unit, ROUNDS);
    }
}

/// Times all in turns, after a first time whose outcome is checked.
fn time(ways: &mut [Way<'_>], n: usize, check: &dyn Fn(&Way<'_>)) {
    for way in &mut *ways {
        (way.work)();
        check(way);
    }
    for _ in 0..ROUNDS {
        for way in &mut *ways {
            let start = Instant::now();
            (way.work)();
            way.times.push(start.elapsed().as_nanos() as f64 / n as f64);
        }
    }
}

/// Whether all was decoded as it was.
fn check(way: &Way<'_>, out: &ways::Out, rows: &CellRows) {
    if !way.is_checked {
        return;
    }
    let genes = out.genes.borrow();
    if !way.is_other_order {
        assert!(genes.iter().zip(&rows.genes).all(|(&a, &b)| a as u32 == b));
    }
    let expected: f64 = rows.counts.iter().map(|&count| f64::from(count)).sum();
    let found: f64 = if way.is_double {
        out.doubles.borrow().iter().sum()
    } else {
        out.integers
            .borrow()
            .iter()
            .map(|&count| f64::from(count))
            .sum()
    };
    assert_eq!(found, expected, "{}", way.label);
}

fn encode_grid(matrix: &Matrix) -> Vec<u8> {
    let options = grid::Options::default();
    let plan = grid::Plan::new(&matrix.rows, matrix.n_genes, &options).expect("counts");
    let chunks: Vec<_> = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(&matrix.rows, chunk).expect("memory"))
        .collect();
    plan.assemble(&chunks)
}

fn encode_deltacells(matrix: &Matrix, level: i32) -> Vec<u8> {
    let rows = &matrix.rows;
    let chunks = deltacells::cut_chunks(&rows.starts, 8);
    let frames: Vec<_> = chunks
        .iter()
        .map(|cells| deltacells::encode_chunk(rows, cells.clone(), level).expect("memory"))
        .collect();
    deltacells::assemble(rows, matrix.n_genes as usize, &chunks, &frames)
}
