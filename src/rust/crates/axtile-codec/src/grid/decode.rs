//! Decoding of chunks, straight into the caller's slices.

use std::ops::Deref;

use super::block::Block;
use super::cell_counts::CellCounts;
use super::genes::Targets;
use super::huffman::DecodeTable;
use super::layout::Tile;
use super::maps::Maps;
use super::model::Model;
use crate::error::{TileError, TileResult};
use crate::genes::GeneMap;
use crate::kernels::{
    BlockView, Count, READ_AHEAD, RowSorter, Simd, decode_symbols, prefetch, split, write_segment,
};
use crate::wire::Cursor;

/// What a thread needs to decode chunks one after the other: the code tables of
/// the tile in hand and room for a chunk's symbols and one cell.
#[derive(Debug, Default)]
pub struct Decoder {
    tables: Tables,
    pub(super) counts: CellCounts,
    /// One for each bucket of the chunk in hand.
    pub(super) blocks: Vec<Block>,
    pub(super) symbols: Vec<u8>,
    pub(super) maps: Maps,
    pub(super) targets: Targets,
    pub(super) scratch: Scratch,
}

/// Room for one cell.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) simd: Simd,
    pub(super) nonzeros: Nonzeros,
    sorter: RowSorter,
}

/// Room for the positions and counts of a cell's nonzeros.
#[derive(Debug, Default)]
pub(super) struct Nonzeros {
    positions: Vec<i32>,
    values: Vec<i32>,
}

/// Code tables of the tile that was decoded last, made when first needed.
#[derive(Debug, Default)]
struct Tables {
    tile: Option<u64>,
    /// For each bucket, for each table.
    tables: Vec<Vec<Option<DecodeTable>>>,
}

impl Decoder {
    /// A decoder without any buffer yet.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// A decoder with other vector instructions than the machine's best: for
    /// tests and benchmarks.
    #[doc(hidden)]
    pub fn with_simd(simd: Simd) -> Decoder {
        let mut decoder = Decoder::new();
        decoder.scratch.simd = simd;
        decoder.scratch.sorter = RowSorter::new(simd);
        decoder
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
        self.prepare_all(tile, idx, order)?;
        let cells = Cells::new(
            tile,
            idx,
            &self.counts,
            &self.maps,
            &self.blocks,
            &self.symbols,
        );
        for cell in 0..tile.chunks()[idx].cells.len() {
            // From the cell's first nonzero on: vector loops write ahead.
            let start = self.counts.starts[cell];
            let (genes, counts) = (&mut genes[start..], &mut counts[start..]);
            cells.read(cell, &mut self.scratch, genes, counts)?;
        }
        Ok(())
    }

