//! Bringing one segment in order.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result, Watch};
use axtile_store::open_regular;

use crate::bytes::u32_at;
use crate::checksum::{SEED, extend};
use crate::header::{
    ENTRY_BYTES, FileType, IndexEntry, MetadataImage, Section2, Section3, UNIVERSAL_BYTES,
};
use crate::limits::MAX_INDEX_BYTES;
use crate::recover::backup::Backup;
use crate::recover::headers::{Frame, data_checksum};
use crate::recover::index::build_index;
use crate::recover::metadata::{Origin, find, temporaries};
use crate::recover::scan::scan;
use crate::session::ByteSource;
use crate::time::duration;
use crate::validate::is_body_checksum;
use crate::write::{BlockSize, Dirty, Statistics, is_poor, publish, redeclare};

/// What a segment needs.
pub(crate) struct SegmentPlan {
    folder: PathBuf,
    stem: String,
    image: MetadataImage,
    index: Vec<u8>,
    data_header: Vec<u8>,
    data_end: u64,
    rewrite_metadata: bool,
    rewrite_index: bool,
    rewrite_data_header: bool,
    cut_data: bool,
    leftovers: Vec<PathBuf>,
    /// In words.
    pub(crate) actions: Vec<String>,
    /// Blocks that had no entry.
    pub(crate) n_recovered: usize,
    /// Entries that had no block.
    pub(crate) n_dropped: usize,
}

impl SegmentPlan {
    pub(crate) fn image(&self) -> &MetadataImage {
        &self.image
    }

    /// Looks at the segment in `folder`.
    ///
    /// # Errors
    /// Why the segment cannot be brought in order: without metadata or data
    /// nothing can. `Error::Io`, `Error::Interrupted`.
    pub(crate) fn new(
        folder: &Path,
        stem: &str,
        number: u32,
        password: Option<&str>,
        previous: Option<&MetadataImage>,
        watch: &dyn Watch,
    ) -> Result<SegmentPlan> {
        let path = |file_type: FileType| folder.join(format!("{stem}.{}", file_type.extension()));
        let metadata_path = path(FileType::Metadata);
        let (mut image, origin) = find(&metadata_path, password, previous, number)?;
        let data = open(&path(FileType::Data))?;
        let mut actions = Vec::new();
        match &origin {
            Origin::File => {}
            Origin::Temporary(_) => {
                actions.push("metadata that were complete take their place".to_owned());
            }
            Origin::Previous => {
                actions.push("lost metadata are made from the segment before".to_owned());
            }
        }
        let index_path = path(FileType::Index);
        let old_index = read_index(&index_path)?;
        let old_entries =
            IndexEntry::parse_all(old_index.get(UNIVERSAL_BYTES..).unwrap_or_default());
        let scan = scan(&data, &old_entries, watch)?;
        let built = build_index(&data, &scan, &old_entries, &old_index, &image)?;
        if built.n_recovered > 0 {
            let n = built.n_recovered;
            actions.push(format!("{n} blocks that had no right entry get one"));
        }
        if built.n_dropped > 0 {
            let n = built.n_dropped;
            actions.push(format!("{n} entries without a whole block are dropped"));
        }
        if scan.n_holes > 0 {
            actions.push(format!("{} stretches of data are no blocks", scan.n_holes));
        }
        let cut_data = scan.end < data.len();
        if cut_data {
            let n = data.len() - scan.end;
            actions.push(format!("{n} bytes after the last whole block are cut off"));
        }

        let offset = image
            .section_3()
            .as_ref()
            .map(Section3::time_offset)
            .ok_or_else(|| {
                Error::argument(format!(
                    "'{}': the level 2 password is needed to recover",
                    metadata_path.display()
                ))
            })?;
        let mut header = image.header();
        let rate = image.section_2().sampling_frequency;
        let mut bounds: Option<(i64, i64)> = None;
        for entry in built.entries.iter().filter(|entry| entry.n_samples > 0) {
            if let Some(start) = offset.absolute(entry.start) {
                let end = start.saturating_add(duration(entry.n_samples.into(), rate));
                let known = bounds.unwrap_or((start, end));
                bounds = Some((known.0.min(start), known.1.max(end)));
            }
        }
        let section = image.section_2();
        let mut declared = section.clone();
        let is_index_new = built.body != *old_index.get(UNIVERSAL_BYTES..).unwrap_or_default();
        if let Some((start, end)) = bounds {
            let known = offset
                .absolute(header.start)
                .zip(offset.absolute(header.end));
            let is_stale = known.is_none_or(|known| {
                let slack = duration(1, rate);
                (known.0 - start).saturating_abs() > slack
                    || (known.1 - end).saturating_abs() > slack
            });
            declared = redeclared(&section, &built.entries, (start, end));
            let is_less = lacks(&section, &declared);
            if is_index_new || is_less || is_stale {
                header.start = offset.stored(start).unwrap_or(header.start);
                header.end = offset.stored(end).unwrap_or(header.end);
            } else {
                declared = section.clone();
            }
        } else if !built.entries.is_empty() || section.n_blocks > 0 {
            declared = redeclared(&section, &built.entries, (0, 0));
        }
        let rewrite_metadata = !matches!(origin, Origin::File)
            || declared_differs(&declared, &section)
            || header != image.header();
        if rewrite_metadata && matches!(origin, Origin::File) {
            actions.push("metadata declare what the blocks are".to_owned());
        }
        image.set_header(&header);
        image.set_section_2(&declared);

        let longest = built
            .entries
            .iter()
            .map(|entry| entry.n_samples)
            .max()
            .unwrap_or(0);
        let frame = Frame {
            image: &image,
            n_entries: built.entries.len() as i64,
        };
        let is_index_header_new = is_index_new
            || frame.miscounts(&old_index, FileType::Index)
            || !is_body_checksum(u32_at(&old_index, 4), &built.body);
        let new_index = frame.file(
            &old_index,
            FileType::Index,
            &index_path,
            ENTRY_BYTES as i64,
            is_index_header_new.then(|| extend(SEED, &built.body)),
        )?;
        let rewrite_index = is_index_new || old_index.get(..UNIVERSAL_BYTES) != Some(&new_index);
        if rewrite_index && !is_index_new {
            actions.push("the index's header counts its entries".to_owned());
        }
        let old_data_header = data.read_start(UNIVERSAL_BYTES)?;
        let is_data_new =
            cut_data || is_index_new || frame.miscounts(&old_data_header, FileType::Data);
        let data_header = frame.file(
            &old_data_header,
            FileType::Data,
            data.path(),
            longest.into(),
            if is_data_new {
                Some(data_checksum(&data, scan.end, watch)?)
            } else {
                None
            },
        )?;
        let rewrite_data_header = old_data_header != data_header;
        if rewrite_data_header && !cut_data {
            actions.push("the data's header counts its blocks".to_owned());
        }
        let mut index = new_index;
        index.extend_from_slice(&built.body);

        let mut leftovers = temporaries(&metadata_path);
        if let Origin::Temporary(used) = &origin {
            leftovers.retain(|path| path != used);
            leftovers.push(used.clone());
        } else if !leftovers.is_empty() {
            actions.push("files that were to replace metadata are moved away".to_owned());
        }
        Ok(SegmentPlan {
            folder: folder.to_owned(),
            stem: stem.to_owned(),
            image,
            index,
            data_header,
            data_end: scan.end,
            rewrite_metadata,
            rewrite_index,
            rewrite_data_header,
            cut_data,
            leftovers,
            actions,
            n_recovered: built.n_recovered,
            n_dropped: built.n_dropped,
        })
    }

