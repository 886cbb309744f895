//! Appending blocks to segments, in the order that a power cut may interrupt
//! anywhere: blocks and index entries, the two headers, metadata.
//!
//! Segments of several channels take each step together, so that the disk is
//! waited for twice, however many there are.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use crate::checksum::{SEED, extend};
use crate::header::{
    ENTRY_BYTES, FileType, IndexEntry, MetadataImage, UNIVERSAL_BYTES, UniversalHeader, seal_header,
};
use crate::red::EncodedBlock;
use crate::time::duration;
use crate::write::durability::{Dirty, Durability, sync_paths, write_temporary};
use crate::write::encode::unstorable;
use crate::write::segment::OpenSegment;
use crate::write::statistics::{BlockSize, Statistics};

/// What an append adds to a segment's files and makes of their headers.
struct Growth {
    data: Vec<u8>,
    data_header: Vec<u8>,
    index: Vec<u8>,
    index_header: Vec<u8>,
    image: MetadataImage,
}

/// Appends to segments; without a durability nothing is waited for, as where a
/// whole session is brought to the disk before it is seen. On failure they are as they were, as far as the system
/// lets them; one whose new metadata have their place already has its blocks.
pub(crate) fn append_all(
    segments: &mut [(&mut OpenSegment, &[EncodedBlock])],
    durability: Option<Durability>,
    dirty: &mut Dirty,
) -> Result<()> {
    let mut growths = Vec::new();
    for (segment, blocks) in segments.iter() {
        growths.push(segment.grow(blocks)?);
    }
    let mut work: Vec<(&mut OpenSegment, Growth)> = segments
        .iter_mut()
        .zip(growths)
        .filter_map(|((segment, _), growth)| Some((&mut **segment, growth?)))
        .collect();
    let mut temporaries = Vec::new();
    let prepared = prepare(&work, durability, &mut temporaries);
    if let Err(error) = prepared {
        undo(&work, &temporaries);
        return Err(error);
    }
    for (segment, _) in &work {
        dirty.insert(&segment.folder);
        if durability != Some(Durability::Full) {
            dirty.insert(&segment.path(FileType::Data));
            dirty.insert(&segment.path(FileType::Index));
            dirty.insert(&segment.path(FileType::Metadata));
        }
    }
    let mut folders = Vec::new();
    let mut rest = temporaries.iter();
    while !work.is_empty() {
        let (segment, growth) = work.remove(0);
        let metadata = segment.path(FileType::Metadata);
        if let Some(temporary) = rest.next()
            && let Err(source) = fs::rename(temporary, &metadata)
        {
            work.insert(0, (segment, growth));
            let left: Vec<PathBuf> = std::iter::once(temporary).chain(rest).cloned().collect();
            undo(&work, &left);
            return Err(Error::io("write", &metadata)(source));
        }
        folders.push(segment.folder.clone());
        segment.accept(growth);
    }
    if durability == Some(Durability::Full) {
        sync_paths(&folders)?;
    }
    Ok(())
}

/// All but giving the new metadata their place.
fn prepare(
    work: &[(&mut OpenSegment, Growth)],
    durability: Option<Durability>,
    temporaries: &mut Vec<PathBuf>,
) -> Result<()> {
    let mut files = Vec::new();
    for (segment, growth) in work {
        segment.write_blocks(growth)?;
        files.extend([segment.path(FileType::Data), segment.path(FileType::Index)]);
    }
    for (segment, growth) in work {
        let metadata = segment.path(FileType::Metadata);
        temporaries.push(write_temporary(&metadata, &growth.image.to_file())?);
    }
    match durability {
        Some(Durability::Full) => {
            files.extend_from_slice(temporaries);
            sync_paths(&files)
        }
        Some(Durability::Fast) => sync_paths(temporaries),
        None => Ok(()),
    }
}

/// Takes back what a failed append wrote.
fn undo(work: &[(&mut OpenSegment, Growth)], temporaries: &[PathBuf]) {
    // The append's own error is the one to report.
    for temporary in temporaries {
        let _ = fs::remove_file(temporary);
    }
    for (segment, _) in work {
        for (file_type, header, len) in [
            (FileType::Data, &segment.data_header, segment.data_bytes),
            (FileType::Index, &segment.index_header, segment.index_bytes),
        ] {
            if let Ok(mut file) = open_to_write(&segment.path(file_type)) {
                let _ = write_at(&mut file, 0, header);
                let _ = file.set_len(len);
            }
        }
    }
}

