//! Pieces of sparse matrices, which are kept by columns: where each column
//! starts, the row of each stored value counted from 1, and the values.

use std::ops::Range;

use axtile_core::{Result, Watch};

use super::accumulate::Accumulator;
use super::lane::{Lane, Numbers};
use super::piece::{BLOCK, Filler, Gathered, Piece, outside};
use super::slots::Slots;
use super::threads;

/// Stored values that one thread accumulates over rows at once.
const CHUNK: usize = 1 << 20;
/// Chunks that have accumulators of their own at the same time.
const AT_ONCE: usize = 16;

/// A sparse matrix.
#[derive(Clone, Copy)]
pub struct SparseView<'a> {
    /// Rows.
    pub n_rows: usize,
    /// Where each column starts, and where the last one ends: ascending.
    pub starts: &'a [usize],
    /// The row of each value, from 1, ascending within a column.
    pub rows: Numbers<'a>,
    /// The values.
    pub values: Numbers<'a>,
}

impl SparseView<'_> {
    /// Where the values of a column are.
    pub fn column(&self, column: usize) -> Range<usize> {
        match self.starts.get(column..column + 2) {
            Some(&[start, end]) if start <= end => start..end,
            _ => 0..0,
        }
    }

    /// Calls `visit` with rows (from 1) and values of a column.
    ///
    /// # Errors
    /// Indices that leave the matrix; `Error::Interrupted`.
    pub(super) fn each<L: Lane>(
        &self,
        column: usize,
        scratch: &mut Scratch<L>,
        watch: &dyn Watch,
        mut visit: impl FnMut(&[u32], &[L]),
    ) -> Result<()> {
        let range = self.column(column);
        let mut from = range.start;
        while from < range.end {
            watch.check()?;
            let to = (from + BLOCK).min(range.end);
            let rows = index_view(&self.rows, from..to, &mut scratch.rows).ok_or_else(outside)?;
            let values =
                L::view(&self.values, from..to, &mut scratch.values).ok_or_else(outside)?;
            visit(rows, values);
            from = to;
        }
        Ok(())
    }
}

/// Room for converted rows and values.
#[derive(Default)]
pub struct Scratch<L> {
    rows: Vec<u32>,
    values: Vec<L>,
}

/// Indices as `u32`; what does not fit becomes 0, which is no index.
fn index_view<'a>(
    rows: &Numbers<'a>,
    range: Range<usize>,
    scratch: &'a mut Vec<u32>,
) -> Option<&'a [u32]> {
    fn fill<T: Copy + TryInto<u32>>(
        rows: &[T],
        range: Range<usize>,
        scratch: &mut Vec<u32>,
    ) -> Option<()> {
        let rows = rows.get(range)?;
        scratch.clear();
        scratch.extend(rows.iter().map(|&row| row.try_into().unwrap_or(0)));
        Some(())
    }
    match rows {
        Numbers::UInt32(rows) => return rows.get(range),
        Numbers::UInt8(rows) => fill(rows, range, scratch)?,
        Numbers::UInt16(rows) => fill(rows, range, scratch)?,
        Numbers::UInt64(rows) => fill(rows, range, scratch)?,
        Numbers::Int8(rows) => fill(rows, range, scratch)?,
        Numbers::Int16(rows) => fill(rows, range, scratch)?,
        Numbers::Int32(rows) => fill(rows, range, scratch)?,
        Numbers::Int64(rows) => fill(rows, range, scratch)?,
        _ => return None,
    }
    Some(scratch)
}

/// One column; its rows are in slots, or all in one.
pub struct SparseColumn<'a> {
    /// The matrix.
    pub view: SparseView<'a>,
    /// Which column.
    pub column: usize,
    /// Which rows; all in one slot if none.
    pub slots: Option<&'a Slots>,
    /// Who may ask to stop.
    pub watch: &'a dyn Watch,
}

