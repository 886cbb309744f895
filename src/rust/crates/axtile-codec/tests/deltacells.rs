//! Tiles that the format's own package wrote, and damaged ones, must read as
//! `tests/fixtures` says; what we write must read back and be laid out alike.

use std::fs;
use std::path::PathBuf;

use axtile_codec::deltacells::{Decoder, Tile, assemble, cut_chunks, encode_chunk};
use axtile_codec::{CellRows, GeneMap, TileResult};
use proptest::prelude::*;

fn fixtures(part: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(part)
}

/// Decodes by both ways and compares them.
fn decode(bytes: &[u8]) -> TileResult<CellRows> {
    let tile = Tile::parse(bytes)?;
    let mut decoder = Decoder::new();
    let mut rows = CellRows {
        starts: tile.starts().to_vec(),
        genes: vec![0; tile.nnz()],
        counts: vec![0; tile.nnz()],
    };
    for (idx, chunk) in tile.chunks().iter().enumerate() {
        let nonzeros = chunk.nonzeros.clone();
        let compact = (
            &mut rows.genes[nonzeros.clone()],
            &mut rows.counts[nonzeros.clone()],
        );
        decoder.each_cell(&tile, idx, None, |range, genes, counts| {
            for (place, i) in range.enumerate() {
                (compact.0[i], compact.1[i]) = (genes[place] as u32, counts[place] as u32);
            }
        })?;
        let mut genes = vec![0; nonzeros.len()];
        let mut doubles = vec![0f64; nonzeros.len()];
        decoder.chunk_into(&tile, idx, None, &mut genes, &mut doubles)?;
        let wide = genes.iter().zip(&doubles);
        let narrow = rows.genes[nonzeros.clone()]
            .iter()
            .zip(&rows.counts[nonzeros]);
        for ((&gene, &double), (&narrow_gene, &count)) in wide.zip(narrow) {
            assert_eq!((gene, double), (narrow_gene as i32, count.into()));
        }
    }
    Ok(rows)
}

fn encode(rows: &CellRows, n_genes: usize, n_chunks: usize, level: i32) -> Vec<u8> {
    let chunks = cut_chunks(&rows.starts, n_chunks);
    let frames: Vec<_> = chunks
        .iter()
        .map(|cells| encode_chunk(rows, cells.clone(), level).unwrap())
        .collect();
    assemble(rows, n_genes, &chunks, &frames)
}

fn read_matrix_market(path: PathBuf) -> (usize, CellRows) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('%'));
    let numbers = |line: &str| -> Vec<usize> {
        line.split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect()
    };
    let size = numbers(lines.next().unwrap());
    let mut entries: Vec<Vec<usize>> = lines.map(numbers).collect();
    entries.sort();
    let mut rows = CellRows {
        starts: vec![0; size[0] + 1],
        ..CellRows::default()
    };
    for entry in &entries {
        rows.starts[entry[0]] += 1;
        rows.genes.push((entry[1] - 1) as u32);
        rows.counts.push(entry[2] as u32);
    }
    for cell in 0..size[0] {
        rows.starts[cell + 1] += rows.starts[cell];
    }
    (size[1], rows)
}

fn csv(path: PathBuf) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

#[test]
fn given_tiles_read_to_the_given_counts() {
    let mut n = 0;
    for entry in fs::read_dir(fixtures("tiles")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let (n_genes, expected) =
            read_matrix_market(fixtures("tiles.expected").join(format!("{name}.mtx")));
        let bytes = fs::read(&path).unwrap();
        assert_eq!(
            Tile::parse(bytes.as_slice()).unwrap().n_genes(),
            n_genes,
            "{name}"
        );
        assert_eq!(decode(&bytes).unwrap(), expected, "{name}");
        // Our own tile of the same counts.
        for (n_chunks, level) in [(1, 1), (3, 19), (8, -3)] {
            let ours = encode(&expected, n_genes, n_chunks, level);
            assert_eq!(decode(&ours).unwrap(), expected, "{name}");
        }
        n += 1;
    }
    assert_eq!(n, 17);
}

#[test]
fn the_layout_is_the_original_writers() {
    for row in csv(fixtures("tiles.expected/tile_layout.csv")) {
        let bytes = fs::read(fixtures("tiles").join(&row[0])).unwrap();
        let tile = Tile::parse(bytes.as_slice()).unwrap();
        let number = |column: usize| row[column].parse::<usize>().unwrap();
        assert_eq!(tile.n_cells(), number(2));
        assert_eq!(tile.nnz(), number(3));
        assert_eq!(tile.chunks().len(), number(5));
        if row.len() > 9 && !row[9].is_empty() {
            let chunk = &tile.chunks()[number(9)];
            assert_eq!(chunk.cells, number(10)..number(11));
            assert_eq!(chunk.nonzeros, number(12)..number(13));
            assert_eq!(chunk.gaps, number(14)..number(14) + number(15));
            assert_eq!(chunk.counts, number(16)..number(16) + number(17));
        }
    }
}

