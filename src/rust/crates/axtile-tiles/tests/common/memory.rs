//! Cells in memory as a source, and reading datasets back: the oracle is the
//! list of counts itself.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axtile_core::{Result, Unwatched, Watch};
use axtile_table::{Column, Field, IntegerType, Kind, Table};
use axtile_tiles::{
    CellBlock, CellSource, Dataset, DatasetFormat, DecodedCache, FloatBlock, GeneOrder, LayerField,
    LayerKind, Selection, WriteOptions,
};

/// A cell as a map from gene to count.
pub type Cell = BTreeMap<u32, u32>;

/// A cell as a map from gene to floating-point value.
pub type FloatCell = BTreeMap<u32, f64>;

/// Cells with a number and a batch, which is a category of the labels in
/// `batches`.
#[derive(Clone, Debug)]
pub struct Source {
    pub genes: Vec<String>,
    /// Name and cells of each layer.
    pub layers: Vec<(String, Vec<Cell>)>,
    /// The layers after these.
    pub floats: Vec<(String, LayerKind, Vec<FloatCell>)>,
    pub fields: Vec<Field>,
    /// The number of the first cell.
    pub first: u64,
}

impl Source {
    pub fn new(n_genes: usize, cells: Vec<Cell>) -> Source {
        Source::with_batches(n_genes, cells, 0, &["a", "b"])
    }

    pub fn with_batches(n_genes: usize, cells: Vec<Cell>, first: u64, batches: &[&str]) -> Source {
        Source {
            genes: (0..n_genes).map(|gene| format!("g{gene}")).collect(),
            layers: vec![("counts".into(), cells)],
            floats: Vec::new(),
            fields: vec![
                Field {
                    name: "number".into(),
                    kind: Kind::Integer(IntegerType::I32),
                },
                Field {
                    name: "batch".into(),
                    kind: Kind::Category {
                        levels: batches.iter().map(|&batch| batch.to_owned()).collect(),
                        ordered: false,
                    },
                },
            ],
            first,
        }
    }

    /// The label of a cell, by its number in this source.
    pub fn batch(&self, cell: u64) -> Option<String> {
        let Kind::Category { levels, .. } = &self.fields[1].kind else {
            return None;
        };
        let code = cell as usize % (levels.len() + 1);
        levels.get(code).cloned()
    }
}

impl CellSource for Source {
    fn path(&self) -> &Path {
        Path::new("memory")
    }

    fn n_cells(&self) -> u64 {
        match self.layers.first() {
            Some((_, cells)) => cells.len() as u64,
            None => self.floats[0].2.len() as u64,
        }
    }

    fn genes(&self) -> &[String] {
        &self.genes
    }

    fn var(&self) -> Result<Table> {
        Ok(Table {
            fields: vec![Field {
                name: "length".into(),
                kind: Kind::Integer(IntegerType::I32),
            }],
            columns: vec![Column::Integer {
                values: (0..self.genes.len() as i64).collect(),
                missing: None,
            }],
            n_rows: self.genes.len(),
        })
    }

    fn layers(&self) -> Vec<LayerField> {
        let field = |name: &String, kind| LayerField {
            name: name.clone(),
            kind,
        };
        let layers = self.layers.iter();
        let counts = layers.map(|(name, _)| field(name, LayerKind::Count));
        let floats = self.floats.iter();
        counts
            .chain(floats.map(|(name, kind, _)| field(name, *kind)))
            .collect()
    }

    fn obs_fields(&self) -> &[Field] {
        &self.fields
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        let Kind::Category { levels, .. } = &self.fields[1].kind else {
            panic!()
        };
        let code = |cell: u64| {
            let code = cell as usize % (levels.len() + 1);
            if code < levels.len() { code as i32 } else { -1 }
        };
        Ok(Table {
            fields: self.fields.clone(),
            n_rows: (cells.end - cells.start) as usize,
            columns: vec![
                Column::Integer {
                    values: cells
                        .clone()
                        .map(|cell| (self.first + cell) as i64)
                        .collect(),
                    missing: None,
                },
                Column::Category(cells.map(code).collect()),
            ],
        })
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        let name = |cell| format!("c{}", self.first + cell);
        Ok(Some(cells.map(name).collect()))
    }

