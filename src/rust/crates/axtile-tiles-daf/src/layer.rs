//! A layer as a matrix of genes x cells: a tile is a run of columns.

use std::ops::Range;
use std::sync::Arc;

use axtile_codec::kernels::Count;
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

/// Nonzeros of consecutive cells: genes, counted from 0, and values.
struct Nonzeros<C> {
    genes: Vec<i32>,
    values: Vec<C>,
}

/// Numbers that are read of a layer, and what a matrix keeps of them.
trait Number: Count {
    /// The values of a layer of this kind, which are such numbers.
    fn kept(values: Vec<Self>, kind: LayerKind) -> Values;
}

impl Number for i32 {
    fn kept(counts: Vec<i32>, _: LayerKind) -> Values {
        counts.into()
    }
}

impl Number for f64 {
    fn kept(values: Vec<f64>, kind: LayerKind) -> Values {
        match kind {
            // Each of its values was of 32 bits.
            LayerKind::Float32 => {
                let single = values.iter().map(|&value| value as f32);
                single.collect::<Vec<f32>>().into()
            }
            _ => values.into(),
        }
    }
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

    fn kind(&self) -> LayerKind {
        let layer = self.dataset.manifest().layers.get(self.layer);
        layer.map_or(LayerKind::Count, |layer| layer.kind)
    }

    /// Room for so many nonzeros.
    fn room<C: Number>(&self, n: usize) -> Result<Nonzeros<C>> {
        fn zeros<T: Clone + Default>(n: usize) -> Option<Vec<T>> {
            let mut all = Vec::new();
            all.try_reserve_exact(n).ok()?;
            all.resize(n, T::default());
            Some(all)
        }
        match (zeros(n), zeros(n)) {
            (Some(genes), Some(values)) => Ok(Nonzeros { genes, values }),
            _ => {
                let problem = format!("no memory for the {n} values that are asked for");
                Err(Error::limit(self.dataset.folder(), problem))
            }
        }
    }

    /// The matrix of `n_genes` rows with these cells as columns.
    fn matrix<C: Number>(
        &self,
        n_genes: usize,
        starts: Vec<u64>,
        mut nonzeros: Nonzeros<C>,
    ) -> Result<Matrix> {
        let wrong = |problem: String| Error::corrupt(self.dataset.folder(), "its tiles", problem);
        let no_indices = || wrong("no positions".to_owned());
        // There are fewer than 2^31 genes; what is none of them is found below.
        nonzeros
            .genes
            .iter_mut()
            .for_each(|gene| *gene = gene.wrapping_add(1));
        let genes: Vec<u32> = bytemuck::allocation::cast_vec(nonzeros.genes);
        let n_cells = starts.len().saturating_sub(1);
        let starts = Indices::new(&starts.into()).ok_or_else(no_indices)?;
        let rows = Indices::new(&genes.into()).ok_or_else(no_indices)?;
        let values = C::kept(nonzeros.values, self.kind());
        let sparse = SparseMatrix::new(n_genes, n_cells, starts, rows, values).map_err(wrong)?;
        Ok(Matrix::Sparse(sparse))
    }

    /// Tiles `tiles` after each other.
    fn read_tiles<C: Number>(
        &self,
        tiles: Range<usize>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix> {
        let opened = tiles.map(|idx| self.dataset.open_tile(self.layer, idx));
        let opened = opened.collect::<Result<Vec<_>>>()?;
        let n = opened.iter().map(|tile| tile.nnz()).sum();
        let mut all = self.room::<C>(n)?;
        let mut starts = vec![1];
        let mut first = 0;
        for tile in &opened {
            watch.check()?;
            let end = first + tile.nnz();
            let later = tile.starts()?.iter().skip(1);
            starts.extend(later.map(|&start| (first + start + 1) as u64));
            if let (Some(genes), Some(values)) = (
                all.genes.get_mut(first..end),
                all.values.get_mut(first..end),
            ) {
                self.dataset
                    .read_tile_into(tile, genes, values, n_threads, &Silent(watch))?;
            }
            first = end;
        }
        self.matrix(self.n_rows(), starts, all)
    }

    fn read_some<C: Number>(
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
        let mut all = self.room::<C>(gather.nnz())?;
        gather.read_into(&mut all.genes, &mut all.values, n_threads, watch)?;
        let starts = gather.starts().iter().map(|&start| start as u64 + 1);
        self.matrix(gather.n_genes(), starts.collect(), all)
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
        match self.kind() {
            LayerKind::Float32 => ElementType::Float32,
            LayerKind::Float64 => ElementType::Float64,
            LayerKind::Count => ElementType::Int32,
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
        let tiles = run..run + 1;
        self.current(match self.kind() {
            LayerKind::Count => self.read_tiles::<i32>(tiles, n_threads, watch),
            _ => self.read_tiles::<f64>(tiles, n_threads, watch),
        })
    }

    fn read(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Matrix> {
        let all = 0..self.runs.len();
        self.current(match (rows, columns, self.kind()) {
            (None, None, LayerKind::Count) => self.read_tiles::<i32>(all, n_threads, watch),
            (None, None, _) => self.read_tiles::<f64>(all, n_threads, watch),
            (_, _, LayerKind::Count) => self.read_some::<i32>(rows, columns, n_threads, watch),
            _ => self.read_some::<f64>(rows, columns, n_threads, watch),
        })
    }
}
