//! How the nonzeros of a bucket become symbols, raw bits and escapes.

use super::MAX_SYMBOLS;
use super::model::{MAX_ESCAPE_BITS, MAX_RAW_BITS};
use crate::kernels::Dictionary;

/// Upper parts of regular symbols are below this.
const MAX_PART: usize = 255;
/// Raw bits are taken off until the mean of upper parts is at most this.
const MEAN_PART: f64 = 4.0;
/// Counts take raw bits only where most are large: their mean logarithm then
/// stays at this.
const MEAN_COUNT_BITS: f64 = 4.0;

/// Chooses the dictionary of a bucket, and applies it.
#[derive(Debug, Default)]
pub(super) struct DictionaryPlan {
    n: u64,
    gap_sum: u64,
    count_bit_sum: u64,
    gap_bits: u8,
    count_bits: u8,
    /// How often each pair of upper parts occurs, by [`pair`].
    pairs: Vec<u32>,
    /// How often each pair of escape lengths occurs among larger parts.
    escaped: std::collections::BTreeMap<(u8, u8), u64>,
    /// The symbol of each pair, by [`pair`]; `NONE` for those without.
    symbol_of: Vec<u16>,
    n_regular: usize,
    escapes: Vec<(u8, u8)>,
}

const NONE: u16 = u16::MAX;

/// A nonzero's symbol and raw bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) symbol: u8,
    pub(super) raw: u32,
}

/// The fields that an escape adds: value and bits.
pub(super) type EscapeFields = [(u32, u32); 2];

fn pair(gap: u32, count: u32) -> Option<usize> {
    let (gap, count) = (gap as usize, count as usize);
    (gap < MAX_PART && count < MAX_PART).then_some(gap * MAX_PART + count)
}

/// Bits of an escaped part: it is 2^n - 1 and n more bits.
fn escape_bits(part: u32) -> u8 {
    // Parts are below 2^32 - 1.
    (part + 1).ilog2() as u8
}

impl DictionaryPlan {
    fn split(&self, gap: u32, count: u32) -> (u32, u32, u32) {
        let count = count - 1;
        let raw = gap & ((1 << self.gap_bits) - 1)
            | (count & ((1 << self.count_bits) - 1)) << self.gap_bits;
        (gap >> self.gap_bits, count >> self.count_bits, raw)
    }

    /// First pass: sizes of gaps and counts. `start` is the bucket's first
    /// position.
    pub(super) fn measure(&mut self, genes: &[u32], counts: &[u32], start: u32) {
        self.n += genes.len() as u64;
        if let Some(&last) = genes.last() {
            self.gap_sum += u64::from(last - start + 1) - genes.len() as u64;
        }
        self.count_bit_sum += counts
            .iter()
            .map(|count| u64::from(count.ilog2()))
            .sum::<u64>();
    }

    /// Chooses the numbers of raw bits.
    pub(super) fn choose_bits(&mut self) {
        let n = self.n.max(1) as f64;
        let mut mean = self.gap_sum as f64 / n;
        while mean > MEAN_PART && self.gap_bits < MAX_RAW_BITS {
            mean /= 2.0;
            self.gap_bits += 1;
        }
        let excess = self.count_bit_sum as f64 / n - MEAN_COUNT_BITS;
        self.count_bits = (excess.max(0.0) as u8).min(MAX_RAW_BITS - self.gap_bits);
        self.pairs = vec![0; MAX_PART * MAX_PART];
    }

    /// Second pass: how often pairs occur.
    pub(super) fn add(&mut self, genes: &[u32], counts: &[u32], start: u32) {
        let mut next = start;
        for (&gene, &count) in genes.iter().zip(counts) {
            let (gap, count, _) = self.split(gene - next, count);
            next = gene + 1;
            match pair(gap, count) {
                Some(pair) => self.pairs[pair] += 1,
                None => {
                    let bits = (escape_bits(gap), escape_bits(count));
                    *self.escaped.entry(bits).or_default() += 1;
                }
            }
        }
    }

