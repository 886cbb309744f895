//! The row of one cell, a byte for every gene: counts are stored wherever their
//! gene is, and taken out 64 genes at a time.

use super::Simd;
use super::count::Count;

/// Genes taken out at a time.
pub(super) const WINDOW: usize = 64;
/// Counts from here on lie in `wide`.
const WIDE: u32 = 255;

#[derive(Debug, Default)]
pub(super) struct Row {
    /// Whole windows; 0 where a gene has no count, [`WIDE`] where the count lies
    /// in `wide`. Empty between cells, unless a panic came in between.
    counts: Vec<u8>,
    is_dirty: bool,
    wide: Vec<u32>,
    /// A bit for every gene that has a count, a word for each window: without
    /// vector instructions that find them in `counts`.
    marks: Vec<u64>,
    #[cfg(target_arch = "x86_64")]
    staged: super::row_avx512::Staged,
}

impl Row {
    /// As [`super::RowSorter::sort`].
    pub(super) fn sort<C: Count>(
        &mut self,
        simd: Simd,
        map: &[u32],
        positions: &[i32],
        values: &[i32],
        genes: &mut [i32],
        counts: &mut [C],
    ) {
        let n_windows = map.len().div_ceil(WINDOW);
        if self.marks.len() != n_windows || self.is_dirty {
            self.counts.clear();
            self.counts.resize(n_windows * WINDOW, 0);
            self.wide.clear();
            self.wide.resize(n_windows * WINDOW, 0);
            self.marks.clear();
            self.marks.resize(n_windows, 0);
        }
        self.is_dirty = true;
        let has_wide = self.transfer(simd, map, positions, values, genes, counts);
        if has_wide {
            self.put_wide(genes, counts);
        }
        self.is_dirty = false;
    }

    /// As [`Row::sort`], but for counts that no byte holds. Returns whether there
    /// may be some.
    #[inline]
    fn transfer<C: Count>(
        &mut self,
        simd: Simd,
        map: &[u32],
        positions: &[i32],
        values: &[i32],
        genes: &mut [i32],
        counts: &mut [C],
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        if simd.avx2() {
            let has_wide = self.fill::<false>(map, positions, values);
            let row = &mut self.counts;
            // SAFETY: the instructions were just asked for.
            #[allow(unsafe_code)]
            unsafe {
                if simd.avx512() {
                    super::row_avx512::drain(row, &mut self.staged, genes, counts);
                } else {
                    super::row_avx2::drain(row, genes, counts);
                }
            }
            return has_wide;
        }
        #[cfg(target_arch = "aarch64")]
        if simd.neon() {
            let has_wide = self.fill::<false>(map, positions, values);
            super::row_neon::drain(&mut self.counts, genes, counts);
            return has_wide;
        }
        let _ = simd;
        let has_wide = self.fill::<true>(map, positions, values);
        self.drain_marked(genes, counts);
        has_wide
    }

    /// Stores the counts, and marks them if `MARK`. Returns whether some may be
    /// wide.
    #[inline]
    fn fill<const MARK: bool>(&mut self, map: &[u32], positions: &[i32], values: &[i32]) -> bool {
        let row = &mut self.counts[..map.len()];
        let nonzeros = || {
            positions
                .iter()
                .zip(values)
                .map(|(&position, &value)| (map[position as u32 as usize] as usize, value as u32))
        };
        let mut any = 0;
        for (gene, value) in nonzeros() {
            any |= value;
            row[gene] = value as u8;
            if MARK {
                self.marks[gene / WINDOW] |= 1 << (gene % WINDOW);
            }
        }
        if any < WIDE {
            return false;
        }
        for (gene, value) in nonzeros().filter(|&(_, value)| value >= WIDE) {
            row[gene] = WIDE as u8;
            self.wide[gene] = value;
        }
        true
    }

    /// Takes the marked counts out in the order of their genes: the safe twin of
    /// [`drain_by`].
    fn drain_marked<C: Count>(&mut self, genes: &mut [i32], counts: &mut [C]) {
        let mut out = genes.iter_mut().zip(counts);
        let windows = self.counts.as_chunks_mut::<WINDOW>().0;
        for ((window, bytes), marks) in windows.iter_mut().enumerate().zip(&mut self.marks) {
            let mut found = std::mem::take(marks);
            while found != 0 {
                let place = found.trailing_zeros() as usize;
                found &= found - 1;
                let value = std::mem::take(&mut bytes[place]);
                if let Some((gene, count)) = out.next() {
                    *gene = (WINDOW * window + place) as i32;
                    *count = C::from_u32(value.into());
                }
            }
        }
    }

    /// Puts right the counts that no byte holds.
    fn put_wide<C: Count>(&mut self, genes: &[i32], counts: &mut [C]) {
        for (&gene, count) in genes.iter().zip(counts) {
            if let Some(wide) = self.wide.get_mut(gene as usize)
                && *wide != 0
            {
                *count = C::from_u32(*wide);
                *wide = 0;
            }
        }
    }
}

/// Takes the counts out of a row in the order of their genes, as many as there
/// is room for. `find` names the counts of a window that are not 0.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(super) fn drain_by<C: Count>(
    row: &mut [u8],
    genes: &mut [i32],
    counts: &mut [C],
    find: impl Fn(&[u8; WINDOW]) -> u64,
) {
    /// Written whether there are as many or not: asking for each would be wrong
    /// once a window.
    const BATCH: usize = 8;
    assert!(genes.len() == counts.len());
    let mut at = 0;
    for (window, bytes) in row.as_chunks_mut::<WINDOW>().0.iter_mut().enumerate() {
        let mut found = find(bytes);
        let n = found.count_ones() as usize;
        let mut next = || {
            // Any place where there are no more.
            let place = found.trailing_zeros() as usize % WINDOW;
            found &= found.wrapping_sub(1);
            let gene = WINDOW * window + place;
            (gene as i32, C::from_u32(bytes[place].into()))
        };
        let places = genes[at..].first_chunk_mut::<WINDOW>();
        match places.zip(counts[at..].first_chunk_mut::<WINDOW>()) {
            Some((genes, counts)) => {
                let mut done = 0;
                for (genes, counts) in genes
                    .as_chunks_mut::<BATCH>()
                    .0
                    .iter_mut()
                    .zip(counts.as_chunks_mut::<BATCH>().0)
                {
                    if done >= n {
                        break;
                    }
                    for (gene, count) in genes.iter_mut().zip(counts) {
                        (*gene, *count) = next();
                    }
                    done += BATCH;
                }
                at += n;
            }
            None => {
                let end = (at + n).min(genes.len());
                for (gene, count) in genes[at..end].iter_mut().zip(&mut counts[at..end]) {
                    (*gene, *count) = next();
                }
                at = end;
            }
        }
        *bytes = [0; WINDOW];
    }
}
