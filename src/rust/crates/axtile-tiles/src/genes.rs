//! Some genes of cells. Where a tile keeps them apart from the others, only their
//! part of it is decoded.

use axtile_codec::GeneSet;
use axtile_codec::kernels::Count;
use axtile_core::{Error, Result, Watch};

use crate::chunks::Pool;
use crate::dataset::{Dataset, OpenTile};
use crate::decoded::DecodedChunk;
use crate::gather::Selection;
use crate::tile::{TileDecoder, TileFile};
use crate::values::Values;

/// Up to this share of a chunk is decoded for the wanted genes of some cells. Of
/// a larger one all is decoded, and kept for later.
const MAX_SHARE: f64 = 0.5;

/// Values of some genes in all cells.
#[derive(Debug)]
pub struct GeneValues<'a> {
    dataset: &'a Dataset,
    layer: usize,
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
#[derive(Debug)]
pub(crate) struct Picked {
    /// One more than there are cells; the first is 0.
    pub(crate) starts: Vec<usize>,
    pub(crate) rows: Vec<i32>,
    pub(crate) values: Values,
}

impl Dataset {
    /// Values of some genes, numbered from 0, in all cells. A gene may come
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
    ) -> Result<GeneValues<'_>> {
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
            self.pick_all(tile, chunk, &wanted, decoder)
        };
        let chunks = self.each_chunk(layer, &tiles, &decoders, n_threads, watch, pick)?;
        let mut starts = vec![0];
        for picked in &chunks {
            let first = starts.last().copied().unwrap_or(0);
            starts.extend(picked.starts[1..].iter().map(|start| first + start));
        }
        Ok(GeneValues {
            dataset: self,
            layer,
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
            return Ok(self.pick_all(tile, chunk, wanted, decoder)?.select(cells));
        }
        let decoded = self.decoded_chunk(tile, chunk, self.gene_map()?, decoder)?;
        Ok(wanted.pick(&decoded, cells.iter().map(|&(cell, _)| cell)))
    }

    /// The wanted genes of all cells of a chunk, of which no more is decoded than
    /// needed.
    fn pick_all(
        &self,
        tile: &OpenTile,
        chunk: usize,
        wanted: &WantedGenes,
        decoder: &mut TileDecoder,
    ) -> Result<Picked> {
        if let TileFile::Floats(_) = tile.file {
            let decoded = self.decode_chunk(tile, chunk, self.gene_map()?, decoder)?;
            return Ok(wanted.pick(&decoded, 0..decoded.starts.len() - 1));
        }
        let mut rows = PickedRows::default();
        decoder
            .each_cell_of(&tile.file, chunk, &wanted.set, |places, counts| {
                for (&place, &count) in places.iter().zip(counts) {
                    let gene = wanted.genes[place as usize];
                    rows.add(wanted.rows_of(gene), count);
                }
                rows.end_cell(false);
            })
            .map_err(|error| error.at(tile.path()))?;
        Ok(rows.finish(Values::Counts))
    }
}

impl GeneValues<'_> {
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
    /// each cell, and values.
    ///
    /// # Errors
    /// `Error::Unsupported` if `C` does not hold the layer's values.
    ///
    /// # Panics
    /// If a slice is not as long as there are nonzeros.
    pub fn write_into<C: Count>(&self, genes: &mut [i32], values: &mut [C]) -> Result<()> {
        assert_eq!((genes.len(), values.len()), (self.nnz(), self.nnz()));
        self.dataset.check_holds::<C>(self.layer)?;
        let mut first = 0;
        for picked in &self.chunks {
            let range = first..first + picked.rows.len();
            genes[range.clone()].copy_from_slice(&picked.rows);
            picked
                .values
                .copy_to(0..picked.rows.len(), &mut values[range.clone()]);
            first = range.end;
        }
        Ok(())
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
    fn pick(&self, chunk: &DecodedChunk, cells: impl Iterator<Item = usize>) -> Picked {
        match &chunk.values {
            Values::Counts(values) => self.pick_of(chunk, values, cells).finish(Values::Counts),
            Values::Floats(values) => self.pick_of(chunk, values, cells).finish(Values::Floats),
        }
    }

    fn pick_of<V: Copy>(
        &self,
        chunk: &DecodedChunk,
        values: &[V],
        cells: impl Iterator<Item = usize>,
    ) -> PickedRows<V> {
        let mut picked = PickedRows::default();
        for cell in cells {
            let range = chunk.starts[cell]..chunk.starts[cell + 1];
            for (&gene, &value) in chunk.genes[range.clone()].iter().zip(&values[range]) {
                picked.add(self.rows_of(gene as u32), value);
            }
            picked.end_cell(self.is_ascending);
        }
        picked
    }
}

/// What is being picked, cell by cell.
struct PickedRows<V> {
    cell: Vec<(i32, V)>,
    starts: Vec<usize>,
    rows: Vec<i32>,
    values: Vec<V>,
}

impl<V> Default for PickedRows<V> {
    fn default() -> PickedRows<V> {
        PickedRows {
            cell: Vec::new(),
            starts: vec![0],
            rows: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<V: Copy> PickedRows<V> {
    /// A value of the cell that goes to some rows.
    #[inline]
    fn add(&mut self, rows: &[i32], value: V) {
        self.cell.extend(rows.iter().map(|&row| (row, value)));
    }

    fn end_cell(&mut self, is_sorted: bool) {
        if !is_sorted {
            // No row comes twice.
            self.cell.sort_unstable_by_key(|&(row, _)| row);
        }
        self.rows.extend(self.cell.iter().map(|&(row, _)| row));
        self.values
            .extend(self.cell.iter().map(|&(_, value)| value));
        self.starts.push(self.rows.len());
        self.cell.clear();
    }

    fn finish(self, values: impl FnOnce(Vec<V>) -> Values) -> Picked {
        Picked {
            starts: self.starts,
            rows: self.rows,
            values: values(self.values),
        }
    }
}

impl Picked {
    /// Some of the cells.
    fn select(&self, cells: &[(usize, usize)]) -> Picked {
        let mut selected = Picked {
            starts: vec![0],
            rows: Vec::new(),
            values: self.values.empty_like(),
        };
        for &(cell, _) in cells {
            let range = self.starts[cell]..self.starts[cell + 1];
            selected.rows.extend_from_slice(&self.rows[range.clone()]);
            selected.values.extend(&self.values, range);
            selected.starts.push(selected.rows.len());
        }
        selected
    }
}
