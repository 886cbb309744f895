//! Sums over the values of every gene or every cell of a layer of floating-point
//! values. Tiles are looked at one after the other and their chunks are added in
//! order, so that results are the same for any number of threads.

use axtile_core::{Error, Result, Watch};

use crate::chunks::Pool;
use crate::dataset::{Dataset, OpenTile};
use crate::gather::Selection;
use crate::tile::TileDecoder;
use crate::values::Values;

/// Sums over the values of one gene or cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatSums {
    /// How many values are stored; all others are 0.
    n: u64,
    /// How many values are not 0.
    pub detected: u64,
    sum: f64,
    /// What rounding took from `sum`.
    rest: f64,
    mean: f64,
    /// The sum of the squared differences from the mean.
    squares: f64,
    max: f64,
}

impl Default for FloatSums {
    fn default() -> FloatSums {
        FloatSums {
            n: 0,
            detected: 0,
            sum: 0.0,
            rest: 0.0,
            mean: 0.0,
            squares: 0.0,
            max: f64::NEG_INFINITY,
        }
    }
}

impl FloatSums {
    fn add(&mut self, value: f64) {
        self.n += 1;
        self.detected += u64::from(value != 0.0);
        self.add_to_sum(value);
        // B. P. Welford, Technometrics 4 (1962) 419.
        let difference = value - self.mean;
        self.mean += difference / self.n as f64;
        self.squares += difference * (value - self.mean);
        self.max = larger(self.max, value);
    }

