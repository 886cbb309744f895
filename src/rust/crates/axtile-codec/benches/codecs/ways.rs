//! Ways to decode a coded tile: by number type, order of genes, instruction set,
//! memory and number of threads.

use std::cell::RefCell;
use std::hint::black_box;
use std::ops::Range;

use axtile_codec::kernels::{Count, Simd};
use axtile_codec::{GeneMap, deltacells, grid};

use crate::bp128::Bp128;
use crate::matrix::Matrix;
use crate::streams::{Room, Streams};

/// A coded tile.
pub enum Coded {
    Grid(Vec<u8>),
    Deltacells(Vec<u8>),
    Bp128(Bp128),
    Streams(Streams),
}

/// A way to decode, and its times.
pub struct Way<'a> {
    pub label: String,
    pub n_threads: usize,
    /// Whether counts become doubles.
    pub is_double: bool,
    pub is_other_order: bool,
    /// Whether what is decoded is in [`Out`] then.
    pub is_checked: bool,
    pub work: Box<dyn FnMut() + 'a>,
    pub times: Vec<f64>,
}

/// Where ways with reused memory decode to.
pub struct Out {
    pub genes: RefCell<Vec<i32>>,
    pub integers: RefCell<Vec<i32>>,
    pub doubles: RefCell<Vec<f64>>,
}

impl Out {
    pub fn new(n: usize) -> Out {
        Out {
            genes: RefCell::new(vec![0; n]),
            integers: RefCell::new(vec![0; n]),
            doubles: RefCell::new(vec![0.0; n]),
        }
    }
}

impl Coded {
    /// Size in bytes.
    pub fn len(&self) -> usize {
        match self {
            Coded::Grid(bytes) | Coded::Deltacells(bytes) => bytes.len(),
            Coded::Bp128(tile) => tile.len(),
            Coded::Streams(tile) => tile.len(),
        }
    }

    /// A decoder for each thread.
    fn decoders(&self, simd: Option<Simd>, n_threads: usize) -> Vec<Decoder<'_>> {
        let decoder = |_| match self {
            Coded::Grid(bytes) => Decoder::Grid(
                Box::new(grid::Tile::parse(&bytes[..]).expect("a tile")),
                Box::new(simd.map_or_else(grid::Decoder::new, grid::Decoder::with_simd)),
            ),
            Coded::Deltacells(bytes) => Decoder::Deltacells(
                Box::new(deltacells::Tile::parse(&bytes[..]).expect("a tile")),
                deltacells::Decoder::new(),
            ),
            Coded::Bp128(tile) => Decoder::Bp128(tile),
            Coded::Streams(tile) => Decoder::Streams(tile, Room::default()),
        };
        (0..n_threads).map(decoder).collect()
    }
}

