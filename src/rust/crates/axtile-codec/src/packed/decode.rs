//! Decoding of chunks, straight into the caller's slices.

use std::ops::{Deref, Range};

use super::classes::{Depth, Hand};
use super::{NONZEROS, Tile};
use crate::error::{TileError, TileResult};
use crate::genes::GeneMap;
use crate::grid::MAX_COUNT;
use crate::kernels::{Count, RowSorter};
use crate::streams::room;
use crate::wire::Cursor;

/// What a thread needs to decode chunks one after the other.
#[derive(Debug, Default)]
pub struct Decoder {
    totals: Vec<u32>,
    planes: Vec<u8>,
    gaps: Hand,
    counts: Hand,
    sorter: RowSorter,
    stored: Buffers,
    cell: Buffers,
}

/// Room for one cell.
#[derive(Debug, Default)]
struct Buffers {
    genes: Vec<i32>,
    counts: Vec<i32>,
}

impl Decoder {
    /// A decoder without any buffer yet.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Genes (from 0) and counts of chunk `idx`, ascending in each cell. Genes
    /// are numbered as in the tile, or by `order`.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; the slices then hold anything.
    ///
    /// # Panics
    /// If the tile has no such chunk, a slice is not as long as the chunk has
    /// nonzeros, or `order` is for another number of genes.
    pub fn chunk_into<B: Deref<Target = [u8]>, C: Count>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        order: Option<&GeneMap>,
        genes: &mut [i32],
        counts: &mut [C],
    ) -> TileResult<()> {
        let n = tile.chunks()[idx].nonzeros.len();
        assert_eq!((genes.len(), counts.len()), (n, n));
        self.prepare(tile, idx, order)?;
        let mut start = 0;
        for cell in 0..tile.chunks()[idx].cells.len() {
            let end = start + self.totals[cell] as usize;
            let (genes, counts) = (&mut genes[start..end], &mut counts[start..end]);
            self.read(tile, idx, cell, order, genes, counts)?;
            start = end;
        }
        Ok(())
    }

    /// Calls `each` for every cell of chunk `idx` in turn, with its nonzeros'
    /// range in the chunk, its genes, ascending, and its counts. Genes are
    /// numbered as in the tile, or by `order`.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; `each` may have been called by then.
    ///
    /// # Panics
    /// If the tile has no such chunk, or `order` is for another number of genes.
    pub fn each_cell<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        order: Option<&GeneMap>,
        mut each: impl FnMut(Range<usize>, &[i32], &[i32]),
    ) -> TileResult<()> {
        self.prepare(tile, idx, order)?;
        let place = format!("chunk {idx}");
        let mut buffers = std::mem::take(&mut self.cell);
        let mut start = 0;
        for cell in 0..tile.chunks()[idx].cells.len() {
            let range = start..start + self.totals[cell] as usize;
            let genes = room(&mut buffers.genes, range.len(), &place)?;
            let counts = room(&mut buffers.counts, range.len(), &place)?;
            self.read(tile, idx, cell, order, genes, counts)?;
            start = range.end;
            each(range, genes, counts);
        }
        self.cell = buffers;
        Ok(())
    }

    fn prepare<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        order: Option<&GeneMap>,
    ) -> TileResult<()> {
        if let Some(order) = order {
            assert_eq!(order.n_genes(), tile.n_genes() as usize);
        }
        tile.totals(idx, &mut self.totals, &mut self.planes)?;
        let n = tile.chunks()[idx].nonzeros.len();
        let place = format!("chunk {idx}, nonzeros");
        let mut cursor = Cursor::new(tile.section(idx, NONZEROS, &place)?, &place);
        self.gaps.read(&mut cursor, n, &place)?;
        self.counts.read(&mut cursor, n, &place)?;
        cursor.finish()
    }

    /// One cell; the slices are as long as its total.
    fn read<B: Deref<Target = [u8]>, C: Count>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        cell: usize,
        order: Option<&GeneMap>,
        genes: &mut [i32],
        counts: &mut [C],
    ) -> TileResult<()> {
        let wrong = || {
            TileError::corrupt(
                format!("chunk {idx}, cell {cell} of the chunk"),
                "a gene or count that is out of range, or none",
            )
        };
        let n_genes = tile.n_genes();
        let Some(order) = order else {
            return take(&mut self.gaps, &mut self.counts, n_genes, genes, counts)
                .ok_or_else(wrong);
        };
        let place = format!("chunk {idx}");
        let stored_genes = room(&mut self.stored.genes, genes.len(), &place)?;
        let stored_counts = room(&mut self.stored.counts, genes.len(), &place)?;
        take(
            &mut self.gaps,
            &mut self.counts,
            n_genes,
            stored_genes,
            stored_counts,
        )
        .ok_or_else(wrong)?;
        self.sorter
            .sort(order.numbers(), stored_genes, stored_counts, genes, counts);
        Ok(())
    }
}

/// Takes one cell's nonzeros from the streams; `None` if there are not enough,
/// or one is out of range.
#[inline]
fn take<C: Count>(
    gap_streams: &mut Hand,
    count_streams: &mut Hand,
    n_genes: u32,
    genes: &mut [i32],
    counts: &mut [C],
) -> Option<()> {
    let depth = Depth::new(genes.len());
    let (mut next, mut class) = (0u32, depth.class(0));
    for (out_gene, out_count) in genes.iter_mut().zip(counts) {
        let gene = next.checked_add(gap_streams.take(class)?)?;
        if gene >= n_genes {
            return None;
        }
        class = depth.class(gene);
        let count = count_streams.take(class)?;
        if count == 0 || count > MAX_COUNT {
            return None;
        }
        *out_gene = gene as i32;
        *out_count = C::from_u32(count);
        next = gene + 1;
    }
    Some(())
}
