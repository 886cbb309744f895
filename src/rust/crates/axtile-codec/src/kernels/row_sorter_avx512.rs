//! The row of one cell, a byte for every gene, with AVX-512: counts are stored
//! wherever their gene is, and taken out 64 genes at a time by compressing.

use std::arch::x86_64::*;

use super::count::Count;

/// Counts from here on lie in `wide`.
const WIDE: u32 = 255;

/// A count of 0 where a gene has none.
#[derive(Debug, Default)]
pub(super) struct Row {
    counts: Vec<u8>,
    /// The counts of genes whose byte is [`WIDE`].
    wide: Vec<u32>,
    has_wide: bool,
}

impl Row {
    /// Sorts nonzeros by gene; genes are below `n_genes`, and none comes twice.
    pub(super) fn sort<C: Count>(
        &mut self,
        n_genes: usize,
        nonzeros: impl Iterator<Item = (u32, u32)>,
        genes: &mut [i32],
        counts: &mut [C],
    ) {
        let len = n_genes.next_multiple_of(64);
        if self.counts.len() != len {
            self.counts.clear();
            self.counts.resize(len, 0);
            self.wide.clear();
            self.wide.resize(len, 0);
        }
        self.has_wide = false;
        for (gene, count) in nonzeros {
            let gene = gene as usize;
            self.counts[gene] = count.min(WIDE) as u8;
            if count >= WIDE {
                self.wide[gene] = count;
                self.has_wide = true;
            }
        }
        // SAFETY: the only caller has asked for AVX-512.
        unsafe { self.drain(genes, counts) }
    }

    /// Writes the row's nonzeros and leaves it empty.
    ///
    /// # Safety
    /// Needs [`Simd::avx512`](super::Simd).
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
    unsafe fn drain<C: Count>(&mut self, genes: &mut [i32], counts: &mut [C]) {
        const IOTA: [u8; 64] = {
            let mut iota = [0; 64];
            let mut i = 0;
            while i < 64 {
                iota[i] = i as u8;
                i += 1;
            }
            iota
        };
        assert!(genes.len() == counts.len());
        // SAFETY: an array of 64 bytes.
        let iota = unsafe { _mm512_loadu_si512(IOTA.as_ptr().cast()) };
        let mut at = 0;
        for (window, bytes) in self.counts.as_chunks_mut::<64>().0.iter_mut().enumerate() {
            // SAFETY: 64 bytes.
            let row = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
            let found = _mm512_test_epi8_mask(row, row);
            if found == 0 {
                continue;
            }
            // SAFETY: 64 bytes.
            unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), _mm512_setzero_si512()) };
            let base = _mm512_set1_epi32(64 * window as i32);
            let mut places = _mm512_maskz_compress_epi8(found, iota);
            let mut values = _mm512_maskz_compress_epi8(found, row);
            let mut left = found.count_ones() as usize;
            loop {
                let places_32 = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
                let values_32 = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(values));
                let numbers = _mm512_add_epi32(places_32, base);
                let n = left.min(16);
                // SAFETY: there is room for 16, or the mask names those that
                // there is room for.
                unsafe {
                    if at + 16 <= genes.len() {
                        _mm512_storeu_si512(genes.as_mut_ptr().add(at).cast(), numbers);
                        C::store_16(counts.as_mut_ptr().add(at), values_32);
                    } else {
                        let n = n.min(genes.len() - at);
                        let mask = ((1u32 << n) - 1) as __mmask16;
                        _mm512_mask_storeu_epi32(genes.as_mut_ptr().add(at), mask, numbers);
                        C::store_masked(counts.as_mut_ptr().add(at), values_32, mask);
                    }
                }
                at = (at + n).min(genes.len());
                left -= n;
                if left == 0 {
                    break;
                }
                places = _mm512_shuffle_i32x4::<0b11_11_10_01>(places, places);
                values = _mm512_shuffle_i32x4::<0b11_11_10_01>(values, values);
            }
        }
        if self.has_wide {
            for (&gene, count) in genes.iter().zip(counts) {
                // Those that are not wide have an old count here or none.
                let wide = &mut self.wide[gene as usize];
                if *wide >= WIDE {
                    *count = C::from_u32(*wide);
                    *wide = 0;
                }
            }
        }
    }
}
