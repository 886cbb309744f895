//! A session open for writing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result, Watch};
use axtile_store::{FileLock, StageMode, StagedFolder, lock_store};

use crate::copy::{Change, Place};
use crate::crypt::Access;
use crate::header::{MetadataImage, Section3};
use crate::records::{Record, RecordScope};
use crate::session::{Session, check_name, segment_folder};
use crate::time::TimeOffset;
use crate::write::append::append_all;
use crate::write::durability::{Dirty, Durability};
use crate::write::encode::encode_all;
use crate::write::fresh::NewSegment;
use crate::write::opening::{common_subject, has_channel, session_name};
use crate::write::part::Part;
use crate::write::records::RecordFiles;
use crate::write::target::{ChannelEnd, Target, check_section_3, prepare};

/// What a new session is like.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Passwords of level 1 and 2.
    pub passwords: Option<(String, String)>,
    /// The subject, and the offset of times. [`Section3::default`] has none.
    pub section_3: Section3,
    /// Replace a session that has the name.
    pub overwrite: bool,
}

/// A session open for writing. A new one gets its name when it is published;
/// until then nothing is to be seen of it.
pub struct SessionWriter {
    target: PathBuf,
    name: String,
    staged: Option<StagedFolder>,
    _lock: Option<FileLock>,
    access: Access,
    section_3: Section3,
    /// What is there already, where it was opened.
    session: Option<Session>,
    /// The ends of the channels written to.
    ends: BTreeMap<String, ChannelEnd>,
    dirty: Dirty,
}

impl SessionWriter {
    /// Starts a new session `NAME.mefd`.
    ///
    /// # Errors
    /// `Error::Argument` for a name, passwords or texts that do not fit, or
    /// while another process writes there, `Error::Exists`, `Error::Io`.
    pub fn create(path: &Path, options: &WriteOptions) -> Result<SessionWriter> {
        let name = session_name(path)?;
        check_section_3(&options.section_3)?;
        let passwords = options.passwords.as_ref();
        let access = Access::for_writing(passwords.map(|(a, b)| (a.as_str(), b.as_str())))?;
        let mode = StageMode {
            overwrite: options.overwrite,
            resume: false,
        };
        let staged = StagedFolder::create(path, mode, has_channel)?;
        Ok(SessionWriter {
            target: staged.target().to_owned(),
            name,
            staged: Some(staged),
            _lock: None,
            access,
            section_3: options.section_3.clone(),
            session: None,
            ends: BTreeMap::new(),
            dirty: Dirty::default(),
        })
    }

    /// Opens a session to append to it. A session with passwords needs that of
    /// level 2.
    ///
    /// # Errors
    /// Those of [`Session::open`]; `Error::Unsupported` for an archive,
    /// `Error::Argument` while another process writes it, for a missing
    /// password, or where segments have different time offsets.
    pub fn open(path: &Path, password: Option<&str>) -> Result<SessionWriter> {
        if !path.is_dir() {
            return Err(Error::unsupported(
                path,
                "only sessions in folders can be written; extract the archive first",
            ));
        }
        let lock = lock_store(path)?;
        let session = Session::open(path, password)?;
        let (access, section_3) = common_subject(&session)?;
        Ok(SessionWriter {
            target: path.to_owned(),
            name: session.name().to_owned(),
            staged: None,
            _lock: Some(lock),
            access,
            section_3,
            session: Some(session),
            ends: BTreeMap::new(),
            dirty: Dirty::default(),
        })
    }

    /// Starts a copy of `source` at `path`.
    pub(crate) fn for_copy(
        path: &Path,
        source: &Session,
        change: &Change,
    ) -> Result<SessionWriter> {
        let (access, mut section_3) = common_subject(source)?;
        let mut writer = SessionWriter::create(path, &WriteOptions::default())?;
        if change.shift != 0 {
            section_3.recording_time_offset = 0;
        }
        writer.access = change.access.clone().unwrap_or(access);
        writer.section_3 = section_3;
        Ok(writer)
    }

