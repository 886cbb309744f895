//! A session's copy.

use std::path::Path;

use axtile_core::{Error, Result, Watch};

use crate::copy::records::copy_record;
use crate::copy::segment::{Change, Place, copy_segment};
use crate::read::Window;
use crate::records::{Record, RecordScope};
use crate::session::Session;
use crate::write::{Durability, SessionWriter};

/// Copies what `window` has of the session at `path` to a new one at `target`,
/// samples and records. `watch` advances by bytes.
///
/// # Errors
/// Those of [`Session::open`] and of [`SessionWriter::create`];
/// `Error::Argument` for a window without samples and for a missing level 2
/// password, `Error::Corrupt` for a damaged block, `Error::Interrupted`.
/// Nothing is at `target` then.
pub fn cut_session(
    path: &Path,
    target: &Path,
    window: Window,
    password: Option<&str>,
    watch: &dyn Watch,
) -> Result<()> {
    let change = Change {
        window: Some(window),
        ..Change::default()
    };
    copy_session(&Session::open(path, password)?, target, &change, watch)
}

pub(crate) fn copy_session(
    source: &Session,
    target: &Path,
    change: &Change,
    watch: &dyn Watch,
) -> Result<()> {
    let mut writer = SessionWriter::for_copy(target, source, change)?;
    let mut kept = Vec::new();
    for channel in source.channels() {
        let mut next = (0, 0);
        for segment in channel.complete(source.storage())? {
            let n_samples = writer.with_place(|mut place: Place<'_>| {
                copy_segment(
                    source,
                    channel.name(),
                    segment,
                    next,
                    change,
                    &mut place,
                    watch,
                )
            })?;
            if n_samples > 0 {
                let old = (channel.name().to_owned(), segment.number());
                kept.push((old, next.0));
                next = (next.0 + 1, next.1 + n_samples);
            }
        }
    }
    if kept.is_empty() {
        return Err(Error::argument(format!(
            "'{}' has no sample there",
            source.path().display()
        )));
    }
    let (records, _) = source.records(false)?;
    let mut copies: Vec<Record> = Vec::new();
    for record in &records {
        let Some(mut copy) = copy_record(record, change)? else {
            continue;
        };
        match &mut copy.scope {
            RecordScope::Session => {}
            RecordScope::Channel(name) => {
                if !kept.iter().any(|((channel, _), _)| channel == name) {
                    continue;
                }
            }
            RecordScope::Segment(name, number) => {
                let found = kept
                    .iter()
                    .find(|((channel, old), _)| channel == name && old == number);
                match found {
                    Some((_, new)) => *number = *new,
                    None => continue,
                }
            }
        }
        copies.push(copy);
    }
    writer.write_records(&copies, Durability::Fast)?;
    writer.close()
}
