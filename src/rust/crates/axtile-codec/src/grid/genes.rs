//! Decoding cell by cell, of all genes or some. For some, only the cells' counts
//! and the blocks of the buckets with a wanted gene are read of a chunk.

use std::ops::{Deref, Range};

use super::decode::{Cells, Decoder, wrong_segment};
use super::layout::Tile;
use crate::error::TileResult;
use crate::genes::GeneSet;
use crate::kernels::write_segment;

/// Up to so many wanted genes of a bucket are searched for in a cell's
/// positions; of more, every position is looked up.
const MAX_SEARCHED: usize = 8;
/// Positions that a table has room for, for each wanted gene.
const MAX_TABLE_SHARE: usize = 4096;
/// No wanted gene.
const NONE: i32 = -1;

/// Where the wanted genes are: those of the tile and set that were decoded last.
#[derive(Debug, Default)]
pub(super) struct Targets {
    key: Option<(u64, u64)>,
    /// Buckets that hold a wanted gene in any cluster, ascending.
    buckets: Vec<usize>,
    /// For each cluster, for each of `buckets`.
    targets: Vec<Target>,
}

/// The wanted genes of one bucket, numbered by their places in the set.
#[derive(Debug)]
enum Target {
    /// Position in the bucket and number of each, ascending.
    Few(Vec<(i32, i32)>),
    /// The number at every position.
    Many(Vec<i32>),
}

impl Decoder {
    /// Calls `each` for every cell of chunk `idx` in turn with its genes, in any
    /// order, and their counts. Genes are numbered as in the tile.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; `each` may have been called by then.
    ///
    /// # Panics
    /// If the tile has no such chunk.
    pub fn each_cell<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        mut each: impl FnMut(&[i32], &[i32]),
    ) -> TileResult<()> {
        self.prepare_all(tile, idx, None)?;
        let counts = &self.counts;
        let cells = Cells::new(tile, idx, counts, &self.maps, &self.blocks, &self.symbols);
        for (cell, &cluster) in counts.clusters.iter().enumerate() {
            let n = counts.starts[cell + 1] - counts.starts[cell];
            let (positions, values) = self.scratch.nonzeros.room(n);
            cells.read_positions(cell, self.scratch.simd, positions, values)?;
            let (genes, values) = (&mut positions[..n], &values[..n]);
            let map = &self.maps.clusters[usize::from(cluster)];
            if !map.is_empty() {
                // Positions beyond the map are genes already.
                for gene in genes.iter_mut() {
                    *gene = map.get(*gene as usize).map_or(*gene, |&new| new as i32);
                }
            }
            each(genes, values);
        }
        Ok(())
    }

    /// As [`Decoder::each_cell`], but only with genes in `wanted`, which are
    /// given as their places in [`GeneSet::genes`]. What is not needed for them
    /// is not looked at.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// If the tile has no such chunk, or a wanted gene that it has not.
    pub fn each_cell_of<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        wanted: &GeneSet,
        mut each: impl FnMut(&[i32], &[i32]),
    ) -> TileResult<()> {
        let mut targets = std::mem::take(&mut self.targets);
        targets.settle(tile, wanted);
        let outcome = self.pick(tile, idx, &targets, &mut each);
        self.targets = targets;
        outcome
    }

    /// How much of chunk `idx` [`Decoder::each_cell_of`] reads, from 0 to 1.
    ///
    /// # Panics
    /// As there.
    pub fn share<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        wanted: &GeneSet,
    ) -> f64 {
        self.targets.settle(tile, wanted);
        let blocks = &tile.chunks()[idx].blocks;
        let n_bytes = |bucket: usize| blocks[bucket].bytes.len();
        let some = self.targets.buckets.iter();
        let some: usize = some.map(|&bucket| n_bytes(bucket)).sum();
        let all: usize = (0..blocks.len()).map(n_bytes).sum();
        some as f64 / all.max(1) as f64
    }

    fn pick<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        targets: &Targets,
        each: &mut impl FnMut(&[i32], &[i32]),
    ) -> TileResult<()> {
        let buckets = &targets.buckets;
        self.prepare(tile, idx, buckets.iter().copied())?;
        let model = &tile.model;
        let views: Vec<_> = buckets
            .iter()
            .map(|&bucket| self.blocks[bucket].view(tile, &model.buckets[bucket], &self.symbols))
            .collect();
        let n_buckets = model.buckets.len();
        let (mut genes, mut counts) = (Vec::new(), Vec::new());
        let scratch = &mut self.scratch;
        for (cell, &cluster) in self.counts.clusters.iter().enumerate() {
            genes.clear();
            counts.clear();
            let cluster = usize::from(cluster);
            let of_cluster = &targets.targets[cluster * buckets.len()..];
            for ((&bucket, view), target) in buckets.iter().zip(&views).zip(of_cluster) {
                let n = self.counts.counts[cell * n_buckets + bucket];
                if n == 0 || target.is_empty() {
                    continue;
                }
                let width = model.bounds(cluster, bucket).len() as u32;
                let segment = self.blocks[bucket].segment(view, cell, n, width);
                let (positions, values) = scratch.nonzeros.room(n as usize);
                if !write_segment(scratch.simd, &segment, 0, positions, values) {
                    return Err(wrong_segment(idx, bucket, cell));
                }
                target.each(&positions[..n as usize], |at, gene| {
                    genes.push(gene);
                    counts.push(values[at]);
                });
            }
            each(&genes, &counts);
        }
        Ok(())
    }
}

