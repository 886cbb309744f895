//! Encoding of tiles: a plan from a look at all nonzeros, then chunk by chunk.

use std::ops::Range;

use axtile_core::Result;

use super::bits::BitWriter;
use super::cell_counts::CellCounts;
use super::clusters::{cluster_cells, reorder};
use super::dictionary::{DictionaryPlan, Part};
use super::huffman;
use super::layout::{ChunkParts, write_tile};
use super::model::{Bucket, Cluster, Model, SHARE_ONE};
use super::tables::merge_contexts;
use super::{MAX_CHUNK_CELLS, MAX_CLUSTERS, MAX_GENES};
use crate::kernels::split;
use crate::rows::CellRows;
use crate::wire::put_varint;

/// How a tile is encoded.
#[derive(Clone, Debug)]
pub struct Options {
    /// About how many nonzeros a chunk holds: what is decoded at once.
    pub chunk_nonzeros: usize,
    /// Gene buckets; `None` for a number that fits the cells.
    pub n_buckets: Option<usize>,
    /// Classes of cells by their nonzeros in a bucket; `None` as above.
    pub n_classes: Option<usize>,
    /// Code tables of a bucket, at most.
    pub n_tables: usize,
    /// Clusters of cells, each with its own order of genes: smaller, but all
    /// that is read has to be sorted anew.
    pub n_clusters: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            chunk_nonzeros: 1_000_000,
            n_buckets: None,
            n_classes: None,
            n_tables: 8,
            n_clusters: 1,
        }
    }
}

/// What is known about a tile before its chunks are encoded.
#[derive(Debug)]
pub struct Plan {
    model: Model,
    chunks: Vec<Range<usize>>,
    clusters: Vec<u8>,
    /// The rows in the orders of the clusters, unless that is the tile's.
    reordered: Option<CellRows>,
    /// For each cell the nonzeros in each bucket.
    counts: Vec<u32>,
    symbols: Vec<DictionaryPlan>,
    /// For each bucket and table, the codes.
    codes: Vec<Vec<Vec<u16>>>,
}

/// An encoded chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedChunk {
    n_cells: usize,
    nnz: usize,
    counts: Vec<u8>,
    blocks: Vec<Vec<u8>>,
}

impl Plan {
    /// Looks at all nonzeros of a tile of `n_genes` genes.
    ///
    /// # Errors
    /// None so far.
    ///
    /// # Panics
    /// If `n_genes` is not 1 to 2^31-1, or rows break their rules.
    pub fn new(rows: &CellRows, n_genes: u32, options: &Options) -> Result<Plan> {
        assert!((1..=MAX_GENES).contains(&(n_genes as usize)));
        let n_cells = rows.n_cells();
        let nnz = rows.nnz();
        let per_cell = nnz / n_cells.max(1);
        let n_buckets = options.n_buckets.unwrap_or(match per_cell {
            0..64 => 4,
            _ => 8,
        });
        let n_classes = options
            .n_classes
            .unwrap_or(if nnz < 1_000_000 { 4 } else { 8 });
        let n_clusters = options.n_clusters.clamp(1, MAX_CLUSTERS);
        let clusters = cluster_cells(rows, n_clusters);
        let (mut orders, reordered) = if n_clusters > 1 {
            let (orders, reordered) = reorder(rows, n_genes, &clusters, n_clusters);
            (orders, Some(reordered))
        } else {
            (vec![Cluster::default()], None)
        };
        let positions = reordered.as_ref().unwrap_or(rows);
        for (cluster, order) in orders.iter_mut().enumerate() {
            order.bounds = bounds(positions, &clusters, cluster, n_genes, n_buckets);
        }
        let mut plan = Plan {
            model: Model {
                n_genes,
                n_classes,
                clusters: orders,
                buckets: Vec::new(),
            },
            chunks: cut(&rows.starts, options.chunk_nonzeros),
            clusters,
            reordered: None,
            counts: Vec::new(),
            symbols: Vec::new(),
            codes: Vec::new(),
        };
        plan.count(positions, n_buckets);
        plan.choose_symbols(positions, n_buckets);
        plan.choose_tables(positions, options.n_tables);
        plan.reordered = reordered;
        Ok(plan)
    }

