//! Sorting the nonzeros of one cell after the other by gene.

use super::Simd;
use super::count::Count;
use crate::genes::CellSorter;

/// More genes than this are sorted as pairs: rows for all would take too much.
const MAX_ROW: usize = 1 << 22;

/// Renumbers the genes of a cell and puts its nonzeros in their order.
#[derive(Debug, Default)]
pub(crate) struct RowSorter {
    simd: Simd,
    pairs: Vec<(u32, u32)>,
    marked: CellSorter,
    #[cfg(target_arch = "x86_64")]
    row: super::row_sorter_avx512::Row,
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
    /// same. All slices but the map are equally long.
    ///
    /// # Panics
    /// If a position is beyond the map, or the map has a gene beyond its own
    /// length.
    pub(crate) fn sort<C: Count>(
        &mut self,
        map: &[u32],
        positions: &[i32],
        values: &[i32],
        genes: &mut [i32],
        counts: &mut [C],
    ) {
        let nonzeros = positions
            .iter()
            .zip(values)
            .map(|(&position, &value)| (map[position as usize], value as u32));
        let mut out = genes.iter_mut().zip(counts.iter_mut());
        let mut put = |gene: u32, count: u32| {
            if let Some((out_gene, out_count)) = out.next() {
                *out_gene = gene as i32;
                *out_count = C::from_u32(count);
            }
        };
        // Looking through a row takes a step for every 64 genes.
        if map.len() > MAX_ROW || 8 * positions.len() < map.len() / 64 {
            self.pairs.clear();
            self.pairs.extend(nonzeros);
            self.pairs.sort_unstable();
            for &(gene, count) in &self.pairs {
                put(gene, count);
            }
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if self.simd.avx512() {
            self.row.sort(map.len(), nonzeros, genes, counts);
            return;
        }
        let _ = self.simd;
        self.marked.fit(map.len());
        for (gene, count) in nonzeros {
            self.marked.insert(gene, count);
        }
        self.marked.drain(put);
    }
}
