//! Segments, blocks and gaps of a channel.

use axtile_core::Result;
use axtile_mef::session::{BlockInfo, SegmentInfo};
use extendr_api::prelude::*;

use super::columns::{named, numbers, reals, some_texts, texts, times};
use super::source::open_session;
use crate::arguments::Arguments;
use crate::guard::guard;
use crate::watch::watched;

/// The channel of the argument `channel`, counted from 0.
fn channel(arguments: &Arguments) -> Result<usize> {
    Ok(arguments.count("channel")?.saturating_sub(1) as usize)
}

fn uuid(id: &[u8; 16]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What stands for an unknown offset from Greenwich.
const NO_GMT_OFFSET: i32 = -86_401;

// All that the metadata of a channel's segments say.
#[extendr]
fn rs_mef_segments(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let open = open_session(&arguments)?;
        let session = &open.session;
        let channel = channel(&arguments)?;
        let all = watched(&().into(), |_| session.segments(channel))?;
        let text = |of: fn(&SegmentInfo) -> &str| texts(all.iter().map(of));
        let real = |of: fn(&SegmentInfo) -> f64| reals(all.iter().map(of), None);
        let rate = |of: fn(&SegmentInfo) -> f64| reals(all.iter().map(of), Some(-1.0));
        let whole =
            |what: &str, of: fn(&SegmentInfo) -> i64| numbers(what, all.iter().map(of), Some(-1));
        let id = |of: fn(&SegmentInfo) -> &[u8; 16]| -> Robj {
            all.iter()
                .map(|one| uuid(of(one)))
                .collect::<Vec<String>>()
                .into()
        };
        let subject = |of: fn(&axtile_mef::header::Section3) -> &str| {
            some_texts(all.iter().map(|one| one.section_3.as_ref().map(of)))
        };
        let time_of_subject = |what: &str, of: fn(&axtile_mef::header::Section3) -> i64| {
            let time = |one: &SegmentInfo| one.section_3.as_ref().map_or(i64::MIN, of);
            times(what, all.iter().map(time))
        };
        let gmt_offset = |one: &SegmentInfo| -> i64 {
            one.section_3
                .as_ref()
                .map_or(NO_GMT_OFFSET, |section| section.gmt_offset)
                .into()
        };
        Ok(named(vec![
            (
                "segment",
                numbers("a number", all.iter().map(|s| s.number.into()), None)?,
            ),
            (
                "start",
                times("a segment's start", all.iter().map(|s| s.start))?,
            ),
            ("end", times("a segment's end", all.iter().map(|s| s.end))?),
            (
                "n_samples",
                whole("number of samples", |s| s.section_2.n_samples)?,
            ),
            (
                "start_sample",
                whole("start sample", |s| s.section_2.start_sample)?,
            ),
            ("sampling_rate", real(|s| s.section_2.sampling_frequency)),
            ("units", text(|s| &s.section_2.units)?),
            (
                "conversion_factor",
                real(|s| s.section_2.units_conversion_factor),
            ),
            (
                "n_blocks",
                whole("number of blocks", |s| s.section_2.n_blocks)?,
            ),
            (
                "data_bytes",
                numbers("size", all.iter().map(|s| s.data_bytes.cast_signed()), None)?,
            ),
            ("minimum", real(|s| s.section_2.minimum_native)),
            ("maximum", real(|s| s.section_2.maximum_native)),
            (
                "n_discontinuities",
                whole("discontinuities", |s| s.section_2.n_discontinuities)?,
            ),
            (
                "recording_duration",
                whole("duration", |s| s.section_2.recording_duration)?,
            ),
            (
                "block_interval",
                whole("block interval", |s| s.section_2.block_interval)?,
            ),
            (
                "maximum_block_bytes",
                whole("block bytes", |s| s.section_2.maximum_block_bytes)?,
            ),
            (
                "maximum_block_samples",
                numbers(
                    "block samples",
                    all.iter().map(|s| s.section_2.maximum_block_samples.into()),
                    Some(u32::MAX.into()),
                )?,
            ),
            (
                "maximum_difference_bytes",
                numbers(
                    "difference bytes",
                    all.iter()
                        .map(|s| s.section_2.maximum_difference_bytes.into()),
                    Some(u32::MAX.into()),
                )?,
            ),
            (
                "maximum_contiguous_blocks",
                whole("blocks of a run", |s| s.section_2.maximum_contiguous_blocks)?,
            ),
            (
                "maximum_contiguous_bytes",
                whole("bytes of a run", |s| s.section_2.maximum_contiguous_bytes)?,
            ),
            (
                "maximum_contiguous_samples",
                whole("samples of a run", |s| {
                    s.section_2.maximum_contiguous_samples
                })?,
            ),
            (
                "channel_description",
                text(|s| &s.section_2.channel_description)?,
            ),
            (
                "session_description",
                text(|s| &s.section_2.session_description)?,
            ),
            (
                "reference_description",
                text(|s| &s.section_2.reference_description)?,
            ),
            (
                "acquisition_channel",
                whole("acquisition channel", |s| s.section_2.acquisition_channel)?,
            ),
            ("high_pass", rate(|s| s.section_2.low_frequency_filter)),
            ("low_pass", rate(|s| s.section_2.high_frequency_filter)),
            ("notch", rate(|s| s.section_2.notch_filter)),
            ("line_frequency", rate(|s| s.section_2.line_frequency)),
            ("subject_name_1", subject(|s| &s.subject_name_1)?),
            ("subject_name_2", subject(|s| &s.subject_name_2)?),
            ("subject_id", subject(|s| &s.subject_id)?),
            ("recording_location", subject(|s| &s.recording_location)?),
            (
                "gmt_offset",
                numbers(
                    "offset from Greenwich",
                    all.iter().map(gmt_offset),
                    Some(NO_GMT_OFFSET.into()),
                )?,
            ),
            (
                "recording_time_offset",
                time_of_subject("recording time offset", |s| s.recording_time_offset)?,
            ),
            (
                "dst_start",
                time_of_subject("start of daylight saving", |s| s.dst_start)?,
            ),
            (
                "dst_end",
                time_of_subject("end of daylight saving", |s| s.dst_end)?,
            ),
            ("session_name", text(|s| &s.header.session)?),
            ("channel_name", text(|s| &s.header.channel)?),
            ("anonymized_name", text(|s| &s.header.anonymized_name)?),
            ("level_uuid", id(|s| &s.header.level_id)),
            ("file_uuid", id(|s| &s.header.file_id)),
            ("provenance_uuid", id(|s| &s.header.provenance_id)),
        ]))
    })
}

