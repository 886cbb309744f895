//! Sessions of other programs, with the samples they hold. Skipped where the
//! fixtures are not there.

mod common;

use axtile_core::Unwatched;
use axtile_mef::read::{ReadOptions, Window};
use axtile_mef::records::{Record, RecordBody, RecordScope};
use axtile_mef::red::{Decoder, Differences, Encoder, Run, decode_block, verify_block};
use axtile_mef::session::Session;
use common::{Case, cases, read_npy_f64, read_npy_i32};
use serde_json::Value;

const ALL: ReadOptions = ReadOptions {
    lenient: false,
    n_threads: 2,
};

fn open(case: &Case, password: &str) -> Session {
    Session::open(&case.session(), Some(case.text(password))).unwrap()
}

fn read_f64(session: &Session, channel: usize, window: Option<Window>) -> Vec<f64> {
    let plan = session.plan(&[channel], window, &Unwatched).unwrap();
    let mut out = vec![0.0; plan.n_rows()];
    plan.read(&mut out, ALL, &Unwatched).unwrap();
    out
}

fn check_channel(case: &Case, session: &Session, name: &str, expected: &Value) {
    let context = format!("{}: {name}", case.name);
    let index = session.channel_index(name).unwrap();
    let info = session.channel_info(index).unwrap();
    assert_eq!(info.rate, expected["fs"].as_f64().unwrap(), "{context}");
    let span = (
        expected["read_start"].as_i64().unwrap(),
        expected["read_end"].as_i64().unwrap(),
    );
    // One session has times that its writer could not store: it ends before it
    // starts, where we take the blocks' word.
    let is_ordered = span.0 <= span.1;
    if is_ordered {
        assert_eq!(session.span(index).unwrap(), span, "{context}");
    }
    let stem = expected["file_stem"].as_str().unwrap();
    let grid = case.folder.join(format!("expected/{stem}.grid.npy"));
    let counts = read_npy_i32(&case.folder.join(format!("expected/{stem}.counts.npy")));
    let read = read_f64(session, index, None);
    let grid = if is_ordered {
        read_npy_f64(&grid)
    } else {
        read.clone()
    };
    assert_eq!(read.len(), grid.len(), "{context}");
    let factors: Vec<f64> = session
        .segments(index)
        .unwrap()
        .iter()
        .map(|one| one.section_2.units_conversion_factor)
        .collect();
    for (row, (&got, &wanted)) in read.iter().zip(&grid).enumerate() {
        // The one count that is missing here and a number in the expectation.
        let is_marker = factors
            .iter()
            .any(|factor| wanted == f64::from(i32::MIN) * factor);
        let is_same = got == wanted || (got.is_nan() && (wanted.is_nan() || is_marker));
        assert!(is_same, "{context}, row {row}: {got}, expected {wanted}");
    }
    // Integers, in every window that some seed gives, are rows of the whole.
    let plan = session.plan(&[index], None, &Unwatched).unwrap();
    let mut whole = vec![0_i32; plan.n_rows()];
    plan.read(&mut whole, ALL, &Unwatched).unwrap();
    let mut stored = counts.clone();
    stored.retain(|&count| count != i32::MIN);
    let mut found: Vec<i32> = whole.iter().copied().filter(|&c| c != i32::MIN).collect();
    assert_eq!(found.len(), stored.len(), "{context}");
    found.sort_unstable();
    stored.sort_unstable();
    assert_eq!(found, stored, "{context}");
    let step = 1e6 / info.rate;
    let n = whole.len();
    for part in 1..8 {
        let (a, b) = (n * part / 11, n * (part + 3) / 11);
        let from = plan.window().from + (a as f64 * step).round() as i64;
        let to = plan.window().from + (b as f64 * step).round() as i64;
        let plan = session
            .plan(&[index], Some(Window { from, to }), &Unwatched)
            .unwrap();
        let mut rows = vec![0; plan.n_rows()];
        plan.read(&mut rows, ALL, &Unwatched).unwrap();
        let n_rows = rows.len().min(n - a);
        let differing = (0..n_rows).filter(|&i| rows[i] != whole[a + i]).count();
        assert_eq!(differing, 0, "{context}: rows {a} to {b}");
    }
}

