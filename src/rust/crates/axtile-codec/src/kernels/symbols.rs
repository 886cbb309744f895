//! Decoding of prefix codes, several streams at a time: the look-ups of one
//! stream wait for each other, those of different streams do not.

use std::ops::Range;

use super::Simd;
use crate::grid::huffman::{Lookup, MAX_CODE_LEN};

/// Runs of at least this many symbols are split into [`N_STREAMS`] streams.
pub const MIN_SPLIT: usize = 256;
/// Streams of a long run.
pub(crate) const N_STREAMS: usize = 4;
/// Bytes behind the streams that the fast loop may read.
pub(crate) const SLACK: usize = 16;
/// Look-ups between two reads of a stream: 5 x 11 bits of a window that has at
/// least 56.
const LOOKUPS: usize = 5;

/// How many symbols each stream of a run of `n` holds.
pub(crate) fn split(n: usize) -> ([usize; N_STREAMS], usize) {
    if n < MIN_SPLIT {
        return ([n, 0, 0, 0], 1);
    }
    let share = n.div_ceil(N_STREAMS);
    ([share, share, share, n - 3 * share], N_STREAMS)
}

/// Decodes a run of `out.len()` symbols from its streams, which lie at
/// `streams` in `bytes`: one, or four for a run of [`MIN_SPLIT`] symbols. Bits
/// are read from the most significant one of a byte. `false` if a stream does
/// not hold exactly its symbols; `out` then holds anything.
pub(crate) fn decode_symbols(
    simd: Simd,
    lookup: &Lookup,
    bytes: &[u8],
    streams: &[Range<usize>],
    out: &mut [u8],
) -> bool {
    let has_slack = bytes.len().checked_sub(SLACK).is_some_and(|most| {
        streams
            .iter()
            .all(|stream| stream.start <= stream.end && stream.end <= most)
    });
    if let (true, &[_, _, _, _]) = (has_slack, streams) {
        #[cfg(target_arch = "x86_64")]
        if simd.avx2() {
            // SAFETY: as below, and AVX2 was just asked for, with which BMI comes.
            #[allow(unsafe_code)]
            return unsafe { decode_four_bmi(lookup, bytes, streams, out) };
        }
        let _ = simd;
        // SAFETY: four ranges that lie in `bytes` with 16 bytes behind each.
        #[allow(unsafe_code)]
        return unsafe { decode_four(lookup, bytes, streams, out) };
    }
    decode_plain(lookup, bytes, streams, out)
}

/// Asks for a table that is needed soon: it may have left the caches near the
/// processor since it was last used.
pub(crate) fn prefetch(lookup: &Lookup) {
    #[cfg(target_arch = "x86_64")]
    for line in lookup.entries.chunks(16) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing, and the address is valid.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = lookup;
}

/// The safe twin: one symbol at a time.
pub(super) fn decode_plain(
    lookup: &Lookup,
    bytes: &[u8],
    streams: &[Range<usize>],
    out: &mut [u8],
) -> bool {
    let (shares, n_streams) = split(out.len());
    if n_streams != streams.len() {
        return false;
    }
    let mut out = out;
    for (stream, &share) in streams.iter().zip(&shares) {
        let Some(stream) = bytes.get(stream.clone()) else {
            return false;
        };
        let (symbols, rest) = out.split_at_mut(share);
        out = rest;
        let mut position = 0usize;
        for symbol in symbols {
            let window = window(stream, position / 8) << (position % 8);
            *symbol = lookup.entries[(window >> (64 - MAX_CODE_LEN)) as usize] as u8;
            position += usize::from(lookup.lengths[usize::from(*symbol)]);
            if position > 8 * stream.len() {
                return false;
            }
        }
        if position.div_ceil(8) != stream.len() {
            return false;
        }
    }
    true
}

/// Eight bytes from `at` on, the first the most significant, 0 behind the end.
#[inline]
fn window(stream: &[u8], at: usize) -> u64 {
    let rest = stream.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(word) => u64::from_be_bytes(*word),
        None => {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(word)
        }
    }
}

/// One stream on its way.
#[derive(Clone, Copy)]
struct Stream {
    /// The next bytes, from the most significant bit on; the lowest one bit
    /// marks how many were taken: as many as zeros behind it.
    window: u64,
    at: *const u8,
    end: *const u8,
    out: *mut u8,
    out_end: *mut u8,
}

