//! Appending: what comes out, and that the dataset is whole whenever it stops.

mod common;

use std::fs;
use std::path::Path;

use axtile_core::{Error, ErrorKind, Result, Unwatched};
use axtile_table::{Column, IntegerType, Kind};
use axtile_tiles::{
    AppendOptions, CellSource, Cells, Dataset, GeneOrder, WriteOptions, append_dataset,
    write_dataset,
};
use common::memory::*;
use proptest::prelude::*;

const OPTIONS: AppendOptions = AppendOptions {
    obs_tiles_per_file: 2,
    n_threads: 2,
};

fn append(path: &Path, source: &mut Source) -> Result<()> {
    append_dataset(path, source, &OPTIONS, &Unwatched)
}

/// All values of a column, as texts.
fn column(dataset: &Dataset, name: &str, cells: Cells) -> Vec<Option<String>> {
    let cache = tempfile::tempdir().unwrap();
    let root = Some(cache.path());
    let table = dataset
        .read_obs(&[name.to_owned()], cells, root, 2, &Unwatched)
        .unwrap();
    common::texts(&table.fields[0], &table.columns[0])
}

fn any_cells() -> impl Strategy<Value = Vec<Cell>> {
    let cell = prop::collection::btree_map(0..130u32, 1u32..70_000, 0..20);
    prop::collection::vec(cell, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn appended_cells_read_back(
        runs in prop::collection::vec(any_cells(), 1..5),
        tile_size in 1u64..12,
        sort_genes in any::<bool>(),
        rotate in 0u32..130,
        wanted in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.tiles");
        let batches = [&["a", "b"][..], &["c", "b"], &["a", "b", "d"], &[], &["b"]];
        let mut expected: Vec<Cell> = Vec::new();
        let mut labels: Vec<Option<String>> = Vec::new();
        for (run, cells) in runs.iter().enumerate() {
            let first = expected.len() as u64;
            let mut source = Source::with_batches(130, cells.clone(), first, batches[run]);
            source.layers.push(("twice".into(), cells.clone()));
            labels.extend((0..source.n_cells()).map(|cell| source.batch(cell)));
            expected.extend(cells.clone());
            if run == 0 {
                let options = WriteOptions { sort_genes, ..options(tile_size, 1) };
                write_dataset(&path, &mut source, &options, &Unwatched).unwrap();
                continue;
            }
            // The same genes in another order.
            let moved = |gene: u32| (gene + rotate) % 130;
            source.genes.rotate_right(rotate as usize);
            for (_, cells) in &mut source.layers {
                for cell in cells {
                    *cell = cell.iter().map(|(&gene, &count)| (moved(gene), count)).collect();
                }
            }
            append(&path, &mut source).unwrap();
        }
        for order in [GeneOrder::Source, GeneOrder::Stored] {
            let dataset = open(&path, order, 1 << 20);
            prop_assert_eq!(problems(&dataset), [""; 0]);
            let names = dataset.gene_names().unwrap().unwrap();
            for layer in 0..2 {
                for (got, expected) in all_cells(&dataset, layer).iter().zip(&expected) {
                    let named = |gene: u32| names[gene as usize][1..].parse().unwrap();
                    let got: Cell = got.iter().map(|(&gene, &count)| (named(gene), count)).collect();
                    prop_assert_eq!(&got, expected);
                }
            }
            prop_assert_eq!(dataset.manifest().n_cells, expected.len() as u64);
        }
        let dataset = open(&path, GeneOrder::Source, 0);
        prop_assert_eq!(dataset.manifest().obs_parts.len(), runs.len());
        prop_assert_eq!(column(&dataset, "batch", Cells::All), labels.clone());
        let wanted: Vec<u64> = wanted.iter().map(|at| at.index(expected.len()) as u64).collect();
        let some: Vec<_> = wanted.iter().map(|&cell| labels[cell as usize].clone()).collect();
        prop_assert_eq!(column(&dataset, "batch", Cells::List(&wanted)), some);
        let numbers: Vec<_> = wanted.iter().map(|cell| Some(cell.to_string())).collect();
        prop_assert_eq!(column(&dataset, "number", Cells::List(&wanted)), numbers);
        let names: Vec<_> = wanted.iter().map(|cell| Some(format!("c{cell}"))).collect();
        prop_assert_eq!(column(&dataset, "obs_names", Cells::List(&wanted)), names);
    }
}

fn written(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("x.tiles");
    let mut source = Source::new(40, plain_cells(7));
    write_dataset(&path, &mut source, &options(5, 1), &Unwatched).unwrap();
    path
}

#[test]
fn levels_are_united_and_localized_columns_read_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let mut more = Source::with_batches(40, plain_cells(4), 7, &["z", "b"]);
    append(&path, &mut more).unwrap();
    let dataset = open(&path, GeneOrder::Source, 0);
    let fields = dataset.obs_fields().unwrap();
    let Kind::Category { levels, .. } = &fields[1].kind else {
        panic!()
    };
    assert_eq!(levels, &["a", "b", "z"]);
    let cache = tempfile::tempdir().unwrap();
    let root = Some(cache.path());
    let columns = ["batch".to_owned(), "number".to_owned()];
    let read = || {
        let cells = Cells::List(&[10, 0, 7, 7, 3]);
        dataset
            .read_obs(&columns, cells, root, 1, &Unwatched)
            .unwrap()
    };
    let before = read();
    assert_eq!(before.columns[0], Column::Category(vec![2, 0, 2, 2, 0]));
    assert!(dataset.localized_obs(root).unwrap().is_empty());
    dataset.localize_obs(&columns, root, 1, &Unwatched).unwrap();
    assert_eq!(dataset.localized_obs(root).unwrap(), ["number", "batch"]);
    assert_eq!(read(), before);
    let beyond = dataset.read_obs(&columns, Cells::List(&[11]), root, 1, &Unwatched);
    assert_eq!(beyond.unwrap_err().kind(), ErrorKind::Range);
}