    fn prepare(&mut self, cuts: &[u64], scratch: &Path, _watch: &dyn Watch) -> Result<()> {
        assert!(scratch.is_dir());
        assert_eq!(cuts.first(), Some(&0));
        assert_eq!(cuts.last(), Some(&self.n_cells()));
        Ok(())
    }

    fn counts(&self, layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        let mut block = CellBlock {
            starts: vec![0],
            ..CellBlock::default()
        };
        for cell in &self.layers[layer].1[cells.start as usize..cells.end as usize] {
            // As sources may: descending, with a zero and a repeated gene.
            for (&gene, &count) in cell.iter().rev() {
                block.genes.extend([gene, gene, 0]);
                block.counts.extend([count - 1, 1, 0]);
            }
            block.starts.push(block.genes.len());
        }
        Ok(block)
    }

    fn floats(&self, layer: usize, cells: Range<u64>) -> Result<FloatBlock> {
        let (_, _, all) = &self.floats[layer - self.layers.len()];
        let mut block = FloatBlock {
            starts: vec![0],
            ..FloatBlock::default()
        };
        for cell in &all[cells.start as usize..cells.end as usize] {
            // As sources may: descending.
            for (&gene, &value) in cell.iter().rev() {
                block.genes.push(gene);
                block.values.push(value);
            }
            block.starts.push(block.genes.len());
        }
        Ok(block)
    }
}

pub const DELTACELLS: DatasetFormat = DatasetFormat::Deltacells {
    n_chunks: 3,
    level: 1,
};

pub fn options(tile_size: u64, n_threads: usize) -> WriteOptions {
    WriteOptions {
        format: DatasetFormat::AXTILE,
        tile_size,
        sort_genes: true,
        sort_genes_max_files: Some(10),
        obs_tiles_per_file: 2,
        source_choices: String::new(),
        overwrite: true,
        resume: false,
        n_threads,
    }
}

pub fn open(folder: &Path, gene_order: GeneOrder, cache_bytes: usize) -> Dataset {
    let cache = Arc::new(DecodedCache::new(cache_bytes));
    Dataset::open(folder, gene_order, cache).unwrap()
}

/// Cells of the result as maps from row to count; checks the order of rows.
pub fn cells_of(starts: &[usize], genes: &[i32], counts: &[i32]) -> Vec<Cell> {
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

pub fn gather(dataset: &Dataset, selection: Selection<'_>, n_threads: usize) -> Vec<Cell> {
    let gather = dataset.gather(selection, n_threads, &Unwatched).unwrap();
    let (mut genes, mut counts) = (vec![0; gather.nnz()], vec![0i32; gather.nnz()]);
    gather
        .read_into(&mut genes, &mut counts, n_threads, &Unwatched)
        .unwrap();
    cells_of(gather.starts(), &genes, &counts)
}

/// All cells of a layer.
pub fn all_cells(dataset: &Dataset, layer: usize) -> Vec<Cell> {
    let cells: Vec<u64> = (0..dataset.manifest().n_cells).collect();
    let selection = Selection {
        layer,
        cells: &cells,
        genes: None,
    };
    gather(dataset, selection, 1)
}

/// What is wrong with the files of a dataset, by name.
pub fn problems(dataset: &Dataset) -> Vec<String> {
    let reports = dataset.verify(1, &Unwatched).unwrap();
    let problems = reports
        .iter()
        .filter_map(|report| Some(format!("{}: {}", report.file, report.problem.as_ref()?)));
    problems.collect()
}

pub fn plain_cells(n: usize) -> Vec<Cell> {
    (0..n as u32)
        .map(|cell| {
            (0..=cell % 7)
                .map(|gene| (gene * 3 + cell % 2, cell + 1))
                .collect()
        })
        .collect()
}

/// Stops after so many questions whether to stop.
pub struct StopAfter(AtomicU64);

impl StopAfter {
    pub fn new(n: u64) -> StopAfter {
        StopAfter(AtomicU64::new(n))
    }
}

impl Watch for StopAfter {
    fn advance(&self, _done: u64) {}

    fn is_interrupted(&self) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(1), Ordering::Relaxed);
        left == 0
    }
}

/// Every file below `folder`, relative to it, with its bytes.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, all);
            } else {
                let name = path.strip_prefix(root).unwrap();
                all.insert(
                    name.to_str().unwrap().to_owned(),
                    std::fs::read(&path).unwrap(),
                );
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(folder, folder, &mut all);
    all
}
