//! Appending records.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use crate::bytes::{put, put_text};
use crate::checksum::{SEED, extend};
use crate::crypt::Access;
use crate::header::{FileType, UNIVERSAL_BYTES, UniversalHeader, seal_header};
use crate::records::{RECORD_INDEX_BYTES, Record, RecordBody, encode_record};
use crate::time::{NO_TIME, TimeOffset};
use crate::write::durability::{Dirty, Durability};
use crate::write::encode::unstorable;
use crate::write::fresh::new_id;

/// The pair of files that records of one scope are in.
pub(crate) struct RecordFiles {
    /// Without the ending.
    pub(crate) stem: PathBuf,
    pub(crate) session: String,
    /// Empty for the session's own.
    pub(crate) channel: String,
    /// -3 session, -2 channel, else the segment's number.
    pub(crate) segment: i32,
    pub(crate) access: Access,
    pub(crate) offset: TimeOffset,
}

/// A file's bytes after an append: where they go and its new header.
struct Growth {
    path: PathBuf,
    at: u64,
    bytes: Vec<u8>,
    header: Vec<u8>,
    is_new: bool,
}

impl RecordFiles {
    /// Appends `records`, sorted by time.
    ///
    /// # Errors
    /// `Error::Argument` for records that cannot be stored, `Error::Corrupt`
    /// where the two files do not fit together, `Error::Io`.
    pub(crate) fn append(
        &self,
        records: &[&Record],
        durability: Durability,
        dirty: &mut Dirty,
    ) -> Result<()> {
        let mut sorted = records.to_vec();
        sorted.sort_by_key(|record| record.time);
        let (mut data, mut data_header) = self.open(FileType::Records)?;
        let (mut index, mut index_header) = self.open(FileType::RecordIndex)?;
        let key = self.access.key(2);
        let mut times = Vec::new();
        let mut largest = data_header.maximum_entry.max(0);
        for record in sorted {
            let encoded = self.encode(record, key)?;
            let offset = (data.at + data.bytes.len() as u64).cast_signed();
            let time = self
                .offset
                .stored(record.time)
                .ok_or_else(|| unstorable(record.time))?;
            let mut entry = [0; RECORD_INDEX_BYTES];
            put_text(&mut entry, 0, 5, &record.kind);
            put(&mut entry, 5, &[record.version.0, record.version.1]);
            put(&mut entry, 7, &[if key.is_some() { 2 } else { 0 }]);
            put(&mut entry, 8, &offset.to_le_bytes());
            put(&mut entry, 16, &time.to_le_bytes());
            index.bytes.extend_from_slice(&entry);
            largest = largest.max(encoded.len() as i64);
            data.bytes.extend_from_slice(&encoded);
            times.push(record.time);
        }
        let n_new = times.len() as i64;
        for (growth, header, maximum) in [
            (&mut data, &mut data_header, largest),
            (&mut index, &mut index_header, RECORD_INDEX_BYTES as i64),
        ] {
            let known = self.offset;
            let earliest = times
                .iter()
                .copied()
                .chain(known.absolute(header.start))
                .min();
            let latest = times
                .iter()
                .copied()
                .chain(known.absolute(header.end))
                .max();
            header.start = earliest
                .and_then(|time| known.stored(time))
                .unwrap_or(NO_TIME);
            header.end = latest
                .and_then(|time| known.stored(time))
                .unwrap_or(NO_TIME);
            header.n_entries = header.n_entries.max(0).saturating_add(n_new);
            header.maximum_entry = maximum;
            if growth.is_new {
                header.body_checksum = extend(SEED, &growth.bytes);
            } else if header.body_checksum != 0 {
                header.body_checksum = extend(header.body_checksum, &growth.bytes);
            }
            header.patch(&mut growth.header);
            seal_header(&mut growth.header);
        }
        for growth in [&data, &index] {
            growth.write(durability, dirty)?;
        }
        Ok(())
    }

