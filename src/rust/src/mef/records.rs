//! Records: notes, annotations and events, as data frames of R's.

use axtile_core::{Error, Result};
use axtile_mef::read::Notice;
use axtile_mef::records::{Record, RecordBody, RecordScope};
use extendr_api::prelude::*;

use super::columns::{all_whole, named, numbers, some_texts, texts, times};
use super::record_fields;
use super::session::notices_to_r;
use super::source::open_session;
use super::writer::with_writer;
use super::writing::durability;
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::watch::watched;

fn channel(record: &Record) -> Option<&str> {
    match &record.scope {
        RecordScope::Session => None,
        RecordScope::Channel(name) | RecordScope::Segment(name, _) => Some(name),
    }
}

fn segment(record: &Record) -> i64 {
    match record.scope {
        RecordScope::Segment(_, number) => number.into(),
        _ => -1,
    }
}

fn text(record: &Record) -> Option<&str> {
    match &record.body {
        RecordBody::Text(text) | RecordBody::Annotation { text, .. } => Some(text),
        RecordBody::Seizure(seizure) => Some(&seizure.annotation),
        RecordBody::Epoch(epoch) => Some(&epoch.text),
        RecordBody::Cursor(cursor) => Some(&cursor.name),
        RecordBody::Stimulus(stimulus) => Some(&stimulus.stimulus),
        RecordBody::ElectricStimulus(stimulus) => Some(&stimulus.waveform),
        RecordBody::LineNoise(_) | RecordBody::Other(_) | RecordBody::Locked => None,
    }
}

fn duration(record: &Record) -> i64 {
    match &record.body {
        RecordBody::Annotation { duration, .. } => *duration,
        RecordBody::Seizure(seizure) => seizure.duration,
        RecordBody::Epoch(epoch) => epoch.duration,
        RecordBody::Stimulus(stimulus) => stimulus.duration,
        _ => -1,
    }
}

/// The record's fields, if R has all its numbers exactly.
fn exact_fields(record: &Record) -> Result<Robj> {
    let fields = || -> Result<Robj> {
        times("the time", [record.time])?;
        numbers("the duration", [duration(record)], None)?;
        record_fields::to_r(&record.body)
    };
    fields().map_err(|error| {
        let Error::Range { problem } = error else {
            return error;
        };
        let place = match (channel(record), segment(record)) {
            (None, _) => "the session".to_owned(),
            (Some(name), -1) => format!("channel '{name}'"),
            (Some(name), number) => format!("channel '{name}', segment {number}"),
        };
        Error::range(format!(
            "a record of type '{}' of {place}: {problem}",
            record.kind
        ))
    })
}

// All records of a session.
#[extendr]
fn rs_mef_records(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let open = open_session(&arguments)?;
        let session = &open.session;
        let lenient = arguments.flag("lenient")?;
        let (found, mut notices) = watched(&().into(), |_| session.records(lenient))?;
        let (mut records, mut fields) = (Vec::new(), Vec::new());
        for record in found {
            match exact_fields(&record) {
                Ok(own) => {
                    records.push(record);
                    fields.push(own);
                }
                Err(error @ Error::Range { .. }) if lenient => notices.push(Notice {
                    channel: channel(&record).unwrap_or_default().to_owned(),
                    segment: u32::try_from(segment(&record)).unwrap_or(0),
                    block: None,
                    problem: error.to_string(),
                }),
                Err(error) => return Err(error),
            }
        }
        let version = |record: &Record| format!("{}.{}", record.version.0, record.version.1);
        let versions: Vec<String> = records.iter().map(version).collect();
        let is_locked = |record: &Record| record.body == RecordBody::Locked;
        Ok(named(vec![
            (
                "time",
                times("a record's time", records.iter().map(|r| r.time))?,
            ),
            ("type", texts(records.iter().map(|r| r.kind.as_str()))?),
            ("text", some_texts(records.iter().map(text))?),
            (
                "duration",
                numbers(
                    "a record's duration",
                    records.iter().map(duration),
                    Some(-1),
                )?,
            ),
            ("channel", some_texts(records.iter().map(channel))?),
            (
                "segment",
                numbers("a segment", records.iter().map(segment), Some(-1))?,
            ),
            ("version", versions.into()),
            (
                "is_locked",
                records.iter().map(is_locked).collect::<Vec<bool>>().into(),
            ),
            ("fields", List::from_values(fields).into()),
            ("notices", notices_to_r(&notices)?),
        ]))
    })
}

// Appends records.
#[extendr]
fn rs_mef_write_records(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let records = from_r(&arguments)?;
        let durability = durability(&arguments)?;
        with_writer(&arguments, |writer| {
            watched(&().into(), |_| writer.write_records(&records, durability))
        })?;
        Ok(().into())
    })
}

/// The records that the arguments `time`, `type`, `text`, `duration`, `channel`,
/// `segment` and `fields` describe, each with one element for each record.
fn from_r(arguments: &Arguments) -> Result<Vec<Record>> {
    let some = |name: &str| -> Result<Vec<Option<String>>> {
        let value = arguments.get(name);
        let texts = Strings::try_from(value).map_err(|_| Arguments::wrong(name))?;
        let text = |text: &Rstr| (!text.is_na()).then(|| text.as_ref().to_owned());
        Ok(texts.iter().map(text).collect())
    };
    let (kinds, all_texts, channels) = (some("type")?, some("text")?, some("channel")?);
    let all_times = all_whole(arguments, "time", i64::MIN)?;
    let durations = all_whole(arguments, "duration", -1)?;
    let segments = all_whole(arguments, "segment", -1)?;
    let fields = arguments.get("fields");
    let fields = fields.as_list().ok_or_else(|| Arguments::wrong("fields"))?;
    let mut records = Vec::with_capacity(all_times.len());
    for (at, &time) in all_times.iter().enumerate() {
        let get = |all: &[Option<String>]| all.get(at).cloned().flatten();
        let kind = get(&kinds).ok_or_else(|| Arguments::wrong("type"))?;
        let duration = durations.get(at).copied().unwrap_or(-1);
        let own = fields.elt(at).map_err(|_| Arguments::wrong("fields"))?;
        let body = record_fields::from_r(&kind, get(&all_texts).as_deref(), duration, &own)?;
        let segment = segments.get(at).copied().unwrap_or(-1);
        let scope = match (get(&channels), u32::try_from(segment)) {
            (None, _) => RecordScope::Session,
            (Some(channel), Ok(segment)) => RecordScope::Segment(channel, segment),
            (Some(channel), Err(_)) => RecordScope::Channel(channel),
        };
        records.push(Record {
            scope,
            time,
            kind,
            version: (1, 0),
            body,
        });
    }
    Ok(records)
}

extendr_module! {
    mod records;
    fn rs_mef_records;
    fn rs_mef_write_records;
}
