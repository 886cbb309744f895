//! What is written is read, whole or in parts, in either order of genes, with
//! any number of threads; the oracle is the list of counts itself.

mod common;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result, Unwatched, Watch};
use axtile_table::{Column, Field, Table};
use axtile_tiles::{
    CellBlock, CellSource, Cells, DatasetFormat, GeneOrder, Selection, SourcePart, WriteOptions,
    write_dataset,
};
use common::memory::*;
use proptest::prelude::*;

/// Three files of which only the first and last are to give the totals.
struct Files(Source);

impl CellSource for Files {
    fn path(&self) -> &Path {
        self.0.path()
    }

    fn n_cells(&self) -> u64 {
        self.0.n_cells()
    }

    fn parts(&self) -> Vec<SourcePart> {
        (0..3)
            .map(|file| SourcePart {
                path: format!("file{file}").into(),
                cells: file..file + 1,
            })
            .collect()
    }

    fn genes(&self) -> &[String] {
        self.0.genes()
    }

    fn var(&self) -> Result<Table> {
        self.0.var()
    }

    fn obs_fields(&self) -> &[Field] {
        self.0.obs_fields()
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        self.0.obs(cells)
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        self.0.cell_names(cells)
    }

    fn prepare(&mut self, cuts: &[u64], scratch: &Path, watch: &dyn Watch) -> Result<()> {
        self.0.prepare(cuts, scratch, watch)
    }

    fn counts(&self, layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        self.0.counts(layer, cells)
    }
}

fn any_cells(n_genes: u32) -> impl Strategy<Value = Vec<Cell>> {
    let count = prop_oneof![1u32..4, Just(255), Just(256), Just(65_535)];
    let cell = prop::collection::btree_map(0..n_genes, count, 0..40);
    prop::collection::vec(cell, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_reads_back(
        format in prop_oneof![Just(DELTACELLS), Just(DatasetFormat::AXTILE)],
        cells in any_cells(130),
        tile_size in 1u64..15,
        wanted in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        genes in prop::collection::vec(0u32..130, 0..20),
        n_threads in 1usize..3,
        cache_bytes in prop_oneof![Just(0usize), Just(2_000), Just(1 << 20)],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.tiles");
        let mut source = Source::new(130, cells.clone());
        let options = WriteOptions { format, ..options(tile_size, n_threads) };
        write_dataset(&path, &mut source, &options, &Unwatched).unwrap();
        let dataset = open(&path, GeneOrder::Source, cache_bytes);
        prop_assert_eq!(dataset.gene_names().unwrap().unwrap(), source.genes);

        for tile_idx in 0..dataset.manifest().n_tiles() {
            let tile = dataset.open_tile(0, tile_idx).unwrap();
            let (mut rows, mut counts) = (vec![0; tile.nnz()], vec![0i32; tile.nnz()]);
            dataset
                .read_tile_into(&tile, &mut rows, &mut counts, n_threads, &Unwatched)
                .unwrap();
            let first = dataset.tile_start(tile_idx) as usize;
            let expected = &cells[first..first + tile.n_cells()];
            prop_assert_eq!(cells_of(tile.starts().unwrap(), &rows, &counts), expected);
        }

        let wanted: Vec<u64> = wanted.iter().map(|index| index.index(cells.len()) as u64).collect();
        let all = Selection { layer: 0, cells: &wanted, genes: None };
        let expected: Vec<_> = wanted.iter().map(|&cell| cells[cell as usize].clone()).collect();
        for _ in 0..2 {
            prop_assert_eq!(gather(&dataset, all, n_threads), expected.clone());
        }
        let some = Selection { layer: 0, cells: &wanted, genes: Some(&genes) };
        let expected: Vec<Cell> = wanted
            .iter()
            .map(|&cell| {
                let count = |gene| cells[cell as usize].get(gene).copied();
                (0..).zip(&genes).filter_map(|(row, gene)| Some((row, count(gene)?))).collect()
            })
            .collect();
        prop_assert_eq!(gather(&dataset, some, n_threads), expected);

        let obs = dataset
            .read_obs(&["number".into()], Cells::List(&wanted), Some(folder.path()), 1, &Unwatched)
            .unwrap();
        let expected = Column::Integer {
            values: wanted.iter().map(|&cell| cell as i64).collect(),
            missing: None,
        };
        prop_assert_eq!(&obs.columns[0], &expected);
        let reports = dataset.verify(n_threads, &Unwatched).unwrap();
        prop_assert!(reports.iter().all(|report| report.problem.is_none()));
    }
}

#[test]
fn stored_order_is_by_decreasing_totals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let cells = plain_cells(25);
    let mut source = Source::new(40, cells.clone());
    write_dataset(&path, &mut source, &options(10, 2), &Unwatched).unwrap();
    let stored = open(&path, GeneOrder::Stored, 0);
    let names = stored.gene_names().unwrap().unwrap();
    let total = |name: &String| -> u32 {
        let gene: u32 = name[1..].parse().unwrap();
        cells.iter().filter_map(|cell| cell.get(&gene)).sum()
    };
    let totals: Vec<u32> = names.iter().map(total).collect();
    assert!(totals.is_sorted_by(|a, b| a >= b));
    let everything: Vec<u64> = (0..25).collect();
    let selection = Selection {
        layer: 0,
        cells: &everything,
        genes: None,
    };
    for (cell, got) in cells.iter().zip(gather(&stored, selection, 1)) {
        let renamed: BTreeMap<String, u32> = got
            .iter()
            .map(|(&gene, &count)| (names[gene as usize].clone(), count))
            .collect();
        let expected: BTreeMap<String, u32> = cell
            .iter()
            .map(|(gene, &count)| (format!("g{gene}"), count))
            .collect();
        assert_eq!(renamed, expected);
    }
}

