//! Sums over the counts of every gene or every cell, in one pass over the tiles
//! and in memory for the sums alone. All are sums of integers: the same for any
//! number of threads.

use std::collections::BTreeSet;

use axtile_core::{Error, Result, Watch};

use crate::chunks::Pool;
use crate::dataset::{Dataset, OpenTile};
use crate::gather::Selection;
use crate::tile::TileDecoder;

/// Sums over the counts of one gene or cell, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountSums {
    /// The sum.
    pub total: u128,
    /// The sum of squares.
    pub squares: u128,
    /// How many counts are not 0.
    pub detected: u64,
    /// The largest count; 0 if all are 0.
    pub max: u32,
}

/// What one thread works with.
#[derive(Default)]
struct Worker {
    decoder: TileDecoder,
    /// By gene as numbered in the tiles; made when first needed.
    genes: Vec<CountSums>,
}

impl CountSums {
    #[inline]
    fn add(&mut self, count: u32) {
        self.total += u128::from(count);
        self.squares += u128::from(count) * u128::from(count);
        self.detected += 1;
        self.max = self.max.max(count);
    }

    fn merge(&mut self, other: &CountSums) {
        self.total += other.total;
        self.squares += other.squares;
        self.detected += other.detected;
        self.max = self.max.max(other.max);
    }

    /// Of counts that are not 0. Counts are below 2^31.
    fn of(counts: &[i32]) -> CountSums {
        let counts = || counts.iter().map(|&count| count as u32);
        let max = counts().max().unwrap_or(0);
        let square = |count: u32| u64::from(count) * u64::from(count);
        CountSums {
            // Fewer than 2^31 of them.
            total: counts().map(u64::from).sum::<u64>().into(),
            squares: if max <= u16::MAX.into() {
                counts().map(square).sum::<u64>().into()
            } else {
                counts().map(|count| u128::from(square(count))).sum()
            },
            detected: counts().len() as u64,
            max,
        }
    }

    /// The variance of `n` counts, those that are 0 among them, with the
    /// denominator n - 1; `None` for fewer than two. Rounded once or twice: the
    /// differences are exact unless sums pass 2^127.
    pub fn variance(&self, n: u64) -> Option<f64> {
        let less = n.checked_sub(1).filter(|&less| less > 0)?;
        let n = u128::from(n);
        let exact = self
            .squares
            .checked_mul(n)
            .zip(self.total.checked_mul(self.total))
            // Never negative, by the inequality of Cauchy and Schwarz.
            .and_then(|(squares, square)| squares.checked_sub(square));
        let scaled = match exact {
            Some(difference) => difference as f64 / n as f64,
            None => self.squares as f64 - self.total as f64 * (self.total as f64 / n as f64),
        };
        Some(scaled.max(0.0) / less as f64)
    }
}

