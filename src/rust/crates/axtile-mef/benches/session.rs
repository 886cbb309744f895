//! Opening a session of 8 channels and 10 segments, plainly, with a snapshot
//! and from an archive; one of 64 channels and 600 segments; and 144 appends of
//! a block to 4 channels that are on the disk when they return.
//! `cargo bench -p axtile-mef --bench session`, in milliseconds.

use std::path::Path;
use std::time::Instant;

use axtile_core::Unwatched;
use axtile_mef::archive::archive_session;
use axtile_mef::session::Session;
use axtile_mef::write::{Durability, Part, SessionWriter, Values, WriteOptions};

const START: i64 = 1_577_836_800_000_000;
const RATE: f64 = 512.0;
const BLOCK: usize = 5120;

fn part<'a>(channel: &'a str, counts: &'a [i32], number: usize, new_segment: bool) -> Part<'a> {
    Part {
        channel,
        values: Values::Counts {
            counts,
            factor: 0.195,
        },
        start: START + number as i64 * 10_000_000,
        rate: RATE,
        description: None,
        new_segment,
    }
}

fn counts() -> Vec<i32> {
    let mut state = 1_u64;
    let mut value = 0;
    (0..BLOCK)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            value += ((state >> 40) % 81) as i32 - 40;
            value
        })
        .collect()
}

fn build(path: &Path, n_channels: usize, n_segments: usize, counts: &[i32]) {
    let mut writer = SessionWriter::create(path, &WriteOptions::default()).expect("a session");
    let names: Vec<String> = (0..n_channels).map(|i| format!("c{i:02}")).collect();
    for number in 0..n_segments {
        let parts: Vec<Part<'_>> = names
            .iter()
            .map(|name| part(name, counts, number, true))
            .collect();
        writer
            .write(&parts, Durability::Fast, 2, &Unwatched)
            .expect("a write");
    }
    writer.close().expect("a session");
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn best(mut work: impl FnMut()) -> f64 {
    (0..9)
        .map(|_| milliseconds(&mut work))
        .fold(f64::INFINITY, f64::min)
}

fn describe(session: &Session) {
    for index in 0..session.channels().len() {
        session.channel_info(index).expect("a channel");
    }
}

fn open(label: &str, path: &Path, cache: &Path) {
    let plain = best(|| describe(&Session::open(path, None).expect("a session")));
    std::thread::sleep(std::time::Duration::from_secs(3));
    Session::open_cached(path, None, cache).expect("a session");
    let cached = best(|| describe(&Session::open_cached(path, None, cache).expect("a session")));
    println!("open {label:24} plain {plain:8.2}  snapshot {cached:8.2}");
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (counts, cache) = (counts(), at("cache"));
    build(&at("small.mefd"), 8, 10, &counts);
    open("8 x 10", &at("small.mefd"), &cache);
    archive_session(&at("small.mefd"), &at("small.tar"), false, &Unwatched).expect("an archive");
    open("8 x 10, archive", &at("small.tar"), &cache);
    if std::env::args().any(|argument| argument == "large") {
        build(&at("large.mefd"), 64, 600, &counts[..64]);
        open("64 x 600", &at("large.mefd"), &cache);
    }

    let path = at("append.mefd");
    let mut writer = SessionWriter::create(&path, &WriteOptions::default()).expect("a session");
    let names = ["a", "b", "c", "d"];
    let append = |writer: &mut SessionWriter, number| {
        let parts = names.map(|name| part(name, &counts, number, false));
        milliseconds(|| {
            writer
                .write(&parts, Durability::Full, 1, &Unwatched)
                .expect("a write");
        })
    };
    append(&mut writer, 0);
    writer.publish().expect("a session");
    let times: Vec<f64> = (1..=144)
        .map(|number| append(&mut writer, number))
        .collect();
    let median = |times: &[f64]| {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    println!(
        "append of 4 channels: median {:.2}, last 24 / first 24 {:.2}",
        median(&times),
        median(&times[120..]) / median(&times[..24])
    );
}
