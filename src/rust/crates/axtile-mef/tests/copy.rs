//! Sessions made from sessions.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Unwatched};
use axtile_mef::archive::{archive_session, extract_session};
use axtile_mef::copy::{AnonymizeOptions, anonymize_session, cut_session, merge_sessions};
use axtile_mef::read::{ReadOptions, Window};
use axtile_mef::session::Session;
use axtile_mef::validate::{Severity, ValidateOptions, validate};
use common::{Case, cases};

fn whole() -> Vec<Case> {
    let mut cases = cases();
    // Without times that can be stored, or that end before they start.
    cases.retain(|case| {
        !case.is_damaged() && case.name != "m3_zero_start" && !case.name.starts_with("m3_negative")
    });
    cases
}

fn rows(session: &Session, index: usize, window: Window) -> Vec<u64> {
    let plan = session.plan(&[index], Some(window), &Unwatched).unwrap();
    let mut out = vec![0.0_f64; plan.n_rows()];
    plan.read(&mut out, ReadOptions::default(), &Unwatched)
        .unwrap();
    // All NaN are the same gap.
    out.iter()
        .map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() })
        .collect()
}

fn assert_clean(path: &Path, password: Option<&str>) {
    let findings = validate(path, password, ValidateOptions::default(), &Unwatched).unwrap();
    let errors: Vec<_> = findings
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

fn span(session: &Session) -> Window {
    let spans = (0..session.channels().len()).map(|index| session.span(index).unwrap());
    let (from, to) = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap();
    Window { from, to }
}

#[test]
fn cuts_have_what_their_window_has_and_merge_to_the_whole() {
    for case in whole() {
        let source = Session::open(&case.session(), case.password()).unwrap();
        let all = span(&source);
        let middle = all.from + (all.to - all.from) * 3 / 7 + 1;
        let halves = [
            Window {
                from: all.from,
                to: middle,
            },
            Window {
                from: middle,
                to: all.to,
            },
        ];
        let folder = tempfile::tempdir().unwrap();
        let mut parts: Vec<PathBuf> = vec![];
        for (number, &window) in halves.iter().enumerate() {
            let path = folder.path().join(format!("half{number}.mefd"));
            match cut_session(&case.session(), &path, window, case.password(), &Unwatched) {
                Ok(()) => {}
                Err(Error::Argument { problem }) => {
                    assert!(problem.contains("no sample"), "{}: {problem}", case.name);
                    continue;
                }
                Err(error) => panic!("{}: {error}", case.name),
            }
            assert_clean(&path, case.password());
            let cut = Session::open(&path, case.password()).unwrap();
            for (index, channel) in cut.channels().iter().enumerate() {
                let there = source.channel_index(channel.name()).unwrap();
                let got = rows(&cut, index, all);
                let mut wanted = rows(&source, there, all);
                let rate = source.channel_info(there).unwrap().rate;
                for (row, value) in wanted.iter_mut().enumerate() {
                    let time = all.from + (row as f64 / rate * 1e6).round() as i64;
                    if !(window.from..window.to).contains(&time) {
                        *value = u64::MAX;
                    }
                }
                // A time between two samples may belong to either half.
                let differing = got.iter().zip(&wanted).filter(|(a, b)| a != b).count();
                assert!(differing <= 1, "{}: {differing} rows differ", case.name);
            }
            parts.push(path);
        }
        let target = folder.path().join("all.mefd");
        let paths: Vec<&Path> = parts.iter().rev().map(PathBuf::as_path).collect();
        merge_sessions(&paths, &target, case.password(), &Unwatched)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_clean(&target, case.password());
        let merged = Session::open(&target, case.password()).unwrap();
        assert_eq!(merged.channels().len(), source.channels().len());
        for index in 0..source.channels().len() {
            assert!(
                rows(&merged, index, all) == rows(&source, index, all),
                "{}",
                case.name
            );
        }
        let n_records = |session: &Session| session.records(false).unwrap().0.len();
        let n_inside = source
            .records(false)
            .unwrap()
            .0
            .iter()
            .filter(|record| (all.from..all.to).contains(&record.time))
            .count();
        assert!(n_records(&merged) >= n_inside.min(1) && n_records(&merged) <= n_inside);
    }
}

#[test]
fn overlaps_and_missing_samples_are_refused() {
    let Some(case) = whole().into_iter().find(|case| case.name == "m3_one_int32") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("t.mefd");
    let source = case.session();
    let twice = merge_sessions(&[&source, &source], &target, None, &Unwatched).unwrap_err();
    assert!(matches!(twice, Error::Argument { .. }), "{twice}");
    let nothing = Window { from: 5, to: 6 };
    assert!(cut_session(&source, &target, nothing, None, &Unwatched).is_err());
    assert!(merge_sessions(&[], &target, None, &Unwatched).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

fn bytes_of(folder: &Path) -> Vec<u8> {
    let mut all = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(bytes_of(&path));
        } else {
            all.extend(fs::read(path).unwrap());
        }
    }
    all
}

#[test]
fn anonymous_copies_keep_samples_and_say_no_name() {
    let mut n_named = 0;
    for case in whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("anonymous.mefd");
        let shift = 400 * 86_400_000_000;
        let options = AnonymizeOptions {
            pseudonym: "P-001".into(),
            shift,
            ..AnonymizeOptions::default()
        };
        anonymize_session(
            &case.session(),
            &target,
            &options,
            case.password(),
            &Unwatched,
        )
        .unwrap();
        assert_clean(&target, None);
        let source = Session::open(&case.session(), case.password()).unwrap();
        let copy = Session::open(&target, None).unwrap();
        let window = span(&source);
        let moved = Window {
            from: window.from + shift,
            to: window.to + shift,
        };
        for index in 0..source.channels().len() {
            assert!(
                rows(&copy, index, moved) == rows(&source, index, window),
                "{}",
                case.name
            );
            let before = source.segments(index).unwrap()[0]
                .section_3
                .clone()
                .unwrap();
            let after = copy.segments(index).unwrap()[0].section_3.clone().unwrap();
            assert_eq!(
                (after.subject_id.as_str(), after.subject_name_1.as_str()),
                ("P-001", "")
            );
            let all = bytes_of(&target);
            for name in [
                before.subject_name_1,
                before.subject_name_2,
                before.recording_location,
            ] {
                if name.len() > 3 {
                    n_named += 1;
                    assert!(!all.windows(name.len()).any(|part| part == name.as_bytes()));
                }
            }
        }
    }
    assert!(n_named > 0 || cases().is_empty());
}

