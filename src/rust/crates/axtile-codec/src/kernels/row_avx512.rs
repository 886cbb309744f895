//! Taking counts out of a row with AVX-512: those of a window are brought
//! together by compressing, and staged as narrow numbers, as windows have few;
//! then all are widened at once.

use std::arch::x86_64::*;

use super::count::Count;
use super::row::WINDOW;

/// Genes staged at a time: their numbers among these take 16 bits.
const BLOCK: usize = 1 << 16;
/// Numbers stored at once.
const STEP: usize = 16;

/// Nonzeros on their way.
#[derive(Debug, Default)]
pub(super) struct Staged {
    genes: Vec<u16>,
    counts: Vec<u8>,
}

/// As [`super::row::drain_by`].
///
/// # Safety
/// Needs [`Simd::avx512`](super::Simd).
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
pub(super) unsafe fn drain<C: Count>(
    row: &mut [u8],
    staged: &mut Staged,
    genes: &mut [i32],
    counts: &mut [C],
) {
    assert!(genes.len() == counts.len());
    let len = genes.len() + WINDOW;
    if staged.genes.len() < len {
        staged.genes.resize(len, 0);
        staged.counts.resize(len, 0);
    }
    let mut at = 0;
    for (block, row) in row.chunks_mut(BLOCK).enumerate() {
        let (genes, counts) = (&mut genes[at..], &mut counts[at..]);
        // SAFETY: AVX-512 is there; there is room for a window behind as many
        // as can be written.
        unsafe {
            let n = stage(row, staged, genes.len());
            widen(staged, n, BLOCK * block, genes, counts);
            at += n;
        }
    }
}

/// Stages at most `most` nonzeros and empties the row. Returns how many.
///
/// # Safety
/// As [`drain`]; `staged` has room for a window more than `most`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
unsafe fn stage(row: &mut [u8], staged: &mut Staged, most: usize) -> usize {
    const IOTA: [u8; WINDOW] = {
        let mut iota = [0; WINDOW];
        let mut i = 0;
        while i < WINDOW {
            iota[i] = i as u8;
            i += 1;
        }
        iota
    };
    // SAFETY: an array of 64 bytes.
    let iota = unsafe { _mm512_loadu_si512(IOTA.as_ptr().cast()) };
    let (genes_out, counts_out) = (staged.genes.as_mut_ptr(), staged.counts.as_mut_ptr());
    let mut base = _mm256_setzero_si256();
    let mut at = 0;
    for bytes in row.as_chunks_mut::<WINDOW>().0 {
        // SAFETY: 64 bytes.
        let counts = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        // SAFETY: 64 bytes.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), _mm512_setzero_si512()) };
        let found = _mm512_test_epi8_mask(counts, counts);
        let mut places = _mm512_maskz_compress_epi8(found, iota);
        let mut counts = _mm512_permutexvar_epi8(places, counts);
        let n = found.count_ones() as usize;
        let put = |step: usize, places: __m512i, counts: __m512i| {
            let genes = _mm256_cvtepu8_epi16(_mm512_castsi512_si128(places));
            let genes = _mm256_add_epi16(genes, base);
            // SAFETY: `at` is at most `most`, and all steps together write as
            // many as a window has genes.
            unsafe {
                let at = at + STEP * step;
                _mm256_storeu_si256(genes_out.add(at).cast(), genes);
                _mm_storeu_si128(counts_out.add(at).cast(), _mm512_castsi512_si128(counts));
            }
        };
        put(0, places, counts);
        for step in 1..WINDOW / STEP {
            if n <= STEP * step {
                break;
            }
            places = _mm512_shuffle_i32x4::<0b11_11_10_01>(places, places);
            counts = _mm512_shuffle_i32x4::<0b11_11_10_01>(counts, counts);
            put(step, places, counts);
        }
        at = (at + n).min(most);
        base = _mm256_add_epi16(base, _mm256_set1_epi16(WINDOW as i16));
    }
    at
}

/// Writes the first `n` staged nonzeros, their genes plus `base`.
///
/// # Safety
/// As [`drain`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt,bmi1")]
unsafe fn widen<C: Count>(
    staged: &Staged,
    n: usize,
    base: usize,
    genes: &mut [i32],
    counts: &mut [C],
) {
    let base = _mm512_set1_epi32(base as i32);
    let (genes, counts) = (&mut genes[..n], &mut counts[..n]);
    let staged_genes = &staged.genes[..n.next_multiple_of(STEP)];
    let staged_counts = &staged.counts[..n.next_multiple_of(STEP)];
    for (i, (staged_genes, staged_counts)) in staged_genes
        .as_chunks::<STEP>()
        .0
        .iter()
        .zip(staged_counts.as_chunks::<STEP>().0)
        .enumerate()
    {
        let at = STEP * i;
        let left = n - at;
        // SAFETY: arrays of 16 numbers; room for 16, or for those of the mask.
        unsafe {
            let genes_16 = _mm256_loadu_si256(staged_genes.as_ptr().cast());
            let counts_8 = _mm_loadu_si128(staged_counts.as_ptr().cast());
            let genes_32 = _mm512_add_epi32(_mm512_cvtepu16_epi32(genes_16), base);
            let counts_32 = _mm512_cvtepu8_epi32(counts_8);
            let genes_out = genes.as_mut_ptr().add(at);
            let counts_out = counts.as_mut_ptr().add(at);
            if left >= STEP {
                _mm512_storeu_si512(genes_out.cast(), genes_32);
                C::store_16(counts_out, counts_32);
            } else {
                let mask = ((1u32 << left) - 1) as __mmask16;
                _mm512_mask_storeu_epi32(genes_out, mask, genes_32);
                C::store_masked(counts_out, counts_32, mask);
            }
        }
    }
}
