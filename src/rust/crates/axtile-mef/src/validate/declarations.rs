//! Checking what metadata declare against the index.

use std::path::Path;

use crate::header::{IndexEntry, MetadataImage, Section3};
use crate::time::duration;
use crate::validate::finding::{Place, Severity};
use crate::write::{BlockSize, Statistics, half_sample};

/// Reports declarations that the index contradicts.
pub(crate) fn check(image: &MetadataImage, entries: &[IndexEntry], path: &Path, place: &Place<'_>) {
    let section = image.section_2();
    let report = |check, severity, problem: String| {
        place.report(path.to_owned(), None, check, severity, problem);
    };
    let rate = section.sampling_frequency;
    if !(rate.is_finite() && rate > 0.0) {
        let problem = format!("the sampling frequency is {rate}");
        report("times.sampling-frequency", Severity::Error, problem);
        return;
    }
    let mut exact = section.clone();
    let statistics = Statistics::of(entries.iter().map(BlockSize::from));
    crate::write::redeclare(&mut exact, &statistics, (0, 0));
    let counted = |check, what: &str, declared: i64, found: i64| {
        if declared != found {
            let problem = format!("{what}: {declared} declared, the index has {found}");
            report(check, Severity::Error, problem);
        }
    };
    counted(
        "index.block-count",
        "blocks",
        section.n_blocks,
        exact.n_blocks,
    );
    counted(
        "index.sample-count",
        "samples",
        section.n_samples,
        exact.n_samples,
    );
    let sized = |check, what: &str, declared: i64, found: i64| {
        if declared < found {
            let problem = format!(
                "{what}: {declared} declared, the index has {found}; readers that allocate by \
                 it write over other memory"
            );
            report(check, Severity::Error, problem);
        }
    };
    let samples = i64::from(section.maximum_block_samples);
    sized(
        "sizing.block-maxima",
        "samples of the longest block",
        samples,
        exact.maximum_block_samples.into(),
    );
    sized(
        "sizing.block-maxima",
        "bytes of the largest block",
        section.maximum_block_bytes,
        exact.maximum_block_bytes,
    );
    sized(
        "sizing.contiguous",
        "blocks of the longest run",
        section.maximum_contiguous_blocks,
        exact.maximum_contiguous_blocks,
    );
    sized(
        "sizing.contiguous",
        "bytes of the longest run",
        section.maximum_contiguous_bytes,
        exact.maximum_contiguous_bytes,
    );
    sized(
        "sizing.contiguous",
        "samples of the longest run",
        section.maximum_contiguous_samples,
        exact.maximum_contiguous_samples,
    );
    sized(
        "times.discontinuities",
        "discontinuities",
        section.n_discontinuities,
        exact.n_discontinuities,
    );
    if section.maximum_difference_bytes < section.maximum_block_samples.saturating_add(4) {
        let problem = format!(
            "{} difference bytes at most are declared, blocks of {} samples have more",
            section.maximum_difference_bytes, section.maximum_block_samples
        );
        report("sizing.difference-bytes", Severity::Error, problem);
    }
    if section.block_interval < duration(exact.maximum_block_samples.into(), rate) {
        let problem = format!(
            "blocks last up to {} us by the metadata",
            section.block_interval
        );
        report("times.block-interval", Severity::Warning, problem);
    }
    check_times(image, entries, &report);
}

fn check_times(
    image: &MetadataImage,
    entries: &[IndexEntry],
    report: &impl Fn(&'static str, Severity, String),
) {
    let section = image.section_2();
    let rate = section.sampling_frequency;
    let offset = image
        .section_3()
        .as_ref()
        .map(Section3::time_offset)
        .unwrap_or_default();
    let mut bounds: Option<(i64, i64)> = None;
    for entry in entries.iter().filter(|entry| entry.n_samples > 0) {
        if let Some(start) = offset.absolute(entry.start) {
            let end = start.saturating_add(duration(entry.n_samples.into(), rate));
            let known = bounds.unwrap_or((start, end));
            bounds = Some((known.0.min(start), known.1.max(end)));
        }
    }
    let header = image.header();
    let declared = offset
        .absolute(header.start)
        .zip(offset.absolute(header.end));
    let slack = half_sample(rate).max(1);
    let Some((start, end)) = bounds else { return };
    let is_near = declared.is_some_and(|declared| {
        declared.0.saturating_sub(start).saturating_abs() <= slack
            && declared.1.saturating_sub(end).saturating_abs() <= slack
    });
    if !is_near {
        report(
            "times.segment-bounds",
            Severity::Error,
            format!("the header declares {declared:?}, the blocks are from {start} to {end}"),
        );
    }
    // Some writers declare the time that is recorded, without gaps.
    let lengths = [
        end.saturating_sub(start),
        duration(section.n_samples.max(0).unsigned_abs(), rate),
    ];
    let is_length = |length: &i64| {
        length
            .saturating_sub(section.recording_duration)
            .saturating_abs()
            <= slack
    };
    if !lengths.iter().any(is_length) {
        report(
            "times.recording-duration",
            Severity::Warning,
            format!(
                "{} us declared, from the first block to the end of the last are {} us",
                section.recording_duration, lengths[0]
            ),
        );
    }
}
