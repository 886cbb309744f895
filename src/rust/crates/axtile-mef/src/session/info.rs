//! What there is in a session: channels, segments, blocks and gaps.

use axtile_core::{Error, Result};

use crate::header::{FileType, Section2, Section3, UniversalHeader};
use crate::session::open::Session;
use crate::session::segment::Segment;
use crate::time::duration;

/// A channel as its first and last segment describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelInfo {
    /// Name.
    pub name: String,
    /// Samples per second.
    pub rate: f64,
    /// Unit of scaled samples.
    pub units: String,
    /// What the counts of the first segment are multiplied with.
    pub factor: f64,
    /// First time, microseconds.
    pub start: i64,
    /// End of the last segment, microseconds.
    pub end: i64,
    /// Stored samples as the last segment counts them; `None` for unknown.
    pub n_samples: Option<u64>,
    /// Number of segments.
    pub n_segments: usize,
}

/// A segment's metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentInfo {
    /// Number.
    pub number: u32,
    /// First time, microseconds.
    pub start: i64,
    /// End, microseconds.
    pub end: i64,
    /// The metadata file's universal header.
    pub header: UniversalHeader,
    /// Section 2.
    pub section_2: Section2,
    /// Section 3; `None` where the password does not open it.
    pub section_3: Option<Section3>,
    /// Bytes of the data file.
    pub data_bytes: u64,
}

/// A block as the index has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockInfo {
    /// Number of the segment.
    pub segment: u32,
    /// Start, microseconds.
    pub start: i64,
    /// End, microseconds.
    pub end: i64,
    /// Number of samples.
    pub n_samples: u32,
    /// Smallest count.
    pub minimum: i32,
    /// Largest count.
    pub maximum: i32,
    /// What counts are multiplied with.
    pub factor: f64,
    /// The block's flags.
    pub flags: u8,
    /// Byte of the data file.
    pub offset: i64,
    /// Size.
    pub n_bytes: u32,
}

/// Time without samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// End of the samples before, microseconds.
    pub start: i64,
    /// Start of the samples after, microseconds.
    pub end: i64,
}

impl Session {
    /// Describes a channel by its first and last segment.
    ///
    /// # Errors
    /// `Error::Range` for no such channel; those of opening its metadata.
    pub fn channel_info(&self, index: usize) -> Result<ChannelInfo> {
        let channel = self.channel(index)?;
        if let Some(known) = channel.info.get() {
            return Ok(known.clone());
        }
        let (Some(first), Some(last)) = (
            channel.first(self.storage())?,
            channel.last(self.storage())?,
        ) else {
            return Err(Error::range(format!(
                "channel '{}' has no complete segment",
                channel.name()
            )));
        };
        let first = first.metadata(self.storage(), self.password())?;
        let last = last.metadata(self.storage(), self.password())?;
        let n_samples = (last.section_2.start_sample >= 0 && last.section_2.n_samples >= 0)
            .then(|| {
                last.section_2
                    .start_sample
                    .checked_add(last.section_2.n_samples)
            })
            .flatten()
            .map(i64::cast_unsigned);
        let info = ChannelInfo {
            name: channel.name().to_owned(),
            rate: first.rate,
            units: first.section_2.units.clone(),
            factor: first.factor,
            start: first.start.min(last.start),
            end: first.end.max(last.end),
            n_samples,
            n_segments: channel.segments().len(),
        };
        Ok(channel.info.get_or_init(|| info).clone())
    }

    /// Earliest start and latest end of all segments of a channel.
    ///
    /// # Errors
    /// As [`Session::channel_info`].
    pub fn span(&self, index: usize) -> Result<(i64, i64)> {
        let mut span = (i64::MAX, i64::MIN);
        for segment in self.channel(index)?.complete(self.storage())? {
            let metadata = segment.metadata(self.storage(), self.password())?;
            if metadata.start <= metadata.end {
                span = (span.0.min(metadata.start), span.1.max(metadata.end));
            }
        }
        if span.0 > span.1 {
            return Err(Error::range(format!(
                "channel '{}' has no samples",
                self.channel(index)?.name()
            )));
        }
        Ok(span)
    }

    /// The metadata of all complete segments of a channel.
    ///
    /// # Errors
    /// As [`Session::channel_info`].
    pub fn segments(&self, index: usize) -> Result<Vec<SegmentInfo>> {
        let mut infos = Vec::new();
        for segment in self.channel(index)?.complete(self.storage())? {
            let metadata = segment.metadata(self.storage(), self.password())?;
            infos.push(SegmentInfo {
                number: segment.number(),
                start: metadata.start,
                end: metadata.end,
                header: metadata.header.clone(),
                section_2: metadata.section_2.clone(),
                section_3: metadata.section_3.clone(),
                data_bytes: self
                    .storage()
                    .size(&segment.file(FileType::Data))?
                    .unwrap_or(0),
            });
        }
        Ok(infos)
    }

    /// All blocks of a channel in their stored order; extremes of long spans
    /// come from here without decoding.
    ///
    /// # Errors
    /// As [`Session::channel_info`]; `Error::Corrupt` for a damaged index.
    pub fn blocks(&self, index: usize) -> Result<Vec<BlockInfo>> {
        let mut blocks = Vec::new();
        for segment in self.channel(index)?.complete(self.storage())? {
            self.push_blocks(segment, &mut blocks)?;
        }
        Ok(blocks)
    }

    fn push_blocks(&self, segment: &Segment, blocks: &mut Vec<BlockInfo>) -> Result<()> {
        let metadata = segment.metadata(self.storage(), self.password())?;
        for entry in segment.index(self.storage())?.iter() {
            let Some(start) = metadata.offset.absolute(entry.start) else {
                continue;
            };
            blocks.push(BlockInfo {
                segment: segment.number(),
                start,
                end: start.saturating_add(duration(entry.n_samples.into(), metadata.rate)),
                n_samples: entry.n_samples,
                minimum: entry.minimum,
                maximum: entry.maximum,
                factor: metadata.factor,
                flags: entry.flags,
                offset: entry.offset,
                n_bytes: entry.n_bytes,
            });
        }
        Ok(())
    }

    /// Times between a channel's first and last sample without samples, longer
    /// than half a sample.
    ///
    /// # Errors
    /// As [`Session::blocks`].
    pub fn gaps(&self, index: usize) -> Result<Vec<Gap>> {
        let half_sample = 5e5 / self.channel_info(index)?.rate;
        let mut blocks = self.blocks(index)?;
        blocks.retain(|block| block.n_samples > 0);
        blocks.sort_by_key(|block| block.start);
        let mut gaps = Vec::new();
        let mut end: Option<i64> = None;
        for block in blocks {
            if let Some(end) = end
                && block.start.saturating_sub(end) as f64 > half_sample
            {
                gaps.push(Gap {
                    start: end,
                    end: block.start,
                });
            }
            end = Some(end.map_or(block.end, |end| end.max(block.end)));
        }
        Ok(gaps)
    }
}
