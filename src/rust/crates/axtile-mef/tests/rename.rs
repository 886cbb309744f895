//! Renaming sessions, also when it is cut off.

mod common;

use std::fs;
use std::path::Path;

use axtile_core::{Error, Unwatched};
use axtile_mef::rename::rename_session;
use axtile_mef::session::Session;
use axtile_mef::validate::{Severity, ValidateOptions, validate};

fn check(path: &Path, password: Option<&str>, name: &str, n_records: usize) {
    let session = Session::open(path, password).unwrap();
    assert_eq!(session.name(), name);
    for index in 0..session.channels().len() {
        for segment in session.segments(index).unwrap() {
            assert_eq!(segment.header.session, name);
        }
    }
    assert_eq!(session.records(false).unwrap().0.len(), n_records);
    let findings = validate(path, password, ValidateOptions::default(), &Unwatched).unwrap();
    let is_wrong = |check: &str| check.starts_with("crc") || check.starts_with("files");
    assert!(
        findings
            .iter()
            .all(|one| one.severity != Severity::Error || !is_wrong(one.check))
    );
}

#[test]
fn names_change_everywhere_and_back() {
    for case in common::cases().iter().filter(|case| !case.is_damaged()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.mefd");
        common::copy(&case.session(), &path);
        let session = Session::open(&path, case.password()).unwrap();
        let n_records = session.records(false).unwrap().0.len();
        let renamed = rename_session(&path, "new name", &Unwatched).unwrap();
        assert!(!path.exists() && renamed.ends_with("new name.mefd"));
        check(&renamed, case.password(), "new name", n_records);

        // Cut off after the records had the new name, and some headers.
        let back = rename_session(&renamed, "s", &Unwatched).unwrap();
        fs::write(back.join(".axtile-rename.json"), "[\"s\",\"t\"]").unwrap();
        for ending in ["rdat", "ridx"] {
            let _ = fs::rename(
                back.join(format!("s.{ending}")),
                back.join(format!("t.{ending}")),
            );
        }
        for name in ["t", "s"] {
            let done = rename_session(&folder.path().join("s.mefd"), name, &Unwatched).unwrap();
            check(&done, case.password(), name, n_records);
            assert!(!done.join(".axtile-rename.json").exists());
            if name == "t" {
                fs::rename(done, folder.path().join("s.mefd")).unwrap();
            }
        }
    }
}

#[test]
fn what_cannot_be_renamed_stays() {
    let Some(case) = common::cases()
        .into_iter()
        .find(|case| case.name == "m3_records")
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.mefd");
    common::copy(&case.session(), &path);
    fs::create_dir(folder.path().join("taken.mefd")).unwrap();
    assert!(matches!(
        rename_session(&path, "taken", &Unwatched),
        Err(Error::Exists { .. })
    ));
    assert!(rename_session(&path, "a/b", &Unwatched).is_err());
    let damaged = path.join("ch1.timd/ch1-000000.segd/ch1-000000.tidx");
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[400] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    assert!(matches!(
        rename_session(&path, "t", &Unwatched),
        Err(Error::Corrupt { .. })
    ));
    assert_eq!(
        Session::open(&path, None).unwrap().segments(0).unwrap()[0]
            .header
            .session,
        "s"
    );
}
