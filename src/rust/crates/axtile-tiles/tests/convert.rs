//! Datasets as sources: written anew in either format, with other tiles, and
//! appended to each other.

mod common;

use std::path::Path;
use std::sync::Arc;

use axtile_core::Unwatched;
use axtile_tiles::{
    AppendOptions, Cells, DatasetFormat, DatasetSource, Format, GeneOrder, WriteOptions,
    append_dataset, write_dataset,
};
use common::memory::*;

fn source_of(path: &Path, order: GeneOrder) -> DatasetSource {
    DatasetSource::new(Arc::new(open(path, order, 0))).unwrap()
}

fn convert(from: &Path, to: &Path, order: GeneOrder, options: &WriteOptions) {
    write_dataset(to, &mut source_of(from, order), options, &Unwatched).unwrap();
    assert_eq!(problems(&open(to, GeneOrder::Source, 0)), [""; 0]);
}

/// Whether both hold the same cells, genes and annotations.
fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (open(a, GeneOrder::Source, 0), open(b, GeneOrder::Source, 0));
    assert_eq!(a.manifest().layers.len(), b.manifest().layers.len());
    for layer in 0..a.manifest().layers.len() {
        assert_eq!(all_cells(&a, layer), all_cells(&b, layer));
    }
    // As texts: NaN is not equal to itself.
    let [var, other] = [&a, &b].map(|dataset| format!("{:?}", dataset.var().unwrap()));
    assert_eq!(var, other);
    let cache = tempfile::tempdir().unwrap();
    let [a, b] = [a, b].map(|dataset| {
        let fields = dataset.obs_fields().unwrap();
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        dataset
            .read_obs(&names, Cells::All, Some(cache.path()), 1, &Unwatched)
            .unwrap()
    });
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn formats_become_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let [axtile, deltacells, back] =
        ["axtile", "deltacells", "back"].map(|to| folder.path().join(to));
    for sort_genes in [true, false] {
        let options = WriteOptions {
            sort_genes,
            ..options(6, 2)
        };
        let to_deltacells = WriteOptions {
            format: DELTACELLS,
            ..options.clone()
        };
        let mut source = Source::new(40, plain_cells(20));
        write_dataset(&axtile, &mut source, &options, &Unwatched).unwrap();
        for order in [GeneOrder::Source, GeneOrder::Stored] {
            convert(&axtile, &deltacells, order, &to_deltacells);
            convert(&deltacells, &back, order, &options);
            assert_same(&axtile, &deltacells);
            // Nothing got lost or was written in another way.
            assert_eq!(files(&axtile), files(&back));
            let (from, to) = (files(&axtile), files(&deltacells));
            for name in ["gene_order.npy", "var_names.txt", "var.parquet"] {
                assert_eq!(from.get(name), to.get(name));
            }
            for name in ["schema.json", "obs_0000.parquet", "obs_0001.parquet"] {
                let (from, to) = (&from[&format!("obs/0/{name}")], &to[&format!("obs/{name}")]);
                assert_eq!(from, to);
            }
        }
    }
}

#[test]
fn datasets_of_the_formats_own_package_are_converted() {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../tests/testthat/fixtures/tiny.tiles");
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("x");
    let tile_size = open(&tiny, GeneOrder::Source, 0).manifest().tile_size;
    for tile_size in [tile_size, tile_size + 1] {
        convert(&tiny, &to, GeneOrder::Source, &options(tile_size, 1));
        assert_same(&tiny, &to);
    }
}

#[test]
fn tiles_are_cut_anew_or_kept() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let mut source = Source::new(40, plain_cells(20));
    source.layers.push(("twice".into(), plain_cells(20)));
    write_dataset(&first, &mut source, &options(6, 2), &Unwatched).unwrap();
    let append = AppendOptions {
        obs_tiles_per_file: 10,
        n_threads: 1,
    };
    let mut more = Source::with_batches(40, plain_cells(8), 20, &["b", "x"]);
    more.layers.push(("twice".into(), plain_cells(8)));
    append_dataset(&first, &mut more, &append, &Unwatched).unwrap();
    let uneven = [6, 6, 6, 2, 6, 2];
    assert_eq!(
        open(&first, GeneOrder::Source, 0).manifest().tile_cells,
        uneven
    );

    convert(&first, &second, GeneOrder::Source, &options(6, 1));
    assert_eq!(files(&first), files(&second));
    for tile_size in [1, 4, 7, 100] {
        convert(&first, &second, GeneOrder::Stored, &options(tile_size, 2));
        assert_same(&first, &second);
        let dataset = open(&second, GeneOrder::Source, 0);
        let cells = &dataset.manifest().tile_cells;
        assert!(cells.iter().rev().skip(1).all(|&cells| cells == tile_size));
        assert_eq!(dataset.manifest().obs_parts.len(), 1);
    }
    // Genes in the order of the source, not sorted any more.
    let unsorted = WriteOptions {
        sort_genes: false,
        ..options(6, 1)
    };
    convert(&first, &second, GeneOrder::Source, &unsorted);
    assert_same(&first, &second);
    assert!(!second.join("gene_order.npy").exists());
    // And sorted again, by the totals of all cells.
    convert(&second, &first, GeneOrder::Source, &options(5, 1));
    assert_same(&first, &second);
    assert!(first.join("gene_order.npy").exists());
}

#[test]
fn uneven_tiles_become_even_in_deltacells() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let mut source = Source::new(40, plain_cells(8));
    write_dataset(&first, &mut source, &options(6, 2), &Unwatched).unwrap();
    // A dataset appended to another one, and to itself.
    let append = AppendOptions {
        obs_tiles_per_file: 10,
        n_threads: 1,
    };
    for order in [GeneOrder::Source, GeneOrder::Stored] {
        let mut source = source_of(&first, order);
        append_dataset(&first, &mut source, &append, &Unwatched).unwrap();
    }
    let dataset = open(&first, GeneOrder::Source, 0);
    assert_eq!(problems(&dataset), [""; 0]);
    assert_eq!(all_cells(&dataset, 0), vec![plain_cells(8); 4].concat());
    let deltacells = WriteOptions {
        format: DELTACELLS,
        ..options(6, 1)
    };
    convert(&first, &second, GeneOrder::Source, &deltacells);
    assert_same(&first, &second);
    let dataset = open(&second, GeneOrder::Source, 0);
    assert_eq!(dataset.manifest().tile_cells, [6, 6, 6, 6, 6, 2]);
    assert!(matches!(
        dataset.manifest().format,
        Format::Deltacells { .. }
    ));
    let default: DatasetFormat = Default::default();
    assert_eq!(default, DatasetFormat::AXTILE);
}

#[test]
fn damaged_files_are_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    let mut source = Source::new(40, plain_cells(8));
    write_dataset(&first, &mut source, &options(6, 2), &Unwatched).unwrap();
    for (name, bytes) in files(&first) {
        let mut source = source_of(&first, GeneOrder::Source);
        let mut damaged = bytes.clone();
        let at = damaged.len() / 2;
        damaged[at] ^= 4;
        std::fs::write(first.join(&name), damaged).unwrap();
        let refused = write_dataset(&second, &mut source, &options(6, 1), &Unwatched);
        assert!(refused.is_err(), "{name}");
        assert!(!second.exists());
        std::fs::write(first.join(&name), bytes).unwrap();
    }
}