// A channel's blocks as the indexes have them.
#[extendr]
fn rs_mef_blocks(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let open = open_session(&arguments)?;
        let session = &open.session;
        let channel = channel(&arguments)?;
        let blocks = watched(&().into(), |_| session.blocks(channel))?;
        let whole = |of: fn(&BlockInfo) -> i64| numbers("a block", blocks.iter().map(of), None);
        // RED's mark of a missing count.
        let extreme = |of: fn(&BlockInfo) -> i32| -> Robj {
            let scaled = |block: &BlockInfo| match of(block) {
                i32::MIN => f64::na(),
                count => f64::from(count) * block.factor,
            };
            blocks.iter().map(scaled).collect::<Vec<f64>>().into()
        };
        let (smallest, largest) = (extreme(|b| b.minimum), extreme(|b| b.maximum));
        Ok(named(vec![
            ("segment", whole(|b| b.segment.into())?),
            (
                "start",
                times("a block's start", blocks.iter().map(|b| b.start))?,
            ),
            ("end", times("a block's end", blocks.iter().map(|b| b.end))?),
            ("n_samples", whole(|b| b.n_samples.into())?),
            ("minimum", smallest),
            ("maximum", largest),
            (
                "is_discontinuity",
                blocks
                    .iter()
                    .map(|b| b.flags & 1 != 0)
                    .collect::<Vec<bool>>()
                    .into(),
            ),
            ("offset", whole(|b| b.offset)?),
            ("n_bytes", whole(|b| b.n_bytes.into())?),
        ]))
    })
}

// Times within a channel that no block has.
#[extendr]
fn rs_mef_gaps(arguments: Robj) -> Robj {
    guard(|| {
        let arguments = Arguments::new(&arguments)?;
        let open = open_session(&arguments)?;
        let session = &open.session;
        let channel = channel(&arguments)?;
        let gaps = watched(&().into(), |_| session.gaps(channel))?;
        Ok(named(vec![
            (
                "start",
                times("a gap's start", gaps.iter().map(|gap| gap.start))?,
            ),
            ("end", times("a gap's end", gaps.iter().map(|gap| gap.end))?),
        ]))
    })
}

extendr_module! {
    mod infos;
    fn rs_mef_segments;
    fn rs_mef_blocks;
    fn rs_mef_gaps;
}
