//! Sessions written here and read back.

mod common;

use std::path::Path;

use axtile_core::{Error, Unwatched};
use axtile_mef::header::Section2;
use axtile_mef::read::{ReadOptions, Window};
use axtile_mef::records::{Record, RecordBody, RecordScope};
use axtile_mef::session::Session;
use axtile_mef::write::{Durability, Part, Precision, SessionWriter, Values, WriteOptions};
use proptest::prelude::*;

const START: i64 = 1_577_836_800_000_000;

fn counts_part<'a>(channel: &'a str, counts: &'a [i32], start: i64, rate: f64) -> Part<'a> {
    Part {
        channel,
        values: Values::Counts {
            counts,
            factor: 0.5,
        },
        start,
        rate,
        description: None,
        new_segment: false,
    }
}

fn scaled_part<'a>(channel: &'a str, values: &'a [f64], precision: Precision) -> Part<'a> {
    Part {
        values: Values::Scaled { values, precision },
        ..counts_part(channel, &[], START, 250.0)
    }
}

fn write(writer: &mut SessionWriter, part: Part<'_>) -> Result<(), Error> {
    writer.write(&[part], Durability::Full, 2, &Unwatched)
}

fn read<T: axtile_mef::red::Sample>(path: &Path, password: Option<&str>, channel: &str) -> Vec<T> {
    let session = Session::open(path, password).unwrap();
    let index = session.channel_index(channel).unwrap();
    let plan = session.plan(&[index], None, &Unwatched).unwrap();
    let mut out = vec![T::MISSING; plan.n_rows()];
    plan.read(&mut out, ReadOptions::default(), &Unwatched)
        .unwrap();
    out
}