    /// The number of chunks.
    pub fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The cells of a chunk.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn cells(&self, chunk: usize) -> Range<usize> {
        self.chunks[chunk].clone()
    }

    /// Calls `each` with cell, bucket and the range of the cell's nonzeros there.
    fn segments(
        &self,
        cells: Range<usize>,
        rows: &CellRows,
        mut each: impl FnMut(usize, usize, Range<usize>),
    ) {
        let n_buckets = self.model.buckets.len();
        for cell in cells {
            let mut start = rows.starts[cell];
            for bucket in 0..n_buckets {
                let end = start + self.counts[cell * n_buckets + bucket] as usize;
                each(cell, bucket, start..end);
                start = end;
            }
        }
    }

    fn count(&mut self, rows: &CellRows, n_buckets: usize) {
        let n_cells = rows.n_cells();
        self.counts = vec![0; n_cells * n_buckets];
        for cell in 0..n_cells {
            let bounds = &self.model.clusters[usize::from(self.clusters[cell])].bounds;
            let genes = &rows.genes[rows.starts[cell]..rows.starts[cell + 1]];
            let mut first = 0;
            for bucket in 0..n_buckets {
                let n = genes[first..].partition_point(|&gene| gene < bounds[bucket + 1]);
                self.counts[cell * n_buckets + bucket] = n as u32;
                first += n;
            }
        }
    }

    fn choose_symbols(&mut self, rows: &CellRows, n_buckets: usize) {
        let n_clusters = self.model.clusters.len();
        // For the time until the dictionaries are known.
        for bucket in 0..n_buckets {
            let (shares, thresholds) = self.shares_and_thresholds(bucket, n_buckets);
            self.model.buckets.push(Bucket {
                dictionary: crate::kernels::Dictionary::new(&[], &[], 0, 0),
                escapes: Vec::new(),
                shares,
                thresholds,
                table_of: vec![0; n_clusters * self.model.n_classes],
                tables: Vec::new(),
            });
        }
        let mut plans: Vec<DictionaryPlan> =
            (0..n_buckets).map(|_| DictionaryPlan::default()).collect();
        let model = &self.model;
        let starts =
            |cell: usize, bucket: usize| model.bounds(self.clusters[cell].into(), bucket).start;
        self.segments(0..rows.n_cells(), rows, |cell, bucket, range| {
            let (genes, counts) = (&rows.genes[range.clone()], &rows.counts[range]);
            plans[bucket].measure(genes, counts, starts(cell, bucket));
        });
        for plan in &mut plans {
            plan.choose_bits();
        }
        self.segments(0..rows.n_cells(), rows, |cell, bucket, range| {
            let (genes, counts) = (&rows.genes[range.clone()], &rows.counts[range]);
            plans[bucket].add(genes, counts, starts(cell, bucket));
        });
        for (plan, bucket) in plans.iter_mut().zip(&mut self.model.buckets) {
            (bucket.dictionary, bucket.escapes) = plan.choose_symbols();
        }
        self.symbols = plans;
    }

    /// Each cluster's share of nonzeros in a bucket of those from it on, and the
    /// counts that part its cells into classes with equally many nonzeros.
    fn shares_and_thresholds(&self, bucket: usize, n_buckets: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
        let n_classes = self.model.n_classes;
        (0..self.model.clusters.len())
            .map(|cluster| {
                let mut counts = Vec::new();
                let mut rest = 0u64;
                for (cell, _) in self
                    .clusters
                    .iter()
                    .enumerate()
                    .filter(|&(_, &c)| usize::from(c) == cluster)
                {
                    let row = &self.counts[cell * n_buckets..(cell + 1) * n_buckets];
                    counts.push(row[bucket]);
                    rest += row[bucket..].iter().map(|&n| u64::from(n)).sum::<u64>();
                }
                counts.sort_unstable();
                let total: u64 = counts.iter().map(|&n| u64::from(n)).sum();
                let share = (total * SHARE_ONE + rest / 2)
                    .checked_div(rest)
                    .unwrap_or(0);
                let mut sum = 0;
                let mut thresholds = Vec::with_capacity(n_classes);
                for &count in &counts {
                    sum += u64::from(count);
                    while thresholds.len() + 1 < n_classes
                        && sum * n_classes as u64 >= total * (thresholds.len() as u64 + 1)
                    {
                        thresholds.push(count);
                    }
                }
                thresholds.resize(n_classes - 1, counts.last().copied().unwrap_or(0));
                (share as u32, thresholds)
            })
            .unzip()
    }