fn check_metadata(case: &Case, session: &Session, name: &str, expected: &Value) {
    let index = session.channel_index(name).unwrap();
    let segments = session.segments(index).unwrap();
    let wanted = expected["segments"].as_array().unwrap();
    assert_eq!(segments.len(), wanted.len());
    for (got, wanted) in segments.iter().zip(wanted) {
        let context = format!("{}: {name}, segment {}", case.name, got.number);
        let (header, two) = (&wanted["universal_header"], &wanted["section_2"]);
        assert_eq!(
            got.header.start,
            header["start_time"].as_i64().unwrap(),
            "{context}"
        );
        assert_eq!(got.header.end, header["end_time"].as_i64().unwrap());
        assert_eq!(got.header.channel, header["channel"].as_str().unwrap());
        assert_eq!(got.header.session, header["session"].as_str().unwrap());
        assert_eq!(
            i64::from(got.header.segment),
            header["segment"].as_i64().unwrap()
        );
        let s = &got.section_2;
        let numbers = [
            ("recording_duration", s.recording_duration),
            ("acquisition_channel_number", s.acquisition_channel),
            ("start_sample", s.start_sample),
            ("number_of_samples", s.n_samples),
            ("number_of_blocks", s.n_blocks),
            ("maximum_block_bytes", s.maximum_block_bytes),
            ("maximum_block_samples", s.maximum_block_samples.into()),
            (
                "maximum_difference_bytes",
                s.maximum_difference_bytes.into(),
            ),
            ("block_interval", s.block_interval),
            ("number_of_discontinuities", s.n_discontinuities),
            ("maximum_contiguous_blocks", s.maximum_contiguous_blocks),
            ("maximum_contiguous_block_bytes", s.maximum_contiguous_bytes),
            ("maximum_contiguous_samples", s.maximum_contiguous_samples),
        ];
        for (field, value) in numbers {
            assert_eq!(value, two[field].as_i64().unwrap(), "{context}: {field}");
        }
        let floats = [
            ("sampling_frequency", s.sampling_frequency),
            ("low_frequency_filter", s.low_frequency_filter),
            ("high_frequency_filter", s.high_frequency_filter),
            ("notch_filter", s.notch_filter),
            ("ac_line_frequency", s.line_frequency),
            ("units_conversion_factor", s.units_conversion_factor),
            ("maximum_native_sample_value", s.maximum_native),
            ("minimum_native_sample_value", s.minimum_native),
        ];
        for (field, value) in floats {
            assert_eq!(value, two[field].as_f64().unwrap(), "{context}: {field}");
        }
        assert_eq!(
            s.channel_description,
            two["channel_description"].as_str().unwrap()
        );
        assert_eq!(s.units, two["units_description"].as_str().unwrap());
        let (Some(got), three) = (&got.section_3, &wanted["section_3"]) else {
            panic!("{context}: section 3 is locked");
        };
        assert_eq!(
            got.recording_time_offset,
            three["recording_time_offset"].as_i64().unwrap()
        );
        assert_eq!(
            i64::from(got.gmt_offset),
            three["GMT_offset"].as_i64().unwrap()
        );
        assert_eq!(got.subject_id, three["subject_ID"].as_str().unwrap());
        assert_eq!(
            got.recording_location,
            three["recording_location"].as_str().unwrap()
        );
    }
}

#[test]
fn every_session_reads_to_its_samples_and_metadata() {
    for case in cases().iter().filter(|case| !case.is_damaged()) {
        let highest = if case.text("password2").is_empty() {
            "password1"
        } else {
            "password2"
        };
        let session = open(case, highest);
        let channels = case.value["channels"].as_object().unwrap();
        assert_eq!(session.channels().len(), channels.len(), "{}", case.name);
        for (name, expected) in channels {
            check_channel(case, &session, name, expected);
            check_metadata(case, &session, name, expected);
        }
    }
}

#[test]
fn passwords_open_their_level_and_wrong_ones_nothing() {
    for case in cases() {
        if case.text("password1").is_empty() {
            continue;
        }
        for wrong in [None, Some("not it")] {
            let error = Session::open(&case.session(), wrong).unwrap_err();
            assert!(
                matches!(error, axtile_core::Error::Argument { .. }),
                "{error}"
            );
        }
        let session = open(&case, "password1");
        let samples = read_f64(&session, 0, None);
        let level_1 = &case.value["password_tests"]["level1"];
        assert_eq!(samples.len() as u64, level_1["n"].as_u64().unwrap());
        let section_3 = &session.segments(0).unwrap()[0].section_3;
        assert_eq!(
            section_3.is_some(),
            level_1["section3_available"].as_bool().unwrap(),
            "{}",
            case.name
        );
        if !case.text("password2").is_empty() {
            let same = read_f64(&open(&case, "password2"), 0, None);
            assert_eq!(samples, same);
        }
    }
}

