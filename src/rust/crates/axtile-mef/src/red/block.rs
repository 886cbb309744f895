//! The header of a block, 304 bytes: checksum, flags, the line and scale of
//! lossy coding, sizes, start time and the model's statistics.

use crate::bytes::{f32_at, i64_at, put, u32_at};
use crate::checksum::checksum;
use crate::damage::Damage;
use crate::limits::MAX_BLOCK_SAMPLES;

/// Bytes of a block's header.
pub const HEADER_BYTES: usize = 304;
/// Entries of the statistics.
pub const STATISTICS_BYTES: usize = 256;
/// Where the statistics are in the header.
pub(crate) const STATISTICS_AT: usize = 48;
/// Flag: the block does not go on where the one before ended.
pub const DISCONTINUITY: u8 = 1;
/// Flag: the first statistics are encrypted with the level 1 key.
pub const STATISTICS_LEVEL_1: u8 = 2;
/// Flag: the first statistics are encrypted with the level 2 key.
pub const STATISTICS_LEVEL_2: u8 = 4;

/// What a block says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockHeader {
    /// Checksum of the block from byte 4 on; 0 where it was never computed.
    pub checksum: u32,
    /// [`DISCONTINUITY`], [`STATISTICS_LEVEL_1`], [`STATISTICS_LEVEL_2`].
    pub flags: u8,
    /// Slope of the line taken off before lossy coding.
    pub slope: f32,
    /// Intercept of that line.
    pub intercept: f32,
    /// Divisor of lossy coding; 1 or less for none.
    pub scale: f32,
    /// Number of coded bytes, plus one.
    pub difference_bytes: u32,
    /// Number of samples.
    pub n_samples: u32,
    /// Size of the block with header and padding.
    pub n_bytes: u32,
    /// Start time as stored.
    pub start: i64,
}

impl BlockHeader {
    /// Reads the header at the start of `bytes`, which may hold less than the
    /// whole block.
    ///
    /// # Errors
    /// [`Damage`] where the sizes contradict each other.
    pub fn parse(bytes: &[u8]) -> Result<BlockHeader, Damage> {
        if bytes.len() < HEADER_BYTES {
            return Err(Damage::new(format!(
                "{} bytes are left, a block's header has {HEADER_BYTES}",
                bytes.len()
            )));
        }
        let header = BlockHeader {
            checksum: u32_at(bytes, 0),
            flags: bytes.get(4).copied().unwrap_or(0),
            slope: f32_at(bytes, 16),
            intercept: f32_at(bytes, 20),
            scale: f32_at(bytes, 24),
            difference_bytes: u32_at(bytes, 28),
            n_samples: u32_at(bytes, 32),
            n_bytes: u32_at(bytes, 36),
            start: i64_at(bytes, 40),
        };
        header.check()?;
        Ok(header)
    }

    fn check(&self) -> Result<(), Damage> {
        if (self.n_bytes as usize) < HEADER_BYTES || !self.n_bytes.is_multiple_of(8) {
            return Err(Damage::new(format!(
                "a block of {} bytes, expected a multiple of 8 from {HEADER_BYTES} on",
                self.n_bytes
            )));
        }
        if self.n_samples > MAX_BLOCK_SAMPLES {
            return Err(Damage::new(format!(
                "a block of {} samples, at most {MAX_BLOCK_SAMPLES} are read",
                self.n_samples
            )));
        }
        let samples = u64::from(self.n_samples);
        let differences = u64::from(self.difference_bytes);
        let fits = if samples == 0 {
            differences <= 5
        } else {
            // Four bytes of the first sample, one to five of each other.
            (samples + 4..=5 * samples + 5).contains(&differences)
        };
        if !fits {
            return Err(Damage::new(format!(
                "{differences} difference bytes do not make {samples} samples"
            )));
        }
        Ok(())
    }

    /// Whether the block starts a new run.
    pub fn is_discontinuity(&self) -> bool {
        self.flags & DISCONTINUITY != 0
    }

    /// Whether coding lost information: the samples are only near the originals.
    pub fn is_lossy(&self) -> bool {
        self.scale > 1.0 || self.slope != 0.0 || self.intercept != 0.0
    }

    /// Number of range-coded bytes.
    pub(crate) fn n_coded(&self) -> usize {
        (self.difference_bytes as usize).saturating_sub(1)
    }

    /// Writes everything but checksum and statistics.
    pub(crate) fn write(&self, bytes: &mut [u8]) {
        put(bytes, 4, &[self.flags]);
        put(bytes, 16, &self.slope.to_le_bytes());
        put(bytes, 20, &self.intercept.to_le_bytes());
        put(bytes, 24, &self.scale.to_le_bytes());
        put(bytes, 28, &self.difference_bytes.to_le_bytes());
        put(bytes, 32, &self.n_samples.to_le_bytes());
        put(bytes, 36, &self.n_bytes.to_le_bytes());
        put(bytes, 40, &self.start.to_le_bytes());
    }
}

/// The header of a whole block, whose checksum is right or was never computed.
///
/// # Errors
/// [`Damage`] where `block` is not as long as its header says, or its bytes do
/// not give its checksum.
pub fn verify_block(block: &[u8]) -> Result<BlockHeader, Damage> {
    let header = BlockHeader::parse(block)?;
    if header.n_bytes as usize != block.len() {
        return Err(Damage::new(format!(
            "the block's header says {} bytes, {} are there",
            header.n_bytes,
            block.len()
        )));
    }
    if header.checksum != 0 {
        let computed = checksum(block.get(4..).unwrap_or_default());
        if computed != header.checksum {
            return Err(Damage::new(format!(
                "the block's checksum is {computed:08x}, expected {:08x}",
                header.checksum
            )));
        }
    }
    Ok(header)
}

/// Computes and writes the checksum of a whole block.
pub(crate) fn seal_block(block: &mut [u8]) -> u32 {
    let sum = checksum(block.get(4..).unwrap_or_default());
    put(block, 0, &sum.to_le_bytes());
    sum
}