    /// Decodes the symbols of a chunk and readies the numbers of genes.
    pub(super) fn prepare_all<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        order: Option<&GeneMap>,
    ) -> TileResult<()> {
        if let Some(order) = order {
            assert_eq!(order.n_genes(), tile.n_genes() as usize);
        }
        self.maps.settle(tile, order);
        self.prepare(tile, idx, 0..tile.model.buckets.len())
    }

    /// Decodes the cells' counts and the symbols of some buckets of a chunk;
    /// `buckets` ascend.
    pub(super) fn prepare<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        buckets: impl DoubleEndedIterator<Item = usize> + Clone,
    ) -> TileResult<()> {
        let chunk = &tile.chunks()[idx];
        let place = format!("chunk {idx}, counts");
        let bytes = tile.section(&chunk.counts, &place)?;
        let (n_cells, nnz) = (chunk.cells.len(), chunk.nonzeros.len());
        let n_wanted = buckets.clone().next_back().map_or(0, |last| last + 1);
        self.counts
            .decode(&tile.model, bytes, n_cells, nnz, n_wanted, &place)?;
        self.tables.settle(tile);
        // The kernels read ahead.
        room(&mut self.symbols, nnz + READ_AHEAD, idx)?;
        self.blocks
            .resize_with(tile.model.buckets.len(), Block::default);
        let mut first = 0;
        for bucket in buckets {
            first = self.decode_block(tile, idx, bucket, first)?;
        }
        Ok(())
    }

    /// Decodes the symbols of one bucket; the first is number `first` of the
    /// chunk. Returns the number behind the last.
    fn decode_block<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        bucket: usize,
        first: usize,
    ) -> TileResult<usize> {
        let place = format!("chunk {idx}, bucket {bucket}");
        let wrong = |problem: &str| TileError::corrupt(place.as_str(), problem);
        let section = &tile.chunks()[idx].blocks[bucket];
        let bytes = tile.section(section, &place)?;
        let model = &tile.model.buckets[bucket];
        let block = &mut self.blocks[bucket];
        let runs = block.deal(model, &self.counts, bucket, tile.model.buckets.len());
        let n = runs.last().map_or(0, |run| run.end);
        let symbols = &mut self.symbols[first..first + n];
        block.symbols = first..first + n;
        block.raw = section.bytes.start;
        if n == 0 {
            block.escapes.find(&[], 0, |_| (0, 0));
            if bytes.is_empty() {
                return Ok(first);
            }
            return Err(wrong("bytes, but no nonzeros"));
        }

        // Lengths of the streams, the streams, raw bits, escapes.
        let mut cursor = Cursor::new(bytes, &place);
        let mut lengths = Vec::with_capacity(4 * runs.len());
        for (table, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
            match self.tables.get(tile, bucket, table)? {
                DecodeTable::Empty => return Err(wrong("nonzeros whose table has no symbol")),
                DecodeTable::Constant(_) => {}
                DecodeTable::Table(_) => {
                    for _ in 0..split(run.len()).1 {
                        lengths
                            .push(cursor.number("stream length", 0, bytes.len() as u64)? as usize);
                    }
                }
            }
        }
        let mut at = section.bytes.end - cursor.rest().len();
        let mut lengths = lengths.into_iter();
        for (table, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
            let out = &mut symbols[run.clone()];
            match self.tables.get(tile, bucket, table)? {
                DecodeTable::Empty => {}
                DecodeTable::Constant(symbol) => out.fill(*symbol),
                DecodeTable::Table(lookup) => {
                    prefetch(lookup);
                    let n_streams = split(run.len()).1;
                    let mut streams = [const { 0..0 }; 4];
                    for (stream, len) in streams.iter_mut().zip(lengths.by_ref().take(n_streams)) {
                        *stream = at..at + len;
                        at += len;
                    }
                    if at > section.bytes.end
                        || !decode_symbols(
                            self.scratch.simd,
                            lookup,
                            tile.bytes(),
                            &streams[..n_streams],
                            out,
                        )
                    {
                        return Err(wrong("a stream that does not hold its symbols"));
                    }
                }
            }
        }
        block.raw = at;
        let raw_len = (n * model.dictionary.raw_bits()).div_ceil(8);
        let Some(escapes) = tile.bytes()[..section.bytes.end].get(at + raw_len..) else {
            return Err(wrong("it ends within the raw bits"));
        };
        block.read_escapes(model, symbols, escapes, &place)?;
        Ok(first + n)
    }
}

/// The cells of a chunk whose symbols are decoded.
pub(super) struct Cells<'a> {
    idx: usize,
    model: &'a Model,
    counts: &'a CellCounts,
    maps: &'a Maps,
    views: Vec<BlockView<'a>>,
    blocks: &'a [Block],
}

