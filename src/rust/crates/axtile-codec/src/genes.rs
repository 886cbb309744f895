//! Genes are stored by decreasing totals; users know them in the order of
//! their source, and may want only some. This module renumbers and sorts the
//! genes of one cell after the other.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

const WORD_BITS: usize = 64;

/// New numbers for genes.
pub struct GeneMap {
    numbers: Box<[u32]>,
    id: u64,
}

impl GeneMap {
    /// Gene `old` becomes `new_numbers[old]`: a permutation.
    ///
    /// # Panics
    /// If a new number is not below the number of genes.
    pub fn new(new_numbers: impl Iterator<Item = u32>) -> GeneMap {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let numbers: Box<[u32]> = new_numbers.collect();
        assert!(numbers.iter().all(|&new| (new as usize) < numbers.len()));
        GeneMap {
            numbers,
            id: MADE.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Tells this map from all others of the process.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// All new numbers, by old ones.
    pub(crate) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The number of genes.
    pub fn n_genes(&self) -> usize {
        self.numbers.len()
    }

    /// The new number of gene `old`.
    ///
    /// # Panics
    /// If there is no such gene.
    #[inline]
    pub fn get(&self, old: u32) -> u32 {
        self.numbers[old as usize]
    }
}

impl fmt::Debug for GeneMap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "GeneMap of {} genes", self.numbers.len())
    }
}

/// Some of a tile's genes.
#[derive(Debug)]
pub struct GeneSet {
    genes: Box<[u32]>,
    /// The place of each of the first genes; all that some formats have.
    places: Box<[Option<u16>]>,
    id: u64,
}

impl GeneSet {
    /// These genes, numbered as in the tile; repeats count once.
    pub fn new(genes: impl IntoIterator<Item = u32>) -> GeneSet {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let mut genes: Vec<u32> = genes.into_iter().collect();
        genes.sort_unstable();
        genes.dedup();
        let first = genes.partition_point(|&gene| gene <= u16::MAX.into());
        let (first, n_places) = (&genes[..first], genes[..first].last().map_or(0, |&g| g + 1));
        let mut places = vec![None; n_places as usize];
        for (place, &gene) in (0..=u16::MAX).zip(first) {
            places[gene as usize] = Some(place);
        }
        GeneSet {
            places: places.into(),
            genes: genes.into(),
            id: MADE.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// The genes, ascending.
    pub fn genes(&self) -> &[u32] {
        &self.genes
    }

    /// The place of gene `gene` among [`GeneSet::genes`], if it is there.
    #[inline]
    pub fn place(&self, gene: u32) -> Option<usize> {
        match self.places.get(gene as usize) {
            Some(place) => place.map(usize::from),
            None if gene <= u16::MAX.into() => None,
            None => self.genes.binary_search(&gene).ok(),
        }
    }

    /// Those of a cell's nonzeros that are in the set: the places of their genes
    /// and their values, in the place of what the vectors held.
    pub fn pick<V: Copy>(
        &self,
        genes: &[i32],
        values: &[V],
        places: &mut Vec<i32>,
        picked: &mut Vec<V>,
    ) {
        places.clear();
        picked.clear();
        for (&gene, &value) in genes.iter().zip(values) {
            // Genes are not negative; there are fewer than 2^31.
            if let Some(place) = self.place(gene as u32) {
                places.push(place as i32);
                picked.push(value);
            }
        }
    }

    /// Tells this set from all others of the process.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
}

/// Collects the counts of one cell by gene and hands them out genes ascending:
/// a bit for every gene seen and a count for every gene. Sorting costs one
/// pass over the bits, whatever the order they came in.
#[derive(Debug, Default)]
pub struct CellSorter {
    seen: Vec<u64>,
    counts: Vec<u32>,
}

impl CellSorter {
    /// A sorter for cells of so many genes that has seen nothing.
    pub fn new(n_genes: usize) -> CellSorter {
        let mut sorter = CellSorter::default();
        sorter.fit(n_genes);
        sorter
    }

    /// Makes room for cells of so many genes.
    pub fn fit(&mut self, n_genes: usize) {
        if n_genes > self.counts.len() {
            self.seen.resize(n_genes.div_ceil(WORD_BITS), 0);
            self.counts.resize(n_genes, 0);
        }
    }

    /// Takes a gene that this cell has not had yet.
    ///
    /// # Panics
    /// If there is no such gene.
    #[inline]
    pub fn insert(&mut self, gene: u32, count: u32) {
        let gene = gene as usize;
        self.counts[gene] = count;
        self.seen[gene / WORD_BITS] |= 1 << (gene % WORD_BITS);
    }

    /// Takes a gene that this cell may have had already: counts add up, and
    /// stay at the largest number where they would pass it.
    ///
    /// # Panics
    /// If there is no such gene.
    #[inline]
    pub fn add(&mut self, gene: u32, count: u32) {
        let gene = gene as usize;
        let total = &mut self.counts[gene];
        let word = &mut self.seen[gene / WORD_BITS];
        let bit = 1 << (gene % WORD_BITS);
        let earlier = if *word & bit == 0 { 0 } else { *total };
        *word |= bit;
        *total = earlier.saturating_add(count);
    }

    /// Hands out all genes, ascending, and forgets them.
    #[inline]
    pub fn drain(&mut self, mut each: impl FnMut(u32, u32)) {
        for (idx, word) in self.seen.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let gene = idx * WORD_BITS + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                each(gene as u32, self.counts[gene]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_knows_the_places_of_its_genes() {
        let all = (0..70_000).collect();
        for genes in [vec![], vec![7], all, vec![65_535, 65_536, 9, 70_000, 9, 0]] {
            let set = GeneSet::new(genes.clone());
            for gene in [
                0, 7, 8, 9, 10, 65_534, 65_535, 65_536, 69_999, 70_000, 70_001,
            ] {
                let place = set.genes().iter().position(|&other| other == gene);
                assert_eq!(set.place(gene), place);
                assert_eq!(place.is_some(), genes.contains(&gene));
            }
        }
    }

    #[test]
    fn sorts_adds_and_forgets() {
        let mut sorter = CellSorter::new(70_001);
        for (gene, count) in [(70_000, 1), (3, 2), (64, 7), (3, 5), (0, u32::MAX), (0, 1)] {
            sorter.add(gene, count);
        }
        let mut out = Vec::new();
        sorter.drain(|gene, count| out.push((gene, count)));
        assert_eq!(out, [(0, u32::MAX), (3, 7), (64, 7), (70_000, 1)]);
        out.clear();
        sorter.insert(3, 9);
        sorter.drain(|gene, count| out.push((gene, count)));
        assert_eq!(out, [(3, 9)]);
    }
}
