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
    /// in `wide`. Empty between cells.
    counts: Vec<u8>,
    wide: Vec<u32>,
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
        if self.counts.len() != n_windows * WINDOW {
            self.counts.clear();
            self.counts.resize(n_windows * WINDOW, 0);
            self.wide.clear();
            self.wide.resize(n_windows * WINDOW, 0);
        }
        let has_wide = self.fill(map, positions, values);
        self.drain(simd, genes, counts);
        if has_wide {
            self.put_wide(genes, counts);
        }
    }

    fn drain<C: Count>(&mut self, simd: Simd, genes: &mut [i32], counts: &mut [C]) {
        let row = &mut self.counts;
        #[cfg(target_arch = "x86_64")]
        if simd.avx512() {
            // SAFETY: AVX-512 was just asked for.
            #[allow(unsafe_code)]
            return unsafe { super::row_avx512::drain(row, &mut self.staged, genes, counts) };
        }
        #[cfg(target_arch = "x86_64")]
        if simd.avx2() {
            // SAFETY: AVX2 was just asked for.
            #[allow(unsafe_code)]
            return unsafe { super::row_avx2::drain(row, genes, counts) };
        }
        #[cfg(target_arch = "aarch64")]
        if simd.neon() {
            return super::row_neon::drain(row, genes, counts);
        }
        let _ = simd;
        drain_by(row, genes, counts, |bytes| {
            let bit = |(place, &byte): (usize, &u8)| u64::from(byte != 0) << place;
            bytes
                .iter()
                .enumerate()
                .map(bit)
                .fold(0, |all, bit| all | bit)
        });
    }

    /// Stores the counts. Returns whether some may be wide.
    #[inline]
    fn fill(&mut self, map: &[u32], positions: &[i32], values: &[i32]) -> bool {
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
