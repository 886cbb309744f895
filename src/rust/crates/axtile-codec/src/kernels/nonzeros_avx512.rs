//! Segments with AVX-512, 64 nonzeros at a time: the dictionary lies in
//! registers, raw bits are cut out by one instruction, and positions are
//! running sums in 16 bits that stay at 65,535 where they would pass it.

use std::arch::x86_64::*;

use super::count::Count;
use super::nonzeros::Segment;

/// For each number of raw bits a nonzero, up to 8: from which byte on to take
/// the qword with the fields of nonzeros 8i to 8i + 7.
static SPREAD: [[u8; 64]; 9] = tables(false);
/// And where field j starts in its qword.
static SHIFTS: [[u8; 64]; 9] = tables(true);

const fn tables(shifts: bool) -> [[u8; 64]; 9] {
    let mut tables = [[0; 64]; 9];
    let mut n_bits = 0;
    while n_bits < 9 {
        let mut i = 0;
        while i < 64 {
            tables[n_bits][i] = if shifts {
                (i % 8 * n_bits) as u8
            } else {
                (i / 8 * n_bits + i % 8) as u8
            };
            i += 1;
        }
        n_bits += 1;
    }
    tables
}

/// As [`super::nonzeros::write_segment`].
///
/// # Safety
/// Needs [`Simd::avx512`](super::Simd); the segment is simple.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(super) unsafe fn write_segment<C: Count>(
    segment: &Segment<'_>,
    base: u32,
    genes: &mut [i32],
    counts: &mut [C],
) -> bool {
    assert!(genes.len() >= segment.n && counts.len() == genes.len());
    let mut out = Out {
        base: base as i32 - 1,
        genes,
        counts,
    };
    let is_small = segment.block.dictionary.n_regular() <= 128;
    let has_raw = segment.block.dictionary.gap_bits > 0;
    // SAFETY: the caller's promise; there is room for the segment.
    unsafe {
        match (is_small, has_raw) {
            (true, true) => write_with::<C, true, true>(segment, &mut out),
            (true, false) => write_with::<C, true, false>(segment, &mut out),
            (false, true) => write_with::<C, false, true>(segment, &mut out),
            (false, false) => write_with::<C, false, false>(segment, &mut out),
        }
    }
}

/// Where the nonzeros go. What lies behind them is overwritten, too.
struct Out<'a, C> {
    /// What makes genes of the positions behind nonzeros.
    base: i32,
    genes: &'a mut [i32],
    counts: &'a mut [C],
}

impl<C: Count> Out<'_, C> {
    /// Writes nonzeros `at` to `at + n`, n at most 16: the position behind each,
    /// and the count.
    ///
    /// # Safety
    /// Needs AVX-512; there is room for the nonzeros.
    #[inline(always)]
    unsafe fn put(&mut self, at: usize, n: usize, ends: __m512i, counts: __m512i) {
        // SAFETY: the caller's promise; with room for 16, or with a mask.
        unsafe {
            let genes = _mm512_add_epi32(ends, _mm512_set1_epi32(self.base));
            if at + 16 <= self.genes.len() {
                _mm512_storeu_si512(self.genes.as_mut_ptr().add(at).cast(), genes);
                C::store_16(self.counts.as_mut_ptr().add(at), counts);
            } else {
                let mask = ((1u32 << n) - 1) as __mmask16;
                _mm512_mask_storeu_epi32(self.genes.as_mut_ptr().add(at), mask, genes);
                C::store_masked(self.counts.as_mut_ptr().add(at), counts, mask);
            }
        }
    }
}

