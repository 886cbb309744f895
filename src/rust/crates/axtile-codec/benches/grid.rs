//! Decoding of one tile of the axtile format by one thread, in nanoseconds a
//! nonzero, with every instruction set of this machine; beside it the deltacells
//! format, BP-128 and filling the same memory.
//!
//! `cargo bench -p axtile-codec --bench grid -- FILE...` for counts of your own:
//! little-endian u32 numbers of cells, genes and nonzeros, where each cell starts
//! and the last one ends, genes by falling totals, counts, and the number of each
//! gene elsewhere. Without, a made-up matrix is used. `--buckets N` sets the
//! number of buckets, `--level N` zstd's level of the deltacells tile (19; 0 for
//! none), `--only TEXT` takes ways whose label has the text only.
//!
//! All ways are timed in turns, so that a busy machine disturbs them alike;
//! medians and best of 9 rounds.

mod bp128;

use std::hint::black_box;
use std::time::Instant;

use axtile_codec::kernels::{Count, Simd};
use axtile_codec::{CellRows, GeneMap, deltacells, grid};

use bp128::Bp128;

const ROUNDS: usize = 9;

struct Matrix {
    name: String,
    n_genes: u32,
    rows: CellRows,
    order: GeneMap,
}

fn main() {
    let mut files = Vec::new();
    let mut options = grid::Options::default();
    let mut level = 19;
    let mut only = String::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = |arguments: &mut std::iter::Skip<std::env::Args>| {
            arguments.next().and_then(|n| n.parse().ok())
        };
        match argument.as_str() {
            "--buckets" => {
                options.n_buckets = Some(number(&mut arguments).expect("a number") as usize)
            }
            "--only" => only = arguments.next().expect("a text"),
            "--level" => level = number(&mut arguments).expect("a level"),
            _ if argument.starts_with("--") => {}
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        bench(&made_up(4_000, 20_000, 2_000), &options, level, &only);
    }
    for file in files {
        bench(&read(&file), &options, level, &only);
    }
}

/// Genes by a falling weight, counts mostly 1.
fn made_up(n_cells: usize, n_genes: u32, detected: usize) -> Matrix {
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
            let expected = detected as f64 / (f64::from(gene) + 300.0) / 4.3;
            if random() < 1.0 - (-expected).exp() {
                rows.genes.push(gene);
                rows.counts.push(1 + (-random().ln() * expected) as u32);
            }
        }
        rows.starts.push(rows.genes.len());
    }
    let mut order: Vec<u32> = (0..n_genes).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, (random() * (last + 1) as f64) as usize);
    }
    Matrix {
        name: "made up".into(),
        n_genes,
        rows,
        order: GeneMap::new(order.into_iter()),
    }
}

fn read(file: &str) -> Matrix {
    let bytes = std::fs::read(file).expect("counts");
    let mut numbers = bytes
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| u32::from_le_bytes(bytes));
    let mut take = |n: usize| numbers.by_ref().take(n).collect::<Vec<u32>>();
    let sizes = take(3);
    let starts = take(sizes[0] as usize + 1);
    let [genes, counts] = [(); 2].map(|()| take(sizes[2] as usize));
    Matrix {
        name: file.into(),
        n_genes: sizes[1],
        rows: CellRows {
            starts: starts.into_iter().map(|start| start as usize).collect(),
            genes,
            counts,
        },
        order: GeneMap::new(take(sizes[1] as usize).into_iter()),
    }
}

/// A way to decode, and its times.
struct Way<'a> {
    label: String,
    work: Box<dyn FnMut() + 'a>,
    times: Vec<f64>,
}

/// Where all ways decode to.
struct Out {
    genes: Vec<i32>,
    integers: Vec<i32>,
    doubles: Vec<f64>,
}