    fn choose_tables(&mut self, rows: &CellRows, n_tables: usize) {
        let n_contexts = self.model.clusters.len() * self.model.n_classes;
        let mut histograms: Vec<Vec<[u32; 256]>> = self
            .model
            .buckets
            .iter()
            .map(|_| vec![[0; 256]; n_contexts])
            .collect();
        // Each context has a table of its own for now.
        for bucket in &mut self.model.buckets {
            bucket.table_of = (0..n_contexts as u8).collect();
        }
        self.segments(0..rows.n_cells(), rows, |cell, bucket, range| {
            let model = &self.model.buckets[bucket];
            let cluster = usize::from(self.clusters[cell]);
            let context = model.table(cluster, range.len() as u32);
            let histogram = &mut histograms[bucket][context];
            let start = self.model.bounds(cluster, bucket).start;
            let (genes, counts) = (&rows.genes[range.clone()], &rows.counts[range]);
            self.symbols[bucket].each(genes, counts, start, |_, part| {
                histogram[usize::from(part.symbol)] += 1;
            });
        });
        for (bucket, histograms) in self.model.buckets.iter_mut().zip(&histograms) {
            let n_symbols = bucket.n_symbols();
            let (table_of, merged) = merge_contexts(histograms, n_tables);
            bucket.table_of = table_of;
            bucket.tables = merged
                .iter()
                .map(|histogram| huffman::code_lengths(&histogram[..n_symbols]))
                .collect();
            let codes = bucket.tables.iter().map(|lengths| huffman::codes(lengths));
            self.codes.push(codes.collect());
        }
    }

    /// Encodes a chunk of the rows that the plan was made for.
    ///
    /// # Errors
    /// None so far.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn encode_chunk(&self, rows: &CellRows, chunk: usize) -> Result<EncodedChunk> {
        let rows = self.reordered.as_ref().unwrap_or(rows);
        let cells = self.chunks[chunk].clone();
        let n_buckets = self.model.buckets.len();
        let counts = &self.counts[cells.start * n_buckets..cells.end * n_buckets];
        let clusters = &self.clusters[cells.clone()];
        let nnz = rows.starts[cells.end] - rows.starts[cells.start];
        let blocks = (0..n_buckets)
            .map(|bucket| self.encode_block(rows, cells.clone(), bucket))
            .collect();
        Ok(EncodedChunk {
            n_cells: cells.len(),
            nnz,
            counts: CellCounts::encode(&self.model, clusters, counts),
            blocks,
        })
    }

    fn encode_block(&self, rows: &CellRows, cells: Range<usize>, bucket: usize) -> Vec<u8> {
        let model = &self.model.buckets[bucket];
        let n_buckets = self.model.buckets.len();
        let mut runs: Vec<Vec<(usize, Range<usize>)>> = vec![Vec::new(); model.tables.len()];
        for cell in cells {
            let row = &self.counts[cell * n_buckets..(cell + 1) * n_buckets];
            let start = rows.starts[cell] + row[..bucket].iter().sum::<u32>() as usize;
            let cluster = usize::from(self.clusters[cell]);
            if row[bucket] > 0 {
                let range = start..start + row[bucket] as usize;
                runs[model.table(cluster, row[bucket])].push((cell, range));
            }
        }
        let mut lengths = Vec::new();
        let mut streams = Vec::new();
        let mut raw = BitWriter::default();
        let mut escapes = BitWriter::default();
        let n_raw = model.dictionary.raw_bits() as u32;
        let mut symbols: Vec<u8> = Vec::new();
        for (table, run) in runs.iter().enumerate() {
            symbols.clear();
            for (cell, range) in run {
                let start = self.model.bounds(self.clusters[*cell].into(), bucket).start;
                let (genes, counts) = (&rows.genes[range.clone()], &rows.counts[range.clone()]);
                self.symbols[bucket].each(genes, counts, start, |escape, part: Part| {
                    symbols.push(part.symbol);
                    raw.put(part.raw, n_raw);
                    if let Some(fields) = escape {
                        for (value, n_bits) in fields {
                            escapes.put(value, n_bits);
                        }
                    }
                });
            }
            let code_lengths = &model.tables[table];
            if code_lengths.iter().filter(|&&len| len > 0).count() < 2 {
                continue;
            }
            let (shares, n_streams) = split(symbols.len());
            let mut rest = symbols.as_slice();
            for &share in &shares[..n_streams] {
                if symbols.is_empty() {
                    break;
                }
                let (part, other) = rest.split_at(share);
                rest = other;
                let before = streams.len();
                put_codes(&mut streams, part, &self.codes[bucket][table], code_lengths);
                put_varint(&mut lengths, (streams.len() - before) as u64);
            }
        }
        let mut block = lengths;
        block.extend_from_slice(&streams);
        block.extend_from_slice(&raw.finish());
        block.extend_from_slice(&escapes.finish());
        block
    }

    /// Puts a tile together from all its chunks, in order.
    pub fn assemble(&self, chunks: &[EncodedChunk]) -> Vec<u8> {
        let parts: Vec<ChunkParts<'_>> = chunks
            .iter()
            .map(|chunk| ChunkParts {
                n_cells: chunk.n_cells,
                nnz: chunk.nnz,
                counts: &chunk.counts,
                blocks: chunk.blocks.iter().map(Vec::as_slice).collect(),
            })
            .collect();
        write_tile(&self.model, &parts)
    }
}

