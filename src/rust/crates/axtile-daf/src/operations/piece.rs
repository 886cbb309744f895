//! Pieces of a matrix or vector: each gives some results of a reduction, and
//! one thread works on it (or several on a large one).

use axtile_core::{Error, Result};

use super::accumulate::Accumulator;
use super::lane::Lane;
use super::threads;

/// Values looked at between two looks at a scratch array.
pub const BLOCK: usize = 4096;

/// A part of the data with a number of results, its slots.
pub trait Piece<L: Lane>: Sync {
    /// How many results there are.
    fn n_slots(&self) -> usize;

    /// How many values a slot has, with those that are not stored.
    fn size(&self, slot: usize) -> usize;

    /// Divides the result of each slot by its size.
    fn divide(&self, results: &mut [f64]) {
        for (slot, result) in results.iter_mut().enumerate() {
            *result /= self.size(slot) as f64;
        }
    }

    /// Whether there can be zeros that are not stored.
    fn is_sparse(&self) -> bool;

    /// How many values may be gathered at a time.
    fn max_gathered(&self) -> usize {
        usize::MAX
    }

    /// `Err(Error::Interrupted)` if the user asked to stop.
    fn check(&self) -> Result<()>;

    /// All stored values in the accumulators of their slots, which are new.
    ///
    /// # Errors
    /// Indices that leave the matrix; `Error::Interrupted`.
    fn accumulate<A: Accumulator<L>>(&self, all: &mut [A]) -> Result<()>;

    /// The stored values of the slots that are `wanted`, each slot's in their
    /// order.
    ///
    /// # Errors
    /// As above.
    fn gather(&self, wanted: &[bool]) -> Result<Gathered<L>>;
}

/// The accumulators of all slots, which start as `start` says.
///
/// # Errors
/// As [`Piece::accumulate`].
pub fn accumulated<L: Lane, A: Accumulator<L>>(
    piece: &impl Piece<L>,
    start: impl Fn(usize) -> A,
) -> Result<Vec<A>> {
    let mut all: Vec<A> = (0..piece.n_slots()).map(start).collect();
    piece.accumulate(&mut all)?;
    Ok(all)
}

/// Stored values by slots.
pub struct Gathered<L> {
    /// All of them.
    pub values: Vec<L>,
    /// Where each slot's values start, and where the last one's end.
    pub starts: Vec<usize>,
    /// How many of a slot's values stand before the first zero that is not
    /// stored.
    pub lead: Vec<u32>,
}

impl<L: Lane> Gathered<L> {
    /// The values of each slot, to be reordered at will, and its lead.
    pub fn slots(&mut self) -> impl Iterator<Item = (&mut [L], usize)> {
        let mut rest = self.values.as_mut_slice();
        self.starts
            .windows(2)
            .zip(&self.lead)
            .map(move |(ends, lead)| {
                let size = match ends {
                    [start, end] => end - start,
                    _ => 0,
                };
                let (part, after) = std::mem::take(&mut rest).split_at_mut(size);
                rest = after;
                (part, *lead as usize)
            })
    }
}

/// Puts values into the places of their slots, of known numbers.
pub struct Filler<L> {
    values: Vec<L>,
    starts: Vec<usize>,
    next: Vec<usize>,
    lead: Vec<u32>,
}

impl<L: Lane> Filler<L> {
    /// `counts` values are to come for each slot.
    pub fn new(counts: impl Iterator<Item = usize>) -> Filler<L> {
        let mut starts = vec![0];
        let mut end = 0;
        for count in counts {
            end += count;
            starts.push(end);
        }
        let mut next = starts.clone();
        next.pop();
        Filler {
            values: vec![L::default(); end],
            lead: vec![0; next.len()],
            next,
            starts,
        }
    }

    /// The next value of a slot; `rank` is how many values of it stand before
    /// this one, with those that are not stored.
    pub fn push(&mut self, slot: usize, rank: u32, value: L) {
        let (Some(next), Some(lead)) = (self.next.get_mut(slot), self.lead.get_mut(slot)) else {
            return;
        };
        if let Some(place) = self.values.get_mut(*next) {
            *place = value;
            *next += 1;
            *lead += u32::from(*lead == rank);
        }
    }

    /// What was gathered.
    pub fn finish(self) -> Gathered<L> {
        Gathered {
            values: self.values,
            starts: self.starts,
            lead: self.lead,
        }
    }
}

/// An index of a sparse matrix that leaves it.
pub fn outside() -> Error {
    Error::range("a sparse matrix has a value outside its rows or columns; it is damaged")
}

/// Merged pieces that are accumulated before they are added up.
const AT_ONCE: usize = 1 << 12;

/// Many pieces of one slot each as a single one.
pub struct Merged<P>(pub Vec<P>);

impl<L: Lane, P: Piece<L>> Piece<L> for Merged<P> {
    fn n_slots(&self) -> usize {
        1
    }

    fn size(&self, _slot: usize) -> usize {
        self.0.iter().map(|piece| piece.size(0)).sum()
    }

    fn is_sparse(&self) -> bool {
        self.0.iter().any(Piece::is_sparse)
    }

    fn check(&self) -> Result<()> {
        self.0.first().map_or(Ok(()), Piece::check)
    }

    fn accumulate<A: Accumulator<L>>(&self, all: &mut [A]) -> Result<()> {
        threads::accumulate(all, self.0.len(), AT_ONCE, |idx, part| {
            match self.0.get(idx) {
                Some(piece) => piece.accumulate(part),
                None => Ok(()),
            }
        })
    }

    fn gather(&self, _wanted: &[bool]) -> Result<Gathered<L>> {
        let mut values = Vec::new();
        let mut lead = None;
        for piece in &self.0 {
            let before = values.len();
            let part = piece.gather(&[true])?;
            let first_gap = part.lead.first().map_or(0, |&lead| lead as usize);
            if lead.is_none() && first_gap < piece.size(0) {
                lead = Some(before + first_gap);
            }
            values.extend_from_slice(&part.values);
        }
        Ok(Gathered {
            starts: vec![0, values.len()],
            lead: vec![lead.unwrap_or(values.len()) as u32],
            values,
        })
    }
}
