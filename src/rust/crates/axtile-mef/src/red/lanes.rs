//! The range decoder. One symbol depends on the one before through two
//! divisions and a table look-up, so a single block leaves the processor idle
//! most of the time: up to four blocks are decoded in turns.

use crate::damage::Damage;
use crate::red::block::STATISTICS_BYTES;
use crate::red::model::{Frequencies, quotient, shift};

/// Blocks that one thread decodes at a time.
pub(crate) const LANES: usize = 4;

/// Symbols of a stretch.
const STRETCH: usize = 1024;
/// Bytes that a stretch may read: at most three for a symbol, and a word.
const ROOM: usize = 4096;
const MARGIN: usize = 8;

/// One block being decoded. A stretch of symbols is decoded at a time, in arrays
/// of fixed size: no index needs a check then, and a lane is one address, of
/// which the processor has few.
pub(crate) struct Lane {
    now: Box<Now>,
    /// The payload from its eighth bit on.
    source: Vec<u8>,
    at: usize,
    low: u32,
    range: u32,
    out: Vec<u8>,
    n_coded: usize,
    /// The caller's number of the block.
    pub(crate) tag: usize,
}

/// What a stretch works on.
struct Now {
    frequencies: Frequencies,
    source: [u8; ROOM + MARGIN],
    out: [u8; STRETCH],
    /// The symbol of each code value below the total.
    symbols: [u8; 1 << 16],
}

impl Lane {
    pub(crate) fn new() -> Lane {
        Lane {
            now: Box::new(Now {
                frequencies: Frequencies::EMPTY,
                source: [0; ROOM + MARGIN],
                out: [0; STRETCH],
                symbols: [0; 1 << 16],
            }),
            source: Vec::new(),
            at: 0,
            low: 0,
            range: 0,
            out: Vec::new(),
            n_coded: 0,
            tag: 0,
        }
    }

    /// Takes up a block of `n_coded` symbols.
    ///
    /// # Errors
    /// [`Damage`] where the statistics make no model.
    pub(crate) fn start(
        &mut self,
        tag: usize,
        statistics: &[u8; STATISTICS_BYTES],
        payload: &[u8],
        n_coded: usize,
    ) -> Result<(), Damage> {
        self.now.frequencies.fill(statistics)?;
        let mut from = 0;
        for (symbol, &frequency) in statistics.iter().enumerate() {
            let to = from + usize::from(frequency);
            if let Some(run) = self.now.symbols.get_mut(from..to) {
                run.fill(symbol as u8);
            }
            from = to;
        }
        self.source.clear();
        self.source.extend(
            payload
                .windows(2)
                .map(|pair| (pair[0] << 7) | (pair[1] >> 1)),
        );
        self.source.push(payload.last().map_or(0, |last| last << 7));
        self.at = 0;
        self.low = payload.first().map_or(0, |&first| u32::from(first >> 1));
        self.range = 128;
        self.out.clear();
        self.out.reserve(n_coded);
        self.n_coded = n_coded;
        self.tag = tag;
        Ok(())
    }

    /// Symbols that are left.
    pub(crate) fn n_left(&self) -> usize {
        self.n_coded - self.out.len()
    }

    /// The decoded bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.out
    }

    /// Takes up what the next `n` symbols may read; zeros behind the payload.
    fn begin(&mut self, n: usize) {
        let wanted = (3 * n + MARGIN).min(ROOM);
        let source = self.source.get(self.at..).unwrap_or_default();
        let source = source.get(..wanted).unwrap_or(source);
        let (now, rest) = self.now.source.split_at_mut(source.len().min(ROOM));
        now.copy_from_slice(source);
        let n_zeros = wanted.saturating_sub(source.len()) + MARGIN;
        if let Some(zeros) = rest.get_mut(..n_zeros) {
            zeros.fill(0);
        }
    }

    /// Takes `n` symbols over, for which `at` bytes were read.
    fn keep(&mut self, n: usize, at: usize) {
        self.at = self.at.saturating_add(at);
        let out = self.now.out.get(..n).unwrap_or_default();
        self.out.extend_from_slice(out);
    }
}