/// Appends the codes of `symbols`, the most significant bit of each byte first.
fn put_codes(out: &mut Vec<u8>, symbols: &[u8], codes: &[u16], lengths: &[u8]) {
    let mut pending = 0u64;
    let mut n_pending = 0u32;
    for &symbol in symbols {
        let (code, len) = (codes[usize::from(symbol)], lengths[usize::from(symbol)]);
        pending = pending << len | u64::from(code);
        n_pending += u32::from(len);
        if n_pending >= 32 {
            n_pending -= 32;
            out.extend_from_slice(&((pending >> n_pending) as u32).to_be_bytes());
        }
    }
    let rest = (pending << (64 - n_pending.max(1)) << u32::from(n_pending == 0)).to_be_bytes();
    out.extend_from_slice(&rest[..n_pending.div_ceil(8) as usize]);
}

/// Cuts cells into chunks of about so many nonzeros.
pub(crate) fn cut(starts: &[usize], chunk_nonzeros: usize) -> Vec<Range<usize>> {
    let n_cells = starts.len().saturating_sub(1);
    let mut chunks = Vec::new();
    let mut first = 0;
    while first < n_cells {
        let target = starts[first].saturating_add(chunk_nonzeros);
        let end = starts.partition_point(|&start| start <= target) - 1;
        let end = end.clamp(first + 1, n_cells).min(first + MAX_CHUNK_CELLS);
        chunks.push(first..end);
        first = end;
    }
    chunks
}

/// Where a cluster's buckets of about equally many nonzeros start, and the end
/// of the last.
fn bounds(
    rows: &CellRows,
    clusters: &[u8],
    cluster: usize,
    n_genes: u32,
    n_buckets: usize,
) -> Vec<u32> {
    let n_used = rows.genes.iter().max().map_or(0, |&gene| gene as usize + 1);
    let mut nnz_of_gene = vec![0u64; n_used];
    let mut total = 0u64;
    for (cell, _) in clusters
        .iter()
        .enumerate()
        .filter(|&(_, &c)| usize::from(c) == cluster)
    {
        let range = rows.starts[cell]..rows.starts[cell + 1];
        total += range.len() as u64;
        for &gene in &rows.genes[range] {
            nnz_of_gene[gene as usize] += 1;
        }
    }
    let mut bounds = vec![0];
    let mut sum = 0;
    for (gene, nnz) in nnz_of_gene.iter().enumerate() {
        sum += nnz;
        while bounds.len() < n_buckets && sum * n_buckets as u64 >= total * bounds.len() as u64 {
            bounds.push(gene as u32 + 1);
        }
    }
    bounds.resize(n_buckets + 1, n_genes);
    bounds[n_buckets] = n_genes;
    bounds
}
