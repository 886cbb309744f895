//! Decoding of one tile by one thread, in nanoseconds a nonzero: zstd alone,
//! and each of the ways to decode. `cargo bench -p axtile-codec -- FILE.dct...`
//! for tiles of your own; without, a made-up tile is used.
//!
//! All ways are timed in turns, so that a busy machine disturbs them alike;
//! medians and best of 9 rounds.

use std::hint::black_box;
use std::time::Instant;

use axtile_codec::CellRows;
use axtile_codec::deltacells::{Decoder, Tile, assemble, cut_chunks, encode_chunk};
use zstd::zstd_safe::DCtx;

const ROUNDS: usize = 9;

fn main() {
    let files: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if files.is_empty() {
        let rows = made_up_rows(4_000, 20_000, 2_000);
        let chunks = cut_chunks(&rows.starts, 8);
        let frames: Vec<_> = chunks
            .iter()
            .map(|cells| encode_chunk(&rows, cells.clone(), 12).expect("memory"))
            .collect();
        bench("made up", &assemble(&rows, 20_000, &chunks, &frames));
    }
    for file in files {
        bench(&file, &std::fs::read(&file).expect("a tile"));
    }
}

/// Genes by a falling weight, counts mostly 1.
fn made_up_rows(n_cells: usize, n_genes: usize, detected: usize) -> CellRows {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut rows = CellRows {
        starts: vec![0],
        ..CellRows::default()
    };
    for _ in 0..n_cells {
        for gene in 0..n_genes {
            let expected = detected as f64 / (gene as f64 + 300.0) / 4.3;
            if random() < 1.0 - (-expected).exp() {
                rows.genes.push(gene as u32);
                rows.counts.push(1 + (-random().ln() * expected) as u32);
            }
        }
        rows.starts.push(rows.genes.len());
    }
    rows
}

fn bench(name: &str, bytes: &[u8]) {
    let tile = Tile::parse(bytes).expect("a valid tile");
    let n = tile.nnz();
    let mut decoder = Decoder::new();
    let (mut genes, mut doubles, mut integers) = (vec![0i32; n], vec![0f64; n], vec![0i32; n]);
    let mut planes = vec![0u8; 2 * n];
    let mut context = DCtx::create();
    let mut sum = 0u64;
    let mut times = [const { Vec::new() }; 5];
    for _ in 0..ROUNDS {
        let mut time = |way: usize, work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            times[way].push(start.elapsed().as_nanos() as f64 / n as f64);
        };
        time(0, &mut || {
            black_box(crc32fast::hash(bytes));
        });
        time(1, &mut || {
            for chunk in tile.chunks() {
                for stream in [&chunk.gaps, &chunk.counts] {
                    let out = &mut planes[..2 * chunk.nonzeros.len()];
                    context
                        .decompress(out, &bytes[stream.clone()])
                        .expect("a frame");
                }
            }
            black_box(&planes);
        });
        time(2, &mut || {
            for (idx, chunk) in tile.chunks().iter().enumerate() {
                let range = chunk.nonzeros.clone();
                decoder
                    .chunk_into(
                        &tile,
                        idx,
                        None,
                        &mut genes[range.clone()],
                        &mut doubles[range],
                    )
                    .expect("a chunk");
            }
        });
        time(3, &mut || {
            for (idx, chunk) in tile.chunks().iter().enumerate() {
                let range = chunk.nonzeros.clone();
                decoder
                    .chunk_into(
                        &tile,
                        idx,
                        None,
                        &mut genes[range.clone()],
                        &mut integers[range],
                    )
                    .expect("a chunk");
            }
        });
        time(4, &mut || {
            for idx in 0..tile.chunks().len() {
                decoder
                    .each_cell(&tile, idx, None, |_, genes, counts| {
                        sum += genes.iter().chain(counts).copied().max().unwrap_or(0) as u64;
                    })
                    .expect("a chunk");
            }
        });
    }
    black_box(sum);
    println!("{name}: {n} nonzeros, {} bytes", bytes.len());
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    for (way, label) in [
        "CRC-32",
        "zstd alone",
        "to i32 + f64",
        "to i32 + i32",
        "cell by cell",
    ]
    .iter()
    .enumerate()
    {
        println!(
            "  {label:<13} {:6.2} ns (best {:5.2}), {:5.2} times zstd alone",
            medians[way],
            times[way][0],
            medians[way] / medians[1]
        );
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
