//! Nonzeros that have no symbol of their own.

use std::ops::Range;

/// The nonzeros of a block whose symbols are escapes.
#[derive(Debug, Default)]
pub(crate) struct Escapes {
    /// Ascending by place.
    all: Vec<Escape>,
    /// For every [`STEP`] symbols, how many escapes come before.
    before: Vec<u32>,
}

/// The upper parts of gap and count less 1 of an escape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    /// The number of the symbol in its block.
    pub(super) at: u32,
    pub(super) gap: u32,
    pub(super) count: u32,
}

const STEP: usize = 64;

impl Escapes {
    /// Finds the symbols from `bound` on, and asks `parts` for the upper parts
    /// of gap and count that each stands for, in order.
    pub(crate) fn find(
        &mut self,
        symbols: &[u8],
        bound: usize,
        mut parts: impl FnMut(usize) -> (u32, u32),
    ) {
        self.all.clear();
        self.before.clear();
        if bound > usize::from(u8::MAX) {
            return;
        }
        let bound = bound as u8;
        let mut add = |first: usize, symbols: &[u8]| {
            for (i, &symbol) in symbols.iter().enumerate().filter(|&(_, &s)| s >= bound) {
                let (gap, count) = parts(usize::from(symbol - bound));
                let at = (first + i) as u32;
                self.all.push(Escape { at, gap, count });
            }
            self.all.len() as u32
        };
        let (steps, rest) = symbols.as_chunks::<STEP>();
        self.before.reserve(steps.len() + 1);
        let mut n = 0;
        for (idx, step) in steps.iter().enumerate() {
            self.before.push(n);
            // Without a choice in it, this is a few instructions.
            if step.iter().fold(0, |any, &s| any | u8::from(s >= bound)) != 0 {
                n = add(STEP * idx, step);
            }
        }
        self.before.push(n);
        add(STEP * steps.len(), rest);
    }

    /// Those of the symbols in `range`.
    #[inline]
    pub(super) fn within(&self, range: Range<usize>) -> impl Iterator<Item = Escape> {
        let first = self.before.get(range.start / STEP).copied();
        let all = first.map_or(&[][..], |first| &self.all[first as usize..]);
        all.iter()
            .skip_while(move |escape| (escape.at as usize) < range.start)
            .take_while(move |escape| (escape.at as usize) < range.end)
            .copied()
    }
}
