//! Pieces of dense matrices, which are kept by columns.

use axtile_core::{Result, Watch};

use super::accumulate::Accumulator;
use super::lane::{Lane, Numbers};
use super::piece::{BLOCK, Filler, Gathered, Piece, outside};
use super::slots::Slots;
use super::threads;

/// Values of a column that one thread accumulates at once.
const CHUNK: usize = 1 << 16;
/// Chunks that have accumulators of their own at the same time.
const AT_ONCE: usize = 1 << 10;
/// Columns of a few values each between two looks whether to stop.
const UNCHECKED: usize = 64;

/// A dense matrix.
#[derive(Clone, Copy)]
pub struct DenseView<'a> {
    /// Rows.
    pub n_rows: usize,
    /// By columns.
    pub values: Numbers<'a>,
}

/// One column; its rows are in slots, or all in one.
pub struct DenseColumn<'a> {
    /// The matrix.
    pub view: DenseView<'a>,
    /// Which column.
    pub column: usize,
    /// Which rows; all in one slot if none.
    pub slots: Option<&'a Slots>,
    /// Who may ask to stop.
    pub watch: &'a dyn Watch,
}

impl DenseColumn<'_> {
    /// Calls `visit` with consecutive rows, the first of them by its number.
    pub(super) fn each<L: Lane>(
        &self,
        from: usize,
        to: usize,
        mut visit: impl FnMut(usize, &[L]),
    ) -> Result<()> {
        let start = self.column * self.view.n_rows;
        let mut scratch = Vec::new();
        let mut row = from;
        while row < to {
            self.watch.check()?;
            let end = (row + BLOCK).min(to);
            let values = L::view(&self.view.values, start + row..start + end, &mut scratch);
            visit(row, values.ok_or_else(outside)?);
            row = end;
        }
        Ok(())
    }
}

impl<L: Lane> Piece<L> for DenseColumn<'_> {
    fn n_slots(&self) -> usize {
        self.slots.map_or(1, |slots| slots.sizes.len())
    }

    fn size(&self, slot: usize) -> usize {
        match self.slots {
            Some(slots) => slots.sizes.get(slot).copied().unwrap_or(0),
            None => self.view.n_rows,
        }
    }

    fn divide(&self, results: &mut [f64]) {
        match (self.slots, results) {
            (Some(slots), results) => slots.divide(results),
            (None, [result, ..]) => *result /= self.view.n_rows as f64,
            (None, []) => {}
        }
    }

    fn is_sparse(&self) -> bool {
        false
    }

    fn check(&self) -> Result<()> {
        self.watch.check()
    }

    fn accumulate<A: Accumulator<L>>(&self, all: &mut [A]) -> Result<()> {
        let n_rows = self.view.n_rows;
        if let Some(slots) = self.slots {
            return self.each(0, n_rows, |row, values| {
                let slots = slots.of.get(row..).unwrap_or_default();
                for (&slot, &value) in slots.iter().zip(values) {
                    if let Some(one) = all.get_mut(slot as usize) {
                        one.push(value);
                    }
                }
            });
        }
        threads::accumulate(all, n_rows.div_ceil(CHUNK), AT_ONCE, |chunk, part| {
            let Some(one) = part.first_mut() else {
                return Ok(());
            };
            let from = chunk * CHUNK;
            let to = (from + CHUNK).min(n_rows);
            self.each(from, to, |_, values| one.push_all(values))
        })
    }

    fn gather(&self, wanted: &[bool]) -> Result<Gathered<L>> {
        let n_rows = self.view.n_rows;
        if let Some(slots) = self.slots {
            let sizes = slots.sizes.iter().zip(wanted);
            let mut filler = Filler::new(sizes.map(|(&size, &is)| if is { size } else { 0 }));
            self.each(0, n_rows, |row, values| {
                let slots = slots.of.get(row..).unwrap_or_default();
                for (&slot, &value) in slots.iter().zip(values) {
                    if wanted.get(slot as usize) == Some(&true) {
                        filler.push(slot as usize, 0, value);
                    }
                }
            })?;
            return Ok(filler.finish());
        }
        let mut all = Vec::with_capacity(n_rows);
        self.each(0, n_rows, |_, values| all.extend_from_slice(values))?;
        Ok(Gathered {
            values: all,
            starts: vec![0, n_rows],
            lead: vec![n_rows as u32],
        })
    }
}

