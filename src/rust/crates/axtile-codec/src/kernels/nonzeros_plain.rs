//! Segments without vector instructions, the safe twin of the other ways: runs
//! of regular symbols between escapes, eight nonzeros to a word of raw bits.

use super::count::Count;
use super::nonzeros::{BlockView, Dictionary, Segment, word};

/// Nonzeros whose raw bits are read at once, as long as each has at most
/// [`MAX_GROUP_BITS`].
const GROUP: usize = 8;
const MAX_GROUP_BITS: usize = 8;

/// As [`super::nonzeros::write_segment`].
pub(super) fn write_plain<C: Count>(
    segment: &Segment<'_>,
    base: u32,
    genes: &mut [i32],
    counts: &mut [C],
) -> bool {
    let n = segment.n;
    assert!(genes.len() >= n && counts.len() == genes.len());
    let end = segment.first + n;
    // The first gene that the next nonzero may have, and the one behind the
    // bucket. No sum passes 2^63: a segment has at most 2^26 nonzeros.
    let mut gene = u64::from(base);
    let gene_end = gene + u64::from(segment.width);
    let mut run = Run {
        block: segment.block,
        at: segment.first,
        genes: &mut genes[..n],
        counts: &mut counts[..n],
    };
    for escape in segment.block.escapes.within(segment.first..end) {
        let place = escape.at as usize;
        let Some(next) = run.write(place, gene) else {
            return false;
        };
        let Some((gap, count)) = segment.escape(place - segment.first) else {
            return false;
        };
        gene = next + gap;
        if gene >= gene_end || count > i32::MAX as u64 {
            return false;
        }
        let (genes, counts) = run.take(1);
        genes[0] = gene as i32;
        counts[0] = C::from_u32(count as u32);
        gene += 1;
    }
    run.write(end, gene).is_some_and(|gene| gene <= gene_end)
}

/// The nonzeros of a segment that are still to come.
struct Run<'a, C> {
    block: &'a BlockView<'a>,
    /// The number of the next symbol.
    at: usize,
    genes: &'a mut [i32],
    counts: &'a mut [C],
}

impl<'a, C: Count> Run<'a, C> {
    /// The places of the next nonzeros.
    #[inline]
    fn take(&mut self, n: usize) -> (&'a mut [i32], &'a mut [C]) {
        self.at += n;
        (
            self.genes.split_off_mut(..n).unwrap_or_default(),
            self.counts.split_off_mut(..n).unwrap_or_default(),
        )
    }

    /// Writes the nonzeros up to symbol `end`, all of them regular. `gene` is
    /// the first that may come; returns the one behind the last. `None` if a
    /// count is out of range, or symbols or raw bits are missing.
    #[inline]
    fn write(&mut self, end: usize, gene: u64) -> Option<u64> {
        let block = self.block;
        let dictionary = block.dictionary;
        let symbols = block.symbols.get(self.at..end)?;
        let first = self.at;
        let (genes, counts) = self.take(symbols.len());
        let n_raw = dictionary.raw_bits();
        if n_raw <= MAX_GROUP_BITS {
            let bit = first * n_raw;
            let raw = block.raw.get(bit / 8..)?;
            return if dictionary.count_bits == 0 {
                write_groups::<C, false>(dictionary, symbols, raw, bit % 8, gene, genes, counts)
            } else {
                write_groups::<C, true>(dictionary, symbols, raw, bit % 8, gene, genes, counts)
            };
        }
        let mut gene = gene;
        for (i, ((&symbol, gene_out), count_out)) in
            symbols.iter().zip(genes).zip(counts).enumerate()
        {
            let [gap, count] = dictionary.entries[usize::from(symbol)].to_le_bytes();
            let raw = block.raw_at((first + i) * n_raw)?;
            let (gap, count) = dictionary.join(gap.into(), u32::from(count).saturating_sub(1), raw);
            if count > i32::MAX as u64 {
                return None;
            }
            gene += gap;
            *gene_out = gene as i32;
            *count_out = C::from_u32(count as u32);
            gene += 1;
        }
        Some(gene)
    }
}

/// As [`Run::write`], for at most [`MAX_GROUP_BITS`] raw bits a nonzero, some of
/// the count if `COUNT_BITS`; they start at bit `shift` of `raw`.
fn write_groups<C: Count, const COUNT_BITS: bool>(
    dictionary: &Dictionary,
    symbols: &[u8],
    raw: &[u8],
    shift: usize,
    gene: u64,
    genes: &mut [i32],
    counts: &mut [C],
) -> Option<u64> {
    let n_raw = dictionary.raw_bits();
    let gap_bits = u32::from(dictionary.gap_bits);
    let gap_mask = (1u64 << gap_bits) - 1;
    let count_bits = u32::from(dictionary.count_bits);
    let count_mask = (1u64 << count_bits) - 1;
    let mut next = gene;
    let mut write = |symbols: &[u8], raw: u64, genes: &mut [i32], counts: &mut [C]| {
        let mut raw = raw;
        for ((&symbol, gene), count_out) in symbols.iter().zip(genes).zip(counts) {
            let entry = u64::from(dictionary.entries[usize::from(symbol)]);
            next += (entry & 0xff) << gap_bits | raw & gap_mask;
            *gene = next as i32;
            next += 1;
            let mut count = entry >> 8;
            if COUNT_BITS {
                // At most 2^16.
                count = (count.saturating_sub(1) << count_bits | raw >> gap_bits & count_mask) + 1;
            }
            *count_out = C::from_u32(count as u32);
            raw >>= n_raw;
        }
    };
    let (groups, last) = symbols.as_chunks::<GROUP>();
    let (gene_groups, last_genes) = genes.as_chunks_mut::<GROUP>();
    let (count_groups, last_counts) = counts.as_chunks_mut::<GROUP>();
    let mut at = 0;
    for ((symbols, genes), counts) in groups.iter().zip(gene_groups).zip(count_groups) {
        write(symbols, word(raw.get(at..)?) >> shift, genes, counts);
        // Eight nonzeros take whole bytes.
        at += n_raw;
    }
    write(last, word(raw.get(at..)?) >> shift, last_genes, last_counts);
    Some(next)
}
