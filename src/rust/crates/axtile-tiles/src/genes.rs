//! Some genes of cells. Where a tile keeps them apart from the others, only their
//! part of it is decoded.

use axtile_codec::GeneSet;
use axtile_codec::kernels::Count;
use axtile_core::{Error, Result, Watch};

use crate::chunks::Pool;
use crate::dataset::{Dataset, OpenTile};
use crate::decoded::DecodedChunk;
use crate::gather::Selection;
use crate::tile::TileDecoder;

/// Up to this share of a chunk is decoded for the wanted genes of some cells. Of
/// a larger one all is decoded, and kept for later.
const MAX_SHARE: f64 = 0.5;

/// Counts of some genes in all cells.
#[derive(Debug)]
pub struct GeneCounts {
    n_genes: usize,
    /// Where each cell's nonzeros start, and the end of the last.
    starts: Vec<usize>,
    chunks: Vec<Picked>,
}

/// Genes that are wanted, and the rows of the result that they go to.
pub(crate) struct WantedGenes {
    /// As numbered in the tiles.
    set: GeneSet,
    /// The dataset's number of each gene of the set.
    genes: Vec<u32>,
    /// By the dataset's numbers: where each gene's rows start in `rows`, and the
    /// end of the last.
    starts: Vec<u32>,
    rows: Vec<i32>,
    /// Whether rows ascend when genes do.
    is_ascending: bool,
}

/// What was picked of cells, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Picked {
    /// One more than there are cells; the first is 0.
    pub(crate) starts: Vec<usize>,
    pub(crate) rows: Vec<i32>,
    pub(crate) counts: Vec<i32>,
}

impl Dataset {
    /// Counts of some genes, numbered from 0, in all cells. A gene may come
    /// several times. Reports finished cells.
    ///
    /// # Errors
    /// `Error::Range` if there is no such gene; `Error::Corrupt` if what was
    /// looked at is damaged; `Error::Interrupted`; as [`Dataset::open_tile`].
    pub fn read_genes(
        &self,
        layer: usize,
        genes: &[u32],
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<GeneCounts> {
        self.check_selection(Selection {
            layer,
            cells: &[],
            genes: Some(genes),
        })?;
        let wanted = WantedGenes::new(genes, self)?;
        let tiles: Vec<usize> = (0..self.manifest().n_tiles()).collect();
        let decoders = Pool::<TileDecoder>::default();
        // To look through decoded chunks of the cache would take longer.
        let pick = |decoder: &mut TileDecoder, tile: &OpenTile, chunk| {
            wanted.pick_all(tile, chunk, decoder)
        };
        let chunks = self.each_chunk(layer, &tiles, &decoders, n_threads, watch, pick)?;
        let mut starts = vec![0];
        for picked in &chunks {
            let first = starts.last().copied().unwrap_or(0);
            starts.extend(picked.starts[1..].iter().map(|start| first + start));
        }
        Ok(GeneCounts {
            n_genes: genes.len(),
            starts,
            chunks,
        })
    }

    /// The wanted genes of some cells of a chunk. Each of `cells` is a number in
    /// the chunk and one for the caller.
    pub(crate) fn pick(
        &self,
        tile: &OpenTile,
        chunk: usize,
        wanted: &WantedGenes,
        cells: &[(usize, usize)],
        decoder: &mut TileDecoder,
    ) -> Result<Picked> {
        if !self.has_decoded(tile, chunk)
            && decoder.share(&tile.file, chunk, &wanted.set) <= MAX_SHARE
        {
            return Ok(wanted.pick_all(tile, chunk, decoder)?.select(cells));
        }
        let decoded = self.decoded_chunk(tile, chunk, self.gene_map()?, decoder)?;
        Ok(wanted.pick(&decoded, cells))
    }
}

impl GeneCounts {
    /// Where each cell's nonzeros start, and the end of the last one.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The number of nonzeros.
    pub fn nnz(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The number of genes that were asked for.
    pub fn n_genes(&self) -> usize {
        self.n_genes
    }

    /// Writes genes, numbered from 0 in the order asked for and ascending in
    /// each cell, and counts.
    ///
    /// # Panics
    /// If a slice is not as long as there are nonzeros.
    pub fn write_into<C: Count>(&self, genes: &mut [i32], counts: &mut [C]) {
        assert_eq!((genes.len(), counts.len()), (self.nnz(), self.nnz()));
        let mut first = 0;
        for picked in &self.chunks {
            let range = first..first + picked.rows.len();
            genes[range.clone()].copy_from_slice(&picked.rows);
            copy_counts(&picked.counts, &mut counts[range.clone()]);
            first = range.end;
        }
    }
}

/// Counts as the caller wants them.
pub(crate) fn copy_counts<C: Count>(counts: &[i32], out: &mut [C]) {
    for (out, &count) in out.iter_mut().zip(counts) {
        *out = C::from_u32(count as u32);
    }
}

impl WantedGenes {
    /// Of genes that the dataset has.
    pub(crate) fn new(genes: &[u32], dataset: &Dataset) -> Result<WantedGenes> {
        let mut order: Vec<u32> = (0..genes.len() as u32).collect();
        order.sort_by_key(|&row| genes[row as usize]);
        let n_genes = genes.iter().max().map_or(0, |&last| last as usize + 1);
        let mut starts = Vec::new();
        // The manifest alone vouches for the number of genes.
        starts.try_reserve_exact(n_genes + 1).map_err(|_| {
            let problem = format!("no memory for the rows of {n_genes} genes");
            Error::limit(dataset.folder(), problem)
        })?;
        starts.resize(n_genes + 1, 0u32);
        for &gene in genes {
            starts[gene as usize + 1] += 1;
        }
        for gene in 0..n_genes {
            starts[gene + 1] += starts[gene];
        }
        let set = dataset.gene_set(genes)?;
        let order_of = dataset.gene_map()?;
        let number = |&stored: &u32| order_of.map_or(stored, |order| order.get(stored));
        Ok(WantedGenes {
            genes: set.genes().iter().map(number).collect(),
            set,
            starts,
            is_ascending: order.is_sorted(),
            rows: order.into_iter().map(|row| row as i32).collect(),
        })
    }

