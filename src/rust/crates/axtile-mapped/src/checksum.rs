//! XXH3-64, which finds accidental damage at the speed of memory. It is no
//! protection against somebody who means harm.

use xxhash_rust::xxh3::Xxh3;

/// The XXH3-64 (seed 0) of bytes that come piece by piece.
pub struct Checksum(Xxh3);

impl Default for Checksum {
    fn default() -> Self {
        Checksum::new()
    }
}

impl Checksum {
    /// The checksum of nothing yet.
    pub fn new() -> Checksum {
        Checksum(Xxh3::new())
    }

    /// Adds `bytes`.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum as 16 lower-case hex digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0.digest())
    }

    /// The checksum of `bytes` as 16 lower-case hex digits.
    pub fn of(bytes: &[u8]) -> String {
        let mut checksum = Checksum::new();
        checksum.add(bytes);
        checksum.hex()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_give_the_checksum_of_the_whole() {
        // The published value of the empty input.
        assert_eq!(Checksum::of(b""), "2d06800538d394c2");
        let bytes: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        let mut checksum = Checksum::new();
        for piece in bytes.chunks(777) {
            checksum.add(piece);
        }
        assert_eq!(checksum.hex(), Checksum::of(&bytes));
    }
}
