//! Opening a session.

use std::fmt;
use std::path::Path;

use axtile_core::{Error, Result};

use crate::session::channel::Channel;
use crate::session::storage::Storage;

/// A part of a session that is not read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Path below the session's folder.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// A session open for reading.
pub struct Session {
    storage: Storage,
    name: String,
    password: Option<String>,
    channels: Vec<Channel>,
    skipped: Vec<Skipped>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("path", &self.storage.path())
            .field("channels", &self.channels.len())
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Opens the session in a folder `NAME.mefd` or an uncompressed archive of
    /// one. Lists names and reads the metadata of each channel's first and last
    /// segment at most, however many there are.
    ///
    /// # Errors
    /// `Error::Argument` where a password is missing or wrong, or there is no
    /// channel; `Error::Corrupt`, `Error::Version` or `Error::Unsupported` for
    /// metadata that cannot be read; `Error::Io`.
    pub fn open(path: &Path, password: Option<&str>) -> Result<Session> {
        let session = Session::list(path, password)?;
        if session.channels.is_empty() {
            return Err(Error::argument(format!(
                "'{}' holds no channel of samples: expected folders NAME.timd with segments",
                path.display()
            )));
        }
        // The password is tried at once.
        for channel in &session.channels {
            if let Some(segment) = channel.first(&session.storage)? {
                segment.metadata(&session.storage, session.password())?;
                break;
            }
        }
        Ok(session)
    }

    /// As [`Session::open`], without looking into any file.
    pub(crate) fn list(path: &Path, password: Option<&str>) -> Result<Session> {
        let mut session = Session::list_all(path, password)?;
        let mut channels = Vec::new();
        for channel in session.channels {
            if channel.first(&session.storage)?.is_some() {
                channels.push(channel);
            } else if let Some(segment) = channel.segments().first() {
                session.skipped.push(Skipped {
                    path: segment.file(crate::header::FileType::Metadata),
                    reason: "one of the segment's three files is missing".to_owned(),
                });
            }
        }
        session.channels = channels;
        Ok(session)
    }

    /// As [`Session::list`], with channels that have no complete segment.
    pub(crate) fn list_all(path: &Path, password: Option<&str>) -> Result<Session> {
        let storage = Storage::open(path)?;
        let mut channels = Vec::new();
        let mut skipped = Vec::new();
        for item in storage.list("")? {
            if !item.is_folder {
                continue;
            }
            if item.name.ends_with(".vidd") {
                skipped.push(Skipped {
                    path: item.name,
                    reason: "a video channel".to_owned(),
                });
            } else if let Some(name) = item.name.strip_suffix(".timd") {
                let channel = Channel::list(&storage, name)?;
                skipped.extend(channel.strangers.iter().map(|stranger| Skipped {
                    path: format!("{}/{stranger}", item.name),
                    reason: "its name does not end with a segment's number".to_owned(),
                }));
                channels.push(channel);
            }
        }
        Ok(Session {
            name: storage.session_name(),
            storage,
            password: password.map(str::to_owned),
            channels,
            skipped,
        })
    }

    /// A session of which all is known.
    pub(crate) fn assemble(
        storage: Storage,
        name: String,
        password: Option<&str>,
        channels: Vec<Channel>,
        skipped: Vec<Skipped>,
    ) -> Session {
        Session {
            storage,
            name,
            password: password.map(str::to_owned),
            channels,
            skipped,
        }
    }

    /// The session's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder or archive.
    pub fn path(&self) -> &Path {
        self.storage.path()
    }

    /// The channels, sorted by name.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// What was seen and is not read.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The number of the channel called `name`.
    ///
    /// # Errors
    /// `Error::Range` if there is none.
    pub fn channel_index(&self, name: &str) -> Result<usize> {
        self.channels
            .iter()
            .position(|channel| channel.name() == name)
            .ok_or_else(|| {
                Error::range(format!(
                    "'{}' has no channel '{name}'",
                    self.path().display()
                ))
            })
    }

    /// The channel with this number, counted from 0.
    ///
    /// # Errors
    /// `Error::Range` if there is none.
    pub fn channel(&self, index: usize) -> Result<&Channel> {
        self.channels.get(index).ok_or_else(|| {
            Error::range(format!(
                "channel {index} of {} was asked for",
                self.channels.len()
            ))
        })
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    pub(crate) fn password(&self) -> Option<&str> {
        self.password.as_deref()
    }
}
