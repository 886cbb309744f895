//! Numbers that look random and are the same in every run.

/// The generator SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A number that is likely to be at a limit, or next to `old`.
    pub fn number(&mut self, old: u64) -> u64 {
        let limits = [
            0, 1, 2, 3, 15, 16, 17, 25, 26, 31, 32, 33, 63, 64, 65, 127, 128, 254, 255, 256, 257,
            4_095, 65_534, 65_535, 65_536, 65_537,
        ];
        match self.below(8) {
            0 | 1 => *self.pick(&limits),
            2 => old.wrapping_add(1),
            3 => old.wrapping_sub(1),
            4 => old / 2,
            5 => old.wrapping_mul(2),
            6 => {
                let power = 1u64 << self.below(64);
                power.wrapping_add(self.below(3) as u64).wrapping_sub(1)
            }
            _ => self.bits() >> self.below(64),
        }
    }

    /// Changes bytes anyhow.
    pub fn damage(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            bytes.push(self.bits() as u8);
            return;
        }
        // Most of what steers decoding stands at the front.
        let len = bytes.len();
        let at = match self.below(3) {
            0 => self.below(len.min(12)),
            _ => self.below(len),
        };
        let some = 1 + self.below((len - at).min(9));
        match self.below(10) {
            0..3 => bytes[at] ^= 1 << self.below(8),
            3 => bytes[at] = *self.pick(&[0, 1, 0x7f, 0x80, 0xfe, 0xff]),
            4 => bytes[at] = self.bits() as u8,
            5 => bytes.insert(at, self.bits() as u8),
            6 => {
                bytes.remove(at);
            }
            7 => bytes.truncate(at),
            8 => bytes[at..at + some].fill(if self.once_in(2) { 0 } else { 0xff }),
            _ => {
                let copy = bytes[at..at + some].to_vec();
                let to = self.below(len);
                bytes.splice(to..to, copy);
            }
        }
    }
}
