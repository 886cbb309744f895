//! Several sources as one.

mod common;

use std::path::PathBuf;

use axtile_core::{ErrorKind, Unwatched};
use axtile_import::{Combined, ImportOptions, Join, Layer, open};
use axtile_table::{Column, Kind};
use axtile_tiles::CellSource;
use common::*;

fn source(file: &str, variant: &str) -> Box<dyn CellSource> {
    open(&fixture(file), &options(file, variant)).unwrap()
}

/// What `sources` have one by one, with genes by name.
fn by_name(sources: &[(&str, &str)]) -> Vec<(u64, String, u64)> {
    let mut all = Vec::new();
    let mut first = 0;
    for (file, variant) in sources {
        let mut source = source(file, variant);
        for (cell, gene, count) in triplets(source.as_mut(), 100).unwrap() {
            all.push((first + cell, source.genes()[gene as usize].clone(), count));
        }
        first += source.n_cells();
    }
    all.sort();
    all
}

const SOURCES: [(&str, &str); 4] = [
    ("csr.h5ad", ""),
    ("layers.h5ad", "raw"),
    ("csc.h5ad", ""),
    ("mtx_v3", ""),
];

fn combine(sources: &[(&str, &str)], join: Join) -> axtile_core::Result<Combined> {
    let sources = sources.iter().map(|(file, variant)| source(file, variant));
    Combined::new(sources.collect(), join)
}

#[test]
fn counts_across_borders() {
    for join in [Join::Union, Join::Intersection] {
        let mut wanted = by_name(&SOURCES);
        let mut combined = combine(&SOURCES, join).unwrap();
        assert_eq!(combined.n_cells(), 28);
        match join {
            Join::Union => assert_eq!(combined.genes().len(), 9),
            _ => {
                assert_eq!(combined.genes().len(), 5);
                wanted.retain(|(_, gene, _)| !gene.starts_with("extra"));
            }
        }
        for step in [1, 3, 5, 7, 10, 28] {
            let got = triplets(&mut combined, step).unwrap();
            let mut got: Vec<(u64, String, u64)> = got
                .into_iter()
                .map(|(cell, gene, count)| (cell, combined.genes()[gene as usize].clone(), count))
                .collect();
            got.sort();
            assert_eq!(got, wanted, "{join:?}, {step} cells at a time");
        }
        let names = combined.cell_names(5..9).unwrap().unwrap();
        assert_eq!(names, ["cell-5", "cell-6", "cell-0", "cell-1"]);
    }
}

#[test]
fn parts_and_paths() {
    let combined = combine(&SOURCES, Join::Union).unwrap();
    let parts = combined.parts();
    let ranges: Vec<_> = parts.iter().map(|part| part.cells.clone()).collect();
    assert_eq!(ranges, [0..7, 7..14, 14..21, 21..28]);
    let paths: Vec<PathBuf> = parts.into_iter().map(|part| part.path).collect();
    assert_eq!(paths, SOURCES.map(|(file, _)| fixture(file)));
}

#[test]
fn exact_names_the_first_difference() {
    let error = combine(&[("csr.h5ad", ""), ("layers.h5ad", "raw")], Join::Exact)
        .err()
        .unwrap();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("5 genes"), "{error}");
    assert!(combine(&[("csr.h5ad", ""), ("csc.h5ad", "")], Join::Exact).is_ok());
    assert!(combine(&[], Join::Exact).is_err());
}

