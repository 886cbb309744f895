//! Writing and opening; damage of every kind is an error of the right kind.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, ErrorKind, Result, Unwatched, Watch};
use axtile_mapped::{
    Checksum, FORMAT, HEADER_FILE, MAX_HEADER_LEN, MAX_SIZE, MappedMatrix, MatrixParts, VERSION,
    write_matrix,
};
use tempfile::TempDir;

const STARTS: [i32; 5] = [0, 2, 2, 5, 6];
const ROWS: [i32; 6] = [0, 6, 1, 2, 3, 6];
const VALUES: [f64; 6] = [1.0, -0.0, f64::NAN, f64::INFINITY, 1e-310, 6.0];

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn parts<'a>() -> MatrixParts<'a> {
    MatrixParts {
        n_rows: 7,
        starts: &STARTS,
        rows: &ROWS,
        values: &VALUES,
        row_names: None,
        column_names: None,
        dimnames_names: None,
        source: None,
    }
}

fn write(target: &Path, parts: &MatrixParts) -> Result<()> {
    write_matrix(target, parts, false, &Unwatched)
}

/// A scratch folder and a matrix in it, with column names.
fn example() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a %s%n {b}");
    let names = texts(&["", "b\r", "ü \"header_xxh3_64\": \"", "b\r"]);
    let parts = MatrixParts {
        column_names: Some(&names),
        dimnames_names: Some(&["genes".to_owned(), "\"header_xxh3_64\": \"x".to_owned()]),
        source: Some("tile 1"),
        ..parts()
    };
    write(&target, &parts).unwrap();
    (folder, target)
}

fn kind(result: Result<MappedMatrix>) -> ErrorKind {
    result.unwrap_err().kind()
}

#[test]
fn comes_back_as_it_was() {
    let (_folder, target) = example();
    let matrix = MappedMatrix::open(&target).unwrap();
    matrix.verify(&Unwatched).unwrap();
    assert_eq!((matrix.header.n_rows, matrix.header.n_columns), (7, 4));
    assert_eq!((matrix.header.nnz, matrix.starts), (6, STARTS.to_vec()));
    let rows: Vec<u8> = ROWS.iter().flat_map(|row| row.to_le_bytes()).collect();
    assert_eq!(*matrix.rows, *rows);
    let values: Vec<u8> = VALUES
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    assert_eq!(*matrix.values, *values);
    assert_eq!(matrix.row_names, None);
    let names = matrix.column_names.unwrap();
    assert_eq!(names, ["", "b\r", "ü \"header_xxh3_64\": \"", "b\r"]);
    assert_eq!(matrix.header.dimnames_names.unwrap()[0], "genes");
    assert_eq!(matrix.header.source.as_deref(), Some("tile 1"));
    assert_eq!(fs::read_dir(_folder.path()).unwrap().count(), 1);
}

#[test]
fn matrices_without_elements_rows_or_columns_are_fine() {
    let folder = tempfile::tempdir().unwrap();
    let empty: &[String] = &[];
    for (idx, (n_rows, starts)) in [(0, &[0][..]), (0, &[0, 0]), (9, &[0]), (9, &[0, 0, 0])]
        .into_iter()
        .enumerate()
    {
        let target = folder.path().join(idx.to_string());
        let parts = MatrixParts {
            n_rows,
            starts,
            rows: &[],
            values: &[],
            row_names: (n_rows == 0).then_some(empty),
            ..parts()
        };
        write(&target, &parts).unwrap();
        let matrix = MappedMatrix::open(&target).unwrap();
        matrix.verify(&Unwatched).unwrap();
        assert_eq!(matrix.starts, starts);
        assert!(matrix.rows.is_empty() && matrix.values.is_empty());
    }
}

#[test]
fn what_is_no_matrix_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x");
    let refused = |parts: MatrixParts| {
        let error = write(&target, &parts).unwrap_err();
        assert!(!target.exists());
        error.kind()
    };
    let names = texts(&["a", "b\nc", "d", "e"]);
    for wrong in [
        MatrixParts {
            n_rows: 6,
            ..parts()
        },
        MatrixParts {
            starts: &[],
            ..parts()
        },
        MatrixParts {
            starts: &[0, 2, 7],
            ..parts()
        },
        MatrixParts {
            rows: &[0, 6, 1, 2, 2, 6],
            ..parts()
        },
        MatrixParts {
            values: &[1.0],
            ..parts()
        },
        MatrixParts {
            row_names: Some(&names),
            ..parts()
        },
        MatrixParts {
            column_names: Some(&names),
            ..parts()
        },
    ] {
        assert_eq!(refused(wrong), ErrorKind::Argument);
    }
    let huge = MatrixParts {
        n_rows: MAX_SIZE as usize + 1,
        ..parts()
    };
    assert_eq!(refused(huge), ErrorKind::Limit);
    let long = "x".repeat(MAX_HEADER_LEN as usize);
    let long = MatrixParts {
        source: Some(&long),
        ..parts()
    };
    assert_eq!(refused(long), ErrorKind::Limit);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn replaces_only_its_like_and_leaves_it_when_stopped() {
    let (folder, target) = example();
    assert_eq!(
        write(&target, &parts()).unwrap_err().kind(),
        ErrorKind::Exists
    );

    struct Stopped;
    impl Watch for Stopped {
        fn advance(&self, _: u64) {}
        fn is_interrupted(&self) -> bool {
            true
        }
    }
    let stopped = write_matrix(&target, &parts(), true, &Stopped);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let open = MappedMatrix::open(&target).unwrap();
    assert!(open.column_names.is_some());
    assert!(matches!(open.verify(&Stopped), Err(Error::Interrupted)));

    write_matrix(&target, &parts(), true, &Unwatched).unwrap();
    assert!(MappedMatrix::open(&target).unwrap().column_names.is_none());
    // The earlier map still holds what it mapped.
    open.verify(&Unwatched).unwrap();

    let other = folder.path().join("precious");
    fs::create_dir(&other).unwrap();
    fs::write(other.join(HEADER_FILE), "{\"format\": \"other\"}").unwrap();
    let refused = write_matrix(&other, &parts(), true, &Unwatched);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Argument);
    assert!(other.join(HEADER_FILE).exists());
    assert_eq!(kind(MappedMatrix::open(&other)), ErrorKind::Version);
    assert_eq!(kind(MappedMatrix::open(folder.path())), ErrorKind::Io);
    assert_eq!(
        kind(MappedMatrix::open(&target.join("none"))),
        ErrorKind::Io
    );
}

