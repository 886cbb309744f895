//! Using a snapshot.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use axtile_store::open_regular;
use serde_json::Value;

use crate::session::{Channel, ChannelInfo, Segment, Session, Skipped, Storage, TarIndex};
use crate::snapshot::FORMAT;
use crate::snapshot::identity::identity;
use crate::snapshot::save::watch;

/// Largest snapshot that is read.
const MAX_BYTES: u64 = 1 << 28;
/// Most segments of a channel: their numbers have six digits.
const MAX_SEGMENTS: usize = 1_000_000;

/// The session, if the snapshot in `file` is that of what is there now.
pub(super) fn load(path: &Path, password: Option<&str>, file: &Path) -> Option<Session> {
    if std::fs::metadata(file).ok()?.len() > MAX_BYTES {
        return None;
    }
    let snapshot: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let is_ours = snapshot.get("format")?.as_i64()? == FORMAT
        && snapshot.get("axtile")?.as_str()? == env!("CARGO_PKG_VERSION")
        && *snapshot.get("root")? == identity(path)?;
    if !is_ours {
        return None;
    }
    let storage = match snapshot.get("archive")? {
        Value::Null if path.is_dir() => Storage::Folder(path.to_owned()),
        archive => Storage::Tar(path.to_owned(), load_archive(path, archive)?),
    };
    let mut channels = Vec::new();
    for channel in snapshot.get("channels")?.as_array()? {
        channels.push(load_channel(&storage, channel)?);
    }
    let skipped = snapshot.get("skipped")?.as_array()?.iter().map(|one| {
        Some(Skipped {
            path: one.get(0)?.as_str()?.to_owned(),
            reason: one.get(1)?.as_str()?.to_owned(),
        })
    });
    let skipped = skipped.collect::<Option<Vec<Skipped>>>()?;
    Some(Session::assemble(
        storage,
        snapshot.get("name")?.as_str()?.to_owned(),
        password,
        channels,
        skipped,
    ))
}

fn load_archive(path: &Path, archive: &Value) -> Option<TarIndex> {
    let file = open_regular(path).ok()?;
    let n_bytes = file.metadata().ok()?.len();
    let mut members = BTreeMap::new();
    for member in archive.get("members")?.as_array()? {
        let (offset, len) = (member.get(1)?.as_u64()?, member.get(2)?.as_u64()?);
        if offset.checked_add(len)? > n_bytes {
            return None;
        }
        members.insert(member.get(0)?.as_str()?.to_owned(), (offset, len));
    }
    Some(TarIndex {
        file: Arc::new(file),
        root: archive.get("root")?.as_str()?.to_owned(),
        members,
    })
}

fn load_channel(storage: &Storage, value: &Value) -> Option<Channel> {
    let name = value.get("name")?.as_str()?;
    let number = |field: &str| u32::try_from(value.get(field)?.as_u64()?).ok();
    let (first, last) = (number("first")?, number("last")?);
    let folder = format!("{name}.timd");
    let mut segments = Vec::new();
    for run in value.get("segments")?.as_array()? {
        let end = |at: usize| u32::try_from(run.get(at)?.as_u64()?).ok();
        let (from, to) = (end(0)?, end(1)?);
        if to as usize >= MAX_SEGMENTS || segments.len() >= MAX_SEGMENTS {
            return None;
        }
        for number in from..=to {
            let stem = crate::session::segment_folder(name, number);
            let segment = Segment::new(&folder, &stem, number);
            if number == first || number == last {
                segment.set_complete();
            }
            segments.push(segment);
        }
    }
    let info = ChannelInfo {
        name: name.to_owned(),
        rate: value.get("rate")?.as_f64()?,
        units: value.get("units")?.as_str()?.to_owned(),
        factor: value.get("factor")?.as_f64()?,
        start: value.get("start")?.as_i64()?,
        end: value.get("end")?.as_i64()?,
        n_samples: value.get("n_samples")?.as_u64(),
        n_segments: segments.len(),
    };
    let channel = Channel::assemble(name, segments, info);
    if matches!(storage, Storage::Folder(_)) {
        let find = |number: u32| {
            let all = channel.segments().iter();
            all.clone().find(|segment| segment.number() == number)
        };
        let now = watch(storage, &channel, find(first)?, find(last)?)?;
        if now != *value.get("watched")? {
            return None;
        }
    }
    Some(channel)
}
