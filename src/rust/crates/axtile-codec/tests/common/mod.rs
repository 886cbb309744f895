//! Rows to encode, and damage to tiles.
#![allow(dead_code)]

use axtile_codec::{CellRows, deltacells};
use xxhash_rust::xxh3::xxh3_64;

pub fn rows_of(cells: &[Vec<(u32, u32)>]) -> CellRows {
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

/// Random numbers from 0 to 1.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64 + 0.5) / (1u64 << 31) as f64
    }
}

/// Cells whose genes thin out; counts mostly small.
pub fn made_up(n_cells: usize, n_genes: u32, detected: f64, seed: u64) -> CellRows {
    let mut random = random(seed);
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

/// The same rows with other numbers of genes.
pub fn renumbered(rows: &CellRows, number: impl Fn(u32) -> u32) -> CellRows {
    let cells: Vec<Vec<(u32, u32)>> = rows
        .starts
        .windows(2)
        .map(|bounds| {
            let genes = rows.genes[bounds[0]..bounds[1]]
                .iter()
                .map(|&gene| number(gene));
            let counts = rows.counts[bounds[0]..bounds[1]].iter().copied();
            let mut cell: Vec<(u32, u32)> = genes.zip(counts).collect();
            cell.sort_unstable();
            cell
        })
        .collect();
    rows_of(&cells)
}

/// A tile in the deltacells format, at its smallest.
pub fn write_deltacells(rows: &CellRows, n_genes: usize) -> Vec<u8> {
    let chunks = deltacells::cut_chunks(&rows.starts, 8);
    let frames: Vec<_> = chunks
        .iter()
        .map(|cells| deltacells::encode_chunk(rows, cells.clone(), 19).unwrap())
        .collect();
    deltacells::assemble(rows, n_genes, &chunks, &frames)
}

pub fn read_deltacells(bytes: &[u8]) -> CellRows {
    let tile = deltacells::Tile::parse(bytes).unwrap();
    let mut rows = CellRows {
        starts: tile.starts().to_vec(),
        ..CellRows::default()
    };
    let mut decoder = deltacells::Decoder::new();
    for (idx, chunk) in tile.chunks().iter().enumerate() {
        let n = chunk.nonzeros.len();
        let (mut genes, mut counts) = (vec![0; n], vec![0i32; n]);
        decoder
            .chunk_into(&tile, idx, None, &mut genes, &mut counts)
            .unwrap();
        rows.genes.extend(genes.iter().map(|&gene| gene as u32));
        rows.counts.extend(counts.iter().map(|&count| count as u32));
    }
    rows
}

#[track_caller]
pub fn assert_damage_is_found(bytes: &[u8], is_refused: impl Fn(&[u8]) -> bool) {
    let mut damaged = bytes.to_vec();
    for at in 0..bytes.len() {
        for change in [1u8, 0x80, 0xff] {
            damaged[at] ^= change;
            assert!(is_refused(&damaged), "byte {at}, {change:#x}");
            damaged[at] = bytes[at];
        }
    }
    for len in 0..bytes.len() {
        assert!(is_refused(&bytes[..len]), "{len} bytes");
    }
    damaged.push(0);
    assert!(is_refused(&damaged));
}

/// Changes bytes behind the header of a tile with `n_sections` sections a chunk
/// `n` times, makes all checksums right again, and counts the tiles that `read`
/// still reads.
pub fn damage_behind_checksums(
    bytes: &[u8],
    n_sections: usize,
    n: usize,
    mut read: impl FnMut(&[u8]) -> bool,
) -> usize {
    let mut random = random(3);
    let mut n_read = 0;
    for _ in 0..n {
        let mut damaged = bytes.to_vec();
        for _ in 0..1 + (3.0 * random()) as usize {
            let at = 64 + ((bytes.len() - 64) as f64 * random()) as usize;
            damaged[at] = match (4.0 * random()) as u32 {
                0 => 0,
                1 => 0xff,
                2 => damaged[at] ^ 1 << (8.0 * random()) as u32,
                _ => (256.0 * random()) as u8,
            };
        }
        mend(&mut damaged, n_sections);
        n_read += usize::from(read(&damaged));
    }
    n_read
}

/// Puts the right checksums into a tile, as far as its index can be followed.
fn mend(tile: &mut [u8], n_sections: usize) {
    let number = |tile: &[u8], at: usize| {
        u32::from_le_bytes([tile[at], tile[at + 1], tile[at + 2], tile[at + 3]]) as usize
    };
    let (n_chunks, index_len, inner_len) = (number(tile, 20), number(tile, 32), number(tile, 40));
    let index_end = 64 + index_len;
    let mut at = 64;
    let mut section = index_end + inner_len;
    let varint = |tile: &[u8], at: &mut usize| {
        let (mut value, mut shift) = (0usize, 0);
        while let Some(&byte) = tile.get(*at) {
            *at += 1;
            value |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 || shift > 40 {
                break;
            }
        }
        value
    };
    for _ in 0..n_chunks {
        varint(tile, &mut at);
        varint(tile, &mut at);
        for _ in 0..n_sections {
            let len = varint(tile, &mut at);
            let Some(hash) = tile.get(section..section + len).map(xxh3_64) else {
                return;
            };
            if at + 8 > index_end {
                return;
            }
            tile[at..at + 8].copy_from_slice(&hash.to_le_bytes());
            (at, section) = (at + 8, section + len);
        }
    }
    let mut head = tile[..56].to_vec();
    head.extend_from_slice(&tile[64..index_end]);
    head.extend_from_slice(&tile[index_end..][..inner_len.min(64)]);
    tile[56..64].copy_from_slice(&xxh3_64(&head).to_le_bytes());
}
