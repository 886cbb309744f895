//! Gaps between genes and counts less 1, as two streams a chunk, each compressed
//! by a general compressor: what a format gives that has no codec of its own.

use std::ops::Range;

use axtile_codec::CellRows;
use axtile_codec::deltacells::cut_chunks;
use axtile_codec::kernels::Count;
use pco::ChunkConfig;
use pco::standalone::{simple_compress, simple_decompress_into};

/// Chunks of a tile.
const N_CHUNKS: usize = 8;

/// What compresses the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressor {
    /// pco, level 8.
    Pco,
    /// lz4 blocks of byte planes, the lowest bytes first.
    Lz4,
}

/// A compressed chunk.
struct Chunk {
    nonzeros: Range<usize>,
    /// The number of each cell's nonzeros; known to the other formats, too.
    sizes: Vec<usize>,
    gaps: Vec<u8>,
    counts: Vec<u8>,
}

/// A compressed tile.
pub struct Streams {
    compressor: Compressor,
    chunks: Vec<Chunk>,
}

/// Room for the numbers of a chunk.
#[derive(Default)]
pub struct Room {
    numbers: Vec<u32>,
    planes: Vec<u8>,
}

impl Streams {
    pub fn encode(rows: &CellRows, compressor: Compressor) -> Streams {
        let chunks = cut_chunks(&rows.starts, N_CHUNKS);
        let chunks = chunks.iter().map(|cells| {
            let starts = &rows.starts[cells.start..=cells.end];
            let nonzeros = starts[0]..starts[cells.len()];
            let mut gaps = Vec::with_capacity(nonzeros.len());
            for bounds in starts.windows(2) {
                let mut next = 0;
                for &gene in &rows.genes[bounds[0]..bounds[1]] {
                    gaps.push(gene - next);
                    next = gene + 1;
                }
            }
            let counts = rows.counts[nonzeros.clone()].iter();
            let counts: Vec<u32> = counts.map(|&count| count - 1).collect();
            Chunk {
                sizes: starts
                    .windows(2)
                    .map(|bounds| bounds[1] - bounds[0])
                    .collect(),
                gaps: compressor.compress(&gaps),
                counts: compressor.compress(&counts),
                nonzeros,
            }
        });
        Streams {
            compressor,
            chunks: chunks.collect(),
        }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        let chunks = self.chunks.iter();
        chunks
            .map(|chunk| chunk.gaps.len() + chunk.counts.len())
            .sum()
    }

    /// The nonzeros of each chunk.
    pub fn chunks(&self) -> Vec<Range<usize>> {
        self.chunks
            .iter()
            .map(|chunk| chunk.nonzeros.clone())
            .collect()
    }

    /// Decodes chunk `idx`.
    pub fn decode<C: Count>(
        &self,
        idx: usize,
        room: &mut Room,
        genes: &mut [i32],
        counts: &mut [C],
    ) {
        let chunk = &self.chunks[idx];
        let n = chunk.nonzeros.len();
        self.compressor.decompress(&chunk.gaps, n, room);
        let mut rest = (genes, &room.numbers[..]);
        for &size in &chunk.sizes {
            let (genes, others) = rest.0.split_at_mut(size);
            let (gaps, other_gaps) = rest.1.split_at(size);
            rest = (others, other_gaps);
            let mut next = 0;
            for (gene, &gap) in genes.iter_mut().zip(gaps) {
                next += gap;
                *gene = next as i32;
                next += 1;
            }
        }
        self.compressor.decompress(&chunk.counts, n, room);
        for (out, &number) in counts.iter_mut().zip(&room.numbers) {
            *out = C::from_u32(number + 1);
        }
    }
}

impl Compressor {
    pub fn name(self) -> &'static str {
        match self {
            Compressor::Pco => "pco",
            Compressor::Lz4 => "lz4",
        }
    }

    fn compress(self, numbers: &[u32]) -> Vec<u8> {
        match self {
            Compressor::Pco => simple_compress(numbers, &ChunkConfig::default()).expect("memory"),
            Compressor::Lz4 => {
                let largest = numbers.iter().copied().max().unwrap_or(0);
                let n_planes = (32 - largest.leading_zeros()).div_ceil(8).max(1);
                let planes = (0..n_planes).flat_map(|plane| {
                    numbers
                        .iter()
                        .map(move |&number| (number >> (8 * plane)) as u8)
                });
                let planes: Vec<u8> = planes.collect();
                lz4_flex::block::compress(&planes)
            }
        }
    }

    /// Decompresses `n` numbers.
    fn decompress(self, bytes: &[u8], n: usize, room: &mut Room) {
        room.numbers.resize(n, 0);
        match self {
            Compressor::Pco => {
                simple_decompress_into(bytes, &mut room.numbers).expect("a stream");
            }
            Compressor::Lz4 => {
                room.planes.resize(4 * n, 0);
                let len = lz4_flex::block::decompress_into(bytes, &mut room.planes);
                let len = len.expect("a block");
                let (first, others) = room.planes[..len].split_at(n);
                for (number, &byte) in room.numbers.iter_mut().zip(first) {
                    *number = byte.into();
                }
                for (plane, bytes) in (1..).zip(others.chunks(n)) {
                    for (number, &byte) in room.numbers.iter_mut().zip(bytes) {
                        *number |= u32::from(byte) << (8 * plane);
                    }
                }
            }
        }
    }
}
