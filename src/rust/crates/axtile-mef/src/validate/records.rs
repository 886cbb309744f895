//! Checking files of records and their indexes.

use axtile_core::{Error, Result};

use crate::bytes::i64_at;
use crate::header::{FileType, UNIVERSAL_BYTES, UniversalHeader};
use crate::limits::MAX_RECORD_BYTES;
use crate::records::{RECORD_INDEX_BYTES, parse_records};
use crate::session::{Channel, Session};
use crate::validate::finding::{Findings, Place, Severity};
use crate::validate::segment::is_body_checksum;

pub(crate) fn check_session(session: &Session, place: &Place<'_>) -> Result<()> {
    match session.session_records()? {
        Some(file) => check(session, file.strip_suffix(".rdat").unwrap_or(&file), place),
        None => Ok(()),
    }
}

pub(crate) fn check_channel(
    session: &Session,
    channel: &Channel,
    findings: &Findings,
) -> Result<()> {
    let mut place = Place {
        findings,
        channel: channel.name(),
        segment: None,
    };
    check(
        session,
        &format!("{}/{}", channel.folder(), channel.name()),
        &place,
    )?;
    for segment in channel.segments() {
        place.segment = Some(segment.number());
        let file = segment.file(FileType::Records);
        check(session, file.strip_suffix(".rdat").unwrap_or(&file), &place)?;
    }
    Ok(())
}

fn check(session: &Session, stem: &str, place: &Place<'_>) -> Result<()> {
    let storage = session.storage();
    let data_name = format!("{stem}.rdat");
    let index_name = format!("{stem}.ridx");
    let data = storage.open_file(&data_name)?;
    let index = storage.open_file(&index_name)?;
    let report = |name: &str, entry, check, severity, problem: String| {
        place.report(storage.path_of(name), entry, check, severity, problem);
    };
    let (Some(data), Some(index)) = (&data, &index) else {
        if data.is_some() || index.is_some() {
            let missing = if data.is_none() {
                &data_name
            } else {
                &index_name
            };
            let problem = "the other file of the pair is there, this one is missing".to_owned();
            report(missing, None, "files.missing", Severity::Error, problem);
        }
        return Ok(());
    };
    let mut files = Vec::new();
    for (source, file_type, name) in [
        (data, FileType::Records, &data_name),
        (index, FileType::RecordIndex, &index_name),
    ] {
        if source.len() > MAX_RECORD_BYTES {
            let problem = format!("{} bytes, up to {MAX_RECORD_BYTES} are read", source.len());
            report(name, None, "crc.records", Severity::Error, problem);
            return Ok(());
        }
        let bytes = source.read(0, source.len() as usize)?;
        match UniversalHeader::parse(&bytes, file_type, source.path()) {
            Ok(header) => {
                let body = bytes.get(UNIVERSAL_BYTES..).unwrap_or_default();
                if !is_body_checksum(header.body_checksum, body) {
                    let problem = "the body's checksum is not the header's".to_owned();
                    report(name, None, "crc.records", Severity::Error, problem);
                }
                files.push((bytes, header));
            }
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(error) => {
                report(
                    name,
                    None,
                    "crc.records",
                    Severity::Error,
                    error.to_string(),
                );
                return Ok(());
            }
        }
    }
    let [(data, data_header), (index, index_header)] = files.as_slice() else {
        return Ok(());
    };
    let all = parse_records(data, -1);
    let mut offsets = Vec::new();
    for (number, record) in all.iter().enumerate() {
        match record {
            Ok(record) => offsets.push(record.offset as i64),
            Err((at, damage)) => {
                offsets.push(*at as i64);
                let problem = damage.problem().to_owned();
                report(
                    &data_name,
                    Some(number),
                    "crc.record",
                    Severity::Error,
                    problem,
                );
            }
        }
    }
    let (entries, _) = index
        .get(UNIVERSAL_BYTES..)
        .unwrap_or_default()
        .as_chunks::<RECORD_INDEX_BYTES>();
    let indexed: Vec<i64> = entries.iter().map(|entry| i64_at(entry, 8)).collect();
    if indexed != offsets {
        let problem = format!(
            "the index has {} records, the file {}, or at other places",
            indexed.len(),
            offsets.len()
        );
        report(&index_name, None, "index.records", Severity::Error, problem);
    }
    for (header, name) in [(data_header, &data_name), (index_header, &index_name)] {
        if i64::try_from(offsets.len()) != Ok(header.n_entries) {
            let problem = format!("{} records, {} declared", offsets.len(), header.n_entries);
            report(name, None, "header.entry-count", Severity::Error, problem);
        }
    }
    Ok(())
}
