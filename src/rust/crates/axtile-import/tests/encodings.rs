//! Every encoding among the fixtures, against `expected.json`.

mod common;

use axtile_core::ErrorKind;
use axtile_import::{ImportOptions, Layer, open};
use common::*;

fn check(key: &str) {
    let all = expected();
    let expected = match all[key].get("like") {
        Some(other) => &all[other.as_str().unwrap()],
        None => &all[key],
    };
    let (file, variant) = key.split_once('#').unwrap_or((key, ""));
    let mut source = open(&fixture(file), &options(file, variant))
        .unwrap_or_else(|error| panic!("{key}: {error}"));
    let n_cells = expected["n_cells"].as_u64().unwrap();
    assert_eq!(source.n_cells(), n_cells, "{key}");
    assert_eq!(
        serde_json::Value::from(source.genes()),
        expected["genes"],
        "{key}"
    );
    let names = source.cell_names(0..n_cells).unwrap();
    let names = serde_json::Value::from(names.unwrap_or_default());
    assert_eq!(names, expected["cells"], "{key}");
    let wanted: Vec<(u64, u32, u64)> = serde_json::from_value(expected["counts"].clone()).unwrap();
    for step in [n_cells.max(1), 3, 1] {
        let got = triplets(source.as_mut(), step).unwrap_or_else(|error| panic!("{key}: {error}"));
        assert_eq!(got, wanted, "{key}, {step} cells at a time");
    }
    if let Some(obs) = expected.get("obs") {
        let table = source.obs(0..n_cells).unwrap();
        assert_eq!(table.fields, source.obs_fields());
        check_table(&table, obs, key);
        // by pieces it is the same
        for at in 0..=n_cells {
            let parts = [source.obs(0..at).unwrap(), source.obs(at..n_cells).unwrap()];
            for (i, field) in table.fields.iter().enumerate() {
                let parts = parts
                    .iter()
                    .flat_map(|part| values(&part.columns[i], &field.kind));
                assert_eq!(
                    parts.collect::<Vec<_>>(),
                    values(&table.columns[i], &field.kind)
                );
            }
        }
    }
    if let Some(var) = expected.get("var") {
        check_table(&source.var().unwrap(), var, key);
    }
    // asking for what is not there
    assert!(source.counts(0, 0..n_cells + 1).is_err());
    assert_eq!(
        source.obs(0..n_cells + 1).unwrap_err().kind(),
        ErrorKind::Range
    );
}

fn check_all(files: &[&str]) {
    let keys: Vec<String> = expected().keys().cloned().collect();
    for file in files {
        let mut n = 0;
        for key in &keys {
            if key == file || key.starts_with(&format!("{file}#")) {
                check(key);
                n += 1;
            }
        }
        assert!(n > 0, "{file} has no expectation");
    }
}

#[test]
fn matrices_of_today() {
    check_all(&[
        "csr.h5ad",
        "csc.h5ad",
        "dense.h5ad",
        "layers.h5ad",
        "tiny.h5ad",
    ]);
}

#[test]
fn empty_matrices() {
    check_all(&["no_cells.h5ad", "no_counts.h5ad"]);
}

#[test]
fn all_widths_and_byte_orders() {
    check_all(&["widths.h5ad"]);
}

#[test]
fn filters_and_chunk_indexes() {
    for libver in ["earliest", "v110", "latest"] {
        check_all(&[
            &format!("filters_{libver}.h5ad"),
            &format!("chunks_{libver}.h5ad"),
        ]);
    }
}

#[test]
fn filters_that_are_not_known() {
    let error = open(&fixture("filters_v110.h5ad"), &options("", "blosc"))
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("blosc"), "{error}");
}

#[test]
fn columns_of_today() {
    check_all(&["columns.h5ad", "strings.h5ad", "clash.h5ad"]);
}

#[test]
fn layouts_of_old() {
    check_all(&["anndata07.h5ad", "anndata06.h5ad"]);
}

#[test]
fn columns_that_are_not_read() {
    for (file, column) in [("datetime.h5ad", "when"), ("nested.h5ad", "deep")] {
        let error = open(&fixture(file), &ImportOptions::default())
            .err()
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(
            error.to_string().contains(&format!("'{column}'")),
            "{error}"
        );
    }
    check_all(&["datetime.h5ad", "nested.h5ad"]);
}

#[test]
fn values_that_are_no_counts() {
    for kind in ["csr", "csc", "dense"] {
        for bad in ["fraction", "negative", "nan", "inf", "large"] {
            let name = format!("{kind}_{bad}");
            let options = options("bad_values.h5ad", &name);
            let mut source = open(&fixture("bad_values.h5ad"), &options).unwrap();
            let error = triplets(source.as_mut(), 3).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Value, "{name}: {error}");
            let text = error.to_string();
            assert!(
                text.contains("'cell-4'") && text.contains("'LYZ'"),
                "{name}: {text}"
            );
        }
    }
    check_all(&["bad_values.h5ad"]);
}

#[test]
fn tenx_files() {
    check_all(&["tenx_v2.h5", "tenx_v3.h5", "tenx_v3_latest.h5"]);
}

#[test]
fn matrix_market() {
    check_all(&["mtx_v2", "mtx_v3", "bare.mtx", "pattern.mtx"]);
}

#[test]
fn absent_matrices_are_named() {
    let options = ImportOptions {
        layer: Layer::Named("spliced".to_owned()),
        ..ImportOptions::default()
    };
    let error = open(&fixture("layers.h5ad"), &options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("its layers: counts"), "{error}");
}
