//! Segments with NEON: symbols are looked up one by one, and the rest is done for
//! 8 nonzeros at a time. Positions are running sums in 16 bits that stay at
//! 65,535 where they would pass it.

use std::arch::aarch64::*;

use super::count::Count;
use super::nonzeros::Segment;
use super::raw_fields::RawFields;

/// Nonzeros of a vector.
const STEP: usize = 8;
/// Symbols looked up before the first of them are used: a vector that is loaded
/// just after its parts were stored waits for them.
const AHEAD: usize = 256;

/// As [`super::nonzeros::write_segment`].
///
/// # Safety
/// The segment is simple.
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
    // SAFETY: arrays of 16 bytes; NEON is part of the target.
    let (field_bytes, factors) = unsafe {
        (
            vld1q_u8(fields.bytes.as_ptr()),
            vld1q_u16(fields.factors.as_ptr()),
        )
    };
    let mut entries = [0u16; AHEAD];
    let mut escaped_counts = [0; STEP];
    let mut end = 0;
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
            let bytes: &[u8; 16] = match raw.first_chunk() {
                Some(bytes) => bytes,
                None => return false,
            };
            raw = &raw[gap_bits..];
            // SAFETY: arrays of 16 bytes; NEON is part of the target.
            let (counts_16, steps, mut escaped) = unsafe {
                let entries = vld1q_u16(entries.as_ptr());
                let bytes = vqtbl1q_u8(vld1q_u8(bytes.as_ptr()), field_bytes);
                let lower = vmulq_u16(vreinterpretq_u16_u8(bytes), factors);
                let lower = vshlq_u16(lower, vdupq_n_s16(gap_bits as i16 - 16));
                let upper = vandq_u16(entries, vdupq_n_u16(0xff));
                let upper = vshlq_u16(upper, vdupq_n_s16(gap_bits as i16));
                // Gaps plus 1: to the position behind a nonzero.
                let steps = vqaddq_u16(upper, vaddq_u16(lower, vdupq_n_u16(1)));
                let counts_16 = vshrq_n_u16::<8>(entries);
                let no_count = vmovn_u16(vceqzq_u16(counts_16));
                // A byte for each lane.
                let escaped = vget_lane_u64::<0>(vreinterpret_u64_u8(no_count));
                (counts_16, steps, escaped)
            };
            if left < STEP {
                escaped &= (1 << (8 * left)) - 1;
            }
            let mut steps = steps;
            if escaped != 0 {
                match escaped_steps(segment, at, escaped, steps, &mut escaped_counts) {
                    Some(all) => steps = all,
                    None => return false,
                }
            }
            let places = genes[at..]
                .first_chunk_mut()
                .zip(counts[at..].first_chunk_mut());
            let mut all = ([0; STEP], [C::default(); STEP]);
            let is_short = places.is_none();
            let (out_genes, out_counts) = places.unwrap_or((&mut all.0, &mut all.1));
            let ends = put(
                steps,
                end,
                base.wrapping_sub(1),
                counts_16,
                out_genes,
                out_counts,
            );
            let n = left.min(STEP);
            if is_short {
                genes[at..at + n].copy_from_slice(&all.0[..n]);
                counts[at..at + n].copy_from_slice(&all.1[..n]);
            }
            while escaped != 0 {
                let lane = escaped.trailing_zeros() as usize / 8;
                counts[at + lane] = C::from_u32(escaped_counts[lane]);
                escaped &= !(0xff << (8 * lane));
            }
            // SAFETY: NEON is part of the target.
            end = unsafe { vgetq_lane_u16::<7>(ends) };
            at += STEP;
            if at >= segment.n {
                let mut last = [0; STEP];
                // SAFETY: an array of 16 bytes.
                unsafe { vst1q_u16(last.as_mut_ptr(), ends) };
                return u32::from(last[n - 1]) <= segment.width;
            }
        }
    }
    true
}

/// Writes the genes and counts of 8 nonzeros; the first position that the first
/// of them may have is `start`. Returns the position behind each.
#[inline(always)]
fn put<C: Count>(
    steps: uint16x8_t,
    start: u16,
    base: u32,
    counts: uint16x8_t,
    out_genes: &mut [i32; STEP],
    out_counts: &mut [C; STEP],
) -> uint16x8_t {
    // SAFETY: NEON is part of the target; 4 places of 8 each.
    unsafe {
        let zero = vdupq_n_u16(0);
        let ends = vqaddq_u16(steps, vextq_u16::<7>(zero, steps));
        let ends = vqaddq_u16(ends, vextq_u16::<6>(zero, ends));
        let ends = vqaddq_u16(ends, vextq_u16::<4>(zero, ends));
        let ends = vqaddq_u16(ends, vdupq_n_u16(start));
        let base = vdupq_n_u32(base);
        let out = out_genes.as_mut_ptr().cast::<u32>();
        vst1q_u32(out, vaddw_u16(base, vget_low_u16(ends)));
        vst1q_u32(out.add(4), vaddw_high_u16(base, ends));
        let out = out_counts.as_mut_ptr();
        C::store_4(out, vmovl_u16(vget_low_u16(counts)));
        C::store_4(out.add(4), vmovl_high_u16(counts));
        ends
    }
}

/// The steps of 8 nonzeros from `at` on, with those of the escapes that
/// `escaped` names by a byte each; their counts go to `counts`. `None` if one is
/// missing or out of range.
#[cold]
#[inline(never)]
fn escaped_steps(
    segment: &Segment<'_>,
    at: usize,
    escaped: u64,
    steps: uint16x8_t,
    counts: &mut [u32; STEP],
) -> Option<uint16x8_t> {
    let mut all = [0u16; STEP];
    // SAFETY: an array of 16 bytes.
    unsafe { vst1q_u16(all.as_mut_ptr(), steps) };
    for lane in (0..STEP).filter(|lane| escaped >> (8 * lane) & 1 != 0) {
        let (gap, count) = segment.escape(at + lane)?;
        all[lane] = (gap + 1).min(u16::MAX.into()) as u16;
        counts[lane] = i32::try_from(count).ok()? as u32;
    }
    // SAFETY: as above.
    Some(unsafe { vld1q_u16(all.as_ptr()) })
}
