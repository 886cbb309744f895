//! The blocks of a segment as they are copied.

use axtile_core::{Error, Result};

use crate::bytes::put;
use crate::copy::segment::Change;
use crate::header::{FileType, IndexEntry};
use crate::read::{Window, prepare};
use crate::red::{
    DISCONTINUITY, Decoder, EncodedBlock, Encoder, Run, STATISTICS_AT, STATISTICS_LEVEL_1,
    STATISTICS_LEVEL_2, samples_of, seal_block, verify_block,
};
use crate::session::{ByteSource, SegmentMetadata, Session};
use crate::time::{TimeOffset, duration};
use crate::write::{slot_span, time_of, unstorable};

/// Copies blocks one by one.
pub(crate) struct BlockCopier<'a> {
    pub(crate) data: ByteSource,
    pub(crate) metadata: &'a SegmentMetadata,
    pub(crate) change: &'a Change,
    /// Offset of the copy's times.
    pub(crate) offset: TimeOffset,
    decoder: Decoder,
    encoder: Encoder,
    n_copied: usize,
}

impl<'a> BlockCopier<'a> {
    pub(crate) fn new(
        session: &Session,
        segment: &crate::session::Segment,
        metadata: &'a SegmentMetadata,
        change: &'a Change,
        offset: TimeOffset,
    ) -> Result<BlockCopier<'a>> {
        Ok(BlockCopier {
            data: segment.open_file(session.storage(), FileType::Data)?,
            metadata,
            change,
            offset,
            decoder: Decoder::new(),
            encoder: Encoder::default(),
            n_copied: 0,
        })
    }

    /// The copy of the block of entry `number`; `None` where it is outside.
    ///
    /// # Errors
    /// `Error::Corrupt` for a damaged block, `Error::Argument` for a time that
    /// cannot be stored.
    pub(crate) fn copy(
        &mut self,
        number: usize,
        entry: &IndexEntry,
    ) -> Result<Option<EncodedBlock>> {
        let place = format!("block {number}, byte {}", entry.offset);
        let path = self.data.path().to_owned();
        let Some((offset, n_bytes)) = entry.span(self.data.len()) else {
            return Err(Error::corrupt(
                &path,
                place,
                "the block is outside the file",
            ));
        };
        let mut bytes = self.data.read(offset, n_bytes)?;
        let mut header = verify_block(&bytes).map_err(|damage| damage.at(&path, &place))?;
        let Some(start) = self.metadata.offset.absolute(header.start) else {
            return Err(Error::corrupt(&path, place, "the block has no time"));
        };
        let end = start.saturating_add(duration(header.n_samples.into(), self.metadata.rate));
        let window = self.change.window.unwrap_or(Window {
            from: i64::MIN,
            to: i64::MAX,
        });
        if end <= window.from || start >= window.to || header.n_samples == 0 {
            return Ok(None);
        }
        if start < window.from || end > window.to {
            return self.trim(&bytes, start, window, &place);
        }
        let stored = self.stored(start)?;
        let is_first = self.n_copied == 0;
        let mut flags = header.flags | u8::from(is_first);
        let encryption = STATISTICS_LEVEL_1 | STATISTICS_LEVEL_2;
        if self.change.access.is_some() && flags & encryption != 0 {
            let task = prepare(header, &bytes, &self.metadata.access)
                .map_err(|damage| damage.at(&path, &place))?;
            let statistics = task.statistics;
            put(&mut bytes, STATISTICS_AT, &statistics);
            flags &= !encryption;
        }
        if stored != header.start || flags != header.flags {
            header.start = stored;
            header.flags = flags;
            header.write(&mut bytes);
            header.checksum = seal_block(&mut bytes);
        }
        self.n_copied += 1;
        Ok(Some(EncodedBlock {
            bytes,
            header,
            minimum: entry.minimum,
            maximum: entry.maximum,
        }))
    }

    /// The part of a block that is in the window, encoded anew.
    fn trim(
        &mut self,
        bytes: &[u8],
        start: i64,
        window: Window,
        place: &str,
    ) -> Result<Option<EncodedBlock>> {
        let path = self.data.path().to_owned();
        let header = verify_block(bytes).map_err(|damage| damage.at(&path, place))?;
        let task = prepare(header, bytes, &self.metadata.access)
            .map_err(|damage| damage.at(&path, place))?;
        let mut samples = Vec::new();
        let mut result = Ok(());
        self.decoder.run(std::slice::from_ref(&task), |_, bytes| {
            result = bytes.and_then(|bytes| samples_of(&header, bytes, &mut samples));
        });
        result.map_err(|damage| damage.at(&path, place))?;
        let rate = self.metadata.rate;
        let (from, to) = slot_span(start, samples.len(), window, rate);
        let counts = samples.get(from..to).unwrap_or_default();
        if counts.is_empty() {
            return Ok(None);
        }
        let is_discontinuity = header.flags & DISCONTINUITY != 0 && from == 0;
        let run = Run {
            counts,
            start: self.stored(time_of(start, from, rate))?,
            is_discontinuity: is_discontinuity || self.n_copied == 0,
        };
        let block = self.encoder.encode(&[run])?.pop();
        self.n_copied += 1;
        Ok(block)
    }

    fn stored(&self, time: i64) -> Result<i64> {
        let time = time.saturating_add(self.change.shift);
        self.offset.stored(time).ok_or_else(|| unstorable(time))
    }
}
