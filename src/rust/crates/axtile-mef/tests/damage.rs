//! Damaged sessions: found, brought in order, never a panic.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::Unwatched;
use axtile_mef::read::ReadOptions;
use axtile_mef::recover::{RecoverReport, recover};
use axtile_mef::session::Session;
use axtile_mef::validate::{Finding, Severity, ValidateOptions, validate};
use axtile_mef::write::{Durability, Part, SessionWriter, Values, WriteOptions};
use common::{Case, cases, copy, read_npy_i32};

const START: i64 = 1_577_836_800_000_000;

fn check(path: &Path, password: Option<&str>) -> Vec<Finding> {
    let options = ValidateOptions {
        n_threads: 2,
        ..ValidateOptions::default()
    };
    validate(path, password, options, &Unwatched).unwrap()
}

fn errors(path: &Path, password: Option<&str>) -> Vec<&'static str> {
    let mut names: Vec<&str> = check(path, password)
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.check)
        .collect();
    names.sort();
    names.dedup();
    names
}

fn stored(path: &Path) -> Vec<i32> {
    let session = Session::open(path, None).unwrap();
    let plan = session.plan(&[0], None, &Unwatched).unwrap();
    let mut out = vec![0; plan.n_rows()];
    plan.read(&mut out, ReadOptions::default(), &Unwatched)
        .unwrap();
    out.retain(|&count| count != i32::MIN);
    out
}

fn scratch(case: &Case) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.mefd");
    copy(&case.session(), &path);
    (folder, path)
}

#[test]
fn whole_sessions_are_clean_and_recovery_leaves_them() {
    for case in cases().iter().filter(|case| !case.is_damaged()) {
        let errors = errors(&case.session(), case.password());
        let theirs = &case.value["mef3io_validate"];
        let is_clean = theirs["ok"].as_bool().unwrap_or(true);
        if is_clean && !case.name.starts_with("m3_negative") {
            assert_eq!(errors, [""; 0], "{}", case.name);
        } else {
            // Other writers leave sizes out.
            assert!(
                errors
                    .iter()
                    .all(|name| name.starts_with("sizing.") || name.starts_with("times.")),
                "{}: {errors:?}",
                case.name
            );
        }
        if case.text("writer").starts_with("mef3io") && !case.name.starts_with("m3_negative") {
            let (_folder, path) = scratch(case);
            let report = recover(&path, case.password(), true, &Unwatched).unwrap();
            assert_eq!(report, RecoverReport::default(), "{}", case.name);
        }
    }
}

#[test]
fn recovery_completes_what_others_leave_out() {
    for case in cases().iter().filter(|case| !case.is_damaged()) {
        if case.text("writer").starts_with("mef3io") {
            continue;
        }
        let (_folder, path) = scratch(case);
        recover(&path, case.password(), true, &Unwatched).unwrap();
        assert_eq!(errors(&path, case.password()), [""; 0], "{}", case.name);
        let again = recover(&path, case.password(), true, &Unwatched).unwrap();
        assert_eq!(again, RecoverReport::default(), "{}", case.name);
    }
}

#[test]
fn each_damage_is_reported_and_repaired_or_refused() {
    for case in cases().iter().filter(|case| case.is_damaged()) {
        let (_folder, path) = scratch(case);
        let found = errors(&path, None);
        assert!(!found.is_empty(), "{}", case.name);
        let dry = recover(&path, None, false, &Unwatched).unwrap();
        assert_eq!(errors(&path, None), found, "a dry run changes nothing");
        let report = recover(&path, None, true, &Unwatched).unwrap();
        assert_eq!(report.actions, dry.actions);
        let counts = read_npy_i32(&case.folder.join("expected/c00.counts.npy"));
        let n_whole = case.value["recoverable_blocks"].as_u64().unwrap() as usize * 2500;
        match case.name.as_str() {
            "dmg_bad_block_crc" => {
                assert_eq!(found, ["crc.block"]);
                assert_eq!(report, RecoverReport::default());
            }
            "dmg_bad_tmet_crc" => {
                assert!(found.contains(&"crc.metadata"));
                assert!(report.actions.iter().all(|action| action.is_refused));
                assert_eq!(report.actions.len(), 1);
            }
            _ => {
                assert_eq!(stored(&path), counts[..n_whole], "{}", case.name);
                assert_eq!(errors(&path, None), [""; 0], "{}", case.name);
                assert!(report.backup.is_some_and(|backup| backup.is_dir()) || n_whole == 7500);
                let again = recover(&path, None, true, &Unwatched).unwrap();
                assert_eq!(again, RecoverReport::default(), "{}", case.name);
            }
        }
    }
}

fn noise(n: usize, seed: i32) -> Vec<i32> {
    (0..n as i32)
        .map(|i| (i * seed) % 301 - 150 + i / 7)
        .collect()
}

