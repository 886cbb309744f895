//! A segment open for appending.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::open_regular;

use crate::header::{
    ENTRY_BYTES, FileType, IndexEntry, METADATA_BYTES, MetadataImage, Section3, UNIVERSAL_BYTES,
    UniversalHeader,
};
use crate::session::ByteSource;
use crate::time::TimeOffset;
use crate::write::durability::{Dirty, Durability, publish};
use crate::write::statistics::{BlockSize, Statistics, is_poor, redeclare};

/// Metadata, headers and sizes of a segment's files.
pub(crate) struct OpenSegment {
    /// The folder's name when it is complete; `None` for one that exists.
    pub(crate) target: Option<PathBuf>,
    pub(crate) folder: PathBuf,
    pub(crate) stem: String,
    pub(crate) image: MetadataImage,
    pub(crate) index_header: Vec<u8>,
    pub(crate) data_header: Vec<u8>,
    pub(crate) index_bytes: u64,
    pub(crate) data_bytes: u64,
}

impl OpenSegment {
    /// Opens the segment in `folder`. Costs the same however long it is.
    ///
    /// # Errors
    /// `Error::Corrupt` where data, index and metadata do not fit together;
    /// those of reading metadata.
    pub(crate) fn load(folder: &Path, stem: &str, password: Option<&str>) -> Result<OpenSegment> {
        let open = |file_type: FileType| -> Result<ByteSource> {
            let path = folder.join(format!("{stem}.{}", file_type.extension()));
            let file = open_regular(&path)?;
            let len = file.metadata().map_err(Error::io("inspect", &path))?.len();
            Ok(ByteSource::new(file.into(), path, 0, len))
        };
        let metadata = open(FileType::Metadata)?;
        let image = MetadataImage::parse(
            &metadata.read_start(METADATA_BYTES)?,
            password,
            metadata.path(),
        )?;
        let (index, data) = (open(FileType::Index)?, open(FileType::Data)?);
        let index_header = index.read_start(UNIVERSAL_BYTES)?;
        let declared = UniversalHeader::parse(&index_header, FileType::Index, index.path())?;
        let data_header = data.read_start(UNIVERSAL_BYTES)?;
        UniversalHeader::parse(&data_header, FileType::Data, data.path())?;

        let wanted = i64::try_from((index.len() - UNIVERSAL_BYTES as u64) / ENTRY_BYTES as u64);
        let is_whole = (index.len() - UNIVERSAL_BYTES as u64).is_multiple_of(ENTRY_BYTES as u64);
        let n_blocks = image.section_2().n_blocks;
        let mut end = UNIVERSAL_BYTES as u64;
        if index.len() > UNIVERSAL_BYTES as u64 && is_whole {
            let last = index.read(index.len() - ENTRY_BYTES as u64, ENTRY_BYTES)?;
            let (entries, _) = last.as_chunks::<ENTRY_BYTES>();
            end = entries
                .first()
                .and_then(|entry| IndexEntry::parse(entry).span(data.len()))
                .map_or(0, |(offset, n_bytes)| offset + n_bytes as u64);
        }
        let is_counted = wanted == Ok(n_blocks) && wanted == Ok(declared.n_entries);
        if !is_whole || !is_counted || end != data.len() {
            return Err(Error::corrupt(
                data.path(),
                format!("byte {end}"),
                format!(
                    "data, index and metadata do not end at the same block ({} bytes of data, \
                     {} of index, {n_blocks} blocks declared); recover the session before \
                     appending",
                    data.len(),
                    index.len()
                ),
            ));
        }
        Ok(OpenSegment {
            target: None,
            folder: folder.to_owned(),
            stem: stem.to_owned(),
            image,
            index_header,
            data_header,
            index_bytes: index.len(),
            data_bytes: data.len(),
        })
    }

