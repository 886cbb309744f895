//! Clusters of cells that express genes alike, each with its own order of genes:
//! gaps get smaller and more alike. Decoding has to sort such cells anew.
//!
//! Cells are put where the logarithms of their counts are most likely, as in a
//! mixture of multinomial distributions with hard assignments, from a sample of
//! the cells.

use super::model::Cluster;
use crate::genes::CellSorter;
use crate::rows::CellRows;

/// Cells in the sample, about.
const SAMPLE: usize = 1_000;
/// Passes over the sample.
const N_PASSES: usize = 8;
/// Cells that each cluster starts from.
const N_SEEDS: usize = 100;
/// The first genes have most counts; the others do not matter here.
const N_GENES: usize = 4_096;
/// What a cluster's shares are drawn to those of all cells by, in counts.
const PRIOR: f32 = 200.0;
/// A level is so many steps of the binary logarithm of a mean.
const LEVELS_PER_DOUBLING: f64 = 1.5;
/// The level of genes without any count.
const ABSENT: u8 = u8::MAX;

/// The cluster of every cell.
pub(super) fn cluster_cells(rows: &CellRows, n_clusters: usize) -> Vec<u8> {
    let n_cells = rows.n_cells();
    if n_clusters < 2 || n_cells < 2 * n_clusters {
        return vec![0; n_cells];
    }
    let sample: Vec<usize> = (0..n_cells).step_by(n_cells.div_ceil(SAMPLE)).collect();
    let mut mixture = Mixture::new(rows, n_clusters, &sample);
    for _ in 0..N_PASSES {
        mixture.improve(rows, &sample);
    }
    (0..n_cells).map(|cell| mixture.best(rows, cell)).collect()
}

struct Mixture {
    n_clusters: usize,
    /// Sums over all cells of the sample, by gene; never 0.
    background: Vec<f32>,
    /// Logarithms of shares less those of the background, by gene and cluster.
    scores: Vec<f32>,
    seed: u64,
}

/// The nonzeros of a cell that count here: genes and logarithms of counts.
fn weights(rows: &CellRows, cell: usize) -> impl Iterator<Item = (usize, f32)> {
    let range = rows.starts[cell]..rows.starts[cell + 1];
    let genes = rows.genes[range.clone()].iter();
    genes
        .zip(&rows.counts[range])
        .map(|(&gene, &count)| (gene as usize, weight(count)))
        .take_while(|&(gene, _)| gene < N_GENES)
}

/// About log2(1 + count): exact for powers of two less 1, linear between.
#[inline]
fn weight(count: u32) -> f32 {
    let next = u64::from(count) + 1;
    let power = next.ilog2();
    power as f32 + (next - (1 << power)) as f32 / (1u64 << power) as f32
}

impl Mixture {
    fn new(rows: &CellRows, n_clusters: usize, sample: &[usize]) -> Mixture {
        let n_genes = rows.genes.iter().max().map_or(0, |&gene| gene as usize + 1);
        let mut background = vec![0.05; n_genes.min(N_GENES)];
        for &cell in sample {
            for (gene, weight) in weights(rows, cell) {
                background[gene] += weight;
            }
        }
        let mut mixture = Mixture {
            n_clusters,
            background,
            scores: Vec::new(),
            seed: 1,
        };
        let mut sums = vec![0.0; mixture.background.len() * n_clusters];
        for cluster in 0..n_clusters {
            for _ in 0..N_SEEDS {
                let cell = sample[mixture.random(sample.len())];
                mixture.add(&mut sums, rows, cell, cluster);
            }
        }
        mixture.score(&sums);
        mixture
    }

    /// A number below `n`: the same ones in every run.
    fn random(&mut self, n: usize) -> usize {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % n
    }

    fn add(&self, sums: &mut [f32], rows: &CellRows, cell: usize, cluster: usize) {
        for (gene, weight) in weights(rows, cell) {
            sums[gene * self.n_clusters + cluster] += weight;
        }
    }