    /// A. Neumaier, Z. angew. Math. Mech. 54 (1974) 39.
    fn add_to_sum(&mut self, value: f64) {
        let sum = self.sum + value;
        self.rest += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    /// T. F. Chan, G. H. Golub, R. J. LeVeque, Am. Stat. 37 (1983) 242.
    fn merge(&mut self, other: &FloatSums) {
        if other.n == 0 {
            return;
        }
        self.add_to_sum(other.sum);
        self.rest += other.rest;
        let (mean, squares) = self.combined(other.n, other.mean, other.squares);
        (self.mean, self.squares) = (mean, squares);
        self.n += other.n;
        self.detected += other.detected;
        self.max = larger(self.max, other.max);
    }

    /// Mean and sum of squared differences with `n` more values.
    fn combined(&self, n: u64, mean: f64, squares: f64) -> (f64, f64) {
        let (own, n) = (self.n as f64, n as f64);
        let difference = mean - self.mean;
        let weight = n / (own + n);
        (
            self.mean + difference * weight,
            self.squares + squares + difference * difference * own * weight,
        )
    }

    /// The sum.
    pub fn total(&self) -> f64 {
        // Next to an infinity the rest is not a number.
        match self.sum.is_finite() {
            true => self.sum + self.rest,
            false => self.sum,
        }
    }

    /// The variance of `n` values, those that are not stored among them, with the
    /// denominator n - 1; `None` for fewer than two.
    pub fn variance(&self, n: u64) -> Option<f64> {
        let less = n.checked_sub(1).filter(|&less| less > 0)?;
        let squares = match n.saturating_sub(self.n) {
            0 => self.squares,
            zeros => self.combined(zeros, 0.0, 0.0).1,
        };
        Some(squares / less as f64)
    }

    /// The largest of `n` values, those that are not stored among them; NaN if one
    /// is, and `None` for none.
    pub fn max(&self, n: u64) -> Option<f64> {
        match n {
            0 => None,
            n if n > self.n => Some(larger(self.max, 0.0)),
            _ => Some(self.max),
        }
    }
}

/// The larger one, or the one that is not a number.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

impl Dataset {
    /// As [`Dataset::gene_stats`], for a layer of floating-point values.
    ///
    /// # Errors
    /// As there; `Error::Unsupported` for a layer of counts.
    pub fn float_gene_stats(
        &self,
        layer: usize,
        cells: Option<&[u64]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<FloatSums>> {
        self.check_selection(Selection {
            layer,
            cells: cells.unwrap_or_default(),
            genes: None,
        })?;
        let mut cells = cells.map(<[u64]>::to_vec);
        if let Some(cells) = &mut cells {
            cells.sort_unstable();
        }
        let pool = Pool::<TileDecoder>::default();
        let order = self.gene_map()?;
        let work = |decoder: &mut TileDecoder, tile: &OpenTile, chunk: usize| {
            let range = tile.file.chunk(chunk).cells;
            let first = self.tile_start(tile.idx) + range.start as u64;
            let wanted = cells
                .as_deref()
                .map(|cells| some_of(cells, first, range.len()));
            if wanted.is_some_and(<[u64]>::is_empty) {
                return Ok(None);
            }
            let decoded = self.decode_chunk(tile, chunk, order, decoder)?;
            let values = floats(&decoded.values, self)?;
            let mut sums = self.no_sums()?;
            for (cell, bounds) in (first..).zip(decoded.starts.windows(2)) {
                let range = bounds[0]..bounds[1];
                for _ in 0..wanted.map_or(1, |wanted| some_of(wanted, cell, 1).len()) {
                    for (&gene, &value) in decoded.genes[range.clone()]
                        .iter()
                        .zip(&values[range.clone()])
                    {
                        sums[gene as usize].add(value);
                    }
                }
            }
            Ok(Some(sums))
        };
        let mut all = self.no_sums()?;
        for tile in 0..self.manifest().n_tiles() {
            let start = self.tile_start(tile);
            let n_cells = self.manifest().tile_cells[tile] as usize;
            if let Some(cells) = &cells
                && some_of(cells, start, n_cells).is_empty()
            {
                continue;
            }
            let chunks = self.each_chunk(layer, &[tile], &pool, n_threads, watch, work)?;
            for sums in chunks.iter().flatten() {
                for (all, sums) in all.iter_mut().zip(sums) {
                    all.merge(sums);
                }
            }
        }
        Ok(all)
    }

    /// As [`Dataset::cell_stats`], for a layer of floating-point values.
    ///
    /// # Errors
    /// As there; `Error::Unsupported` for a layer of counts.
    pub fn float_cell_stats(
        &self,
        layer: usize,
        genes: Option<&[u32]>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<FloatSums>> {
        self.check_selection(Selection {
            layer,
            cells: &[],
            genes,
        })?;
        let times = match genes {
            None => None,
            Some(genes) => {
                let mut times = self.for_genes(0u32)?;
                for &gene in genes {
                    times[gene as usize] += 1;
                }
                Some(times)
            }
        };
        let pool = Pool::<TileDecoder>::default();
        let order = self.gene_map()?;
        let work = |decoder: &mut TileDecoder, tile: &OpenTile, chunk: usize| {
            let decoded = self.decode_chunk(tile, chunk, order, decoder)?;
            let values = floats(&decoded.values, self)?;
            let cells = decoded.starts.windows(2).map(|bounds| {
                let mut sums = FloatSums::default();
                let range = bounds[0]..bounds[1];
                for (&gene, &value) in decoded.genes[range.clone()].iter().zip(&values[range]) {
                    for _ in 0..times.as_ref().map_or(1, |times| times[gene as usize]) {
                        sums.add(value);
                    }
                }
                sums
            });
            Ok(cells.collect::<Vec<_>>())
        };
        let tiles: Vec<usize> = (0..self.manifest().n_tiles()).collect();
        let chunks = self.each_chunk(layer, &tiles, &pool, n_threads, watch, work)?;
        Ok(chunks.concat())
    }

    fn no_sums(&self) -> Result<Vec<FloatSums>> {
        self.for_genes(FloatSums::default())
    }

    /// One for every gene.
    fn for_genes<T: Clone>(&self, value: T) -> Result<Vec<T>> {
        let n_genes = self.manifest().n_genes;
        let mut all = Vec::new();
        // The manifest alone vouches for the number of genes.
        all.try_reserve_exact(n_genes).map_err(|_| {
            let problem = format!("no memory for the sums of {n_genes} genes");
            Error::limit(self.folder(), problem)
        })?;
        all.resize(n_genes, value);
        Ok(all)
    }
}

/// Of ascending cells those from `first` on, `n` at most, and repeats.
fn some_of(cells: &[u64], first: u64, n: usize) -> &[u64] {
    let start = cells.partition_point(|&cell| cell < first);
    let end = cells.partition_point(|&cell| cell < first.saturating_add(n as u64));
    &cells[start..end]
}

fn floats<'a>(values: &'a Values, dataset: &Dataset) -> Result<&'a [f64]> {
    match values {
        Values::Floats(values) => Ok(values),
        Values::Counts(_) => Err(Error::unsupported(
            dataset.folder(),
            "the layer holds counts, not floating-point values",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(values: &[f64]) -> FloatSums {
        let mut sums = FloatSums::default();
        values.iter().for_each(|&value| sums.add(value));
        sums
    }

    #[test]
    fn parts_add_up() {
        let values = [1e16, 1.0, -1e16, 0.0, 3.5, -2.0, 1e-3];
        let mut merged = sums(&values[..3]);
        merged.merge(&sums(&[]));
        merged.merge(&sums(&values[3..]));
        assert_eq!(merged.total(), 2.501);
        assert_eq!((merged.detected, merged.max(7)), (6, Some(1e16)));
        let small = [0.5, 2.25, -1.0];
        let mut merged = sums(&small[..1]);
        merged.merge(&sums(&small[1..]));
        // Of 0.5, 2.25, -1, 0, 0: mean 0.35, squares 0.0225 + 3.61 + 1.8225 + 0.245.
        assert!((merged.variance(5).unwrap() - 5.7 / 4.0).abs() < 1e-15);
        assert_eq!(merged.variance(1), None);
    }

    #[test]
    fn values_that_are_no_numbers_count() {
        let infinite = sums(&[1.0, f64::INFINITY]);
        assert_eq!(infinite.total(), f64::INFINITY);
        assert_eq!(infinite.max(3), Some(f64::INFINITY));
        assert!(infinite.variance(3).unwrap().is_nan());
        let missing = sums(&[f64::NAN, 1.0]);
        assert!(missing.total().is_nan() && missing.max(9).unwrap().is_nan());
        assert_eq!(sums(&[-1.0]).max(2), Some(0.0));
        assert_eq!(sums(&[-1.0]).max(1), Some(-1.0));
        assert_eq!(sums(&[]).max(0), None);
    }
}