#[test]
fn archives_read_as_folders_do() {
    for case in cases() {
        let archive = case.folder.join("s.mefd.tar");
        if !archive.exists() {
            continue;
        }
        let from_tar = Session::open(&archive, None).unwrap();
        let from_folder = Session::open(&case.session(), None).unwrap();
        assert_eq!(from_tar.name(), from_folder.name());
        for index in 0..from_folder.channels().len() {
            assert_eq!(
                read_f64(&from_tar, index, None),
                read_f64(&from_folder, index, None)
            );
        }
    }
}

#[test]
fn a_damaged_block_fails_or_is_missing() {
    for case in cases() {
        if case.name != "dmg_bad_block_crc" {
            continue;
        }
        let session = Session::open(&case.session(), None).unwrap();
        let plan = session.plan(&[0], None, &Unwatched).unwrap();
        let mut out = vec![0_i32; plan.n_rows()];
        let error = plan.read(&mut out, ALL, &Unwatched).unwrap_err();
        assert!(
            error
                .place()
                .is_some_and(|place| place.starts_with("block 1")),
            "{error}"
        );
        let lenient = ReadOptions {
            lenient: true,
            ..ALL
        };
        let notices = plan.read(&mut out, lenient, &Unwatched).unwrap();
        assert_eq!((notices.len(), notices[0].block), (1, Some(1)));
        let counts = read_npy_i32(&case.folder.join("expected/c00.counts.npy"));
        for (row, &count) in out.iter().enumerate() {
            let wanted = if (2500..5000).contains(&row) {
                i32::MIN
            } else {
                counts[row]
            };
            assert_eq!(count, wanted, "row {row}");
        }
    }
}

fn check_record(got: &Record, wanted: &Value, context: &str) {
    assert_eq!(got.kind, wanted["type"].as_str().unwrap(), "{context}");
    assert_eq!(got.time, wanted["time"].as_i64().unwrap(), "{context}");
    let int = |field: &str| wanted[field].as_i64().unwrap();
    let text = |field: &str| wanted[field].as_str().unwrap();
    match &got.body {
        // One writer cuts its text inside a character.
        RecordBody::Text(got) => assert!(
            got == text("text") || (got.ends_with('\u{FFFD}') && got.len() > 8),
            "{context}: {got}"
        ),
        RecordBody::Annotation {
            duration,
            text: got,
        } => {
            assert_eq!(
                (*duration, got.as_str()),
                (int("duration"), text("text")),
                "{context}"
            );
        }
        RecordBody::LineNoise(template) => {
            let wanted = wanted["template"].as_array().unwrap();
            let wanted: Vec<i64> = wanted.iter().map(|v| v.as_i64().unwrap()).collect();
            assert_eq!(
                template.iter().map(|&v| i64::from(v)).collect::<Vec<_>>(),
                wanted
            );
        }
        RecordBody::Stimulus(s) => assert_eq!(
            (
                s.task.as_str(),
                s.duration,
                s.stimulus.as_str(),
                s.response.as_str()
            ),
            (
                text("task_type"),
                int("stimulus_duration"),
                text("stimulus_type"),
                text("patient_response")
            )
        ),
        RecordBody::ElectricStimulus(s) => {
            assert_eq!(s.amplitude, wanted["amplitude"].as_f64().unwrap());
            assert_eq!(s.frequency, wanted["frequency"].as_f64().unwrap());
            assert_eq!(
                (
                    s.pulse_width,
                    i64::from(s.unit_code),
                    i64::from(s.mode_code)
                ),
                (int("pulse_width"), int("ampunit_code"), int("mode_code"))
            );
            assert_eq!(
                (s.waveform.as_str(), s.anode.as_str(), s.cathode.as_str()),
                (text("waveform"), text("anode"), text("catode"))
            );
        }
        RecordBody::Seizure(s) => {
            assert_eq!(
                (s.onset, s.offset, s.duration, i64::from(s.onset_code)),
                (
                    int("earliest_onset"),
                    int("latest_offset"),
                    int("duration"),
                    int("onset_code")
                )
            );
            assert_eq!(s.annotation, text("annotation"));
            let channels = wanted["channels"].as_array().unwrap();
            assert_eq!(s.channels.len(), channels.len());
            for (got, wanted) in s.channels.iter().zip(channels) {
                assert_eq!(got.name, wanted["name"].as_str().unwrap());
                assert_eq!(got.onset, wanted["onset"].as_i64().unwrap());
                assert_eq!(got.offset, wanted["offset"].as_i64().unwrap());
            }
        }
        RecordBody::Cursor(c) => {
            assert_eq!(
                (c.id, c.time, c.latency, c.name.as_str()),
                (
                    int("id_number"),
                    int("trace_timestamp"),
                    int("latency"),
                    text("name")
                )
            );
            assert_eq!(c.value, wanted["value"].as_f64().unwrap());
        }
        RecordBody::Epoch(e) => assert_eq!(
            (
                e.id,
                e.start,
                e.end,
                e.duration,
                e.kind.as_str(),
                e.text.as_str()
            ),
            (
                int("id_number"),
                int("timestamp"),
                int("end_timestamp"),
                int("duration"),
                text("epoch_type"),
                text("text")
            )
        ),
        RecordBody::Other(_) | RecordBody::Locked => panic!("{context}: not read"),
    }
}

