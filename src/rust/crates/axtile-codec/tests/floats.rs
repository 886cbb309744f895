//! Tiles of floating-point values: all bits come back, damage is found, and
//! normalised counts take little more than the counts.

mod common;

use axtile_codec::floats::{Decoder, Options, Plan, Tile, Transform, Width};
use axtile_codec::integers::{self, Coder};
use axtile_codec::{CellRows, FloatRows, GeneMap, TileResult};
use common::made_up;
use proptest::prelude::*;

fn options(chunk_nonzeros: usize, coder: Option<Coder>) -> Options {
    Options {
        ranks: integers::Options {
            chunk_nonzeros,
            coder,
            ..integers::Options::default()
        },
    }
}

fn encode(rows: &FloatRows, n_genes: u32, width: Width, options: &Options) -> Vec<u8> {
    let plan = Plan::new(rows, n_genes, width, options).unwrap();
    let chunks = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(rows, chunk).unwrap())
        .collect();
    plan.assemble(chunks)
}

fn decode(bytes: &[u8], order: Option<&GeneMap>) -> TileResult<FloatRows> {
    let tile = Tile::parse(bytes)?;
    let mut rows = FloatRows {
        starts: tile.starts()?.to_vec(),
        ..FloatRows::default()
    };
    let mut decoder = Decoder::new();
    for (idx, chunk) in tile.chunks().iter().enumerate() {
        let n = chunk.nonzeros.len();
        let (mut genes, mut values) = (vec![-1; n], vec![-1.0; n]);
        decoder.chunk_into(&tile, idx, order, &mut genes, &mut values)?;
        rows.genes.extend(genes.iter().map(|&gene| gene as u32));
        rows.values.extend(values);
    }
    Ok(rows)
}

#[track_caller]
fn assert_equal(a: &FloatRows, b: &FloatRows) {
    assert_eq!((&a.starts, &a.genes), (&b.starts, &b.genes));
    let differs = |(a, b): (&f64, &f64)| a.to_bits() != b.to_bits();
    assert_eq!(a.values.iter().zip(&b.values).position(differs), None);
    assert_eq!(a.values.len(), b.values.len());
}

#[track_caller]
fn assert_same(rows: &FloatRows, n_genes: u32, width: Width, options: &Options) {
    let bytes = encode(rows, n_genes, width, options);
    assert_equal(&decode(&bytes, None).unwrap(), rows);

    let number = |gene: u32| n_genes - 1 - gene;
    let order = GeneMap::new((0..n_genes).map(number));
    let mut turned = FloatRows {
        starts: rows.starts.clone(),
        ..FloatRows::default()
    };
    for bounds in rows.starts.windows(2) {
        let cell = bounds[0]..bounds[1];
        turned.genes.extend(
            rows.genes[cell.clone()]
                .iter()
                .rev()
                .map(|&gene| number(gene)),
        );
        turned.values.extend(rows.values[cell].iter().rev());
    }
    assert_equal(&decode(&bytes, Some(&order)).unwrap(), &turned);
}

/// What counts of a cell become.
fn of_counts(rows: &CellRows, mut value: impl FnMut(f64, f64) -> f64) -> FloatRows {
    let mut values = Vec::with_capacity(rows.nnz());
    for bounds in rows.starts.windows(2) {
        let counts = &rows.counts[bounds[0]..bounds[1]];
        let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
        values.extend(counts.iter().map(|&count| value(count.into(), total)));
    }
    FloatRows {
        starts: rows.starts.clone(),
        genes: rows.genes.clone(),
        values,
    }
}

fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<u64>().prop_map(f64::from_bits),
        4 => (0u32..5).prop_map(|count| (f64::from(count) * 0.7).ln_1p()),
        1 => prop::sample::select(vec![
            0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::from_bits(1),
            f64::from_bits(0x7ff0_0000_0000_0001), f64::MAX, -f64::MIN_POSITIVE,
        ]),
    ]
}