#[test]
fn totals_come_from_the_chosen_files_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let cells = vec![
        BTreeMap::from([(2, 5)]),
        BTreeMap::from([(0, 100)]),
        BTreeMap::from([(1, 4)]),
    ];
    for tile_size in [1, 2, 3, 10] {
        let mut files = Files(Source::new(3, cells.clone()));
        let options = WriteOptions {
            sort_genes_max_files: Some(2),
            ..options(tile_size, 2)
        };
        write_dataset(&path, &mut files, &options, &Unwatched).unwrap();
        let stored = open(&path, GeneOrder::Stored, 0);
        assert_eq!(stored.gene_names().unwrap().unwrap(), ["g2", "g1", "g0"]);
        let source = open(&path, GeneOrder::Source, 0);
        let selection = Selection {
            layer: 0,
            cells: &[0, 1, 2],
            genes: None,
        };
        assert_eq!(gather(&source, selection, 1), cells);
    }
}

#[test]
fn counts_and_genes_beyond_the_format_are_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let write = |source: &mut Source, format: DatasetFormat| {
        let options = WriteOptions {
            format,
            ..options(2, 1)
        };
        write_dataset(&path, source, &options, &Unwatched)
    };
    for (format, largest) in [
        (DELTACELLS, 65_535),
        (DatasetFormat::AXTILE, i32::MAX as u32),
    ] {
        let mut cells = plain_cells(5);
        cells[3].insert(7, largest + 1);
        let text = write(&mut Source::new(40, cells), format)
            .unwrap_err()
            .to_string();
        let count = (largest + 1).to_string();
        assert!(
            text.contains("'c3'") && text.contains("'g7'") && text.contains(&count),
            "{text}"
        );
        let mut most = Source::new(65_536, vec![BTreeMap::from([(65_535, largest), (0, 1)])]);
        write(&mut most, format).unwrap();
        let dataset = open(&path, GeneOrder::Source, 1 << 20);
        assert_eq!(all_cells(&dataset, 0), most.layers[0].1);
    }
    let cells = vec![BTreeMap::from([(65_536, 70_000), (70_000, 1), (3, 9)])];
    let mut wide = Source::new(70_001, cells);
    let error = write(&mut wide, DELTACELLS);
    assert!(matches!(error, Err(Error::Limit { .. })));
    write(&mut wide, DatasetFormat::AXTILE).unwrap();
    let dataset = open(&path, GeneOrder::Source, 1 << 20);
    assert_eq!(all_cells(&dataset, 0), wide.layers[0].1);
    let some = Selection {
        layer: 0,
        cells: &[0],
        genes: Some(&[70_000, 5, 65_536]),
    };
    assert_eq!(
        gather(&dataset, some, 1),
        [BTreeMap::from([(0, 1), (2, 70_000)])]
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn layers_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let mut source = Source::new(40, plain_cells(25));
    let mut unspliced = plain_cells(25);
    unspliced.reverse();
    source.layers.push(("unspliced".into(), unspliced));
    for n_threads in [1, 2] {
        write_dataset(&path, &mut source, &options(10, n_threads), &Unwatched).unwrap();
        let dataset = open(&path, GeneOrder::Source, 1 << 20);
        let manifest = dataset.manifest();
        for (layer, (name, cells)) in source.layers.iter().enumerate() {
            assert_eq!(manifest.layer_number(Some(name)).unwrap(), layer);
            assert_eq!(all_cells(&dataset, layer), *cells);
        }
        assert_eq!(manifest.layer_number(None).unwrap(), 0);
        let none = manifest.layer_number(Some("none")).unwrap_err();
        assert!(none.to_string().contains("counts, unspliced"), "{none}");
        assert!(dataset.open_tile(2, 0).is_err());
        assert_eq!(problems(&dataset), [""; 0]);
    }
    let deltacells = WriteOptions {
        format: DELTACELLS,
        ..options(10, 1)
    };
    let refused = write_dataset(&path, &mut source, &deltacells, &Unwatched);
    assert!(matches!(refused, Err(Error::Unsupported { .. })));
    source.layers[1].0 = "counts".into();
    let refused = write_dataset(&path, &mut source, &options(10, 1), &Unwatched);
    assert!(matches!(refused, Err(Error::Argument { .. })));
    let too_large = options((1 << 24) + 1, 1);
    let refused = write_dataset(
        &path,
        &mut Source::new(40, plain_cells(3)),
        &too_large,
        &Unwatched,
    );
    assert!(matches!(refused, Err(Error::Argument { .. })));
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for format in [DELTACELLS, DatasetFormat::AXTILE] {
        let [one, three] = [1, 3].map(|n_threads| {
            let path = folder.path().join(n_threads.to_string());
            let options = WriteOptions {
                format,
                ..options(4, n_threads)
            };
            let mut source = Source::new(40, plain_cells(25));
            write_dataset(&path, &mut source, &options, &Unwatched).unwrap();
            files(&path)
        });
        assert_eq!(one, three);
    }
}