#[test]
fn any_changed_byte_of_the_header_is_noticed() {
    let (_folder, target) = example();
    let path = target.join(HEADER_FILE);
    let text = fs::read(&path).unwrap();
    for at in 0..text.len() {
        for change in [b'0', b'9', b' ', b'"', b'}', b'x', 0, 0xff] {
            let mut changed = text.clone();
            changed[at] = change;
            if changed == text {
                continue;
            }
            fs::write(&path, &changed).unwrap();
            let kind = kind(MappedMatrix::open(&target));
            assert!(
                matches!(kind, ErrorKind::Corrupt | ErrorKind::Version),
                "{at}"
            );
        }
        fs::write(&path, &text[..at]).unwrap();
        assert_eq!(
            kind(MappedMatrix::open(&target)),
            ErrorKind::Corrupt,
            "{at}"
        );
    }
    fs::write(&path, vec![b' '; MAX_HEADER_LEN as usize + 1]).unwrap();
    assert_eq!(kind(MappedMatrix::open(&target)), ErrorKind::Limit);
}

/// Changes the header and its checksum: what only somebody who means it does.
fn forge(target: &Path, from: &str, to: &str) {
    let path = target.join(HEADER_FILE);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    let text = text.replacen(from, to, 1);
    let at = text.rfind("header_xxh3_64\": \"").unwrap() + 18;
    let zeroed = format!("{}{}{}", &text[..at], "0".repeat(16), &text[at + 16..]);
    let checksum = Checksum::of(zeroed.as_bytes());
    let text = format!("{}{checksum}{}", &text[..at], &text[at + 16..]);
    fs::write(&path, text).unwrap();
}

#[test]
fn a_forged_header_still_cannot_contradict_the_files() {
    for (from, to, expected) in [
        ("\"nnz\": 6", "\"nnz\": 5", ErrorKind::Corrupt),
        ("\"nnz\": 6", "\"nnz\": 2147483648", ErrorKind::Corrupt),
        ("\"nnz\": 6", "\"nnz\": 1e3", ErrorKind::Corrupt),
        ("    4\n", "    5\n", ErrorKind::Corrupt),
        ("    4\n", "    -1\n", ErrorKind::Corrupt),
        ("\"bytes\": 48", "\"bytes\": 56", ErrorKind::Corrupt),
        ("little", "big", ErrorKind::Corrupt),
        ("\"version\": 1", "\"version\": 2", ErrorKind::Version),
        ("\"source\"", "\"sauce\"", ErrorKind::Corrupt),
        (
            "\"source\": \"tile 1\"",
            "\"source\": [1]",
            ErrorKind::Corrupt,
        ),
        ("\"genes\"", "\"genes\", \"x\"", ErrorKind::Corrupt),
        ("i.i32", "../i.i32", ErrorKind::Corrupt),
    ] {
        let (_folder, target) = example();
        forge(&target, from, to);
        assert_eq!(kind(MappedMatrix::open(&target)), expected, "{to}");
    }
    let (_folder, target) = example();
    // Rows are not looked at by opening, but by verifying.
    forge(&target, "    7,\n", "    6,\n");
    let open = MappedMatrix::open(&target).unwrap();
    assert_eq!(
        open.verify(&Unwatched).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
}

#[test]
fn damaged_files_are_noticed() {
    let files = ["p.i32", "i.i32", "x.f64", "colnames.txt"];
    for file in files {
        let (_folder, target) = example();
        let path = target.join(file);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
        assert_eq!(kind(MappedMatrix::open(&target)), ErrorKind::Corrupt);
        fs::write(&path, [&bytes[..], &[0; 8]].concat()).unwrap();
        assert_eq!(kind(MappedMatrix::open(&target)), ErrorKind::Corrupt);
        fs::remove_file(&path).unwrap();
        assert_eq!(kind(MappedMatrix::open(&target)), ErrorKind::Io);
        fs::create_dir(&path).unwrap();
        assert_eq!(kind(MappedMatrix::open(&target)), ErrorKind::Io);
        fs::remove_dir(&path).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            fs::write(&path, &changed).unwrap();
            let checked = MappedMatrix::open(&target).and_then(|open| {
                assert!(["i.i32", "x.f64"].contains(&file));
                open.verify(&Unwatched)
            });
            assert_eq!(checked.unwrap_err().kind(), ErrorKind::Corrupt);
        }
    }
}

#[test]
fn the_specification_has_the_constants_of_the_code() {
    let text = include_str!("../../../../../inst/spec/mapped-matrix.md");
    for row in [
        format!("| FORMAT | {FORMAT} |"),
        format!("| VERSION | {VERSION} |"),
        format!("| MAX_SIZE | {MAX_SIZE} |"),
        format!("| MAX_HEADER_LEN | {MAX_HEADER_LEN} |"),
    ] {
        assert!(text.contains(&row), "{row}");
    }
}
