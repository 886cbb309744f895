//! Records as they are copied.

use axtile_core::{Error, Result};

use crate::copy::segment::Change;
use crate::records::{Record, RecordBody};

/// The record's copy; `None` where it is left out.
///
/// # Errors
/// `Error::Argument` for one whose body is locked.
pub(crate) fn copy_record(record: &Record, change: &Change) -> Result<Option<Record>> {
    if let Some(window) = change.window
        && !(window.from..window.to).contains(&record.time)
    {
        return Ok(None);
    }
    let mut copy = record.clone();
    copy.time = copy.time.saturating_add(change.shift);
    let shift = |time: &mut i64| {
        if *time >= 0 {
            *time = time.saturating_add(change.shift);
        }
    };
    let is_anonymous = change.anonymize.is_some();
    match &mut copy.body {
        RecordBody::Locked => {
            return Err(Error::argument(
                "the records are encrypted: the level 2 password is needed to copy them",
            ));
        }
        // Free text, and what is not known, may say anything.
        RecordBody::Text(_) | RecordBody::Annotation { .. } | RecordBody::Other(_)
            if is_anonymous =>
        {
            return Ok(None);
        }
        RecordBody::Seizure(seizure) => {
            shift(&mut seizure.onset);
            shift(&mut seizure.offset);
            for channel in &mut seizure.channels {
                shift(&mut channel.onset);
                shift(&mut channel.offset);
            }
            if is_anonymous {
                seizure.annotation.clear();
            }
        }
        RecordBody::Epoch(epoch) => {
            shift(&mut epoch.start);
            shift(&mut epoch.end);
            if is_anonymous {
                epoch.text.clear();
            }
        }
        RecordBody::Cursor(cursor) => {
            shift(&mut cursor.time);
            if is_anonymous {
                cursor.name.clear();
            }
        }
        RecordBody::Stimulus(stimulus) if is_anonymous => stimulus.response.clear(),
        _ => {}
    }
    Ok(Some(copy))
}