#[test]
fn a_watch_that_says_stop_stops_and_nothing_is_left() {
    struct Stop;
    impl Watch for Stop {
        fn advance(&self, _done: u64) {}
        fn is_interrupted(&self) -> bool {
            true
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let mut source = Source::new(40, plain_cells(25));
    let stopped = write_dataset(&path, &mut source, &options(10, 2), &Stop);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    write_dataset(&path, &mut source, &options(10, 2), &Unwatched).unwrap();
    let dataset = open(&path, GeneOrder::Source, 0);
    let selection = Selection {
        layer: 0,
        cells: &[3],
        genes: None,
    };
    let gather = dataset.gather(selection, 1, &Unwatched).unwrap();
    let (mut genes, mut counts) = (vec![0; gather.nnz()], vec![0i32; gather.nnz()]);
    let stopped = gather.read_into(&mut genes, &mut counts, 1, &Stop);
    assert!(matches!(stopped, Err(Error::Interrupted)));
}

#[test]
fn a_write_that_is_resumed_gives_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    for format in [DELTACELLS, DatasetFormat::AXTILE] {
        let mut source = Source::new(40, plain_cells(25));
        if format == DatasetFormat::AXTILE {
            source.layers.push(("twice".into(), plain_cells(25)));
        }
        let resumed = WriteOptions {
            format,
            resume: true,
            ..options(4, 1)
        };
        let whole = WriteOptions {
            resume: false,
            ..resumed.clone()
        };
        write_dataset(&path, &mut source, &whole, &Unwatched).unwrap();
        let expected = files(&path);
        let mut n_stopped = 0;
        // Each attempt gets a little further than the one before.
        for n in 0.. {
            std::fs::remove_dir_all(&path).ok();
            match write_dataset(&path, &mut source, &resumed, &StopAfter::new(2 * n)) {
                Err(Error::Interrupted) => {
                    assert!(!path.exists());
                    n_stopped += 1;
                }
                done => {
                    done.unwrap();
                    break;
                }
            }
        }
        assert!(n_stopped > 5);
        assert_eq!(files(&path), expected);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
