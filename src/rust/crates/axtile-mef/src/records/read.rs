//! Reading the records of a session.

use axtile_core::{Error, Result};

use crate::crypt::Access;
use crate::header::{FileType, UniversalHeader};
use crate::limits::MAX_RECORD_BYTES;
use crate::read::Notice;
use crate::records::body::RecordBody;
use crate::records::file::{RawRecord, parse_records};
use crate::session::{ByteSource, Channel, Segment, Session};
use crate::time::TimeOffset;

/// What a record belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordScope {
    /// The whole session.
    Session,
    /// The channel of this name.
    Channel(String),
    /// The segment of this number in the channel of this name.
    Segment(String, u32),
}

/// A note, an annotation or an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What it belongs to.
    pub scope: RecordScope,
    /// Its time, microseconds.
    pub time: i64,
    /// Its type, four letters.
    pub kind: String,
    /// Its type's version.
    pub version: (u8, u8),
    /// What it says.
    pub body: RecordBody,
}

impl Session {
    /// All records of the session, its channels and segments, each file's in
    /// stored order. Lenient: damaged records are left out and noticed.
    ///
    /// # Errors
    /// `Error::Corrupt` for a damaged record unless lenient; those of reading
    /// headers and metadata.
    pub fn records(&self, lenient: bool) -> Result<(Vec<Record>, Vec<Notice>)> {
        let mut reader = Reader {
            session: self,
            lenient,
            records: Vec::new(),
            notices: Vec::new(),
        };
        if let (Some(name), Some(channel)) = (self.session_records()?, self.channels().first()) {
            reader.read_file(&name, RecordScope::Session, channel)?;
        }
        for channel in self.channels() {
            let name = channel.name().to_owned();
            let file = format!("{}/{name}.rdat", channel.folder());
            reader.read_file(&file, RecordScope::Channel(name), channel)?;
            for segment in channel.complete(self.storage())? {
                reader.read_segment(channel, segment)?;
            }
        }
        Ok((reader.records, reader.notices))
    }

    /// The session's own file of records: after a renaming it has the earlier
    /// name, and is taken if it is the only one.
    pub(crate) fn session_records(&self) -> Result<Option<String>> {
        let own = format!("{}.rdat", self.name());
        if self.storage().size(&own)?.is_some() {
            return Ok(Some(own));
        }
        let mut others = self.storage().list("")?;
        others.retain(|item| !item.is_folder && item.name.ends_with(".rdat"));
        Ok(match others.as_slice() {
            [one] => Some(one.name.clone()),
            _ => None,
        })
    }
}

struct Reader<'a> {
    session: &'a Session,
    lenient: bool,
    records: Vec<Record>,
    notices: Vec<Notice>,
}

impl Reader<'_> {
    fn read_segment(&mut self, channel: &Channel, segment: &Segment) -> Result<()> {
        let file = segment.file(FileType::Records);
        let Some(source) = self.session.storage().open_file(&file)? else {
            return Ok(());
        };
        let metadata = segment.metadata(self.session.storage(), self.session.password())?;
        let scope = RecordScope::Segment(channel.name().to_owned(), segment.number());
        self.read_source(&source, scope, metadata.offset)
    }

    /// Records of the session or of a channel: they share the offset that the
    /// segments have.
    fn read_file(&mut self, file: &str, scope: RecordScope, channel: &Channel) -> Result<()> {
        let storage = self.session.storage();
        let (Some(source), Some(segment)) = (storage.open_file(file)?, channel.first(storage)?)
        else {
            return Ok(());
        };
        let offset = segment.metadata(storage, self.session.password())?.offset;
        self.read_source(&source, scope, offset)
    }

    fn read_source(
        &mut self,
        source: &ByteSource,
        scope: RecordScope,
        offset: TimeOffset,
    ) -> Result<()> {
        let path = source.path();
        if source.len() > MAX_RECORD_BYTES {
            return Err(Error::limit(
                path,
                format!(
                    "'{}' has {} bytes, records of up to {MAX_RECORD_BYTES} are read",
                    path.display(),
                    source.len()
                ),
            ));
        }
        let bytes = source.read(0, source.len() as usize)?;
        let header = UniversalHeader::parse(&bytes, FileType::Records, path)?;
        let access = Access::unlock(&header, self.session.password(), path)?;
        for record in parse_records(&bytes, header.n_entries) {
            match record {
                Ok(raw) => self
                    .records
                    .push(open_record(&raw, &scope, offset, &access)),
                Err((_, damage)) if self.lenient => self.notices.push(Notice {
                    channel: match &scope {
                        RecordScope::Session => String::new(),
                        RecordScope::Channel(name) | RecordScope::Segment(name, _) => name.clone(),
                    },
                    segment: match scope {
                        RecordScope::Segment(_, number) => number,
                        _ => 0,
                    },
                    block: None,
                    problem: format!("'{}': {}", path.display(), damage.0),
                }),
                Err((at, damage)) => return Err(damage.at(path, format!("byte {at}"))),
            }
        }
        Ok(())
    }
}

fn open_record(
    raw: &RawRecord<'_>,
    scope: &RecordScope,
    offset: TimeOffset,
    access: &Access,
) -> Record {
    let level = raw.encryption.max(0) as u8;
    let parse = |body: &[u8]| {
        if raw.version.0 == 1 {
            RecordBody::parse(&raw.kind, body, offset)
        } else {
            RecordBody::Other(body.to_vec())
        }
    };
    let body = if level == 0 {
        parse(raw.body)
    } else {
        match access.key(level) {
            Some(key) => {
                let mut plain = raw.body.to_vec();
                key.decrypt(&mut plain);
                parse(&plain)
            }
            None => RecordBody::Locked,
        }
    };
    Record {
        scope: scope.clone(),
        time: offset.absolute(raw.time).unwrap_or(raw.time),
        kind: raw.kind.clone(),
        version: raw.version,
        body,
    }
}