    /// Makes segments where the session is built.
    pub(crate) fn with_place<R>(&mut self, work: impl FnOnce(Place<'_>) -> R) -> R {
        let root = self.root();
        work(Place {
            root: &root,
            session: &self.name,
            dirty: &mut self.dirty,
        })
    }

    /// Where the session is, or will be once it is published.
    pub fn path(&self) -> &Path {
        &self.target
    }

    fn root(&self) -> PathBuf {
        match &self.staged {
            Some(staged) => staged.path().to_owned(),
            None => self.target.clone(),
        }
    }

    fn find_end(&mut self, channel: &str) -> Result<()> {
        if !self.ends.contains_key(channel)
            && let Some(session) = &self.session
            && let Some(end) = ChannelEnd::open(session, channel)?
        {
            self.ends.insert(channel.to_owned(), end);
        }
        Ok(())
    }

    /// Writes samples: to the end of channels that exist, and to new ones. All
    /// parts are checked and encoded before any file is touched. Samples that
    /// are missing are not stored.
    ///
    /// # Errors
    /// `Error::Argument` for names, rates, factors, precisions or times that do
    /// not fit what is there, `Error::Range` for values that cannot be stored,
    /// `Error::Corrupt` for a session that needs recovery, `Error::Stale` for
    /// one that changed meanwhile, `Error::Io`, `Error::Interrupted`. `watch`
    /// advances by samples.
    pub fn write(
        &mut self,
        parts: &[Part<'_>],
        durability: Durability,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        let mut names = BTreeSet::new();
        for part in parts {
            if !names.insert(part.channel) {
                return Err(Error::argument(format!(
                    "channel '{}' is given twice",
                    part.channel
                )));
            }
            check_name("channel", part.channel)?;
            self.find_end(part.channel)?;
        }
        let offset = self.section_3.time_offset();
        let mut prepared = Vec::new();
        let mut targets = Vec::new();
        for part in parts {
            watch.check()?;
            let end = self.ends.get(part.channel);
            if let Some(end) = end {
                end.segment.check_unchanged()?;
            }
            if let Some((ready, target)) = prepare(part, end, &self.name, offset)? {
                prepared.push(ready);
                targets.push((part.channel, target));
            } else {
                watch.advance(part.values.len() as u64);
            }
        }
        let blocks = encode_all(&prepared, n_threads, watch)?;
        // A new session is on the disk when it is published.
        let durability = match self.staged {
            Some(_) => None,
            None => Some(durability),
        };
        let mut extended = Vec::new();
        for (name, end) in &mut self.ends {
            let own = targets
                .iter()
                .zip(&blocks)
                .find(|((channel, target), _)| channel == name && matches!(target, Target::Extend));
            if let Some((_, blocks)) = own {
                extended.push((&mut end.segment, blocks.as_slice()));
            }
        }
        append_all(&mut extended, durability, &mut self.dirty)?;
        for ((channel, target), blocks) in targets.into_iter().zip(&blocks) {
            match target {
                Target::Extend => {}
                Target::Create { number, section_2 } => {
                    let root = self.root();
                    let before = self.ends.get(channel).map(ChannelEnd::image);
                    let new = NewSegment {
                        root: &root,
                        session: &self.name,
                        channel,
                        number,
                        access: self.access.clone(),
                        section_2: *section_2,
                        section_3: before
                            .and_then(MetadataImage::section_3)
                            .unwrap_or_else(|| self.section_3.clone()),
                        template: before,
                    };
                    let mut segment = new.create(&mut self.dirty)?;
                    let own = &mut [(&mut segment, blocks.as_slice())];
                    append_all(own, durability.map(|_| Durability::Fast), &mut self.dirty)?;
                    segment.complete(durability.unwrap_or(Durability::Fast), &mut self.dirty)?;
                    let end = ChannelEnd {
                        segment,
                        last_number: number,
                    };
                    self.ends.insert(channel.to_owned(), end);
                }
            }
        }
        Ok(())
    }

    /// Appends records, those of one file sorted by time. Bodies are encrypted
    /// where the session has passwords.
    ///
    /// # Errors
    /// `Error::Argument` for records that cannot be stored and for channels or
    /// segments that are not there, `Error::Corrupt` for a damaged file of
    /// records, `Error::Io`.
    pub fn write_records(&mut self, records: &[Record], durability: Durability) -> Result<()> {
        let mut scopes: Vec<&RecordScope> = Vec::new();
        for record in records {
            if !scopes.contains(&&record.scope) {
                scopes.push(&record.scope);
            }
        }
        let mut files = Vec::new();
        for scope in scopes {
            let own: Vec<&Record> = records.iter().filter(|one| one.scope == *scope).collect();
            files.push((self.record_files(scope)?, own));
        }
        for (file, own) in files {
            file.append(&own, durability, &mut self.dirty)?;
        }
        Ok(())
    }

    fn record_files(&mut self, scope: &RecordScope) -> Result<RecordFiles> {
        let root = self.root();
        let offset: TimeOffset = self.section_3.time_offset();
        let mut files = RecordFiles {
            stem: root.join(&self.name),
            session: self.name.clone(),
            channel: String::new(),
            segment: -3,
            access: self.access.clone(),
            offset,
        };
        match scope {
            RecordScope::Session => {
                if let Some(session) = &self.session
                    && let Some(file) = session.session_records()?
                {
                    files.stem = root.join(file.strip_suffix(".rdat").unwrap_or(&file));
                }
            }
            RecordScope::Channel(channel) | RecordScope::Segment(channel, _) => {
                check_name("channel", channel)?;
                let folder = root.join(format!("{channel}.timd"));
                files.channel = channel.clone();
                files.segment = -2;
                files.stem = folder.join(channel);
                if let RecordScope::Segment(_, number) = scope {
                    let stem = segment_folder(channel, *number);
                    files.stem = folder.join(format!("{stem}.segd")).join(stem);
                    files.segment = number.cast_signed();
                }
                if !files.stem.parent().is_some_and(Path::is_dir) {
                    return Err(Error::argument(format!(
                        "the session has no channel or segment {scope:?} to write records to"
                    )));
                }
            }
        }
        Ok(files)
    }

    /// Brings all that was written to the disk.
    ///
    /// # Errors
    /// `Error::Io`; the next call tries again.
    pub fn flush(&mut self) -> Result<()> {
        self.dirty.flush()
    }

    /// Gives a new session its name, with all that was written so far; later
    /// writes append to it. Does nothing to one that has its name.
    ///
    /// # Errors
    /// `Error::Argument` for a session without samples, `Error::Io`.
    pub fn publish(&mut self) -> Result<()> {
        let Some(staged) = self.staged.take() else {
            return Ok(());
        };
        if !has_channel(staged.path()) {
            self.staged = Some(staged);
            return Err(Error::argument(
                "a session without any sample cannot be written",
            ));
        }
        let from = staged.path().to_owned();
        let committed = self.dirty.flush().and_then(|()| staged.commit());
        committed?;
        self._lock = Some(lock_store(&self.target)?);
        for end in self.ends.values_mut() {
            if let Ok(rest) = end.segment.folder.strip_prefix(&from) {
                end.segment.folder = self.target.join(rest);
            }
        }
        Ok(())
    }

    /// Publishes and flushes.
    ///
    /// # Errors
    /// Those of [`SessionWriter::publish`] and [`SessionWriter::flush`].
    pub fn close(mut self) -> Result<()> {
        self.publish()?;
        self.flush()
    }
}