/// The same value of 32 bits, or one with its bits.
fn narrow(value: f64) -> f64 {
    let low = value.to_bits() as u32;
    let quiet = f32::from_bits(low).is_nan();
    f64::from(if quiet {
        value as f32
    } else {
        f32::from_bits(low)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read(
        cells in prop::collection::vec(
            prop::collection::btree_map(0u32..600, any_value(), 0..80),
            0..10,
        ),
        chunk_nonzeros in 1usize..300,
        is_grid in any::<bool>(),
    ) {
        let mut rows = FloatRows { starts: vec![0], ..FloatRows::default() };
        for cell in &cells {
            rows.genes.extend(cell.keys());
            rows.values.extend(cell.values());
            rows.starts.push(rows.genes.len());
        }
        let coder = if is_grid { Coder::Grid } else { Coder::Packed };
        let options = options(chunk_nonzeros, Some(coder));
        assert_same(&rows, 600, Width::F64, &options);
        for value in &mut rows.values {
            *value = narrow(*value);
        }
        assert_same(&rows, 600, Width::F32, &options);
    }
}

#[test]
fn normalised_counts_take_little_more_than_counts() {
    let counts = made_up(800, 3_000, 400.0, 9);
    let plan = integers::Plan::new(&counts, 3_000, &integers::Options::default()).unwrap();
    let chunks = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(&counts, chunk).unwrap())
        .collect();
    let n_bytes = plan.assemble(chunks).len();
    type Kind = (Transform, fn(f64, f64) -> f64);
    let kinds: [Kind; 4] = [
        (Transform::Log1p, |count, total| {
            (count / total * 1e4).ln_1p()
        }),
        (Transform::Log2, |count, total| {
            (count / (total / 2_000.0) + 1.0).log2()
        }),
        (Transform::Log10, |count, total| {
            (count * 1e4 / total + 1.0).log10()
        }),
        (Transform::Scaled, |count, total| count / total * 1e6),
    ];
    for (transform, value) in kinds {
        for width in [Width::F64, Width::F32] {
            let rows = of_counts(&counts, |count, total| match width {
                Width::F64 => value(count, total),
                Width::F32 => f64::from(value(count, total) as f32),
            });
            let plan = Plan::new(&rows, 3_000, width, &Options::default()).unwrap();
            assert_eq!(plan.transform(), transform, "{width:?}");
            assert_same(&rows, 3_000, width, &Options::default());
            let ours = encode(&rows, 3_000, width, &Options::default()).len();
            assert!(
                (ours as f64) < 1.12 * n_bytes as f64,
                "{transform:?} {width:?}: {ours}, {n_bytes}"
            );
        }
    }
}

#[test]
fn values_of_all_kinds() {
    let counts = made_up(200, 800, 100.0, 5);
    let mut random = common::random(8);
    // All different; a part of the cells; signed; few in all; halves.
    let different = of_counts(&counts, |count, _| count - 0.3 * random());
    let mixed = of_counts(&counts, |count, total| {
        if (total as u64).is_multiple_of(2) {
            count.sqrt()
        } else {
            count * total.sin()
        }
    });
    let signed = of_counts(&counts, |count, total| (count - 1.5) / total);
    let few = of_counts(&counts, |count, _| count.sqrt());
    let halves = of_counts(&counts, |count, _| count / 2.0);
    let zeros = of_counts(&counts, |count, total| {
        if count > 1.0 {
            0.0
        } else {
            (count / total * 1e4).ln_1p()
        }
    });
    for rows in [different, mixed, signed, few, halves, zeros] {
        for coder in [Coder::Grid, Coder::Packed] {
            assert_same(&rows, 800, Width::F64, &options(5_000, Some(coder)));
        }
        let mut narrow = rows.clone();
        for value in &mut narrow.values {
            *value = f64::from(*value as f32);
        }
        assert_same(&narrow, 800, Width::F32, &options(5_000, None));
    }
}

#[test]
fn extremes() {
    for width in [Width::F32, Width::F64] {
        let rows = |starts: Vec<usize>, genes: Vec<u32>, values: Vec<f64>| FloatRows {
            starts,
            genes,
            values,
        };
        let all = Options::default();
        assert_same(&rows(vec![0], vec![], vec![]), 3, width, &all);
        assert_same(&rows(vec![0; 9], vec![], vec![]), 3, width, &all);
        assert_same(&rows(vec![0, 1, 1], vec![2], vec![-0.0]), 3, width, &all);
        assert_same(
            &rows(vec![0, 2], vec![0, 2], vec![f64::NAN; 2]),
            3,
            width,
            &all,
        );
    }
}

#[test]
fn rows_that_no_tile_holds_are_refused() {
    let refused = |starts: &[usize], genes: &[u32], values: &[f64], n_genes, width| {
        let rows = FloatRows {
            starts: starts.to_vec(),
            genes: genes.to_vec(),
            values: values.to_vec(),
        };
        Plan::new(&rows, n_genes, width, &Options::default()).is_err()
    };
    assert!(!refused(&[0, 1], &[0], &[0.1], 1, Width::F64));
    assert!(refused(&[0, 1], &[0], &[0.1], 1, Width::F32));
    assert!(refused(&[0, 1], &[1], &[0.5], 1, Width::F64));
    assert!(refused(&[0, 2], &[1, 1], &[0.5, 0.5], 2, Width::F64));
    assert!(refused(&[0, 2], &[1], &[0.5], 2, Width::F64));
    assert!(refused(&[0], &[], &[], 0, Width::F64));
}

fn small_tiles() -> Vec<Vec<u8>> {
    let counts = made_up(24, 150, 25.0, 6);
    let mut random = common::random(4);
    let normalised = of_counts(&counts, |count, total| (count / total * 1e4).ln_1p());
    let different = of_counts(&counts, |count, _| f64::from((count - random()) as f32));
    let few = of_counts(&counts, |count, _| count.sqrt());
    vec![
        encode(
            &normalised,
            150,
            Width::F64,
            &options(300, Some(Coder::Packed)),
        ),
        encode(
            &different,
            150,
            Width::F32,
            &options(300, Some(Coder::Packed)),
        ),
        encode(&few, 150, Width::F64, &options(300, Some(Coder::Grid))),
    ]
}

#[test]
fn every_changed_byte_and_every_missing_end_is_found() {
    for bytes in small_tiles() {
        common::assert_damage_is_found(&bytes, |bytes| decode(bytes, None).is_err());
    }
}

/// Whoever makes a hostile tile can make its checksums right, too.
#[test]
fn damage_behind_right_checksums_never_panics() {
    for bytes in small_tiles() {
        let order = GeneMap::new((0..150).rev());
        let n_read = common::damage_behind_checksums(&bytes, 1, 2_000, |bytes| {
            let _ = decode(bytes, Some(&order));
            decode(bytes, None).is_ok()
        });
        assert!(n_read > 0 && n_read < 2_000, "{n_read}");
    }
}

/// A tile that the first writer of version 1 wrote, the counts that its values
/// were made of, and the values' bits. It is read for ever.
const GOLDEN: &str = "tests/golden/v1_floats";

#[test]
fn the_golden_tile_is_read() {
    let bytes = std::fs::read(format!("{GOLDEN}.axt")).unwrap();
    let counts = common::read_deltacells(&std::fs::read(format!("{GOLDEN}.dct")).unwrap());
    let bits = std::fs::read(format!("{GOLDEN}.f64")).unwrap();
    let expected = FloatRows {
        starts: counts.starts,
        genes: counts.genes,
        values: bits
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f64::from_le_bytes(bytes))
            .collect(),
    };
    assert_equal(&decode(&bytes, None).unwrap(), &expected);
}

#[test]
#[ignore = "writes the golden tile of a new version"]
fn write_the_golden_tile() {
    let counts = made_up(60, 300, 40.0, 12);
    let rows = of_counts(&counts, |count, total| match total as u64 % 4 {
        0 => count * total.sin(),
        _ => (count / total * 1e4).ln_1p(),
    });
    let tile = encode(&rows, 300, Width::F64, &options(700, None));
    std::fs::write(format!("{GOLDEN}.axt"), tile).unwrap();
    std::fs::write(
        format!("{GOLDEN}.dct"),
        common::write_deltacells(&counts, 300),
    )
    .unwrap();
    let bits: Vec<u8> = rows
        .values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    std::fs::write(format!("{GOLDEN}.f64"), bits).unwrap();
}