    fn encode(&self, record: &Record, key: Option<crate::crypt::Key>) -> Result<Vec<u8>> {
        let is_kind = record.kind.len() == 4 && record.kind.bytes().all(|b| b.is_ascii_graphic());
        if !is_kind {
            return Err(Error::argument(format!(
                "a record's type is '{}', expected four ASCII letters",
                record.kind
            )));
        }
        let is_matching = match &record.body {
            RecordBody::Text(_) => matches!(record.kind.as_str(), "Note" | "SyLg"),
            RecordBody::Annotation { .. } => record.kind == "EDFA",
            RecordBody::Seizure(_) => record.kind == "Seiz",
            RecordBody::Epoch(_) => record.kind == "Epoc",
            RecordBody::Cursor(_) => record.kind == "Curs",
            RecordBody::Stimulus(_) => record.kind == "CSti",
            RecordBody::ElectricStimulus(_) => record.kind == "ESti",
            RecordBody::LineNoise(_) => record.kind == "LNTP",
            RecordBody::Other(_) => true,
            RecordBody::Locked => false,
        };
        let has_nul = match &record.body {
            RecordBody::Text(text) | RecordBody::Annotation { text, .. } => text.contains('\0'),
            _ => false,
        };
        let body = record.body.encode().filter(|_| is_matching && !has_nul);
        let Some(body) = body.filter(|body| body.len() < i32::MAX as usize) else {
            return Err(Error::argument(format!(
                "a record of type '{}' cannot hold this body",
                record.kind
            )));
        };
        Ok(encode_record(
            &record.kind,
            record.version,
            record.time_stored(self.offset)?,
            &body,
            key,
        ))
    }

    /// Where a file ends and its header; a new one if there is none.
    fn open(&self, file_type: FileType) -> Result<(Growth, UniversalHeader)> {
        let mut name = self.stem.clone().into_os_string();
        name.push(format!(".{}", file_type.extension()));
        let path = PathBuf::from(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(Error::io("read", &path)(source)),
        };
        if !bytes.is_empty() {
            let header = UniversalHeader::parse(&bytes, file_type, &path)?;
            self.check_whole(&bytes, &header, file_type, &path)?;
            let growth = Growth {
                at: bytes.len() as u64,
                bytes: Vec::new(),
                header: bytes.get(..UNIVERSAL_BYTES).unwrap_or_default().to_vec(),
                is_new: false,
                path,
            };
            return Ok((growth, header));
        }
        let file_id = new_id()?;
        let (level_1_field, level_2_field) = self.access.fields();
        let header = UniversalHeader {
            body_checksum: SEED,
            start: NO_TIME,
            end: NO_TIME,
            n_entries: 0,
            maximum_entry: 0,
            segment: self.segment,
            channel: self.channel.clone(),
            session: self.session.clone(),
            anonymized_name: String::new(),
            level_id: new_id()?,
            file_id,
            provenance_id: file_id,
            level_1_field,
            level_2_field,
        };
        let growth = Growth {
            at: UNIVERSAL_BYTES as u64,
            bytes: Vec::new(),
            header: header.image(file_type).to_vec(),
            is_new: true,
            path,
        };
        Ok((growth, header))
    }

    fn check_whole(
        &self,
        bytes: &[u8],
        header: &UniversalHeader,
        file_type: FileType,
        path: &Path,
    ) -> Result<()> {
        let body = bytes.get(UNIVERSAL_BYTES..).unwrap_or_default();
        let n_found = if file_type == FileType::RecordIndex {
            body.len() / RECORD_INDEX_BYTES
        } else {
            let all = crate::records::parse_records(bytes, -1);
            all.iter().take_while(|record| record.is_ok()).count()
        };
        if i64::try_from(n_found) != Ok(header.n_entries) {
            return Err(Error::corrupt(
                path,
                "its end",
                format!(
                    "{n_found} whole records, its header declares {}; recover the session \
                     before appending",
                    header.n_entries
                ),
            ));
        }
        Ok(())
    }
}

impl Record {
    fn time_stored(&self, offset: TimeOffset) -> Result<i64> {
        offset
            .stored(self.time)
            .ok_or_else(|| unstorable(self.time))
    }
}

impl Growth {
    fn write(&self, durability: Durability, dirty: &mut Dirty) -> Result<()> {
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.path)
            .map_err(Error::io("create", &self.path))?;
        let mut write = || -> std::io::Result<()> {
            file.seek(SeekFrom::Start(self.at))?;
            file.write_all(&self.bytes)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&self.header)
        };
        write().map_err(Error::io("write", &self.path))?;
        if self.is_new
            && let Some(folder) = self.path.parent()
        {
            dirty.insert(folder);
        }
        dirty.insert(&self.path);
        if durability == Durability::Full {
            dirty.flush()?;
        }
        Ok(())
    }
}
