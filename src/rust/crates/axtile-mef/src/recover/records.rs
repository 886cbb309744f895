//! Bringing a pair of record files in order: whole records count, and their
//! index is made from them.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use crate::bytes::{put, put_text};
use crate::checksum::{SEED, extend};
use crate::header::{FileType, UNIVERSAL_BYTES, UniversalHeader, seal_header};
use crate::limits::MAX_RECORD_BYTES;
use crate::records::{RECORD_HEADER_BYTES, RECORD_INDEX_BYTES, parse_records};
use crate::recover::backup::Backup;
use crate::write::{Dirty, new_id, publish};

/// New contents of the two files.
pub(crate) struct RecordPlan {
    files: Vec<(PathBuf, Vec<u8>)>,
    /// In words; empty if all is in order.
    pub(crate) actions: Vec<String>,
}

/// Looks at the pair of files `stem.rdat` and `stem.ridx`; `None` if there are
/// none.
///
/// # Errors
/// `Error::Corrupt` where the records' header is damaged, `Error::Io`.
pub(crate) fn plan(stem: &Path) -> Result<Option<RecordPlan>> {
    let path = |file_type: FileType| {
        let mut name = stem.as_os_str().to_owned();
        name.push(format!(".{}", file_type.extension()));
        PathBuf::from(name)
    };
    let (data_path, index_path) = (path(FileType::Records), path(FileType::RecordIndex));
    let Some(data) = read(&data_path)? else {
        return Ok(None);
    };
    let header = UniversalHeader::parse(&data, FileType::Records, &data_path)?;
    let mut index_body = Vec::new();
    let mut end = UNIVERSAL_BYTES;
    let mut n_entries = 0_i64;
    let mut pending = Vec::new();
    for record in parse_records(&data, -1) {
        // A damaged record between whole ones keeps its place and has no entry.
        let Ok(record) = record else { continue };
        pending.push(record);
    }
    for record in &pending {
        let mut entry = [0; RECORD_INDEX_BYTES];
        put_text(&mut entry, 0, 5, &record.kind);
        put(&mut entry, 5, &[record.version.0, record.version.1]);
        put(&mut entry, 7, &[record.encryption.cast_unsigned()]);
        put(&mut entry, 8, &(record.offset as i64).to_le_bytes());
        put(&mut entry, 16, &record.time.to_le_bytes());
        index_body.extend_from_slice(&entry);
        end = record.offset + RECORD_HEADER_BYTES + record.body.len();
        n_entries += 1;
    }
    let n_before = parse_records(data.get(..end).unwrap_or_default(), -1).len() as i64;
    let mut actions = Vec::new();
    if end < data.len() {
        let n = data.len() - end;
        actions.push(format!("{n} bytes after the last whole record are cut off"));
    }
    let mut new_data = data.get(..end).unwrap_or_default().to_vec();
    let mut own = header.clone();
    own.n_entries = n_before;
    let is_cut = end < data.len() || header.n_entries != n_before;
    if is_cut && own.body_checksum != 0 {
        own.body_checksum = extend(SEED, new_data.get(UNIVERSAL_BYTES..).unwrap_or_default());
    }
    if own != header {
        own.patch(&mut new_data);
        seal_header(&mut new_data);
        actions.push("the header counts the records".to_owned());
    }

    let index = read(&index_path)?.unwrap_or_default();
    let old = UniversalHeader::parse(&index, FileType::RecordIndex, &index_path).ok();
    let is_right = index.get(UNIVERSAL_BYTES..) == Some(&index_body)
        && old.as_ref().is_some_and(|old| old.n_entries == n_entries);
    let mut files = Vec::new();
    if !actions.is_empty() {
        files.push((data_path, new_data));
    }
    if !is_right {
        actions.push("the index of records is made anew".to_owned());
        let file_id = new_id()?;
        let header = UniversalHeader {
            n_entries,
            maximum_entry: RECORD_INDEX_BYTES as i64,
            body_checksum: extend(SEED, &index_body),
            file_id: old.as_ref().map_or(file_id, |old| old.file_id),
            provenance_id: old.as_ref().map_or(file_id, |old| old.provenance_id),
            ..own
        };
        let mut image = header.image(FileType::RecordIndex).to_vec();
        image.extend_from_slice(&index_body);
        files.push((index_path, image));
    }
    Ok(Some(RecordPlan { files, actions }))
}

impl RecordPlan {
    /// Does it. Keeps what it replaces in `backup`.
    pub(crate) fn apply(&self, backup: &mut Backup) -> Result<()> {
        let mut dirty = Dirty::default();
        for (path, bytes) in &self.files {
            backup.keep(path, None)?;
            publish(path, bytes, &mut dirty)?;
        }
        dirty.flush()
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let len = match fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(Error::io("inspect", path)(source)),
    };
    if len > MAX_RECORD_BYTES {
        let problem = format!(
            "'{}' is larger than {MAX_RECORD_BYTES} bytes",
            path.display()
        );
        return Err(Error::limit(path, problem));
    }
    fs::read(path).map(Some).map_err(Error::io("read", path))
}