/// Some rows, each a slot, over some columns.
pub struct DenseRows<'a> {
    /// The matrix.
    pub view: DenseView<'a>,
    /// Which rows, in ascending order.
    pub rows: Rows<'a>,
    /// Which columns.
    pub columns: &'a [u32],
    /// Who may ask to stop.
    pub watch: &'a dyn Watch,
}

/// Rows of a matrix.
#[derive(Clone, Copy)]
pub enum Rows<'a> {
    /// Consecutive ones: the first, and how many.
    Run(usize, usize),
    /// These.
    These(&'a [u32]),
}

impl Rows<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Rows::Run(_, n) => *n,
            Rows::These(rows) => rows.len(),
        }
    }
}

impl DenseRows<'_> {
    /// How many rows to take at once so that what is known of them, and all
    /// their values, stay near the processor.
    pub fn height(n_columns: usize) -> usize {
        ((1 << 18) / n_columns.max(1)).clamp(16, BLOCK)
    }

    /// Calls `visit` with the number of each column and the values of the
    /// rows in it.
    fn each<L: Lane>(&self, mut visit: impl FnMut(u32, &[L])) -> Result<()> {
        let mut scratch = Vec::new();
        let mut chosen = Vec::new();
        for (rank, &column) in self.columns.iter().enumerate() {
            if rank % UNCHECKED == 0 {
                self.watch.check()?;
            }
            let start = column as usize * self.view.n_rows;
            let numbers = &self.view.values;
            match self.rows {
                Rows::Run(first, n) => {
                    let range = start + first..start + first + n;
                    let values = L::view(numbers, range, &mut scratch).ok_or_else(outside)?;
                    visit(rank as u32, values);
                }
                Rows::These(rows) => {
                    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
                        continue;
                    };
                    let range = start + first as usize..start + last as usize + 1;
                    let values = L::view(numbers, range, &mut scratch).ok_or_else(outside)?;
                    chosen.clear();
                    for &row in rows {
                        let at = row.wrapping_sub(first) as usize;
                        chosen.push(values.get(at).copied().ok_or_else(outside)?);
                    }
                    visit(rank as u32, &chosen);
                }
            }
        }
        Ok(())
    }
}

impl<L: Lane> Piece<L> for DenseRows<'_> {
    fn n_slots(&self) -> usize {
        self.rows.len()
    }

    fn size(&self, _slot: usize) -> usize {
        self.columns.len()
    }

    fn divide(&self, results: &mut [f64]) {
        let size = self.columns.len() as f64;
        results.iter_mut().for_each(|result| *result /= size);
    }

    fn is_sparse(&self) -> bool {
        false
    }

    fn check(&self) -> Result<()> {
        self.watch.check()
    }

    fn accumulate<A: Accumulator<L>>(&self, all: &mut [A]) -> Result<()> {
        self.each(|_, values| {
            for (one, &value) in all.iter_mut().zip(values) {
                one.push(value);
            }
        })
    }

    fn gather(&self, wanted: &[bool]) -> Result<Gathered<L>> {
        let size = self.columns.len();
        let mut filler = Filler::new(wanted.iter().map(|&is| if is { size } else { 0 }));
        self.each(|rank, values| {
            for (slot, (&value, &is)) in values.iter().zip(wanted).enumerate() {
                if is {
                    filler.push(slot, rank, value);
                }
            }
        })?;
        Ok(filler.finish())
    }
}
