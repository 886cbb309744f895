//! Reads a tile by every function that there is, and looks whether what was
//! promised of them holds for it.

use axtile_codec::floats::{Decoder, Tile};
use axtile_codec::integers;
use axtile_codec::{GeneMap, TileResult};

use crate::memory::largest_block;
use crate::packed::{assert_genes, bound, reverse};

/// Elements on both sides of a slice that must stay as they are.
const GUARD: usize = 80;
/// Chunks with more values are left out.
const MAX_NNZ: usize = 1 << 18;
/// Orders for more genes are not tried.
const MAX_MAPPED_GENES: u32 = 1 << 13;
/// What no value of a tile is likely to be.
const MARK: f64 = f64::from_bits(0xfff8_0bad_c0de_0bad);

/// The same decoder for all tiles, so that what an earlier one left is found.
#[derive(Default)]
pub struct Reader {
    decoder: Decoder,
    ranks: integers::Decoder,
}

/// Genes, and the bits of values: NaN is like itself.
type Values = (Vec<i32>, Vec<u64>);

/// A grid tile takes more than a packed one for its index.
fn bound_of(tile: &[u8], nnz: usize, n_cells: usize, n_ordered: usize) -> usize {
    // The index and the model of an inner tile are compressed.
    let raw = tile.windows(8).filter(|bytes| bytes == b"AXTILE.T").count();
    bound(tile, nnz, n_cells, n_ordered) + if raw > 1 { 1 << 22 } else { 0 }
}

impl Reader {
    pub fn check(&mut self, bytes: &[u8]) -> TileResult<()> {
        let (parsed, block) = largest_block(|| Tile::parse(bytes));
        assert!(
            block <= bound_of(bytes, 0, 0, 0),
            "{block} bytes to parse it"
        );
        let tile = parsed?;
        let n_cells = tile.n_cells();
        let (starts, block) = largest_block(|| tile.starts().map(<[usize]>::to_vec));
        assert!(
            block <= bound_of(bytes, 0, n_cells, 0),
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
            let starts = starts.as_ref().ok();
            let starts = starts.map(|starts| &starts[chunk.cells.start..=chunk.cells.end]);
            if let Ok(values) = &plain {
                let starts = starts.expect("values need starts");
                assert_genes(starts, &values.0, tile.n_genes());
                let holds = |&bits: &u64| tile.width().holds(f64::from_bits(bits));
                assert!(values.1.iter().all(holds));
                self.check_ranks(&tile, idx, starts, values);
            }
            if let Some(order) = &order {
                let ordered = self.read(&tile, idx, Some(order));
                match (&plain, &ordered, starts) {
                    (Ok(plain), Ok(ordered), Some(starts)) => {
                        assert_turned(starts, plain, ordered, tile.n_genes());
                    }
                    _ => assert_eq!(plain.as_ref().err(), ordered.as_ref().err()),
                }
            }
            result = result.and(plain.map(drop));
        }
        result
    }

    /// A chunk, also by a decoder that has read nothing yet.
    fn read(
        &mut self,
        tile: &Tile<&[u8]>,
        idx: usize,
        order: Option<&GeneMap>,
    ) -> TileResult<Values> {
        let values = decode(&mut self.decoder, tile, idx, order);
        assert_eq!(values, decode(&mut Decoder::new(), tile, idx, order));
        values
    }

    /// Equal ranks of a cell have equal values, unless all ranks are 1: then
    /// values may be stored one by one.
    fn check_ranks(&mut self, tile: &Tile<&[u8]>, idx: usize, starts: &[usize], all: &Values) {
        let bytes: &[u8] = tile.owner();
        let inner_len = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
        let inner_at = 64 + u32::from_le_bytes(bytes[32..36].try_into().unwrap()) as usize;
        let inner = integers::Tile::parse(&bytes[inner_at..inner_at + inner_len]).unwrap();
        let mut genes = vec![-7; all.0.len()];
        let mut ranks = vec![-7i32; all.0.len()];
        self.ranks
            .chunk_into(&inner, idx, None, &mut genes, &mut ranks)
            .unwrap();
        assert_eq!(genes, all.0);
        for bounds in starts.windows(2) {
            let cell = bounds[0] - starts[0]..bounds[1] - starts[0];
            let ranks = &ranks[cell.clone()];
            if ranks.iter().all(|&rank| rank == 1) {
                continue;
            }
            let mut pairs: Vec<_> = ranks.iter().zip(&all.1[cell]).collect();
            pairs.sort_unstable();
            let differ = |pair: &[(&i32, &u64)]| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1;
            assert!(!pairs.windows(2).any(differ));
        }
    }
}

/// Decodes a chunk into the middle of two vectors.
fn decode(
    decoder: &mut Decoder,
    tile: &Tile<&[u8]>,
    idx: usize,
    order: Option<&GeneMap>,
) -> TileResult<Values> {
    let chunk = &tile.chunks()[idx];
    let n = chunk.nonzeros.len();
    let inner = GUARD..GUARD + n;
    let mut genes = vec![-7; n + 2 * GUARD];
    let mut values = vec![MARK; n + 2 * GUARD];
    let (result, block) = largest_block(|| {
        let (genes, values) = (&mut genes[inner.clone()], &mut values[inner.clone()]);
        decoder.chunk_into(tile, idx, order, genes, values)
    });
    // Starts are those of all cells.
    let n_ordered = order.map_or(0, GeneMap::n_genes);
    let bound = bound_of(tile.owner(), n, tile.n_cells(), n_ordered);
    assert!(
        block <= bound,
        "{block} bytes for chunk {idx}, {bound} are allowed"
    );
    for outside in [0..GUARD, GUARD + n..n + 2 * GUARD] {
        assert!(genes[outside.clone()].iter().all(|&gene| gene == -7));
        let marks = values[outside].iter().map(|value| value.to_bits());
        assert!(marks.eq([MARK.to_bits(); GUARD]));
    }
    let bits = values[inner.clone()].iter().map(|value| value.to_bits());
    result.map(|()| (genes[inner].to_vec(), bits.collect()))
}

/// That every cell of one has the other's values in the opposite order.
fn assert_turned(starts: &[usize], plain: &Values, ordered: &Values, n_genes: u32) {
    for bounds in starts.windows(2) {
        let cell = bounds[0] - starts[0]..bounds[1] - starts[0];
        let genes = plain.0[cell.clone()].iter().rev();
        let turned = genes.map(|&gene| n_genes as i32 - 1 - gene);
        assert!(turned.eq(ordered.0[cell.clone()].iter().copied()));
        let values = plain.1[cell.clone()].iter().rev();
        assert!(values.eq(&ordered.1[cell]));
    }
}
