//! Reads a tile by every function that there is, and looks whether what was
//! promised of them holds for it.

use axtile_codec::kernels::Count;
use axtile_codec::packed::{Decoder, Tile};
use axtile_codec::{GeneMap, TileResult};

use crate::memory::largest_block;

/// Elements on both sides of a slice that must stay as they are.
const GUARD: usize = 80;
/// Chunks with more nonzeros are left out.
const MAX_NNZ: usize = 1 << 18;
/// Orders for more genes are not tried.
const MAX_MAPPED_GENES: u32 = 1 << 13;

/// The same decoder for all tiles, so that what an earlier one left is found.
#[derive(Default)]
pub struct Reader {
    decoder: Decoder,
}

/// What is allowed to a function in one block, in bytes: a constant for the
/// tables of compressors, the index in memory, and what nonzeros and cells take.
pub fn bound(tile: &[u8], nnz: usize, n_cells: usize, n_ordered: usize) -> usize {
    (1 << 20) + 64 * tile.len() + 48 * nnz + 32 * n_cells + 8 * n_ordered
}

/// Genes as they come out of a tile, and as `order` numbers them.
pub fn reverse(n_genes: u32) -> GeneMap {
    GeneMap::new((0..n_genes).rev())
}

/// That genes ascend in each cell, and there are such.
pub fn assert_genes(starts: &[usize], genes: &[i32], n_genes: u32) {
    for bounds in starts.windows(2) {
        let cell = &genes[bounds[0] - starts[0]..bounds[1] - starts[0]];
        assert!(cell.windows(2).all(|pair| pair[0] < pair[1]));
        let last = cell.last().map_or(0, |&gene| i64::from(gene));
        assert!(cell.first().is_none_or(|&gene| gene >= 0) && last < n_genes.into());
    }
}

impl Reader {
    pub fn check(&mut self, bytes: &[u8]) -> TileResult<()> {
        let (parsed, block) = largest_block(|| Tile::parse(bytes));
        assert!(block <= bound(bytes, 0, 0, 0), "{block} bytes to parse it");
        let tile = parsed?;
        let n_cells = tile.n_cells();
        let (starts, block) = largest_block(|| tile.starts());
        assert!(
            block <= bound(bytes, 0, n_cells, 0),
            "{block} bytes for {n_cells} cells"
        );
        if let Ok(starts) = &starts {
            assert_eq!(starts.len(), n_cells + 1);
            assert!(starts.is_sorted() && starts[n_cells] == tile.nnz());
        }
        let order = (tile.n_genes() <= MAX_MAPPED_GENES).then(|| reverse(tile.n_genes()));
        let mut result = starts.as_ref().map(|_| ()).map_err(Clone::clone);
        for (idx, chunk) in tile.chunks().iter().enumerate() {
            if chunk.nonzeros.len() > MAX_NNZ {
                continue;
            }
            let plain = self.read(&tile, idx, None);
            if let Ok((genes, _)) = &plain {
                // What can be decoded has starts of its own, whatever others do.
                if let Ok(starts) = &starts {
                    let starts = &starts[chunk.cells.start..=chunk.cells.end];
                    assert_genes(starts, genes, tile.n_genes());
                }
            }
            if let Some(order) = &order {
                let ordered = self.read(&tile, idx, Some(order));
                match (&plain, &ordered, &starts) {
                    (Ok(plain), Ok(ordered), Ok(starts)) => {
                        let starts = &starts[chunk.cells.start..=chunk.cells.end];
                        assert_turned(starts, plain, ordered, tile.n_genes());
                    }
                    _ => assert_eq!(plain.as_ref().err(), ordered.as_ref().err()),
                }
            }
            result = result.and(plain.map(drop));
        }
        result
    }