    fn score(&mut self, sums: &[f32]) {
        let n = self.n_clusters;
        let all: f32 = self.background.iter().sum();
        let mut totals = vec![PRIOR; n];
        for sums in sums.chunks_exact(n) {
            for (total, sum) in totals.iter_mut().zip(sums) {
                *total += sum;
            }
        }
        self.scores.clear();
        for (sums, &background) in sums.chunks_exact(n).zip(&self.background) {
            let share = background / all;
            self.scores.extend(
                sums.iter()
                    .zip(&totals)
                    .map(|(sum, total)| ((sum + PRIOR * share) / (total * share)).ln()),
            );
        }
    }

    fn improve(&mut self, rows: &CellRows, sample: &[usize]) {
        let mut sums = vec![0.0; self.scores.len()];
        let mut n_members = vec![0usize; self.n_clusters];
        for &cell in sample {
            let cluster = self.best(rows, cell).into();
            n_members[cluster] += 1;
            self.add(&mut sums, rows, cell, cluster);
        }
        for (cluster, n_members) in n_members.into_iter().enumerate() {
            // A cluster that lost its cells begins again with another one.
            if n_members * self.n_clusters * 10 < sample.len() {
                let cell = sample[self.random(sample.len())];
                self.add(&mut sums, rows, cell, cluster);
            }
        }
        self.score(&sums);
    }

    /// The cluster that a cell fits best.
    fn best(&self, rows: &CellRows, cell: usize) -> u8 {
        let n = self.n_clusters;
        // Eight at a time, which the compiler turns into vectors.
        let mut sums = [[0f32; 8]; super::MAX_CLUSTERS / 8];
        for (gene, weight) in weights(rows, cell) {
            let scores = &self.scores[gene * n..(gene + 1) * n];
            for (sums, scores) in sums.iter_mut().zip(scores.chunks(8)) {
                for (sum, score) in sums.iter_mut().zip(scores) {
                    *sum += weight * score;
                }
            }
        }
        let sums = sums.as_flattened();
        (1..n).fold(0, |best, cluster| {
            if sums[cluster] > sums[best] {
                cluster
            } else {
                best
            }
        }) as u8
    }
}

/// The order of genes of each cluster, and the rows with positions in it in
/// place of genes.
pub(super) fn reorder(
    rows: &CellRows,
    n_genes: u32,
    clusters: &[u8],
    n_clusters: usize,
) -> (Vec<Cluster>, CellRows) {
    let n_used = rows.genes.iter().max().map_or(0, |&gene| gene as usize + 1);
    let mut totals = vec![vec![0u64; n_used]; n_clusters];
    let mut n_cells = vec![0u64; n_clusters];
    for (cell, &cluster) in clusters.iter().enumerate() {
        n_cells[usize::from(cluster)] += 1;
        let totals = &mut totals[usize::from(cluster)];
        for i in rows.starts[cell]..rows.starts[cell + 1] {
            totals[rows.genes[i] as usize] += u64::from(rows.counts[i]);
        }
    }
    let orders: Vec<Cluster> = totals
        .iter()
        .map(|totals| {
            let largest = totals.iter().max().copied().unwrap_or(0).max(1) as f64;
            let level = |&total: &u64| match total {
                0 => ABSENT,
                _ => {
                    let doublings = (largest / total as f64).log2();
                    (doublings * LEVELS_PER_DOUBLING).min(f64::from(ABSENT - 1)) as u8
                }
            };
            Cluster {
                levels: totals.iter().map(level).collect(),
                bounds: Vec::new(),
            }
        })
        .collect();
    let positions: Vec<Vec<u32>> = orders
        .iter()
        .map(|order| {
            let mut positions = vec![0; n_used];
            for (position, gene) in (0..).zip(order.order(n_genes).take(n_used)) {
                positions[gene as usize] = position;
            }
            positions
        })
        .collect();

    let mut sorter = CellSorter::new(n_used);
    let mut reordered = CellRows {
        starts: rows.starts.clone(),
        genes: Vec::with_capacity(rows.nnz()),
        counts: Vec::with_capacity(rows.nnz()),
    };
    for (cell, &cluster) in clusters.iter().enumerate() {
        let positions = &positions[usize::from(cluster)];
        for i in rows.starts[cell]..rows.starts[cell + 1] {
            sorter.insert(positions[rows.genes[i] as usize], rows.counts[i]);
        }
        sorter.drain(|position, count| {
            reordered.genes.push(position);
            reordered.counts.push(count);
        });
    }
    (orders, reordered)
}
