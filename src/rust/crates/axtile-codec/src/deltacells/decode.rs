//! Decoding of chunks, straight into the caller's slices.

use std::ops::{Deref, Range};

use zstd::zstd_safe::{self, DCtx};

use super::Tile;
use crate::error::{TileError, TileResult};
use crate::genes::{CellSorter, GeneMap};
use crate::kernels::{self, Count, PlaneSums};

/// What a thread needs to decode chunks one after the other: a zstd context,
/// the decompressed streams of the chunk in hand, and room for one cell.
pub struct Decoder {
    context: DCtx<'static>,
    gaps: Vec<u8>,
    counts: Vec<u8>,
    cell_genes: Vec<u16>,
    cell_counts: Vec<u16>,
    sorter: CellSorter,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new()
    }
}

impl Decoder {
    /// A decoder without any buffer yet.
    pub fn new() -> Decoder {
        Decoder {
            context: DCtx::create(),
            gaps: Vec::new(),
            counts: Vec::new(),
            cell_genes: Vec::new(),
            cell_counts: Vec::new(),
            sorter: CellSorter::default(),
        }
    }

    /// Genes (from 0) and counts of chunk `idx`, widened to what R's matrices
    /// hold. Genes are renumbered by `order`, if there is one, and ascend in
    /// each cell. The slices are as long as the chunk has nonzeros.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; the slices then hold anything.
    ///
    /// # Panics
    /// If the tile has no such chunk, a slice has another length, or `order` is
    /// of fewer genes than the tile's.
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
        if let Some(order) = order {
            return self.each_sorted(tile, idx, order, |range, sorter| {
                let mut out = genes[range.clone()].iter_mut().zip(&mut counts[range]);
                sorter.drain(|gene, count| {
                    if let Some((out_gene, out_count)) = out.next() {
                        *out_gene = gene as i32;
                        *out_count = C::from_u32(count);
                    }
                });
            });
        }
        self.decompress(tile, idx)?;
        let (low, high) = self.counts[..2 * n].split_at(n);
        kernels::widen_planes(low, high, counts);
        let (low, high) = self.gaps[..2 * n].split_at(n);
        for (cell, range) in cell_ranges(tile, idx) {
            let narrow = room(&mut self.cell_genes, range.len(), idx)?;
            let sums = kernels::sum_planes(&low[range.clone()], &high[range.clone()], narrow);
            check_sums(sums, tile, idx, cell)?;
            kernels::widen(narrow, &mut genes[range]);
        }
        Ok(())
    }

    /// Calls `each` for every cell of chunk `idx` in turn, with its nonzeros'
    /// range in the chunk, its genes (from 0, renumbered by `order`, ascending)
    /// and its counts.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; `each` may have been called by then.
    ///
    /// # Panics
    /// If the tile has no such chunk, or `order` is of fewer genes than the
    /// tile's.
    pub fn each_cell<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        order: Option<&GeneMap>,
        mut each: impl FnMut(Range<usize>, &[i32], &[i32]),
    ) -> TileResult<()> {
        let (mut genes, mut counts) = (Vec::new(), Vec::new());
        if let Some(order) = order {
            return self.each_sorted(tile, idx, order, |range, sorter| {
                genes.clear();
                counts.clear();
                sorter.drain(|gene, count| {
                    genes.push(gene as i32);
                    counts.push(count as i32);
                });
                each(range, &genes, &counts);
            });
        }
        self.each_stored(tile, idx, |range, stored_genes, stored_counts, _| {
            genes.clear();
            genes.extend(stored_genes.iter().map(|&gene| i32::from(gene)));
            counts.clear();
            counts.extend(stored_counts.iter().map(|&count| i32::from(count)));
            each(range, &genes, &counts);
        })
    }

    /// As [`Decoder::each_cell`]; the cell is in the sorter, to be drained.
    fn each_sorted<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        order: &GeneMap,
        mut each: impl FnMut(Range<usize>, &mut CellSorter),
    ) -> TileResult<()> {
        assert!(order.n_genes() >= tile.n_genes());
        self.sorter.fit(order.n_genes());
        self.each_stored(tile, idx, |range, genes, counts, sorter| {
            for (&gene, &count) in genes.iter().zip(counts) {
                sorter.insert(order.get(gene.into()), count.into());
            }
            each(range, sorter);
        })
    }

    /// Cells in stored order, with the sorter at hand.
    fn each_stored<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        mut each: impl FnMut(Range<usize>, &[u16], &[u16], &mut CellSorter),
    ) -> TileResult<()> {
        self.decompress(tile, idx)?;
        let n = tile.chunks()[idx].nonzeros.len();
        let (gaps_low, gaps_high) = self.gaps[..2 * n].split_at(n);
        let (low, high) = self.counts[..2 * n].split_at(n);
        for (cell, range) in cell_ranges(tile, idx) {
            let genes = room(&mut self.cell_genes, range.len(), idx)?;
            let sums =
                kernels::sum_planes(&gaps_low[range.clone()], &gaps_high[range.clone()], genes);
            check_sums(sums, tile, idx, cell)?;
            let counts = room(&mut self.cell_counts, range.len(), idx)?;
            kernels::merge_planes(&low[range.clone()], &high[range.clone()], counts);
            each(range, genes, counts, &mut self.sorter);
        }
        Ok(())
    }

    /// Fills `gaps` and `counts` with the two streams of a chunk, and refuses
    /// counts of 0. The buffers only grow; what lies behind the chunk's bytes
    /// is left from earlier ones.
    fn decompress<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
    ) -> TileResult<()> {
        let chunk = &tile.chunks()[idx];
        let n = chunk.nonzeros.len();
        let streams = [
            ("gaps", &mut self.gaps, &chunk.gaps),
            ("counts", &mut self.counts, &chunk.counts),
        ];
        for (name, buffer, range) in streams {
            let wrong = |problem: String| {
                TileError::corrupt(format!("chunk {idx}, {name} stream"), problem)
            };
            let written = self
                .context
                .decompress(room(buffer, 2 * n, idx)?, tile.stream(range))
                .map_err(|code| wrong(zstd_safe::get_error_name(code).into()))?;
            if written != 2 * n {
                return Err(wrong(format!("{written} bytes, expected {}", 2 * n)));
            }
        }
        let (low, high) = self.counts[..2 * n].split_at(n);
        if kernels::has_zero(low, high) {
            return Err(TileError::corrupt(
                format!("chunk {idx}, counts stream"),
                "a count of 0; zeros are never stored",
            ));
        }
        Ok(())
    }
}