    /// A chunk by all functions, and by a decoder that has read nothing yet.
    fn read(
        &mut self,
        tile: &Tile<&[u8]>,
        idx: usize,
        order: Option<&GeneMap>,
    ) -> TileResult<(Vec<i32>, Vec<i32>)> {
        let whole = decode(&mut self.decoder, tile, idx, order, -7i32);
        let real = decode(&mut self.decoder, tile, idx, order, -7.0f64);
        let fresh = decode(&mut Decoder::new(), tile, idx, order, -7i32);
        assert_eq!(whole, fresh);
        let mut cells = (Vec::new(), Vec::new());
        let (result, block) = largest_block(|| {
            self.decoder
                .each_cell(tile, idx, order, |range, genes, counts| {
                    assert_eq!([genes.len(), counts.len()], [range.len(); 2]);
                    assert_eq!(range.start, cells.0.len());
                    cells.0.extend_from_slice(genes);
                    cells.1.extend_from_slice(counts);
                })
        });
        let chunk = &tile.chunks()[idx];
        let n_ordered = order.map_or(0, GeneMap::n_genes);
        let bound = bound(
            tile.owner(),
            chunk.nonzeros.len(),
            chunk.cells.len(),
            n_ordered,
        );
        assert!(
            block <= bound,
            "{block} bytes for cells, {bound} are allowed"
        );
        let by_cell = result.map(|()| cells);
        assert_eq!(whole, by_cell);
        match (&whole, real) {
            (Ok((genes, counts)), Ok((real_genes, real))) => {
                assert_eq!(genes, &real_genes);
                let mut pairs = counts.iter().zip(real);
                assert!(pairs.all(|(&whole, real)| whole > 0 && f64::from(whole) == real));
            }
            (whole, real) => assert_eq!(whole.as_ref().err(), real.as_ref().err()),
        }
        whole
    }
}

/// Decodes a chunk into the middle of two vectors.
fn decode<C: Count + PartialEq + std::fmt::Debug>(
    decoder: &mut Decoder,
    tile: &Tile<&[u8]>,
    idx: usize,
    order: Option<&GeneMap>,
    mark: C,
) -> TileResult<(Vec<i32>, Vec<C>)> {
    let chunk = &tile.chunks()[idx];
    let n = chunk.nonzeros.len();
    let inner = GUARD..GUARD + n;
    let mut genes = vec![-7; n + 2 * GUARD];
    let mut counts = vec![mark; n + 2 * GUARD];
    let (result, block) = largest_block(|| {
        let (genes, counts) = (&mut genes[inner.clone()], &mut counts[inner.clone()]);
        decoder.chunk_into(tile, idx, order, genes, counts)
    });
    let n_ordered = order.map_or(0, GeneMap::n_genes);
    let bound = bound(tile.owner(), n, chunk.cells.len(), n_ordered);
    assert!(
        block <= bound,
        "{block} bytes for chunk {idx}, {bound} are allowed"
    );
    for outside in [0..GUARD, GUARD + n..n + 2 * GUARD] {
        assert!(genes[outside.clone()].iter().all(|&gene| gene == -7));
        assert!(counts[outside].iter().all(|&count| count == mark));
    }
    result.map(|()| (genes[inner.clone()].to_vec(), counts[inner].to_vec()))
}

/// That every cell of one has the other's nonzeros in the opposite order.
fn assert_turned(
    starts: &[usize],
    plain: &(Vec<i32>, Vec<i32>),
    ordered: &(Vec<i32>, Vec<i32>),
    n_genes: u32,
) {
    for bounds in starts.windows(2) {
        let cell = bounds[0] - starts[0]..bounds[1] - starts[0];
        let genes = plain.0[cell.clone()].iter().rev();
        let turned = genes.map(|&gene| n_genes as i32 - 1 - gene);
        assert!(turned.eq(ordered.0[cell.clone()].iter().copied()));
        let counts = plain.1[cell.clone()].iter().rev();
        assert!(counts.eq(&ordered.1[cell]));
    }
}