enum Decoder<'a> {
    Grid(Box<grid::Tile<&'a [u8]>>, Box<grid::Decoder>),
    Deltacells(Box<deltacells::Tile<&'a [u8]>>, deltacells::Decoder),
    Bp128(&'a Bp128),
    Streams(&'a Streams, Room),
}

impl Decoder<'_> {
    /// The nonzeros of each chunk.
    fn chunks(&self, n: usize) -> Vec<Range<usize>> {
        match self {
            Decoder::Grid(tile, _) => tile.chunks().iter().map(|c| c.nonzeros.clone()).collect(),
            Decoder::Deltacells(tile, _) => {
                tile.chunks().iter().map(|c| c.nonzeros.clone()).collect()
            }
            // Its differences run through the tile.
            Decoder::Bp128(_) => vec![0..n; 1],
            Decoder::Streams(tile, _) => tile.chunks(),
        }
    }

    fn decode<C: Count>(
        &mut self,
        chunk: usize,
        order: Option<&GeneMap>,
        genes: &mut [i32],
        counts: &mut [C],
    ) {
        match self {
            Decoder::Grid(tile, decoder) => decoder
                .chunk_into(tile, chunk, order, genes, counts)
                .expect("a chunk"),
            Decoder::Deltacells(tile, decoder) => decoder
                .chunk_into(tile, chunk, order, genes, counts)
                .expect("a chunk"),
            Decoder::Bp128(tile) => tile.decode(genes, counts),
            Decoder::Streams(tile, room) => tile.decode(chunk, room, genes, counts),
        }
    }
}

/// Decodes all chunks, dealt out to as many threads as there are decoders.
fn decode_all<C: Count>(
    decoders: &mut [Decoder<'_>],
    order: Option<&GeneMap>,
    mut genes: &mut [i32],
    mut counts: &mut [C],
) {
    let chunks = decoders[0].chunks(genes.len());
    let n_threads = decoders.len();
    let mut jobs: Vec<Vec<_>> = decoders.iter().map(|_| Vec::new()).collect();
    for (chunk, range) in chunks.iter().enumerate() {
        let (own_genes, other_genes) = genes.split_at_mut(range.len());
        let (own_counts, other_counts) = counts.split_at_mut(range.len());
        (genes, counts) = (other_genes, other_counts);
        jobs[chunk % n_threads].push((chunk, own_genes, own_counts));
    }
    let work = |decoder: &mut Decoder<'_>, jobs: Vec<(usize, &mut [i32], &mut [C])>| {
        for (chunk, genes, counts) in jobs {
            decoder.decode(chunk, order, genes, counts);
        }
    };
    if let [decoder] = decoders {
        return jobs.into_iter().for_each(|jobs| work(decoder, jobs));
    }
    std::thread::scope(|scope| {
        for (decoder, jobs) in decoders.iter_mut().zip(jobs) {
            scope.spawn(|| work(decoder, jobs));
        }
    });
}

/// All ways to decode the tiles.
pub fn all_ways<'a>(
    matrix: &'a Matrix,
    tiles: &'a [(String, Coded)],
    out: &'a Out,
) -> Vec<Way<'a>> {
    let n = matrix.rows.nnz();
    let order = Some(&matrix.order);
    let mut ways = Vec::new();
    for is_double in [false, true] {
        let numbers = if is_double { "i32 + f64" } else { "i32 + i32" };
        let mut add = |label: String, order, n_threads, is_checked, work| {
            ways.push(Way {
                label: format!("{numbers}, {label}"),
                n_threads,
                is_double,
                is_other_order: Option::is_some(&order),
                is_checked,
                work,
                times: Vec::new(),
            });
        };
        for (name, tile) in tiles {
            let is_grid = matches!(tile, Coded::Grid(_));
            let one = || tile.decoders(None, 1);
            add(
                name.clone(),
                None,
                1,
                true,
                reused(one(), None, out, is_double),
            );
            add(
                format!("{name}, fresh memory"),
                None,
                1,
                false,
                fresh(one(), n, is_double),
            );
            if !matches!(tile, Coded::Bp128(_)) {
                let two = tile.decoders(None, 2);
                add(
                    name.clone(),
                    None,
                    2,
                    true,
                    reused(two, None, out, is_double),
                );
            }
            if is_grid {
                for simd in Simd::all() {
                    let decoders = tile.decoders(Some(simd), 1);
                    let label = match simd.name() {
                        "none" => format!("{name}, no vector instructions"),
                        simd => format!("{name}, {simd}"),
                    };
                    add(label, None, 1, true, reused(decoders, None, out, is_double));
                }
            }
            if is_double && matches!(tile, Coded::Grid(_) | Coded::Deltacells(_)) {
                let label = format!("{name}, other order");
                add(label, order, 1, true, reused(one(), order, out, is_double));
            }
        }
        let fill = move || {
            out.genes.borrow_mut().fill(black_box(0));
            match is_double {
                true => out.doubles.borrow_mut().fill(black_box(0.0)),
                false => out.integers.borrow_mut().fill(black_box(0)),
            }
        };
        add("filling memory".into(), None, 1, false, Box::new(fill));
    }
    ways
}

fn reused<'a>(
    mut decoders: Vec<Decoder<'a>>,
    order: Option<&'a GeneMap>,
    out: &'a Out,
    is_double: bool,
) -> Box<dyn FnMut() + 'a> {
    Box::new(move || {
        let genes = &mut out.genes.borrow_mut();
        if is_double {
            decode_all(&mut decoders, order, genes, &mut out.doubles.borrow_mut());
        } else {
            decode_all(&mut decoders, order, genes, &mut out.integers.borrow_mut());
        }
    })
}

/// Into vectors that were just made, and go with the next time.
fn fresh(mut decoders: Vec<Decoder<'_>>, n: usize, is_double: bool) -> Box<dyn FnMut() + '_> {
    Box::new(move || {
        let mut genes = vec![0i32; n];
        if is_double {
            let mut counts = vec![0f64; n];
            decode_all(&mut decoders, None, &mut genes, &mut counts);
            black_box((genes, counts));
        } else {
            let mut counts = vec![0i32; n];
            decode_all(&mut decoders, None, &mut genes, &mut counts);
            black_box((genes, counts));
        }
    })
}
