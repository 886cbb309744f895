//! Processor time and peak memory of reductions that read a tile dataset tile
//! by tile, and of having a layer as a whole: 100,000 cells with about 300 of
//! 5,000 genes each, 30 million counts, by one thread.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use axtile_core::{Error, Result, Unwatched, Watch};
use axtile_daf::model::Reader;
use axtile_daf::operations::{NoCustomOperations, Threads};
use axtile_daf::query::{Options, Query};
use axtile_table::{Column, Field, Kind, Table};
use axtile_tiles::{
    CellBlock, CellSource, Dataset, DatasetFormat, DecodedCache, GeneOrder, WriteOptions,
    write_dataset,
};
use axtile_tiles_daf::TilesDaf;

const N_CELLS: u64 = 100_000;
const N_GENES: u32 = 5_000;
const N_TYPES: u64 = 30;

struct Made {
    genes: Vec<String>,
    fields: Vec<Field>,
}

fn mixed(seed: u64) -> u64 {
    let x = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl CellSource for Made {
    fn path(&self) -> &Path {
        Path::new("made")
    }

    fn n_cells(&self) -> u64 {
        N_CELLS
    }

    fn genes(&self) -> &[String] {
        &self.genes
    }

    fn var(&self) -> Result<Table> {
        Ok(Table {
            n_rows: self.genes.len(),
            ..Table::default()
        })
    }

    fn obs_fields(&self) -> &[Field] {
        &self.fields
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        let code = |cell| (mixed(cell) % N_TYPES) as i32;
        Ok(Table {
            fields: self.fields.clone(),
            n_rows: cells.clone().count(),
            columns: vec![Column::Category(cells.map(code).collect())],
        })
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        Ok(Some(cells.map(|cell| format!("cell_{cell:06}")).collect()))
    }

    fn prepare(&mut self, _: &[u64], _: &Path, _: &dyn Watch) -> Result<()> {
        Ok(())
    }

    fn counts(&self, _: usize, cells: Range<u64>) -> Result<CellBlock> {
        let mut block = CellBlock {
            starts: vec![0],
            ..CellBlock::default()
        };
        for cell in cells {
            let mut gene = 0;
            for step in 0.. {
                let random = mixed(cell << 20 | step);
                // Genes with low numbers are found more often.
                gene += 1 + (random % (4 + 2 * u64::from(gene) / 100)) as u32;
                if gene >= N_GENES {
                    break;
                }
                block.genes.push(gene);
                block.counts.push(1 + ((random >> 32) % 12 / 4) as u32);
            }
            block.starts.push(block.genes.len());
        }
        Ok(block)
    }
}

/// Milliseconds of processor that all threads have had, in steps of 10.
fn processor_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default();
    let ticks = fields.split(' ').skip(11).take(2);
    10.0 * ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
}

/// Megabytes of memory that are its own now.
fn resident_mb(which: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(which));
    let kb = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kb.unwrap_or(f64::NAN) / 1024.0
}

fn shown(name: &str, mut work: impl FnMut() -> Result<()>) -> Result<()> {
    // The peak from now on.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = resident_mb("VmRSS");
    let start = processor_ms();
    work()?;
    let took = processor_ms() - start;
    let peak = resident_mb("VmHWM") - before;
    println!("{name:48} {took:8.0} ms {peak:8.1} MB more at the peak");
    Ok(())
}

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("axtile-tiles-daf-{}", std::process::id()));
    let mut source = Made {
        genes: (0..N_GENES).map(|gene| format!("g{gene}")).collect(),
        fields: vec![Field {
            name: "type".to_owned(),
            kind: Kind::Category {
                levels: (0..N_TYPES).map(|one| format!("t{one}")).collect(),
                ordered: false,
            },
        }],
    };
    let options = WriteOptions {
        format: DatasetFormat::AXTILE,
        tile_size: 4096,
        sort_genes: true,
        sort_genes_max_files: None,
        obs_tiles_per_file: 16,
        source_choices: String::new(),
        overwrite: false,
        resume: false,
        n_threads: 2,
    };
    write_dataset(&folder, &mut source, &options, &Unwatched)?;
    let dataset = Dataset::open(&folder, GeneOrder::Source, Arc::new(DecodedCache::new(0)))?;
    let tiles = TilesDaf::new(Arc::new(dataset), None, Some(folder.join("cache")), 1)?;
    println!(
        "{} counts in {} tiles of {} cells",
        tiles.dataset().manifest().nnz(),
        tiles.dataset().manifest().n_tiles(),
        options.tile_size
    );
    for query in [
        "@ cell @ gene :: counts >| Sum",
        "@ cell @ gene :: counts >- Sum",
        "@ cell @ gene :: counts >- Mean",
        "@ cell @ gene :: counts >- Var",
        "@ cell @ gene :: counts >| Median",
        "@ cell @ gene :: counts >- Quantile p 0.9",
        "@ cell @ gene :: counts >- Mode",
        "@ cell @ gene :: counts -/ type >- Mean",
        "@ cell [ type = t3 ] @ gene :: counts >- Max",
        "@ cell @ gene :: counts >> Sum",
        "@ cell :: counts @ gene = g17",
    ] {
        shown(query, || {
            let options = Options {
                threads: Threads::default(),
                custom: &NoCustomOperations,
                watch: &Unwatched,
            };
            let query = Query::parse(query, &NoCustomOperations)?;
            query.evaluate(&tiles, &options).map(|_| ())
        })?;
    }
    shown("the whole layer", || {
        tiles.find_matrix("gene", "cell", "counts").map(|_| ())
    })?;
    std::fs::remove_dir_all(&folder).map_err(Error::io("remove", &folder))
}
