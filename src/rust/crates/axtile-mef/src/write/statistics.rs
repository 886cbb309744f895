//! What section 2 declares of a segment's blocks. Other readers allocate by
//! these numbers: they never get smaller, and never too small.

use crate::header::{IndexEntry, Section2};
use crate::red::{DISCONTINUITY, MISSING_COUNT};
use crate::time::{duration, round_to_i64};

/// A block, as far as the declarations go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockSize {
    pub(crate) n_samples: u32,
    pub(crate) n_bytes: u32,
    /// `None` where only the index is known.
    pub(crate) difference_bytes: Option<u32>,
    pub(crate) minimum: i32,
    pub(crate) maximum: i32,
    pub(crate) is_discontinuity: bool,
}

impl From<&IndexEntry> for BlockSize {
    fn from(entry: &IndexEntry) -> BlockSize {
        BlockSize {
            n_samples: entry.n_samples,
            n_bytes: entry.n_bytes,
            difference_bytes: None,
            minimum: entry.minimum,
            maximum: entry.maximum,
            is_discontinuity: entry.flags & DISCONTINUITY != 0,
        }
    }
}

/// Sums and maxima over blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    n_samples: i64,
    n_blocks: i64,
    block_bytes: i64,
    block_samples: u32,
    difference_bytes: u32,
    n_discontinuities: i64,
    run: Run,
    longest: Run,
    extremes: Option<(i32, i32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Run {
    blocks: i64,
    bytes: i64,
    samples: i64,
}

impl Statistics {
    pub(crate) fn of(blocks: impl Iterator<Item = BlockSize>) -> Statistics {
        let mut all = Statistics::default();
        for block in blocks {
            all.add(block);
        }
        all
    }

    fn add(&mut self, block: BlockSize) {
        let (bytes, samples) = (i64::from(block.n_bytes), i64::from(block.n_samples));
        if block.is_discontinuity || self.n_blocks == 0 {
            self.n_discontinuities += 1;
            self.run = Run::default();
        }
        self.n_blocks += 1;
        self.n_samples += samples;
        self.block_bytes = self.block_bytes.max(bytes);
        self.block_samples = self.block_samples.max(block.n_samples);
        let longest_coding = block.n_samples.saturating_mul(5);
        self.difference_bytes = self
            .difference_bytes
            .max(block.difference_bytes.unwrap_or(longest_coding));
        self.run.blocks += 1;
        self.run.bytes += bytes;
        self.run.samples += samples;
        self.longest.blocks = self.longest.blocks.max(self.run.blocks);
        self.longest.bytes = self.longest.bytes.max(self.run.bytes);
        self.longest.samples = self.longest.samples.max(self.run.samples);
        for count in [block.minimum, block.maximum] {
            if count != MISSING_COUNT && block.n_samples > 0 {
                let (least, most) = self.extremes.unwrap_or((count, count));
                self.extremes = Some((least.min(count), most.max(count)));
            }
        }
    }

    /// Adds what was written to what section 2 declares.
    pub(crate) fn extend(&self, section: &mut Section2) {
        section.n_samples = section.n_samples.max(0).saturating_add(self.n_samples);
        section.n_blocks = section.n_blocks.max(0).saturating_add(self.n_blocks);
        section.n_discontinuities = section
            .n_discontinuities
            .max(0)
            .saturating_add(self.n_discontinuities);
        section.maximum_block_bytes = section.maximum_block_bytes.max(self.block_bytes);
        section.maximum_block_samples =
            known(section.maximum_block_samples).max(self.block_samples);
        section.maximum_difference_bytes =
            known(section.maximum_difference_bytes).max(self.difference_bytes);
        section.maximum_contiguous_blocks =
            section.maximum_contiguous_blocks.max(self.longest.blocks);
        section.maximum_contiguous_bytes = section.maximum_contiguous_bytes.max(self.longest.bytes);
        section.maximum_contiguous_samples =
            section.maximum_contiguous_samples.max(self.longest.samples);
        section.block_interval = duration(
            section.maximum_block_samples.into(),
            section.sampling_frequency,
        );
        if let Some((least, most)) = self.extremes {
            let factor = match section.units_conversion_factor {
                0.0 => 1.0,
                factor => factor,
            };
            let ends = [f64::from(least) * factor, f64::from(most) * factor];
            // NaN is no entry, and the other number wins.
            section.minimum_native = section.minimum_native.min(ends[0].min(ends[1]));
            section.maximum_native = section.maximum_native.max(ends[0].max(ends[1]));
        }
    }
}

fn known(value: u32) -> u32 {
    if value == u32::MAX { 0 } else { value }
}

/// Forgets what section 2 declares of blocks.
pub(crate) fn forget(section: &mut Section2) {
    let empty = Section2::default();
    section.n_samples = 0;
    section.n_blocks = 0;
    section.n_discontinuities = 0;
    section.maximum_block_bytes = empty.maximum_block_bytes;
    section.maximum_block_samples = empty.maximum_block_samples;
    section.maximum_difference_bytes = empty.maximum_difference_bytes;
    section.maximum_contiguous_blocks = 0;
    section.maximum_contiguous_bytes = 0;
    section.maximum_contiguous_samples = 0;
    section.block_interval = empty.block_interval;
    section.minimum_native = empty.minimum_native;
    section.maximum_native = empty.maximum_native;
    section.recording_duration = empty.recording_duration;
}

/// Declares anew what `statistics` of all blocks say.
pub(crate) fn redeclare(section: &mut Section2, statistics: &Statistics, (start, end): (i64, i64)) {
    let difference_bytes = known(section.maximum_difference_bytes);
    forget(section);
    statistics.extend(section);
    section.maximum_difference_bytes = section.maximum_difference_bytes.max(difference_bytes);
    section.recording_duration = end.saturating_sub(start);
}

/// Whether section 2 lacks some of what is to be extended.
pub(crate) fn is_poor(section: &Section2) -> bool {
    section.n_samples < 0
        || section.n_blocks < 0
        || section.n_discontinuities < 1
        || section.maximum_block_bytes < 0
        || known(section.maximum_block_samples) == 0
        || known(section.maximum_difference_bytes) == 0
        || section.maximum_contiguous_blocks < 1
        || section.maximum_contiguous_bytes < 1
        || section.maximum_contiguous_samples < 1
}

/// Half a sample, by which an append may start before the end.
pub(crate) fn half_sample(rate: f64) -> i64 {
    round_to_i64(5e5 / rate)
}