    /// The rows that gene `gene` goes to.
    fn rows_of(&self, gene: u32) -> &[i32] {
        match self.starts.get(gene as usize..) {
            Some([start, end, ..]) => &self.rows[*start as usize..*end as usize],
            _ => &[],
        }
    }

    /// Of some cells of a decoded chunk.
    fn pick(&self, chunk: &DecodedChunk, cells: &[(usize, usize)]) -> Picked {
        let mut picked = Picked::new();
        let mut cell_rows: Vec<(i32, i32)> = Vec::new();
        for &(cell, _) in cells {
            let range = chunk.starts[cell]..chunk.starts[cell + 1];
            cell_rows.clear();
            for (&gene, &count) in chunk.genes[range.clone()].iter().zip(&chunk.counts[range]) {
                cell_rows.extend(self.rows_of(gene as u32).iter().map(|&row| (row, count)));
            }
            if !self.is_ascending {
                cell_rows.sort_unstable();
            }
            picked.push(&cell_rows);
        }
        picked
    }

    /// Of all cells of a chunk, of which no more is decoded than needed.
    fn pick_all(&self, tile: &OpenTile, chunk: usize, decoder: &mut TileDecoder) -> Result<Picked> {
        let mut picked = Picked::new();
        let mut cell_rows: Vec<(i32, i32)> = Vec::new();
        decoder
            .each_cell_of(&tile.file, chunk, &self.set, |places, counts| {
                cell_rows.clear();
                for (&place, &count) in places.iter().zip(counts) {
                    let rows = self.rows_of(self.genes[place as usize]);
                    cell_rows.extend(rows.iter().map(|&row| (row, count)));
                }
                cell_rows.sort_unstable();
                picked.push(&cell_rows);
            })
            .map_err(|error| error.at(tile.path()))?;
        Ok(picked)
    }
}

impl Picked {
    fn new() -> Picked {
        Picked {
            starts: vec![0],
            ..Picked::default()
        }
    }

    /// One more cell: its rows and counts.
    fn push(&mut self, cell: &[(i32, i32)]) {
        self.rows.extend(cell.iter().map(|&(row, _)| row));
        self.counts.extend(cell.iter().map(|&(_, count)| count));
        self.starts.push(self.rows.len());
    }

    /// Some of the cells.
    fn select(&self, cells: &[(usize, usize)]) -> Picked {
        let mut selected = Picked::new();
        for &(cell, _) in cells {
            let range = self.starts[cell]..self.starts[cell + 1];
            selected.rows.extend_from_slice(&self.rows[range.clone()]);
            selected.counts.extend_from_slice(&self.counts[range]);
            selected.starts.push(selected.rows.len());
        }
        selected
    }
}
