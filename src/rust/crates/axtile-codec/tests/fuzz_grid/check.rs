//! Reads a tile by every function that there is, and looks whether what was
//! promised of them holds for it.

use std::collections::HashMap;

use axtile_codec::grid::{Decoder, MAX_PART_LEN, Tile};
use axtile_codec::kernels::Count;
use axtile_codec::{GeneMap, TileError, TileResult};

use crate::memory::largest_block;

/// Elements on both sides of a slice that must stay as they are.
const GUARD: usize = 80;
/// Chunks with more nonzeros are left out: others look for them in the tile.
const MAX_NNZ: usize = 1 << 18;
/// Orders for more genes are not tried.
const MAX_MAPPED_GENES: u32 = 1 << 17;
/// Orders that are kept.
const MAX_ORDERS: usize = 64;

/// One decoder for all tiles, so that what an earlier one left is found.
#[derive(Default)]
pub struct Reader {
    decoder: Decoder,
    orders: HashMap<u32, GeneMap>,
    genes: Vec<i32>,
    whole: Vec<i32>,
    real: Vec<f64>,
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
            let read = self.check_chunk(tile, &parsed, idx, starts);
            result = result.and(read);
        }
        result
    }

    fn check_chunk(
        &mut self,
        tile: &[u8],
        parsed: &Tile<&[u8]>,
        idx: usize,
        starts: Option<&[usize]>,
    ) -> TileResult<()> {
        let chunk = &parsed.chunks()[idx];
        let (nnz, n_cells) = (chunk.nonzeros.len(), chunk.cells.len());
        let n_genes = parsed.n_genes();
        let decoder = &mut self.decoder;
        let genes = &mut self.genes;
        let whole = &mut self.whole;
        let real = &mut self.real;
        let mut decode = |order: Option<&GeneMap>, genes: &mut Vec<i32>| {
            let bound = bound(tile, nnz, n_cells, order.map_or(0, GeneMap::n_genes));
            let a = guarded(decoder, parsed, idx, order, genes, whole, -7, bound);
            let b = guarded(decoder, parsed, idx, order, genes, real, -7.0, bound);
            assert_eq!(a, b);
            if a.is_ok() {
                let pairs = whole[GUARD..].iter().zip(&real[GUARD..]).take(nnz);
                for (&whole, &real) in pairs {
                    assert!(whole > 0 && f64::from(whole) == real);
                }
            }
            a
        };
        let read = decode(None, genes);
        let plain = genes[GUARD..GUARD + nnz].to_vec();
        if let (Ok(()), Some(starts)) = (&read, starts) {
            assert_rows(starts, &plain, n_genes);
        }
        if n_genes > MAX_MAPPED_GENES {
            return read;
        }
        if self.orders.len() > MAX_ORDERS {
            self.orders.clear();
        }
        let order = self
            .orders
            .entry(n_genes)
            .or_insert_with(|| GeneMap::new((0..n_genes).map(|gene| n_genes - 1 - gene)));
        let ordered = decode(Some(order), genes);
        assert_eq!(read, ordered);
        if let (Ok(()), Some(starts)) = (&read, starts) {
            let ordered = &genes[GUARD..GUARD + nnz];
            for bounds in starts.windows(2) {
                let cell = bounds[0] - starts[0]..bounds[1] - starts[0];
                let turned = plain[cell.clone()].iter().rev();
                let turned = turned.map(|&gene| n_genes as i32 - 1 - gene);
                assert!(turned.eq(ordered[cell].iter().copied()));
            }
        }
        read
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

/// Decodes a chunk into the middle of two vectors.
#[expect(
    clippy::too_many_arguments,
    reason = "those of the function, and three more"
)]
fn guarded<C: Count + PartialEq + std::fmt::Debug>(
    decoder: &mut Decoder,
    tile: &Tile<&[u8]>,
    idx: usize,
    order: Option<&GeneMap>,
    genes: &mut Vec<i32>,
    counts: &mut Vec<C>,
    mark: C,
    bound: usize,
) -> TileResult<()> {
    let end = GUARD + tile.chunks()[idx].nonzeros.len();
    genes.clear();
    genes.resize(end + GUARD, -7);
    counts.clear();
    counts.resize(end + GUARD, mark);
    let (inner_genes, inner_counts) = (&mut genes[GUARD..end], &mut counts[GUARD..end]);
    let (result, block) =
        largest_block(|| decoder.chunk_into(tile, idx, order, inner_genes, inner_counts));
    assert!(
        block <= bound,
        "{block} bytes for chunk {idx}, at most {bound} are allowed"
    );
    for outside in [0..GUARD, end..end + GUARD] {
        assert!(genes[outside.clone()].iter().all(|&gene| gene == -7));
        assert!(counts[outside].iter().all(|&count| count == mark));
    }
    result
}
