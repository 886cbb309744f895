//! Checking blocks against the index and themselves.

use std::path::Path;

use axtile_core::{Result, Watch};

use crate::crypt::Access;
use crate::damage::Damage;
use crate::header::{IndexEntry, UNIVERSAL_BYTES};
use crate::read::prepare;
use crate::red::{Decoder, MISSING_COUNT, Task, samples_of, verify_block};
use crate::session::ByteSource;
use crate::validate::finding::{Place, Severity};

/// Whether the index covers the data: no entry outside, no bytes between.
pub(crate) fn check_spans(
    entries: &[IndexEntry],
    data: &ByteSource,
    index_path: &Path,
    place: &Place<'_>,
) {
    let mut spans = Vec::with_capacity(entries.len());
    for (number, entry) in entries.iter().enumerate() {
        match entry.span(data.len()) {
            Some((offset, n_bytes)) => spans.push((offset, n_bytes as u64)),
            None => place.report(
                index_path.to_owned(),
                Some(number),
                "index.block-offsets",
                Severity::Error,
                format!(
                    "a block of {} bytes at byte {}, the data file has {}",
                    entry.n_bytes,
                    entry.offset,
                    data.len()
                ),
            ),
        }
        if entry.n_samples == 0 && entry.n_bytes as usize > crate::red::HEADER_BYTES {
            place.report(
                index_path.to_owned(),
                Some(number),
                "index.entry-counts",
                Severity::Error,
                "an entry of a block that has bytes declares no samples",
            );
        }
    }
    spans.sort_unstable();
    let mut end = UNIVERSAL_BYTES as u64;
    for (offset, n_bytes) in spans {
        if offset != end {
            place.report(
                index_path.to_owned(),
                None,
                "index.data-coverage",
                Severity::Error,
                if offset > end {
                    format!("bytes {end} to {offset} of the data are in no entry")
                } else {
                    format!("two entries share the data from byte {offset} on")
                },
            );
        }
        end = end.max(offset + n_bytes);
    }
    if end < data.len() {
        place.report(
            index_path.to_owned(),
            None,
            "index.data-coverage",
            Severity::Error,
            format!("bytes {end} to {} of the data are in no entry", data.len()),
        );
    }
}

/// Blocks read at a time.
const AT_ONCE: usize = 8;

/// Checksums, headers, and whether blocks decode to the index's extremes.
pub(crate) fn check_blocks(
    entries: &[IndexEntry],
    data: &ByteSource,
    access: &Access,
    place: &Place<'_>,
    watch: &dyn Watch,
) -> Result<()> {
    let mut decoder = Decoder::new();
    let mut samples = Vec::new();
    let path = data.path().to_owned();
    let report = |number: usize, check, problem: String| {
        place.report(path.clone(), Some(number), check, Severity::Error, problem);
    };
    for (chunk_number, chunk) in entries.chunks(AT_ONCE).enumerate() {
        watch.check()?;
        let mut blocks = Vec::new();
        for (i, entry) in chunk.iter().enumerate() {
            if let Some((offset, n_bytes)) = entry.span(data.len()) {
                let number = chunk_number * AT_ONCE + i;
                blocks.push((number, entry, data.read(offset, n_bytes)?));
                watch.advance(n_bytes as u64);
            }
        }
        let mut tasks: Vec<Task<'_>> = Vec::new();
        let mut owners = Vec::new();
        for (number, entry, bytes) in &blocks {
            let header = match verify_block(bytes) {
                Ok(header) => header,
                Err(damage) => {
                    let is_zero = bytes.iter().all(|&byte| byte == 0);
                    let check = if is_zero { "data.zeroed" } else { "crc.block" };
                    report(*number, check, damage.0);
                    continue;
                }
            };
            if !entry.agrees(&header) || entry.flags != header.flags {
                report(
                    *number,
                    "index.entry-counts",
                    format!(
                        "the block starts at {}, has {} samples and flags {}; its entry says \
                         {}, {} and {}",
                        header.start,
                        header.n_samples,
                        header.flags,
                        entry.start,
                        entry.n_samples,
                        entry.flags
                    ),
                );
            }
            match prepare(header, bytes, access) {
                Ok(task) => {
                    tasks.push(task);
                    owners.push((*number, *entry));
                }
                // Only the password is missing.
                Err(_) => continue,
            }
        }
        decoder.run(&tasks, |tag, bytes| {
            let (Some(task), Some(&(number, entry))) = (tasks.get(tag), owners.get(tag)) else {
                return;
            };
            let decoded = bytes.and_then(|bytes| samples_of(&task.header, bytes, &mut samples));
            if let Err(Damage(problem)) = decoded {
                report(number, "data.decode", problem);
                return;
            }
            let least = samples.iter().copied().min();
            let most = samples.iter().copied().max();
            let is_known = entry.minimum != MISSING_COUNT && entry.maximum != MISSING_COUNT;
            let is_other = Some(entry.minimum) != least || Some(entry.maximum) != most;
            // Extremes of lossy blocks are those before coding.
            if is_known && is_other && !task.header.is_lossy() && !samples.is_empty() {
                report(
                    number,
                    "index.extremes",
                    format!(
                        "the block holds {least:?} to {most:?}, its entry says {} to {}",
                        entry.minimum, entry.maximum
                    ),
                );
            }
        });
    }
    Ok(())
}
