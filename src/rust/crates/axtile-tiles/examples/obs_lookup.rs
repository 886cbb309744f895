//! Times of obs: writing, reading from shards, copying to the cache, and look-ups
//! of 5,000 random cells in three columns.
//!
//! `cargo run --release -p axtile-tiles --example obs_lookup -- <empty folder>
//! [cells] [threads]`

use std::path::Path;
use std::time::Instant;

use axtile_core::{Result, Unwatched};
use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};
use axtile_tiles::{Cells, ObsReader, ObsWriter};

const TILE: usize = 10_000;
const N_REALS: usize = 40;

fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    *state >> 33
}

fn fields() -> Vec<Field> {
    let field = |name: String, kind| Field { name, kind };
    let category = |n: usize| Kind::Category {
        levels: (0..n).map(|i| format!("level {i}")).collect(),
        ordered: false,
    };
    let mut fields = vec![
        field("cell_type".to_owned(), category(20)),
        field("donor".to_owned(), category(200)),
        field("batch".to_owned(), category(8)),
        field("n_counts".to_owned(), Kind::Integer(IntegerType::I64)),
    ];
    let real = |i| field(format!("score_{i}"), Kind::Real(RealType::F64));
    fields.extend((0..N_REALS).map(real));
    fields.push(field("obs_names".to_owned(), Kind::Text));
    fields
}

fn tile(fields: &[Field], n: usize, state: &mut u64) -> Table {
    let column = |field: &Field| match &field.kind {
        Kind::Category { levels, .. } => {
            let code = |_| (random(state) as usize % levels.len()) as i32;
            Column::Category((0..n).map(code).collect())
        }
        Kind::Integer(_) => Column::Integer {
            values: (0..n).map(|_| (random(state) % 20_000) as i64).collect(),
            missing: None,
        },
        Kind::Text => {
            let name = |_| Some(format!("{:08x}{:08x}", random(state), random(state)));
            Column::Text((0..n).map(name).collect())
        }
        _ => Column::Real((0..n).map(|_| random(state) as f64 / 7.0).collect()),
    };
    Table {
        columns: fields.iter().map(column).collect(),
        fields: fields.to_vec(),
        n_rows: n,
    }
}

fn timed<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let done = work()?;
    println!("{what}: {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(done)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_default();
    let mut number = |default: usize| -> usize {
        let argument = arguments.next().and_then(|text| text.parse().ok());
        argument.unwrap_or(default)
    };
    let (n_cells, threads) = (number(100_000), number(1));
    let folder = Path::new(&folder);
    let cache = folder.join("cache");
    let fields = fields();
    let mut state = 1;

    let tile_cells: Vec<u64> = vec![TILE as u64; n_cells.div_ceil(TILE)];
    let mut writer = ObsWriter::create(&folder.join("obs"), &fields, 1000)?;
    let mut seconds = 0.0;
    for _ in &tile_cells {
        let table = tile(&fields, TILE, &mut state);
        let start = Instant::now();
        writer.write_tile(&table)?;
        seconds += start.elapsed().as_secs_f64();
    }
    let section = writer.finish(&tile_cells)?;
    let bytes: u64 = section.shard_bytes.iter().sum();
    println!(
        "writing {} columns: {:.0} ms, {bytes} bytes",
        fields.len(),
        seconds * 1e3
    );

    let obs = timed("open", || {
        ObsReader::open(&folder.join("obs"), &section, &tile_cells, &[])
    })?;
    let n_cells = obs.n_cells();
    let cells: Vec<u64> = (0..5000).map(|_| random(&mut state) % n_cells).collect();
    let read = |columns: &[usize], cells: Cells<'_>| {
        obs.read(columns, cells, Some(&cache), threads, &Unwatched)
    };
    let last = fields.len() - 1;
    timed("5,000 cells, 3 columns, from shards", || {
        read(&[0, 1, 3], Cells::List(&cells))
    })?;
    timed("all cells, 3 columns, from shards", || {
        read(&[0, 1, 3], Cells::All)
    })?;
    timed("all cells, all columns, from shards", || {
        read(&(0..=last).collect::<Vec<_>>(), Cells::All)
    })?;
    timed("localize 4 columns", || {
        obs.localize(&[0, 1, 3, last], Some(&cache), threads, &Unwatched)
    })?;
    timed("5,000 cells, 3 columns, cache, first", || {
        read(&[0, 1, 3], Cells::List(&cells))
    })?;
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..200 {
        let cells: Vec<u64> = (0..5000).map(|_| random(&mut state) % n_cells).collect();
        let start = Instant::now();
        read(&[0, 1, 3], Cells::List(&cells))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!("again, 200 times, median: {:.3} ms", times[times.len() / 2]);
    timed("cell names of 5,000 cells, cache", || {
        read(&[last], Cells::List(&cells))
    })?;
    timed("all cells, 3 columns, cache", || {
        read(&[0, 1, 3], Cells::All)
    })?;
    timed("verify", || obs.verify(threads, &Unwatched))
}
