//! Streams of bits, least significant first: field after field, the first in
//! the low bits of the first byte.

/// Writes fields one behind the other.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    n_pending: u32,
}

impl BitWriter {
    /// Appends the low `n_bits` of `value`, at most 32; the others are 0.
    pub(super) fn put(&mut self, value: u32, n_bits: u32) {
        debug_assert!(n_bits <= 32 && u64::from(value) >> n_bits == 0);
        self.pending |= u64::from(value) << self.n_pending;
        self.n_pending += n_bits;
        if self.n_pending >= 32 {
            self.bytes
                .extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.n_pending -= 32;
        }
    }

    /// The bytes; the last one is filled up with 0.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let n_bytes = self.n_pending.div_ceil(8) as usize;
        self.bytes
            .extend_from_slice(&self.pending.to_le_bytes()[..n_bytes]);
        self.bytes
    }
}

/// Reads fields one behind the other.
#[derive(Clone, Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, position: 0 }
    }

    /// The next 57 bits or more; 0 behind the end.
    #[inline]
    fn window(&self) -> u64 {
        let rest = self.bytes.get(self.position / 8..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(word)
            }
        };
        word >> (self.position % 8)
    }

    /// The next `n_bits`, at most 32.
    #[inline]
    pub(super) fn take(&mut self, n_bits: u32) -> u32 {
        let mask = (1u64 << n_bits) - 1;
        let value = self.window() & mask;
        self.position += n_bits as usize;
        value as u32
    }

    /// Skips zero bits up to the next one bit, and that one, too; how many
    /// zeros there were, or `None` if they are more than `max` (at most 56).
    #[inline]
    pub(super) fn take_unary(&mut self, max: u32) -> Option<u32> {
        let n_zeros = self.window().trailing_zeros();
        if n_zeros > max {
            return None;
        }
        self.position += n_zeros as usize + 1;
        Some(n_zeros)
    }

    /// Whether exactly the bytes were read, and what fills the last one is 0.
    pub(super) fn is_at_end(&self) -> bool {
        self.position.div_ceil(8) == self.bytes.len()
            && (self.position.is_multiple_of(8) || self.window() == 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(fields in prop::collection::vec((any::<u32>(), 0u32..=32), 0..50)) {
            let mut writer = BitWriter::default();
            let fields: Vec<(u32, u32)> = fields
                .into_iter()
                .map(|(value, n_bits)| ((u64::from(value) & ((1u64 << n_bits) - 1)) as u32, n_bits))
                .collect();
            for &(value, n_bits) in &fields {
                writer.put(value, n_bits);
            }
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            for &(value, n_bits) in &fields {
                prop_assert_eq!(reader.take(n_bits), value);
            }
            prop_assert!(reader.is_at_end());
            reader.take(9);
            prop_assert!(!reader.is_at_end());
        }
    }
}
