//! Bytes changed at random, in every file of a session and in archives: reading,
//! validating, recovering, copying and renaming give samples or a classed error, in
//! time and without a panic.
//! `AXTILE_FUZZ_CASES` says how many to try, `AXTILE_FUZZ_SEED` from which.

#[path = "common/folders.rs"]
mod folders;

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::Unwatched;
use axtile_mef::archive::{archive_session, extract_session};
use axtile_mef::copy::{AnonymizeOptions, anonymize_session, cut_session, merge_sessions};
use axtile_mef::read::{ReadOptions, Window};
use axtile_mef::records::{Record, RecordBody, RecordScope};
use axtile_mef::recover::recover;
use axtile_mef::red::{Decoder, decode_block};
use axtile_mef::rename::rename_session;
use axtile_mef::session::Session;
use axtile_mef::validate::{ValidateOptions, validate};
use axtile_mef::write::{Durability, Part, SessionWriter, Values, WriteOptions};

const N_CASES: u64 = 250;
const START: i64 = 1_577_836_800_000_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

/// CRC-32/MEF, bit by bit: damage must also come with right checksums.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |mut state, &byte| {
        state ^= u32::from(byte);
        for _ in 0..8 {
            state = (state >> 1) ^ (0xEB31_D82E & (state & 1).wrapping_neg());
        }
        state
    })
}

fn seal(bytes: &mut [u8], at: usize, from: usize, to: usize) {
    if to <= bytes.len() && from < to {
        let sum = checksum(&bytes[from..to]).to_le_bytes();
        bytes[at..at + 4].copy_from_slice(&sum);
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    const ODD: [i64; 8] = [
        0,
        -1,
        1,
        i64::MAX,
        i64::MIN,
        0x7FFF_FFFF,
        0xFFFF_FFFF,
        1 << 40,
    ];
    // Headers and the first entries and blocks are where lengths are.
    let reach = if random.below(2) == 0 {
        bytes.len()
    } else {
        bytes.len().min(1500)
    };
    for _ in 0..=random.below(4) {
        let at = random.below(reach);
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.extend(std::iter::repeat_n(random.below(256) as u8, at.min(3000))),
            2 | 3 => {
                let value = ODD[random.below(ODD.len())].to_le_bytes();
                let n = [1, 4, 8][random.below(3)];
                let at = at / 4 * 4;
                if at + n <= bytes.len() {
                    bytes[at..at + n].copy_from_slice(&value[..n]);
                }
            }
            4 => {
                let end = (at + random.below(400)).min(bytes.len());
                if at < end {
                    bytes[at..end].fill(0);
                }
            }
            _ => {
                if at < bytes.len() {
                    bytes[at] ^= 1 << random.below(8);
                }
            }
        }
    }
    if random.below(3) > 0 && bytes.len() > 1024 {
        let end = bytes.len();
        // A block or a record where one is.
        if end > 1024 + 304 {
            let n = u32::from_le_bytes(bytes[1024 + 36..1024 + 40].try_into().unwrap()) as usize;
            seal(bytes, 1024, 1028, 1024_usize.saturating_add(n));
            let n = u32::from_le_bytes(bytes[1024 + 12..1024 + 16].try_into().unwrap()) as usize;
            if bytes[8] == b'r' {
                seal(bytes, 1024, 1028, (1024 + 24_usize).saturating_add(n));
            }
        }
        let end = if bytes.starts_with(b"tmet") {
            end.min(16384)
        } else {
            end
        };
        seal(bytes, 4, 1024, end);
        seal(bytes, 0, 4, 1024);
    }
}

fn read_all(path: &Path, password: Option<&str>) {
    for lenient in [false, true] {
        let Ok(session) = Session::open(path, password) else {
            continue;
        };
        let _ = session.records(lenient);
        for index in 0..session.channels().len() {
            let _ = session.channel_info(index);
            let _ = session.gaps(index);
            let Ok(plan) = session.plan(&[index], None, &Unwatched) else {
                continue;
            };
            // A damaged time makes a window that nobody asks for.
            if plan.n_rows() > 1 << 22 {
                continue;
            }
            let options = ReadOptions {
                lenient,
                n_threads: 1,
            };
            let mut out = vec![0.0; plan.n_rows()];
            let _ = plan.read(&mut out, options, &Unwatched);
        }
    }
    let _ = validate(path, password, ValidateOptions::default(), &Unwatched);
}

fn copy(path: &Path, password: Option<&str>, random: &mut Random) {
    let target = path.with_file_name("target.mefd");
    let window = Window {
        from: START + 3_333_333,
        to: START + 40_000_000,
    };
    let anonymize = AnonymizeOptions {
        shift: 86_400_000_000,
        ..AnonymizeOptions::default()
    };
    let copies: [&dyn Fn() -> bool; 3] = [
        &|| cut_session(path, &target, window, password, &Unwatched).is_ok(),
        &|| merge_sessions(&[path], &target, password, &Unwatched).is_ok(),
        &|| anonymize_session(path, &target, &anonymize, password, &Unwatched).is_ok(),
    ];
    if copies[random.below(copies.len())]() {
        fs::remove_dir_all(&target).unwrap();
    }
    assert!(!target.exists(), "a copy that failed left something");
}