    /// Does it. Keeps what it replaces in `backup`.
    pub(crate) fn apply(&self, backup: &mut Backup) -> Result<()> {
        let path = |file_type: FileType| {
            self.folder
                .join(format!("{}.{}", self.stem, file_type.extension()))
        };
        let mut dirty = Dirty::default();
        // The index first: until it has its place, nothing is cut.
        if self.rewrite_index {
            let index = path(FileType::Index);
            backup.keep(&index, None)?;
            publish(&index, &self.index, &mut dirty)?;
        }
        if self.rewrite_data_header || self.cut_data {
            use std::io::Write;
            let data = path(FileType::Data);
            backup.keep(&data, Some((0, UNIVERSAL_BYTES as u64)))?;
            if self.cut_data {
                let end = fs::metadata(&data)
                    .map_err(Error::io("inspect", &data))?
                    .len();
                backup.keep(&data, Some((self.data_end, end)))?;
            }
            File::options()
                .write(true)
                .open(&data)
                .and_then(|mut file| {
                    file.write_all(&self.data_header)?;
                    file.set_len(self.data_end)?;
                    file.sync_all()
                })
                .map_err(Error::io("write", &data))?;
        }
        let metadata = path(FileType::Metadata);
        for leftover in &self.leftovers {
            backup.take(leftover)?;
        }
        if self.rewrite_metadata {
            backup.keep(&metadata, None)?;
            publish(&metadata, &self.image.to_file(), &mut dirty)?;
        }
        dirty.flush()
    }
}

fn open(path: &Path) -> Result<ByteSource> {
    let file = open_regular(path)?;
    let len = file.metadata().map_err(Error::io("inspect", path))?.len();
    Ok(ByteSource::new(file.into(), path.to_owned(), 0, len))
}

/// The index's bytes; none where there is no file.
fn read_index(path: &Path) -> Result<Vec<u8>> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let source = open(path)?;
    if source.len() > MAX_INDEX_BYTES {
        let problem = format!(
            "'{}' is larger than {MAX_INDEX_BYTES} bytes",
            path.display()
        );
        return Err(Error::limit(path, problem));
    }
    source.read(0, source.len() as usize)
}

fn redeclared(section: &Section2, entries: &[IndexEntry], bounds: (i64, i64)) -> Section2 {
    let mut declared = section.clone();
    let statistics = Statistics::of(entries.iter().map(BlockSize::from));
    redeclare(&mut declared, &statistics, bounds);
    declared
}

/// Whether a reader that trusts `section` reads less, or too far.
fn lacks(section: &Section2, exact: &Section2) -> bool {
    is_poor(section)
        || section.n_samples != exact.n_samples
        || section.n_blocks != exact.n_blocks
        || section.n_discontinuities < exact.n_discontinuities
        || section.maximum_block_bytes < exact.maximum_block_bytes
        || section.maximum_block_samples < exact.maximum_block_samples
        || section.maximum_contiguous_blocks < exact.maximum_contiguous_blocks
        || section.maximum_contiguous_bytes < exact.maximum_contiguous_bytes
        || section.maximum_contiguous_samples < exact.maximum_contiguous_samples
}

/// NaN is equal to itself here.
fn declared_differs(a: &Section2, b: &Section2) -> bool {
    format!("{a:?}") != format!("{b:?}")
}