fn noise(n: usize, seed: u64) -> Vec<i32> {
    let mut state = seed | 1;
    let mut value = 0_i32;
    (0..n)
        .map(|_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            value += ((state >> 40) % 81) as i32 - 40;
            value
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn counts_and_gaps_come_back_over_appends_and_segments(
        pieces in proptest::collection::vec(
            (proptest::collection::vec(prop_oneof![
                4 => any::<i32>(), 8 => -300..300_i32, 2 => Just(i32::MIN)
            ], 1..400), 0_usize..50, any::<bool>()),
            1..6,
        ),
        rate in prop_oneof![Just(1.0), Just(7.3), Just(256.0), Just(3e4)],
        encrypted in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.mefd");
        let options = WriteOptions {
            passwords: encrypted.then(|| ("one".to_owned(), "two".to_owned())),
            ..WriteOptions::default()
        };
        let password = encrypted.then_some("two");
        let mut writer = SessionWriter::create(&path, &options).unwrap();
        let mut expected = vec![];
        for (number, (counts, gap, new_segment)) in pieces.iter().enumerate() {
            expected.extend(std::iter::repeat_n(i32::MIN, *gap));
            let row = expected.len();
            let start = START + (row as f64 * 1e6 / rate).round() as i64;
            let part = Part {
                new_segment: *new_segment,
                ..counts_part("é", counts, start, rate)
            };
            write(&mut writer, part).unwrap();
            expected.extend_from_slice(counts);
            let has_samples = expected.iter().any(|&count| count != i32::MIN);
            if number == 1 && has_samples {
                writer.close().unwrap();
                writer = SessionWriter::open(&path, password).unwrap();
            }
        }
        let trimmed: Vec<i32> = {
            let first = expected.iter().position(|&count| count != i32::MIN);
            let last = expected.iter().rposition(|&count| count != i32::MIN);
            match (first, last) {
                (Some(first), Some(last)) => expected[first..=last].to_vec(),
                _ => return Ok(()),
            }
        };
        writer.close().unwrap();
        prop_assert_eq!(read::<i32>(&path, password, "é"), trimmed.clone());
        let scaled = read::<f64>(&path, password, "é");
        for (value, count) in scaled.iter().zip(&trimmed) {
            let is_same = if *count == i32::MIN {
                value.is_nan()
            } else {
                *value == f64::from(*count) * 0.5
            };
            prop_assert!(is_same);
        }
        let session = Session::open(&path, password).unwrap();
        let info = session.channel_info(0).unwrap();
        let n_stored = trimmed.iter().filter(|&&count| count != i32::MIN).count();
        prop_assert_eq!(info.n_samples, Some(n_stored as u64));
        let sections = session.segments(0).unwrap();
        let blocks = session.blocks(0).unwrap();
        for segment in &sections {
            let own: Vec<_> = blocks.iter().filter(|b| b.segment == segment.number).collect();
            prop_assert_eq!(segment.section_2.n_blocks, own.len() as i64);
            let n_runs = own.iter().filter(|block| block.flags & 1 != 0).count();
            prop_assert_eq!(segment.section_2.n_discontinuities, n_runs as i64);
            prop_assert_eq!(segment.header.n_entries, 1);
        }
    }
}

#[test]
fn the_same_samples_make_the_same_files_as_other_writers() {
    let names = [
        "m3_one_int32",
        "m3_gaps_validmask",
        "m3_extremes",
        "m3_many_channels_mixed_rates",
    ];
    for case in common::cases()
        .iter()
        .filter(|case| names.contains(&case.name.as_str()))
    {
        let theirs = Session::open(&case.session(), None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.mefd");
        let mut writer = SessionWriter::create(&path, &WriteOptions::default()).unwrap();
        let mut compared = vec![];
        for index in 0..theirs.channels().len() {
            let info = theirs.channel_info(index).unwrap();
            let counts = read::<i32>(&case.session(), None, &info.name);
            let section = &theirs.segments(index).unwrap()[0].section_2;
            if section.minimum_native == f64::from(i32::MIN) * section.units_conversion_factor {
                // A count that is missing here.
                continue;
            }
            let part = Part {
                values: Values::Counts {
                    counts: &counts,
                    factor: info.factor,
                },
                description: Some(section),
                ..counts_part(&info.name, &counts, info.start, info.rate)
            };
            write(&mut writer, part).unwrap();
            compared.push(info.name);
        }
        writer.close().unwrap();
        assert!(!compared.is_empty());
        let ours = Session::open(&path, None).unwrap();
        for name in compared {
            let context = format!("{}: {name}", case.name);
            let file = |root: &Path, ending: &str| {
                let stem = format!("{name}-000000");
                let folder = root.join(format!("{name}.timd/{stem}.segd"));
                std::fs::read(folder.join(format!("{stem}.{ending}"))).unwrap()
            };
            let (a, b) = (file(&path, "tdat"), file(&case.session(), "tdat"));
            assert!(a[1024..] == b[1024..], "{context}");
            assert_eq!(a[4..8], b[4..8], "{context}: body checksum");
            let (a, b) = (file(&path, "tidx"), file(&case.session(), "tidx"));
            assert!(a[1024..] == b[1024..], "{context}: index");
            let section = |session: &Session| {
                let index = session.channel_index(&name).unwrap();
                session.segments(index).unwrap().remove(0).section_2
            };
            assert_eq!(section(&ours), section(&theirs), "{context}");
        }
    }
}

#[test]
fn precision_rounds_and_step_stores_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.mefd");
    let mut writer = SessionWriter::create(&path, &WriteOptions::default()).unwrap();
    let steps: Vec<f64> = noise(3000, 7)
        .iter()
        .map(|&c| f64::from(c) * 0.195)
        .collect();
    let mut decimal = steps.clone();
    decimal[5] = f64::NAN;
    write(&mut writer, scaled_part("step", &steps, Precision::Step)).unwrap();
    write(
        &mut writer,
        scaled_part("three", &decimal, Precision::Decimals(3)),
    )
    .unwrap();
    write(
        &mut writer,
        scaled_part("auto", &steps, Precision::Automatic),
    )
    .unwrap();
    writer.close().unwrap();
    assert_eq!(read::<f64>(&path, None, "step"), steps);
    let read_back = read::<f64>(&path, None, "three");
    for (row, (got, wanted)) in read_back.iter().zip(&decimal).enumerate() {
        assert!(got.is_nan() == (row == 5) && (row == 5 || (got - wanted).abs() <= 5.1e-4));
    }
    let session = Session::open(&path, None).unwrap();
    let factor = |name| {
        session
            .channel_info(session.channel_index(name).unwrap())
            .unwrap()
            .factor
    };
    assert_eq!((factor("step"), factor("three")), (0.195, 1e-3));
    let bytes = |name: &str| {
        let blocks = session
            .blocks(session.channel_index(name).unwrap())
            .unwrap();
        blocks
            .iter()
            .map(|block| u64::from(block.n_bytes))
            .sum::<u64>()
    };
    assert!(bytes("step") * 2 < bytes("three"));
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.mefd");
    let counts = noise(1000, 3);
    let mut writer = SessionWriter::create(&path, &WriteOptions::default()).unwrap();
    write(&mut writer, counts_part("a", &counts, START, 250.0)).unwrap();
    assert!(!path.exists());
    writer.publish().unwrap();
    let before = snapshot(&path);
    let good = counts_part("b", &counts, START, 250.0);
    let later = START + 4_000_000;
    let bad = [
        counts_part("a", &counts, later, 256.0),
        Part {
            values: Values::Counts {
                counts: &counts,
                factor: 1.0,
            },
            ..counts_part("a", &[], later, 250.0)
        },
        counts_part("a", &counts, later - 2001, 250.0),
        Part {
            new_segment: true,
            ..counts_part("a", &counts, START, 250.0)
        },
        Part {
            new_segment: true,
            ..counts_part("a", &counts, later, 256.0)
        },
        counts_part("", &counts, START, 250.0),
        counts_part("x/y", &counts, START, 250.0),
        counts_part("c", &counts, -5_000_000, 250.0),
        counts_part("c", &counts, 0, 250.0),
        counts_part("c", &counts, i64::MAX - 5, 250.0),
        counts_part("c", &counts, START, 0.0),
        counts_part("c", &counts, START, f64::NAN),
        scaled_part("c", &[1.0, f64::INFINITY], Precision::Decimals(0)),
        scaled_part("c", &[1.0, 3e9], Precision::Automatic),
        scaled_part("c", &[1.0], Precision::Decimals(10)),
        Part {
            values: Values::Counts {
                counts: &counts,
                factor: f64::NAN,
            },
            ..good
        },
    ];
    for part in bad {
        let error = writer
            .write(&[good, part], Durability::Full, 1, &Unwatched)
            .unwrap_err();
        let is_classed = matches!(error, Error::Argument { .. } | Error::Range { .. });
        assert!(is_classed, "{part:?}: {error}");
        assert_eq!(snapshot(&path), before, "{part:?}");
    }
    let long = Section2 {
        units: "u".repeat(128),
        ..Section2::default()
    };
    let part = Part {
        description: Some(&long),
        ..good
    };
    assert!(write(&mut writer, part).is_err());
    // Half a sample earlier is in order.
    write(&mut writer, counts_part("a", &counts, later - 2000, 250.0)).unwrap();
    for options in [("one", "one"), ("", "two"), ("a", "a password too long")] {
        let options = WriteOptions {
            passwords: Some((options.0.to_owned(), options.1.to_owned())),
            ..WriteOptions::default()
        };
        assert!(SessionWriter::create(&folder.path().join("t.mefd"), &options).is_err());
    }
    assert!(matches!(
        SessionWriter::create(&path, &WriteOptions::default()),
        Err(Error::Argument { .. })
    ));
    drop(writer);
    assert!(matches!(
        SessionWriter::create(&path, &WriteOptions::default()),
        Err(Error::Exists { .. })
    ));
    assert!(SessionWriter::create(&folder.path().join("t"), &WriteOptions::default()).is_err());
}

fn snapshot(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![];
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn appends_go_on_with_sessions_of_others() {
    for case in common::cases().iter().filter(|case| !case.is_damaged()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.mefd");
        common::copy(&case.session(), &path);
        let session = Session::open(&path, case.password()).unwrap();
        for new_segment in [false, true] {
            let mut writer = SessionWriter::open(&path, case.password()).unwrap();
            let index = session.channels().len() - 1;
            let reopened = Session::open(&path, case.password()).unwrap();
            let info = reopened.channel_info(index).unwrap();
            let end = reopened.span(index).unwrap().1;
            let counts = noise(700, 11);
            let gap = (info.rate * 3.0).ceil() / info.rate;
            let start = end + (gap * 1e6).round() as i64;
            let part = Part {
                values: Values::Counts {
                    counts: &counts,
                    factor: info.factor,
                },
                new_segment,
                ..counts_part(&info.name, &counts, start, info.rate)
            };
            if case.name == "m3_zero_start" || case.name.starts_with("m3_negative") {
                // Their first time is no time, or their end is before it.
                continue;
            }
            write(&mut writer, part).unwrap_or_else(|error| panic!("{}: {error}", case.name));
            writer.close().unwrap();
            let after = Session::open(&path, case.password()).unwrap();
            let window = Window {
                from: start,
                to: start + (700.0 / info.rate * 1e6) as i64 + 1,
            };
            let plan = after.plan(&[index], Some(window), &Unwatched).unwrap();
            let mut out = vec![0_i32; plan.n_rows()];
            plan.read(&mut out, ReadOptions::default(), &Unwatched)
                .unwrap();
            assert_eq!(out[..700], counts, "{}", case.name);
            let section = after.segments(index).unwrap().pop().unwrap().section_2;
            let blocks = after.blocks(index).unwrap();
            let number = blocks.last().unwrap().segment;
            let own: Vec<_> = blocks
                .iter()
                .filter(|block| block.segment == number)
                .collect();
            assert_eq!(section.n_blocks, own.len() as i64, "{}", case.name);
            let n_runs = own.iter().filter(|block| block.flags & 1 != 0).count() as i64;
            assert!(section.n_discontinuities >= n_runs, "{}", case.name);
            let before = &session.segments(index).unwrap()[0].section_2;
            assert_eq!(section.units, before.units);
            assert_eq!(section.reference_description, before.reference_description);
        }
    }
}

#[test]
fn records_come_back_at_their_level() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.mefd");
    let options = WriteOptions {
        passwords: Some(("one".into(), "two".into())),
        ..WriteOptions::default()
    };
    let counts = noise(100, 5);
    let mut writer = SessionWriter::create(&path, &options).unwrap();
    write(&mut writer, counts_part("a", &counts, START, 100.0)).unwrap();
    let record = |scope: RecordScope, time: i64, kind: &str, body: RecordBody| Record {
        scope,
        time,
        kind: kind.to_owned(),
        version: (1, 0),
        body,
    };
    let text = |text: &str| RecordBody::Text(text.to_owned());
    let first = [
        record(RecordScope::Session, START + 9, "Note", text("later")),
        record(RecordScope::Session, START + 5, "SyLg", text("")),
        record(
            RecordScope::Channel("a".into()),
            START,
            "EDFA",
            RecordBody::Annotation {
                duration: 7,
                text: "sixteen letters!".into(),
            },
        ),
    ];
    writer.write_records(&first, Durability::Full).unwrap();
    writer.close().unwrap();
    let mut writer = SessionWriter::open(&path, Some("two")).unwrap();
    let second = [
        record(
            RecordScope::Session,
            START + 1,
            "LNTP",
            RecordBody::LineNoise(vec![1, -2, 300_000]),
        ),
        record(
            RecordScope::Segment("a".into(), 0),
            START + 1,
            "Note",
            text("ż"),
        ),
    ];
    writer.write_records(&second, Durability::Fast).unwrap();
    for bad in [
        record(RecordScope::Channel("none".into()), START, "Note", text("")),
        record(RecordScope::Session, -5, "Note", text("")),
        record(RecordScope::Session, START, "Not", text("")),
        record(RecordScope::Session, START, "Seiz", text("")),
        record(RecordScope::Session, START, "Note", RecordBody::Locked),
    ] {
        assert!(writer.write_records(&[bad], Durability::Fast).is_err());
    }
    writer.close().unwrap();
    assert!(SessionWriter::open(&path, Some("one")).is_err());
    let session = Session::open(&path, Some("two")).unwrap();
    let (records, _) = session.records(false).unwrap();
    let wanted = [&first[1], &first[0], &second[0], &first[2], &second[1]];
    assert_eq!(records.iter().collect::<Vec<_>>(), wanted);
    let locked = Session::open(&path, Some("one"))
        .unwrap()
        .records(false)
        .unwrap()
        .0;
    assert!(
        locked
            .iter()
            .all(|record| record.body == RecordBody::Locked)
    );
    let file = std::fs::read(path.join("r.rdat")).unwrap();
    assert!(!file.windows(5).any(|five| five == b"later"));
}
