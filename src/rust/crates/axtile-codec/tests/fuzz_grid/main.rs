//! Damaged tiles of the axtile format: an error or cells that keep all rules,
//! and never a panic, a write beside a slice, or more memory than the tile has
//! shown to need.
//!
//! Damage is done behind the checksums, which would stop nearly all of it.
//! `AXTILE_FUZZ_CASES` says how many tiles to try, `AXTILE_FUZZ_SEED` which.

mod bases;
mod check;
mod corpus;
mod memory;
mod model;
mod mutate;
mod parts;
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use bases::bases;
use check::Reader;
use parts::Parts;
use random::Random;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// No tile of these takes longer to refuse or to read, however slow the machine.
const MAX_TIME: Duration = Duration::from_secs(20);

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Checks a tile; one that makes it panic is kept.
fn check(reader: &mut Reader, tile: &[u8], what: &str) -> bool {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| reader.check(tile).is_ok()));
    let is_slow = start.elapsed() > MAX_TIME;
    if is_slow || result.is_err() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz_grid.bin");
        std::fs::write(&file, tile).unwrap();
        eprintln!(
            "{what}: {:?}, kept in '{}'",
            start.elapsed(),
            file.display()
        );
    }
    assert!(!is_slow, "{what}");
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

#[test]
fn sound_tiles_taken_apart_and_put_together_are_read() {
    let mut reader = Reader::default();
    for (name, tile) in bases() {
        let parts = Parts::of(&tile);
        let model = model::model(&model::fields(&parts.model).unwrap());
        assert_eq!(model, parts.model, "{name}");
        for tile in [&tile, &parts.tile(&parts.index(), &[])] {
            reader.check(tile).unwrap();
        }
    }
}

#[test]
fn damage_behind_the_checksums() {
    let n_cases = setting("AXTILE_FUZZ_CASES", 800);
    let seed = setting("AXTILE_FUZZ_SEED", 1);
    let bases: Vec<Parts> = bases().iter().map(|(_, tile)| Parts::of(tile)).collect();
    let mut reader = Reader::default();
    let mut n_read = 0;
    for case in 0..n_cases {
        let mut random = Random::new(seed << 40 | case);
        let base = &bases[case as usize % bases.len()];
        let tile = mutate::mutated(&mut random, base.clone(), &bases);
        let what = format!("case {case} of seed {seed}");
        n_read += u64::from(check(&mut reader, &tile, &what));
    }
    println!("{n_cases} tiles, {n_read} of them read");
    // Neither all stopped at the door nor all harmless.
    assert!(n_cases / 50 < n_read && n_read < n_cases / 10 * 9);
}

#[test]
fn damage_that_checksums_find() {
    let n_cases = setting("AXTILE_FUZZ_CASES", 800);
    let seed = setting("AXTILE_FUZZ_SEED", 1);
    let bases = bases();
    let mut reader = Reader::default();
    for case in 0..n_cases {
        let mut random = Random::new(seed << 40 | 1 << 39 | case);
        let base = &bases[case as usize % bases.len()].1;
        let mut tile = base.clone();
        for _ in 0..1 + random.below(3) {
            random.damage(&mut tile);
        }
        let what = format!("plain case {case} of seed {seed}");
        let is_read = check(&mut reader, &tile, &what);
        assert_eq!(is_read, tile == *base, "{what}");
    }
}

fn long_runs() -> Parts {
    let bases = bases();
    let (_, tile) = bases.iter().find(|base| base.0 == "long runs").unwrap();
    Parts::of(tile)
}

#[test]
fn tiles_of_the_corpus() {
    let mut reader = Reader::default();
    let corpus = corpus::corpus(&long_runs());
    for tricky in &corpus {
        let file = corpus::folder().join(format!("{}.bin", tricky.name));
        let tile = std::fs::read(file).unwrap();
        for tile in [&tile, &tricky.tile] {
            assert_eq!(check(&mut reader, tile, tricky.name), tricky.is_sound);
        }
    }
    let n_files = std::fs::read_dir(corpus::folder()).unwrap().count();
    assert_eq!(
        n_files,
        corpus.len() + 1,
        "a file for each, and one that lists them"
    );
}

#[test]
#[ignore = "writes the corpus"]
fn write_corpus() {
    let mut list = "# Tiles at the limits of the format\n\n\
        Written by `cargo test --test fuzz_grid -- --ignored write_corpus`.\n\n\
        | file | read | what it covers |\n|---|---|---|\n"
        .to_owned();
    std::fs::create_dir_all(corpus::folder()).unwrap();
    for tricky in corpus::corpus(&long_runs()) {
        let (name, note) = (tricky.name, tricky.note);
        let outcome = if tricky.is_sound { "yes" } else { "no" };
        list += &format!("| {name}.bin | {outcome} | {note} |\n");
        std::fs::write(corpus::folder().join(format!("{name}.bin")), tricky.tile).unwrap();
    }
    std::fs::write(corpus::folder().join("README.md"), list).unwrap();
}
