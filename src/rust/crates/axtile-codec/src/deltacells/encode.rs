//! Encoding of tiles. Chunks are compressed one by one, so that the caller can
//! do several at once; the bytes do not depend on how.

use std::ops::Range;

use axtile_core::{Error, Result};
use zstd::zstd_safe::{self, CCtx, CParameter};

use super::{ALIGNMENT, CHUNK_ENTRY_LEN, HEADER_LEN, MAGIC, MAX_GENES, VERSION};
use crate::rows::CellRows;

/// The two frames of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkFrames {
    gaps: Vec<u8>,
    counts: Vec<u8>,
}

/// Refuses compression levels that zstd does not have.
///
/// # Errors
/// `Error::Argument` naming the allowed range.
pub fn check_level(level: i32) -> Result<()> {
    let allowed = zstd_safe::min_c_level()..=zstd_safe::max_c_level();
    if allowed.contains(&level) {
        return Ok(());
    }
    Err(Error::argument(format!(
        "the zstd level is {level}, expected {} to {}",
        allowed.start(),
        allowed.end()
    )))
}

/// Cuts cells into at most `n_chunks` chunks of about equally many nonzeros;
/// `starts` is [`CellRows::starts`]. Fewer chunks come out where one cell is
/// larger than a share; none where there is no cell.
pub fn cut_chunks(starts: &[usize], n_chunks: usize) -> Vec<Range<usize>> {
    let n_cells = starts.len().saturating_sub(1);
    if n_cells == 0 {
        return Vec::new();
    }
    let nnz = starts[n_cells];
    let n_chunks = n_chunks.clamp(1, n_cells);
    let share = nnz as f64 / n_chunks as f64;
    let mut bounds = vec![0];
    bounds.extend((1..n_chunks).map(|i| {
        let target = i as f64 * share;
        starts.partition_point(|&start| (start as f64) < target)
    }));
    bounds.push(n_cells);
    bounds.sort_unstable();
    bounds.dedup();
    bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Compresses the cells `cells` of `rows` at a zstd level that
/// [`check_level`] accepted.
///
/// Numbers are narrowed to 16 bits: that genes are below [`MAX_GENES`] and counts
/// at most [`MAX_COUNT`](super::MAX_COUNT) is for the caller to see to, who can
/// tell cell and gene.
///
/// # Errors
/// `Error::Limit` if zstd gets no memory, or for a number beyond 16 bits.
///
/// # Panics
/// If there are no such cells.
pub fn encode_chunk(rows: &CellRows, cells: Range<usize>, level: i32) -> Result<ChunkFrames> {
    let nonzeros = rows.starts[cells.start]..rows.starts[cells.end];
    let counts = &rows.counts[nonzeros.clone()];
    let mut gaps = Vec::with_capacity(nonzeros.len());
    for cell in cells {
        let mut previous = 0;
        gaps.extend(
            rows.genes[rows.starts[cell]..rows.starts[cell + 1]]
                .iter()
                .map(|&gene| gene - std::mem::replace(&mut previous, gene)),
        );
    }
    Ok(ChunkFrames {
        gaps: compress_planes(&gaps, level)?,
        counts: compress_planes(counts, level)?,
    })
}

fn compress_planes(numbers: &[u32], level: i32) -> Result<Vec<u8>> {
    if let Some(number) = numbers.iter().find(|&&number| number > u16::MAX.into()) {
        return Err(Error::Limit {
            path: Default::default(),
            problem: format!("{number} is beyond the 16 bits of the deltacells format"),
        });
    }
    let mut planes = Vec::with_capacity(2 * numbers.len());
    planes.extend(numbers.iter().map(|&number| number as u8));
    planes.extend(numbers.iter().map(|&number| (number >> 8) as u8));
    let mut context = CCtx::create();
    let mut frame = Vec::with_capacity(zstd_safe::compress_bound(planes.len()));
    context
        .set_parameter(CParameter::CompressionLevel(level))
        .and_then(|_| context.compress2(&mut frame, &planes))
        .map_err(|code| Error::Limit {
            path: Default::default(),
            problem: format!("zstd, level {level}: {}", zstd_safe::get_error_name(code)),
        })?;
    frame.shrink_to_fit();
    Ok(frame)
}

/// Puts a tile together from its chunks, as cut by [`cut_chunks`] and
/// compressed by [`encode_chunk`].
///
/// # Panics
/// If `n_genes` is not 1 to 65,536.
pub fn assemble(
    rows: &CellRows,
    n_genes: usize,
    chunks: &[Range<usize>],
    frames: &[ChunkFrames],
) -> Vec<u8> {
    assert!((1..=MAX_GENES).contains(&n_genes));
    let indptr_offset = HEADER_LEN + chunks.len() * CHUNK_ENTRY_LEN;
    let streams_offset = indptr_offset + 8 * rows.starts.len().max(1);
    let aligned = |offset: usize| offset.next_multiple_of(ALIGNMENT);
    let mut table = Vec::with_capacity(chunks.len() * CHUNK_ENTRY_LEN);
    let mut end = streams_offset;
    for (cells, frames) in chunks.iter().zip(frames) {
        let gaps_offset = aligned(end);
        let counts_offset = aligned(gaps_offset + frames.gaps.len());
        end = counts_offset + frames.counts.len();
        let entry = [
            cells.start,
            cells.end,
            rows.starts[cells.start],
            rows.starts[cells.end],
            gaps_offset,
            frames.gaps.len(),
            counts_offset,
            frames.counts.len(),
        ];
        table.extend(entry.iter().flat_map(|&field| (field as u64).to_le_bytes()));
    }

    let mut tile = Vec::with_capacity(end);
    tile.resize(HEADER_LEN, 0);
    tile.extend(table);
    if rows.starts.is_empty() {
        tile.extend(0u64.to_le_bytes());
    }
    for &start in &rows.starts {
        tile.extend((start as u64).to_le_bytes());
    }
    for frames in frames {
        for frame in [&frames.gaps, &frames.counts] {
            tile.resize(aligned(tile.len()), 0);
            tile.extend(frame);
        }
    }

    let mut header = Vec::with_capacity(HEADER_LEN);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    header.extend(0u32.to_le_bytes());
    header.extend((rows.n_cells() as u64).to_le_bytes());
    header.extend((rows.nnz() as u64).to_le_bytes());
    header.extend((n_genes as u32).to_le_bytes());
    header.extend((chunks.len() as u32).to_le_bytes());
    header.extend((indptr_offset as u64).to_le_bytes());
    header.extend((tile.len() as u64).to_le_bytes());
    header.extend(crc32fast::hash(&tile[HEADER_LEN..]).to_le_bytes());
    header.extend(0u32.to_le_bytes());
    tile[..HEADER_LEN].copy_from_slice(&header);
    tile
}
