//! Sorting the nonzeros of one cell after the other by gene.

use super::Simd;
use super::count::Count;
use super::row::{Row, WINDOW};
use crate::genes::CellSorter;

/// More genes than this are sorted as pairs: rows for all would take too much.
const MAX_ROW: usize = 1 << 22;
/// With fewer nonzeros in a window, looking for them one by one is faster.
const LEAST_IN_WINDOW: usize = 3;

/// Renumbers the genes of a cell and puts its nonzeros in their order.
#[derive(Debug, Default)]
pub(crate) struct RowSorter {
    simd: Simd,
    pairs: Vec<(u32, u32)>,
    marked: CellSorter,
    row: Row,
    /// Whether a panic left something of a cell.
    is_dirty: bool,
}

impl RowSorter {
    /// A sorter with these vector instructions.
    pub(crate) fn new(simd: Simd) -> RowSorter {
        RowSorter {
            simd,
            ..RowSorter::default()
        }
    }

    /// The gene at each position becomes `map[position]`; no two become the
    /// same, and no value is 0 (else the slices hold anything). All slices but
    /// the map are equally long.
    ///
    /// # Panics
    /// If a position is beyond the map, the map has a gene beyond its own
    /// length, or slices are not equally long.
    pub(crate) fn sort<C: Count>(
        &mut self,
        map: &[u32],
        positions: &[i32],
        values: &[i32],
        genes: &mut [i32],
        counts: &mut [C],
    ) {
        let n = positions.len();
        assert_eq!([values.len(), genes.len(), counts.len()], [n; 3]);
        if self.is_dirty {
            *self = RowSorter::new(self.simd);
        }
        self.is_dirty = true;
        let nonzeros = positions
            .iter()
            .zip(values)
            .map(|(&position, &value)| (map[position as u32 as usize], value as u32));
        let mut out = genes.iter_mut().zip(counts.iter_mut());
        let mut put = |gene: u32, count: u32| {
            if let Some((out_gene, out_count)) = out.next() {
                *out_gene = gene as i32;
                *out_count = C::from_u32(count);
            }
        };
        // Looking through a row takes a step for every window. With compressing,
        // it is always a short one.
        let n_windows = map.len() / WINDOW;
        let is_dense =
            self.simd.compresses() || self.simd != Simd::NONE && n >= LEAST_IN_WINDOW * n_windows;
        if map.len() > MAX_ROW || 8 * n < n_windows {
            self.pairs.clear();
            self.pairs.extend(nonzeros);
            self.pairs.sort_unstable();
            for &(gene, count) in &self.pairs {
                put(gene, count);
            }
        } else if !is_dense {
            self.marked.fit(map.len());
            for (gene, count) in nonzeros {
                self.marked.insert(gene, count);
            }
            self.marked.drain(put);
        } else {
            self.row
                .sort(self.simd, map, positions, values, genes, counts);
        }
        self.is_dirty = false;
    }
}
