//! A tile of any format and kind of layer. All above this module does not know
//! formats.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use axtile_codec::floats::{self, Width};
use axtile_codec::kernels::Count;
use axtile_codec::{GeneMap, GeneSet, TileError, TileResult, deltacells, integers};
use axtile_core::Result;
use axtile_store::{FileIdentity, Map};

use crate::manifest::{Format, LayerKind};
use crate::values::Values;

/// A mapped tile whose structure was found sound.
#[derive(Debug)]
pub(crate) enum TileFile {
    Deltacells(deltacells::Tile<Map>),
    Counts(integers::Tile<Map>),
    Floats(floats::Tile<Map>),
}

/// Cells of a tile that are decoded together, and their nonzeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkBounds {
    pub(crate) cells: Range<usize>,
    pub(crate) nonzeros: Range<usize>,
}

impl TileFile {
    /// Maps and checks the tile at `path`, which holds values of `kind`.
    pub(crate) fn open(path: &Path, format: Format, kind: LayerKind) -> Result<TileFile> {
        let map = Map::open(path)?;
        let tile = match (format, width_of(kind)) {
            (Format::Deltacells { .. }, _) => {
                deltacells::Tile::parse(map).map(TileFile::Deltacells)
            }
            (Format::Axtile, None) => integers::Tile::parse(map).map(TileFile::Counts),
            (Format::Axtile, Some(width)) => floats::Tile::parse(map).and_then(|tile| {
                if tile.width() == width {
                    return Ok(TileFile::Floats(tile));
                }
                let problem = format!("it is not of {} values", kind.name());
                Err(TileError::corrupt("header", problem))
            }),
        };
        tile.map_err(|error| error.at(path))
    }

    /// Which file this was when it was opened.
    pub(crate) fn identity(&self) -> FileIdentity {
        match self {
            TileFile::Deltacells(tile) => tile.owner().identity(),
            TileFile::Counts(tile) => tile.owner().identity(),
            TileFile::Floats(tile) => tile.owner().identity(),
        }
    }

    /// The number of cells.
    pub(crate) fn n_cells(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.n_cells(),
            TileFile::Counts(tile) => tile.n_cells(),
            TileFile::Floats(tile) => tile.n_cells(),
        }
    }

    /// The number of genes of the matrix.
    pub(crate) fn n_genes(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.n_genes(),
            TileFile::Counts(tile) => tile.n_genes() as usize,
            TileFile::Floats(tile) => tile.n_genes() as usize,
        }
    }

    /// The number of nonzeros.
    pub(crate) fn nnz(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.nnz(),
            TileFile::Counts(tile) => tile.nnz(),
            TileFile::Floats(tile) => tile.nnz(),
        }
    }

    /// The size in bytes.
    pub(crate) fn n_bytes(&self) -> u64 {
        match self {
            TileFile::Deltacells(tile) => tile.header().total_size,
            TileFile::Counts(tile) => tile.n_bytes() as u64,
            TileFile::Floats(tile) => tile.n_bytes() as u64,
        }
    }

    /// What the manifest knows the tile by; `None` where it does not.
    pub(crate) fn checksum(&self) -> Option<u64> {
        match self {
            TileFile::Deltacells(_) => None,
            TileFile::Counts(tile) => Some(tile.checksum()),
            TileFile::Floats(tile) => Some(tile.checksum()),
        }
    }

    /// The number of chunks.
    pub(crate) fn n_chunks(&self) -> usize {
        match self {
            TileFile::Deltacells(tile) => tile.chunks().len(),
            TileFile::Counts(tile) => tile.chunks().len(),
            TileFile::Floats(tile) => tile.chunks().len(),
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
            TileFile::Counts(tile) => {
                let chunk = &tile.chunks()[chunk];
                (&chunk.cells, &chunk.nonzeros)
            }
            TileFile::Floats(tile) => {
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
            TileFile::Counts(tile) => tile
                .chunks()
                .partition_point(|chunk| chunk.cells.end <= cell),
            TileFile::Floats(tile) => tile
                .chunks()
                .partition_point(|chunk| chunk.cells.end <= cell),
        }
    }

    /// Where each cell's nonzeros start, and the end of the last one.
    pub(crate) fn starts(&self) -> TileResult<Cow<'_, [usize]>> {
        match self {
            TileFile::Deltacells(tile) => Ok(Cow::Borrowed(tile.starts())),
            TileFile::Counts(tile) => tile.starts().map(Cow::Owned),
            TileFile::Floats(tile) => tile.starts().map(Cow::Borrowed),
        }
    }
}

