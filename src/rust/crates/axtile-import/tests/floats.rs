//! Matrices of h5ad files that are read as floating-point values. The oracle is
//! the same matrix read as counts.

mod common;

use axtile_core::{ErrorKind, Unwatched};
use axtile_import::{Combined, ImportOptions, Join, Layer, open};
use axtile_tiles::{CellSource, LayerKind};
use common::*;

fn source(file: &str, variant: &str, kind: LayerKind) -> Box<dyn CellSource> {
    let options = ImportOptions {
        kind,
        ..options(file, variant)
    };
    open(&fixture(file), &options).unwrap()
}

/// Cell, gene and value, sorted and added up, without zeros.
fn floats(source: &mut dyn CellSource, step: u64) -> Vec<(u64, u32, f64)> {
    let scratch = tempfile::tempdir().unwrap();
    let cuts = cuts(source.n_cells(), step);
    source.prepare(&cuts, scratch.path(), &Unwatched).unwrap();
    let mut all: Vec<(u64, u32, f64)> = Vec::new();
    for range in cuts.windows(2) {
        let block = source.floats(0, range[0]..range[1]).unwrap();
        assert_eq!(block.starts.len() as u64, range[1] - range[0] + 1);
        for (cell, bounds) in (range[0]..).zip(block.starts.windows(2)) {
            let range = bounds[0]..bounds[1];
            let genes = block.genes[range.clone()].iter();
            all.extend(genes.zip(&block.values[range]).map(|(&g, &v)| (cell, g, v)));
        }
    }
    all.sort_by_key(|&(cell, gene, _)| (cell, gene));
    all.dedup_by(|next, first| {
        let is_same = (next.0, next.1) == (first.0, first.1);
        if is_same {
            first.2 += next.2;
        }
        is_same
    });
    all.retain(|&(_, _, value)| value != 0.0);
    all
}

#[test]
fn every_encoding_is_read() {
    for (file, variant) in [
        ("csr.h5ad", ""),
        ("csc.h5ad", ""),
        ("dense.h5ad", ""),
        ("layers.h5ad", "raw"),
        ("layers.h5ad", "counts"),
    ] {
        let wanted = triplets(source(file, variant, LayerKind::Count).as_mut(), 100).unwrap();
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(c, g, n)| (c, g, n as f64))
            .collect();
        assert!(!wanted.is_empty());
        for kind in [LayerKind::Float32, LayerKind::Float64] {
            for step in [100, 3] {
                let mut source = source(file, variant, kind);
                assert_eq!(floats(source.as_mut(), step), wanted, "{file} {variant}");
                let [layer] = &source.layers()[..] else {
                    panic!("{file} has several layers");
                };
                let name = if variant.is_empty() { "X" } else { variant };
                assert_eq!((layer.name.as_str(), layer.kind), (name, kind));
            }
        }
    }
}

#[test]
fn all_widths_are_read() {
    let keys = expected();
    let variants = keys
        .keys()
        .filter_map(|key| key.strip_prefix("widths.h5ad#"));
    let mut n = 0;
    for variant in variants {
        let counts = triplets(source("widths.h5ad", variant, LayerKind::Count).as_mut(), 9);
        let counts = counts
            .unwrap()
            .into_iter()
            .map(|(c, g, n)| (c, g, n as f64));
        let mut source = source("widths.h5ad", variant, LayerKind::Float64);
        assert_eq!(
            floats(source.as_mut(), 9),
            counts.collect::<Vec<_>>(),
            "{variant}"
        );
        n += 1;
    }
    assert!(n > 5, "{n} variants");
}

#[test]
fn several_files_as_one() {
    let files = [("csr.h5ad", ""), ("csc.h5ad", ""), ("csr.h5ad", "")];
    for join in [Join::Union, Join::Intersection, Join::Exact] {
        let combined = |kind| {
            let sources = files
                .iter()
                .map(|(file, variant)| source(file, variant, kind));
            Combined::new(sources.collect(), join)
        };
        let Ok(mut counts) = combined(LayerKind::Count) else {
            continue;
        };
        let wanted = triplets(&mut counts, 100).unwrap();
        let wanted: Vec<_> = wanted
            .into_iter()
            .map(|(c, g, n)| (c, g, n as f64))
            .collect();
        let mut combined = combined(LayerKind::Float64).unwrap();
        for step in [100, 4] {
            assert_eq!(floats(&mut combined, step), wanted);
        }
    }
    let kinds = [LayerKind::Count, LayerKind::Float64];
    let sources = kinds.map(|kind| source("csr.h5ad", "", kind));
    let error = Combined::new(sources.into(), Join::Union).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("X (float64)"), "{error}");
}

#[test]
fn only_h5ad_files_have_floats() {
    for (file, variant) in [("mtx_v3", ""), ("tenx_v3.h5", "")] {
        let options = ImportOptions {
            kind: LayerKind::Float32,
            ..options(file, variant)
        };
        let error = open(&fixture(file), &options).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
        assert!(
            error.to_string().contains("only counts are read"),
            "{error}"
        );
    }
    let options = ImportOptions {
        layer: Layer::Named("counts".into()),
        layers: vec![("absent".into(), LayerKind::Float32)],
        ..ImportOptions::default()
    };
    assert!(open(&fixture("layers.h5ad"), &options).is_err());
}
