//! Tiles of counts in the coder that suits them: the [`grid`] for most, and the
//! [`packed`] one for those that are too small or too sparse for it. A tile's
//! header tells which it is.

use std::ops::{Deref, Range};

use axtile_core::Result;

use crate::envelope::{Chunk, check_sizes, mode};
use crate::error::{TileError, TileResult};
use crate::genes::{GeneMap, GeneSet};
use crate::kernels::Count;
use crate::rows::CellRows;
use crate::{grid, packed};

/// The mode of grid tiles, in their header.
const GRID_MODE: u8 = 1;
/// Tiles of fewer nonzeros may be smaller packed.
const MIN_GRID_NNZ: usize = 100_000;
/// Tiles of fewer nonzeros a cell may be smaller packed.
const MIN_GRID_NNZ_OF_CELL: usize = 32;

/// How counts are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coder {
    /// Fast to read: [`grid`].
    Grid,
    /// Small at any size: [`packed`].
    Packed,
}

impl Coder {
    /// Those that may give the smallest tile, the likelier first. Packed tiles
    /// take longer to read: there are few where that matters.
    pub fn candidates(rows: &CellRows) -> &'static [Coder] {
        let few = rows.nnz() < MIN_GRID_NNZ || rows.nnz() < MIN_GRID_NNZ_OF_CELL * rows.n_cells();
        match few {
            true => &[Coder::Packed, Coder::Grid],
            false => &[Coder::Grid],
        }
    }
}

/// How a tile is encoded.
#[derive(Clone, Debug)]
pub struct Options {
    /// About how many nonzeros a chunk holds: what is decoded at once.
    pub chunk_nonzeros: usize,
    /// `None` for the first of [`Coder::candidates`].
    pub coder: Option<Coder>,
    /// Clusters of cells of a grid tile, each with its own order of genes.
    pub n_clusters: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            chunk_nonzeros: grid::Options::default().chunk_nonzeros,
            coder: None,
            n_clusters: 1,
        }
    }
}

/// What is known about a tile before its chunks are encoded.
#[derive(Debug)]
pub struct Plan(PlanOf);

#[derive(Debug)]
enum PlanOf {
    Grid(Box<grid::Plan>),
    Packed(packed::Plan),
}

/// An encoded chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodedChunk {
    /// Of a grid tile.
    Grid(grid::EncodedChunk),
    /// Of a packed tile.
    Packed(packed::EncodedChunk),
}

impl Plan {
    /// Looks at all nonzeros of a tile of `n_genes` genes.
    ///
    /// # Errors
    /// `Error::Argument` if `n_genes` is not 1 to 2^31-1 or rows break their
    /// rules; `Error::Limit` for a count above 2^31-1 or a cell of more than
    /// 2^26 nonzeros.
    pub fn new(rows: &CellRows, n_genes: u32, options: &Options) -> Result<Plan> {
        let likeliest = || Coder::candidates(rows).first().copied();
        let coder = options.coder.or_else(likeliest);
        let chunk_nonzeros = options.chunk_nonzeros;
        if coder == Some(Coder::Packed) {
            let plan = packed::Plan::new(rows, n_genes, &packed::Options { chunk_nonzeros })?;
            return Ok(Plan(PlanOf::Packed(plan)));
        }
        check_sizes(n_genes, rows.n_cells(), 0)?;
        rows.check(n_genes)?;
        let options = grid::Options {
            chunk_nonzeros,
            n_clusters: options.n_clusters,
            ..grid::Options::default()
        };
        let plan = grid::Plan::new(rows, n_genes, &options)?;
        Ok(Plan(PlanOf::Grid(Box::new(plan))))
    }

    /// The number of chunks.
    pub fn n_chunks(&self) -> usize {
        match &self.0 {
            PlanOf::Grid(plan) => plan.n_chunks(),
            PlanOf::Packed(plan) => plan.n_chunks(),
        }
    }

    /// The cells of a chunk.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn cells(&self, chunk: usize) -> Range<usize> {
        match &self.0 {
            PlanOf::Grid(plan) => plan.cells(chunk),
            PlanOf::Packed(plan) => plan.cells(chunk),
        }
    }

    /// Encodes a chunk of the rows that the plan was made for.
    ///
    /// # Errors
    /// `Error::Limit` if a compressor fails.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn encode_chunk(&self, rows: &CellRows, chunk: usize) -> Result<EncodedChunk> {
        Ok(match &self.0 {
            PlanOf::Grid(plan) => EncodedChunk::Grid(plan.encode_chunk(rows, chunk)?),
            PlanOf::Packed(plan) => EncodedChunk::Packed(plan.encode_chunk(rows, chunk)?),
        })
    }

    /// Puts a tile together from all its chunks, in order.
    ///
    /// # Panics
    /// If they are not the chunks of this plan.
    pub fn assemble(&self, chunks: Vec<EncodedChunk>) -> Vec<u8> {
        assert_eq!(chunks.len(), self.n_chunks());
        let (mut of_grid, mut of_packed) = (Vec::new(), Vec::new());
        for chunk in chunks {
            match chunk {
                EncodedChunk::Grid(chunk) => of_grid.push(chunk),
                EncodedChunk::Packed(chunk) => of_packed.push(chunk),
            }
        }
        match &self.0 {
            PlanOf::Grid(plan) => {
                assert!(of_packed.is_empty());
                plan.assemble(&of_grid)
            }
            PlanOf::Packed(plan) => {
                assert!(of_grid.is_empty());
                plan.assemble(&of_packed)
            }
        }
    }
}

