//! Segments by every way, against one nonzero at a time.

use proptest::prelude::*;

use super::Simd;
use super::escapes::Escapes;
use super::nonzeros::{BlockView, Dictionary, READ_AHEAD, Segment, write_segment};

/// A block with a segment in it.
#[derive(Clone, Debug)]
struct Case {
    /// Upper parts of gap and count less 1 of the regular symbols.
    parts: Vec<(u8, u8)>,
    gap_bits: u8,
    count_bits: u8,
    /// Symbols of the block; more bytes may follow.
    n_symbols: usize,
    symbols: Vec<u8>,
    raw: Vec<u8>,
    /// For escapes in turn.
    escapes: Vec<(u32, u32)>,
    first: usize,
    n: usize,
    base: u32,
    /// Places behind the segment's in the slices written to.
    room: usize,
}

fn cases() -> impl Strategy<Value = Case> {
    let part = prop_oneof![4 => 0u8..3, 1 => 0u8..255];
    let escape = prop_oneof![
        (0u32..20, 0u32..20),
        (250u32..70_000, 0u32..70_000),
        (any::<u32>(), any::<u32>())
    ];
    let sizes = (
        prop_oneof![2 => 0u8..=8, 1 => 0u8..=25],
        prop_oneof![3 => Just(0u8), 1 => 0u8..=8, 1 => 0u8..=25],
        prop_oneof![0usize..40, 0usize..700],
        prop_oneof![1usize..=256, Just(255usize), Just(256usize), Just(128usize)],
        // Slack behind symbols and raw bits, and whether symbols are any.
        prop_oneof![3 => Just(READ_AHEAD), 1 => 0..READ_AHEAD],
        any::<bool>(),
    );
    (sizes, any::<u64>()).prop_flat_map(
        move |((gap_bits, count_bits, n_symbols, n_regular, slack, any_symbols), seed)| {
            let n_bytes = (n_symbols * usize::from(gap_bits + count_bits)).div_ceil(8);
            let symbol = if any_symbols {
                0..=u8::MAX
            } else {
                0..=(n_regular - 1) as u8
            };
            let first = seed as usize % (n_symbols + 1);
            (
                prop::collection::vec((part.clone(), part.clone()), n_regular),
                prop::collection::vec(symbol, n_symbols + slack),
                prop::collection::vec(any::<u8>(), n_bytes + slack),
                prop::collection::vec(escape.clone(), 1..20),
                prop_oneof![0..=n_symbols - first, Just(n_symbols - first)],
                prop_oneof![Just(0u32), 0u32..1_000_000],
                0usize..40,
            )
                .prop_map(move |(parts, symbols, raw, escapes, n, base, room)| Case {
                    parts,
                    gap_bits,
                    count_bits,
                    n_symbols,
                    symbols,
                    raw,
                    escapes,
                    first,
                    n,
                    base,
                    room,
                })
        },
    )
}

/// The upper parts of each symbol of the segment: a table for the regular ones,
/// the next escape for others.
fn upper_parts(case: &Case) -> Vec<(u64, u64)> {
    let mut escapes = case.escapes.iter().cycle();
    case.symbols[..case.n_symbols]
        .iter()
        .map(|&symbol| match case.parts.get(usize::from(symbol)) {
            Some(&(gap, count)) => (gap.into(), count.into()),
            None => {
                let &(gap, count) = escapes.next().unwrap();
                (gap.into(), count.into())
            }
        })
        .collect()
}

/// `n_bits` bits of `bytes` from `bit` on.
fn bits(bytes: &[u8], bit: usize, n_bits: u8) -> u64 {
    (0..usize::from(n_bits)).fold(0, |bits, i| {
        let at = bit + i;
        bits | u64::from(bytes[at / 8] >> (at % 8) & 1) << i
    })
}

/// Positions and counts, one nonzero at a time, of a bucket without an end.
fn expected(case: &Case) -> Vec<(u64, u64)> {
    let n_raw = usize::from(case.gap_bits + case.count_bits);
    let mut next = 0;
    let parts = upper_parts(case);
    (case.first..case.first + case.n)
        .map(|at| {
            let (gap, count) = parts[at];
            let bit = at * n_raw;
            next += gap << case.gap_bits | bits(&case.raw, bit, case.gap_bits);
            let count_bit = bit + usize::from(case.gap_bits);
            let low = bits(&case.raw, count_bit, case.count_bits);
            next += 1;
            (next - 1, (count << case.count_bits | low) + 1)
        })
        .collect()
}

/// What lies outside of what may be written.
const GUARD: i32 = -77;