/// # Safety
/// As [`write_segment`]; the dictionary has at most 128 regular symbols if
/// `SMALL`, and raw bits if `RAW`; there is room for the segment.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
unsafe fn write_with<C: Count, const SMALL: bool, const RAW: bool>(
    segment: &Segment<'_>,
    out: &mut Out<'_, C>,
) -> bool {
    let block = segment.block;
    let dictionary = block.dictionary;
    let table = |bytes: &[u8; 256]| {
        let half = if SMALL { 0 } else { 128 };
        [0, 64, half, half + 64].map(|at| load(&bytes[at..at + 64]))
    };
    let [gaps_plus_one, counts_plus_one] = &*dictionary.plus_one;
    let (gap_table, count_table) = if RAW {
        (table(&dictionary.gaps), table(counts_plus_one))
    } else {
        (table(gaps_plus_one), table(counts_plus_one))
    };
    let first_escape = dictionary.n_regular();
    let escape_bound = _mm512_set1_epi8(first_escape.min(255) as i8);
    let has_escapes = first_escape < 256;

    let gap_bits = usize::from(dictionary.gap_bits);
    let first_bit = segment.first * gap_bits;
    let spread = load(&SPREAD[gap_bits]);
    let shifts = _mm512_add_epi8(
        load(&SHIFTS[gap_bits]),
        _mm512_set1_epi8((first_bit % 8) as i8),
    );
    let raw_mask = _mm512_set1_epi8(((1u32 << gap_bits) - 1) as i8);
    let gap_shift = _mm_cvtsi32_si128(gap_bits as i32);
    let last_lane = _mm512_set1_epi16(31);
    let one = _mm512_set1_epi16(1);
    // Every lane has the first position that the next nonzero may have.
    let mut carry = _mm512_setzero_si512();
    let mut escaped_counts = [0; 32];
    let mut at = 0;
    while at < segment.n {
        let left = segment.n - at;
        // SAFETY: the segment is simple: 64 bytes can be read behind its last
        // symbol.
        let symbols =
            unsafe { _mm512_loadu_si512(block.symbols.as_ptr().add(segment.first + at).cast()) };
        let escaped = if has_escapes {
            let valid = if left >= 64 { !0 } else { (1u64 << left) - 1 };
            _mm512_cmpge_epu8_mask(symbols, escape_bound) & valid
        } else {
            0
        };
        let look_up = |table: &[__m512i; 4]| {
            let low = _mm512_permutex2var_epi8(table[0], symbols, table[1]);
            if SMALL {
                return low;
            }
            let high = _mm512_permutex2var_epi8(table[2], symbols, table[3]);
            _mm512_mask_blend_epi8(_mm512_movepi8_mask(symbols), low, high)
        };
        let upper = look_up(&gap_table);
        let counts = look_up(&count_table);
        let lower = if RAW {
            // SAFETY: the segment is simple: 64 bytes can be read behind the
            // last raw byte.
            let raw = unsafe {
                let byte = (first_bit + at * gap_bits) / 8;
                _mm512_loadu_si512(block.raw.as_ptr().add(byte).cast())
            };
            let fields = _mm512_permutexvar_epi8(spread, raw);
            _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, fields), raw_mask)
        } else {
            upper
        };
        for half in 0..2 {
            if half == 1 && left <= 32 {
                break;
            }
            let pick = |bytes: __m512i| {
                if half == 0 {
                    _mm512_castsi512_si256(bytes)
                } else {
                    _mm512_extracti64x4_epi64::<1>(bytes)
                }
            };
            // Gaps plus 1: to the position behind a nonzero.
            let mut steps = _mm512_cvtepu8_epi16(pick(upper));
            if RAW {
                let lower = _mm512_add_epi16(_mm512_cvtepu8_epi16(pick(lower)), one);
                steps = _mm512_adds_epu16(_mm512_sll_epi16(steps, gap_shift), lower);
            }
            let escaped = (escaped >> (32 * half)) as u32;
            let at = at + 32 * half;
            let left = left - 32 * half;
            if escaped != 0 {
                match escaped_steps(segment, at, escaped, steps, &mut escaped_counts) {
                    Some(all) => steps = all,
                    None => return false,
                }
            }
            let ends = _mm512_adds_epu16(running_sums(steps), carry);
            carry = if left >= 32 {
                _mm512_permutexvar_epi16(last_lane, ends)
            } else {
                _mm512_permutexvar_epi16(_mm512_set1_epi16(left as i16 - 1), ends)
            };
            let counts = pick(counts);
            // SAFETY: only nonzeros of the segment.
            unsafe {
                out.put(
                    at,
                    left.min(16),
                    _mm512_cvtepu16_epi32(_mm512_castsi512_si256(ends)),
                    _mm512_cvtepu8_epi32(_mm256_castsi256_si128(counts)),
                );
                if left > 16 {
                    out.put(
                        at + 16,
                        (left - 16).min(16),
                        _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(ends)),
                        _mm512_cvtepu8_epi32(_mm256_extracti128_si256::<1>(counts)),
                    );
                }
            }
            for lane in lanes(escaped) {
                out.counts[at + lane] = C::from_u32(escaped_counts[lane]);
            }
        }
        at += 64;
    }
    _mm512_cvtsi512_si32(carry) as u16 <= segment.width as u16
}

/// The steps of 32 nonzeros from `at` on, with those of the escapes that
/// `escaped` names; their counts go to `counts`. `None` if one is missing or out
/// of range.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
fn escaped_steps(
    segment: &Segment<'_>,
    at: usize,
    escaped: u32,
    steps: __m512i,
    counts: &mut [u32; 32],
) -> Option<__m512i> {
    let mut all = [0u16; 32];
    // SAFETY: an array of 64 bytes.
    unsafe { _mm512_storeu_si512(all.as_mut_ptr().cast(), steps) };
    for lane in lanes(escaped) {
        let (gap, count) = segment.escape(at + lane)?;
        all[lane] = (gap + 1).min(u16::MAX.into()) as u16;
        counts[lane] = i32::try_from(count).ok()? as u32;
    }
    // SAFETY: as above.
    Some(unsafe { _mm512_loadu_si512(all.as_ptr().cast()) })
}

fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8]) -> __m512i {
    assert!(bytes.len() == 64);
    // SAFETY: 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Running sums over 32 numbers of 16 bits, with saturation.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn running_sums(numbers: __m512i) -> __m512i {
    // For every number: the last one of the 128-bit lane before its own, and of
    // the lane two before.
    let lane_before = _mm512_set_epi64(
        0x0017_0017_0017_0017,
        0x0017_0017_0017_0017,
        0x000f_000f_000f_000f,
        0x000f_000f_000f_000f,
        0x0007_0007_0007_0007,
        0x0007_0007_0007_0007,
        0,
        0,
    );
    let two_before = _mm512_set_epi64(
        0x000f_000f_000f_000f,
        0x000f_000f_000f_000f,
        0x0007_0007_0007_0007,
        0x0007_0007_0007_0007,
        0,
        0,
        0,
        0,
    );
    let mut sums = _mm512_adds_epu16(numbers, _mm512_bslli_epi128::<2>(numbers));
    sums = _mm512_adds_epu16(sums, _mm512_bslli_epi128::<4>(sums));
    sums = _mm512_adds_epu16(sums, _mm512_bslli_epi128::<8>(sums));
    let before = _mm512_maskz_permutexvar_epi16(0xffff_ff00, lane_before, sums);
    sums = _mm512_adds_epu16(sums, before);
    let before = _mm512_maskz_permutexvar_epi16(0xffff_0000, two_before, sums);
    _mm512_adds_epu16(sums, before)
}