impl<'a> Cells<'a> {
    pub(super) fn new<B: Deref<Target = [u8]>>(
        tile: &'a Tile<B>,
        idx: usize,
        counts: &'a CellCounts,
        maps: &'a Maps,
        blocks: &'a [Block],
        symbols: &'a [u8],
    ) -> Cells<'a> {
        let views = blocks
            .iter()
            .zip(&tile.model.buckets)
            .map(|(block, bucket)| block.view(tile, bucket, symbols))
            .collect();
        Cells {
            idx,
            model: &tile.model,
            counts,
            maps,
            views,
            blocks,
        }
    }

    /// The nonzeros of one cell, at the start of the slices; what lies behind
    /// them may be overwritten.
    fn read<C: Count>(
        &self,
        cell: usize,
        scratch: &mut Scratch,
        genes: &mut [i32],
        counts: &mut [C],
    ) -> TileResult<()> {
        let n = self.counts.starts[cell + 1] - self.counts.starts[cell];
        let map = &self.maps.clusters[usize::from(self.counts.clusters[cell])];
        if map.is_empty() {
            return self.read_positions(cell, scratch.simd, genes, counts);
        }
        let (positions, values) = scratch.nonzeros.room(n);
        self.read_positions(cell, scratch.simd, positions, values)?;
        // Positions ascend.
        let n_mapped = positions[..n].partition_point(|&position| (position as usize) < map.len());
        for (at, count) in counts[..n].iter_mut().enumerate().skip(n_mapped) {
            genes[at] = positions[at];
            *count = C::from_u32(values[at] as u32);
        }
        let (positions, values) = (&positions[..n_mapped], &values[..n_mapped]);
        let (genes, counts) = (&mut genes[..n_mapped], &mut counts[..n_mapped]);
        scratch.sorter.sort(map, positions, values, genes, counts);
        Ok(())
    }

    /// As [`Cells::read`], but with positions in the order of the cell's cluster
    /// in place of genes.
    pub(super) fn read_positions<C: Count>(
        &self,
        cell: usize,
        simd: Simd,
        positions: &mut [i32],
        counts: &mut [C],
    ) -> TileResult<()> {
        let n_buckets = self.views.len();
        let row = &self.counts.counts[cell * n_buckets..(cell + 1) * n_buckets];
        let bounds = &self.model.clusters[usize::from(self.counts.clusters[cell])].bounds;
        let mut at = 0;
        for (bucket, (&n, block)) in row.iter().zip(&self.views).enumerate() {
            if n == 0 {
                continue;
            }
            let (start, end) = (bounds[bucket], bounds[bucket + 1]);
            let segment = self.blocks[bucket].segment(block, cell, n, end - start);
            let (positions, counts) = (&mut positions[at..], &mut counts[at..]);
            if !write_segment(simd, &segment, start, positions, counts) {
                return Err(wrong_segment(self.idx, bucket, cell));
            }
            at += n as usize;
        }
        Ok(())
    }
}

impl Nonzeros {
    /// Those of `n` nonzeros, and room behind for vector loops.
    pub(super) fn room(&mut self, n: usize) -> (&mut [i32], &mut [i32]) {
        let len = n + READ_AHEAD;
        for buffer in [&mut self.positions, &mut self.values] {
            if buffer.len() < len {
                buffer.resize(len, 0);
            }
        }
        (&mut self.positions[..len], &mut self.values[..len])
    }
}

/// A segment that the kernels refused.
pub(super) fn wrong_segment(idx: usize, bucket: usize, cell: usize) -> TileError {
    TileError::corrupt(
        format!("chunk {idx}, bucket {bucket}, cell {cell}"),
        "a gene or count that is out of range",
    )
}

impl Tables {
    fn settle<B: Deref<Target = [u8]>>(&mut self, tile: &Tile<B>) {
        if self.tile == Some(tile.id()) {
            return;
        }
        self.tile = Some(tile.id());
        self.tables.clear();
        self.tables.extend(
            tile.model
                .buckets
                .iter()
                .map(|bucket| bucket.tables.iter().map(|_| None).collect()),
        );
    }

    fn get<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        bucket: usize,
        table: usize,
    ) -> TileResult<&DecodeTable> {
        let place = &mut self.tables[bucket][table];
        match place {
            Some(table) => Ok(table),
            None => Ok(place.insert(tile.model.decode_table(bucket, table)?)),
        }
    }
}

/// Makes a buffer at least `len` long.
fn room(buffer: &mut Vec<u8>, len: usize, idx: usize) -> TileResult<()> {
    if let Some(more) = len.checked_sub(buffer.len()) {
        buffer
            .try_reserve_exact(more)
            .map_err(|_| TileError::Memory {
                place: format!("chunk {idx}"),
                n_bytes: len,
            })?;
        buffer.resize(len, 0);
    }
    Ok(())
}