impl Stream {
    /// Moves the window to the first bit that was not taken.
    ///
    /// # Safety
    /// `at` is at least 15 bytes before the end of its allocation.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn refill(&mut self) {
        let taken = self.window.trailing_zeros();
        // SAFETY: the caller's promise. The pointer moves by at most 7 bytes
        // between two comparisons with `end`.
        unsafe {
            self.at = self.at.add((taken >> 3) as usize);
            let word = u64::from_be(self.at.cast::<u64>().read_unaligned());
            self.window = (word | 1) << (taken & 7);
        }
    }

    /// Decodes up to three symbols.
    ///
    /// # Safety
    /// Four bytes can be written at `out`.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn look_up(&mut self, lookup: &Lookup) {
        let entry = lookup.entries[(self.window >> (64 - MAX_CODE_LEN)) as usize];
        // SAFETY: the caller's promise; at most three of the bytes count.
        unsafe {
            self.out.cast::<u32>().write_unaligned(entry.to_le());
            self.out = self.out.add((entry >> 30) as usize);
        }
        // Shifts look at the low six bits only.
        self.window = self.window.wrapping_shl(entry >> 24);
    }
}

/// As [`decode_four`], with shifts that leave the flags alone.
///
/// # Safety
/// As there; needs BMI 1 and 2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2")]
#[allow(unsafe_code)]
unsafe fn decode_four_bmi(
    lookup: &Lookup,
    bytes: &[u8],
    streams: &[Range<usize>],
    out: &mut [u8],
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { decode_four(lookup, bytes, streams, out) }
}

/// # Safety
/// `streams` are four ranges within `bytes`, each followed by at least
/// [`SLACK`] bytes of it.
#[inline(always)]
#[allow(unsafe_code)]
unsafe fn decode_four(
    lookup: &Lookup,
    bytes: &[u8],
    streams: &[Range<usize>],
    out: &mut [u8],
) -> bool {
    /// The most that the look-ups between two comparisons write, with the
    /// fourth byte of the last.
    const ROOM: usize = 3 * LOOKUPS + 1;
    let (shares, n_streams) = split(out.len());
    if n_streams != N_STREAMS {
        return false;
    }
    let mut first = 0;
    let mut state = [0, 1, 2, 3].map(|stream: usize| {
        let symbols = first..first + shares[stream];
        first = symbols.end;
        let range = &streams[stream];
        let (input, out) = (bytes.as_ptr(), out.as_mut_ptr());
        // SAFETY: both ranges lie within their slices.
        unsafe {
            Stream {
                window: 1,
                at: input.add(range.start),
                end: input.add(range.end),
                out: out.add(symbols.start),
                out_end: out.add(symbols.end),
            }
        }
    });
    let can_go_on = |stream: &Stream| {
        stream.at <= stream.end && stream.out_end as usize - stream.out as usize >= ROOM
    };
    // SAFETY, here and below: `at` is at most `end` before each refill and
    // moves by at most 7 bytes in one (entries take at most 11 bits), so that it stays within the slack;
    // `out` stays within the stream's own symbols because there is room for
    // all that the look-ups of one round write.
    let [mut a, mut b, mut c, mut d] = state;
    while can_go_on(&a) && can_go_on(&b) && can_go_on(&c) && can_go_on(&d) {
        // SAFETY: see above.
        unsafe {
            a.refill();
            b.refill();
            c.refill();
            d.refill();
            for _ in 0..LOOKUPS {
                a.look_up(lookup);
                b.look_up(lookup);
                c.look_up(lookup);
                d.look_up(lookup);
            }
        }
    }
    // Until the longest stream is near its end, too.
    state = [a, b, c, d];
    loop {
        let mut is_done = true;
        for stream in &mut state {
            if stream.at <= stream.end && stream.out_end as usize - stream.out as usize >= 4 {
                // SAFETY: see above; four bytes are left.
                unsafe {
                    stream.refill();
                    stream.look_up(lookup);
                }
                is_done = false;
            }
        }
        if is_done {
            break;
        }
    }
    for (stream, range) in state.iter_mut().zip(streams) {
        if stream.at > stream.end {
            return false;
        }
        // At most three.
        let n_left = stream.out_end as usize - stream.out as usize;
        for _ in 0..n_left {
            // SAFETY: see above for the refill; `n_left` bytes are left.
            unsafe {
                stream.refill();
                if stream.at > stream.end {
                    return false;
                }
                let symbol = lookup.entries[(stream.window >> (64 - MAX_CODE_LEN)) as usize] as u8;
                stream.out.write(symbol);
                stream.out = stream.out.add(1);
                stream.window <<= lookup.lengths[usize::from(symbol)];
            }
        }
        let start = bytes.as_ptr() as usize + range.start;
        let n_bits = 8 * (stream.at as usize - start) + stream.window.trailing_zeros() as usize;
        if n_bits.div_ceil(8) != range.len() {
            return false;
        }
    }
    true
}
