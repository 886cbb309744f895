//! Entries of the index, 56 bytes per block.

use crate::bytes::{i32_at, i64_at, put, u32_at};
use crate::header::UNIVERSAL_BYTES;
use crate::red::{BlockHeader, HEADER_BYTES};

/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 56;

/// Where a block is and what it holds. The block's own header is right where
/// they disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Byte of the data file at which the block starts.
    pub offset: i64,
    /// Start time as stored.
    pub start: i64,
    /// Number of the block's first sample, in the segment; some writers count
    /// in the channel. Not used to place samples.
    pub start_sample: i64,
    /// Number of samples.
    pub n_samples: u32,
    /// Size of the block.
    pub n_bytes: u32,
    /// Largest count.
    pub maximum: i32,
    /// Smallest count.
    pub minimum: i32,
    /// The block's flags.
    pub flags: u8,
}

impl IndexEntry {
    /// Reads an entry.
    pub fn parse(bytes: &[u8; ENTRY_BYTES]) -> IndexEntry {
        IndexEntry {
            offset: i64_at(bytes, 0),
            start: i64_at(bytes, 8),
            start_sample: i64_at(bytes, 16),
            n_samples: u32_at(bytes, 24),
            n_bytes: u32_at(bytes, 28),
            maximum: i32_at(bytes, 32),
            minimum: i32_at(bytes, 36),
            flags: bytes.get(44).copied().unwrap_or(0),
        }
    }

    /// All whole entries of `bytes`.
    pub fn parse_all(bytes: &[u8]) -> Vec<IndexEntry> {
        let (entries, _) = bytes.as_chunks::<ENTRY_BYTES>();
        entries.iter().map(IndexEntry::parse).collect()
    }

    /// The entry as it is stored, with all else zero.
    pub fn image(&self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        self.patch(&mut bytes);
        bytes
    }

    /// Writes the fields into `bytes`; all else stays.
    pub(crate) fn patch(&self, bytes: &mut [u8]) {
        put(bytes, 0, &self.offset.to_le_bytes());
        put(bytes, 8, &self.start.to_le_bytes());
        put(bytes, 16, &self.start_sample.to_le_bytes());
        put(bytes, 24, &self.n_samples.to_le_bytes());
        put(bytes, 28, &self.n_bytes.to_le_bytes());
        put(bytes, 32, &self.maximum.to_le_bytes());
        put(bytes, 36, &self.minimum.to_le_bytes());
        put(bytes, 44, &[self.flags]);
    }

    /// Where the block is in a data file of `file_bytes` bytes; `None` where it
    /// cannot be there.
    pub fn span(&self, file_bytes: u64) -> Option<(u64, usize)> {
        let offset = u64::try_from(self.offset).ok()?;
        let end = offset.checked_add(u64::from(self.n_bytes))?;
        (offset >= UNIVERSAL_BYTES as u64
            && self.n_bytes as usize >= HEADER_BYTES
            && end <= file_bytes)
            .then_some((offset, self.n_bytes as usize))
    }

    /// Whether the block's header says the same.
    pub fn agrees(&self, header: &BlockHeader) -> bool {
        self.start == header.start
            && self.n_samples == header.n_samples
            && self.n_bytes == header.n_bytes
    }
}