fn check(case: &Case, width: u32, expected: &[(u64, u64)]) {
    let (gaps, counts): (Vec<u8>, Vec<u8>) = case.parts.iter().copied().unzip();
    let dictionary = Dictionary::new(&gaps, &counts, case.gap_bits, case.count_bits);
    let mut escapes = Escapes::default();
    let mut parts = case.escapes.iter().cycle();
    escapes.find(&case.symbols[..case.n_symbols], gaps.len(), |_| {
        *parts.next().unwrap()
    });
    let (symbols, raw) = (case.symbols.as_slice(), case.raw.as_slice());
    let block = BlockView::new(&dictionary, symbols, case.n_symbols, raw, &escapes);
    let segment = Segment {
        block: &block,
        first: case.first,
        n: case.n,
        width,
    };
    let is_good = expected
        .iter()
        .all(|&(position, count)| position < width.into() && count <= i32::MAX as u64);
    let len = case.n + case.room;
    let slice = 3..3 + len;
    for simd in Simd::all() {
        let (mut genes, mut integers) = (vec![GUARD; len + 6], vec![GUARD; len + 6]);
        let (mut more, mut doubles) = (genes.clone(), vec![f64::from(GUARD); len + 6]);
        let got = write_segment(
            simd,
            &segment,
            case.base,
            &mut genes[slice.clone()],
            &mut integers[slice.clone()],
        );
        assert_eq!(got, is_good, "{}", simd.name());
        let got = write_segment(
            simd,
            &segment,
            case.base,
            &mut more[slice.clone()],
            &mut doubles[slice.clone()],
        );
        assert_eq!(got, is_good, "{}", simd.name());
        for outside in (0..3).chain(slice.end..slice.end + 3) {
            assert_eq!((genes[outside], integers[outside]), (GUARD, GUARD));
            assert_eq!((more[outside], doubles[outside]), (GUARD, GUARD.into()));
        }
        if is_good {
            for (i, &(position, count)) in (3..).zip(expected) {
                let expected = (
                    (case.base + position as u32) as i32,
                    count as i32,
                    count as f64,
                );
                let got = (genes[i], integers[i], doubles[i]);
                assert_eq!(got, expected, "{}: nonzero {}", simd.name(), i - 3);
                assert_eq!(more[i], genes[i]);
            }
        }
        // Buffers of exactly the segment's length, for sanitizers.
        let (mut genes, mut counts) = (vec![0; case.n], vec![0.0; case.n]);
        write_segment(simd, &segment, case.base, &mut genes, &mut counts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn every_way_writes_the_same(case in cases()) {
        let expected = expected(&case);
        let end = expected.last().map_or(0, |nonzero| nonzero.0 + 1);
        let around = [end.saturating_sub(1), end, end + 1].into_iter();
        let limits = [0, 65_533, 65_534, 65_535, 65_536, 1 << 30];
        for width in around.chain(limits).filter(|&width| width <= 1 << 30) {
            check(&case, width as u32, &expected);
        }
    }
}

/// Sums that end just below, at and above what 16 bits hold.
#[test]
fn sums_near_the_limit() {
    for n in [1usize, 2, 15, 16, 17, 63, 64, 65, 257, 300] {
        for total in 65_530..65_540u32 {
            // An escape that takes all the others leave, last or in the middle.
            for place in [n - 1, n / 2] {
                let mut symbols = vec![0; n + READ_AHEAD];
                symbols[place] = 1;
                let case = Case {
                    parts: vec![(0, 0)],
                    gap_bits: 0,
                    count_bits: 0,
                    n_symbols: n,
                    symbols,
                    raw: vec![0; READ_AHEAD],
                    escapes: vec![(total - n as u32, 5)],
                    first: 0,
                    n,
                    base: 7,
                    room: 0,
                };
                let expected = expected(&case);
                for width in [65_533, 65_534, 65_535, 65_536, total] {
                    check(&case, width, &expected);
                }
            }
        }
    }
}

/// A segment beyond its block is refused, whatever it says.
#[test]
fn segments_beyond_their_block() {
    let dictionary = Dictionary::new(&[0], &[0], 3, 0);
    let (symbols, raw, escapes) = (
        [0; 20 + READ_AHEAD],
        [0; 8 + READ_AHEAD],
        Escapes::default(),
    );
    let block = BlockView::new(&dictionary, &symbols, 20, &raw, &escapes);
    for (first, n) in [(100, 20), (85, 1), (usize::MAX / 8, 1)] {
        let segment = Segment {
            block: &block,
            first,
            n,
            width: 1_000,
        };
        for simd in Simd::all() {
            assert!(!write_segment(
                simd,
                &segment,
                0,
                &mut [0; 64],
                &mut [0; 64]
            ));
        }
    }
}