#[test]
fn annotations_are_brought_together() {
    // batch: a < b, n: int32 | batch: a, b, n: int64, score: float32 | columns.h5ad
    let files = [
        ("anndata07.h5ad", ""),
        ("anndata06.h5ad", ""),
        ("columns.h5ad", ""),
    ];
    let combined = combine(&files, Join::Exact).unwrap();
    let fields = combined.obs_fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names[..3], ["batch", "n", "score"]);
    assert_eq!(kind_name(&fields[1].kind), "i64");
    let Kind::Category { levels, ordered } = &fields[0].kind else {
        panic!("batch is no factor");
    };
    assert_eq!(levels, &["a", "b", "never"]);
    assert!(!ordered);
    let table = combined.obs(0..21).unwrap();
    let Column::Category(codes) = &table.columns[0] else {
        panic!("batch has no codes");
    };
    assert_eq!(codes[..7], [1, 0, -1, 1, 1, 0, 0]);
    assert_eq!(codes[14..], [1, 0, -1, 1, 1, 0, 0]);
    let score = values(&table.columns[2], &fields[2].kind);
    assert!(score[..7].iter().all(|value| value.is_null()));
    assert_eq!(score[13], 3.0);
    // whatever the pieces, the same rows
    for at in 0..=21 {
        let parts = [combined.obs(0..at).unwrap(), combined.obs(at..21).unwrap()];
        for (i, field) in fields.iter().enumerate() {
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

#[test]
fn columns_that_do_not_go_together() {
    let sources = vec![source("columns.h5ad", ""), source("clash.h5ad", "")];
    let error = Combined::new(sources, Join::Exact).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(
        text.contains("'ok'") && text.contains("clash.h5ad"),
        "{text}"
    );
}

#[test]
fn genes_of_a_union_keep_their_annotations() {
    let combined = combine(&[("mtx_v3", ""), ("layers.h5ad", "raw")], Join::Union).unwrap();
    let var = combined.var().unwrap();
    assert_eq!(var.n_rows, 9);
    let column = |name: &str| {
        let at = var
            .fields
            .iter()
            .position(|field| field.name == name)
            .unwrap();
        values(&var.columns[at], &var.fields[at].kind)
    };
    let id = column("id");
    assert_eq!(id[0], "ENSG0");
    assert!(id[5].is_null());
    let rank = column("rank");
    assert!(rank[0].is_null());
    assert_eq!(rank[5], 5);
}

#[test]
fn unprepared_and_unknown_ranges() {
    let options = ImportOptions {
        layer: Layer::X,
        ..ImportOptions::default()
    };
    let mut source = open(&fixture("csc.h5ad"), &options).unwrap();
    assert_eq!(
        source.counts(0, 0..7).unwrap_err().kind(),
        ErrorKind::Argument
    );
    let scratch = tempfile::tempdir().unwrap();
    source
        .prepare(&[0, 4, 7], scratch.path(), &Unwatched)
        .unwrap();
    assert!(source.counts(0, 4..7).is_ok());
    assert_eq!(
        source.counts(0, 0..7).unwrap_err().kind(),
        ErrorKind::Argument
    );
    drop(source);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

struct Stop;

impl axtile_core::Watch for Stop {
    fn advance(&self, _done: u64) {}

    fn is_interrupted(&self) -> bool {
        true
    }
}

#[test]
fn sorting_can_be_interrupted() {
    let mut source = source("csc.h5ad", "");
    let scratch = tempfile::tempdir().unwrap();
    let error = source.prepare(&[0, 7], scratch.path(), &Stop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn threads_read_the_same() {
    let cases = [
        ("chunks_earliest.h5ad", "csr_several"),
        ("filters_latest.h5ad", "dense_all"),
        ("csc.h5ad", ""),
        ("mtx_v2", ""),
    ];
    for (file, variant) in cases {
        let mut source = source(file, variant);
        let scratch = tempfile::tempdir().unwrap();
        let cuts = cuts(source.n_cells(), 2);
        source.prepare(&cuts, scratch.path(), &Unwatched).unwrap();
        let source = source.as_ref();
        let read = || {
            let ranges = cuts.windows(2).map(|pair| pair[0]..pair[1]);
            ranges
                .map(|range| source.counts(0, range).unwrap())
                .collect::<Vec<_>>()
        };
        let alone = read();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(read)).collect();
            for thread in threads {
                assert_eq!(thread.join().unwrap(), alone, "{file} {variant}");
            }
        });
    }
}
