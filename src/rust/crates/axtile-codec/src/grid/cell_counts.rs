//! How many nonzeros every cell of a chunk has in every bucket.
//!
//! The cells' clusters, then their totals as minimum and differences, then for
//! each bucket but the last the count's difference from what the cell's
//! remaining nonzeros and the bucket's share let expect, in a Rice code. The
//! last bucket has what remains.

use super::bits::{BitReader, BitWriter};
use super::model::{Model, SHARE_ONE};
use crate::error::{TileError, TileResult};

/// Differences of at least this many Rice steps are written in full.
const MAX_QUOTIENT: u32 = 24;

/// Bits of the least total, and of the width of what totals have more.
const MIN_BITS: u32 = 32;
const WIDTH_BITS: u32 = 6;
/// Bits of a bucket's Rice parameter.
const RICE_BITS: u32 = 5;

/// The fewest bytes that the counts of so many cells can take: at least a bit
/// for each cell in each bucket but the last.
pub(super) fn min_len(model: &Model, n_cells: usize) -> usize {
    let cluster_bits = bits_for(model.clusters.len() as u32 - 1) as usize;
    let n_coded = model.buckets.len() - 1;
    let n_fixed = (MIN_BITS + WIDTH_BITS) as usize + n_coded * RICE_BITS as usize;
    (n_fixed + n_cells * (cluster_bits + n_coded)).div_ceil(8)
}

/// Counts of the cells of one chunk.
#[derive(Debug, Default)]
pub(super) struct CellCounts {
    /// The cluster of each cell.
    pub(super) clusters: Vec<u8>,
    /// Where each cell's nonzeros start, and the end of the last.
    pub(super) starts: Vec<usize>,
    /// For each cell the nonzeros in each bucket that was decoded.
    pub(super) counts: Vec<u32>,
}

impl CellCounts {
    /// Encodes; `counts` are those of [`CellCounts::counts`].
    pub(super) fn encode(model: &Model, clusters: &[u8], counts: &[u32]) -> Vec<u8> {
        let n_buckets = model.buckets.len();
        let mut out = BitWriter::default();
        let cluster_bits = bits_for(model.clusters.len() as u32 - 1);
        for &cluster in clusters {
            out.put(cluster.into(), cluster_bits);
        }
        let mut remaining: Vec<u32> = counts
            .chunks_exact(n_buckets)
            .map(|counts| counts.iter().sum())
            .collect();
        let min = remaining.iter().copied().min().unwrap_or(0);
        let max = remaining.iter().copied().max().unwrap_or(0);
        let width = bits_for(max - min);
        out.put(min, MIN_BITS);
        out.put(width, WIDTH_BITS);
        for total in &remaining {
            out.put(total - min, width);
        }
        let mut differences = vec![0u32; clusters.len()];
        for bucket in 0..n_buckets - 1 {
            let shares = &model.buckets[bucket].shares;
            for (cell, (&cluster, remaining)) in clusters.iter().zip(&mut remaining).enumerate() {
                let count = counts[cell * n_buckets + bucket];
                let expected = expected(*remaining, shares[usize::from(cluster)]);
                differences[cell] = zigzag(count, expected);
                *remaining -= count;
            }
            let rice = best_rice(&differences);
            out.put(rice, RICE_BITS);
            for &difference in &differences {
                let quotient = difference >> rice;
                if quotient < MAX_QUOTIENT {
                    out.put(1 << quotient, quotient + 1);
                    out.put(difference & ((1 << rice) - 1), rice);
                } else {
                    out.put(1 << MAX_QUOTIENT, MAX_QUOTIENT + 1);
                    out.put(difference, 32);
                }
            }
        }
        out.finish()
    }

    /// Decodes `bytes` for `n_cells` cells with `nnz` nonzeros in all: clusters,
    /// starts, and the counts of the first `n_wanted` buckets.
    pub(super) fn decode(
        &mut self,
        model: &Model,
        bytes: &[u8],
        n_cells: usize,
        nnz: usize,
        n_wanted: usize,
        place: &str,
    ) -> TileResult<()> {
        let wrong = |problem: String| TileError::corrupt(place, problem);
        let mut reader = BitReader::new(bytes);
        let n_clusters = model.clusters.len();
        let cluster_bits = bits_for(n_clusters as u32 - 1);
        self.clusters.clear();
        self.clusters
            .extend((0..n_cells).map(|_| reader.take(cluster_bits) as u8));
        if let Some(cluster) = self
            .clusters
            .iter()
            .find(|&&cluster| usize::from(cluster) >= n_clusters)
        {
            return Err(wrong(format!("cluster {cluster} of {n_clusters}")));
        }
        let min = reader.take(MIN_BITS);
        let width = reader.take(WIDTH_BITS);
        if width > 32 {
            return Err(wrong(format!("totals of {width} bits")));
        }
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0usize;
        for cell in 0..n_cells {
            let total = u64::from(min) + u64::from(reader.take(width));
            if total > u64::from(model.n_genes) {
                let n_genes = model.n_genes;
                return Err(wrong(format!(
                    "cell {cell} has {total} nonzeros, there are {n_genes} genes"
                )));
            }
            end = end.saturating_add(total as usize);
            self.starts.push(end);
        }
        if end != nnz {
            return Err(wrong(format!("{end} nonzeros, the index says {nnz}")));
        }
        if n_wanted == 0 {
            return Ok(());
        }
        self.decode_buckets(model, reader, n_cells, n_wanted, place)
    }