impl OpenSegment {
    /// What `blocks` make of the segment; `None` for no block.
    fn grow(&self, blocks: &[EncodedBlock]) -> Result<Option<Growth>> {
        let Some(last) = blocks.last() else {
            return Ok(None);
        };
        let offset = self.offset()?;
        let mut section = self.image.section_2();
        self.enrich(&mut section)?;
        let mut data = Vec::with_capacity(blocks.iter().map(|block| block.bytes.len()).sum());
        let mut index = Vec::with_capacity(blocks.len() * ENTRY_BYTES);
        let mut start_sample = section.n_samples.max(0);
        let mut longest = 0_i64;
        for block in blocks {
            let entry = IndexEntry {
                offset: self
                    .data_bytes
                    .saturating_add(data.len() as u64)
                    .cast_signed(),
                start: block.header.start,
                start_sample,
                n_samples: block.header.n_samples,
                n_bytes: block.header.n_bytes,
                maximum: block.maximum,
                minimum: block.minimum,
                flags: block.header.flags,
            };
            data.extend_from_slice(&block.bytes);
            index.extend_from_slice(&entry.image());
            start_sample = start_sample.saturating_add(block.header.n_samples.into());
            longest = longest.max(block.header.n_samples.into());
        }
        let statistics = Statistics::of(blocks.iter().map(|block| BlockSize {
            n_samples: block.header.n_samples,
            n_bytes: block.header.n_bytes,
            difference_bytes: Some(block.header.difference_bytes),
            minimum: block.minimum,
            maximum: block.maximum,
            is_discontinuity: block.header.is_discontinuity(),
        }));
        statistics.extend(&mut section);
        let mut header = self.image.header();
        let end = offset
            .absolute(last.header.start)
            .unwrap_or(0)
            .saturating_add(duration(
                last.header.n_samples.into(),
                section.sampling_frequency,
            ));
        let stored_end = offset.stored(end).ok_or_else(|| unstorable(end))?;
        if offset.absolute(header.start).is_none() {
            header.start = blocks
                .first()
                .map_or(stored_end, |block| block.header.start);
        }
        // An append may overlap the end by half a sample.
        header.end = match offset.absolute(header.end) {
            Some(before) if before > end => header.end,
            _ => stored_end,
        };
        let span = offset
            .absolute(header.start)
            .zip(offset.absolute(header.end));
        section.recording_duration = span.map_or(-1, |(start, end)| end.saturating_sub(start));
        let n_blocks = section.n_blocks;
        let is_new = self.data_bytes == UNIVERSAL_BYTES as u64;
        let patch = |image: &[u8], bytes: &[u8], file_type: FileType| -> Vec<u8> {
            let mut image = image.to_vec();
            let mut own = UniversalHeader::fields(&image);
            // Zero was never computed, and goes on not to be.
            if is_new {
                own.body_checksum = extend(SEED, bytes);
            } else if own.body_checksum != 0 {
                own.body_checksum = extend(own.body_checksum, bytes);
            }
            own.start = header.start;
            own.end = header.end;
            own.n_entries = n_blocks;
            if file_type == FileType::Data {
                own.maximum_entry = own.maximum_entry.max(longest);
            }
            own.patch(&mut image);
            seal_header(&mut image);
            image
        };
        let data_header = patch(&self.data_header, &data, FileType::Data);
        let index_header = patch(&self.index_header, &index, FileType::Index);
        let mut image = self.image.clone();
        image.set_header(&header);
        image.set_section_2(&section);
        Ok(Some(Growth {
            data,
            data_header,
            index,
            index_header,
            image,
        }))
    }

    fn write_blocks(&self, growth: &Growth) -> Result<()> {
        let data_path = self.path(FileType::Data);
        let index_path = self.path(FileType::Index);
        let mut data_file = open_to_write(&data_path)?;
        let mut index_file = open_to_write(&index_path)?;
        write_at(&mut data_file, self.data_bytes, &growth.data)
            .map_err(Error::io("write", &data_path))?;
        write_at(&mut index_file, self.index_bytes, &growth.index)
            .map_err(Error::io("write", &index_path))?;
        write_at(&mut index_file, 0, &growth.index_header)
            .map_err(Error::io("write", &index_path))?;
        write_at(&mut data_file, 0, &growth.data_header).map_err(Error::io("write", &data_path))
    }

    /// The files are as `growth` has them.
    fn accept(&mut self, growth: Growth) {
        self.data_bytes += growth.data.len() as u64;
        self.index_bytes += growth.index.len() as u64;
        self.data_header = growth.data_header;
        self.index_header = growth.index_header;
        self.image = growth.image;
    }
}

fn open_to_write(path: &Path) -> Result<File> {
    File::options()
        .write(true)
        .open(path)
        .map_err(Error::io("open", path))
}

fn write_at(file: &mut File, offset: u64, bytes: &[u8]) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}
