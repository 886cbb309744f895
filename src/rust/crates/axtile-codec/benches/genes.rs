//! Decoding of some genes of tiles of the axtile format by one thread, as a
//! share of the time for all genes. `cargo bench -p axtile-codec --bench genes
//! -- FILE.axt...`; one row for a gene of each of eight places among all.
//!
//! All ways are timed in turns; medians of 15 rounds.

use std::hint::black_box;
use std::time::Instant;

use axtile_codec::GeneSet;
use axtile_codec::grid::{Decoder, Tile};

const ROUNDS: usize = 15;

fn main() {
    let files = std::env::args().skip(1);
    for file in files.filter(|argument| !argument.starts_with("--")) {
        bench(&file, &std::fs::read(&file).expect("a tile"));
    }
}

fn bench(name: &str, bytes: &[u8]) {
    let tile = Tile::parse(bytes).expect("a valid tile");
    let (n, n_genes) = (tile.nnz(), tile.n_genes());
    let every = |step: u32| GeneSet::new((0..n_genes).step_by(step as usize));
    let mut sets: Vec<(String, GeneSet)> = (0..8)
        .map(|eighth| u32::from(eighth == 0) + n_genes / 8 * eighth)
        .chain([100, 500, n_genes - 1])
        .map(|gene| (format!("gene {gene}"), GeneSet::new([gene])))
        .collect();
    for n in [20, 1_000] {
        let step = (n_genes / n).max(1);
        sets.push((format!("every {step}th gene"), every(step)));
    }
    let (mut genes, mut counts) = (vec![0i32; n], vec![0f64; n]);
    let mut decoder = Decoder::new();
    let mut times = vec![Vec::new(); sets.len() + 2];
    let mut sum = 0u64;
    for _ in 0..ROUNDS {
        let mut time = |way: usize, work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            times[way].push(start.elapsed().as_secs_f64() * 1e3);
        };
        time(0, &mut || {
            for (idx, chunk) in tile.chunks().iter().enumerate() {
                let range = chunk.nonzeros.clone();
                let (genes, counts) = (&mut genes[range.clone()], &mut counts[range]);
                decoder
                    .chunk_into(&tile, idx, None, genes, counts)
                    .expect("a chunk");
            }
        });
        time(1, &mut || {
            for idx in 0..tile.chunks().len() {
                let each = |genes: &[i32], _: &[i32]| sum += genes.len() as u64;
                decoder.each_cell(&tile, idx, each).expect("a chunk");
            }
        });
        for (way, (_, set)) in sets.iter().enumerate() {
            time(way + 2, &mut || {
                for idx in 0..tile.chunks().len() {
                    let each = |genes: &[i32], _: &[i32]| sum += genes.len() as u64;
                    decoder
                        .each_cell_of(&tile, idx, set, each)
                        .expect("a chunk");
                }
            });
        }
    }
    black_box(sum);
    println!("{name}: {n} nonzeros, {n_genes} genes");
    let labels = ["all, into slices", "all, cell by cell"].into_iter();
    let labels = labels.chain(sets.iter().map(|(label, _)| label.as_str()));
    let all = median(&mut times[0].clone());
    for (label, times) in labels.zip(&mut times) {
        let time = median(times);
        println!("  {label:<20} {time:7.3} ms, 1/{:.1}", all / time);
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
