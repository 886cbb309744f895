//! Canonical prefix codes of at most [`MAX_CODE_LEN`] bits, most significant
//! bit first, and the tables that decode up to three symbols at a time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::{TileError, TileResult};

/// Longest code in bits. A table of 2^11 entries of 4 bytes stays in the
/// first-level cache, and five look-ups fit in a 64-bit window.
pub const MAX_CODE_LEN: u32 = 11;

/// Entries of a decoding table.
pub(crate) const TABLE_LEN: usize = 1 << MAX_CODE_LEN;

/// Code lengths for symbols that occur so often: short where frequent, 0 where
/// a symbol does not occur. A single symbol gets length 1.
///
/// Optimal codes of at most 11 bits, by the package-merge algorithm (Larmore
/// and Hirschberg 1990).
pub(super) fn code_lengths(frequencies: &[u32]) -> Vec<u8> {
    let mut lengths = vec![0u8; frequencies.len()];
    let mut used: Vec<(u64, usize)> = frequencies
        .iter()
        .enumerate()
        .filter(|&(_, &n)| n > 0)
        .map(|(symbol, &n)| (u64::from(n), symbol))
        .collect();
    used.sort_unstable();
    match used.as_slice() {
        [] => return lengths,
        &[(_, symbol)] => {
            lengths[symbol] = 1;
            return lengths;
        }
        _ => {}
    }
    if huffman_lengths(&used, &mut lengths) <= MAX_CODE_LEN {
        return lengths;
    }
    lengths.fill(0);
    // A package is a weight and the symbols in it; a symbol's length is the
    // number of packages chosen that hold it.
    let leaves: Vec<(u64, Vec<usize>)> = used
        .iter()
        .map(|&(weight, symbol)| (weight, vec![symbol]))
        .collect();
    let mut packages = leaves.clone();
    for _ in 1..MAX_CODE_LEN {
        let mut merged: Vec<(u64, Vec<usize>)> = packages
            .chunks_exact(2)
            .map(|pair| (pair[0].0 + pair[1].0, [&pair[0].1[..], &pair[1].1].concat()))
            .collect();
        merged.extend_from_slice(&leaves);
        merged.sort_by_key(|package| package.0);
        packages = merged;
    }
    for (_, symbols) in &packages[..2 * used.len() - 2] {
        for &symbol in symbols {
            lengths[symbol] += 1;
        }
    }
    lengths
}

/// Lengths without a limit, and the longest; `used` is sorted.
fn huffman_lengths(used: &[(u64, usize)], lengths: &mut [u8]) -> u32 {
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = used
        .iter()
        .enumerate()
        .map(|(node, &(weight, _))| Reverse((weight, node)))
        .collect();
    let mut parents = vec![0; 2 * used.len() - 1];
    let mut next = used.len();
    while let (Some(Reverse(a)), Some(Reverse(b))) = (heap.pop(), heap.pop()) {
        parents[a.1] = next;
        parents[b.1] = next;
        heap.push(Reverse((a.0 + b.0, next)));
        next += 1;
        if next == parents.len() {
            break;
        }
    }
    let root = parents.len() - 1;
    let mut depths = vec![0u32; parents.len()];
    for node in (0..root).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    for (node, &(_, symbol)) in used.iter().enumerate() {
        lengths[symbol] = depths[node].min(255) as u8;
    }
    depths[..used.len()].iter().copied().max().unwrap_or(0)
}

/// The code of each symbol, right-aligned: ascending by length, then symbol.
pub(super) fn codes(lengths: &[u8]) -> Vec<u16> {
    let mut codes = vec![0u16; lengths.len()];
    let mut next = 0u32;
    for len in 1..=MAX_CODE_LEN {
        next <<= 1;
        for (symbol, _) in lengths
            .iter()
            .enumerate()
            .filter(|&(_, &l)| u32::from(l) == len)
        {
            codes[symbol] = next as u16;
            next += 1;
        }
    }
    codes
}

/// What decodes a prefix code.
#[derive(Debug)]
pub(crate) enum DecodeTable {
    /// No symbol has a code: nothing can be decoded.
    Empty,
    /// A single symbol, which takes no bits.
    Constant(u8),
    /// Look-ups by the next 11 bits.
    Table(Box<Lookup>),
}

/// For the next 11 bits: up to three symbols in the low bytes, the bits that
/// they take in bits 24 to 29, how many they are in bits 30 and 31.
#[derive(Debug)]
pub(crate) struct Lookup {
    pub(crate) entries: [u32; TABLE_LEN],
    /// The code length of each symbol.
    pub(crate) lengths: [u8; 256],
}

