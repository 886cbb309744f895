//! Making a snapshot.

use std::path::Path;

use axtile_store::write_file;
use serde_json::{Value, json};

use crate::header::FileType;
use crate::session::{Channel, Segment, Session, Storage};
use crate::snapshot::FORMAT;
use crate::snapshot::identity::{identity, is_settled};

/// Writes the snapshot of `session` to `file`, if it can have one.
pub(super) fn save(session: &Session, file: &Path) {
    let Some(snapshot) = describe(session) else {
        return;
    };
    if let Some(folder) = file.parent() {
        // Without a snapshot the next opening is slower, nothing else.
        let _ = std::fs::create_dir_all(folder);
        let _ = write_file(file, snapshot.to_string().as_bytes());
    }
}

fn describe(session: &Session) -> Option<Value> {
    let root = identity(session.path()).filter(is_settled)?;
    let mut channels = Vec::new();
    for (index, channel) in session.channels().iter().enumerate() {
        channels.push(describe_channel(session, index, channel)?);
    }
    let members = match session.storage() {
        Storage::Folder(_) => Value::Null,
        Storage::Tar(_, index) => {
            let members = index.members.iter();
            let all: Vec<Value> = members
                .map(|(name, (offset, len))| json!([name, offset, len]))
                .collect();
            json!({ "root": index.root, "members": all })
        }
    };
    let skipped = session.skipped().iter();
    let skipped: Vec<Value> = skipped.map(|one| json!([one.path, one.reason])).collect();
    Some(json!({
        "format": FORMAT,
        "axtile": env!("CARGO_PKG_VERSION"),
        "root": root,
        "name": session.name(),
        "archive": members,
        "skipped": skipped,
        "channels": channels,
    }))
}

fn describe_channel(session: &Session, index: usize, channel: &Channel) -> Option<Value> {
    let storage = session.storage();
    let first = channel.first(storage).ok()??;
    let last = channel.last(storage).ok()??;
    for segment in [first, last] {
        let metadata = segment.metadata(storage, None).ok()?;
        if metadata.access.has_passwords() {
            return None;
        }
    }
    let info = session.channel_info(index).ok()?;
    let watched = match storage {
        Storage::Tar(..) => Value::Null,
        Storage::Folder(_) => watch(storage, channel, first, last)?,
    };
    // One entry for all segments that are numbered without a gap.
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for segment in channel.segments() {
        if segment.name() != crate::session::segment_folder(channel.name(), segment.number()) {
            return None;
        }
        match runs.last_mut() {
            Some((_, to)) if *to + 1 == segment.number() => *to = segment.number(),
            _ => runs.push((segment.number(), segment.number())),
        }
    }
    Some(json!({
        "name": channel.name(),
        "watched": watched,
        "segments": runs,
        "first": first.number(),
        "last": last.number(),
        "rate": info.rate,
        "units": info.units,
        "factor": info.factor,
        "start": info.start,
        "end": info.end,
        "n_samples": info.n_samples,
    }))
}

/// What must be the same for the snapshot to be used.
pub(super) fn watch(
    storage: &Storage,
    channel: &Channel,
    first: &Segment,
    last: &Segment,
) -> Option<Value> {
    let folder = identity(&storage.path_of(&channel.folder()))?;
    let mut watched = vec![folder];
    for (segment, file_type) in [
        (first, FileType::Metadata),
        (last, FileType::Metadata),
        (last, FileType::Index),
        (last, FileType::Data),
    ] {
        watched.push(identity(&storage.path_of(&segment.file(file_type)))?);
    }
    watched
        .iter()
        .all(is_settled)
        .then_some(Value::Array(watched))
}