#[test]
fn damaged_tiles_are_answered_as_the_table_says() {
    let mut n_rejected = 0;
    for row in csv(fixtures("hostile_tiles/hostile_tiles.csv")) {
        let bytes = fs::read(fixtures("hostile_tiles").join(&row[0])).unwrap();
        let answer = decode(&bytes);
        match row[2].as_str() {
            "accept" => assert!(answer.is_ok(), "{}: {answer:?}", row[0]),
            "reject" => {
                assert!(answer.is_err(), "{}", row[0]);
                n_rejected += 1;
            }
            _ => {}
        }
    }
    assert!(n_rejected > 60);
}

#[test]
fn chunks_are_cut_as_in_the_table() {
    for row in csv(fixtures("chunk_cuts.csv")) {
        let starts: Vec<usize> = row[0]
            .split(' ')
            .map(|word| word.parse().unwrap())
            .collect();
        let cuts = cut_chunks(&starts, row[1].parse().unwrap());
        let text: Vec<String> = cuts
            .iter()
            .map(|cut| format!("{}:{}", cut.start, cut.end))
            .collect();
        assert_eq!(text.join(" "), row[2], "{row:?}");
    }
}

#[test]
fn every_changed_byte_and_every_truncation_is_found() {
    let bytes = fs::read(fixtures("hostile_tiles/00_base_valid.dct")).unwrap();
    for at in 0..bytes.len() {
        // The checksum leaves out the header. Its number of genes may be larger
        // than need be: only the dataset's manifest can tell.
        if (32..36).contains(&at) {
            continue;
        }
        for flip in [1u8, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            assert!(decode(&damaged).is_err(), "byte {at}");
        }
    }
    for len in 0..bytes.len() {
        assert!(decode(&bytes[..len]).is_err(), "{len} bytes");
    }
}

#[test]
fn damage_behind_a_right_checksum_never_panics() {
    let bytes = fs::read(fixtures("hostile_tiles/00_base_valid.dct")).unwrap();
    let mut seed = 7u64;
    for _ in 0..20_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=seed % 3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % damaged.len();
            damaged[at] = (seed >> 24) as u8;
        }
        let crc = crc32fast::hash(&damaged[64..]);
        damaged[56..60].copy_from_slice(&crc.to_le_bytes());
        if let Ok(rows) = decode(&damaged) {
            let n_genes = Tile::parse(damaged.as_slice()).unwrap().n_genes();
            assert!(rows.genes.iter().all(|&gene| (gene as usize) < n_genes));
        }
    }
}

fn any_rows() -> impl Strategy<Value = CellRows> {
    let cell = prop::collection::btree_map(0u32..2_000, 1u32..=65_535, 0..120);
    prop::collection::vec(cell, 0..30).prop_map(|cells| {
        let mut rows = CellRows {
            starts: vec![0],
            ..CellRows::default()
        };
        for cell in cells {
            rows.genes.extend(cell.keys());
            rows.counts.extend(cell.values());
            rows.starts.push(rows.genes.len());
        }
        rows
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in any_rows(), n_chunks in 1usize..10) {
        let bytes = encode(&rows, 2_000, n_chunks, 1);
        prop_assert_eq!(decode(&bytes).unwrap(), rows);
    }

    #[test]
    fn genes_are_renumbered_and_sorted(rows in any_rows(), n_chunks in 1usize..5) {
        let bytes = encode(&rows, 2_000, n_chunks, 1);
        let tile = Tile::parse(bytes.as_slice()).unwrap();
        let new_number = |gene: u32| (gene * 7 + 11) % 2_000;
        let order = GeneMap::new((0..2_000).map(new_number));
        let mut decoder = Decoder::new();
        for (idx, chunk) in tile.chunks().iter().enumerate() {
            let first = chunk.nonzeros.start;
            let n = chunk.nonzeros.len();
            let (mut genes, mut counts) = (vec![0; n], vec![0i32; n]);
            decoder.chunk_into(&tile, idx, Some(&order), &mut genes, &mut counts).unwrap();
            let mut cell = chunk.cells.start;
            decoder
                .each_cell(&tile, idx, Some(&order), |range, cell_genes, cell_counts| {
                    let stored = rows.starts[cell]..rows.starts[cell + 1];
                    assert_eq!(first + range.start, stored.start);
                    let mut expected: Vec<(u32, u32)> = rows.genes[stored.clone()]
                        .iter()
                        .map(|&gene| new_number(gene))
                        .zip(rows.counts[stored].iter().copied())
                        .collect();
                    expected.sort_unstable();
                    let got: Vec<(u32, u32)> = cell_genes
                        .iter()
                        .zip(cell_counts)
                        .map(|(&gene, &count)| (gene as u32, count as u32))
                        .collect();
                    assert_eq!(got, expected);
                    let wide: Vec<(u32, u32)> = genes[range.clone()]
                        .iter()
                        .map(|&gene| gene as u32)
                        .zip(counts[range].iter().map(|&count| count as u32))
                        .collect();
                    assert_eq!(wide, expected);
                    cell += 1;
                })
                .unwrap();
            assert_eq!(cell, chunk.cells.end);
        }
    }
}