    /// # Errors
    /// `Error::Stale` where somebody else wrote to the segment meanwhile.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        for (file_type, len) in [
            (FileType::Data, self.data_bytes),
            (FileType::Index, self.index_bytes),
        ] {
            let path = self.path(file_type);
            let found = fs::metadata(&path).map_err(Error::io("inspect", &path))?;
            if found.len() != len {
                return Err(Error::Stale { path });
            }
        }
        Ok(())
    }

    pub(crate) fn path(&self, file_type: FileType) -> PathBuf {
        self.folder
            .join(format!("{}.{}", self.stem, file_type.extension()))
    }

    /// The offset of the segment's times.
    ///
    /// # Errors
    /// `Error::Argument` where the password does not open it.
    pub(crate) fn offset(&self) -> Result<TimeOffset> {
        self.image
            .section_3()
            .as_ref()
            .map(Section3::time_offset)
            .ok_or_else(|| {
                Error::argument(format!(
                    "'{}': the level 2 password is needed to write, as it opens the \
                     recording's time offset",
                    self.path(FileType::Metadata).display()
                ))
            })
    }

    /// Time of the first sample and behind the last; `None` without samples.
    pub(crate) fn span(&self) -> Result<Option<(i64, i64)>> {
        let (header, offset) = (self.image.header(), self.offset()?);
        Ok(offset
            .absolute(header.start)
            .zip(offset.absolute(header.end)))
    }

    pub(crate) fn write_headers(&self) -> Result<()> {
        for (file_type, header) in [
            (FileType::Data, &self.data_header),
            (FileType::Index, &self.index_header),
        ] {
            let path = self.path(file_type);
            fs::write(&path, header).map_err(Error::io("create", &path))?;
        }
        Ok(())
    }

    /// Declares what a foreign writer left out or might have got wrong.
    pub(crate) fn enrich(&self, section: &mut crate::header::Section2) -> Result<()> {
        if section.n_blocks <= 0 {
            return Ok(());
        }
        if is_poor(section) {
            let path = self.path(FileType::Index);
            let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
            let entries = IndexEntry::parse_all(bytes.get(UNIVERSAL_BYTES..).unwrap_or_default());
            let statistics = Statistics::of(entries.iter().map(BlockSize::from));
            let duration = section.recording_duration.max(0);
            redeclare(section, &statistics, (0, duration));
        }
        if !self.image.is_marked() {
            section.maximum_difference_bytes = section
                .maximum_difference_bytes
                .max(section.maximum_block_samples.saturating_mul(5));
        }
        Ok(())
    }

    /// Declares anew what all blocks are, from the index: several appends to a
    /// new segment may go on with one run.
    pub(crate) fn redeclare(&mut self, dirty: &mut Dirty) -> Result<()> {
        let path = self.path(FileType::Index);
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        let entries = IndexEntry::parse_all(bytes.get(UNIVERSAL_BYTES..).unwrap_or_default());
        let statistics = Statistics::of(entries.iter().map(BlockSize::from));
        let mut section = self.image.section_2();
        let difference_bytes = section.maximum_difference_bytes;
        let duration = section.recording_duration;
        redeclare(&mut section, &statistics, (0, duration));
        section.maximum_difference_bytes = difference_bytes;
        self.image.set_section_2(&section);
        publish(&self.path(FileType::Metadata), &self.image.to_file(), dirty)
    }

    /// What stands for the subject in the metadata's header.
    pub(crate) fn set_anonymized_name(&mut self, name: &str) {
        let mut header = self.image.header();
        name.clone_into(&mut header.anonymized_name);
        self.image.set_header(&header);
    }

    /// Gives a new segment its name.
    pub(crate) fn complete(&mut self, durability: Durability, dirty: &mut Dirty) -> Result<()> {
        let Some(target) = self.target.take() else {
            return Ok(());
        };
        fs::rename(&self.folder, &target).map_err(Error::io("create", &target))?;
        dirty.moved(&self.folder, &target);
        self.folder = target;
        if let Some(parent) = self.folder.parent() {
            dirty.insert(parent);
        }
        if durability == Durability::Full {
            dirty.flush()?;
        }
        Ok(())
    }
}
