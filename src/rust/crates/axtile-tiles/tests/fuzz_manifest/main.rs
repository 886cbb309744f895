//! Damaged manifests with the right checksum: an error, or a dataset whose
//! reading gives errors; never a panic, or more memory than its files explain.
//!
//! `AXTILE_FUZZ_CASES` says how many to try, `AXTILE_FUZZ_SEED` which.

#[path = "../common/mod.rs"]
mod common;
mod memory;
mod mutate;
#[path = "../../../axtile-codec/tests/fuzz_tiles/random.rs"]
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;

use axtile_core::{Result, Unwatched};
use axtile_tiles::{
    AppendOptions, Cells, Dataset, DecodedCache, GeneOrder, MANIFEST_FILE, Selection,
    append_dataset, write_dataset,
};
use common::memory::{Source, files, options, plain_cells};
use random::Random;
use xxhash_rust::xxh3::xxh3_64;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// Reads what there is of a dataset.
fn read(path: &Path, gene_order: GeneOrder) -> Result<()> {
    let dataset = Dataset::open(path, gene_order, Arc::new(DecodedCache::new(1 << 16)))?;
    let manifest = dataset.manifest();
    assert!(manifest.n_tiles() > 0 && !manifest.layers.is_empty());
    assert_eq!(manifest.tile_cells.iter().sum::<u64>(), manifest.n_cells);
    let mut result = Ok(());
    let mut keep = |problem: Result<()>| {
        if result.is_ok() {
            result = problem;
        }
    };
    let reports = dataset.verify(1, &Unwatched)?;
    keep(
        reports
            .into_iter()
            .try_for_each(|report| report.problem.map_or(Ok(()), Err)),
    );
    keep(dataset.var().map(drop));
    keep(dataset.gene_names().map(drop));
    let last = manifest.n_cells - 1;
    for cells in [Cells::All, Cells::List(&[last, 0])] {
        keep(dataset.obs_fields().and_then(|fields| {
            let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
            dataset
                .read_obs(&names, cells, None, 1, &Unwatched)
                .map(drop)
        }));
    }
    for layer in 0..manifest.layers.len().min(3) {
        for genes in [None, Some(&[0][..])] {
            let cells = [last, 0, last / 2];
            let selection = Selection {
                layer,
                cells: &cells,
                genes,
            };
            let gather = dataset.gather(selection, 1, &Unwatched);
            keep(gather.and_then(|gather| {
                let n = gather.nnz();
                let (mut genes, mut counts) = (vec![0; n], vec![0i32; n]);
                gather.read_into(&mut genes, &mut counts, 1, &Unwatched)
            }));
        }
    }
    result
}

#[test]
fn damage_behind_the_checksum() {
    let setting = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().unwrap())
    };
    let n_cases = setting("AXTILE_FUZZ_CASES", 500);
    let seed = setting("AXTILE_FUZZ_SEED", 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tiles");
    let mut source = Source::new(40, plain_cells(9));
    source.layers.push(("unspliced".into(), plain_cells(9)));
    write_dataset(&path, &mut source, &options(5, 1), &Unwatched).unwrap();
    let options = AppendOptions {
        obs_tiles_per_file: 1,
        n_threads: 1,
    };
    append_dataset(&path, &mut source, &options, &Unwatched).unwrap();
    let n_bytes: usize = files(&path).values().map(Vec::len).sum();
    // Buffers of files and compressors, and things that are larger in memory
    // than in a file.
    let most = (1 << 20) + 64 * n_bytes;
    let file = path.join(MANIFEST_FILE);
    let text = std::fs::read_to_string(&file).unwrap();
    read(&path, GeneOrder::Source).unwrap();

    let (mut n_open, mut n_sound) = (0, 0);
    for case in 0..n_cases {
        let mut random = Random::new(seed << 40 | case);
        let mut bytes = mutate::mutated(&mut random, &text);
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(format!("\"checksum\": \"{checksum:016x}\"\n}}\n").as_bytes());
        std::fs::write(&file, &bytes).unwrap();
        let gene_order = [GeneOrder::Source, GeneOrder::Stored][case as usize % 2];
        let work = || catch_unwind(AssertUnwindSafe(|| read(&path, gene_order)));
        let (result, block) = memory::largest_block(work);
        let what = format!(
            "case {case} of seed {seed}: {}",
            String::from_utf8_lossy(&bytes)
        );
        let result = result.unwrap_or_else(|panic| {
            eprintln!("{what}");
            resume_unwind(panic)
        });
        let most = most + 64 * bytes.len();
        assert!(
            block <= most,
            "{block} bytes, at most {most} are allowed: {what}"
        );
        n_sound += u64::from(result.is_ok());
        let cache = Arc::new(DecodedCache::new(0));
        n_open += u64::from(Dataset::open(&path, gene_order, cache).is_ok());
    }
    println!("{n_cases} manifests, {n_open} of them opened, {n_sound} read");
    assert!(n_cases / 50 < n_open && n_open < n_cases / 10 * 9);
}
