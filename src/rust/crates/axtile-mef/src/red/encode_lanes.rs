//! The range encoder, up to four blocks in turns (see `lanes`).
//!
//! `low` has 31 bits; the bit above them is the carry into the bytes written
//! already. Carries are kept apart, one cell for each byte, and added at the end
//! as one number to another: handing them on at once takes a branch that nothing
//! predicts.
//!
//! A stretch of symbols is encoded at a time, in arrays of fixed size: no index
//! needs a check then, and a lane is one address, of which the processor has few.

use crate::damage::Damage;
use crate::red::block::{HEADER_BYTES, STATISTICS_BYTES};
use crate::red::model::{Frequencies, quotient, shift};

/// Symbols of a stretch.
const STRETCH: usize = 1024;
/// Bytes that a stretch may write, at most three for a symbol.
const ROOM: usize = 4096;
/// A word is written at a time, of which up to three bytes count.
const MARGIN: usize = 8;

/// One block being encoded.
pub(crate) struct Lane {
    now: Box<Now>,
    /// Difference bytes.
    pub(crate) symbols: Vec<u8>,
    /// The block: room for its header, then the payload.
    block: Vec<u8>,
    /// What is to be added to each byte of the block.
    carries: Vec<u8>,
    low: u32,
    range: u32,
    n_done: usize,
    pub(crate) tag: usize,
}

/// What a stretch works on.
struct Now {
    frequencies: Frequencies,
    symbols: [u8; STRETCH],
    /// Byte 0 is the last one of the stretch before.
    bytes: [u8; ROOM + MARGIN],
    /// The carry into the byte before the one of the same number.
    carries: [u8; ROOM],
}

impl Lane {
    pub(crate) fn new() -> Lane {
        Lane {
            now: Box::new(Now {
                frequencies: Frequencies::EMPTY,
                symbols: [0; STRETCH],
                bytes: [0; ROOM + MARGIN],
                carries: [0; ROOM],
            }),
            symbols: Vec::new(),
            block: Vec::new(),
            carries: Vec::new(),
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
        self.now.frequencies.fill(statistics)?;
        // The coder's first byte is always zero and is not stored: it falls on
        // the header, and no carry ever reaches it.
        self.block.clear();
        self.block.resize(HEADER_BYTES, 0);
        self.carries.clear();
        self.carries.resize(HEADER_BYTES, 0);
        self.low = 0;
        self.range = 1 << 31;
        self.n_done = 0;
        self.tag = tag;
        Ok(())
    }

    pub(crate) fn n_left(&self) -> usize {
        self.symbols.len() - self.n_done
    }

    /// Takes up the next `n` symbols.
    fn begin(&mut self, n: usize) {
        let symbols = self.symbols.get(self.n_done..).unwrap_or_default();
        for (to, &symbol) in self.now.symbols.iter_mut().zip(symbols.iter().take(n)) {
            *to = symbol;
        }
        self.n_done += n;
    }

    /// Takes the stretch's bytes before `at` over.
    fn keep(&mut self, at: usize) {
        let bytes = self.now.bytes.get(1..at).unwrap_or_default();
        self.block.extend_from_slice(bytes);
        let Some(carries) = self.now.carries.get_mut(1..=at) else {
            return;
        };
        if let Some((&mut first, rest)) = carries.split_first_mut() {
            if let Some(last) = self.carries.last_mut() {
                *last = last.wrapping_add(first);
            }
            self.carries.extend_from_slice(rest);
        }
        carries.fill(0);
    }

    /// Ends the payload; the block with an empty header and padding.
    pub(crate) fn finish(&mut self, padding: u8) -> Vec<u8> {
        let mut at = 1;
        let n_bits = shift(self.range);
        emit(&mut self.now, &mut at, &mut self.low, n_bits);
        self.low += 1 << 23;
        // Its byte is emitted with the carry, then a zero.
        emit(&mut self.now, &mut at, &mut self.low, 8);
        self.keep(at);
        let n_bytes = self.block.len();
        add(&mut self.block, &self.carries);
        let mut block = Vec::with_capacity(n_bytes.next_multiple_of(8) + 8);
        block.extend_from_slice(&self.block);
        block.push(0);
        block.resize(block.len().next_multiple_of(8), padding);
        block
    }
}

/// Adds a number to another one of as many bytes, the highest first.
fn add(bytes: &mut [u8], carries: &[u8]) {
    let mut carried = false;
    let (head, words) = bytes.as_rchunks_mut::<8>();
    let (carry_head, carry_words) = carries.as_rchunks::<8>();
    for (word, carry) in words.iter_mut().zip(carry_words).rev() {
        let (sum, a) = u64::from_be_bytes(*word).overflowing_add(u64::from_be_bytes(*carry));
        let (sum, b) = sum.overflowing_add(carried.into());
        carried = a | b;
        *word = sum.to_be_bytes();
    }
    for (byte, &carry) in head.iter_mut().zip(carry_head).rev() {
        let sum = u16::from(*byte) + u16::from(carry) + u16::from(carried);
        *byte = sum as u8;
        carried = sum > 255;
    }
}

/// Writes the carry into the byte before `at` and shifts bits out.
#[inline(always)]
fn emit(now: &mut Now, at: &mut usize, low: &mut u32, n_bits: u32) {
    let cell = *at & (ROOM - 1);
    now.carries[cell] = now.carries[cell].wrapping_add((*low >> 31) as u8);
    if let Some(word) = now.bytes[cell..].first_chunk_mut::<4>() {
        *word = (*low << 1).to_be_bytes();
    }
    *at += (n_bits / 8) as usize;
    *low = (*low << n_bits) & 0x7FFF_FFFF;
}

/// Encodes `n_steps` symbols in each of the lanes, which have as many left.
pub(crate) fn step<const L: usize>(mut lanes: [&mut Lane; L], mut n_steps: usize) {
    while n_steps > 0 {
        let n = n_steps.min(STRETCH);
        stretch(&mut lanes, n);
        n_steps -= n;
    }
}

fn stretch<const L: usize>(lanes: &mut [&mut Lane; L], n_steps: usize) {
    let mut low: [u32; L] = std::array::from_fn(|l| lanes[l].low);
    let mut range: [u32; L] = std::array::from_fn(|l| lanes[l].range);
    let mut at = [1; L];
    for lane in lanes.iter_mut() {
        lane.begin(n_steps);
    }
    {
        let now: [&mut Now; L] = lanes.each_mut().map(|lane| &mut *lane.now);
        for i in 0..n_steps {
            for l in 0..L {
                let symbol = now[l].symbols[i & (STRETCH - 1)];
                let n_bits = shift(range[l]);
                emit(now[l], &mut at[l], &mut low[l], n_bits);
                range[l] <<= n_bits;
                let unit = quotient(range[l], now[l].frequencies.reciprocal);
                let part = now[l].frequencies.parts[symbol as usize];
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
        lane.keep(at[l]);
    }
}
