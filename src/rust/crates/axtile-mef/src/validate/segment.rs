//! Checking the three files of a segment.

use axtile_core::{Error, Result, Watch};

use crate::bytes::u32_at;
use crate::checksum::{SEED, checksum, extend};
use crate::header::{
    ENTRY_BYTES, FileType, IndexEntry, METADATA_BYTES, MetadataImage, UNIVERSAL_BYTES,
    UniversalHeader,
};
use crate::limits::MAX_INDEX_BYTES;
use crate::session::{ByteSource, Channel, Segment, Session};
use crate::validate::finding::{Findings, Place, Severity};
use crate::validate::{blocks, declarations};

/// Checks a segment. What the operating system refuses is an error, and so is
/// a password; all else is reported.
pub(crate) fn check(
    session: &Session,
    segment: &Segment,
    place: &Place<'_>,
    with_blocks: bool,
    watch: &dyn Watch,
) -> Result<()> {
    let storage = session.storage();
    let open = |file_type: FileType| -> Result<Option<ByteSource>> {
        let relative = segment.file(file_type);
        let found = storage.open_file(&relative)?;
        if found.is_none() {
            place.report(
                storage.path_of(&relative),
                None,
                "files.missing",
                Severity::Error,
                "the file is missing: the segment is not read",
            );
        }
        Ok(found)
    };
    let metadata = open(FileType::Metadata)?;
    let index = open(FileType::Index)?;
    let data = open(FileType::Data)?;
    let image = match &metadata {
        Some(source) => check_metadata(session, source, place)?,
        None => None,
    };
    let entries = match &index {
        Some(source) => check_index(source, place)?,
        None => None,
    };
    let (Some(data), Some(index)) = (data, index) else {
        return Ok(());
    };
    check_data_header(&data, entries.as_deref(), place)?;
    let entries = entries.unwrap_or_default();
    blocks::check_spans(&entries, &data, index.path(), place);
    if let Some(image) = &image {
        let path = metadata.as_ref().map_or(index.path(), ByteSource::path);
        declarations::check(image, &entries, path, place);
    }
    if with_blocks {
        let access = match &image {
            Some(image) => image.access().clone(),
            None => Default::default(),
        };
        blocks::check_blocks(&entries, &data, &access, place, watch)?;
    }
    Ok(())
}

/// An error of reading as a finding, unless it is the system's or a password's.
fn as_finding(
    error: Error,
    source: &ByteSource,
    check: &'static str,
    place: &Place<'_>,
) -> Result<()> {
    match error {
        Error::Corrupt { .. } | Error::Version { .. } | Error::Unsupported { .. } => {
            let path = source.path().to_owned();
            place.report(path, None, check, Severity::Error, error.to_string());
            Ok(())
        }
        other => Err(other),
    }
}

fn check_metadata(
    session: &Session,
    source: &ByteSource,
    place: &Place<'_>,
) -> Result<Option<MetadataImage>> {
    let bytes = source.read_start(METADATA_BYTES)?;
    match MetadataImage::parse(&bytes, session.password(), source.path()) {
        Ok(image) => Ok(Some(image)),
        Err(error) => as_finding(error, source, "crc.metadata", place).map(|()| None),
    }
}