fn bench(matrix: &Matrix, options: &grid::Options, level: i32, only: &str) {
    let n = matrix.rows.nnz();
    println!("{}: {n} nonzeros", matrix.name);
    let grid_bytes = encode_grid(matrix, options);
    let grid_tile = grid::Tile::parse(&grid_bytes[..]).expect("a valid tile");
    size("axtile", grid_bytes.len(), n);
    let fits = matrix.n_genes as usize <= deltacells::MAX_GENES
        && matrix
            .rows
            .counts
            .iter()
            .all(|&count| count <= deltacells::MAX_COUNT);
    let delta_bytes = (level > 0 && fits).then(|| encode_deltacells(matrix, level));
    let delta_tile = delta_bytes
        .as_deref()
        .map(|bytes| deltacells::Tile::parse(bytes).expect("a valid tile"));
    if let Some(bytes) = &delta_bytes {
        size("deltacells", bytes.len(), n);
    }
    let bp128 = Bp128::encode(&matrix.rows.genes, &matrix.rows.counts);
    size("BP-128", bp128.len(), n);

    let out = std::cell::RefCell::new(Out {
        genes: vec![0; n],
        integers: vec![0; n],
        doubles: vec![0.0; n],
    });
    let out = &out;
    let order = Some(&matrix.order);
    let mut ways = Vec::new();
    let mut add = |label: String, work: Box<dyn FnMut()>| {
        if !label.contains(only) {
            return;
        }
        ways.push(Way {
            label,
            work,
            times: Vec::new(),
        });
    };
    for (label, order, is_double) in [
        ("i32 + i32", None, false),
        ("i32 + f64", None, true),
        ("i32 + f64, other order", order, true),
    ] {
        for simd in Simd::all() {
            let mut decoder = grid::Decoder::with_simd(simd);
            let tile = &grid_tile;
            add(
                format!("{label}: {}", simd.name()),
                Box::new(move || {
                    let out = &mut *out.borrow_mut();
                    if is_double {
                        decode_grid(&mut decoder, tile, order, &mut out.genes, &mut out.doubles);
                    } else {
                        decode_grid(&mut decoder, tile, order, &mut out.genes, &mut out.integers);
                    }
                }),
            );
        }
        if let Some(tile) = &delta_tile {
            let mut decoder = deltacells::Decoder::new();
            add(
                format!("{label}: deltacells, zstd {level}"),
                Box::new(move || {
                    let out = &mut *out.borrow_mut();
                    let genes = &mut out.genes;
                    if is_double {
                        decode_deltacells(&mut decoder, tile, order, genes, &mut out.doubles);
                    } else {
                        decode_deltacells(&mut decoder, tile, order, genes, &mut out.integers);
                    }
                }),
            );
        }
        if order.is_some() {
            continue;
        }
        let bp128 = &bp128;
        add(
            format!("{label}: BP-128"),
            Box::new(move || {
                let out = &mut *out.borrow_mut();
                if is_double {
                    bp128.decode(&mut out.genes, &mut out.doubles);
                } else {
                    bp128.decode(&mut out.genes, &mut out.integers);
                }
            }),
        );
        add(
            format!("{label}: memset"),
            Box::new(move || {
                let out = &mut *out.borrow_mut();
                out.genes.fill(black_box(0));
                if is_double {
                    out.doubles.fill(black_box(0.0));
                } else {
                    out.integers.fill(black_box(0));
                }
            }),
        );
    }
    time(&mut ways, n, |label| {
        check(label, &out.borrow(), &matrix.rows)
    });
    for way in &mut ways {
        way.times.sort_by(f64::total_cmp);
        println!(
            "  {:<44} {:6.3} ns (best {:6.3})",
            way.label,
            way.times[ROUNDS / 2],
            way.times[0]
        );
    }
}

/// Times all in turns, after a first time whose outcome is checked.
fn time(ways: &mut [Way<'_>], n: usize, check: impl Fn(&str)) {
    for way in &mut *ways {
        (way.work)();
        check(&way.label);
    }
    for _ in 0..ROUNDS {
        for way in &mut *ways {
            let start = Instant::now();
            (way.work)();
            way.times.push(start.elapsed().as_nanos() as f64 / n as f64);
        }
    }
}

/// Whether all was decoded as it was.
fn check(label: &str, out: &Out, rows: &CellRows) {
    if label.contains("memset") {
        return;
    }
    let is_other = label.contains("other order");
    let sum = |counts: &mut dyn Iterator<Item = f64>| counts.sum::<f64>();
    if !is_other {
        assert!(
            out.genes
                .iter()
                .zip(&rows.genes)
                .all(|(&a, &b)| a as u32 == b)
        );
    }
    let expected = sum(&mut rows.counts.iter().map(|&count| f64::from(count)));
    let found = if label.contains("f64") {
        sum(&mut out.doubles.iter().copied())
    } else {
        sum(&mut out.integers.iter().map(|&count| f64::from(count)))
    };
    assert_eq!(found, expected, "{label}");
}

fn size(label: &str, len: usize, n: usize) {
    let bits = 8.0 * len as f64 / n as f64;
    println!("  {label:<10} {len:>11} bytes, {bits:6.3} bits a nonzero");
}

fn encode_grid(matrix: &Matrix, options: &grid::Options) -> Vec<u8> {
    let plan = grid::Plan::new(&matrix.rows, matrix.n_genes, options).expect("counts");
    let chunks: Vec<_> = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(&matrix.rows, chunk).expect("memory"))
        .collect();
    plan.assemble(&chunks)
}

fn encode_deltacells(matrix: &Matrix, level: i32) -> Vec<u8> {
    let chunks = deltacells::cut_chunks(&matrix.rows.starts, 8);
    let rows = &matrix.rows;
    let frames: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = chunks
            .iter()
            .map(|cells| {
                scope
                    .spawn(|| deltacells::encode_chunk(rows, cells.clone(), level).expect("memory"))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a chunk"))
            .collect()
    });
    deltacells::assemble(rows, matrix.n_genes as usize, &chunks, &frames)
}

fn decode_grid<C: Count>(
    decoder: &mut grid::Decoder,
    tile: &grid::Tile<&[u8]>,
    order: Option<&GeneMap>,
    genes: &mut [i32],
    counts: &mut [C],
) {
    for (idx, chunk) in tile.chunks().iter().enumerate() {
        let range = chunk.nonzeros.clone();
        decoder
            .chunk_into(
                tile,
                idx,
                order,
                &mut genes[range.clone()],
                &mut counts[range],
            )
            .expect("a chunk");
    }
}

fn decode_deltacells<C: Count>(
    decoder: &mut deltacells::Decoder,
    tile: &deltacells::Tile<&[u8]>,
    order: Option<&GeneMap>,
    genes: &mut [i32],
    counts: &mut [C],
) {
    for (idx, chunk) in tile.chunks().iter().enumerate() {
        let range = chunk.nonzeros.clone();
        decoder
            .chunk_into(
                tile,
                idx,
                order,
                &mut genes[range.clone()],
                &mut counts[range],
            )
            .expect("a chunk");
    }
}
