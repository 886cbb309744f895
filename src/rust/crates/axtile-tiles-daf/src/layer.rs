//! A layer as a matrix of genes x cells: a tile is a run of columns.

use std::ops::Range;
use std::sync::Arc;

use axtile_core::{Error, Result, Watch};
use axtile_daf::model::{ElementType, Indices, Matrix, SparseMatrix, StreamedMatrix, Values};
use axtile_tiles::{Dataset, LayerKind, Selection};

/// The matrix of a layer.
#[derive(Debug)]
pub struct LayerMatrix {
    dataset: Arc<Dataset>,
    layer: usize,
    runs: Vec<Range<usize>>,
}

/// A watch that hears of interrupts alone.
struct Silent<'a>(&'a dyn Watch);

impl Watch for Silent<'_> {
    fn advance(&self, _done: u64) {}

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted()
    }
}

/// Genes, counted from 0, and counts of consecutive cells.
struct Counts {
    genes: Vec<i32>,
    counts: Vec<i32>,
}

impl LayerMatrix {
    pub fn new(dataset: Arc<Dataset>, layer: usize) -> LayerMatrix {
        let ends = dataset.manifest().tile_cells.iter().scan(0, |end, &n| {
            let start = *end;
            // Cells are positions of an axis, which were found to be few enough.
            *end += n as usize;
            Some(start..*end)
        });
        LayerMatrix {
            runs: ends.collect(),
            dataset,
            layer,
        }
    }

    /// Room for so many counts.
    fn room(&self, n: usize) -> Result<Counts> {
        let [mut genes, mut counts] = [Vec::new(), Vec::new()];
        for values in [&mut genes, &mut counts] {
            values.try_reserve_exact(n).map_err(|_| {
                Error::limit(
                    self.dataset.folder(),
                    format!("no memory for the {n} counts that are asked for"),
                )
            })?;
            values.resize(n, 0);
        }
        Ok(Counts { genes, counts })
    }

    /// The matrix of `n_genes` rows with these cells as columns.
    fn matrix(&self, n_genes: usize, starts: Vec<u64>, mut counts: Counts) -> Result<Matrix> {
        let wrong = |problem: String| Error::corrupt(self.dataset.folder(), "its tiles", problem);
        let no_indices = || wrong("no positions".to_owned());
        // There are fewer than 2^31 genes; what is none of them is found below.
        counts
            .genes
            .iter_mut()
            .for_each(|gene| *gene = gene.wrapping_add(1));
        let genes: Vec<u32> = bytemuck::allocation::cast_vec(counts.genes);
        let n_cells = starts.len().saturating_sub(1);
        let starts = Indices::new(&starts.into()).ok_or_else(no_indices)?;
        let rows = Indices::new(&genes.into()).ok_or_else(no_indices)?;
        let values = Values::from(counts.counts);
        let sparse = SparseMatrix::new(n_genes, n_cells, starts, rows, values).map_err(wrong)?;
        Ok(Matrix::Sparse(sparse))
    }

    /// Tiles `tiles` after each other.
    fn read_tiles(
        &self,
        tiles: Range<usize>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix> {
        let opened = tiles.map(|idx| self.dataset.open_tile(self.layer, idx));
        let opened = opened.collect::<Result<Vec<_>>>()?;
        let n = opened.iter().map(|tile| tile.nnz()).sum();
        let mut all = self.room(n)?;
        let mut starts = vec![1];
        let mut first = 0;
        for tile in &opened {
            watch.check()?;
            let end = first + tile.nnz();
            let later = tile.starts()?.iter().skip(1);
            starts.extend(later.map(|&start| (first + start + 1) as u64));
            if let (Some(genes), Some(counts)) = (
                all.genes.get_mut(first..end),
                all.counts.get_mut(first..end),
            ) {
                self.dataset
                    .read_tile_into(tile, genes, counts, n_threads, &Silent(watch))?;
            }
            first = end;
        }
        self.matrix(self.n_rows(), starts, all)
    }

    fn read_some(
        &self,
        genes: Option<&[u32]>,
        cells: Option<&[u32]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix> {
        let cells: Vec<u64> = match cells {
            Some(cells) => cells.iter().map(|&cell| cell.into()).collect(),
            None => (0..self.n_columns() as u64).collect(),
        };
        let selection = Selection {
            layer: self.layer,
            cells: &cells,
            genes,
        };
        let watch = &Silent(watch);
        let gather = self.dataset.gather(selection, n_threads, watch)?;
        let mut counts = self.room(gather.nnz())?;
        gather.read_into(&mut counts.genes, &mut counts.counts, n_threads, watch)?;
        let starts = gather.starts().iter().map(|&start| start as u64 + 1);
        self.matrix(gather.n_genes(), starts.collect(), counts)
    }

    /// What was read, or that the dataset was replaced meanwhile.
    fn current(&self, read: Result<Matrix>) -> Result<Matrix> {
        if self.dataset.is_current() || matches!(read, Ok(_) | Err(Error::Interrupted)) {
            return read;
        }
        Err(Error::Stale {
            path: self.dataset.folder().to_owned(),
        })
    }
}

impl StreamedMatrix for LayerMatrix {
    fn n_rows(&self) -> usize {
        self.dataset.manifest().n_genes
    }

    fn element_type(&self) -> ElementType {
        let layers = &self.dataset.manifest().layers;
        match layers.get(self.layer).map(|layer| layer.kind) {
            Some(LayerKind::Float32) => ElementType::Float32,
            Some(LayerKind::Float64) => ElementType::Float64,
            Some(LayerKind::Count) | None => ElementType::Int32,
        }
    }

    fn n_kept(&self) -> u64 {
        let layers = &self.dataset.manifest().layers;
        layers.get(self.layer).map_or(0, |layer| layer.nnz())
    }

    fn runs(&self) -> &[Range<usize>] {
        &self.runs
    }

    fn read_run(&self, run: usize, n_threads: usize, watch: &dyn Watch) -> Result<Matrix> {
        self.current(self.read_tiles(run..run + 1, n_threads, watch))
    }

    fn read(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix> {
        let read = match (rows, columns) {
            (None, None) => self.read_tiles(0..self.runs.len(), n_threads, watch),
            _ => self.read_some(rows, columns, n_threads, watch),
        };
        self.current(read)
    }
}
