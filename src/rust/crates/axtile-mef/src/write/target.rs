//! Where the samples of a part go, decided before anything is written.

use std::borrow::Cow;

use axtile_core::{Error, Result};

use crate::header::{FileType, MetadataImage, Section2, Section3};
use crate::session::{Session, check_name};
use crate::time::{TimeOffset, shown};
use crate::write::counts::{choose_factor, to_counts};
use crate::write::encode::{Prepared, block_length, spans, time_of, unstorable};
use crate::write::part::{Part, Values};
use crate::write::segment::OpenSegment;
use crate::write::statistics::half_sample;

/// The end of a channel that exists.
pub(crate) struct ChannelEnd {
    pub(crate) segment: OpenSegment,
    /// Highest number of a segment, complete or not.
    pub(crate) last_number: u32,
}

impl ChannelEnd {
    /// Opens the channel's last segment; `None` for no such channel.
    ///
    /// # Errors
    /// `Error::Corrupt` where that segment lacks a file or its files do not fit
    /// together.
    pub(crate) fn open(session: &Session, channel: &str) -> Result<Option<ChannelEnd>> {
        let known = session.channels().iter().find(|one| one.name() == channel);
        let Some(last) = known.and_then(|channel| channel.segments().last()) else {
            return Ok(None);
        };
        let metadata = session.storage().path_of(&last.file(FileType::Metadata));
        if !last.is_complete(session.storage())? {
            return Err(Error::corrupt(
                &metadata,
                "its folder",
                "one of the segment's three files is missing; recover the session before \
                 appending",
            ));
        }
        let (Some(folder), Some(stem)) = (
            metadata.parent(),
            metadata.file_stem().and_then(|stem| stem.to_str()),
        ) else {
            return Ok(None);
        };
        Ok(Some(ChannelEnd {
            segment: OpenSegment::load(folder, stem, session.password())?,
            last_number: last.number(),
        }))
    }

    pub(crate) fn image(&self) -> &MetadataImage {
        &self.segment.image
    }
}

/// What a part becomes.
pub(crate) enum Target {
    /// More blocks of the last segment.
    Extend,
    /// A segment, of a channel that exists or not.
    Create {
        number: u32,
        section_2: Box<Section2>,
    },
}

/// Checks a part against what is there and makes its counts.
///
/// # Errors
/// `Error::Argument` for a name, rate, factor, unit or time that does not fit,
/// `Error::Range` for values that do not. `None` where all samples are missing.
pub(crate) fn prepare<'a>(
    part: &Part<'a>,
    end: Option<&ChannelEnd>,
    session: &str,
    new_channel_offset: TimeOffset,
) -> Result<Option<(Prepared<'a>, Target)>> {
    check_name("channel", part.channel)?;
    if !(part.rate.is_finite() && part.rate > 0.0) {
        return Err(Error::argument(format!(
            "channel '{}': the sampling rate is {}, expected a positive number",
            part.channel, part.rate
        )));
    }
    let before = end.map(|end| end.image().section_2());
    if let Some(before) = &before
        && before.sampling_frequency != part.rate
    {
        return Err(Error::argument(format!(
            "channel '{}' has {} Hz, the samples {} Hz",
            part.channel, before.sampling_frequency, part.rate
        )));
    }
    let known_factor = before
        .as_ref()
        .map(|before| match before.units_conversion_factor {
            0.0 => 1.0,
            factor => factor,
        });
    let extends = end.is_some() && !part.new_segment;
    let (counts, factor) = to_counts_of(part, known_factor, extends)?;
    let spans = spans(&counts, block_length(part.rate));
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        return Ok(None);
    };
    let offset = match end {
        Some(end) => end.segment.offset()?,
        None => new_channel_offset,
    };
    let first_time = time_of(part.start, first.from, part.rate);
    let last_time = time_of(part.start, last.to, part.rate);
    for time in [first_time, last_time] {
        if offset.stored(time).is_none() {
            return Err(unstorable(time));
        }
    }
    if let Some(end) = end
        && let Some((_, until)) = end.segment.span()?
        && first_time < until.saturating_sub(half_sample(part.rate))
    {
        return Err(Error::argument(format!(
            "channel '{}' ends at {}, the samples start before, at {}",
            part.channel,
            shown(until),
            shown(first_time)
        )));
    }
    let target = match (&before, end) {
        (Some(_), Some(_)) if extends => Target::Extend,
        (Some(before), Some(end)) => Target::Create {
            number: end
                .last_number
                .checked_add(1)
                .filter(|&n| n < 1_000_000)
                .ok_or_else(|| {
                    Error::limit(
                        &end.segment.folder,
                        format!(
                            "channel '{}' has no number left for a segment",
                            part.channel
                        ),
                    )
                })?,
            section_2: Box::new(Section2 {
                start_sample: before
                    .start_sample
                    .max(0)
                    .saturating_add(before.n_samples.max(0)),
                units_conversion_factor: factor,
                ..before.clone()
            }),
        },
        _ => Target::Create {
            number: 0,
            section_2: Box::new(new_section(part, session, factor)?),
        },
    };
    let prepared = Prepared {
        spans,
        counts,
        start: part.start,
        rate: part.rate,
        offset,
    };
    Ok(Some((prepared, target)))
}