    /// Chooses the symbols: the most frequent pairs, beside the escapes that
    /// the others need.
    pub(super) fn choose_symbols(&mut self) -> (Dictionary, Vec<(u8, u8)>) {
        let mut used: Vec<(u32, u32)> = self
            .pairs
            .iter()
            .enumerate()
            .filter(|&(_, &n)| n > 0)
            .map(|(pair, &n)| (n, pair as u32))
            .collect();
        used.sort_unstable_by_key(|&(n, pair)| (std::cmp::Reverse(n), pair));
        let parts = |pair: u32| (pair / MAX_PART as u32, pair % MAX_PART as u32);
        let escapes_beside = |n_regular: usize| {
            let mut escapes = self.escaped.clone();
            for &(n, pair) in used.iter().skip(n_regular) {
                let (gap, count) = parts(pair);
                let bits = (escape_bits(gap), escape_bits(count));
                *escapes.entry(bits).or_default() += u64::from(n);
            }
            escapes
        };
        let mut n_regular = used.len().min(MAX_SYMBOLS);
        let mut escapes = escapes_beside(n_regular);
        // Fewer regular symbols may need more escapes.
        while n_regular + escapes.len() > MAX_SYMBOLS && n_regular > MAX_SYMBOLS / 2 {
            n_regular = MAX_SYMBOLS
                .saturating_sub(escapes.len())
                .max(MAX_SYMBOLS / 2);
            escapes = escapes_beside(n_regular);
        }
        let mut kinds: Vec<(u64, (u8, u8))> = escapes.into_iter().map(|(b, n)| (n, b)).collect();
        if n_regular + kinds.len() > MAX_SYMBOLS {
            // The rarest share one escape that holds anything.
            kinds.sort_unstable_by_key(|&(n, _)| std::cmp::Reverse(n));
            kinds.truncate(MAX_SYMBOLS - n_regular - 1);
            kinds.push((0, (MAX_ESCAPE_BITS, MAX_ESCAPE_BITS)));
        }
        let mut regular: Vec<(u32, u32)> = used[..n_regular]
            .iter()
            .map(|&(_, pair)| parts(pair))
            .collect();
        regular.sort_unstable_by_key(|&(gap, count)| (count, gap));
        self.pairs = Vec::new();
        self.symbol_of = vec![NONE; MAX_PART * MAX_PART];
        for (symbol, &(gap, count)) in regular.iter().enumerate() {
            self.symbol_of[gap as usize * MAX_PART + count as usize] = symbol as u16;
        }
        self.n_regular = n_regular;
        self.escapes = kinds.into_iter().map(|(_, bits)| bits).collect();
        let gaps: Vec<u8> = regular.iter().map(|part| part.0 as u8).collect();
        let counts: Vec<u8> = regular.iter().map(|part| part.1 as u8).collect();
        let dictionary = Dictionary::new(&gaps, &counts, self.gap_bits, self.count_bits);
        (dictionary, self.escapes.clone())
    }

    /// Calls `each` with what every nonzero becomes.
    pub(super) fn each(
        &self,
        genes: &[u32],
        counts: &[u32],
        start: u32,
        mut each: impl FnMut(Option<EscapeFields>, Part),
    ) {
        let mut next = start;
        for (&gene, &count) in genes.iter().zip(counts) {
            let (gap, count, raw) = self.split(gene - next, count);
            next = gene + 1;
            let regular = pair(gap, count).map_or(NONE, |pair| self.symbol_of[pair]);
            if regular != NONE {
                each(
                    None,
                    Part {
                        symbol: regular as u8,
                        raw,
                    },
                );
                continue;
            }
            let (symbol, fields) = self.escape(gap, count);
            each(Some(fields), Part { symbol, raw });
        }
    }

    fn escape(&self, gap: u32, count: u32) -> (u8, EscapeFields) {
        let bits = (escape_bits(gap), escape_bits(count));
        let field = |part: u32, n_bits: u8| (part + 1 - (1 << n_bits), u32::from(n_bits));
        match self.escapes.iter().position(|&escape| escape == bits) {
            Some(at) => (
                (self.n_regular + at) as u8,
                [field(gap, bits.0), field(count, bits.1)],
            ),
            // The one that holds anything is the last.
            None => (
                (self.n_regular + self.escapes.len() - 1) as u8,
                [(gap, 32), (count, 32)],
            ),
        }
    }
}
