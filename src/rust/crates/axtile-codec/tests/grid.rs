//! Tiles of the axtile format: what is written is read, by every instruction
//! set; damage is found.

use axtile_codec::grid::{Decoder, Options, Plan, Tile};
use axtile_codec::kernels::Simd;
use axtile_codec::{CellRows, GeneMap, GeneSet, TileResult, deltacells};
use proptest::prelude::*;

fn encode(rows: &CellRows, n_genes: u32, options: &Options) -> Vec<u8> {
    let plan = Plan::new(rows, n_genes, options).unwrap();
    let chunks: Vec<_> = (0..plan.n_chunks())
        .map(|chunk| plan.encode_chunk(rows, chunk).unwrap())
        .collect();
    plan.assemble(&chunks)
}

type Decoded = (Vec<usize>, Vec<i32>, Vec<f64>);

/// With every instruction set.
fn decode(bytes: &[u8], order: Option<&GeneMap>) -> TileResult<Decoded> {
    let mut all = Simd::all()
        .into_iter()
        .map(|simd| decode_with(simd, bytes, order));
    let plain = all.next().unwrap();
    for other in all {
        match (&plain, &other) {
            (Ok(plain), Ok(other)) => assert!(plain == other),
            (plain, other) => assert_eq!(plain.is_err(), other.is_err()),
        }
    }
    plain
}

fn decode_with(simd: Simd, bytes: &[u8], order: Option<&GeneMap>) -> TileResult<Decoded> {
    let tile = Tile::parse(bytes)?;
    let starts = tile.starts()?;
    let mut decoder = Decoder::with_simd(simd);
    let (mut genes, mut counts) = (Vec::new(), Vec::new());
    for (idx, chunk) in tile.chunks().iter().enumerate() {
        let n = chunk.nonzeros.len();
        let (mut chunk_genes, mut chunk_counts) = (vec![-1; n], vec![-1.0; n]);
        decoder.chunk_into(&tile, idx, order, &mut chunk_genes, &mut chunk_counts)?;
        let mut whole = vec![-1; n];
        decoder.chunk_into(&tile, idx, order, &mut chunk_genes, &mut whole)?;
        assert!(
            whole
                .iter()
                .zip(&chunk_counts)
                .all(|(&a, &b)| f64::from(a) == b)
        );
        genes.extend(chunk_genes);
        counts.extend(chunk_counts);
    }
    Ok((starts, genes, counts))
}

#[track_caller]
fn assert_same(rows: &CellRows, n_genes: u32, options: &Options) {
    let bytes = encode(rows, n_genes, options);
    let (starts, genes, counts) = decode(&bytes, None).unwrap();
    assert_eq!(starts, rows.starts);
    assert!(genes.iter().zip(&rows.genes).all(|(&a, &b)| a as u32 == b));
    assert!(
        counts
            .iter()
            .zip(&rows.counts)
            .all(|(&a, &b)| a == f64::from(b))
    );

    assert_picked(rows, n_genes, &bytes);

    // Turned round, and with every other gene first.
    let half = n_genes.div_ceil(2);
    let shuffled = |gene: u32| gene / 2 + if gene.is_multiple_of(2) { 0 } else { half };
    for number in [
        &|gene: u32| n_genes - 1 - gene,
        &shuffled as &dyn Fn(u32) -> u32,
    ] {
        let order = GeneMap::new((0..n_genes).map(number));
        let (starts, genes, counts) = decode(&bytes, Some(&order)).unwrap();
        assert_eq!(starts, rows.starts);
        for bounds in starts.windows(2) {
            let cell = bounds[0]..bounds[1];
            let mut expected: Vec<(u32, u32)> = cell
                .clone()
                .map(|i| (number(rows.genes[i]), rows.counts[i]))
                .collect();
            expected.sort_unstable();
            for (i, (gene, count)) in cell.zip(expected) {
                assert_eq!((genes[i], counts[i]), (gene as i32, f64::from(count)));
            }
        }
    }
}