/// The first `len` elements of a buffer that grows as needed.
fn room<T: Copy + Default>(buffer: &mut Vec<T>, len: usize, idx: usize) -> TileResult<&mut [T]> {
    if let Some(more) = len.checked_sub(buffer.len()) {
        buffer
            .try_reserve_exact(more)
            .map_err(|_| TileError::Memory {
                place: format!("chunk {idx}"),
                n_bytes: len.saturating_mul(size_of::<T>()),
            })?;
        buffer.resize(len, T::default());
    }
    Ok(&mut buffer[..len])
}

/// The cells of a chunk with their nonzeros counted from the chunk's first.
fn cell_ranges<B: Deref<Target = [u8]>>(
    tile: &Tile<B>,
    idx: usize,
) -> impl Iterator<Item = (usize, Range<usize>)> {
    let chunk = &tile.chunks()[idx];
    let first = chunk.nonzeros.start;
    let starts = &tile.starts()[chunk.cells.start..=chunk.cells.end];
    chunk
        .cells
        .clone()
        .zip(starts.windows(2))
        .map(move |(cell, bounds)| (cell, bounds[0] - first..bounds[1] - first))
}

fn check_sums<B: Deref<Target = [u8]>>(
    sums: PlaneSums,
    tile: &Tile<B>,
    idx: usize,
    cell: usize,
) -> TileResult<()> {
    let wrong = |problem: String| {
        Err(TileError::corrupt(
            format!("chunk {idx}, gaps stream, cell {cell}"),
            problem,
        ))
    };
    if sums.has_zero_gap {
        return wrong("a gene comes twice; genes must ascend".into());
    }
    if sums.end > tile.n_genes() as u64 {
        return wrong(format!("a gene beyond the {} genes", tile.n_genes()));
    }
    Ok(())
}