impl Targets {
    fn settle<B: Deref<Target = [u8]>>(&mut self, tile: &Tile<B>, wanted: &GeneSet) {
        let key = Some((tile.id(), wanted.id()));
        if self.key == key {
            return;
        }
        assert!(
            wanted
                .genes()
                .last()
                .is_none_or(|&gene| gene < tile.n_genes())
        );
        self.key = key;
        let model = &tile.model;
        let positions: Vec<Vec<(u32, i32)>> = model
            .clusters
            .iter()
            .map(|cluster| {
                let places = cluster.places();
                let place = |&gene: &u32| places.get(gene as usize).copied().unwrap_or(gene);
                let mut positions: Vec<(u32, i32)> =
                    wanted.genes().iter().map(place).zip(0..).collect();
                positions.sort_unstable();
                positions
            })
            .collect();
        let within = |cluster: usize, bucket: usize| {
            let bounds = model.bounds(cluster, bucket);
            let at = |bound: u32| positions[cluster].partition_point(|target| target.0 < bound);
            (
                bounds.clone(),
                &positions[cluster][at(bounds.start)..at(bounds.end)],
            )
        };
        let clusters = 0..model.clusters.len();
        self.buckets.clear();
        self.buckets
            .extend((0..model.buckets.len()).filter(|&bucket| {
                clusters
                    .clone()
                    .any(|cluster| !within(cluster, bucket).1.is_empty())
            }));
        self.targets = clusters
            .flat_map(|cluster| self.buckets.iter().map(move |&bucket| (cluster, bucket)))
            .map(|(cluster, bucket)| {
                let (bounds, targets) = within(cluster, bucket);
                Target::new(bounds, targets)
            })
            .collect();
    }
}

impl Target {
    /// Of wanted genes at places within `bounds` of the cluster's order.
    fn new(bounds: Range<u32>, targets: &[(u32, i32)]) -> Target {
        let position = |place: u32| place - bounds.start;
        if targets.len() <= MAX_SEARCHED || bounds.len() / targets.len() > MAX_TABLE_SHARE {
            let targets = targets.iter();
            return Target::Few(
                targets
                    .map(|&(place, gene)| (position(place) as i32, gene))
                    .collect(),
            );
        }
        let mut table = vec![NONE; bounds.len()];
        for &(place, gene) in targets {
            table[position(place) as usize] = gene;
        }
        Target::Many(table)
    }

    fn is_empty(&self) -> bool {
        matches!(self, Target::Few(targets) if targets.is_empty())
    }

    /// Calls `put` for every wanted gene that is at one of the ascending
    /// positions, with its index in them and its number.
    #[inline]
    fn each(&self, positions: &[i32], mut put: impl FnMut(usize, i32)) {
        match self {
            Target::Few(targets) => {
                for &(position, gene) in targets {
                    let at = positions.partition_point(|&other| other < position);
                    if positions.get(at) == Some(&position) {
                        put(at, gene);
                    }
                }
            }
            Target::Many(table) => {
                for (at, &position) in positions.iter().enumerate() {
                    let gene = table[position as usize];
                    if gene != NONE {
                        put(at, gene);
                    }
                }
            }
        }
    }
}
