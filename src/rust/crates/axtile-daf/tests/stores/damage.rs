//! Files that are damaged, or meant to harm.

use std::fs;
use std::path::Path;

use axtile_core::{Error, ErrorKind};
use axtile_daf::model::{ElementType, Reader, Texts, Values, Writer};
use axtile_daf::{FilesDaf, OpenMode};

use crate::support::{copy, create, dense, fixtures, open, texts};

/// A copy of a store of another writer.
fn copied(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    copy(&fixtures().join(name), &path);
    (folder, path)
}

/// Reads all there is; the first error, if any.
fn read_all(store: &dyn Reader) -> Result<(), Error> {
    for name in store.scalar_names()? {
        store.scalar(&name)?;
    }
    let axes = store.axis_names()?;
    for axis in &axes {
        store.axis(axis)?;
        for name in store.vector_names(axis)? {
            store.vector(axis, &name)?.to_dense();
        }
        for other in &axes {
            for name in store.stored_matrix_names(axis, other)? {
                let _ = store.matrix(axis, other, &name)?.to_dense();
            }
        }
    }
    Ok(())
}

/// Every file of a store.
fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

#[test]
fn every_cut_of_every_file_is_an_error() {
    for name in ["julia_files_v1_0", "julia_files_v1_1"] {
        let (_folder, path) = copied(name);
        let mut all = Vec::new();
        files(&path, &mut all);
        for file in all {
            let whole = fs::read(&file).unwrap();
            for len in 0..whole.len() {
                fs::write(&file, &whole[..len]).unwrap();
                let result =
                    FilesDaf::open(&path, OpenMode::Read, None).and_then(|store| read_all(&store));
                let is_index = file.ends_with("metadata.json");
                // A descriptor without the newline at its end is whole.
                let is_whole = whole[len..] == *b"\n" && file.extension().unwrap() == "json";
                // Version 1.0 counts the true values by the file of positions.
                let is_fewer = file.ends_with("flags.nzind") && len % 4 == 0;
                match result {
                    Ok(()) => assert!(is_index || is_whole || is_fewer, "{} {len}", file.display()),
                    Err(error) => assert!(
                        matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Range),
                        "{} {len}: {error}",
                        file.display()
                    ),
                }
            }
            fs::write(&file, &whole).unwrap();
        }
    }
}

#[test]
fn no_changed_byte_breaks_the_reader() {
    for name in ["julia_files_v1_0", "julia_files_v1_1"] {
        let (_folder, path) = copied(name);
        let mut all = Vec::new();
        files(&path, &mut all);
        all.retain(|file| !file.ends_with("metadata.json"));
        for file in all {
            let whole = fs::read(&file).unwrap();
            for at in 0..whole.len() {
                for mask in [1, 0x80, 0xff] {
                    let mut broken = whole.clone();
                    broken[at] ^= mask;
                    fs::write(&file, &broken).unwrap();
                    if let Ok(store) = FilesDaf::open(&path, OpenMode::Read, None) {
                        let _ = read_all(&store);
                    }
                }
            }
            fs::write(&file, &whole).unwrap();
        }
    }
}

#[track_caller]
fn assert_corrupt<T: std::fmt::Debug>(result: Result<T, Error>, problem: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains(problem), "{error}");
}

