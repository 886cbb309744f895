//! Several sessions as one.

use std::collections::BTreeMap;
use std::path::Path;

use axtile_core::{Error, Result, Watch};

use crate::copy::segment::{Change, Place, copy_segment};
use crate::records::{Record, RecordScope};
use crate::session::{Segment, Session};
use crate::write::{Durability, SessionWriter, half_sample};

/// Copies the sessions at `paths`, parts of one recording, to a new one at
/// `target`: each channel has the segments of all in the order of time. Blocks
/// are copied as they are. `watch` advances by bytes.
///
/// # Errors
/// Those of [`Session::open`] and of [`SessionWriter::create`];
/// `Error::Argument` for sessions of different subjects or time offsets, and
/// channels of different rates or that overlap by more than half a sample,
/// `Error::Corrupt` for a damaged block, `Error::Interrupted`. Nothing is at
/// `target` then.
pub fn merge_sessions(
    paths: &[&Path],
    target: &Path,
    password: Option<&str>,
    watch: &dyn Watch,
) -> Result<()> {
    let mut sessions = Vec::new();
    for path in paths {
        sessions.push(Session::open(path, password)?);
    }
    let Some(first) = sessions.first() else {
        return Err(Error::argument("no session was given to merge"));
    };
    let mut channels: BTreeMap<&str, Vec<(usize, &Segment)>> = BTreeMap::new();
    for (number, session) in sessions.iter().enumerate() {
        for channel in session.channels() {
            let own = channels.entry(channel.name()).or_default();
            for segment in channel.complete(session.storage())? {
                own.push((number, segment));
            }
        }
    }
    for (name, segments) in &mut channels {
        order(name, segments, &sessions)?;
    }
    let change = Change::default();
    let mut writer = SessionWriter::for_copy(target, first, &change)?;
    let mut numbers: BTreeMap<(usize, &str, u32), u32> = BTreeMap::new();
    for (name, segments) in &channels {
        let mut next = (0, 0);
        for &(number, segment) in segments {
            let Some(session) = sessions.get(number) else {
                continue;
            };
            let n_samples = writer.with_place(|mut place: Place<'_>| {
                copy_segment(session, name, segment, next, &change, &mut place, watch)
            })?;
            if n_samples > 0 {
                numbers.insert((number, name, segment.number()), next.0);
                next = (next.0 + 1, next.1 + n_samples);
            }
        }
    }
    let mut records: Vec<Record> = Vec::new();
    for (number, session) in sessions.iter().enumerate() {
        for mut record in session.records(false)?.0 {
            if let RecordScope::Segment(name, segment) = &mut record.scope {
                match numbers.get(&(number, name.as_str(), *segment)) {
                    Some(&new) => *segment = new,
                    None => continue,
                }
            }
            records.push(record);
        }
    }
    writer.write_records(&records, Durability::Fast)?;
    writer.close()
}

/// Sorts a channel's segments by time and refuses what does not fit together.
fn order(name: &str, segments: &mut [(usize, &Segment)], sessions: &[Session]) -> Result<()> {
    let mut keyed = Vec::new();
    for &(number, segment) in segments.iter() {
        if let Some(session) = sessions.get(number) {
            let metadata = segment.metadata(session.storage(), session.password())?;
            keyed.push((metadata, number, segment));
        }
    }
    keyed.sort_by_key(|(metadata, ..)| (metadata.start, metadata.end));
    for pair in keyed.windows(2) {
        let [(before, ..), (after, ..)] = pair else {
            continue;
        };
        let problem = if before.rate != after.rate {
            format!("rates of {} and {} Hz", before.rate, after.rate)
        } else if before.offset != after.offset {
            "different recording time offsets".to_owned()
        } else if before.section_2.units != after.section_2.units {
            format!(
                "units '{}' and '{}'",
                before.section_2.units, after.section_2.units
            )
        } else if before.section_3.as_ref().map(|section| &section.subject_id)
            != after.section_3.as_ref().map(|section| &section.subject_id)
        {
            "different subjects".to_owned()
        } else if before.access != after.access {
            "different passwords".to_owned()
        } else if after.start < before.end.saturating_sub(half_sample(before.rate)) {
            format!("samples until {} and from {} on", before.end, after.start)
        } else {
            continue;
        };
        return Err(Error::argument(format!(
            "channel '{name}' has segments that do not fit into one recording: {problem}"
        )));
    }
    for (slot, (_, number, segment)) in segments.iter_mut().zip(keyed) {
        *slot = (number, segment);
    }
    Ok(())
}