/// The width of floating-point values; `None` for counts.
pub(crate) fn width_of(kind: LayerKind) -> Option<Width> {
    match kind {
        LayerKind::Count => None,
        LayerKind::Float32 => Some(Width::F32),
        LayerKind::Float64 => Some(Width::F64),
    }
}

/// What a thread needs to decode chunks of tiles of any format.
#[derive(Default)]
pub(crate) struct TileDecoder {
    deltacells: Option<deltacells::Decoder>,
    counts: Option<integers::Decoder>,
    floats: Option<floats::Decoder>,
}

impl TileDecoder {
    /// Genes, renumbered by `order` and ascending in each cell, and values of a
    /// chunk.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged, or its values are none that `C` holds;
    /// the slices then hold anything.
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
        values: &mut [C],
    ) -> TileResult<()> {
        match tile {
            TileFile::Deltacells(tile) => self
                .deltacells
                .get_or_insert_with(deltacells::Decoder::new)
                .chunk_into(tile, chunk, order, genes, values),
            TileFile::Counts(tile) => self
                .counts
                .get_or_insert_with(integers::Decoder::new)
                .chunk_into(tile, chunk, order, genes, values),
            TileFile::Floats(tile) => {
                let values = C::as_floats(values).ok_or_else(no_counts)?;
                self.floats
                    .get_or_insert_with(floats::Decoder::new)
                    .chunk_into(tile, chunk, order, genes, values)
            }
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
    ) -> TileResult<(Vec<i32>, Values)> {
        let n = tile.chunk(chunk).nonzeros.len();
        let mut genes = zeros(n, chunk)?;
        let values = if let TileFile::Floats(_) = tile {
            let mut values = zeros::<f64>(n, chunk)?;
            self.chunk_into(tile, chunk, order, &mut genes, &mut values)?;
            Values::Floats(values)
        } else {
            let mut counts = zeros::<i32>(n, chunk)?;
            self.chunk_into(tile, chunk, order, &mut genes, &mut counts)?;
            Values::Counts(counts)
        };
        Ok((genes, values))
    }

    /// Calls `each` for every cell of a chunk of counts in turn with its genes,
    /// numbered as in the tile and in any order, and their counts.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged or not of counts; `each` may have been
    /// called by then.
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
            TileFile::Counts(tile) => self
                .counts
                .get_or_insert_with(integers::Decoder::new)
                .each_cell(tile, chunk, each),
            TileFile::Floats(_) => Err(no_counts()),
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
        if let TileFile::Counts(tile) = tile {
            let decoder = self.counts.get_or_insert_with(integers::Decoder::new);
            return decoder.each_cell_of(tile, chunk, wanted, each);
        }
        let (mut places, mut picked) = (Vec::new(), Vec::new());
        self.each_cell(tile, chunk, |genes, counts| {
            wanted.pick(genes, counts, &mut places, &mut picked);
            each(&places, &picked);
        })
    }

    /// How much of a chunk [`TileDecoder::each_cell_of`] decodes, from 0 to 1.
    ///
    /// # Panics
    /// As there.
    pub(crate) fn share(&mut self, tile: &TileFile, chunk: usize, wanted: &GeneSet) -> f64 {
        match tile {
            TileFile::Deltacells(_) | TileFile::Floats(_) => 1.0,
            TileFile::Counts(tile) => self
                .counts
                .get_or_insert_with(integers::Decoder::new)
                .share(tile, chunk, wanted),
        }
    }
}

fn no_counts() -> TileError {
    TileError::Version {
        problem: "it holds floating-point values, counts were asked for".to_owned(),
    }
}

/// Room for the values of a chunk, whose number may be a lie.
fn zeros<T: Clone + Default>(n: usize, chunk: usize) -> TileResult<Vec<T>> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(n).map_err(|_| TileError::Memory {
        place: format!("chunk {chunk}"),
        n_bytes: n.saturating_mul(size_of::<T>()),
    })?;
    vector.resize(n, T::default());
    Ok(vector)
}
