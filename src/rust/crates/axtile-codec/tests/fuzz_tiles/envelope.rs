//! Tiles of chunks with a fixed number of sections, taken apart and put together
//! again with sizes and checksums that agree.

use axtile_codec::grid::{HEADER_LEN, MAGIC};
use xxhash_rust::xxh3::xxh3_64;

use crate::random::Random;
use crate::wire::{put_varint, varint};

/// Of the fields of the header: byte offset and width.
const FIELDS: [(usize, usize); 10] = [
    (11, 1),
    (12, 4),
    (16, 4),
    (20, 4),
    (24, 8),
    (32, 4),
    (36, 4),
    (40, 8),
    (48, 8),
    (10, 1),
];

#[derive(Clone)]
pub struct Envelope {
    pub mode: u8,
    pub detail: u8,
    pub n_genes: u32,
    pub inner: Vec<u8>,
    pub chunks: Vec<Chunk>,
}

#[derive(Clone)]
pub struct Chunk {
    pub n_cells: u64,
    pub nnz: u64,
    pub sections: Vec<Vec<u8>>,
}

impl Envelope {
    /// Of a sound tile.
    pub fn of(tile: &[u8], n_sections: usize) -> Envelope {
        let u32_at = |at: usize| u32::from_le_bytes(tile[at..at + 4].try_into().unwrap());
        let index_end = HEADER_LEN + u32_at(32) as usize;
        let mut index = &tile[HEADER_LEN..index_end];
        let (inner, mut body) = tile[index_end..].split_at(u32_at(40) as usize);
        let chunks = (0..u32_at(20)).map(|_| {
            let [n_cells, nnz] = [(); 2].map(|()| varint(&mut index).unwrap());
            let sections = (0..n_sections).map(|_| {
                let len = varint(&mut index).unwrap() as usize;
                // The checksum: eight bytes.
                index = &index[8..];
                let (section, rest) = body.split_at(len);
                body = rest;
                section.to_vec()
            });
            Chunk {
                n_cells,
                nnz,
                sections: sections.collect(),
            }
        });
        Envelope {
            mode: tile[10],
            detail: tile[11],
            n_genes: u32_at(12),
            inner: inner.to_vec(),
            chunks: chunks.collect(),
        }
    }

    /// The tile. Once in a while, if there is a `random`, index and header are
    /// damaged.
    pub fn tile(&self, random: Option<&mut Random>) -> Vec<u8> {
        let mut index = Vec::new();
        let mut body = self.inner.clone();
        for chunk in &self.chunks {
            put_varint(&mut index, chunk.n_cells);
            put_varint(&mut index, chunk.nnz);
            for section in &chunk.sections {
                put_varint(&mut index, section.len() as u64);
                index.extend_from_slice(&xxh3_64(section).to_le_bytes());
                body.extend_from_slice(section);
            }
        }
        let mut lie = None;
        if let Some(random) = random {
            if random.once_in(20) {
                random.damage(&mut index);
            }
            if random.once_in(20) {
                let old = self.chunks.len() as u64;
                lie = Some((*random.pick(&FIELDS), random.number(old).to_le_bytes()));
            }
        }
        let sum = |of: fn(&Chunk) -> u64| {
            self.chunks
                .iter()
                .fold(0u64, |sum, chunk| sum.wrapping_add(of(chunk)))
        };
        let mut tile = MAGIC.to_vec();
        tile.extend([1, 0, self.mode, self.detail]);
        tile.extend(self.n_genes.to_le_bytes());
        tile.extend((sum(|chunk| chunk.n_cells) as u32).to_le_bytes());
        tile.extend((self.chunks.len() as u32).to_le_bytes());
        tile.extend(sum(|chunk| chunk.nnz).to_le_bytes());
        tile.extend((index.len() as u64).to_le_bytes());
        tile.extend((self.inner.len() as u64).to_le_bytes());
        tile.extend(((HEADER_LEN + index.len() + body.len()) as u64).to_le_bytes());
        if let Some(((at, len), value)) = lie {
            tile[at..at + len].copy_from_slice(&value[..len]);
        }
        let inner_head = &self.inner[..self.inner.len().min(HEADER_LEN)];
        let head = [&tile, index.as_slice(), inner_head].concat();
        tile.extend(xxh3_64(&head).to_le_bytes());
        tile.extend(index);
        tile.extend(body);
        tile
    }

    /// Chunks change places, go or come twice.
    pub fn change_chunks(&mut self, random: &mut Random) {
        if self.chunks.is_empty() {
            return;
        }
        let [a, b] = [(); 2].map(|()| random.below(self.chunks.len()));
        match random.below(5) {
            0 => self.chunks.swap(a, b),
            1 => drop(self.chunks.remove(a)),
            2 => self.chunks.insert(b, self.chunks[a].clone()),
            3 => self.chunks[a].n_cells = random.number(self.chunks[a].n_cells),
            _ => self.chunks[a].nnz = random.number(self.chunks[a].nnz),
        }
    }
}