#[test]
fn broken_sparse_matrices_say_what_is_wrong() {
    let (_folder, path) = copied("julia_files_v1_1");
    let base = path.join("matrices/cell/gene");
    let numbers = |values: &[i64]| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    };
    let read = || open(&path).matrix("cell", "gene", "UMIs");
    let check = |file: &str, values: &[i64], problem: &str| {
        let whole = fs::read(base.join(file)).unwrap();
        fs::write(base.join(file), numbers(values)).unwrap();
        assert_corrupt(read(), problem);
        fs::write(base.join(file), whole).unwrap();
    };
    check(
        "UMIs.colptr",
        &[1, 3, 2, 5],
        "column 2 ends before it begins",
    );
    check("UMIs.colptr", &[0, 3, 4, 5], "does not start at 1");
    check("UMIs.colptr", &[1, 3, 4, i64::MAX], "does not end with");
    check("UMIs.colptr", &[1, -3, 4, 5], "ends before it begins");
    check("UMIs.colptr", &[1, 3, 4], "bytes instead of 4");
    check("UMIs.rowval", &[1, 5, 2, 3], "of column 1");
    check("UMIs.rowval", &[4, 1, 2, 3], "of column 1");
    check("UMIs.rowval", &[1, 4, 0, 3], "of column 2");
    check("UMIs.rowval", &[1, 4, i64::MIN, 3], "of column 2");
    assert!(read().is_ok());
    let json = base.join("UMIs.json");
    let text = fs::read_to_string(&json).unwrap();
    for n_elements in ["4000000000000000000", "18446744073709551615", "5"] {
        let huge = text.replace("\"n_elements\":4", &format!("\"n_elements\":{n_elements}"));
        fs::write(&json, huge).unwrap();
        assert_corrupt(read(), "instead of");
    }
    fs::write(
        &json,
        text.replace("\"n_elements\":4", "\"n_elements\":1e400"),
    )
    .unwrap();
    assert!(read().is_err());
}

#[test]
fn names_that_leave_the_store_find_nothing() {
    let (folder, path) = copied("julia_files_v1_1");
    fs::write(
        folder.path().join("secret.json"),
        "{\"type\":\"Int8\",\"value\":1}",
    )
    .unwrap();
    let store = open(&path);
    assert!(store.scalar("../../secret").is_err());
    assert!(store.find_axis("../axes/cell").unwrap().is_none());
    assert!(store.find_vector("cell", "../cell/age").unwrap().is_none());
    assert!(store.find_matrix("..", "..", "x").unwrap().is_none());
    let long = "x".repeat(1000);
    assert!(!store.has_scalar(&long).unwrap());
    assert!(store.find_scalar(&long).unwrap().is_none());
}

#[test]
fn broken_axes_and_versions_are_refused() {
    let (_folder, path) = copied("julia_files_v1_1");
    let axis = path.join("axes/cell.txt");
    for (content, problem) in [
        ("A\n\nB\nC\n", "empty entry"),
        ("\nA\nB\nC\n", "empty entry"),
        ("A\nB\nC\nD", "no end"),
    ] {
        fs::write(&axis, content).unwrap();
        assert_corrupt(open(&path).axis("cell"), problem);
    }
    for (content, kind) in [
        ("{\"version\":[1,2]}", ErrorKind::Version),
        ("{\"version\":[2,0]}", ErrorKind::Version),
        ("{\"version\":[1]}", ErrorKind::Corrupt),
        ("{}", ErrorKind::Corrupt),
        ("", ErrorKind::Corrupt),
    ] {
        fs::write(path.join("daf.json"), content).unwrap();
        let error = FilesDaf::open(&path, OpenMode::Read, None).unwrap_err();
        assert_eq!(error.kind(), kind, "{content}");
    }
}

#[test]
fn a_failed_write_leaves_the_old_values() {
    let folder = tempfile::tempdir().unwrap();
    let store = create(&folder.path().join("a"));
    store.add_axis("x", texts(&["A", "B"])).unwrap();
    store
        .set_vector("x", "v", &vec![1, 2].into(), false)
        .unwrap();
    let broken = Values::String(texts(&["a", "b\nc"]));
    let error = store
        .set_vector("x", "v", &broken.clone().into(), true)
        .unwrap_err();
    assert!(
        error.to_string().contains("value 2 has a newline"),
        "{error}"
    );
    let matrix = dense(2, 2, Values::zeros(ElementType::Int8, 4));
    store
        .set_matrix("x", "x", "m", &matrix, false, true)
        .unwrap();
    let newline: Texts = ["a", "b", "c\n", "d"].into_iter().collect();
    assert!(
        store
            .set_matrix("x", "x", "m", &dense(2, 2, newline), true, true)
            .is_err()
    );
    assert_eq!(store.vector("x", "v").unwrap(), vec![1, 2].into());
    assert_eq!(store.matrix("x", "x", "m").unwrap(), matrix);
    assert!(store.add_axis("y", texts(&["a\rb"])).is_err());
    assert!(!store.has_axis("y").unwrap());
}
