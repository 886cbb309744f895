//! From symbols to nonzeros: positions of genes from gaps, and counts.

use super::Simd;
use super::count::Count;
use super::escapes::Escapes;
use super::nonzeros_plain::write_plain;

/// What vector loops may read behind symbols and raw bits.
pub(crate) const READ_AHEAD: usize = 64;

/// Shorter segments are not worth setting up vectors that have no masks.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const SHORT: usize = 8;

/// What the symbols and raw bits of a bucket mean. A gap and a count less 1
/// each have an upper part in the symbol and a lower one in the raw bits.
#[derive(Debug)]
pub(crate) struct Dictionary {
    /// Raw bits of a gap.
    pub(crate) gap_bits: u8,
    /// Raw bits of a count, above those of the gap.
    pub(crate) count_bits: u8,
    /// The upper part of each symbol's gap, below 255.
    pub(crate) gaps: Box<[u8; 256]>,
    /// The upper part of each symbol's count less 1, below 255.
    pub(crate) counts: Box<[u8; 256]>,
    /// Gaps and counts plus 1: what the vector loops look up.
    #[cfg(target_arch = "x86_64")]
    pub(super) plus_one: Box<[[u8; 256]; 2]>,
    /// What each symbol stands for: the upper part of its gap in the low byte,
    /// that of its count less 1, plus 1, in the high one; 0 for escapes.
    pub(super) entries: Box<[u16; 256]>,
    n_regular: usize,
}

/// The nonzeros of a chunk in one bucket: symbols decoded, the rest still coded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockView<'a> {
    pub(crate) dictionary: &'a Dictionary,
    /// All symbols of the block; more may follow.
    pub(super) symbols: &'a [u8],
    /// How many they are.
    n: usize,
    /// From the block's raw bits on to the end of the tile.
    pub(super) raw: &'a [u8],
    pub(super) escapes: &'a Escapes,
    /// Whether vector loops may decode its segments: few raw bits, none of a
    /// count, and [`READ_AHEAD`] bytes behind symbols and raw bits.
    is_simple: bool,
}

/// The nonzeros of one cell in one bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) block: &'a BlockView<'a>,
    /// Its symbols: the number of the first, and how many.
    pub(crate) first: usize,
    pub(crate) n: usize,
    /// The number of positions in the bucket.
    pub(crate) width: u32,
}

impl<'a> BlockView<'a> {
    /// A block of `n` symbols; `escapes` are those of its symbols.
    pub(crate) fn new(
        dictionary: &'a Dictionary,
        symbols: &'a [u8],
        n: usize,
        raw: &'a [u8],
        escapes: &'a Escapes,
    ) -> BlockView<'a> {
        let is_simple = dictionary.gap_bits <= 8
            && dictionary.count_bits == 0
            && n + READ_AHEAD <= symbols.len()
            && n * dictionary.raw_bits() / 8 + READ_AHEAD <= raw.len();
        BlockView {
            dictionary,
            symbols,
            n,
            raw,
            escapes,
            is_simple,
        }
    }

    /// At least 57 raw bits from bit `bit` on.
    #[inline]
    pub(super) fn raw_at(&self, bit: usize) -> Option<u64> {
        Some(word(self.raw.get(bit / 8..)?) >> (bit % 8))
    }
}

impl Dictionary {
    /// A dictionary with the upper parts of its regular symbols.
    ///
    /// # Panics
    /// If there are more than 256, not as many of one as of the other, or one is
    /// 255.
    pub(crate) fn new(gaps: &[u8], counts: &[u8], gap_bits: u8, count_bits: u8) -> Dictionary {
        assert!(gaps.len() <= 256 && gaps.len() == counts.len());
        assert!(gaps.iter().chain(counts).all(|&part| part < 255));
        let table = |parts: &[u8], plus: u8| {
            let mut table = [0; 256];
            for (out, part) in table.iter_mut().zip(parts) {
                *out = part + plus;
            }
            table
        };
        let mut entries = Box::new([0; 256]);
        for ((entry, &gap), &count) in entries.iter_mut().zip(gaps).zip(counts) {
            *entry = u16::from_le_bytes([gap, count + 1]);
        }
        Dictionary {
            gap_bits,
            count_bits,
            gaps: Box::new(table(gaps, 0)),
            counts: Box::new(table(counts, 0)),
            #[cfg(target_arch = "x86_64")]
            plus_one: Box::new([table(gaps, 1), table(counts, 1)]),
            entries,
            n_regular: gaps.len(),
        }
    }

    /// Symbols from this one on are escapes.
    pub(crate) fn n_regular(&self) -> usize {
        self.n_regular
    }

    /// Gap and count from their upper parts and the raw bits, which may be
    /// followed by others. Both are below 2^58.
    #[inline]
    pub(super) fn join(&self, gap: u32, count: u32, raw: u64) -> (u64, u64) {
        let mask = |n_bits: u8| (1u64 << n_bits) - 1;
        (
            u64::from(gap) << self.gap_bits | raw & mask(self.gap_bits),
            (u64::from(count) << self.count_bits | raw >> self.gap_bits & mask(self.count_bits))
                + 1,
        )
    }

    /// Raw bits of a nonzero.
    pub(crate) fn raw_bits(&self) -> usize {
        usize::from(self.gap_bits) + usize::from(self.count_bits)
    }
}

impl Segment<'_> {
    /// Whether the segment is one for the vector loops.
    #[inline]
    fn is_simple(&self) -> bool {
        self.block.is_simple
            && self.width < u16::MAX.into()
            && self.n <= self.block.n
            && self.first <= self.block.n - self.n
    }

    /// Gap and count of nonzero `i`, whose symbol is an escape.
    pub(super) fn escape(&self, i: usize) -> Option<(u64, u64)> {
        let block = self.block;
        let at = self.first + i;
        let escape = block.escapes.within(at..at + 1).next()?;
        let raw = block.raw_at(at * block.dictionary.raw_bits())?;
        Some(block.dictionary.join(escape.gap, escape.count, raw))
    }
}

/// The first eight bytes, or what there is.
#[inline]
pub(super) fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }
    }
}

/// Writes the genes and counts of a segment to the start of two equally long
/// slices: position p is gene `base + p`. `false` if one is out of range. What
/// lies behind them in the slices may be overwritten.
///
/// # Panics
/// If the slices are shorter than the segment or not equally long.
#[inline]
pub(crate) fn write_segment<C: Count>(
    simd: Simd,
    segment: &Segment<'_>,
    base: u32,
    genes: &mut [i32],
    counts: &mut [C],
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if simd.avx512() && segment.is_simple() {
        // SAFETY: both were just asked.
        #[allow(unsafe_code)]
        return unsafe { super::nonzeros_avx512::write_segment(segment, base, genes, counts) };
    }
    #[cfg(target_arch = "x86_64")]
    if simd.avx2() && segment.n >= SHORT && segment.is_simple() {
        // SAFETY: both were just asked.
        #[allow(unsafe_code)]
        return unsafe { super::nonzeros_avx2::write_segment(segment, base, genes, counts) };
    }
    #[cfg(target_arch = "aarch64")]
    if simd.neon() && segment.n >= SHORT && segment.is_simple() {
        // SAFETY: the segment is simple.
        #[allow(unsafe_code)]
        return unsafe { super::nonzeros_neon::write_segment(segment, base, genes, counts) };
    }
    let _ = simd;
    write_plain(segment, base, genes, counts)
}