fn write(writer: &mut SessionWriter, counts: &[i32], row: usize) {
    let part = Part {
        channel: "a",
        values: Values::Counts {
            counts,
            factor: 1.0,
        },
        start: START + row as i64 * 10_000,
        rate: 100.0,
        description: None,
        new_segment: false,
    };
    writer
        .write(&[part], Durability::Fast, 1, &Unwatched)
        .unwrap();
}

/// An append interrupted after any of its writes, or within one, also with the
/// pages of one write lost.
#[test]
fn an_append_cut_off_anywhere_hurts_nothing_but_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.mefd");
    let (old, new) = (noise(2300, 13), noise(1700, 29));
    let mut writer = SessionWriter::create(&path, &WriteOptions::default()).unwrap();
    write(&mut writer, &old, 0);
    writer.publish().unwrap();
    let stem = path.join("a.timd/a-000000.segd/a-000000");
    let file = |ending: &str| stem.with_extension(ending);
    let read_all = || ["tdat", "tidx", "tmet"].map(|ending| fs::read(file(ending)).unwrap());
    let before = read_all();
    write(&mut writer, &new, 2300);
    let after = read_all();
    writer.close().unwrap();
    let everything: Vec<i32> = old.iter().chain(&new).copied().collect();

    // What the append wrote: file, offset, bytes.
    let log: Vec<(usize, usize, &[u8])> = vec![
        (0, before[0].len(), &after[0][before[0].len()..]),
        (1, before[1].len(), &after[1][before[1].len()..]),
        (1, 0, &after[1][..1024]),
        (0, 0, &after[0][..1024]),
        (2, 0, &after[2]),
    ];
    let put = |files: &mut [Vec<u8>; 3], (at, offset, bytes): (usize, usize, &[u8])| {
        let file = &mut files[at];
        let end = (offset + bytes.len()).max(file.len());
        file.resize(end, 0);
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
    };
    let mut states = vec![];
    for n_done in 0..=log.len() {
        let mut files = before.clone();
        for &write in &log[..n_done] {
            put(&mut files, write);
        }
        // One that was done but did not reach the disk: its bytes are zero.
        for &(at, offset, bytes) in &log[..n_done.min(2)] {
            let mut files = files.clone();
            put(&mut files, (at, offset, &vec![0; bytes.len()]));
            states.push(files);
        }
        states.push(files.clone());
        // Metadata take their place whole.
        if let Some(&(at, offset, bytes)) = log.get(n_done).filter(|write| write.0 != 2) {
            for n in (1..bytes.len()).step_by(bytes.len() / 40 + 1) {
                let mut files = files.clone();
                put(&mut files, (at, offset, &bytes[..n]));
                states.push(files);
            }
        }
    }
    assert!(states.len() > 150);
    for (number, state) in states.iter().enumerate() {
        for (bytes, ending) in state.iter().zip(["tdat", "tidx", "tmet"]) {
            fs::write(file(ending), bytes).unwrap();
        }
        recover(&path, None, true, &Unwatched).unwrap();
        let samples = stored(&path);
        let is_whole_block = [2300, 3300, 4000].contains(&samples.len());
        assert!(is_whole_block, "state {number}: {} samples", samples.len());
        assert_eq!(samples, everything[..samples.len()], "state {number}");
        assert_eq!(errors(&path, None), [""; 0], "state {number}");
        let mut writer = SessionWriter::open(&path, None).unwrap();
        write(&mut writer, &[1, 2, 3], 4000);
        writer.close().unwrap();
        assert_eq!(errors(&path, None), [""; 0], "state {number}");
    }
}

#[test]
fn lost_metadata_come_from_a_temporary_file_or_the_segment_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.mefd");
    let counts = noise(500, 7);
    let mut writer = SessionWriter::create(&path, &WriteOptions::default()).unwrap();
    write(&mut writer, &counts, 0);
    let part = Part {
        channel: "a",
        values: Values::Counts {
            counts: &counts,
            factor: 1.0,
        },
        start: START + 10_000_000,
        rate: 100.0,
        description: None,
        new_segment: true,
    };
    writer
        .write(&[part], Durability::Full, 1, &Unwatched)
        .unwrap();
    writer.close().unwrap();
    let metadata = path.join("a.timd/a-000001.segd/a-000001.tmet");
    let saved = fs::read(&metadata).unwrap();
    let everything = stored(&path);

    fs::rename(&metadata, metadata.with_extension("tmet.axtile-tmp")).unwrap();
    assert_eq!(errors(&path, None), ["files.missing"]);
    recover(&path, None, true, &Unwatched).unwrap();
    assert_eq!(fs::read(&metadata).unwrap(), saved);

    fs::remove_file(&metadata).unwrap();
    recover(&path, None, true, &Unwatched).unwrap();
    assert_eq!(stored(&path), everything);
    assert_eq!(errors(&path, None), [""; 0]);

    let first = path.join("a.timd/a-000000.segd/a-000000.tmet");
    fs::remove_file(&first).unwrap();
    let report = recover(&path, None, true, &Unwatched).unwrap();
    assert!(report.actions[0].is_refused);
}
