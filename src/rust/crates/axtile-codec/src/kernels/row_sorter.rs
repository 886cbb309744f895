//! Sorting the nonzeros of one cell after the other by gene.

use super::Simd;
use super::count::Count;
use super::row::Row;

/// More genes than this are sorted as pairs: rows for all would take too much.
const MAX_ROW: usize = 1 << 22;

/// Renumbers the genes of a cell and puts its nonzeros in their order.
#[derive(Debug, Default)]
pub(crate) struct RowSorter {
    simd: Simd,
    pairs: Vec<(u32, u32)>,
    row: Row,
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
        // Looking through a row takes a step for every 64 genes.
        if map.len() > MAX_ROW || 8 * n < map.len() / 64 {
            self.pairs.clear();
            self.pairs.extend(
                positions
                    .iter()
                    .zip(values)
                    .map(|(&position, &value)| (map[position as usize], value as u32)),
            );
            self.pairs.sort_unstable();
            for ((&(gene, value), gene_out), count_out) in self.pairs.iter().zip(genes).zip(counts)
            {
                *gene_out = gene as i32;
                *count_out = C::from_u32(value);
            }
            return;
        }
        self.row
            .sort(self.simd, map, positions, values, genes, counts);
    }
}
