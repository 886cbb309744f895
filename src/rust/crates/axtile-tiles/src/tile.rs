//! A tile of either format. All above this module does not know formats.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use axtile_codec::kernels::Count;
use axtile_codec::{GeneMap, GeneSet, TileError, TileResult, deltacells, grid, mode, packed};
use axtile_core::Result;
use axtile_store::{FileIdentity, Map};

use crate::manifest::Format;

/// A mapped tile whose structure was found sound.
#[derive(Debug)]
pub(crate) enum TileFile {
    Deltacells(deltacells::Tile<Map>),
    Grid(grid::Tile<Map>),
    Packed(packed::Tile<Map>),
}

/// Cells of a tile that are decoded together, and their nonzeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkBounds {
    pub(crate) cells: Range<usize>,
    pub(crate) nonzeros: Range<usize>,
}

impl TileFile {
    /// Maps and checks the tile at `path`.
    pub(crate) fn open(path: &Path, format: Format) -> Result<TileFile> {
        let map = Map::open(path)?;
        let tile = match format {
            Format::Deltacells { .. } => deltacells::Tile::parse(map).map(TileFile::Deltacells),
            Format::Axtile => match mode(&map) {
                Ok(packed::MODE) => packed::Tile::parse(map).map(TileFile::Packed),
                Ok(_) => grid::Tile::parse(map).map(TileFile::Grid),
                Err(error) => Err(error),
            },
        };
        tile.map_err(|error| error.at(path))
    }

    /// Which file this was when it was opened.
    pub(crate) fn identity(&self) -> FileIdentity {
        match self {
            TileFile::Deltacells(tile) => tile.owner().identity(),
            TileFile::Grid(tile) => tile.owner().identity(),
            TileFile::Packed(tile) => tile.owner().identity(),
        }
    }

    /// The number of cells.
    pub(crate) fn n_cells(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.n_cells(),
            TileFile::Grid(tile) => tile.n_cells(),
            TileFile::Packed(tile) => tile.n_cells(),
        }
    }

    /// The number of genes of the matrix.
    pub(crate) fn n_genes(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.n_genes(),
            TileFile::Grid(tile) => tile.n_genes() as usize,
            TileFile::Packed(tile) => tile.n_genes() as usize,
        }
    }

    /// The number of nonzeros.
    pub(crate) fn nnz(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.nnz(),
            TileFile::Grid(tile) => tile.nnz(),
            TileFile::Packed(tile) => tile.nnz(),
        }
    }

    /// The size in bytes.
    pub(crate) fn n_bytes(&self) -> u64 {
        match self {
            TileFile::Deltacells(tile) => tile.header().total_size,
            TileFile::Grid(tile) => tile.n_bytes() as u64,
            TileFile::Packed(tile) => tile.n_bytes() as u64,
        }
    }

    /// What the manifest knows the tile by; `None` where it does not.
    pub(crate) fn checksum(&self) -> Option<u64> {
        match self {
            TileFile::Deltacells(_) => None,
            TileFile::Grid(tile) => Some(tile.checksum()),
            TileFile::Packed(tile) => Some(tile.checksum()),
        }
    }

    /// The number of chunks.
    pub(crate) fn n_chunks(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.chunks().len(),
            TileFile::Grid(tile) => tile.chunks().len(),
            TileFile::Packed(tile) => tile.chunks().len(),
        }
    }

    /// What chunk `chunk` holds.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub(crate) fn chunk(&self, chunk: usize) -> ChunkBounds {
        let (cells, nonzeros) = match self {
            TileFile::Deltacells(tile) => {
                let chunk = &tile.chunks()[chunk];
                (&chunk.cells, &chunk.nonzeros)
            }
            TileFile::Grid(tile) => {
                let chunk = &tile.chunks()[chunk];
                (&chunk.cells, &chunk.nonzeros)
            }
            TileFile::Packed(tile) => {
                let chunk = &tile.chunks()[chunk];
                (&chunk.cells, &chunk.nonzeros)
            }
        };
        ChunkBounds {
            cells: cells.clone(),
            nonzeros: nonzeros.clone(),
        }
    }

    /// The chunk that holds cell `cell`.
    pub(crate) fn chunk_of(&self, cell: usize) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile
                .chunks()
                .partition_point(|chunk| chunk.cells.end <= cell),
            TileFile::Grid(tile) => tile
                .chunks()
                .partition_point(|chunk| chunk.cells.end <= cell),
            TileFile::Packed(tile) => tile
                .chunks()
                .partition_point(|chunk| chunk.cells.end <= cell),
        }
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    pub(crate) fn starts(&self) -> TileResult<Cow<'_, [usize]>> {
        match self {
            TileFile::Deltacells(tile) => Ok(Cow::Borrowed(tile.starts())),
            TileFile::Grid(tile) => tile.starts().map(Cow::Owned),
            TileFile::Packed(tile) => tile.starts().map(Cow::Owned),
        }
    }
}