fn use_all(path: &Path, password: Option<&str>, random: &mut Random) {
    read_all(path, password);
    // Copies and names wait for the disk.
    let is_copied = random.below(4) == 0;
    if is_copied {
        copy(path, password, random);
    }
    let _ = recover(path, password, true, &Unwatched);
    if let Ok(mut writer) = SessionWriter::open(path, password) {
        let part = Part {
            channel: "a",
            values: Values::Counts {
                counts: &[1, 2],
                factor: 1.0,
            },
            start: 1_900_000_000_000_000,
            rate: 100.0,
            description: None,
            new_segment: false,
        };
        let _ = writer.write(&[part], Durability::Fast, 1, &Unwatched);
        let _ = writer.close();
    }
    if is_copied && let Ok(renamed) = rename_session(path, "renamed", &Unwatched) {
        fs::rename(renamed, path).unwrap();
    }
}

/// A session with passwords, two segments and records.
fn build(path: &Path) {
    let options = WriteOptions {
        passwords: Some(("one".into(), "two".into())),
        ..WriteOptions::default()
    };
    let mut writer = SessionWriter::create(path, &options).unwrap();
    let counts: Vec<i32> = (0..2500).map(|i| (i * 37) % 500 - 250).collect();
    for new_segment in [false, true] {
        let part = Part {
            channel: "a",
            values: Values::Counts {
                counts: &counts,
                factor: 1.0,
            },
            start: START + 30_000_000 * i64::from(new_segment),
            rate: 100.0,
            description: None,
            new_segment,
        };
        writer
            .write(&[part], Durability::Fast, 1, &Unwatched)
            .unwrap();
    }
    let records: Vec<Record> = ["Note", "Seiz", "LNTP", "Epoc"]
        .iter()
        .map(|kind| Record {
            scope: RecordScope::Session,
            time: START,
            kind: (*kind).to_owned(),
            version: (1, 0),
            body: RecordBody::Other(vec![1; 1600]),
        })
        .collect();
    writer.write_records(&records, Durability::Fast).unwrap();
    writer.close().unwrap();
}

#[test]
fn damaged_sessions_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("s.mefd");
    build(&original);
    let mut all = vec![];
    files(&original, &mut all);
    let first = setting("AXTILE_FUZZ_SEED", 1);
    for round in first..first + setting("AXTILE_FUZZ_CASES", N_CASES) {
        let mut random = Random(round.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let path = folder.path().join("copy.mefd");
        folders::copy(&original, &path);
        for _ in 0..=random.below(2) {
            let file = &all[random.below(all.len())];
            let file = path.join(file.strip_prefix(&original).unwrap());
            let mut bytes = fs::read(&file).unwrap();
            damage(&mut bytes, &mut random);
            fs::write(&file, bytes).unwrap();
        }
        println!("round {round}");
        use_all(&path, Some("two"), &mut random);
        fs::remove_dir_all(&path).unwrap();
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap().path();
            if entry != original {
                fs::remove_dir_all(&entry).unwrap();
            }
        }
    }
}

#[test]
fn damaged_archives_never_panic() {
    const BLOCK: usize = 512;
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("s.mefd");
    build(&original);
    let path = folder.path().join("s.mefd.tar");
    archive_session(&original, &path, false, &Unwatched).unwrap();
    let archive = fs::read(&path).unwrap();
    let is_header = |block: &[u8]| block.starts_with(b"s.mefd/");
    let headers: Vec<usize> = (0..archive.len() / BLOCK)
        .map(|number| number * BLOCK)
        .filter(|&at| is_header(&archive[at..at + BLOCK]))
        .collect();
    let target = folder.path().join("target.mefd");
    let first = setting("AXTILE_FUZZ_SEED", 1);
    for round in first..first + setting("AXTILE_FUZZ_CASES", N_CASES) {
        let mut random = Random(round.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x7A);
        let mut bytes = archive.clone();
        for _ in 0..=random.below(3) {
            let at = headers[random.below(headers.len())];
            let field = [0, 100, 124, 156, 257, 345][random.below(6)];
            let place = at + field + random.below(12);
            bytes[place] = b"0127 ./xLK\0\x80\xFF"[random.below(13)];
            // Damage that its checksum does not tell.
            bytes[at + 148..at + 156].fill(b' ');
            let sum: u32 = bytes[at..at + BLOCK].iter().map(|&b| u32::from(b)).sum();
            bytes[at + 148..at + 156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
        if random.below(4) == 0 {
            bytes.truncate(random.below(archive.len()));
        }
        fs::write(&path, &bytes).unwrap();
        println!("round {round}");
        read_all(&path, Some("two"));
        // It waits for the disk.
        if random.below(4) == 0 && extract_session(&path, &target, &Unwatched).is_ok() {
            fs::remove_dir_all(&target).unwrap();
        }
        assert!(!target.exists());
    }
}

#[test]
fn damaged_blocks_never_panic() {
    let counts: Vec<i32> = (0..600).map(|i| (i * i * 31) % 900).collect();
    let run = axtile_mef::red::Run {
        counts: &counts,
        start: -1,
        is_discontinuity: true,
    };
    let block = axtile_mef::red::Encoder::default()
        .encode(&[run])
        .unwrap()
        .remove(0)
        .bytes;
    let mut decoder = Decoder::new();
    for round in 1..=20_000 {
        let mut random = Random(round * 7919);
        let mut bytes = block.clone();
        for _ in 0..=random.below(6) {
            let reach = if random.below(2) == 0 {
                304
            } else {
                bytes.len()
            };
            let at = random.below(reach);
            bytes[at] = random.below(256) as u8;
        }
        // Lengths that are in order but let the decoder work for long are not
        // what this looks for.
        let n = u32::from_le_bytes(bytes[32..36].try_into().unwrap());
        if n < 1 << 20 {
            let _ = decode_block(&mut decoder, &bytes);
        }
        let cut = random.below(bytes.len());
        let _ = decode_block(&mut decoder, &bytes[..cut]);
    }
}
