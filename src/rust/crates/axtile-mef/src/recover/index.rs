//! The index made anew from the blocks that are there.

use std::collections::HashMap;

use axtile_core::Result;

use crate::crypt::Access;
use crate::header::{ENTRY_BYTES, IndexEntry, MetadataImage, UNIVERSAL_BYTES};
use crate::read::prepare;
use crate::recover::scan::{Found, Scan};
use crate::red::{Decoder, MISSING_COUNT, samples_of};
use crate::session::ByteSource;

/// An index.
pub(super) struct Built {
    pub(super) entries: Vec<IndexEntry>,
    /// As they are stored.
    pub(super) body: Vec<u8>,
    /// Blocks that had no right entry.
    pub(super) n_recovered: usize,
    /// Entries that had no block.
    pub(super) n_dropped: usize,
}

/// Entries for all blocks: those that are right stay, byte for byte.
pub(super) fn build_index(
    data: &ByteSource,
    scan: &Scan,
    old: &[IndexEntry],
    old_file: &[u8],
    image: &MetadataImage,
) -> Result<Built> {
    let (raw, _) = old_file
        .get(UNIVERSAL_BYTES..)
        .unwrap_or_default()
        .as_chunks::<ENTRY_BYTES>();
    let known: HashMap<i64, (&IndexEntry, &[u8; ENTRY_BYTES])> = old
        .iter()
        .zip(raw)
        .map(|(entry, raw)| (entry.offset, (entry, raw)))
        .collect();
    // Some writers count samples in the channel: what the first entry has.
    let mut start_sample = old.first().map_or(0, |first| first.start_sample.max(0));
    let mut built = Built {
        entries: Vec::with_capacity(scan.blocks.len()),
        body: Vec::with_capacity(scan.blocks.len() * ENTRY_BYTES),
        n_recovered: 0,
        n_dropped: 0,
    };
    let mut decoder = Decoder::new();
    for found in &scan.blocks {
        let offset = found.offset.cast_signed();
        let right = known
            .get(&offset)
            .filter(|(entry, _)| entry.agrees(&found.header) && entry.flags == found.header.flags);
        let entry = match right {
            Some(&(entry, raw)) => {
                built.body.extend_from_slice(raw);
                *entry
            }
            None => {
                let (minimum, maximum) = extremes(data, found, image.access(), &mut decoder)?;
                let entry = IndexEntry {
                    offset,
                    start: found.header.start,
                    start_sample,
                    n_samples: found.header.n_samples,
                    n_bytes: found.header.n_bytes,
                    maximum,
                    minimum,
                    flags: found.header.flags,
                };
                built.n_recovered += 1;
                built.body.extend_from_slice(&entry.image());
                entry
            }
        };
        start_sample = start_sample.saturating_add(found.header.n_samples.into());
        built.entries.push(entry);
    }
    let n_kept = built.entries.len() - built.n_recovered;
    built.n_dropped = old.len().saturating_sub(n_kept);
    Ok(built)
}

/// Smallest and largest count of a block; no entry where they cannot be known.
fn extremes(
    data: &ByteSource,
    found: &Found,
    access: &Access,
    decoder: &mut Decoder,
) -> Result<(i32, i32)> {
    let unknown = (MISSING_COUNT, MISSING_COUNT);
    let bytes = data.read(found.offset, found.header.n_bytes as usize)?;
    let Ok(task) = prepare(found.header, &bytes, access) else {
        return Ok(unknown);
    };
    let mut samples = Vec::new();
    let mut is_decoded = false;
    decoder.run(std::slice::from_ref(&task), |_, bytes| {
        is_decoded = bytes
            .and_then(|bytes| samples_of(&task.header, bytes, &mut samples))
            .is_ok();
    });
    let ends = samples
        .iter()
        .copied()
        .min()
        .zip(samples.iter().copied().max());
    Ok(ends.filter(|_| is_decoded).unwrap_or(unknown))
}
