//! A channel: its name and its segments in order.

use std::sync::OnceLock;

use axtile_core::Result;

use crate::session::info::ChannelInfo;
use crate::session::names::parse_segment_name;
use crate::session::segment::Segment;
use crate::session::storage::Storage;

/// A channel of samples.
#[derive(Debug)]
pub struct Channel {
    name: String,
    segments: Vec<Segment>,
    /// Folders whose names are no segment's.
    pub(crate) strangers: Vec<String>,
    /// What the first and last segment say.
    pub(crate) info: OnceLock<ChannelInfo>,
}

impl Channel {
    /// Lists the segments of the channel in folder `NAME.timd`.
    pub(crate) fn list(storage: &Storage, name: &str) -> Result<Channel> {
        let folder = format!("{name}.timd");
        let mut segments = Vec::new();
        let mut strangers = Vec::new();
        for item in storage.list(&folder)? {
            let Some(stem) = item.name.strip_suffix(".segd").filter(|_| item.is_folder) else {
                continue;
            };
            match parse_segment_name(stem) {
                Some(number) => segments.push(Segment::new(&folder, stem, number)),
                None => strangers.push(item.name),
            }
        }
        segments.sort_by_key(Segment::number);
        Ok(Channel {
            name: name.to_owned(),
            segments,
            strangers,
            info: OnceLock::new(),
        })
    }

    /// A channel of which all is known.
    pub(crate) fn assemble(name: &str, segments: Vec<Segment>, info: ChannelInfo) -> Channel {
        Channel {
            name: name.to_owned(),
            segments,
            strangers: Vec::new(),
            info: info.into(),
        }
    }

    /// The channel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The channel's folder below the session.
    pub(crate) fn folder(&self) -> String {
        format!("{}.timd", self.name)
    }

    /// All segments by number, also those of which a file is missing.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The first segment that has all its files.
    pub(crate) fn first(&self, storage: &Storage) -> Result<Option<&Segment>> {
        find_complete(self.segments.iter(), storage)
    }

    /// The last segment that has all its files.
    pub(crate) fn last(&self, storage: &Storage) -> Result<Option<&Segment>> {
        find_complete(self.segments.iter().rev(), storage)
    }

    /// The segments that have all their files.
    pub(crate) fn complete(&self, storage: &Storage) -> Result<Vec<&Segment>> {
        let mut found = Vec::new();
        for segment in &self.segments {
            if segment.is_complete(storage)? {
                found.push(segment);
            }
        }
        Ok(found)
    }
}

fn find_complete<'a>(
    segments: impl Iterator<Item = &'a Segment>,
    storage: &Storage,
) -> Result<Option<&'a Segment>> {
    for segment in segments {
        if segment.is_complete(storage)? {
            return Ok(Some(segment));
        }
    }
    Ok(None)
}