    fn decode_buckets(
        &mut self,
        model: &Model,
        mut reader: BitReader<'_>,
        n_cells: usize,
        n_wanted: usize,
        place: &str,
    ) -> TileResult<()> {
        let wrong = |problem: String| TileError::corrupt(place, problem);
        let n_buckets = model.buckets.len();
        self.counts.clear();
        self.counts.resize(n_cells * n_buckets, 0);
        // The last bucket's place holds what remains.
        for (cell, bounds) in self.starts.windows(2).enumerate() {
            self.counts[(cell + 1) * n_buckets - 1] = (bounds[1] - bounds[0]) as u32;
        }
        for (bucket, facts) in model.buckets.iter().enumerate().take(n_wanted) {
            let is_last = bucket + 1 == n_buckets;
            let rice = if is_last { 0 } else { reader.take(RICE_BITS) };
            let widths: Vec<u32> = (0..model.clusters.len())
                .map(|cluster| model.bounds(cluster, bucket).len() as u32)
                .collect();
            let rows = self.counts.chunks_exact_mut(n_buckets);
            for (cell, (&cluster, row)) in self.clusters.iter().zip(rows).enumerate() {
                let cluster = usize::from(cluster);
                let remaining = row[n_buckets - 1];
                let count = if is_last {
                    remaining
                } else {
                    let quotient = reader
                        .take_unary(MAX_QUOTIENT)
                        .ok_or_else(|| wrong(format!("bucket {bucket}: no count's code")))?;
                    let difference = if quotient < MAX_QUOTIENT {
                        quotient << rice | reader.take(rice)
                    } else {
                        reader.take(32)
                    };
                    unzigzag(difference, expected(remaining, facts.shares[cluster]))
                        .filter(|&count| count <= remaining)
                        .ok_or_else(|| {
                            wrong(format!("bucket {bucket}, cell {cell}: a wrong count"))
                        })?
                };
                if count > widths[cluster] {
                    return Err(wrong(format!(
                        "bucket {bucket}, cell {cell}: {count} nonzeros in {} genes",
                        widths[cluster]
                    )));
                }
                if !is_last {
                    row[bucket] = count;
                    row[n_buckets - 1] = remaining - count;
                }
            }
        }
        if n_wanted == n_buckets && !reader.is_at_end() {
            return Err(wrong("it does not end where its last count does".into()));
        }
        Ok(())
    }
}

/// Bits for numbers up to `max`.
fn bits_for(max: u32) -> u32 {
    u32::BITS - max.leading_zeros()
}

#[inline]
fn expected(remaining: u32, share: u32) -> u32 {
    ((u64::from(remaining) * u64::from(share) + SHARE_ONE / 2) / SHARE_ONE) as u32
}

/// 0, 1, 2, 3, 4 for the expected count, one less, one more, two less, ...
fn zigzag(count: u32, expected: u32) -> u32 {
    // Counts are below 2^31.
    let difference = i64::from(count) - i64::from(expected);
    ((difference << 1) ^ (difference >> 63)) as u32
}

#[inline]
fn unzigzag(code: u32, expected: u32) -> Option<u32> {
    let difference = i64::from(code >> 1) ^ -i64::from(code & 1);
    u32::try_from(i64::from(expected) + difference).ok()
}

/// The parameter that makes these differences shortest.
fn best_rice(differences: &[u32]) -> u32 {
    let cost = |rice: u32| -> u64 {
        differences
            .iter()
            .map(|&difference| match difference >> rice {
                quotient if quotient < MAX_QUOTIENT => u64::from(quotient + 1 + rice),
                _ => u64::from(MAX_QUOTIENT + 33),
            })
            .sum()
    };
    let mut best = (cost(0), 0);
    for rice in 1..31 {
        let cost = cost(rice);
        // The cost falls, then rises.
        if cost > best.0 {
            break;
        }
        best = (cost, rice);
    }
    best.1
}
