//! What is written is read, whole or in parts, in either order of genes, with
//! any number of threads; the oracle is the list of counts itself.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use axtile_core::{Error, Result, Unwatched, Watch};
use axtile_table::{Column, Field, IntegerType, Kind, Table};
use axtile_tiles::{
    CellBlock, CellSource, Cells, Dataset, DatasetFormat, DecodedCache, GeneOrder, Selection,
    SourcePart, WriteOptions, write_dataset,
};
use proptest::prelude::*;

/// Cells as maps from gene to count.
#[derive(Clone, Debug)]
struct Source {
    genes: Vec<String>,
    cells: Vec<BTreeMap<u32, u32>>,
    fields: Vec<Field>,
}

impl Source {
    fn new(n_genes: usize, cells: Vec<BTreeMap<u32, u32>>) -> Source {
        Source {
            genes: (0..n_genes).map(|gene| format!("g{gene}")).collect(),
            cells,
            fields: vec![Field {
                name: "number".into(),
                kind: Kind::Integer(IntegerType::I32),
            }],
        }
    }
}

impl CellSource for Source {
    fn path(&self) -> &Path {
        Path::new("memory")
    }

    fn n_cells(&self) -> u64 {
        self.cells.len() as u64
    }

    fn genes(&self) -> &[String] {
        &self.genes
    }

    fn var(&self) -> Result<Table> {
        Ok(Table::default())
    }

    fn obs_fields(&self) -> &[Field] {
        &self.fields
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        Ok(Table {
            fields: self.fields.clone(),
            n_rows: (cells.end - cells.start) as usize,
            columns: vec![Column::Integer {
                values: cells.map(|cell| cell as i64).collect(),
                missing: None,
            }],
        })
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        Ok(Some(cells.map(|cell| format!("c{cell}")).collect()))
    }

    fn prepare(&mut self, cuts: &[u64], scratch: &Path, _watch: &dyn Watch) -> Result<()> {
        assert!(scratch.is_dir());
        assert_eq!(cuts.last(), Some(&self.n_cells()));
        Ok(())
    }

    fn counts(&self, _layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        let mut block = CellBlock {
            starts: vec![0],
            ..CellBlock::default()
        };
        for cell in &self.cells[cells.start as usize..cells.end as usize] {
            // As sources may: descending, with a zero and a repeated gene.
            for (&gene, &count) in cell.iter().rev() {
                block.genes.extend([gene, gene, 0]);
                block.counts.extend([count - 1, 1, 0]);
            }
            block.starts.push(block.genes.len());
        }
        Ok(block)
    }
}

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

const DELTACELLS: DatasetFormat = DatasetFormat::Deltacells {
    n_chunks: 3,
    level: 1,
};

fn options(tile_size: u64, n_threads: usize) -> WriteOptions {
    WriteOptions {
        tile_size,
        format: DELTACELLS,
        sort_genes: true,
        sort_genes_max_files: Some(10),
        obs_tiles_per_file: 2,
        source_choices: String::new(),
        overwrite: true,
        resume: false,
        n_threads,
    }
}

fn open(folder: &Path, gene_order: GeneOrder, cache_bytes: usize) -> Dataset {
    let cache = Arc::new(DecodedCache::new(cache_bytes));
    Dataset::open(folder, gene_order, cache).unwrap()
}

/// Cells of the result as maps from row to count; checks the order of rows.
fn cells_of(starts: &[usize], genes: &[i32], counts: &[i32]) -> Vec<BTreeMap<u32, u32>> {
    starts
        .windows(2)
        .map(|bounds| {
            let range = bounds[0]..bounds[1];
            assert!(genes[range.clone()].is_sorted());
            genes[range.clone()]
                .iter()
                .zip(&counts[range])
                .map(|(&gene, &count)| (gene as u32, count as u32))
                .collect()
        })
        .collect()
}

fn gather(
    dataset: &Dataset,
    selection: Selection<'_>,
    n_threads: usize,
) -> Vec<BTreeMap<u32, u32>> {
    let gather = dataset.gather(selection, n_threads, &Unwatched).unwrap();
    let (mut genes, mut counts) = (vec![0; gather.nnz()], vec![0i32; gather.nnz()]);
    gather
        .read_into(&mut genes, &mut counts, n_threads, &Unwatched)
        .unwrap();
    cells_of(gather.starts(), &genes, &counts)
}

fn any_cells(n_genes: u32) -> impl Strategy<Value = Vec<BTreeMap<u32, u32>>> {
    let count = prop_oneof![1u32..4, Just(255), Just(256), Just(65_535)];
    let cell = prop::collection::btree_map(0..n_genes, count, 0..40);
    prop::collection::vec(cell, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_reads_back(
        format in prop_oneof![Just(DELTACELLS), Just(DatasetFormat::Axtile)],
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
        let expected: Vec<BTreeMap<u32, u32>> = wanted
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

fn plain_cells(n: usize) -> Vec<BTreeMap<u32, u32>> {
    (0..n as u32)
        .map(|cell| {
            (0..=cell % 7)
                .map(|gene| (gene * 3 + cell % 2, cell + 1))
                .collect()
        })
        .collect()
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
    let mut cells = plain_cells(5);
    cells[3].insert(7, 65_536);
    let error = write_dataset(
        &path,
        &mut Source::new(40, cells),
        &options(2, 1),
        &Unwatched,
    );
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("'c3'") && text.contains("'g7'") && text.contains("65536"),
        "{text}"
    );
    let mut wide = Source::new(65_537, plain_cells(2));
    let error = write_dataset(&path, &mut wide, &options(2, 1), &Unwatched);
    assert!(matches!(error, Err(Error::Limit { .. })));
    let mut most = Source::new(65_536, vec![BTreeMap::from([(65_535, 65_535), (0, 1)])]);
    write_dataset(&path, &mut most, &options(2, 1), &Unwatched).unwrap();
    let dataset = open(&path, GeneOrder::Source, 1 << 20);
    let selection = Selection {
        layer: 0,
        cells: &[0],
        genes: None,
    };
    assert_eq!(gather(&dataset, selection, 1), most.cells);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
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