/// For each cell, the wanted genes and their counts.
fn picked(
    decoder: &mut Decoder,
    bytes: &[u8],
    wanted: &GeneSet,
) -> TileResult<Vec<Vec<(u32, u32)>>> {
    let tile = Tile::parse(bytes)?;
    let mut cells = Vec::new();
    for idx in 0..tile.chunks().len() {
        assert!((0.0..=1.0).contains(&decoder.share(&tile, idx, wanted)));
        decoder.each_cell_of(&tile, idx, wanted, |places, counts| {
            let genes = places.iter().map(|&place| wanted.genes()[place as usize]);
            let mut cell: Vec<(u32, u32)> = genes.zip(counts.iter().map(|&c| c as u32)).collect();
            cell.sort_unstable();
            cells.push(cell);
        })?;
    }
    Ok(cells)
}

/// The same cells with the wanted genes only.
fn restricted(rows: &CellRows, wanted: &GeneSet) -> Vec<Vec<(u32, u32)>> {
    let cells = rows.starts.windows(2).map(|bounds| {
        (bounds[0]..bounds[1])
            .map(|i| (rows.genes[i], rows.counts[i]))
            .filter(|nonzero| wanted.place(nonzero.0).is_some())
            .collect()
    });
    cells.collect()
}

#[track_caller]
fn assert_picked(rows: &CellRows, n_genes: u32, bytes: &[u8]) {
    let third = n_genes / 3;
    let sets = [
        vec![],
        vec![0],
        vec![n_genes - 1],
        vec![third, n_genes - 1, third, 0],
        (0..n_genes).step_by(7).collect(),
        (0..n_genes.min(12))
            .chain(third..(third + 9).min(n_genes))
            .collect(),
        (0..n_genes).collect(),
    ];
    let mut decoder = Decoder::new();
    for set in sets.map(GeneSet::new) {
        assert_eq!(
            picked(&mut decoder, bytes, &set).unwrap(),
            restricted(rows, &set)
        );
    }
    let tile = Tile::parse(bytes).unwrap();
    let mut cell = 0;
    for idx in 0..tile.chunks().len() {
        decoder
            .each_cell(&tile, idx, |genes, counts| {
                let mut nonzeros: Vec<_> = genes.iter().zip(counts).collect();
                nonzeros.sort_unstable();
                let range = rows.starts[cell]..rows.starts[cell + 1];
                assert_eq!(nonzeros.len(), range.len());
                for (nonzero, i) in nonzeros.into_iter().zip(range) {
                    assert_eq!(
                        (*nonzero.0 as u32, *nonzero.1 as u32),
                        (rows.genes[i], rows.counts[i])
                    );
                }
                cell += 1;
            })
            .unwrap();
    }
    assert_eq!(cell, rows.n_cells());
}

fn rows_of(cells: &[Vec<(u32, u32)>]) -> CellRows {
    let mut rows = CellRows {
        starts: vec![0],
        ..CellRows::default()
    };
    for cell in cells {
        rows.genes.extend(cell.iter().map(|nonzero| nonzero.0));
        rows.counts.extend(cell.iter().map(|nonzero| nonzero.1));
        rows.starts.push(rows.genes.len());
    }
    rows
}

/// Cells whose genes thin out; counts mostly small.
fn made_up(n_cells: usize, n_genes: u32, detected: f64, seed: u64) -> CellRows {
    let mut state = seed;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    let cells: Vec<Vec<(u32, u32)>> = (0..n_cells)
        .map(|_| {
            let depth = detected * (0.2 + 1.6 * random());
            (0..n_genes)
                .filter_map(|gene| {
                    let expected = depth / (f64::from(gene) + 20.0);
                    let is_there = random() < 1.0 - (-expected).exp();
                    is_there.then(|| (gene, 1 + (-random().ln() * expected) as u32))
                })
                .collect()
        })
        .collect();
    rows_of(&cells)
}

