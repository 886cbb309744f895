//! Reading a session to scaled doubles with checksums, encoding, and a textbook
//! decoder (two divisions, linear search) beside them, all by one thread, in
//! million samples a second. `cargo bench -p axtile-mef`.
//!
//! All ways are timed in turns; best of 7 rounds.

use std::hint::black_box;
use std::time::Instant;

use axtile_core::Unwatched;
use axtile_mef::read::ReadOptions;
use axtile_mef::red::{Encoder, Run};
use axtile_mef::session::Session;
use axtile_mef::write::{Durability, Part, SessionWriter, Values, WriteOptions};

const ROUNDS: usize = 7;
const N: usize = 1_200_000;
const RATE: f64 = 512.0;
const BLOCK: usize = 5120;

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Noise whose power falls with frequency, in microvolts.
fn eeg(random: &mut Random) -> Vec<f64> {
    let mut states = [0.0_f64; 5];
    (0..N)
        .map(|_| {
            let mut value = 0.0;
            for (i, state) in states.iter_mut().enumerate() {
                let keep = 1.0 - 0.4_f64.powi(i as i32 + 1);
                *state = keep * *state + (1.0 - keep).sqrt() * random.normal() * 12.0;
                value += *state;
            }
            value
        })
        .collect()
}

fn signals() -> Vec<(&'static str, Vec<i32>)> {
    let mut random = Random(1);
    let eeg = eeg(&mut random);
    let mut smooth = 0.0;
    let smoothed: Vec<i32> = (0..N)
        .map(|_| {
            smooth = 0.999 * smooth + 0.2 * random.normal();
            (smooth * 1000.0).round() as i32
        })
        .collect();
    let mut quiet = 0;
    let quiet: Vec<i32> = (0..N)
        .map(|_| {
            quiet += (random.uniform() * 7.0) as i32 - 3;
            quiet
        })
        .collect();
    vec![
        (
            "EEG as counts of 0.195 uV",
            eeg.iter().map(|x| (x / 0.195).round() as i32).collect(),
        ),
        (
            "EEG, 3 decimals",
            eeg.iter().map(|x| (x * 1e3).round() as i32).collect(),
        ),
        ("smooth, 3 decimals", smoothed),
        ("steps within 3", quiet),
    ]
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn main() {
    println!(
        "{:28} {:>8} {:>8} {:>8} {:>8} {:>10}",
        "signal", "B/sample", "read", "encode", "textbook", "read to it"
    );
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (name, counts)) in signals().into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.mefd"));
        let mut writer = SessionWriter::create(&path, &WriteOptions::default()).expect("a session");
        let part = Part {
            channel: "a",
            values: Values::Counts {
                counts: &counts,
                factor: 0.195,
            },
            start: 1_577_836_800_000_000,
            rate: RATE,
            description: None,
            new_segment: false,
        };
        writer
            .write(&[part], Durability::Fast, 1, &Unwatched)
            .expect("a write");
        writer.close().expect("a session");
        let session = Session::open(&path, None).expect("a session");
        let plan = session.plan(&[0], None, &Unwatched).expect("a plan");
        let mut out = vec![0.0; plan.n_rows()];
        let runs: Vec<Run<'_>> = counts
            .chunks(BLOCK)
            .map(|counts| Run {
                counts,
                start: -1,
                is_discontinuity: false,
            })
            .collect();
        let mut encoder = Encoder::default();
        let blocks = encoder.encode(&runs).expect("blocks");
        let n_bytes: usize = blocks.iter().map(|block| block.bytes.len()).sum();
        let mut best = [f64::INFINITY; 3];
        for _ in 0..ROUNDS {
            best[0] = best[0].min(time(|| {
                plan.read(&mut out, ReadOptions::default(), &Unwatched)
                    .expect("samples");
                black_box(&out);
            }));
            best[1] = best[1].min(time(|| {
                black_box(encoder.encode(&runs).expect("blocks"));
            }));
            best[2] = best[2].min(time(|| {
                for block in &blocks {
                    black_box(textbook(
                        &block.bytes,
                        block.header.difference_bytes as usize - 1,
                    ));
                }
            }));
        }
        let speed = |seconds: f64| N as f64 / seconds / 1e6;
        println!(
            "{name:28} {:8.2} {:8.1} {:8.1} {:8.1} {:9.1}x",
            n_bytes as f64 / N as f64,
            speed(best[0]),
            speed(best[1]),
            speed(best[2]),
            best[2] / best[0]
        );
    }
}

/// Difference bytes as the format's description has them decoded.
fn textbook(block: &[u8], n_coded: usize) -> Vec<u8> {
    let statistics = &block[48..304];
    let total: u32 = statistics.iter().map(|&f| u32::from(f)).sum();
    let mut payload = block[304..].iter().copied().chain(std::iter::repeat(0));
    let mut held = payload.next().unwrap_or(0);
    let (mut low, mut range) = (u32::from(held >> 1), 128_u32);
    let mut out = Vec::with_capacity(n_coded);
    for _ in 0..n_coded {
        while range <= 1 << 23 {
            let byte = payload.next().unwrap_or(0);
            low = (low << 8) | (u32::from(held & 1) << 7) | u32::from(byte >> 1);
            held = byte;
            range <<= 8;
        }
        let unit = range / total;
        let code = (low / unit).min(total - 1);
        let (mut symbol, mut below) = (0_usize, 0);
        while below + u32::from(statistics[symbol]) <= code {
            below += u32::from(statistics[symbol]);
            symbol += 1;
        }
        low -= unit * below;
        range = if symbol == 255 {
            range - unit * below
        } else {
            unit * u32::from(statistics[symbol])
        };
        out.push(symbol as u8);
    }
    out
}
