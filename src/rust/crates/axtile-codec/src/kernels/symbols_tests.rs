//! Streams of symbols by every way, against the symbols that were encoded; also
//! streams that hold something else.

use std::ops::Range;

use proptest::prelude::*;

use super::Simd;
use super::symbols::{SLACK, decode_plain, decode_symbols, split};
use crate::grid::huffman::{Lookup, MAX_CODE_LEN, TABLE_LEN};

/// Lengths of a complete code: leaves are split in two as `choices` say.
fn code(choices: &[usize]) -> Vec<u8> {
    let mut lengths = vec![1, 1];
    for choice in choices {
        let at = choice % lengths.len();
        if u32::from(lengths[at]) < MAX_CODE_LEN && lengths.len() < 256 {
            lengths[at] += 1;
            lengths.push(lengths[at]);
        }
    }
    lengths
}

/// The canonical code of each symbol.
fn codes(lengths: &[u8]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&symbol| (lengths[symbol], symbol));
    let mut codes = vec![0; lengths.len()];
    // In units of the longest code.
    let mut next = 0u32;
    for symbol in order {
        let len = u32::from(lengths[symbol]);
        codes[symbol] = next >> (MAX_CODE_LEN - len);
        next += 1 << (MAX_CODE_LEN - len);
    }
    codes
}

/// Up to three symbols for each of the next bits, found by trying all codes.
fn lookup(lengths: &[u8]) -> Box<Lookup> {
    let codes = codes(lengths);
    let single: Vec<usize> = (0..TABLE_LEN as u32)
        .map(|bits| {
            (0..lengths.len())
                .find(|&symbol| {
                    bits >> (MAX_CODE_LEN - u32::from(lengths[symbol])) == codes[symbol]
                })
                .unwrap()
        })
        .collect();
    let mut all = [0; 256];
    all[..lengths.len()].copy_from_slice(lengths);
    let mut lookup = Box::new(Lookup {
        entries: [0; TABLE_LEN],
        lengths: all,
    });
    for (bits, entry) in lookup.entries.iter_mut().enumerate() {
        let (mut taken, mut n) = (0, 0);
        while n < 3 {
            let symbol = single[bits << taken & (TABLE_LEN - 1)];
            let len = u32::from(lengths[symbol]);
            if taken + len > MAX_CODE_LEN {
                break;
            }
            *entry |= (symbol as u32) << (8 * n);
            taken += len;
            n += 1;
        }
        *entry |= taken << 24 | n << 30;
    }
    lookup
}

/// The streams of a run, one behind the other after `first` other bytes.
fn encode(lengths: &[u8], symbols: &[u8], first: usize) -> (Vec<u8>, Vec<Range<usize>>) {
    let codes = codes(lengths);
    let (shares, n_streams) = split(symbols.len());
    let mut bytes = vec![0xa5; first];
    let mut streams = Vec::new();
    let mut symbols = symbols.iter();
    for &share in &shares[..n_streams] {
        let start = bytes.len();
        let mut n_bits = 0;
        for &symbol in symbols.by_ref().take(share) {
            for bit in (0..lengths[usize::from(symbol)]).rev() {
                if n_bits % 8 == 0 {
                    bytes.push(0);
                }
                let set = (codes[usize::from(symbol)] >> bit & 1) as u8;
                *bytes.last_mut().unwrap() |= set << (7 - n_bits % 8);
                n_bits += 1;
            }
        }
        streams.push(start..bytes.len());
    }
    (bytes, streams)
}

/// Whether the streams hold `n` symbols, and which; all ways agree. Buffers have
/// exactly their length, for sanitizers.
fn decode(lookup: &Lookup, bytes: &[u8], streams: &[Range<usize>], n: usize) -> Option<Vec<u8>> {
    let mut plain = vec![0; n];
    let is_good = decode_plain(lookup, bytes, streams, &mut plain);
    for simd in Simd::all() {
        let mut out = vec![0; n];
        let got = decode_symbols(simd, lookup, bytes, streams, &mut out);
        assert_eq!(got, is_good, "{}", simd.name());
        assert!(!is_good || out == plain, "{}", simd.name());
    }
    is_good.then_some(plain)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_way_reads_what_was_written_and_refuses_the_rest(
        choices in prop::collection::vec(any::<usize>(), 0..300),
        seeds in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            prop::collection::vec(any::<u8>(), 250..3_000)
        ],
        first in 0usize..20,
        slack in prop_oneof![3 => Just(SLACK), 1 => 0..SLACK],
        damage in prop::collection::vec((any::<usize>(), any::<u8>()), 1..30),
    ) {
        let lengths = code(&choices);
        let lookup = lookup(&lengths);
        let symbols: Vec<u8> = seeds.iter().map(|&s| (usize::from(s) % lengths.len()) as u8).collect();
        let n = symbols.len();
        let (mut bytes, streams) = encode(&lengths, &symbols, first);
        bytes.resize(bytes.len() + slack, 0x5a);
        prop_assert_eq!(decode(&lookup, &bytes, &streams, n), Some(symbols));

        // More symbols or fewer than there are, in as many streams.
        for other in [n.saturating_sub(1), n + 1, 2 * n, n / 2] {
            decode(&lookup, &bytes, &streams, other);
        }
        // Other streams than those.
        for &(at, by) in &damage {
            let mut others = streams.clone();
            let other = &mut others[at % streams.len()];
            let by = usize::from(by);
            match at / 4 % 4 {
                0 => other.end = other.end.saturating_sub(by).max(other.start),
                1 => other.end += by,
                2 => other.start = other.start.saturating_sub(by),
                _ => other.start += by,
            }
            decode(&lookup, &bytes, &others, n);
        }
        // Other bytes.
        for (at, by) in damage {
            let len = bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(at % len) {
                *byte ^= by;
            }
        }
        decode(&lookup, &bytes, &streams, n);
        for byte in [0, 0xff] {
            bytes.fill(byte);
            decode(&lookup, &bytes, &streams, n);
        }
        bytes.clear();
        decode(&lookup, &bytes, &streams, n);
    }
}