fn options(chunk_nonzeros: usize, n_buckets: usize, n_classes: usize) -> Options {
    Options {
        chunk_nonzeros,
        n_buckets: Some(n_buckets),
        n_classes: Some(n_classes),
        ..Options::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read(
        cells in prop::collection::vec(
            prop::collection::btree_map(
                prop_oneof![0u32..200, 0u32..40_000],
                prop_oneof![8 => 1u32..4, 2 => 1u32..2_000, 1 => 1u32..=i32::MAX as u32],
                0..120,
            ),
            0..12,
        ),
        chunk_nonzeros in 1usize..500,
        n_buckets in 1usize..9,
        n_classes in 1usize..6,
        n_clusters in 1usize..4,
    ) {
        let cells: Vec<Vec<(u32, u32)>> = cells.into_iter().map(|c| c.into_iter().collect()).collect();
        let options = Options {
            n_clusters,
            ..options(chunk_nonzeros, n_buckets, n_classes)
        };
        assert_same(&rows_of(&cells), 40_000, &options);
    }
}

#[test]
fn cells_like_real_ones() {
    for (n_cells, n_genes, detected) in [(400, 3_000, 400.0), (60, 20_000, 900.0), (300, 60, 60.0)]
    {
        let rows = made_up(n_cells, n_genes, detected, 1);
        assert_same(&rows, n_genes, &Options::default());
        assert_same(&rows, n_genes, &options(20_000, 16, 8));
        let clusters = Options {
            n_clusters: 8,
            ..Options::default()
        };
        assert_same(&rows, n_genes, &clusters);
    }
}

#[test]
fn one_decoder_for_several_tiles() {
    let large_rows = made_up(60, 900, 300.0, 3);
    let large = encode(&large_rows, 900, &options(5_000, 8, 4));
    let small = rows_of(&[vec![(0, 2)], vec![], vec![(5, 1)]]);
    let small_bytes = encode(&small, 900, &options(5_000, 8, 4));
    let mut decoder = Decoder::new();
    for bytes in [&large, &small_bytes, &large, &small_bytes] {
        let tile = Tile::parse(bytes.as_slice()).unwrap();
        for (idx, chunk) in tile.chunks().iter().enumerate() {
            let n = chunk.nonzeros.len();
            let (mut genes, mut counts) = (vec![0; n], vec![0; n]);
            decoder
                .chunk_into(&tile, idx, None, &mut genes, &mut counts)
                .unwrap();
            if bytes == &small_bytes {
                assert_eq!((genes, counts), (vec![0, 5], vec![2, 1]));
            }
        }
        let rows = if bytes == &large { &large_rows } else { &small };
        for set in [vec![5], vec![0, 800]].map(GeneSet::new) {
            let cells = picked(&mut decoder, bytes, &set).unwrap();
            assert_eq!(cells, restricted(rows, &set));
        }
    }
}

#[test]
fn extremes() {
    let all = Options::default();
    assert_same(&rows_of(&[]), 5, &all);
    assert_same(&rows_of(&[vec![]]), 1, &all);
    assert_same(&rows_of(&vec![vec![]; 1_000]), 7, &all);
    assert_same(&rows_of(&[vec![(0, 1)]]), 1, &all);
    assert_same(&rows_of(&[vec![(4, i32::MAX as u32)]]), 5, &all);
    // Dense cells, and all alike: codes of no bits.
    let dense: Vec<(u32, u32)> = (0..300).map(|gene| (gene, 1)).collect();
    assert_same(&rows_of(&vec![dense; 50]), 300, &all);
    // Genes far apart, beyond 16 bits, and the last of a wide matrix.
    let wide = vec![(3, 7), (70_000, 1), (999_999, 300)];
    assert_same(&rows_of(&vec![wide; 20]), 1_000_000, &all);
    // Counts of all sizes.
    let counts: Vec<(u32, u32)> = (0..2_000u32)
        .map(|gene| (gene, 1 + gene.pow(2) * 250))
        .collect();
    assert_same(&rows_of(&vec![counts; 12]), 2_000, &all);
    // Counts around those that take a byte.
    let bytes: Vec<(u32, u32)> = (0..600).map(|gene| (gene, 1 + gene % 300)).collect();
    assert_same(&rows_of(&vec![bytes; 80]), 600, &options(1_000, 2, 2));
}

#[test]
fn every_changed_byte_and_every_missing_end_is_found() {
    let rows = made_up(40, 500, 120.0, 7);
    let bytes = encode(&rows, 500, &options(1_000, 4, 3));
    let all = Simd::all();
    let mut damaged = bytes.clone();
    for at in 0..bytes.len() {
        for change in [1u8, 0x80, 0xff] {
            damaged[at] ^= change;
            let simd = all[at % all.len()];
            let decoded = decode_with(simd, &damaged, None);
            assert!(decoded.is_err(), "byte {at}, {change:#x}");
            damaged[at] = bytes[at];
        }
    }
    for len in 0..bytes.len() {
        let simd = all[len % all.len()];
        let decoded = decode_with(simd, &bytes[..len], None);
        assert!(decoded.is_err(), "{len} bytes");
    }
}

#[test]
fn some_genes_of_damaged_tiles_are_right_or_refused() {
    let rows = made_up(40, 500, 120.0, 7);
    let options = Options {
        n_clusters: 2,
        ..options(1_000, 4, 3)
    };
    let bytes = encode(&rows, 500, &options);
    let sets = [vec![3], vec![480], (100..160).collect()].map(GeneSet::new);
    let expected = sets.each_ref().map(|set| restricted(&rows, set));
    let mut damaged = bytes.clone();
    let mut decoder = Decoder::new();
    let mut n_right = 0;
    for at in 0..bytes.len() {
        damaged[at] ^= 0x21;
        for (set, expected) in sets.iter().zip(&expected) {
            if let Ok(cells) = picked(&mut decoder, &damaged, set) {
                assert_eq!(&cells, expected, "byte {at}");
                n_right += 1;
            }
        }
        damaged[at] = bytes[at];
    }
    // What is not needed is not looked at.
    assert!(n_right > bytes.len() / 2);
}

/// Tiles that the first writer of each version of the format wrote, and the
/// same counts as deltacells tiles. They are read for ever.
const GOLDEN: [(&str, usize); 2] = [("v1_plain", 1), ("v1_clusters", 3)];

fn golden(name: &str) -> std::path::PathBuf {
    std::path::Path::new("tests/golden").join(name)
}

#[test]
fn golden_tiles_are_read() {
    for (name, _) in GOLDEN {
        let bytes = std::fs::read(golden(&format!("{name}.axt"))).unwrap();
        let expected = std::fs::read(golden(&format!("{name}.dct"))).unwrap();
        let expected = deltacells::Tile::parse(expected).unwrap();
        let (starts, genes, counts) = decode(&bytes, None).unwrap();
        assert_eq!(starts, expected.starts());
        let mut decoder = deltacells::Decoder::new();
        for (idx, chunk) in expected.chunks().iter().enumerate() {
            let n = chunk.nonzeros.len();
            let (mut chunk_genes, mut chunk_counts) = (vec![0; n], vec![0.0; n]);
            decoder
                .chunk_into(&expected, idx, None, &mut chunk_genes, &mut chunk_counts)
                .unwrap();
            assert_eq!(genes[chunk.nonzeros.clone()], chunk_genes);
            assert_eq!(counts[chunk.nonzeros.clone()], chunk_counts);
        }
    }
}

#[test]
#[ignore = "writes the golden tiles of a new version"]
fn write_golden_tiles() {
    for (name, n_clusters) in GOLDEN {
        let rows = made_up(60, 1_500, 250.0, n_clusters as u64);
        let options = Options {
            n_clusters,
            ..options(5_000, 6, 4)
        };
        std::fs::create_dir_all(golden("")).unwrap();
        std::fs::write(
            golden(&format!("{name}.axt")),
            encode(&rows, 1_500, &options),
        )
        .unwrap();
        let chunks = deltacells::cut_chunks(&rows.starts, 2);
        let frames: Vec<_> = chunks
            .iter()
            .map(|cells| deltacells::encode_chunk(&rows, cells.clone(), 19).unwrap())
            .collect();
        let tile = deltacells::assemble(&rows, 1_500, &chunks, &frames);
        std::fs::write(golden(&format!("{name}.dct")), tile).unwrap();
    }
}