impl<L: Lane> Piece<L> for SparseColumn<'_> {
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
        true
    }

    fn check(&self) -> Result<()> {
        self.watch.check()
    }

    fn accumulate<A: Accumulator<L>>(&self, all: &mut [A]) -> Result<()> {
        let mut scratch = Scratch::default();
        let Some(slots) = self.slots else {
            let Some(all) = all.first_mut() else {
                return Ok(());
            };
            let range = self.view.column(self.column);
            let mut from = range.start;
            while from < range.end {
                self.watch.check()?;
                let to = (from + BLOCK).min(range.end);
                let values = L::view(&self.view.values, from..to, &mut scratch.values);
                all.push_all(values.ok_or_else(outside)?);
                from = to;
            }
            return Ok(());
        };
        let mut is_outside = false;
        self.view
            .each(self.column, &mut scratch, self.watch, |rows, values| {
                for (&row, &value) in rows.iter().zip(values) {
                    let Some(&slot) = slots.of.get(row.wrapping_sub(1) as usize) else {
                        is_outside = true;
                        continue;
                    };
                    if let Some(one) = all.get_mut(slot as usize) {
                        one.push(value);
                    }
                }
            })?;
        if is_outside { Err(outside()) } else { Ok(()) }
    }

    fn gather(&self, wanted: &[bool]) -> Result<Gathered<L>> {
        let mut scratch = Scratch::default();
        let Some(slots) = self.slots else {
            let n = self.view.column(self.column).len();
            let mut all = Vec::with_capacity(n);
            let mut lead = 0_u32;
            self.view
                .each(self.column, &mut scratch, self.watch, |rows, values| {
                    for &row in rows {
                        lead += u32::from(row.wrapping_sub(1) == lead);
                    }
                    all.extend_from_slice(values);
                })?;
            return Ok(Gathered {
                starts: vec![0, all.len()],
                values: all,
                lead: vec![lead],
            });
        };
        let slot_of = |row: u32| {
            let row = row.wrapping_sub(1) as usize;
            let slot = *slots.of.get(row)? as usize;
            (*wanted.get(slot)?).then_some((slot, *slots.rank.get(row)?))
        };
        let mut counts = vec![0; slots.sizes.len()];
        self.view
            .each(self.column, &mut scratch, self.watch, |rows, _| {
                for &row in rows {
                    if let Some(count) = slot_of(row).and_then(|(slot, _)| counts.get_mut(slot)) {
                        *count += 1;
                    }
                }
            })?;
        let mut filler = Filler::new(counts.into_iter());
        self.view
            .each(self.column, &mut scratch, self.watch, |rows, values| {
                for (&row, &value) in rows.iter().zip(values) {
                    if let Some((slot, rank)) = slot_of(row) {
                        filler.push(slot, rank, value);
                    }
                }
            })?;
        Ok(filler.finish())
    }
}

/// Rows, each a slot, over some columns.
pub struct SparseRows<'a> {
    /// The matrix.
    pub view: SparseView<'a>,
    /// Which rows; all, each its own slot, if none.
    pub slots: Option<&'a Slots>,
    /// Which columns.
    pub columns: &'a [u32],
    /// Who may ask to stop.
    pub watch: &'a dyn Watch,
}

impl SparseRows<'_> {
    /// Calls `visit` with slot and value of all stored values of the columns
    /// at `range` of those of this piece, and the number of their column.
    fn each<L: Lane>(
        &self,
        range: Range<usize>,
        mut visit: impl FnMut(usize, u32, L),
    ) -> Result<()> {
        let mut scratch = Scratch::default();
        let mut is_outside = false;
        for rank in range {
            let Some(&column) = self.columns.get(rank) else {
                continue;
            };
            self.view
                .each(column as usize, &mut scratch, self.watch, |rows, values| {
                    for (&row, &value) in rows.iter().zip(values) {
                        let row = row.wrapping_sub(1) as usize;
                        is_outside |= row >= self.view.n_rows;
                        let slot = match self.slots {
                            None => row,
                            Some(slots) => {
                                slots.of.get(row).map_or(usize::MAX, |&slot| slot as usize)
                            }
                        };
                        visit(slot, rank as u32, value);
                    }
                })?;
        }
        if is_outside { Err(outside()) } else { Ok(()) }
    }

    /// Runs of columns of about as many stored values as one thread takes at
    /// once, and no fewer than there are results.
    fn chunks(&self) -> Vec<Range<usize>> {
        let enough = CHUNK.max(4 * self.view.n_rows);
        let mut chunks = Vec::new();
        let mut start = 0;
        let mut n = 0;
        for (idx, &column) in self.columns.iter().enumerate() {
            n += self.view.column(column as usize).len();
            if n >= enough {
                chunks.push(start..idx + 1);
                start = idx + 1;
                n = 0;
            }
        }
        chunks.push(start..self.columns.len());
        chunks
    }
}

impl<L: Lane> Piece<L> for SparseRows<'_> {
    fn n_slots(&self) -> usize {
        self.slots
            .map_or(self.view.n_rows, |slots| slots.sizes.len())
    }

    fn size(&self, _slot: usize) -> usize {
        self.columns.len()
    }

    fn divide(&self, results: &mut [f64]) {
        let size = self.columns.len() as f64;
        results.iter_mut().for_each(|result| *result /= size);
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn check(&self) -> Result<()> {
        self.watch.check()
    }

    fn accumulate<A: Accumulator<L>>(&self, all: &mut [A]) -> Result<()> {
        let chunks = self.chunks();
        threads::accumulate(all, chunks.len(), AT_ONCE, |chunk, part| {
            let range = chunks.get(chunk).cloned().unwrap_or_default();
            self.each(range, |slot, _, value: L| {
                if let Some(one) = part.get_mut(slot) {
                    one.push(value);
                }
            })
        })
    }

    fn gather(&self, wanted: &[bool]) -> Result<Gathered<L>> {
        let all = 0..self.columns.len();
        let mut counts = vec![0_usize; wanted.len()];
        self.each(all.clone(), |slot, _, _: L| {
            if let Some(count) = counts.get_mut(slot) {
                *count += 1;
            }
        })?;
        let counts = counts.iter().zip(wanted);
        let mut filler = Filler::new(counts.map(|(&count, &is)| if is { count } else { 0 }));
        self.each(all, |slot, rank, value: L| {
            if wanted.get(slot) == Some(&true) {
                filler.push(slot, rank, value);
            }
        })?;
        Ok(filler.finish())
    }
}
