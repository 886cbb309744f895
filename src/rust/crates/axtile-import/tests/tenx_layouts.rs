//! Variants of 10x Genomics' files and folders.

mod common;

use std::path::Path;

use axtile_core::ErrorKind;
use axtile_import::{ImportOptions, Orientation, open};
use axtile_table::Column;
use common::*;

fn copy(from: &str, to: &Path, name: &str) {
    std::fs::copy(fixture(from), to.join(name)).unwrap();
}

#[test]
fn several_genomes_need_a_choice() {
    let path = fixture("tenx_v2_two.h5");
    let error = open(&path, &ImportOptions::default()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("GRCh38, mm10"), "{error}");
    let genome = |name: &str| ImportOptions {
        genome: Some(name.to_owned()),
        ..ImportOptions::default()
    };
    assert_eq!(open(&path, &genome("mm10")).unwrap().genes()[0], "Cd3E");
    assert_eq!(
        open(&path, &genome("hg19")).err().unwrap().kind(),
        ErrorKind::Argument
    );
}

#[test]
fn prefixes_as_in_public_archives() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["matrix.mtx.gz", "barcodes.tsv.gz", "features.tsv.gz"] {
        copy(
            &format!("mtx_v3/{name}"),
            folder.path(),
            &format!("GSM1_a_{name}"),
        );
    }
    let mut plain = open(&fixture("mtx_v3"), &ImportOptions::default()).unwrap();
    let wanted = triplets(plain.as_mut(), 3).unwrap();
    for path in [
        folder.path().to_owned(),
        folder.path().join("GSM1_a_matrix.mtx.gz"),
    ] {
        let mut source = open(&path, &ImportOptions::default()).unwrap();
        assert_eq!(source.genes(), plain.genes());
        assert_eq!(
            source.cell_names(0..7).unwrap(),
            plain.cell_names(0..7).unwrap()
        );
        assert_eq!(triplets(source.as_mut(), 3).unwrap(), wanted);
    }
    copy("mtx_v2/matrix.mtx", folder.path(), "GSM2_b_matrix.mtx");
    let error = open(folder.path(), &ImportOptions::default())
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(
        text.contains("GSM1_a_matrix.mtx.gz, GSM2_b_matrix.mtx"),
        "{text}"
    );
}

#[test]
fn places_of_peaks_and_missing_fields() {
    let folder = tempfile::tempdir().unwrap();
    copy("mtx_v2/matrix.mtx", folder.path(), "matrix.mtx");
    copy("mtx_v2/barcodes.tsv", folder.path(), "barcodes.tsv");
    let features = "id1\tn1\tPeaks\tchr1\t10\t20\r\nid2\tn2\tGene Expression\r\nid3\tn3\tPeaks\tchr2\t1\t2\r\nid4\tn4\tPeaks\t\t\t\r\nid5\tn5\tPeaks\tchrX\t5\t6";
    let path = folder.path().join("features.tsv");
    std::fs::write(&path, features).unwrap();
    let source = open(folder.path(), &ImportOptions::default()).unwrap();
    assert_eq!(source.genes(), ["n1", "n2", "n3", "n4", "n5"]);
    let var = source.var().unwrap();
    let names: Vec<&str> = var.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["id", "feature_type", "chromosome", "start", "end"]);
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        var.columns[2],
        Column::Text(vec![
            text("chr1"),
            None,
            text("chr2"),
            text(""),
            text("chrX")
        ])
    );
    // a line without a symbol, and one gene too few
    for (bad, place) in [
        (
            features.replace("id2\tn2\tGene Expression", "id2"),
            "line 2",
        ),
        (features.replace("id4\tn4\tPeaks\t\t\t\r\n", ""), "4 lines"),
    ] {
        std::fs::write(&path, bad).unwrap();
        let error = open(folder.path(), &ImportOptions::default())
            .err()
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[test]
fn cells_as_rows() {
    let options = ImportOptions {
        orientation: Orientation::CellsByGenes,
        ..ImportOptions::default()
    };
    let mut turned = open(&fixture("bare.mtx"), &options).unwrap();
    assert_eq!((turned.n_cells(), turned.genes().len()), (5, 7));
    let mut plain = open(&fixture("bare.mtx"), &ImportOptions::default()).unwrap();
    let mut wanted: Vec<(u64, u32, u64)> = triplets(plain.as_mut(), 7)
        .unwrap()
        .into_iter()
        .map(|(cell, gene, count)| (u64::from(gene), cell as u32, count))
        .collect();
    wanted.sort();
    assert_eq!(triplets(turned.as_mut(), 2).unwrap(), wanted);
}
