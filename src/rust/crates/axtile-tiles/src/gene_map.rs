//! Genes are stored by decreasing totals; users know them in the order of
//! their source. This module renumbers and sorts the genes of one cell after
//! the other.

use std::fmt;

use axtile_codec::deltacells::MAX_GENES;

const WORD_BITS: usize = 64;

/// New numbers for genes, one for each of the 65,536 that 16 bits can name.
pub(crate) struct GeneMap(Box<[u16; MAX_GENES]>);

impl GeneMap {
    /// Gene `old` becomes `new_numbers[old]`.
    ///
    /// # Panics
    /// If there are more than 65,536 numbers.
    pub(crate) fn new(new_numbers: impl Iterator<Item = u16>) -> GeneMap {
        let mut map = Box::new([0; MAX_GENES]);
        for (old, new) in new_numbers.enumerate() {
            map[old] = new;
        }
        GeneMap(map)
    }

    /// The new number of gene `old`.
    #[inline]
    pub(crate) fn get(&self, old: u16) -> u16 {
        self.0[usize::from(old)]
    }
}

impl fmt::Debug for GeneMap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("GeneMap")
    }
}

/// Collects the counts of one cell by gene and hands them out genes ascending:
/// a bit for every gene seen and a count for every gene. Sorting costs one
/// pass over the bits, whatever the order they came in.
pub(crate) struct CellSorter {
    seen: Box<[u64; MAX_GENES / WORD_BITS]>,
    counts: Box<[u32; MAX_GENES]>,
}

impl CellSorter {
    /// A sorter that has seen nothing.
    pub(crate) fn new() -> CellSorter {
        CellSorter {
            seen: Box::new([0; MAX_GENES / WORD_BITS]),
            counts: Box::new([0; MAX_GENES]),
        }
    }

    /// Takes a gene that this cell has not had yet.
    #[inline]
    pub(crate) fn insert(&mut self, gene: u16, count: u32) {
        let gene = usize::from(gene);
        self.seen[gene / WORD_BITS] |= 1 << (gene % WORD_BITS);
        self.counts[gene] = count;
    }

    /// Takes a gene that this cell may have had already: counts add up, and
    /// stay at the largest number where they would pass it.
    #[inline]
    pub(crate) fn add(&mut self, gene: u16, count: u32) {
        let gene = usize::from(gene);
        let word = &mut self.seen[gene / WORD_BITS];
        let bit = 1 << (gene % WORD_BITS);
        let earlier = if *word & bit == 0 {
            0
        } else {
            self.counts[gene]
        };
        *word |= bit;
        self.counts[gene] = earlier.saturating_add(count);
    }

    /// Hands out all genes below `n_genes`, ascending, and forgets them.
    #[inline]
    pub(crate) fn drain(&mut self, n_genes: usize, mut each: impl FnMut(u16, u32)) {
        let n_words = n_genes.div_ceil(WORD_BITS).min(self.seen.len());
        for (idx, word) in self.seen[..n_words].iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let gene = (idx * WORD_BITS + bits.trailing_zeros() as usize) as u16;
                bits &= bits - 1;
                each(gene, self.counts[usize::from(gene)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_adds_and_forgets() {
        let mut sorter = CellSorter::new();
        for (gene, count) in [(65_535, 1), (3, 2), (64, 7), (3, 5), (0, u32::MAX), (0, 1)] {
            sorter.add(gene, count);
        }
        let mut out = Vec::new();
        sorter.drain(MAX_GENES, |gene, count| out.push((gene, count)));
        assert_eq!(out, [(0, u32::MAX), (3, 7), (64, 7), (65_535, 1)]);
        out.clear();
        sorter.insert(3, 9);
        sorter.drain(4, |gene, count| out.push((gene, count)));
        assert_eq!(out, [(3, 9)]);
    }
}