fn to_counts_of<'a>(
    part: &Part<'a>,
    known_factor: Option<f64>,
    extends: bool,
) -> Result<(Cow<'a, [i32]>, f64)> {
    match part.values {
        Values::Scaled { values, precision } => {
            let known = match precision {
                crate::write::Precision::Automatic => known_factor,
                _ => known_factor.filter(|_| extends),
            };
            let factor = choose_factor(values, precision, known, part.channel)?;
            Ok((to_counts(values, factor, part.channel)?.into(), factor))
        }
        Values::Counts { counts, factor } => {
            if !factor.is_finite() || factor == 0.0 {
                return Err(Error::argument(format!(
                    "channel '{}': the units conversion factor is {factor}, expected a \
                     finite number other than 0",
                    part.channel
                )));
            }
            match known_factor {
                Some(known) if extends && known != factor => Err(Error::argument(format!(
                    "channel '{}' has the units conversion factor {known}, the samples \
                     {factor}",
                    part.channel
                ))),
                _ => Ok((counts.into(), factor)),
            }
        }
    }
}

fn new_section(part: &Part<'_>, session: &str, factor: f64) -> Result<Section2> {
    let mut section = part.description.cloned().unwrap_or_default();
    for (what, text, most) in [
        ("units", &section.units, 127),
        ("channel description", &section.channel_description, 2047),
        ("session description", &section.session_description, 2047),
        (
            "reference description",
            &section.reference_description,
            2047,
        ),
    ] {
        check_text(what, text, most)?;
    }
    if section.channel_description.is_empty() {
        section.channel_description = part.channel.to_owned();
    }
    if section.session_description.is_empty() {
        section.session_description = session.to_owned();
    }
    section.sampling_frequency = part.rate;
    section.units_conversion_factor = factor;
    section.start_sample = 0;
    Ok(section)
}

/// Refuses text that its field would cut.
pub(crate) fn check_text(what: &str, text: &str, most: usize) -> Result<()> {
    if text.len() > most || text.contains('\0') {
        return Err(Error::argument(format!(
            "the {what} has {} bytes or a NUL, at most {most} bytes without one fit",
            text.len()
        )));
    }
    Ok(())
}

/// Refuses texts of section 3 that do not fit.
pub(crate) fn check_section_3(section: &Section3) -> Result<()> {
    check_text("first subject name", &section.subject_name_1, 127)?;
    check_text("second subject name", &section.subject_name_2, 127)?;
    check_text("subject ID", &section.subject_id, 127)?;
    check_text("recording location", &section.recording_location, 511)
}
