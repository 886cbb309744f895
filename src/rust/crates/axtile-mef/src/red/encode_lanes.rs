//! The range encoder, up to four blocks in turns (see `lanes`).
//!
//! `low` has 31 bits; the bit above them is the carry into the bytes written
//! already. Bytes are kept in 16 bits each, so that a carry is added to the last
//! one only; one pass at the end hands carries on. Handing them on at once
//! takes a branch that nothing predicts.

use crate::damage::Damage;
use crate::red::block::{HEADER_BYTES, STATISTICS_BYTES};
use crate::red::model::{Frequencies, quotient, shift};

/// A word is written at a time, of which up to three bytes count.
const MARGIN: usize = 8;
/// Most bytes that one symbol adds.
const PER_SYMBOL: usize = 3;

/// One block being encoded.
pub(crate) struct Lane {
    frequencies: Frequencies,
    /// Difference bytes.
    pub(crate) symbols: Vec<u8>,
    /// The payload's bytes with carries, behind one that the coder starts with.
    out: Vec<u16>,
    at: usize,
    low: u32,
    range: u32,
    n_done: usize,
    pub(crate) tag: usize,
}

impl Lane {
    pub(crate) fn new() -> Lane {
        Lane {
            frequencies: Frequencies::EMPTY,
            symbols: Vec::new(),
            out: Vec::new(),
            at: 0,
            low: 0,
            range: 0,
            n_done: 0,
            tag: 0,
        }
    }

    /// Starts encoding `symbols` under `statistics`.
    ///
    /// # Errors
    /// [`Damage`] for statistics without symbols.
    pub(crate) fn start(
        &mut self,
        tag: usize,
        statistics: &[u8; STATISTICS_BYTES],
    ) -> Result<(), Damage> {
        self.frequencies.fill(statistics)?;
        // The coder's first byte is always zero and is not stored: no carry
        // ever reaches it.
        self.out.clear();
        self.out.push(0);
        self.at = 1;
        self.low = 0;
        self.range = 1 << 31;
        self.n_done = 0;
        self.tag = tag;
        Ok(())
    }

    pub(crate) fn n_left(&self) -> usize {
        self.symbols.len() - self.n_done
    }

    fn make_room(&mut self, n_steps: usize) {
        let wanted = self.at + n_steps * PER_SYMBOL + MARGIN;
        if self.out.len() < wanted {
            self.out.resize(wanted, 0);
        }
    }

    /// Ends the payload; the block with an empty header and padding.
    pub(crate) fn finish(&mut self, padding: u8) -> Vec<u8> {
        self.make_room(2);
        let n_bits = shift(self.range);
        emit(&mut self.out, &mut self.at, &mut self.low, n_bits);
        self.low += 1 << 23;
        // Its byte is emitted with the carry, then a zero.
        emit(&mut self.out, &mut self.at, &mut self.low, 8);
        let n_payload = self.at;
        let mut block = vec![0; HEADER_BYTES + n_payload];
        let payload = block.get_mut(HEADER_BYTES..).unwrap_or_default();
        let stored = self.out.get(1..n_payload).unwrap_or_default();
        let mut carried = 0;
        for (byte, &cell) in payload.iter_mut().zip(stored).rev() {
            let sum = cell + carried;
            *byte = sum as u8;
            carried = sum >> 8;
        }
        block.resize(block.len().next_multiple_of(8), padding);
        block
    }
}

/// Adds the carry to the byte before `at` and shifts bits out.
#[inline(always)]
fn emit(out: &mut [u16], at: &mut usize, low: &mut u32, n_bits: u32) {
    if let Some([before, word @ ..]) = out
        .get_mut(at.wrapping_sub(1)..)
        .and_then(|rest| rest.first_chunk_mut::<5>())
    {
        *before += (*low >> 31) as u16;
        *word = (*low << 1).to_be_bytes().map(u16::from);
    }
    *at += (n_bits / 8) as usize;
    *low = (*low << n_bits) & 0x7FFF_FFFF;
}

/// Symbols between two checks of the room for output.
const STRETCH: usize = 1024;

/// Encodes `n_steps` symbols in each of the lanes, which have as many left.
pub(crate) fn step<const L: usize>(mut lanes: [&mut Lane; L], mut n_steps: usize) {
    while n_steps > 0 {
        let n = n_steps.min(STRETCH);
        for lane in &mut lanes {
            lane.make_room(n);
        }
        stretch(&mut lanes, n);
        n_steps -= n;
    }
}

fn stretch<const L: usize>(lanes: &mut [&mut Lane; L], n_steps: usize) {
    let mut low: [u32; L] = std::array::from_fn(|l| lanes[l].low);
    let mut range: [u32; L] = std::array::from_fn(|l| lanes[l].range);
    let mut at: [usize; L] = std::array::from_fn(|l| lanes[l].at);
    {
        let views = lanes.each_mut().map(|lane| {
            let done = lane.n_done;
            (
                &lane.frequencies,
                lane.symbols.get(done..done + n_steps).unwrap_or_default(),
                lane.out.as_mut_slice(),
            )
        });
        let frequencies: [&Frequencies; L] = std::array::from_fn(|l| views[l].0);
        let symbols: [&[u8]; L] = std::array::from_fn(|l| views[l].1);
        let out: [&mut [u16]; L] = views.map(|view| view.2);
        for i in 0..n_steps {
            for l in 0..L {
                let symbol = symbols[l].get(i).copied().unwrap_or(0);
                let n_bits = shift(range[l]);
                emit(out[l], &mut at[l], &mut low[l], n_bits);
                range[l] <<= n_bits;
                let unit = quotient(range[l], frequencies[l].reciprocal);
                let part = frequencies[l].parts[symbol as usize];
                let below = unit.wrapping_mul(part >> 8);
                low[l] = low[l].wrapping_add(below);
                range[l] = if symbol == 255 {
                    range[l].wrapping_sub(below)
                } else {
                    unit.wrapping_mul(part & 255)
                };
            }
        }
    }
    for (l, lane) in lanes.iter_mut().enumerate() {
        lane.low = low[l];
        lane.range = range[l];
        lane.at = at[l];
        lane.n_done += n_steps;
    }
}