/// A tile whose structure was found sound, over bytes that it owns or borrows.
#[derive(Debug)]
pub struct Tile<B> {
    kind: TileOf<B>,
    chunks: Vec<Chunk>,
}

#[derive(Debug)]
enum TileOf<B> {
    Grid(Box<grid::Tile<B>>),
    Packed(packed::Tile<B>),
}

impl<B: Deref<Target = [u8]>> Tile<B> {
    /// Checks the head of the tile. The parts are checked when they are decoded.
    ///
    /// # Errors
    /// `TileError` naming the part that is wrong.
    pub fn parse(owner: B) -> TileResult<Tile<B>> {
        match mode(&owner)? {
            GRID_MODE => {
                let tile = grid::Tile::parse(owner)?;
                let chunks = tile.chunks().iter().map(|chunk| Chunk {
                    cells: chunk.cells.clone(),
                    nonzeros: chunk.nonzeros.clone(),
                });
                Ok(Tile {
                    chunks: chunks.collect(),
                    kind: TileOf::Grid(Box::new(tile)),
                })
            }
            packed::MODE => {
                let tile = packed::Tile::parse(owner)?;
                Ok(Tile {
                    chunks: tile.chunks().to_vec(),
                    kind: TileOf::Packed(tile),
                })
            }
            mode => Err(TileError::Version {
                problem: format!("a tile of the mode {mode}, which is not one of counts"),
            }),
        }
    }

    /// How its counts are coded.
    pub fn coder(&self) -> Coder {
        match &self.kind {
            TileOf::Grid(_) => Coder::Grid,
            TileOf::Packed(_) => Coder::Packed,
        }
    }

    /// The number of cells.
    pub fn n_cells(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.cells.end)
    }

    /// The number of genes.
    pub fn n_genes(&self) -> u32 {
        match &self.kind {
            TileOf::Grid(tile) => tile.n_genes(),
            TileOf::Packed(tile) => tile.n_genes(),
        }
    }

    /// The number of nonzero counts.
    pub fn nnz(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.nonzeros.end)
    }

    /// The size in bytes.
    pub fn n_bytes(&self) -> usize {
        match &self.kind {
            TileOf::Grid(tile) => tile.n_bytes(),
            TileOf::Packed(tile) => tile.n_bytes(),
        }
    }

    /// Identifies the tile.
    pub fn checksum(&self) -> u64 {
        match &self.kind {
            TileOf::Grid(tile) => tile.checksum(),
            TileOf::Packed(tile) => tile.checksum(),
        }
    }

    /// The chunks, in the order of their cells.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// What holds the bytes.
    pub fn owner(&self) -> &B {
        match &self.kind {
            TileOf::Grid(tile) => tile.owner(),
            TileOf::Packed(tile) => tile.owner(),
        }
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    ///
    /// # Errors
    /// `TileError` if they are damaged.
    pub fn starts(&self) -> TileResult<Vec<usize>> {
        match &self.kind {
            TileOf::Grid(tile) => tile.starts(),
            TileOf::Packed(tile) => tile.starts(),
        }
    }
}

/// What a thread needs to decode chunks one after the other.
#[derive(Debug, Default)]
pub struct Decoder {
    grid: grid::Decoder,
    packed: packed::Decoder,
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
        match &tile.kind {
            TileOf::Grid(tile) => self.grid.chunk_into(tile, idx, order, genes, counts),
            TileOf::Packed(tile) => self.packed.chunk_into(tile, idx, order, genes, counts),
        }
    }

    /// Calls `each` for every cell of chunk `idx` in turn with its genes, numbered
    /// as in the tile and in any order, and their counts.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; `each` may have been called by then.
    ///
    /// # Panics
    /// If the tile has no such chunk.
    pub fn each_cell<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        mut each: impl FnMut(&[i32], &[i32]),
    ) -> TileResult<()> {
        match &tile.kind {
            TileOf::Grid(tile) => self.grid.each_cell(tile, idx, each),
            TileOf::Packed(tile) => self
                .packed
                .each_cell(tile, idx, None, |_, genes, counts| each(genes, counts)),
        }
    }

    /// As [`Decoder::each_cell`], but only with genes in `wanted`, which are given
    /// as their places in [`GeneSet::genes`]. Of a grid tile no more is decoded
    /// than the blocks that hold them.
    ///
    /// # Errors
    /// As there, if what was looked at is damaged.
    ///
    /// # Panics
    /// If the tile has no such chunk, or not a wanted gene.
    pub fn each_cell_of<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        wanted: &GeneSet,
        mut each: impl FnMut(&[i32], &[i32]),
    ) -> TileResult<()> {
        let tile = match &tile.kind {
            TileOf::Grid(tile) => return self.grid.each_cell_of(tile, idx, wanted, each),
            TileOf::Packed(tile) => tile,
        };
        let (mut places, mut picked) = (Vec::new(), Vec::new());
        let each = |_, genes: &[i32], counts: &[i32]| {
            wanted.pick(genes, counts, &mut places, &mut picked);
            each(&places, &picked);
        };
        self.packed.each_cell(tile, idx, None, each)
    }

    /// How much of chunk `idx` [`Decoder::each_cell_of`] decodes, from 0 to 1.
    ///
    /// # Panics
    /// As there.
    pub fn share<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        wanted: &GeneSet,
    ) -> f64 {
        match &tile.kind {
            TileOf::Grid(tile) => self.grid.share(tile, idx, wanted),
            TileOf::Packed(_) => 1.0,
        }
    }
}
