//! Reads a tile by every function that there is, and looks whether what was
//! promised of them holds for it.

use std::collections::HashMap;

use axtile_codec::grid::{Decoder, MAX_PART_LEN, Tile};
use axtile_codec::kernels::{Count, Simd};
use axtile_codec::{GeneMap, GeneSet, TileError, TileResult};

use crate::memory::largest_block;

/// Elements on both sides of a slice that must stay as they are.
const GUARD: usize = 80;
/// Chunks with more nonzeros are left out: others look for them in the tile.
const MAX_NNZ: usize = 1 << 18;
/// Orders for more genes are not tried.
const MAX_MAPPED_GENES: u32 = 1 << 17;
/// Orders that are kept.
const MAX_ORDERS: usize = 64;

/// The same decoders for all tiles, so that what an earlier one left is found:
/// one for each set of vector instructions.
pub struct Reader {
    decoders: Vec<Decoder>,
    orders: HashMap<u32, GeneMap>,
    whole: Output<i32>,
    real: Output<f64>,
}

/// What one decoder made of a chunk, between two guards.
#[derive(Default)]
struct Output<C> {
    genes: Vec<i32>,
    counts: Vec<C>,
}

/// What is decoded: a chunk of a tile, and what it takes at most.
#[derive(Clone, Copy)]
struct Task<'a> {
    tile: &'a Tile<&'a [u8]>,
    idx: usize,
    bound: usize,
}

/// What is allowed to a function in one block, in bytes: a constant for
/// compression and code tables, model and index in memory, what a chunk's
/// nonzeros take, what is known of each cell, and the order of genes, if the
/// caller has one.
fn bound(tile: &[u8], nnz: usize, n_cells: usize, n_ordered: usize) -> usize {
    let field = |at: usize| {
        let bytes = tile.get(at..at + 4).map(|bytes| bytes.try_into().unwrap());
        bytes.map_or(0, |bytes| u32::from_le_bytes(bytes) as usize)
    };
    let raw = [36, 44]
        .map(field)
        .into_iter()
        .filter(|&raw| raw <= MAX_PART_LEN);
    let parts = tile.len() + raw.sum::<usize>();
    (1 << 16) + 64 * parts + 32 * nnz + 16 * n_cells + 8 * n_ordered
}

impl Default for Reader {
    fn default() -> Reader {
        Reader {
            decoders: Simd::all().into_iter().map(Decoder::with_simd).collect(),
            orders: HashMap::new(),
            whole: Output::default(),
            real: Output::default(),
        }
    }
}

impl Reader {
    /// Reads all that `tile` has. `Ok` if all of it can be read.
    pub fn check(&mut self, tile: &[u8]) -> TileResult<()> {
        let (parsed, block) = largest_block(|| Tile::parse(tile));
        assert!(block <= bound(tile, 0, 0, 0), "{block} bytes to parse it");
        let parsed = parsed?;
        let n_cells = parsed.n_cells();
        assert_eq!(
            parsed.chunks().last().map_or(0, |c| c.nonzeros.end),
            parsed.nnz()
        );
        let (starts, block) = largest_block(|| parsed.starts());
        assert!(
            block <= bound(tile, 0, n_cells, 0),
            "{block} bytes for {n_cells} cells"
        );
        if let Ok(starts) = &starts {
            assert_eq!(starts.len(), n_cells + 1);
            assert!(starts.is_sorted() && starts[n_cells] == parsed.nnz());
        }
        let mut result = starts.as_ref().map(|_| ()).map_err(TileError::clone);
        for (idx, chunk) in parsed.chunks().iter().enumerate() {
            if chunk.nonzeros.len() > MAX_NNZ {
                continue;
            }
            let starts = starts.as_ref().ok();
            let starts = starts.map(|starts| &starts[chunk.cells.start..=chunk.cells.end]);
            self.check_some_genes(Task {
                tile: &parsed,
                idx,
                bound: bound(tile, chunk.nonzeros.len(), chunk.cells.len(), 200),
            });
            let read = self.check_chunk(tile, &parsed, idx, starts);
            result = result.and(read);
        }
        result
    }

    fn check_chunk(
        &mut self,
        bytes: &[u8],
        tile: &Tile<&[u8]>,
        idx: usize,
        starts: Option<&[usize]>,
    ) -> TileResult<()> {
        let chunk = &tile.chunks()[idx];
        let (nnz, n_cells) = (chunk.nonzeros.len(), chunk.cells.len());
        let n_genes = tile.n_genes();
        let task = |n_ordered| Task {
            tile,
            idx,
            bound: bound(bytes, nnz, n_cells, n_ordered),
        };
        let plain = self.decode(task(0), None);
        if let (Ok(plain), Some(starts)) = (&plain, starts) {
            assert_rows(starts, &plain.0, n_genes);
            self.check_cells(task(0), starts, plain);
        }
        if n_genes > MAX_MAPPED_GENES {
            return plain.map(drop);
        }
        if self.orders.len() > MAX_ORDERS {
            self.orders.clear();
        }
        let order = self.orders.remove(&n_genes);
        let order =
            order.unwrap_or_else(|| GeneMap::new((0..n_genes).map(|gene| n_genes - 1 - gene)));
        let ordered = self.decode(task(n_genes as usize), Some(&order));
        self.orders.insert(n_genes, order);
        match (&plain, &ordered, starts) {
            (Ok(plain), Ok(ordered), Some(starts)) => {
                for bounds in starts.windows(2) {
                    let cell = bounds[0] - starts[0]..bounds[1] - starts[0];
                    let turned = plain.0[cell.clone()].iter().rev();
                    let turned = turned.map(|&gene| n_genes as i32 - 1 - gene);
                    assert!(turned.eq(ordered.0[cell.clone()].iter().copied()));
                    let counts = plain.1[cell.clone()].iter().rev();
                    assert!(counts.eq(&ordered.1[cell]));
                }
            }
            _ => assert_eq!(plain.as_ref().err(), ordered.as_ref().err()),
        }
        plain.map(drop)
    }

