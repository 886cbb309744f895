//! Segments with AVX2: symbols are looked up one by one, and the rest is done
//! for 16 nonzeros at a time. Positions are running sums in 16 bits that stay at
//! 65,535 where they would pass it.

use std::arch::x86_64::*;

use super::count::Count;
use super::nonzeros::Segment;
use super::raw_fields::RawFields;

/// Nonzeros of a vector.
const STEP: usize = 16;
/// Symbols looked up before the first of them are used: a vector that is loaded
/// just after its parts were stored waits for them.
const AHEAD: usize = 128;

/// As [`super::nonzeros::write_segment`].
///
/// # Safety
/// Needs [`Simd::avx2`](super::Simd); the segment is simple.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn write_segment<C: Count>(
    segment: &Segment<'_>,
    base: u32,
    genes: &mut [i32],
    counts: &mut [C],
) -> bool {
    assert!(genes.len() >= segment.n && counts.len() == genes.len());
    let block = segment.block;
    let dictionary = block.dictionary;
    let gap_bits = usize::from(dictionary.gap_bits);
    let first_bit = segment.first * gap_bits;
    let mut raw = &block.raw[first_bit / 8..];
    let fields = RawFields::get(gap_bits, first_bit % 8);
    // SAFETY: arrays of 16 bytes.
    let (field_bytes, factors) = unsafe {
        (
            _mm256_broadcastsi128_si256(_mm_loadu_si128(fields.bytes.as_ptr().cast())),
            _mm256_broadcastsi128_si256(_mm_loadu_si128(fields.factors.as_ptr().cast())),
        )
    };
    let field_shift = _mm_cvtsi32_si128(16 - gap_bits as i32);
    let gap_shift = _mm_cvtsi32_si128(gap_bits as i32);
    let one = _mm256_set1_epi16(1);
    let low_bytes = _mm256_set1_epi16(0xff);
    // The last number of each 128-bit lane, over the whole lane.
    let last = _mm256_set1_epi16(0x0f0e);
    // What makes genes of the positions behind nonzeros.
    let base = _mm256_set1_epi32(base as i32 - 1);
    // Every lane has the first position that the next nonzero may have.
    let mut carry = _mm256_setzero_si256();
    let mut entries = [0u16; AHEAD];
    let mut escaped_counts = [0; STEP];
    let mut ends = carry;
    let mut at = 0;
    while at < segment.n {
        let n = (segment.n - at).min(AHEAD);
        // The segment is simple: symbols can be read behind its last one.
        let symbols = &block.symbols[segment.first + at..][..n.next_multiple_of(STEP)];
        for (entries, symbols) in entries
            .as_chunks_mut::<STEP>()
            .0
            .iter_mut()
            .zip(symbols.as_chunks::<STEP>().0)
        {
            for (entry, &symbol) in entries.iter_mut().zip(symbols) {
                *entry = dictionary.entries[usize::from(symbol)];
            }
        }
        for entries in entries.as_chunks::<STEP>().0 {
            let left = segment.n - at;
            // SAFETY: 32 bytes.
            let entries = unsafe { _mm256_loadu_si256(entries.as_ptr().cast()) };
            let counts_16 = _mm256_srli_epi16::<8>(entries);
            let mut steps = _mm256_and_si256(entries, low_bytes);
            assert!(raw.len() >= 8 + 16);
            // SAFETY: 16 bytes from each; the second is at most 8 bytes ahead.
            let bytes = unsafe {
                _mm256_loadu2_m128i(raw.as_ptr().add(gap_bits).cast(), raw.as_ptr().cast())
            };
            raw = &raw[2 * gap_bits..];
            let lower = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, field_bytes), factors);
            let lower = _mm256_srl_epi16(lower, field_shift);
            // Gaps plus 1: to the position behind a nonzero.
            steps = _mm256_sll_epi16(steps, gap_shift);
            steps = _mm256_adds_epu16(steps, _mm256_add_epi16(lower, one));
            let no_count = _mm256_cmpeq_epi16(counts_16, _mm256_setzero_si256());
            let mut escaped = _mm256_movemask_epi8(no_count) as u32;
            if left < STEP {
                escaped &= (1 << (2 * left)) - 1;
            }
            if escaped != 0 {
                match escaped_steps(segment, at, escaped, steps, &mut escaped_counts) {
                    Some(all) => steps = all,
                    None => return false,
                }
            }
            ends = _mm256_adds_epu16(steps, _mm256_bslli_epi128::<2>(steps));
            ends = _mm256_adds_epu16(ends, _mm256_bslli_epi128::<4>(ends));
            ends = _mm256_adds_epu16(ends, _mm256_bslli_epi128::<8>(ends));
            // The low half's total, for the high half.
            let low = _mm256_permute2x128_si256::<0x08>(ends, ends);
            ends = _mm256_adds_epu16(ends, _mm256_shuffle_epi8(low, last));
            ends = _mm256_adds_epu16(ends, carry);
            let high = _mm256_permute2x128_si256::<0x11>(ends, ends);
            carry = _mm256_shuffle_epi8(high, last);

            let halves = |numbers: __m256i| {
                [
                    _mm256_cvtepu16_epi32(_mm256_castsi256_si128(numbers)),
                    _mm256_cvtepu16_epi32(_mm256_extracti128_si256::<1>(numbers)),
                ]
            };
            let genes_32 = halves(ends).map(|ends| _mm256_add_epi32(ends, base));
            let counts_32 = halves(counts_16);
            let put = |genes: &mut [i32; STEP], counts: &mut [C; STEP]| {
                for half in [0, 1] {
                    // SAFETY: 8 places of 16; AVX2 is there.
                    unsafe {
                        let genes = genes.as_mut_ptr().add(8 * half);
                        _mm256_storeu_si256(genes.cast(), genes_32[half]);
                        C::store_8(counts.as_mut_ptr().add(8 * half), counts_32[half]);
                    }
                }
            };
            let places = genes[at..]
                .first_chunk_mut()
                .zip(counts[at..].first_chunk_mut());
            match places {
                Some((genes, counts)) => put(genes, counts),
                None => {
                    let (mut all_genes, mut all_counts) = ([0; STEP], [C::default(); STEP]);
                    put(&mut all_genes, &mut all_counts);
                    let n = left.min(STEP);
                    genes[at..at + n].copy_from_slice(&all_genes[..n]);
                    counts[at..at + n].copy_from_slice(&all_counts[..n]);
                }
            }
            while escaped != 0 {
                let lane = escaped.trailing_zeros() as usize / 2;
                counts[at + lane] = C::from_u32(escaped_counts[lane]);
                escaped &= !(3 << (2 * lane));
            }
            at += STEP;
            if at >= segment.n {
                break;
            }
        }
    }
    let mut last_ends = [0u16; STEP];
    // SAFETY: an array of 32 bytes.
    unsafe { _mm256_storeu_si256(last_ends.as_mut_ptr().cast(), ends) };
    segment.n == 0 || u32::from(last_ends[(segment.n - 1) % STEP]) <= segment.width
}

/// The steps of 16 nonzeros from `at` on, with those of the escapes that
/// `escaped` names by two bits each; their counts go to `counts`. `None` if one
/// is missing or out of range.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn escaped_steps(
    segment: &Segment<'_>,
    at: usize,
    escaped: u32,
    steps: __m256i,
    counts: &mut [u32; STEP],
) -> Option<__m256i> {
    let mut all = [0u16; STEP];
    // SAFETY: an array of 32 bytes.
    unsafe { _mm256_storeu_si256(all.as_mut_ptr().cast(), steps) };
    for lane in (0..STEP).filter(|lane| escaped >> (2 * lane) & 1 != 0) {
        let (gap, count) = segment.escape(at + lane)?;
        all[lane] = (gap + 1).min(u16::MAX.into()) as u16;
        counts[lane] = i32::try_from(count).ok()? as u32;
    }
    // SAFETY: as above.
    Some(unsafe { _mm256_loadu_si256(all.as_ptr().cast()) })
}
