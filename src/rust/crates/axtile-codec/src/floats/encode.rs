//! Encoding of tiles: a plan from a look at all values, then chunk by chunk.

use axtile_core::{Error, Result};

use super::MODE;
use super::dictionary::{distinct, fit, plain_bits, rank_bits};
use super::section::Values;
use super::transform::Transform;
use super::width::{Float, Width};
use crate::envelope::{Parts, check_sizes, write};
use crate::integers;
use crate::rows::{CellRows, FloatRows};

/// So many cells are tried to find the transform of a tile.
const N_TRIED: usize = 64;

/// How a tile is encoded.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How the ranks are encoded, and what a chunk is.
    pub ranks: integers::Options,
}

/// What is known about a tile before its chunks are encoded.
#[derive(Debug)]
pub struct Plan {
    n_genes: u32,
    width: Width,
    transform: Transform,
    ranks: CellRows,
    plan: integers::Plan,
    /// Of all cells with a dictionary, in turn; and where each cell's starts, and
    /// the end of the last one.
    dictionaries: Vec<f64>,
    dictionary_starts: Vec<usize>,
}

/// An encoded chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedChunk {
    ranks: integers::EncodedChunk,
    parts: Parts,
}

impl Plan {
    /// Looks at all values of a tile of `n_genes` genes, which are stored in
    /// `width`.
    ///
    /// # Errors
    /// `Error::Argument` if `n_genes` is not 1 to 2^31-1, rows break their rules
    /// or a value does not have `width` without loss; `Error::Limit` for a cell of
    /// more than 2^26 values.
    pub fn new(rows: &FloatRows, n_genes: u32, width: Width, options: &Options) -> Result<Plan> {
        rows.check(n_genes)?;
        if let Some(at) = rows.values.iter().position(|&value| !width.holds(value)) {
            return Err(Error::argument(format!(
                "the value {} of gene {}, which 32 bits do not hold",
                rows.values[at], rows.genes[at]
            )));
        }
        let (transform, dictionaries) = match width {
            Width::F32 => make_dictionaries::<f32>(rows),
            Width::F64 => make_dictionaries::<f64>(rows),
        };
        let mut starts = vec![0];
        let mut ranks = CellRows {
            starts: rows.starts.clone(),
            genes: rows.genes.clone(),
            counts: vec![1; rows.nnz()],
        };
        for (bounds, dictionary) in rows.starts.windows(2).zip(&dictionaries) {
            starts.push(starts[starts.len() - 1] + dictionary.len());
            if dictionary.is_empty() {
                continue;
            }
            let cell = bounds[0]..bounds[1];
            for (rank, value) in ranks.counts[cell.clone()]
                .iter_mut()
                .zip(&rows.values[cell])
            {
                let below = dictionary.partition_point(|other| other.total_cmp(value).is_lt());
                *rank = below as u32 + 1;
            }
        }
        let plan = integers::Plan::new(&ranks, n_genes, &options.ranks)?;
        check_sizes(n_genes, rows.n_cells(), plan.n_chunks())?;
        Ok(Plan {
            n_genes,
            width,
            transform,
            plan,
            ranks,
            dictionaries: dictionaries.concat(),
            dictionary_starts: starts,
        })
    }

    /// The number of chunks.
    pub fn n_chunks(&self) -> usize {
        self.plan.n_chunks()
    }

    /// What predicts the dictionaries.
    pub fn transform(&self) -> Transform {
        self.transform
    }

    /// Encodes a chunk of the rows that the plan was made for.
    ///
    /// # Errors
    /// `Error::Limit` if a compressor fails.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn encode_chunk(&self, rows: &FloatRows, chunk: usize) -> Result<EncodedChunk> {
        let cells = self.plan.cells(chunk);
        let starts = &self.dictionary_starts[cells.start..=cells.end];
        let mut values = Values {
            dictionaries: self.dictionaries[starts[0]..starts[cells.len()]].to_vec(),
            ..Values::default()
        };
        for (cell, bounds) in cells.clone().zip(starts.windows(2)) {
            let size = bounds[1] - bounds[0];
            values.sizes.push(size as u32);
            if size == 0 {
                let cell = &rows.values[rows.starts[cell]..rows.starts[cell + 1]];
                values.singles.extend_from_slice(cell);
            }
        }
        Ok(EncodedChunk {
            ranks: self.plan.encode_chunk(&self.ranks, chunk)?,
            parts: Parts {
                n_cells: cells.len(),
                nnz: rows.starts[cells.end] - rows.starts[cells.start],
                sections: vec![values.encode(self.width, self.transform)?],
            },
        })
    }

    /// Puts a tile together from all its chunks, in order.
    ///
    /// # Panics
    /// If they are not the chunks of this plan.
    pub fn assemble(&self, chunks: Vec<EncodedChunk>) -> Vec<u8> {
        let (ranks, parts): (Vec<_>, Vec<_>) = chunks
            .into_iter()
            .map(|chunk| (chunk.ranks, chunk.parts))
            .unzip();
        let inner = self.plan.assemble(ranks);
        let parts: Vec<&Parts> = parts.iter().collect();
        write((MODE, self.width as u8), self.n_genes, &inner, &parts)
    }
}

/// The transform of a tile, and each cell's dictionary, which is empty where
/// values are better stored one by one.
fn make_dictionaries<F: Float>(rows: &FloatRows) -> (Transform, Vec<Vec<f64>>) {
    let all: Vec<Vec<f64>> = rows
        .starts
        .windows(2)
        .map(|bounds| distinct(&rows.values[bounds[0]..bounds[1]]))
        .collect();
    let narrow = |dictionary: &[f64]| -> Vec<F> {
        dictionary
            .iter()
            .filter_map(|&value| F::narrow(value))
            .collect()
    };
    let transform = find_transform::<F>(&all, narrow);
    let cells = all.into_iter().zip(rows.starts.windows(2));
    let kept = cells.map(|(dictionary, bounds)| {
        let n = bounds[1] - bounds[0];
        let mut n_bits = plain_bits::<F>(dictionary.len());
        if transform != Transform::None {
            n_bits = n_bits.min(fit(transform, &narrow(&dictionary)).n_bits);
        }
        if n_bits + rank_bits(n, dictionary.len()) <= plain_bits::<F>(n) {
            dictionary
        } else {
            Vec::new()
        }
    });
    (transform, kept.collect())
}

/// The transform that makes some cells' dictionaries smallest.
fn find_transform<F: Float>(
    dictionaries: &[Vec<f64>],
    narrow: impl Fn(&[f64]) -> Vec<F>,
) -> Transform {
    // A single value is a multiple of anything.
    let useful = || {
        dictionaries
            .iter()
            .filter(|dictionary| dictionary.len() > 1)
    };
    let tried: Vec<Vec<F>> = useful()
        .step_by(useful().count().div_ceil(N_TRIED).max(1))
        .map(|dictionary| narrow(dictionary))
        .collect();
    let plain: f64 = tried.iter().map(|one| plain_bits::<F>(one.len())).sum();
    let mut best = (plain, Transform::None);
    for transform in Transform::KNOWN {
        let n_bits: f64 = tried.iter().map(|one| fit(transform, one).n_bits).sum();
        if n_bits < best.0 {
            best = (n_bits, transform);
        }
    }
    best.1
}