    /// Genes and counts, which are the same with all instructions and types.
    fn decode(
        &mut self,
        task: Task<'_>,
        order: Option<&GeneMap>,
    ) -> TileResult<(Vec<i32>, Vec<i32>)> {
        let mut first: Option<TileResult<(Vec<i32>, Vec<i32>)>> = None;
        for decoder in &mut self.decoders {
            let result = self.whole.decode(decoder, task, order, -7);
            let real = self.real.decode(decoder, task, order, -7.0);
            assert_eq!(result, real);
            let result = result.map(|()| {
                let (genes, counts) = self.whole.inner();
                let (real_genes, real) = self.real.inner();
                assert_eq!(genes, real_genes);
                let mut pairs = counts.iter().zip(real);
                assert!(pairs.all(|(&whole, &real)| whole > 0 && f64::from(whole) == real));
                (genes.to_vec(), counts.to_vec())
            });
            match &first {
                Some(first) => assert_eq!(*first, result),
                None => first = Some(result),
            }
        }
        first.expect("a machine has instructions")
    }

    /// Cell by cell a sound chunk has the same nonzeros. Some of its genes may
    /// be read though others are damaged.
    fn check_cells(&mut self, task: Task<'_>, starts: &[usize], all: &(Vec<i32>, Vec<i32>)) {
        let Task { tile, idx, bound } = task;
        let cell = |at: usize| {
            let range = starts[at] - starts[0]..starts[at + 1] - starts[0];
            all.0[range.clone()].iter().zip(&all.1[range])
        };
        for decoder in &mut self.decoders {
            let mut at = 0;
            let (result, block) = largest_block(|| {
                decoder.each_cell(tile, idx, |genes, counts| {
                    let mut nonzeros: Vec<_> = genes.iter().zip(counts).collect();
                    nonzeros.sort_unstable();
                    assert!(nonzeros.into_iter().eq(cell(at)));
                    at += 1;
                })
            });
            assert_eq!((result, at), (Ok(()), starts.len() - 1));
            assert!(
                block <= bound,
                "{block} bytes for cells, {bound} are allowed"
            );
        }
    }

    /// Some genes of a chunk that may be damaged: an error, or genes that were
    /// wanted.
    fn check_some_genes(&mut self, task: Task<'_>) {
        let Task { tile, idx, bound } = task;
        let n_genes = tile.n_genes();
        let some = [0, n_genes / 3, n_genes - 1];
        let many = (n_genes / 2..n_genes).step_by(3).take(40);
        for wanted in [GeneSet::new(some), GeneSet::new(many)] {
            let n_wanted = wanted.genes().len() as i32;
            let mut outcomes = Vec::new();
            for decoder in &mut self.decoders {
                let mut found = Vec::new();
                let share = decoder.share(tile, idx, &wanted);
                assert!((0.0..=1.0).contains(&share));
                let (result, block) = largest_block(|| {
                    decoder.each_cell_of(tile, idx, &wanted, |places, counts| {
                        assert!(places.iter().all(|place| (0..n_wanted).contains(place)));
                        assert!(counts.iter().all(|&count| count > 0));
                        found.push(places.len());
                    })
                });
                assert!(
                    block <= bound,
                    "{block} bytes for genes, {bound} are allowed"
                );
                outcomes.push((result.clone(), result.map(|()| found)));
            }
            assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]));
        }
    }
}

impl<C: Count + PartialEq + std::fmt::Debug> Output<C> {
    /// Decodes a chunk into the middle of the two vectors.
    fn decode(
        &mut self,
        decoder: &mut Decoder,
        task: Task<'_>,
        order: Option<&GeneMap>,
        mark: C,
    ) -> TileResult<()> {
        let Task { tile, idx, bound } = task;
        let end = GUARD + tile.chunks()[idx].nonzeros.len();
        let (genes, counts) = (&mut self.genes, &mut self.counts);
        genes.clear();
        genes.resize(end + GUARD, -7);
        counts.clear();
        counts.resize(end + GUARD, mark);
        let (inner_genes, inner_counts) = (&mut genes[GUARD..end], &mut counts[GUARD..end]);
        let (result, block) =
            largest_block(|| decoder.chunk_into(tile, idx, order, inner_genes, inner_counts));
        assert!(
            block <= bound,
            "{block} bytes for chunk {idx}, {bound} are allowed"
        );
        for outside in [0..GUARD, end..end + GUARD] {
            assert!(genes[outside.clone()].iter().all(|&gene| gene == -7));
            assert!(counts[outside].iter().all(|&count| count == mark));
        }
        result
    }

    fn inner(&self) -> (&[i32], &[C]) {
        let inner = GUARD..self.genes.len() - GUARD;
        (&self.genes[inner.clone()], &self.counts[inner])
    }
}

/// Genes ascend in each cell, and there are such.
fn assert_rows(starts: &[usize], genes: &[i32], n_genes: u32) {
    for bounds in starts.windows(2) {
        let cell = &genes[bounds[0] - starts[0]..bounds[1] - starts[0]];
        assert!(cell.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            cell.iter()
                .all(|&gene| (0..n_genes as i64).contains(&gene.into()))
        );
    }
}
