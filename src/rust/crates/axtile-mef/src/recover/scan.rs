//! Finding blocks in a data file, whatever its index says.

use std::collections::HashMap;

use axtile_core::{Result, Watch};

use crate::header::{IndexEntry, UNIVERSAL_BYTES};
use crate::red::{BlockHeader, HEADER_BYTES, verify_block};
use crate::session::ByteSource;

/// A block that is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) offset: u64,
    pub(crate) header: BlockHeader,
    /// Whether its checksum is right.
    pub(crate) is_whole: bool,
}

/// What a data file holds.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// In the order of the file. The last one is whole.
    pub(crate) blocks: Vec<Found>,
    /// Bytes between blocks that are none.
    pub(crate) n_holes: usize,
    /// Where the last block ends.
    pub(crate) end: u64,
}

/// Blocks start at multiples of this.
const STEP: usize = 8;
/// Bytes read at a time in the search for a block.
const WINDOW: usize = 1 << 20;
/// Bytes whose checksum may be computed in vain, per byte of the file: bounds
/// the search in files made to slow it down.
const VAIN_FACTOR: u64 = 16;

/// Looks for blocks from the start of the file to its end.
///
/// # Errors
/// `Error::Io`, `Error::Interrupted`. `watch` advances by bytes.
pub(crate) fn scan(data: &ByteSource, index: &[IndexEntry], watch: &dyn Watch) -> Result<Scan> {
    let known: HashMap<u64, &IndexEntry> = index
        .iter()
        .filter_map(|entry| Some((entry.span(data.len())?.0, entry)))
        .collect();
    let mut scan = Scan {
        end: UNIVERSAL_BYTES as u64,
        ..Scan::default()
    };
    let mut budget = data.len().saturating_mul(VAIN_FACTOR);
    let mut at = UNIVERSAL_BYTES as u64;
    let mut bytes = Vec::new();
    let mut holes = Vec::new();
    while at + HEADER_BYTES as u64 <= data.len() {
        watch.check()?;
        let found = block_at(data, at, &mut bytes)?.filter(|found| {
            found.is_whole
                || known
                    .get(&at)
                    .is_some_and(|entry| entry.agrees(&found.header))
        });
        let next = match found {
            Some(found) => {
                scan.blocks.push(found);
                at + u64::from(found.header.n_bytes)
            }
            None => {
                holes.push(at);
                match search(data, at + STEP as u64, &mut budget, watch)? {
                    Some(next) => next,
                    None => break,
                }
            }
        };
        watch.advance(next - at);
        at = next;
    }
    // Blocks at the end that are not whole are what an append left.
    while scan.blocks.last().is_some_and(|last| !last.is_whole) {
        scan.blocks.pop();
    }
    if let Some(last) = scan.blocks.last() {
        scan.end = last.offset + u64::from(last.header.n_bytes);
    }
    scan.n_holes = holes.iter().filter(|&&hole| hole < scan.end).count();
    Ok(scan)
}

/// A block at `at` whose sizes make sense; whether it is whole.
fn block_at(data: &ByteSource, at: u64, bytes: &mut Vec<u8>) -> Result<Option<Found>> {
    data.read_into(at, HEADER_BYTES, bytes)?;
    let Ok(header) = BlockHeader::parse(bytes) else {
        return Ok(None);
    };
    if at + u64::from(header.n_bytes) > data.len() {
        return Ok(None);
    }
    data.read_into(at, header.n_bytes as usize, bytes)?;
    Ok(Some(Found {
        offset: at,
        header,
        is_whole: verify_block(bytes).is_ok(),
    }))
}

/// The next whole block from `from` on. Its checksum must be there.
fn search(
    data: &ByteSource,
    from: u64,
    budget: &mut u64,
    watch: &dyn Watch,
) -> Result<Option<u64>> {
    let mut start = from;
    let mut window = Vec::new();
    let mut block = Vec::new();
    while start + HEADER_BYTES as u64 <= data.len() {
        watch.check()?;
        let len = usize::try_from(data.len() - start)
            .unwrap_or(WINDOW)
            .min(WINDOW);
        data.read_into(start, len, &mut window)?;
        let mut at = 0;
        while let Some(bytes) = window.get(at..at + HEADER_BYTES) {
            let place = start + at as u64;
            if let Ok(header) = BlockHeader::parse(bytes)
                && header.checksum != 0
                && header.n_samples > 0
                && place + u64::from(header.n_bytes) <= data.len()
            {
                let cost = u64::from(header.n_bytes);
                if *budget < cost {
                    return Ok(None);
                }
                *budget -= cost;
                data.read_into(place, header.n_bytes as usize, &mut block)?;
                if verify_block(&block).is_ok() {
                    return Ok(Some(place));
                }
            }
            at += STEP;
        }
        start += at as u64;
    }
    Ok(None)
}