#[test]
fn records_say_what_their_writers_said() {
    let mut n_checked = 0;
    for case in cases() {
        let Some(scopes) = case.value["records"].as_object() else {
            continue;
        };
        let session = Session::open(&case.session(), case.password()).unwrap();
        let (records, notices) = session.records(false).unwrap();
        assert_eq!(notices, []);
        for (scope, wanted) in scopes {
            let scope = match scope.split_once('#') {
                _ if scope.is_empty() => RecordScope::Session,
                None => RecordScope::Channel(scope.clone()),
                Some((name, number)) => {
                    RecordScope::Segment(name.to_owned(), number.parse().unwrap())
                }
            };
            let own: Vec<&Record> = records.iter().filter(|one| one.scope == scope).collect();
            let context = format!("{} {scope:?}", case.name);
            let wanted = wanted.as_array().unwrap();
            assert_eq!(own.len(), wanted.len(), "{context}");
            for (got, wanted) in own.into_iter().zip(wanted) {
                check_record(got, wanted, &context);
                n_checked += 1;
            }
        }
    }
    assert!(n_checked >= 20 || cases().is_empty());
    let case = cases()
        .into_iter()
        .find(|case| case.name == "m3_encrypted_l1_l2");
    if let Some(case) = case {
        let records = open(&case, "password1").records(false).unwrap().0;
        assert!(
            records
                .iter()
                .all(|record| record.body == RecordBody::Locked)
        );
    }
}

#[test]
fn lossless_blocks_encode_to_the_same_bytes() {
    let mut n_blocks = 0;
    for case in cases().iter().filter(|case| !case.is_damaged()) {
        if case.name.starts_with("xx_encrypted") {
            continue;
        }
        let differences = if case.text("writer").starts_with("mef3io") {
            Differences::Exact
        } else {
            Differences::Wrapping
        };
        let session = Session::open(&case.session(), case.password()).unwrap();
        let (mut encoder, mut decoder) = (Encoder::new(differences), Decoder::new());
        for (index, channel) in session.channels().iter().enumerate() {
            for block in session.blocks(index).unwrap() {
                let stem = session
                    .path()
                    .join(format!("{}.timd", channel.name()))
                    .join(format!("{}-{:06}.segd", channel.name(), block.segment))
                    .join(format!("{}-{:06}.tdat", channel.name(), block.segment));
                let Ok(data) = std::fs::read(&stem) else {
                    // The one session with another way of numbering.
                    assert_eq!(case.name, "m3_unpadded_segment_name");
                    continue;
                };
                let from = usize::try_from(block.offset).unwrap();
                let stored = &data[from..from + block.n_bytes as usize];
                let header = verify_block(stored).unwrap();
                let counts = decode_block(&mut decoder, stored).unwrap();
                if header.is_lossy() || counts.is_empty() {
                    continue;
                }
                let run = Run {
                    counts: &counts,
                    start: header.start,
                    is_discontinuity: header.is_discontinuity(),
                };
                let encoded = encoder.encode(&[run]).unwrap();
                assert!(encoded[0].bytes == stored, "{}: {block:?}", case.name);
                assert_eq!(
                    (encoded[0].minimum, encoded[0].maximum),
                    (block.minimum, block.maximum)
                );
                n_blocks += 1;
            }
        }
    }
    assert!(n_blocks > 100 || cases().is_empty(), "{n_blocks}");
}