#[test]
fn archives_are_the_same_each_time_and_come_back() {
    for case in whole() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("s.mefd.tar");
        archive_session(&case.session(), &archive, false, &Unwatched).unwrap();
        let again = archive_session(&case.session(), &archive, false, &Unwatched);
        assert!(matches!(again, Err(Error::Exists { .. })));
        let bytes = fs::read(&archive).unwrap();
        let theirs = case.folder.join("s.mefd.tar");
        if theirs.exists() {
            assert!(
                bytes == fs::read(theirs).unwrap(),
                "not the other program's archive"
            );
        }
        let extracted = folder.path().join("s.mefd");
        extract_session(&archive, &extracted, &Unwatched).unwrap();
        archive_session(&extracted, &archive, true, &Unwatched).unwrap();
        assert!(fs::read(&archive).unwrap() == bytes, "{}", case.name);
        let from_tar = Session::open(&archive, case.password()).unwrap();
        let from_folder = Session::open(&case.session(), case.password()).unwrap();
        for index in 0..from_folder.channels().len() {
            let window = span(&from_folder);
            assert_eq!(
                rows(&from_tar, index, window),
                rows(&from_folder, index, window)
            );
        }
    }
}

#[test]
fn hostile_archives_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tar");
    let build = |names: &[&str]| {
        let mut builder = tar::Builder::new(fs::File::create(&path).unwrap());
        for name in names {
            let mut header = tar::Header::new_gnu();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(3);
            header.set_cksum();
            builder.append(&header, &b"abc"[..]).unwrap();
        }
        builder.finish().unwrap();
    };
    build(&["s.mefd/a.timd/../../../evil"]);
    assert!(matches!(
        Session::open(&path, None),
        Err(Error::Corrupt { .. })
    ));
    build(&["s.mefd/a.timd/x", "t.mefd/a.timd/x"]);
    assert!(matches!(
        Session::open(&path, None),
        Err(Error::Corrupt { .. })
    ));
    build(&["nothing"]);
    assert!(matches!(
        Session::open(&path, None),
        Err(Error::Corrupt { .. })
    ));
    build(&["s.mefd/a.timd/x"]);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..700.min(bytes.len())]).unwrap();
    assert!(Session::open(&path, None).is_err());
    fs::write(&path, [0x1F, 0x8B, 8, 0, 0]).unwrap();
    assert!(matches!(
        Session::open(&path, None),
        Err(Error::Unsupported { .. })
    ));
    let mut state = 7_u64;
    for _ in 0..3000 {
        let mut bytes = bytes.clone();
        for _ in 0..4 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 20) as u8;
        }
        fs::write(&path, &bytes).unwrap();
        let _ = Session::open(&path, None);
    }
}