#[test]
fn nothing_that_was_there_is_touched_but_the_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let before = files(&path);
    let reader = open(&path, GeneOrder::Source, 0);
    append(&path, &mut Source::new(40, plain_cells(12))).unwrap();
    let mut after = files(&path);
    for (name, bytes) in &before {
        let now = after.remove(name).unwrap();
        assert_eq!(now == *bytes, name != "manifest.json", "{name}");
    }
    let new: Vec<&String> = after.keys().collect();
    assert_eq!(
        new,
        [
            "layers/0/tile_000002.axt",
            "layers/0/tile_000003.axt",
            "layers/0/tile_000004.axt",
            "obs/1/obs_0000.parquet",
            "obs/1/obs_0001.parquet",
            "obs/1/schema.json",
        ]
    );
    assert!(!reader.is_current());
    assert_eq!(all_cells(&reader, 0), plain_cells(7));
    let entries = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(entries, 1, "no lock is left");
}

#[test]
fn what_does_not_go_with_the_dataset_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let before = files(&path);
    let right = || Source::new(40, plain_cells(3));
    let refused = |source: &mut Source, expected: &[&str]| {
        let error = append(&path, source).unwrap_err();
        let text = error.to_string();
        for part in expected {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(files(&path), before, "{text}");
    };
    let mut source = right();
    source.genes[3] = "other".into();
    refused(&mut source, &["other", "does not have"]);
    refused(&mut Source::new(38, plain_cells(3)), &["lacks", "g38, g39"]);
    refused(
        &mut Source::new(100, plain_cells(3)),
        &["g40, g41, g42, g43, g44 and 55 more"],
    );
    let mut source = right();
    source.genes[3] = "g4".into();
    refused(&mut source, &["g4", "twice"]);
    let mut source = right();
    source.layers[0].0 = "other".into();
    refused(&mut source, &["'other' (count)", "'counts' (count)"]);
    let mut source = right();
    source.layers.push(("more".into(), plain_cells(3)));
    refused(&mut source, &["more"]);
    let mut source = right();
    source.fields[0].name = "numero".into();
    refused(&mut source, &["numero", "number"]);
    let mut source = right();
    source.fields[0].kind = Kind::Integer(IntegerType::I64);
    refused(&mut source, &["int64", "int32"]);
    let mut source = right();
    source.layers[0].1[1].insert(7, 1 << 31);
    refused(&mut source, &["'c1'", "'g7'", "2147483648"]);
    refused(&mut Source::new(40, Vec::new()), &["no cells"]);

    let other = folder.path().join("deltacells");
    let deltacells = WriteOptions {
        format: DELTACELLS,
        ..options(5, 1)
    };
    write_dataset(&other, &mut right(), &deltacells, &Unwatched).unwrap();
    let error = append(&other, &mut right()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("convert_tiles()"), "{error}");
    let none = append(&folder.path().join("none"), &mut right()).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Io);
    let _lock = axtile_store::lock_store(&path).unwrap();
    let error = append(&path, &mut right()).unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
}

/// The state after each file that an append wrote is that of a dataset as it
/// was; the next append removes what is left over.
#[test]
fn a_crash_at_any_point_leaves_the_old_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let before = files(&path);
    append(&path, &mut Source::new(40, plain_cells(12))).unwrap();
    let after = files(&path);
    let mut new: Vec<(&str, &[u8])> = after
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    // Also while the manifest, or a tile, is being written.
    new.push(("manifest.json.tmp17", b"{\"format\""));
    new.push(("layers/0/tile_000005.axt.tmp17", b""));
    new.push(("scratch/spill", b"x"));
    for n_done in 0..=new.len() {
        fs::remove_dir_all(&path).unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        };
        before.iter().for_each(|(name, bytes)| write(name, bytes));
        write("notes.txt", b"the user's own");
        for (at, (name, bytes)) in new[..n_done].iter().enumerate() {
            let is_last = at + 1 == n_done;
            let n = if is_last {
                bytes.len() / 2
            } else {
                bytes.len()
            };
            write(name, &bytes[..n]);
        }
        let dataset = open(&path, GeneOrder::Source, 0);
        assert_eq!(problems(&dataset), [""; 0]);
        assert_eq!(all_cells(&dataset, 0), plain_cells(7));

        append(&path, &mut Source::new(40, plain_cells(3))).unwrap();
        let dataset = open(&path, GeneOrder::Source, 0);
        assert_eq!(problems(&dataset), [""; 0]);
        let expected = [plain_cells(7), plain_cells(3)].concat();
        assert_eq!(all_cells(&dataset, 0), expected);
        let names: Vec<String> = files(&path).into_keys().collect();
        assert_eq!(names.len(), before.len() + 1 + 1 + 2, "{names:?}");
        assert!(path.join("notes.txt").exists());
    }
}

#[test]
fn an_interrupt_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let before = files(&path);
    let mut n_stopped = 0;
    for n in 0.. {
        let watch = StopAfter::new(n);
        let mut source = Source::new(40, plain_cells(12));
        match append_dataset(&path, &mut source, &OPTIONS, &watch) {
            Err(Error::Interrupted) => {
                assert_eq!(files(&path), before);
                assert!(!path.join("obs/1").exists());
                n_stopped += 1;
            }
            done => {
                done.unwrap();
                break;
            }
        }
    }
    assert!(n_stopped > 5);
    assert_eq!(open(&path, GeneOrder::Source, 0).manifest().n_cells, 19);
}
