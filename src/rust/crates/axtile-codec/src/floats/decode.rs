//! Decoding of chunks, straight into the caller's slices.

use std::ops::Deref;

use super::Tile;
use super::section::Values;
use crate::error::{TileError, TileResult};
use crate::genes::GeneMap;
use crate::integers;
use crate::kernels::RowSorter;
use crate::streams::room;

/// What a thread needs to decode chunks one after the other.
#[derive(Debug, Default)]
pub struct Decoder {
    integers: integers::Decoder,
    values: Values,
    sorter: RowSorter,
    ranks: Vec<i32>,
    positions: Vec<i32>,
    sorted: Vec<i32>,
}

/// Where the values of the next cell of a chunk are.
struct Cells<'a> {
    sizes: std::slice::Iter<'a, u32>,
    dictionaries: &'a [f64],
    singles: &'a [f64],
}

/// The values of one cell.
enum Cell<'a> {
    Dictionary(&'a [f64]),
    Singles(&'a [f64]),
}

impl Decoder {
    /// A decoder without any buffer yet.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    /// Genes (from 0) and values of chunk `idx`, genes ascending in each cell.
    /// Genes are numbered as in the tile, or by `order`.
    ///
    /// # Errors
    /// `TileError` if the chunk is damaged; the slices then hold anything.
    ///
    /// # Panics
    /// If the tile has no such chunk, a slice is not as long as the chunk has
    /// values, or `order` is for another number of genes.
    pub fn chunk_into<B: Deref<Target = [u8]>>(
        &mut self,
        tile: &Tile<B>,
        idx: usize,
        order: Option<&GeneMap>,
        genes: &mut [i32],
        values: &mut [f64],
    ) -> TileResult<()> {
        let n = tile.chunks()[idx].nonzeros.len();
        assert_eq!((genes.len(), values.len()), (n, n));
        if let Some(order) = order {
            assert_eq!(order.n_genes(), tile.n_genes() as usize);
        }
        tile.values(idx, &mut self.values)?;
        let place = format!("chunk {idx}, values");
        let chunk = &tile.chunks()[idx];
        let starts = &tile.starts()?[chunk.cells.start..=chunk.cells.end];
        let mut cells = Cells {
            sizes: self.values.sizes.iter(),
            dictionaries: &self.values.dictionaries,
            singles: &self.values.singles,
        };
        // Values that are stored one by one are in the order of the tile's genes.
        let (order, order_here) = match cells.singles {
            [] => (order, None),
            _ => (None, order),
        };
        let ranks = room(&mut self.ranks, n, &place)?;
        self.integers
            .chunk_into(&tile.ranks, idx, order, genes, ranks)?;
        let wrong = || TileError::corrupt(&place, "they are not those of the ranks");
        for bounds in starts.windows(2) {
            let range = bounds[0] - starts[0]..bounds[1] - starts[0];
            let (genes, values) = (&mut genes[range.clone()], &mut values[range.clone()]);
            let ranks = &mut ranks[range];
            let cell = cells.next(ranks.len()).ok_or_else(wrong)?;
            let is_sound = match order_here {
                None => cell.look_up(ranks, values),
                Some(order) => {
                    let positions = room(&mut self.positions, ranks.len(), &place)?;
                    let sorted = room(&mut self.sorted, ranks.len(), &place)?;
                    positions.copy_from_slice(genes);
                    let is_sound = cell.number(ranks);
                    self.sorter
                        .sort(order.numbers(), positions, ranks, genes, sorted);
                    is_sound && cell.take(sorted, values)
                }
            };
            if !is_sound {
                return Err(wrong());
            }
        }
        if cells.is_at_end() {
            return Ok(());
        }
        Err(wrong())
    }
}

impl<'a> Cells<'a> {
    /// The values of the next cell, of `n` nonzeros.
    fn next(&mut self, n: usize) -> Option<Cell<'a>> {
        let size = *self.sizes.next()? as usize;
        if size == 0 {
            let (singles, rest) = self.singles.split_at_checked(n)?;
            self.singles = rest;
            return Some(Cell::Singles(singles));
        }
        let (dictionary, rest) = self.dictionaries.split_at_checked(size)?;
        self.dictionaries = rest;
        Some(Cell::Dictionary(dictionary))
    }

    fn is_at_end(&self) -> bool {
        self.sizes.len() == 0 && self.dictionaries.is_empty() && self.singles.is_empty()
    }
}

impl Cell<'_> {
    /// Writes the values of ranks; false if a rank is not one of the cell's.
    fn look_up(&self, ranks: &[i32], values: &mut [f64]) -> bool {
        match self {
            Cell::Dictionary(_) => self.take(ranks, values),
            Cell::Singles(singles) => {
                values.copy_from_slice(singles);
                ranks.iter().all(|&rank| rank == 1)
            }
        }
    }

    /// Turns ranks into numbers, from 1, that tell each nonzero's value wherever it
    /// is moved to; false if they are not ranks of the cell's.
    fn number(&self, ranks: &mut [i32]) -> bool {
        match self {
            Cell::Dictionary(dictionary) => {
                let of_cell = 1..=dictionary.len();
                ranks.iter().all(|&rank| of_cell.contains(&(rank as usize)))
            }
            Cell::Singles(_) => {
                let is_sound = ranks.iter().all(|&rank| rank == 1);
                for (rank, number) in ranks.iter_mut().zip(1..) {
                    *rank = number;
                }
                is_sound
            }
        }
    }

    /// Writes the values with these numbers from 1.
    fn take(&self, numbers: &[i32], values: &mut [f64]) -> bool {
        let (Cell::Dictionary(from) | Cell::Singles(from)) = self;
        let mut is_sound = true;
        for (value, &number) in values.iter_mut().zip(numbers) {
            match from.get((number as usize).wrapping_sub(1)) {
                Some(&found) => *value = found,
                None => is_sound = false,
            }
        }
        is_sound
    }
}
