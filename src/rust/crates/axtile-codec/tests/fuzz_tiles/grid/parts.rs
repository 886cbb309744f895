//! Tiles taken apart, and put together again with sizes and checksums that
//! agree: what is behind the checksums can be damaged.

use axtile_codec::grid::{HEADER_LEN, MAGIC, SLACK_LEN};
use xxhash_rust::xxh3::xxh3_64;

use crate::wire::{put_varint, varint};

/// A tile with nothing compressed.
#[derive(Clone)]
pub struct Parts {
    pub n_genes: u32,
    pub model: Vec<u8>,
    pub chunks: Vec<ChunkParts>,
}

#[derive(Clone)]
pub struct ChunkParts {
    pub n_cells: u64,
    pub nnz: u64,
    pub counts: Vec<u8>,
    pub blocks: Vec<Vec<u8>>,
}

impl Parts {
    /// Of a sound tile.
    pub fn of(tile: &[u8]) -> Parts {
        let u32_at = |at: usize| u32::from_le_bytes(tile[at..at + 4].try_into().unwrap());
        let [model_len, model_raw, index_len, index_raw] =
            [32, 36, 40, 44].map(|at| u32_at(at) as usize);
        let index_at = HEADER_LEN + model_len;
        let mut body = &tile[index_at + index_len..tile.len() - SLACK_LEN];
        let model = zstd::bulk::decompress(&tile[HEADER_LEN..index_at], model_raw).unwrap();
        let index =
            zstd::bulk::decompress(&tile[index_at..index_at + index_len], index_raw).unwrap();
        let n_buckets = usize::from(model[2]);
        let mut rest = index.as_slice();
        let mut chunks = Vec::new();
        let mut lengths = Vec::new();
        for _ in 0..u32_at(20) {
            let [n_cells, nnz] = [(); 2].map(|()| varint(&mut rest).unwrap());
            let mut chunk_lengths = Vec::new();
            for _ in 0..=n_buckets {
                chunk_lengths.push(varint(&mut rest).unwrap() as usize);
                if chunk_lengths.last() != Some(&0) {
                    // The checksum: eight bytes.
                    rest = &rest[8..];
                }
            }
            lengths.push(chunk_lengths);
            chunks.push(ChunkParts {
                n_cells,
                nnz,
                counts: Vec::new(),
                blocks: Vec::new(),
            });
        }
        let mut take = |len: usize| {
            let (part, rest) = body.split_at(len);
            body = rest;
            part.to_vec()
        };
        for (chunk, lengths) in chunks.iter_mut().zip(&lengths) {
            chunk.counts = take(lengths[0]);
        }
        for (chunk, lengths) in chunks.iter_mut().zip(&lengths) {
            chunk.blocks = lengths[1..].iter().map(|&len| take(len)).collect();
        }
        Parts {
            n_genes: u32_at(12),
            model,
            chunks,
        }
    }

    pub fn index(&self) -> Vec<u8> {
        let mut index = Vec::new();
        for chunk in &self.chunks {
            put_varint(&mut index, chunk.n_cells);
            put_varint(&mut index, chunk.nnz);
            for part in std::iter::once(&chunk.counts).chain(&chunk.blocks) {
                put_varint(&mut index, part.len() as u64);
                if !part.is_empty() {
                    index.extend_from_slice(&xxh3_64(part).to_le_bytes());
                }
            }
        }
        index
    }

    /// The tile with these parts and this index; `fields` of the header, by
    /// byte offset, say something else than they should.
    pub fn tile(&self, index: &[u8], fields: &[(usize, Vec<u8>)]) -> Vec<u8> {
        let compressed = [&self.model, index].map(|part| zstd::bulk::compress(part, 1).unwrap());
        let mut tile = Vec::with_capacity(HEADER_LEN);
        tile.extend_from_slice(&MAGIC);
        tile.extend_from_slice(&[1, 0, 1, 0]);
        tile.extend_from_slice(&self.n_genes.to_le_bytes());
        let sum = |of: fn(&ChunkParts) -> u64| {
            self.chunks
                .iter()
                .fold(0u64, |sum, chunk| sum.wrapping_add(of(chunk)))
        };
        tile.extend_from_slice(&(sum(|chunk| chunk.n_cells) as u32).to_le_bytes());
        tile.extend_from_slice(&(self.chunks.len() as u32).to_le_bytes());
        tile.extend_from_slice(&sum(|chunk| chunk.nnz).to_le_bytes());
        for (compressed, raw) in compressed.iter().zip([self.model.len(), index.len()]) {
            tile.extend_from_slice(&(compressed.len() as u32).to_le_bytes());
            tile.extend_from_slice(&(raw as u32).to_le_bytes());
        }
        tile.resize(HEADER_LEN, 0);
        tile.extend_from_slice(&compressed[0]);
        tile.extend_from_slice(&compressed[1]);
        let head_len = tile.len();
        for chunk in &self.chunks {
            tile.extend_from_slice(&chunk.counts);
        }
        for block in self.chunks.iter().flat_map(|chunk| &chunk.blocks) {
            tile.extend_from_slice(block);
        }
        tile.resize(tile.len() + SLACK_LEN, 0);
        let size = tile.len() as u64;
        tile[48..56].copy_from_slice(&size.to_le_bytes());
        for (at, bytes) in fields {
            tile[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        let head = [&tile[..HEADER_LEN - 8], &tile[HEADER_LEN..head_len]].concat();
        tile[HEADER_LEN - 8..HEADER_LEN].copy_from_slice(&xxh3_64(&head).to_le_bytes());
        tile
    }
}