impl DecodeTable {
    /// The table for the code lengths of at most 256 symbols.
    ///
    /// # Errors
    /// `TileError::Corrupt` if they are not those of a complete code.
    pub(super) fn new(lengths: &[u8], place: &str) -> TileResult<DecodeTable> {
        let mut space = 0u32;
        let mut used = (0, 0u8);
        for (symbol, &len) in lengths.iter().enumerate().filter(|&(_, &len)| len > 0) {
            if u32::from(len) > MAX_CODE_LEN {
                return Err(TileError::corrupt(
                    place,
                    format!("a code of {len} bits, at most {MAX_CODE_LEN} are allowed"),
                ));
            }
            space += TABLE_LEN as u32 >> len;
            used = (used.0 + 1, symbol as u8);
        }
        match (used, space as usize) {
            ((0, _), _) => return Ok(DecodeTable::Empty),
            ((1, symbol), _) => return Ok(DecodeTable::Constant(symbol)),
            (_, TABLE_LEN) => {}
            _ => {
                return Err(TileError::corrupt(
                    place,
                    "the code lengths are not those of a complete prefix code",
                ));
            }
        }
        let mut lookup = Box::new(Lookup {
            entries: [0; TABLE_LEN],
            lengths: [0; 256],
        });
        lookup.lengths[..lengths.len()].copy_from_slice(lengths);
        lookup.fill();
        Ok(DecodeTable::Table(lookup))
    }
}

impl Lookup {
    fn fill(&mut self) {
        // First the table of single symbols: symbol in the low byte, length above.
        let mut single = [0u16; TABLE_LEN];
        let mut at = 0;
        for len in 1..=MAX_CODE_LEN as u8 {
            for (symbol, _) in self.lengths.iter().enumerate().filter(|&(_, &l)| l == len) {
                let end = at + (TABLE_LEN >> len);
                single[at..end].fill(symbol as u16 | u16::from(len) << 8);
                at = end;
            }
        }
        for (bits, entry) in self.entries.iter_mut().enumerate() {
            let mut symbols = 0u32;
            let mut taken = 0u32;
            let mut n = 0u32;
            while n < 3 {
                let next = single[(bits << taken) & (TABLE_LEN - 1)];
                let len = u32::from(next >> 8);
                if taken + len > MAX_CODE_LEN {
                    break;
                }
                symbols |= u32::from(next & 0xff) << (8 * n);
                taken += len;
                n += 1;
            }
            *entry = symbols | taken << 24 | n << 30;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cost(frequencies: &[u32], lengths: &[u8]) -> u64 {
        frequencies
            .iter()
            .zip(lengths)
            .map(|(&n, &len)| u64::from(n) * u64::from(len))
            .sum()
    }

    proptest! {
        #[test]
        fn lengths_are_those_of_a_complete_code(
            frequencies in prop::collection::vec(prop_oneof![Just(0u32), 1u32..10, 1u32..1_000_000], 0..256)
        ) {
            let lengths = code_lengths(&frequencies);
            for (&n, &len) in frequencies.iter().zip(&lengths) {
                prop_assert_eq!(n > 0, len > 0);
            }
            let n_used = frequencies.iter().filter(|&&n| n > 0).count();
            let table = DecodeTable::new(&lengths, "x").unwrap();
            prop_assert_eq!(n_used == 0, matches!(table, DecodeTable::Empty));
            prop_assert_eq!(n_used == 1, matches!(table, DecodeTable::Constant(_)));
        }
    }

    #[test]
    fn the_limit_costs_little_and_only_where_it_binds() {
        // Fibonacci weights make codes as long as there are symbols.
        let mut frequencies = vec![1u32, 1];
        for i in 2..25 {
            frequencies.push(frequencies[i - 1] + frequencies[i - 2]);
        }
        let lengths = code_lengths(&frequencies);
        assert!(lengths.iter().all(|&len| u32::from(len) <= MAX_CODE_LEN));
        let mut free = vec![0; frequencies.len()];
        let mut used: Vec<(u64, usize)> = (0..)
            .zip(&frequencies)
            .map(|(s, &n)| (n.into(), s))
            .collect();
        used.sort_unstable();
        assert!(huffman_lengths(&used, &mut free) > MAX_CODE_LEN);
        let (limited, free) = (cost(&frequencies, &lengths), cost(&frequencies, &free));
        assert!(free < limited && limited < free + free / 100);
        assert_eq!(code_lengths(&[5, 0, 3, 2]), [1, 0, 2, 2]);
        assert_eq!(codes(&[1, 0, 2, 2]), [0b0, 0, 0b10, 0b11]);
    }

    #[test]
    fn incomplete_codes_are_refused() {
        for lengths in [&[1u8, 2][..], &[1, 1, 1], &[12, 1], &[2, 2, 2]] {
            assert!(DecodeTable::new(lengths, "x").is_err());
        }
    }
}
