//! What there is of every mode of tiles, and what must hold for all of them.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::Duration;

use axtile_codec::TileResult;

use crate::corpus::{self, Tricky};
use crate::random::Random;

/// No tile of these takes more of a processor to refuse or to read, however slow
/// it is.
const MAX_TIME: Duration = Duration::from_secs(20);
/// How single bytes are changed.
const CHANGES: [u8; 3] = [1, 0x80, 0xff];

/// A reader of tiles of one mode, the same for all tiles, so that what an earlier
/// one left is found.
pub trait Mode: Default {
    const NAME: &'static str;
    /// A tile with its parts uncompressed.
    type Parts: Clone;

    /// Small sound tiles of every kind, with their names.
    fn bases() -> Vec<(&'static str, Vec<u8>)>;
    fn take_apart(tile: &[u8]) -> Self::Parts;
    /// A tile whose sizes and checksums agree.
    fn put_together(parts: &Self::Parts) -> Vec<u8>;
    /// All that checksums are made of.
    fn buffers(parts: &mut Self::Parts) -> Vec<&mut Vec<u8>>;
    /// A damaged tile, which may have parts of `others`.
    fn mutated(random: &mut Random, parts: Self::Parts, others: &[Self::Parts]) -> Vec<u8>;
    fn corpus() -> Vec<Tricky>;
    /// Reads all that a tile has in all ways. `Ok` if all of it can be read.
    fn check(&mut self, tile: &[u8]) -> TileResult<()>;
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn n_cases() -> u64 {
    setting("AXTILE_FUZZ_CASES", 800)
}

fn seed() -> u64 {
    setting("AXTILE_FUZZ_SEED", 1)
}

/// What this thread has had of a processor: a busy machine does not add to it.
/// Where the system does not tell, nothing is found slow.
fn time_used() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = text.split(' ').next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0))
}

/// Checks a tile; one that makes it panic is kept.
fn is_read<M: Mode>(reader: &mut M, tile: &[u8], what: &str) -> bool {
    let start = time_used();
    let result = catch_unwind(AssertUnwindSafe(|| reader.check(tile).is_ok()));
    let took = time_used() - start;
    let is_slow = took > MAX_TIME;
    if is_slow || result.is_err() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.bin", M::NAME));
        std::fs::write(&file, tile).unwrap();
        eprintln!("{what}: {took:?}, kept in '{}'", file.display());
    }
    assert!(!is_slow, "{what}");
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

pub fn sound_tiles<M: Mode>() {
    let mut reader = M::default();
    for (name, tile) in M::bases() {
        for tile in [&tile, &M::put_together(&M::take_apart(&tile))] {
            assert_eq!(reader.check(tile), Ok(()), "{name}");
        }
    }
}

pub fn damage_behind_the_checksums<M: Mode>() {
    let (n_cases, seed) = (n_cases(), seed());
    let bases: Vec<M::Parts> = M::bases()
        .iter()
        .map(|(_, tile)| M::take_apart(tile))
        .collect();
    let mut reader = M::default();
    let mut n_read = 0;
    for case in 0..n_cases {
        let mut random = Random::new(seed << 40 | case);
        let base = &bases[case as usize % bases.len()];
        let tile = M::mutated(&mut random, base.clone(), &bases);
        let what = format!("case {case} of seed {seed}");
        n_read += u64::from(is_read(&mut reader, &tile, &what));
    }
    println!("{}: {n_cases} tiles, {n_read} of them read", M::NAME);
    // Neither all stopped at the door nor all harmless.
    assert!(n_cases / 50 < n_read && n_read < n_cases / 10 * 9);
}

/// Of all bytes of all tiles, or half as many as there are cases.
pub fn single_bytes_behind_the_checksums<M: Mode>() {
    let mut bases: Vec<M::Parts> = M::bases()
        .iter()
        .map(|(_, tile)| M::take_apart(tile))
        .collect();
    let n_changes: usize = bases
        .iter_mut()
        .flat_map(|parts| M::buffers(parts))
        .map(|buffer| buffer.len() * CHANGES.len())
        .sum();
    let step = (2 * n_changes / n_cases().max(1) as usize).max(1);
    let mut reader = M::default();
    let (mut n_read, mut n_tried, mut until_next) = (0, 0, 0);
    for (idx, parts) in bases.iter_mut().enumerate() {
        for buffer in 0..M::buffers(parts).len() {
            for at in 0..M::buffers(parts)[buffer].len() {
                for change in CHANGES {
                    if until_next > 0 {
                        until_next -= 1;
                        continue;
                    }
                    until_next = step - 1;
                    M::buffers(parts)[buffer][at] ^= change;
                    let tile = M::put_together(parts);
                    M::buffers(parts)[buffer][at] ^= change;
                    let what = format!("tile {idx}, part {buffer}, byte {at}, {change:#x}");
                    n_tried += 1;
                    n_read += u32::from(is_read(&mut reader, &tile, &what));
                }
            }
        }
    }
    println!("{}: {n_tried} bytes, {n_read} of them read", M::NAME);
    assert!(n_read > 0 && n_read < n_tried);
}

pub fn damage_that_checksums_find<M: Mode>() {
    let (n_cases, seed) = (n_cases(), seed());
    let bases = M::bases();
    let mut reader = M::default();
    for case in 0..n_cases {
        let mut random = Random::new(seed << 40 | 1 << 39 | case);
        let base = &bases[case as usize % bases.len()].1;
        let mut tile = base.clone();
        for _ in 0..1 + random.below(3) {
            random.damage(&mut tile);
        }
        let what = format!("plain case {case} of seed {seed}");
        assert_eq!(is_read(&mut reader, &tile, &what), tile == *base, "{what}");
    }
}

pub fn tiles_of_the_corpus<M: Mode>() {
    let mut reader = M::default();
    let corpus = M::corpus();
    let folder = corpus::folder(M::NAME);
    for tricky in &corpus {
        let tile = std::fs::read(folder.join(format!("{}.bin", tricky.name))).unwrap();
        for tile in [&tile, &tricky.tile] {
            assert_eq!(
                is_read(&mut reader, tile, tricky.name),
                tricky.is_sound,
                "{}",
                tricky.name
            );
        }
    }
    // One for each, and one that lists them.
    let n_files = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(n_files, corpus.len() + 1);
}
