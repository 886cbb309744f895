//! Section 2 of time series: how the channel was recorded and what the segment
//! holds. Many of the numbers are sizes that other readers allocate, so they
//! must never be too small.

use crate::bytes::{f64_at, i64_at, put, put_text, text_at, u32_at};

/// Bytes of section 2.
pub(crate) const SECTION_2_BYTES: usize = 10752;

/// The fields of section 2. Numbers are -1, text is empty where unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Section2 {
    /// Description of the channel.
    pub channel_description: String,
    /// Description of the session.
    pub session_description: String,
    /// Microseconds from the first sample to the end of the last, with gaps.
    pub recording_duration: i64,
    /// Description of the reference.
    pub reference_description: String,
    /// Number of the acquisition channel.
    pub acquisition_channel: i64,
    /// Samples per second.
    pub sampling_frequency: f64,
    /// High-pass filter, Hz.
    pub low_frequency_filter: f64,
    /// Low-pass filter, Hz.
    pub high_frequency_filter: f64,
    /// Notch filter, Hz.
    pub notch_filter: f64,
    /// Mains frequency, Hz.
    pub line_frequency: f64,
    /// What counts are multiplied with; 0 for unknown.
    pub units_conversion_factor: f64,
    /// Unit of the scaled samples, as "uV".
    pub units: String,
    /// Largest scaled sample; NaN for unknown.
    pub maximum_native: f64,
    /// Smallest scaled sample; NaN for unknown.
    pub minimum_native: f64,
    /// Number of the segment's first sample in the channel.
    pub start_sample: i64,
    /// Number of stored samples.
    pub n_samples: i64,
    /// Number of blocks.
    pub n_blocks: i64,
    /// Bytes of the largest block.
    pub maximum_block_bytes: i64,
    /// Samples of the longest block.
    pub maximum_block_samples: u32,
    /// Largest number of difference bytes of a block.
    pub maximum_difference_bytes: u32,
    /// Microseconds that the longest block lasts.
    pub block_interval: i64,
    /// Blocks that start a new run, the first included.
    pub n_discontinuities: i64,
    /// Blocks of the longest run.
    pub maximum_contiguous_blocks: i64,
    /// Bytes of the largest run.
    pub maximum_contiguous_bytes: i64,
    /// Samples of the longest run.
    pub maximum_contiguous_samples: i64,
}

impl Default for Section2 {
    fn default() -> Self {
        Section2 {
            channel_description: String::new(),
            session_description: String::new(),
            recording_duration: -1,
            reference_description: String::new(),
            acquisition_channel: -1,
            sampling_frequency: -1.0,
            low_frequency_filter: -1.0,
            high_frequency_filter: -1.0,
            notch_filter: -1.0,
            line_frequency: -1.0,
            units_conversion_factor: 0.0,
            units: String::new(),
            maximum_native: f64::NAN,
            minimum_native: f64::NAN,
            start_sample: -1,
            n_samples: -1,
            n_blocks: -1,
            maximum_block_bytes: -1,
            maximum_block_samples: u32::MAX,
            maximum_difference_bytes: u32::MAX,
            block_interval: -1,
            n_discontinuities: -1,
            maximum_contiguous_blocks: -1,
            maximum_contiguous_bytes: -1,
            maximum_contiguous_samples: -1,
        }
    }
}

impl Section2 {
    pub(crate) fn parse(section: &[u8]) -> Section2 {
        Section2 {
            channel_description: text_at(section, 0, 2048),
            session_description: text_at(section, 2048, 2048),
            recording_duration: i64_at(section, 4096),
            reference_description: text_at(section, 4104, 2048),
            acquisition_channel: i64_at(section, 6152),
            sampling_frequency: f64_at(section, 6160),
            low_frequency_filter: f64_at(section, 6168),
            high_frequency_filter: f64_at(section, 6176),
            notch_filter: f64_at(section, 6184),
            line_frequency: f64_at(section, 6192),
            units_conversion_factor: f64_at(section, 6200),
            units: text_at(section, 6208, 128),
            maximum_native: f64_at(section, 6336),
            minimum_native: f64_at(section, 6344),
            start_sample: i64_at(section, 6352),
            n_samples: i64_at(section, 6360),
            n_blocks: i64_at(section, 6368),
            maximum_block_bytes: i64_at(section, 6376),
            maximum_block_samples: u32_at(section, 6384),
            maximum_difference_bytes: u32_at(section, 6388),
            block_interval: i64_at(section, 6392),
            n_discontinuities: i64_at(section, 6400),
            maximum_contiguous_blocks: i64_at(section, 6408),
            maximum_contiguous_bytes: i64_at(section, 6416),
            maximum_contiguous_samples: i64_at(section, 6424),
        }
    }

    /// Writes what differs from `before` into `section`: foreign bytes behind
    /// the end of a text stay where the text does.
    pub(crate) fn patch(&self, before: &Section2, section: &mut [u8]) {
        let mut text = |at, len, old: &String, new: &String| {
            if old != new {
                put_text(section, at, len, new);
            }
        };
        text(
            0,
            2048,
            &before.channel_description,
            &self.channel_description,
        );
        text(
            2048,
            2048,
            &before.session_description,
            &self.session_description,
        );
        text(
            4104,
            2048,
            &before.reference_description,
            &self.reference_description,
        );
        text(6208, 128, &before.units, &self.units);
        let numbers: [(usize, [u8; 8]); 19] = [
            (4096, self.recording_duration.to_le_bytes()),
            (6152, self.acquisition_channel.to_le_bytes()),
            (6160, self.sampling_frequency.to_le_bytes()),
            (6168, self.low_frequency_filter.to_le_bytes()),
            (6176, self.high_frequency_filter.to_le_bytes()),
            (6184, self.notch_filter.to_le_bytes()),
            (6192, self.line_frequency.to_le_bytes()),
            (6200, self.units_conversion_factor.to_le_bytes()),
            (6336, self.maximum_native.to_le_bytes()),
            (6344, self.minimum_native.to_le_bytes()),
            (6352, self.start_sample.to_le_bytes()),
            (6360, self.n_samples.to_le_bytes()),
            (6368, self.n_blocks.to_le_bytes()),
            (6376, self.maximum_block_bytes.to_le_bytes()),
            (6392, self.block_interval.to_le_bytes()),
            (6400, self.n_discontinuities.to_le_bytes()),
            (6408, self.maximum_contiguous_blocks.to_le_bytes()),
            (6416, self.maximum_contiguous_bytes.to_le_bytes()),
            (6424, self.maximum_contiguous_samples.to_le_bytes()),
        ];
        for (at, bytes) in &numbers {
            put(section, *at, bytes);
        }
        put(section, 6384, &self.maximum_block_samples.to_le_bytes());
        put(section, 6388, &self.maximum_difference_bytes.to_le_bytes());
    }
}