fn check_index(source: &ByteSource, place: &Place<'_>) -> Result<Option<Vec<IndexEntry>>> {
    if source.len() > MAX_INDEX_BYTES {
        let problem = format!("{} bytes, up to {MAX_INDEX_BYTES} are read", source.len());
        let path = source.path().to_owned();
        place.report(path, None, "crc.index", Severity::Error, problem);
        return Ok(None);
    }
    let bytes = source.read(0, source.len() as usize)?;
    let header = match UniversalHeader::parse(&bytes, FileType::Index, source.path()) {
        Ok(header) => header,
        Err(error) => return as_finding(error, source, "crc.index", place).map(|()| None),
    };
    let body = bytes.get(UNIVERSAL_BYTES..).unwrap_or_default();
    let declared = usize::try_from(header.n_entries)
        .ok()
        .and_then(|n| n.checked_mul(ENTRY_BYTES))
        .and_then(|len| body.get(..len))
        .unwrap_or(body);
    let stored = u32_at(&bytes, 4);
    if stored != 0 && stored != checksum(declared) && stored != checksum(body) {
        place.report(
            source.path().to_owned(),
            None,
            "crc.index",
            Severity::Error,
            format!(
                "the entries' checksum is {:08x}, expected {stored:08x}",
                checksum(declared)
            ),
        );
    }
    let entries = IndexEntry::parse_all(body);
    if i64::try_from(entries.len()) != Ok(header.n_entries) {
        place.report(
            source.path().to_owned(),
            None,
            "header.entry-count",
            Severity::Warning,
            format!(
                "{} entries, the header declares {}",
                entries.len(),
                header.n_entries
            ),
        );
    }
    if header.maximum_entry != ENTRY_BYTES as i64 {
        place.report(
            source.path().to_owned(),
            None,
            "header.max-entry-size",
            Severity::Info,
            format!(
                "the header declares entries of {} bytes",
                header.maximum_entry
            ),
        );
    }
    Ok(Some(entries))
}

fn check_data_header(
    source: &ByteSource,
    entries: Option<&[IndexEntry]>,
    place: &Place<'_>,
) -> Result<()> {
    let bytes = source.read_start(UNIVERSAL_BYTES)?;
    let header = match UniversalHeader::parse(&bytes, FileType::Data, source.path()) {
        Ok(header) => header,
        Err(error) => return as_finding(error, source, "crc.data-header", place),
    };
    if let Some(entries) = entries
        && i64::try_from(entries.len()) != Ok(header.n_entries)
    {
        place.report(
            source.path().to_owned(),
            None,
            "header.entry-count",
            Severity::Warning,
            format!(
                "the index has {} blocks, the data's header declares {}",
                entries.len(),
                header.n_entries
            ),
        );
    }
    Ok(())
}

/// Whether `stored` is the body's checksum with either of the starts that
/// writers use.
pub(crate) fn is_body_checksum(stored: u32, body: &[u8]) -> bool {
    stored == 0 || [SEED, 0].iter().any(|&seed| extend(seed, body) == stored)
}

/// Whether the segments of a channel follow each other in time and samples.
pub(crate) fn check_order(session: &Session, channel: &Channel, findings: &Findings) -> Result<()> {
    let mut next_sample = Some(0);
    let mut rate = None;
    for segment in channel.segments() {
        let storage = session.storage();
        if !segment.is_complete(storage)? {
            next_sample = None;
            continue;
        }
        let metadata = match segment.metadata(storage, session.password()) {
            Ok(metadata) => metadata,
            Err(Error::Io {
                path,
                action,
                source,
            }) => {
                return Err(Error::Io {
                    path,
                    action,
                    source,
                });
            }
            Err(_) => {
                next_sample = None;
                continue;
            }
        };
        let place = Place {
            findings,
            channel: channel.name(),
            segment: Some(segment.number()),
        };
        let path = storage.path_of(&segment.file(FileType::Metadata));
        let section = &metadata.section_2;
        if let Some(expected) = next_sample
            && section.start_sample >= 0
            && section.start_sample != expected
        {
            let problem = format!(
                "the segment declares to start at sample {}, {expected} are before it",
                section.start_sample
            );
            place.report(
                path.clone(),
                None,
                "index.start-sample",
                Severity::Warning,
                problem,
            );
        }
        next_sample = (section.n_samples >= 0)
            .then(|| section.start_sample.max(0).checked_add(section.n_samples))
            .flatten();
        let first = *rate.get_or_insert(metadata.rate);
        if first != metadata.rate {
            let problem = format!(
                "{} Hz, the channel's first segment has {first} Hz",
                metadata.rate
            );
            place.report(
                path,
                None,
                "times.sampling-frequency",
                Severity::Error,
                problem,
            );
        }
    }
    Ok(())
}
