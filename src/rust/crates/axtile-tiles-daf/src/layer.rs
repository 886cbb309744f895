//! A layer as a matrix of genes x cells, read in parts.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use axtile_core::{Error, Result, Unwatched};
use axtile_daf::model::{ElementType, Indices, Matrix, PartedMatrix, SparseMatrix, Values};
use axtile_tiles::{Dataset, LayerKind, Selection};

/// About how many values a part of genes holds, unless that is said.
pub const PART_VALUES: u64 = 1 << 25;

/// A layer of a dataset.
pub struct LayerMatrix {
    dataset: Arc<Dataset>,
    layer: usize,
    part_values: u64,
}

impl LayerMatrix {
    /// Layer number `layer`, which there is; with about so many values in a part of
    /// genes.
    pub fn new(dataset: Arc<Dataset>, layer: usize, part_values: u64) -> LayerMatrix {
        LayerMatrix {
            dataset,
            layer,
            part_values,
        }
    }

    fn kind(&self) -> LayerKind {
        let layer = self.dataset.manifest().layers.get(self.layer);
        layer.map_or(LayerKind::Count, |layer| layer.kind)
    }

    /// A sparse matrix from where cells start, genes, and values.
    fn sparse(
        &self,
        n_rows: usize,
        starts: &[usize],
        genes: Vec<i32>,
        values: Values,
    ) -> Result<Matrix> {
        let rows: Vec<u32> = genes.into_iter().map(|gene| gene as u32 + 1).collect();
        let starts: Vec<u64> = starts.iter().map(|&start| start as u64 + 1).collect();
        let n_columns = starts.len() - 1;
        let damaged = |problem: String| Error::corrupt(self.dataset.folder(), "a tile", problem);
        let indices = |values: Values| {
            Indices::new(&values).ok_or_else(|| damaged("positions of no type".into()))
        };
        let (starts, rows) = (indices(starts.into())?, indices(rows.into())?);
        let matrix = SparseMatrix::new(n_rows, n_columns, starts, rows, values);
        Ok(Matrix::Sparse(matrix.map_err(damaged)?))
    }

    /// Reads genes and values of `nnz` nonzeros.
    fn read(
        &self,
        nnz: usize,
        counts: impl FnOnce(&mut [i32], &mut [i32]) -> Result<()>,
        floats: impl FnOnce(&mut [i32], &mut [f64]) -> Result<()>,
    ) -> Result<(Vec<i32>, Values)> {
        let mut genes = room::<i32>(self.dataset.folder(), nnz)?;
        let values = match self.kind() {
            LayerKind::Count => {
                let mut values = room::<i32>(self.dataset.folder(), nnz)?;
                counts(&mut genes, &mut values)?;
                // Counts are not negative.
                values
                    .into_iter()
                    .map(|count| count as u32)
                    .collect::<Vec<u32>>()
                    .into()
            }
            kind => {
                let mut values = room::<f64>(self.dataset.folder(), nnz)?;
                floats(&mut genes, &mut values)?;
                match kind {
                    // Such values are of 32 bits.
                    LayerKind::Float32 => values
                        .into_iter()
                        .map(|value| value as f32)
                        .collect::<Vec<f32>>()
                        .into(),
                    _ => values.into(),
                }
            }
        };
        Ok((genes, values))
    }
}

/// Room for so many numbers, whose number only the files vouch for.
fn room<T: Clone + Default>(path: &Path, n: usize) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(n)
        .map_err(|_| Error::limit(path, format!("no memory for {n} values")))?;
    all.resize(n, T::default());
    Ok(all)
}

impl fmt::Debug for LayerMatrix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "layer {} of {}",
            self.layer,
            self.dataset.folder().display()
        )
    }
}

impl PartedMatrix for LayerMatrix {
    fn element_type(&self) -> ElementType {
        match self.kind() {
            LayerKind::Count => ElementType::UInt32,
            LayerKind::Float32 => ElementType::Float32,
            LayerKind::Float64 => ElementType::Float64,
        }
    }

    fn n_rows(&self) -> usize {
        self.dataset.manifest().n_genes
    }

    fn n_columns(&self) -> usize {
        self.dataset.manifest().n_cells as usize
    }

    fn part(
        &self,
        rows: Option<&[u32]>,
        columns: Option<&[u32]>,
        n_threads: usize,
    ) -> Result<Matrix> {
        if let (Some(genes), None) = (rows, columns) {
            let read = self
                .dataset
                .read_genes(self.layer, genes, n_threads, &Unwatched)?;
            let (genes, values) = self.read(
                read.nnz(),
                |genes, counts| read.write_into(genes, counts),
                |genes, values| read.write_into(genes, values),
            )?;
            return self.sparse(read.n_genes(), read.starts(), genes, values);
        }
        let cells: Vec<u64> = match columns {
            Some(columns) => columns.iter().map(|&cell| cell.into()).collect(),
            None => (0..self.dataset.manifest().n_cells).collect(),
        };
        let selection = Selection {
            layer: self.layer,
            cells: &cells,
            genes: rows,
        };
        let gather = self.dataset.gather(selection, n_threads, &Unwatched)?;
        let (genes, values) = self.read(
            gather.nnz(),
            |genes, counts| gather.read_into(genes, counts, n_threads, &Unwatched),
            |genes, values| gather.read_into(genes, values, n_threads, &Unwatched),
        )?;
        self.sparse(gather.n_genes(), gather.starts(), genes, values)
    }

    fn column_parts(&self) -> Vec<Range<u32>> {
        let mut end = 0;
        let part = |&cells: &u64| {
            // An axis has fewer than 2^32 entries.
            let start = end;
            end += cells as u32;
            start..end
        };
        self.dataset
            .manifest()
            .tile_cells
            .iter()
            .map(part)
            .collect()
    }

    /// Genes by falling totals, as tiles keep them: what is read together then
    /// lies together.
    fn row_parts(&self, n_threads: usize) -> Result<Vec<Vec<u32>>> {
        let n_genes = self.n_rows() as u32;
        let layer = self.dataset.manifest().layers.get(self.layer);
        if layer.is_none_or(|layer| layer.nnz() <= self.part_values) {
            return Ok(vec![(0..n_genes).collect()]);
        }
        let detected: Vec<u64> = match self.kind() {
            LayerKind::Count => {
                let sums = self
                    .dataset
                    .gene_stats(self.layer, None, n_threads, &Unwatched)?;
                sums.iter().map(|sums| sums.detected).collect()
            }
            _ => {
                let sums = self
                    .dataset
                    .float_gene_stats(self.layer, None, n_threads, &Unwatched)?;
                sums.iter().map(|sums| sums.detected).collect()
            }
        };
        let mut order: Vec<u32> = (0..n_genes).collect();
        order.sort_by_key(|&gene| std::cmp::Reverse(detected[gene as usize]));
        let mut parts = vec![Vec::new()];
        let mut n = 0;
        for gene in order {
            if n >= self.part_values {
                parts.push(Vec::new());
                n = 0;
            }
            n += detected[gene as usize];
            if let Some(part) = parts.last_mut() {
                part.push(gene);
            }
        }
        Ok(parts)
    }
}
