//! Snapshots: used while nothing changed, never believed after.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use axtile_core::Unwatched;
use axtile_mef::archive::archive_session;
use axtile_mef::session::Session;
use axtile_mef::write::{Durability, Part, SessionWriter, Values, WriteOptions};

fn part<'a>(channel: &'a str, counts: &'a [i32], start: i64, new_segment: bool) -> Part<'a> {
    Part {
        channel,
        values: Values::Counts {
            counts,
            factor: 1.0,
        },
        start: 1_577_836_800_000_000 + start,
        rate: 100.0,
        description: None,
        new_segment,
    }
}

/// Sets all times of change back: as if the session were an hour old.
fn age(path: &Path) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            age(&entry.unwrap().path());
        }
    }
    let file = fs::File::open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600))
        .unwrap();
}

fn infos(session: &Session) -> Vec<axtile_mef::session::ChannelInfo> {
    (0..session.channels().len())
        .map(|i| session.channel_info(i).unwrap())
        .collect()
}

#[test]
fn snapshots_are_used_until_something_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (path, cache) = (folder.path().join("s.mefd"), folder.path().join("cache"));
    let counts: Vec<i32> = (0..200).collect();
    let mut writer = SessionWriter::create(&path, &WriteOptions::default()).unwrap();
    for channel in ["a", "b"] {
        for (i, new_segment) in [(0, false), (1, true), (2, true)] {
            let part = part(channel, &counts, i * 2_000_000, new_segment);
            writer
                .write(&[part], Durability::Fast, 1, &Unwatched)
                .unwrap();
        }
    }
    writer.publish().unwrap();
    let n_files = || fs::read_dir(&cache).map_or(0, Iterator::count);

    // Too young: a change might not show.
    Session::open_cached(&path, None, &cache).unwrap();
    assert_eq!(n_files(), 0);
    age(&path);
    Session::open_cached(&path, None, &cache).unwrap();
    assert_eq!(n_files(), 1);
    // That the snapshot is used shows by a false one being believed.
    let file = fs::read_dir(&cache)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("s.mefd"));
    fs::write(&file, text.replace("\"rate\":100.0", "\"rate\":123.0")).unwrap();
    let cached = Session::open_cached(&path, None, &cache).unwrap();
    assert_eq!(cached.channel_info(1).unwrap().rate, 123.0);
    assert_eq!(
        cached.segments(1).unwrap()[2].section_2.sampling_frequency,
        100.0
    );
    fs::write(&file, &text).unwrap();
    let cached = Session::open_cached(&path, None, &cache).unwrap();
    assert_eq!(infos(&cached), infos(&Session::open(&path, None).unwrap()));
    assert_eq!(
        cached.blocks(0).unwrap(),
        Session::open(&path, None).unwrap().blocks(0).unwrap()
    );

    // Each of these is seen.
    for (start, new_segment) in [(6_000_000, false), (9_000_000, true)] {
        let one = [part("b", &counts, start, new_segment)];
        writer.write(&one, Durability::Fast, 1, &Unwatched).unwrap();
        let cached = Session::open_cached(&path, None, &cache).unwrap();
        assert_eq!(infos(&cached), infos(&Session::open(&path, None).unwrap()));
        age(&path);
    }
    writer
        .write(
            &[part("c", &counts, 0, false)],
            Durability::Fast,
            1,
            &Unwatched,
        )
        .unwrap();
    assert_eq!(
        Session::open_cached(&path, None, &cache)
            .unwrap()
            .channels()
            .len(),
        3
    );
    for garbage in ["", "{}", "[1", "{\"format\":1}"] {
        fs::write(&file, garbage).unwrap();
        assert_eq!(
            Session::open_cached(&path, None, &cache)
                .unwrap()
                .channels()
                .len(),
            3
        );
    }
    writer.close().unwrap();

    let archive = folder.path().join("s.mefd.tar");
    archive_session(&path, &archive, false, &Unwatched).unwrap();
    age(&archive);
    for _ in 0..2 {
        let cached = Session::open_cached(&archive, None, &cache).unwrap();
        assert_eq!(infos(&cached), infos(&Session::open(&path, None).unwrap()));
        assert_eq!(
            cached.gaps(1).unwrap(),
            Session::open(&path, None).unwrap().gaps(1).unwrap()
        );
    }
    assert_eq!(n_files(), 2);
}

#[test]
fn sessions_with_passwords_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let (path, cache) = (folder.path().join("s.mefd"), folder.path().join("cache"));
    let options = WriteOptions {
        passwords: Some(("one".into(), "two".into())),
        ..WriteOptions::default()
    };
    let mut writer = SessionWriter::create(&path, &options).unwrap();
    writer
        .write(
            &[part("a", &[1, 2], 0, false)],
            Durability::Fast,
            1,
            &Unwatched,
        )
        .unwrap();
    writer.close().unwrap();
    age(&path);
    Session::open_cached(&path, Some("two"), &cache).unwrap();
    assert!(!cache.exists());
    assert!(Session::open_cached(&path, None, &cache).is_err());
}