/// What a thread needs to decode chunks of tiles of any format.
#[derive(Default)]
pub(crate) struct TileDecoder {
    deltacells: Option<deltacells::Decoder>,
    grid: Option<grid::Decoder>,
    packed: Option<packed::Decoder>,
}

impl TileDecoder {
    /// Genes, renumbered by `order` and ascending in each cell, and counts of
    /// a chunk.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; the slices then hold anything.
    ///
    /// # Panics
    /// If there is no such chunk, a slice is not as long as it has nonzeros, or
    /// `order` is of fewer genes than the tile's.
    pub(crate) fn chunk_into<C: Count>(
        &mut self,
        tile: &TileFile,
        chunk: usize,
        order: Option<&GeneMap>,
        genes: &mut [i32],
        counts: &mut [C],
    ) -> TileResult<()> {
        match tile {
            TileFile::Deltacells(tile) => self
                .deltacells
                .get_or_insert_with(deltacells::Decoder::new)
                .chunk_into(tile, chunk, order, genes, counts),
            TileFile::Grid(tile) => self
                .grid
                .get_or_insert_with(grid::Decoder::new)
                .chunk_into(tile, chunk, order, genes, counts),
            TileFile::Packed(tile) => self
                .packed
                .get_or_insert_with(packed::Decoder::new)
                .chunk_into(tile, chunk, order, genes, counts),
        }
    }

    /// As [`TileDecoder::chunk_into`], into vectors of its own.
    ///
    /// # Errors
    /// As there; `TileError::Memory` if there is none for the chunk.
    pub(crate) fn chunk(
        &mut self,
        tile: &TileFile,
        chunk: usize,
        order: Option<&GeneMap>,
    ) -> TileResult<(Vec<i32>, Vec<i32>)> {
        let n = tile.chunk(chunk).nonzeros.len();
        let [mut genes, mut counts] = [Vec::new(), Vec::new()];
        for vector in [&mut genes, &mut counts] {
            vector.try_reserve_exact(n).map_err(|_| TileError::Memory {
                place: format!("chunk {chunk}"),
                n_bytes: n.saturating_mul(size_of::<i32>()),
            })?;
            vector.resize(n, 0);
        }
        self.chunk_into(tile, chunk, order, &mut genes, &mut counts)?;
        Ok((genes, counts))
    }

    /// Calls `each` for every cell of a chunk in turn with its genes, numbered
    /// as in the tile and in any order, and their counts.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; `each` may have been called by then.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub(crate) fn each_cell(
        &mut self,
        tile: &TileFile,
        chunk: usize,
        mut each: impl FnMut(&[i32], &[i32]),
    ) -> TileResult<()> {
        match tile {
            TileFile::Deltacells(tile) => self
                .deltacells
                .get_or_insert_with(deltacells::Decoder::new)
                .each_cell(tile, chunk, None, |_, genes, counts| each(genes, counts)),
            TileFile::Grid(tile) => self
                .grid
                .get_or_insert_with(grid::Decoder::new)
                .each_cell(tile, chunk, each),
            TileFile::Packed(tile) => self
                .packed
                .get_or_insert_with(packed::Decoder::new)
                .each_cell(tile, chunk, None, |_, genes, counts| each(genes, counts)),
        }
    }

    /// As [`TileDecoder::each_cell`], but only with genes in `wanted`, which are
    /// given as their places in [`GeneSet::genes`].
    ///
    /// # Errors
    /// As there, if what was looked at is damaged.
    ///
    /// # Panics
    /// If there is no such chunk, or a wanted gene that the tile has not.
    pub(crate) fn each_cell_of(
        &mut self,
        tile: &TileFile,
        chunk: usize,
        wanted: &GeneSet,
        mut each: impl FnMut(&[i32], &[i32]),
    ) -> TileResult<()> {
        if let TileFile::Grid(tile) = tile {
            let decoder = self.grid.get_or_insert_with(grid::Decoder::new);
            return decoder.each_cell_of(tile, chunk, wanted, each);
        }
        let (mut places, mut picked) = (Vec::new(), Vec::new());
        self.each_cell(tile, chunk, |genes, counts| {
            places.clear();
            picked.clear();
            for (&gene, &count) in genes.iter().zip(counts) {
                // Genes are not negative; there are fewer than 2^31.
                if let Some(place) = wanted.place(gene as u32) {
                    places.push(place as i32);
                    picked.push(count);
                }
            }
            each(&places, &picked);
        })
    }

    /// How much of a chunk [`TileDecoder::each_cell_of`] decodes, from 0 to 1.
    ///
    /// # Panics
    /// As there.
    pub(crate) fn share(&mut self, tile: &TileFile, chunk: usize, wanted: &GeneSet) -> f64 {
        match tile {
            TileFile::Deltacells(_) | TileFile::Packed(_) => 1.0,
            TileFile::Grid(tile) => self
                .grid
                .get_or_insert_with(grid::Decoder::new)
                .share(tile, chunk, wanted),
        }
    }
}
