//! Blocks of the codec: round trips.

use axtile_mef::red::{Decoder, Differences, Encoder, Run, decode_block, verify_block};
use proptest::prelude::*;

fn counts() -> impl Strategy<Value = Vec<i32>> {
    let steps = prop_oneof![
        Just(0..=0),
        Just(-3..=3),
        Just(-127..=127),
        Just(-200..=200),
        Just(i32::MIN..=i32::MAX),
    ];
    (steps, 1_usize..700).prop_flat_map(|(steps, n)| {
        proptest::collection::vec(steps, n).prop_map(|steps| {
            let mut value = 0_i32;
            steps
                .into_iter()
                .map(|step| {
                    value = value.wrapping_add(step);
                    value
                })
                .collect()
        })
    })
}

proptest! {
    #[test]
    fn blocks_come_back(
        runs in proptest::collection::vec(counts(), 0..11),
        start in any::<i64>(),
        wraps in any::<bool>(),
    ) {
        let differences = if wraps { Differences::Wrapping } else { Differences::Exact };
        let tasks: Vec<Run<'_>> = runs
            .iter()
            .map(|counts| Run { counts, start, is_discontinuity: counts[0] & 1 == 0 })
            .collect();
        let blocks = Encoder::new(differences).encode(&tasks).unwrap();
        prop_assert_eq!(blocks.len(), runs.len());
        let mut decoder = Decoder::new();
        for (block, counts) in blocks.iter().zip(&runs) {
            prop_assert_eq!(&verify_block(&block.bytes).unwrap(), &block.header);
            prop_assert_eq!(&decode_block(&mut decoder, &block.bytes).unwrap(), counts);
            prop_assert_eq!(block.header.start, start);
            prop_assert_eq!(block.minimum, *counts.iter().min().unwrap());
        }
    }
}

#[test]
fn a_long_quiet_block_comes_back() {
    let counts = vec![5; 1_000_000];
    let run = Run {
        counts: &counts,
        start: 1,
        is_discontinuity: true,
    };
    let blocks = Encoder::default().encode(&[run]).unwrap();
    assert!(blocks[0].bytes.len() < 10_000);
    assert_eq!(
        decode_block(&mut Decoder::new(), &blocks[0].bytes).unwrap(),
        counts
    );
}
