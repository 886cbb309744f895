//! Writers killed at random times: what was appended before is whole, the append
//! in flight is there or not, and the session can be appended to.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use axtile_core::Unwatched;
use axtile_mef::read::ReadOptions;
use axtile_mef::recover::recover;
use axtile_mef::session::Session;
use axtile_mef::validate::{Severity, ValidateOptions, validate};
use axtile_mef::write::{Durability, Part, SessionWriter, Values, WriteOptions};

const START: i64 = 1_577_836_800_000_000;
const RATE: f64 = 1000.0;
const N: usize = 4000;
/// Where the process that is to be killed writes.
const CHILD: &str = "AXTILE_MEF_CHILD";

fn counts(number: usize) -> Vec<i32> {
    (0..N)
        .map(|i| ((i * 31 + number * 977) % 4001) as i32 - 2000)
        .collect()
}

fn append(writer: &mut SessionWriter, number: usize, durability: Durability) {
    let counts = counts(number);
    let parts = ["a", "b"].map(|channel| Part {
        channel,
        values: Values::Counts {
            counts: &counts,
            factor: 1.0,
        },
        start: START + number as i64 * 4_000_000,
        rate: RATE,
        description: None,
        new_segment: number % 7 == 6,
    });
    writer.write(&parts, durability, 1, &Unwatched).unwrap();
}

fn read(path: &Path, channel: usize) -> Vec<i32> {
    let session = Session::open(path, None).unwrap();
    let plan = session.plan(&[channel], None, &Unwatched).unwrap();
    let mut out = vec![0; plan.n_rows()];
    plan.read(&mut out, ReadOptions::default(), &Unwatched)
        .unwrap();
    out
}

/// Appends until it is killed; does nothing where it is not told where.
#[test]
fn writer() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let path = Path::new(&path);
    let n_done = read(path, 0).len().max(read(path, 1).len()) / N;
    let mut writer = SessionWriter::open(path, None).unwrap();
    for number in n_done..n_done + 10_000 {
        let durability = if number % 2 == 0 {
            Durability::Full
        } else {
            Durability::Fast
        };
        append(&mut writer, number, durability);
    }
}

#[test]
fn killed_writers_leave_whole_appends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.mefd");
    let mut writer = SessionWriter::create(&path, &WriteOptions::default()).unwrap();
    append(&mut writer, 0, Durability::Fast);
    writer.close().unwrap();
    let mut before = 1;
    for round in 0..25_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["writer", "--exact"])
            .env(CHILD, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(20_000 + round * 7919 % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        recover(&path, None, true, &Unwatched).unwrap();
        let findings = validate(&path, None, ValidateOptions::default(), &Unwatched).unwrap();
        let errors: Vec<_> = findings
            .iter()
            .filter(|one| one.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "round {round}: {errors:?}");
        let lengths = [0, 1].map(|channel| {
            let samples = read(&path, channel);
            for (number, own) in samples.chunks(N).enumerate() {
                assert_eq!(own, counts(number), "round {round}, append {number}");
            }
            samples.len() / N
        });
        assert!(lengths[0].abs_diff(lengths[1]) <= 1 && lengths[0].min(lengths[1]) >= before);
        before = lengths[0].min(lengths[1]);
        // Where one channel is ahead, the other catches up.
        let mut writer = SessionWriter::open(&path, None).unwrap();
        for (channel, n_done) in ["a", "b"].iter().zip(lengths) {
            if n_done < lengths[0].max(lengths[1]) {
                let own = counts(n_done);
                let part = Part {
                    channel,
                    values: Values::Counts {
                        counts: &own,
                        factor: 1.0,
                    },
                    start: START + n_done as i64 * 4_000_000,
                    rate: RATE,
                    description: None,
                    new_segment: false,
                };
                writer
                    .write(&[part], Durability::Fast, 1, &Unwatched)
                    .unwrap();
            }
        }
        writer.close().unwrap();
    }
    assert!(before > 5, "{before} appends in all rounds");
}