impl Dataset {
    /// Sums over the cells for every gene, in the dataset's order; over all
    /// cells or only `cells`, numbered from 0, each as often as it comes.
    /// Reports the cells of tiles that are looked at.
    ///
    /// # Errors
    /// `Error::Range` if there is no such cell; `Error::Corrupt` if a chunk is
    /// damaged; `Error::Limit` if there is no memory for so many genes;
    /// `Error::Interrupted`; as [`Dataset::open_tile`].
    pub fn gene_stats(
        &self,
        layer: usize,
        cells: Option<&[u64]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<CountSums>> {
        let Some(cells) = cells else {
            return Ok(self.pass(layer, true, false, n_threads, watch)?.0);
        };
        self.check_selection(Selection {
            layer,
            cells,
            genes: None,
        })?;
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        let tiles: BTreeSet<usize> = cells.iter().map(|&cell| self.tile_of(cell).0).collect();
        let tiles: Vec<usize> = tiles.into_iter().collect();
        let pool = Pool::<Worker>::default();
        self.each_chunk(
            layer,
            &tiles,
            &pool,
            n_threads,
            watch,
            |worker, tile, chunk| {
                let range = tile.file.chunk(chunk).cells;
                let first = self.tile_start(tile.idx);
                let at =
                    |cell: usize| cells.partition_point(|&wanted| wanted < first + cell as u64);
                let mut wanted = &cells[at(range.start)..at(range.end)];
                if wanted.is_empty() {
                    return Ok(());
                }
                let sums = gene_sums(&mut worker.genes, self)?;
                let mut cell = first + range.start as u64;
                worker
                    .decoder
                    .each_cell(&tile.file, chunk, |genes, counts| {
                        while wanted.first() == Some(&cell) {
                            wanted = &wanted[1..];
                            add_all(sums, genes, counts);
                        }
                        cell += 1;
                    })
                    .map_err(|error| error.at(tile.path()))
            },
        )?;
        self.merge_genes(pool)
    }

    /// Sums over the genes for every cell; over all genes or only `genes`,
    /// numbered from 0, each as often as it comes. Reports finished cells.
    ///
    /// # Errors
    /// `Error::Range` if there is no such gene; else as
    /// [`Dataset::gene_stats`].
    pub fn cell_stats(
        &self,
        layer: usize,
        genes: Option<&[u32]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<CountSums>> {
        let Some(genes) = genes else {
            return Ok(self.pass(layer, false, true, n_threads, watch)?.1);
        };
        self.check_selection(Selection {
            layer,
            cells: &[],
            genes: Some(genes),
        })?;
        let set = self.gene_set(genes)?;
        let mut times = vec![0u32; set.genes().len()];
        for gene in self.stored_numbers(genes)? {
            if let Some(place) = set.place(gene) {
                times[place] += 1;
            }
        }
        let pool = Pool::<TileDecoder>::default();
        let work = |decoder: &mut TileDecoder, tile: &OpenTile, chunk: usize| {
            let mut cells = Vec::with_capacity(tile.file.chunk(chunk).cells.len());
            decoder
                .each_cell_of(&tile.file, chunk, &set, |places, counts| {
                    let mut sums = CountSums::default();
                    for (&place, &count) in places.iter().zip(counts) {
                        for _ in 0..times[place as usize] {
                            sums.add(count as u32);
                        }
                    }
                    cells.push(sums);
                })
                .map_err(|error| error.at(tile.path()))?;
            Ok(cells)
        };
        let chunks = self.each_chunk(layer, &self.tiles(), &pool, n_threads, watch, work)?;
        Ok(chunks.concat())
    }

    /// Sums for every gene, and for every cell, over all of the others, in one
    /// pass. Reports finished cells.
    ///
    /// # Errors
    /// As [`Dataset::gene_stats`].
    pub fn stats(
        &self,
        layer: usize,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<(Vec<CountSums>, Vec<CountSums>)> {
        self.pass(layer, true, true, n_threads, watch)
    }

    /// What is not wanted stays empty.
    fn pass(
        &self,
        layer: usize,
        wants_genes: bool,
        wants_cells: bool,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<(Vec<CountSums>, Vec<CountSums>)> {
        let pool = Pool::<Worker>::default();
        let work = |worker: &mut Worker, tile: &OpenTile, chunk: usize| {
            let mut cells = Vec::new();
            let mut sums: &mut [CountSums] = &mut [];
            if wants_genes {
                sums = gene_sums(&mut worker.genes, self)?;
            }
            worker
                .decoder
                .each_cell(&tile.file, chunk, |genes, counts| {
                    if wants_genes {
                        add_all(sums, genes, counts);
                    }
                    if wants_cells {
                        cells.push(CountSums::of(counts));
                    }
                })
                .map_err(|error| error.at(tile.path()))?;
            Ok(cells)
        };
        let cells = self.each_chunk(layer, &self.tiles(), &pool, n_threads, watch, work)?;
        let genes = match wants_genes {
            true => self.merge_genes(pool)?,
            false => Vec::new(),
        };
        Ok((genes, cells.concat()))
    }

    fn tiles(&self) -> Vec<usize> {
        (0..self.manifest().n_tiles()).collect()
    }

    /// The sums of all threads, genes in the dataset's order.
    fn merge_genes(&self, pool: Pool<Worker>) -> Result<Vec<CountSums>> {
        let mut merged = Vec::new();
        gene_sums(&mut merged, self)?;
        let order = self.gene_map()?;
        for worker in pool.into_all() {
            for (stored, sums) in (0u32..).zip(&worker.genes) {
                let gene = order.map_or(stored, |order| order.get(stored));
                merged[gene as usize].merge(sums);
            }
        }
        Ok(merged)
    }
}

/// Sums for every gene of the dataset, made if there are none yet.
fn gene_sums<'a>(sums: &'a mut Vec<CountSums>, dataset: &Dataset) -> Result<&'a mut [CountSums]> {
    let n_genes = dataset.manifest().n_genes;
    if sums.is_empty() {
        // The manifest alone vouches for the number of genes.
        sums.try_reserve_exact(n_genes).map_err(|_| {
            let problem = format!("no memory for the sums of {n_genes} genes");
            Error::limit(dataset.folder(), problem)
        })?;
        sums.resize(n_genes, CountSums::default());
    }
    Ok(sums)
}

#[inline]
fn add_all(sums: &mut [CountSums], genes: &[i32], counts: &[i32]) {
    for (&gene, &count) in genes.iter().zip(counts) {
        sums[gene as usize].add(count as u32);
    }
}
