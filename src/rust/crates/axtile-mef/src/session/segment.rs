//! A segment: three files, read when they are needed and then kept.

use std::sync::{Arc, OnceLock};

use axtile_core::{Error, Result};

use crate::crypt::Access;
use crate::header::{
    ENTRY_BYTES, FileType, IndexEntry, METADATA_BYTES, MetadataImage, Section2, Section3,
    UNIVERSAL_BYTES, UniversalHeader,
};
use crate::limits::MAX_INDEX_BYTES;
use crate::session::source::ByteSource;
use crate::session::storage::Storage;
use crate::time::{TimeOffset, duration};

/// What a segment's metadata say.
#[derive(Debug)]
pub(crate) struct SegmentMetadata {
    pub(crate) header: UniversalHeader,
    pub(crate) section_2: Section2,
    /// `None` where its key is not known.
    pub(crate) section_3: Option<Section3>,
    pub(crate) offset: TimeOffset,
    pub(crate) access: Access,
    /// Samples per second, a positive number.
    pub(crate) rate: f64,
    /// What counts are multiplied with, finite and not zero.
    pub(crate) factor: f64,
    /// First and end time. From the index where the metadata know nothing of
    /// some of its blocks.
    pub(crate) start: i64,
    pub(crate) end: i64,
}

/// A segment of a channel.
#[derive(Debug)]
pub struct Segment {
    /// Path of the files below the session, without the ending.
    stem: String,
    number: u32,
    is_complete: OnceLock<bool>,
    metadata: OnceLock<SegmentMetadata>,
    index: OnceLock<Arc<[IndexEntry]>>,
}

impl Segment {
    pub(crate) fn new(channel_folder: &str, name: &str, number: u32) -> Segment {
        Segment {
            stem: format!("{channel_folder}/{name}.segd/{name}"),
            number,
            is_complete: OnceLock::new(),
            metadata: OnceLock::new(),
            index: OnceLock::new(),
        }
    }

    /// The number in the segment's name.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The segment's name: its number behind the channel's name.
    pub(crate) fn name(&self) -> &str {
        self.stem.rsplit('/').next().unwrap_or_default()
    }

    /// It is known that all three files are there.
    pub(crate) fn set_complete(&self) {
        self.is_complete.get_or_init(|| true);
    }

    /// Path of a file below the session.
    pub(crate) fn file(&self, file_type: FileType) -> String {
        format!("{}.{}", self.stem, file_type.extension())
    }

    /// Whether all three files are there; others are no data.
    pub(crate) fn is_complete(&self, storage: &Storage) -> Result<bool> {
        if let Some(&known) = self.is_complete.get() {
            return Ok(known);
        }
        let mut complete = true;
        for file_type in [FileType::Metadata, FileType::Index, FileType::Data] {
            complete &= storage.size(&self.file(file_type))?.is_some();
        }
        Ok(*self.is_complete.get_or_init(|| complete))
    }

    pub(crate) fn open_file(&self, storage: &Storage, file_type: FileType) -> Result<ByteSource> {
        let relative = self.file(file_type);
        storage.open_file(&relative)?.ok_or_else(|| {
            let path = storage.path_of(&relative);
            Error::io("open", &path)(std::io::ErrorKind::NotFound.into())
        })
    }

    pub(crate) fn metadata(
        &self,
        storage: &Storage,
        password: Option<&str>,
    ) -> Result<&SegmentMetadata> {
        if let Some(known) = self.metadata.get() {
            return Ok(known);
        }
        let source = self.open_file(storage, FileType::Metadata)?;
        let image =
            MetadataImage::parse(&source.read_start(METADATA_BYTES)?, password, source.path())?;
        let metadata = self.interpret(storage, &image, &source)?;
        Ok(self.metadata.get_or_init(|| metadata))
    }

    fn interpret(
        &self,
        storage: &Storage,
        image: &MetadataImage,
        source: &ByteSource,
    ) -> Result<SegmentMetadata> {
        let header = image.header();
        let section_2 = image.section_2();
        let section_3 = image.section_3();
        let offset = section_3
            .as_ref()
            .map(Section3::time_offset)
            .unwrap_or_default();
        let rate = section_2.sampling_frequency;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(Error::corrupt(
                source.path(),
                "section 2",
                format!("the sampling frequency is {rate}, expected a positive number"),
            ));
        }
        let factor = section_2.units_conversion_factor;
        if !factor.is_finite() {
            return Err(Error::corrupt(
                source.path(),
                "section 2",
                format!("the units conversion factor is {factor}, expected a finite number"),
            ));
        }
        let mut metadata = SegmentMetadata {
            start: offset.absolute(header.start).unwrap_or(i64::MAX),
            end: offset.absolute(header.end).unwrap_or(i64::MIN),
            access: image.access().clone(),
            factor: if factor == 0.0 { 1.0 } else { factor },
            header,
            section_2,
            section_3,
            offset,
            rate,
        };
        let index_bytes = storage.size(&self.file(FileType::Index))?.unwrap_or(0);
        let n_entries = index_bytes.saturating_sub(UNIVERSAL_BYTES as u64) / ENTRY_BYTES as u64;
        let is_stale = i64::try_from(n_entries) != Ok(metadata.section_2.n_blocks);
        if is_stale || metadata.start > metadata.end {
            for entry in self.index(storage)?.iter() {
                if let Some(start) = offset.absolute(entry.start) {
                    let end = start.saturating_add(duration(entry.n_samples.into(), rate));
                    metadata.start = metadata.start.min(start);
                    metadata.end = metadata.end.max(end);
                }
            }
        }
        Ok(metadata)
    }

    /// The index's entries as they are stored.
    pub(crate) fn index(&self, storage: &Storage) -> Result<Arc<[IndexEntry]>> {
        if let Some(known) = self.index.get() {
            return Ok(known.clone());
        }
        let source = self.open_file(storage, FileType::Index)?;
        if source.len() > MAX_INDEX_BYTES {
            return Err(Error::limit(
                source.path(),
                format!(
                    "'{}' has {} bytes, indexes of up to {MAX_INDEX_BYTES} are read",
                    source.path().display(),
                    source.len()
                ),
            ));
        }
        let bytes = source.read(0, source.len() as usize)?;
        UniversalHeader::parse(&bytes, FileType::Index, source.path())?;
        let entries = IndexEntry::parse_all(bytes.get(UNIVERSAL_BYTES..).unwrap_or_default());
        Ok(self.index.get_or_init(|| entries.into()).clone())
    }
}
