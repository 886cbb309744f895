//! From symbols to nonzeros: positions of genes from gaps, and counts.

use super::Simd;
use super::planes::Count;

/// What vector loops may read behind symbols and raw bits.
pub(crate) const READ_AHEAD: usize = 64;

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
    n_regular: usize,
}

/// The nonzeros of a block whose symbols are escapes.
#[derive(Debug, Default)]
pub(crate) struct Escapes {
    /// Ascending by place.
    all: Vec<Escape>,
    /// For every [`STEP`] symbols, how many escapes come before.
    before: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Escape {
    /// The number of the symbol in its block.
    at: u32,
    gap: u32,
    count: u32,
}

const STEP: usize = 64;

impl Escapes {
    /// Finds the symbols from `bound` on, and asks `parts` for the upper parts
    /// of gap and count that each stands for, in order.
    pub(crate) fn find(
        &mut self,
        symbols: &[u8],
        bound: usize,
        mut parts: impl FnMut(usize) -> (u32, u32),
    ) {
        self.all.clear();
        self.before.clear();
        if bound > usize::from(u8::MAX) {
            return;
        }
        let bound = bound as u8;
        let mut add = |first: usize, symbols: &[u8]| {
            for (i, &symbol) in symbols.iter().enumerate().filter(|&(_, &s)| s >= bound) {
                let (gap, count) = parts(usize::from(symbol - bound));
                let at = (first + i) as u32;
                self.all.push(Escape { at, gap, count });
            }
            self.all.len() as u32
        };
        let (steps, rest) = symbols.as_chunks::<STEP>();
        self.before.reserve(steps.len() + 1);
        let mut n = 0;
        for (idx, step) in steps.iter().enumerate() {
            self.before.push(n);
            // Without a choice in it, this is a few instructions.
            if step.iter().fold(0, |any, &s| any | u8::from(s >= bound)) != 0 {
                n = add(STEP * idx, step);
            }
        }
        self.before.push(n);
        add(STEP * steps.len(), rest);
    }

    /// The upper parts of the escape at symbol `at`.
    fn get(&self, at: usize) -> Option<(u32, u32)> {
        let first = *self.before.get(at / STEP)? as usize;
        let escape = self.all[first..]
            .iter()
            .find(|escape| escape.at as usize >= at)
            .filter(|escape| escape.at as usize == at)?;
        Some((escape.gap, escape.count))
    }
}

/// The nonzeros of a chunk in one bucket: symbols decoded, the rest still coded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockView<'a> {
    pub(crate) dictionary: &'a Dictionary,
    /// All symbols of the block; more may follow.
    pub(crate) symbols: &'a [u8],
    /// From the block's raw bits on to the end of the tile.
    pub(crate) raw: &'a [u8],
    pub(crate) escapes: &'a Escapes,
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
    /// A block of `n` symbols.
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
            raw,
            escapes,
            is_simple,
        }
    }

    /// At least 57 raw bits from bit `bit` on.
    #[inline]
    fn raw_at(&self, bit: usize) -> Option<u64> {
        Some(word(self.raw.get(bit / 8..)?) >> (bit % 8))
    }
}

impl Dictionary {
    /// A dictionary with the upper parts of its regular symbols.
    ///
    /// # Panics
    /// If there are more than 256, or one is 255.
    pub(crate) fn new(gaps: &[u8], counts: &[u8], gap_bits: u8, count_bits: u8) -> Dictionary {
        let table = |parts: &[u8]| {
            let mut table = Box::new([0; 256]);
            table[..parts.len()].copy_from_slice(parts);
            table
        };
        Dictionary {
            gap_bits,
            count_bits,
            gaps: table(gaps),
            counts: table(counts),
            #[cfg(target_arch = "x86_64")]
            plus_one: Box::new([gaps, counts].map(|parts| table(parts).map(|part| part + 1))),
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
    fn join(&self, gap: u32, count: u32, raw: u64) -> (u64, u64) {
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
    pub(crate) fn is_simple(&self) -> bool {
        self.block.is_simple && self.width < u16::MAX.into()
    }

    /// Calls `put` for every nonzero with its place in the segment, its
    /// position in the bucket, and its count. `false` if a position or count is
    /// out of range, or an escape is missing; `put` sees only good ones.
    #[inline]
    pub(crate) fn each(&self, mut put: impl FnMut(usize, u32, u32)) -> bool {
        let block = self.block;
        let dictionary = block.dictionary;
        let n_raw = dictionary.raw_bits();
        let mut bit = self.first * n_raw;
        let mut position = 0u64;
        let Some(symbols) = block.symbols.get(self.first..self.first + self.n) else {
            return false;
        };
        for (i, &symbol) in symbols.iter().enumerate() {
            let symbol = usize::from(symbol);
            let (gap, count) = if symbol < dictionary.n_regular {
                let Some(raw) = block.raw_at(bit) else {
                    return false;
                };
                let (gap, count) = (dictionary.gaps[symbol], dictionary.counts[symbol]);
                dictionary.join(gap.into(), count.into(), raw)
            } else {
                match self.escape(i) {
                    Some(parts) => parts,
                    None => return false,
                }
            };
            bit += n_raw;
            position += gap;
            if position >= u64::from(self.width) || count > i32::MAX as u64 {
                return false;
            }
            put(i, position as u32, count as u32);
            position += 1;
        }
        true
    }

    /// Gap and count of nonzero `i`, whose symbol is an escape.
    pub(crate) fn escape(&self, i: usize) -> Option<(u64, u64)> {
        let block = self.block;
        let at = self.first + i;
        let (gap, count) = block.escapes.get(at)?;
        let raw = block.raw_at(at * block.dictionary.raw_bits())?;
        Some(block.dictionary.join(gap, count, raw))
    }
}

/// The first eight bytes, or what there is.
#[inline]
fn word(bytes: &[u8]) -> u64 {
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
        return unsafe { super::nonzeros_x86::write_segment(segment, base, genes, counts) };
    }
    let _ = simd;
    write_plain(segment, base, genes, counts)
}

/// The safe twin.
fn write_plain<C: Count>(
    segment: &Segment<'_>,
    base: u32,
    genes: &mut [i32],
    counts: &mut [C],
) -> bool {
    // Genes are below 2^31.
    segment.each(|i, position, count| {
        genes[i] = (base + position) as i32;
        counts[i] = C::from_u32(count);
    })
}
