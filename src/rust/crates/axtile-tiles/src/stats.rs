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
    genes: GeneSums,
}

/// Sums by gene as numbered in the tiles; made when first needed.
#[derive(Default)]
struct GeneSums {
    /// Of counts up to 65,535, of at most [`MAX_CELLS`] cells.
    small: Vec<SmallSums>,
    n_cells: u32,
    all: Vec<CountSums>,
}

/// As [`CountSums`], in half the room: most of the time goes into reaching it.
#[derive(Clone, Copy, Default)]
struct SmallSums {
    total: u64,
    squares: u64,
    detected: u32,
    max: u32,
}

/// Squares of so many small counts add up to less than 2^64.
const MAX_CELLS: u32 = 1 << 31;

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
                let sums = &mut worker.genes;
                sums.make(self)?;
                let mut cell = first + range.start as u64;
                worker
                    .decoder
                    .each_cell(&tile.file, chunk, |genes, counts| {
                        while wanted.first() == Some(&cell) {
                            wanted = &wanted[1..];
                            sums.add_cell(genes, counts);
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
            let sums = &mut worker.genes;
            if wants_genes {
                sums.make(self)?;
            }
            worker
                .decoder
                .each_cell(&tile.file, chunk, |genes, counts| {
                    if wants_genes {
                        sums.add_cell(genes, counts);
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
        let mut merged = GeneSums::default();
        merged.make(self)?;
        let order = self.gene_map()?;
        for mut worker in pool.into_all() {
            worker.genes.settle();
            for (stored, sums) in (0u32..).zip(&worker.genes.all) {
                let gene = order.map_or(stored, |order| order.get(stored));
                merged.all[gene as usize].merge(sums);
            }
        }
        Ok(merged.all)
    }
}

impl GeneSums {
    /// Sums for every gene of the dataset.
    fn make(&mut self, dataset: &Dataset) -> Result<()> {
        let n_genes = dataset.manifest().n_genes;
        // The manifest alone vouches for the number of genes.
        let problem = |_| {
            let problem = format!("no memory for the sums of {n_genes} genes");
            Error::limit(dataset.folder(), problem)
        };
        if self.all.is_empty() {
            self.small.try_reserve_exact(n_genes).map_err(problem)?;
            self.small.resize(n_genes, SmallSums::default());
            self.all.try_reserve_exact(n_genes).map_err(problem)?;
            self.all.resize(n_genes, CountSums::default());
        }
        Ok(())
    }

    #[inline]
    fn add_cell(&mut self, genes: &[i32], counts: &[i32]) {
        if self.n_cells == MAX_CELLS {
            self.settle();
        }
        self.n_cells += 1;
        for (&gene, &count) in genes.iter().zip(counts) {
            let (gene, count) = (gene as usize, count as u32);
            if count > u16::MAX.into() {
                self.all[gene].add(count);
                continue;
            }
            let sums = &mut self.small[gene];
            sums.total += u64::from(count);
            sums.squares += u64::from(count * count);
            sums.detected += 1;
            sums.max = sums.max.max(count);
        }
    }

    /// All sums in `all`.
    fn settle(&mut self) {
        for (all, small) in self.all.iter_mut().zip(&mut self.small) {
            let small = std::mem::take(small);
            all.merge(&CountSums {
                total: small.total.into(),
                squares: small.squares.into(),
                detected: small.detected.into(),
                max: small.max,
            });
        }
        self.n_cells = 0;
    }
}
