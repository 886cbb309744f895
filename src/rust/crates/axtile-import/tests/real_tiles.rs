//! Published count matrices as tiles of every mode: what is decoded is what was
//! encoded, in the order of the tile and in another.

mod common;

use axtile_codec::floats::{self, Width};
use axtile_codec::integers::{self, Coder};
use axtile_codec::{CellRows, FloatRows, GeneMap};
use axtile_import::open;
use common::*;
use rayon::prelude::*;

/// The cells of a tile: smaller than usual, for builds that are not optimised.
const TILE_SIZE: u64 = 2_000;
/// How many tiles of a file are looked at, unless `AXTILE_ALL_TILES` is set.
const N_TILES: usize = 2;

/// The counts of a file, tile by tile, with genes ascending in each cell.
fn tiles_of(file: &str) -> Option<(Vec<CellRows>, u32)> {
    let Some(folder) = data_folder() else {
        eprintln!("skipped: the folder of published matrices is absent");
        return None;
    };
    let mut source = open(&folder.join(file), &options("", "")).unwrap();
    let n_tiles = source.n_cells().div_ceil(TILE_SIZE) as usize;
    let empty = CellRows {
        starts: vec![0],
        ..CellRows::default()
    };
    let mut tiles = vec![empty; n_tiles];
    for (tile, rows) in tiles.iter_mut().enumerate() {
        let left = source.n_cells() - tile as u64 * TILE_SIZE;
        rows.starts = vec![0; left.min(TILE_SIZE) as usize + 1];
    }
    for_each(source.as_mut(), TILE_SIZE, |cell, gene, count| {
        let rows = &mut tiles[(cell / TILE_SIZE) as usize];
        rows.genes.push(gene);
        rows.counts.push(count as u32);
        rows.starts[(cell % TILE_SIZE) as usize + 1] += 1;
    })
    .unwrap();
    for rows in &mut tiles {
        for cell in 1..rows.starts.len() {
            rows.starts[cell] += rows.starts[cell - 1];
        }
    }
    Some((tiles, source.genes().len() as u32))
}

/// Genes and values of cells with genes renumbered by `order`.
fn renumbered<V: Copy>(
    starts: &[usize],
    genes: &[u32],
    values: &[V],
    order: &GeneMap,
) -> (Vec<i32>, Vec<V>) {
    let mut all = Vec::with_capacity(genes.len());
    for bounds in starts.windows(2) {
        let range = bounds[0]..bounds[1];
        let first = all.len();
        let genes = genes[range.clone()].iter();
        all.extend(
            genes
                .zip(&values[range])
                .map(|(&g, &v)| (order.get(g) as i32, v)),
        );
        all[first..].sort_unstable_by_key(|&(gene, _)| gene);
    }
    all.into_iter().unzip()
}

fn orders(n_genes: u32) -> [GeneMap; 2] {
    // The second is the order turned round: no cell stays sorted.
    [GeneMap::new(0..n_genes), GeneMap::new((0..n_genes).rev())]
}

fn check_counts(rows: &CellRows, n_genes: u32, options: &integers::Options) {
    let plan = integers::Plan::new(rows, n_genes, options).unwrap();
    let chunks = (0..plan.n_chunks()).map(|chunk| plan.encode_chunk(rows, chunk).unwrap());
    let bytes = plan.assemble(chunks.collect());
    let tile = integers::Tile::parse(&bytes[..]).unwrap();
    assert_eq!(tile.coder(), options.coder.unwrap());
    assert_eq!(tile.starts().unwrap(), rows.starts);
    let mut decoder = integers::Decoder::new();
    for order in &orders(n_genes) {
        let (genes, counts) = renumbered(&rows.starts, &rows.genes, &rows.counts, order);
        for (idx, chunk) in tile.chunks().iter().enumerate() {
            let range = chunk.nonzeros.clone();
            let (mut i, mut x) = (vec![0; range.len()], vec![0f64; range.len()]);
            decoder
                .chunk_into(&tile, idx, Some(order), &mut i, &mut x)
                .unwrap();
            assert_eq!(i, genes[range.clone()]);
            assert!(
                x.iter()
                    .zip(&counts[range])
                    .all(|(x, &n)| *x == f64::from(n))
            );
        }
    }
}

fn check_floats(rows: &FloatRows, n_genes: u32, width: Width) {
    let plan = floats::Plan::new(rows, n_genes, width, &floats::Options::default()).unwrap();
    let chunks = (0..plan.n_chunks()).map(|chunk| plan.encode_chunk(rows, chunk).unwrap());
    let bytes = plan.assemble(chunks.collect());
    let tile = floats::Tile::parse(&bytes[..]).unwrap();
    let mut decoder = floats::Decoder::new();
    for order in &orders(n_genes) {
        let (genes, values) = renumbered(&rows.starts, &rows.genes, &rows.values, order);
        for (idx, chunk) in tile.chunks().iter().enumerate() {
            let range = chunk.nonzeros.clone();
            let (mut i, mut x) = (vec![0; range.len()], vec![0.0; range.len()]);
            decoder
                .chunk_into(&tile, idx, Some(order), &mut i, &mut x)
                .unwrap();
            assert_eq!(i, genes[range.clone()]);
            let wanted = values[range].iter().map(|value| value.to_bits());
            assert!(x.iter().map(|value| value.to_bits()).eq(wanted));
        }
    }
}

/// The logarithm of one and each count's share of its cell's, in ten thousandths.
fn normalised(rows: &CellRows, narrow: bool) -> FloatRows {
    let mut values = Vec::with_capacity(rows.nnz());
    for bounds in rows.starts.windows(2) {
        let counts = &rows.counts[bounds[0]..bounds[1]];
        let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        let value = |&count: &u32| (f64::from(count) / total * 1e4).ln_1p();
        values.extend(counts.iter().map(value).map(|value| match narrow {
            true => f64::from(value as f32),
            false => value,
        }));
    }
    FloatRows {
        starts: rows.starts.clone(),
        genes: rows.genes.clone(),
        values,
    }
}

fn check(file: &str) {
    let Some((tiles, n_genes)) = tiles_of(file) else {
        return;
    };
    let options = |coder, n_clusters| integers::Options {
        coder: Some(coder),
        n_clusters,
        ..integers::Options::default()
    };
    let step = match std::env::var_os("AXTILE_ALL_TILES") {
        Some(_) => 1,
        None => tiles.len().div_ceil(N_TILES),
    };
    tiles.par_iter().step_by(step).for_each(|rows| {
        check_counts(rows, n_genes, &options(Coder::Grid, 1));
        check_counts(rows, n_genes, &options(Coder::Grid, 4));
        check_counts(rows, n_genes, &options(Coder::Packed, 1));
        check_floats(&normalised(rows, false), n_genes, Width::F64);
        check_floats(&normalised(rows, true), n_genes, Width::F32);
    });
}

#[test]
fn rna() {
    check("pbmc3k.h5ad");
    check("pancreas_layers.h5ad");
}

#[test]
fn full_length() {
    check("smartseq_large_counts.h5ad");
}

#[test]
fn peaks() {
    check("atac_hemato_csc.h5ad");
}

#[test]
fn proteins() {
    check("adt_dense.h5ad");
}

#[test]
fn few_genes() {
    check("xenium_10x.h5");
}

#[test]
fn empty_droplets() {
    check("mtx_unfiltered");
}
