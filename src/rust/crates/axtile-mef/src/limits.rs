//! Bounds on what this crate reads into memory at once, all far above what
//! recordings have. Larger input is refused, never cut.

/// Samples of one block: with the longest coding, 320 MiB of scratch space.
pub const MAX_BLOCK_SAMPLES: u32 = 1 << 26;
/// Bytes of one index: about 19 million blocks.
pub const MAX_INDEX_BYTES: u64 = 1 << 30;
/// Bytes of one file of records.
pub const MAX_RECORD_BYTES: u64 = 1 << 30;
/// Rows of one read.
pub const MAX_ROWS: u64 = 1 << 40;
/// Bytes of a name of a session or channel.
pub const MAX_NAME_BYTES: usize = 255;