/// Decodes `n_steps` symbols in each of the lanes, which have as many left.
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
    let mut at = [0_usize; L];
    for lane in lanes.iter_mut() {
        lane.begin(n_steps);
    }
    {
        let now: [&mut Now; L] = lanes.each_mut().map(|lane| &mut *lane.now);
        for i in 0..n_steps {
            for l in 0..L {
                let n_bits = shift(range[l]);
                let word = now[l].source[at[l] & (ROOM - 1)..]
                    .first_chunk::<4>()
                    .map_or(0, |bytes| u32::from_be_bytes(*bytes));
                low[l] = (low[l] << n_bits) | (u64::from(word) >> (32 - n_bits)) as u32;
                range[l] <<= n_bits;
                at[l] += (n_bits / 8) as usize;
                let unit = quotient(range[l], now[l].frequencies.reciprocal);
                let code = (low[l] / unit.max(1)).min(now[l].frequencies.total - 1);
                let symbol = now[l].symbols[code as u16 as usize];
                let part = now[l].frequencies.parts[symbol as usize];
                let below = unit.wrapping_mul(part >> 8);
                low[l] = low[l].wrapping_sub(below);
                let own = unit.wrapping_mul(part & 255);
                // The last symbol takes what rounding left over.
                range[l] = if symbol == 255 {
                    range[l].wrapping_sub(below)
                } else {
                    own
                };
                now[l].out[i & (STRETCH - 1)] = symbol;
            }
        }
    }
    for (l, lane) in lanes.iter_mut().enumerate() {
        lane.low = low[l];
        lane.range = range[l];
        lane.keep(n_steps, at[l]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decoder as the format describes it, bit for bit.
    fn decode_plainly(statistics: &[u8; 256], payload: &[u8], n_coded: usize) -> Vec<u8> {
        let total: u32 = statistics.iter().map(|&f| u32::from(f)).sum();
        let mut bytes = payload.iter().copied().chain(std::iter::repeat(0));
        let mut held = bytes.next().unwrap();
        let (mut low, mut range) = (u32::from(held >> 1), 128_u32);
        let mut out = Vec::new();
        for _ in 0..n_coded {
            while range <= 1 << 23 {
                let byte = bytes.next().unwrap();
                low = (low << 8) | (u32::from(held & 1) << 7) | u32::from(byte >> 1);
                held = byte;
                range <<= 8;
            }
            let unit = range / total;
            let code = (low / unit).min(total - 1);
            let (mut symbol, mut below) = (0_usize, 0);
            while below + u32::from(statistics[symbol]) <= code {
                below += u32::from(statistics[symbol]);
                symbol += 1;
            }
            low = low.wrapping_sub(unit * below);
            range = if symbol == 255 {
                range - unit * below
            } else {
                unit * u32::from(statistics[symbol])
            };
            out.push(symbol as u8);
        }
        out
    }

    #[test]
    fn agrees_with_the_plain_decoder_on_any_payload() {
        let mut state = 88172645463325252_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..60 {
            let mut statistics = [0_u8; 256];
            for _ in 0..=(random() % 300) {
                statistics[(random() % 256) as usize] = (random() % 256) as u8;
            }
            statistics[(round * 37) % 256] = 2;
            statistics[255] = (random() % 3) as u8;
            let payload: Vec<u8> = (0..random() % 400 + 1).map(|_| random() as u8).collect();
            let n_coded = (random() % 500) as usize;
            let mut lanes = [Lane::new(), Lane::new()];
            for lane in &mut lanes {
                lane.start(0, &statistics, &payload, n_coded).unwrap();
            }
            step(lanes.each_mut(), n_coded);
            let expected = decode_plainly(&statistics, &payload, n_coded);
            assert!(lanes[0].bytes() == expected && lanes[1].bytes() == expected);
        }
    }
}
