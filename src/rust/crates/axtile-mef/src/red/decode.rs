//! Blocks to samples, several at a time.

use crate::bytes::array;
use crate::damage::Damage;
use crate::red::block::{BlockHeader, HEADER_BYTES, STATISTICS_AT, STATISTICS_BYTES};
use crate::red::differences::sum_into;
use crate::red::lanes::{LANES, Lane, step};
use crate::red::lossy::restore;

/// A block that is to be decoded.
pub(crate) struct Task<'a> {
    pub(crate) header: BlockHeader,
    /// Plain, whatever the block's flags say.
    pub(crate) statistics: [u8; STATISTICS_BYTES],
    pub(crate) payload: &'a [u8],
}

impl<'a> Task<'a> {
    /// The block in `bytes`, of which `header` was read, with plain statistics.
    pub(crate) fn new(header: BlockHeader, bytes: &'a [u8]) -> Task<'a> {
        Task {
            header,
            statistics: array(bytes, STATISTICS_AT),
            payload: bytes
                .get(HEADER_BYTES..header.n_bytes as usize)
                .unwrap_or_default(),
        }
    }
}

/// Scratch space of a thread that decodes.
pub struct Decoder {
    lanes: [Lane; LANES],
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new()
    }
}

impl Decoder {
    /// Takes half a megabyte once; it grows with the longest block.
    pub fn new() -> Decoder {
        Decoder {
            lanes: std::array::from_fn(|_| Lane::new()),
        }
    }

    /// Decodes all blocks. `finish` gets each one's number and difference
    /// bytes, in any order.
    pub(crate) fn run(
        &mut self,
        tasks: &[Task<'_>],
        mut finish: impl FnMut(usize, Result<&[u8], Damage>),
    ) {
        let mut waiting = tasks.iter().enumerate();
        // Lanes in use are in front.
        let mut n_used = 0;
        loop {
            while n_used < LANES
                && let Some((tag, task)) = waiting.next()
            {
                let n_coded = task.header.n_coded();
                if task.header.n_samples == 0 || n_coded == 0 {
                    finish(tag, Ok(&[]));
                    continue;
                }
                let Some(lane) = self.lanes.get_mut(n_used) else {
                    break;
                };
                match lane.start(tag, &task.statistics, task.payload, n_coded) {
                    Ok(()) => n_used += 1,
                    Err(damage) => finish(tag, Err(damage)),
                }
            }
            let used = self.lanes.get_mut(..n_used).unwrap_or_default();
            let Some(n_steps) = used.iter().map(|lane| lane.n_left()).min() else {
                return;
            };
            match used {
                [a, b, c, d] => step([a, b, c, d], n_steps),
                [a, b, c] => step([a, b, c], n_steps),
                [a, b] => step([a, b], n_steps),
                [a] => step([a], n_steps),
                _ => return,
            }
            let mut l = 0;
            while l < n_used {
                match self.lanes.get(l) {
                    Some(lane) if lane.n_left() == 0 => {
                        finish(lane.tag, Ok(lane.bytes()));
                        n_used -= 1;
                        self.lanes.swap(l, n_used);
                    }
                    _ => l += 1,
                }
            }
        }
    }
}

/// The samples of one block from its difference bytes.
pub(crate) fn samples_of(
    header: &BlockHeader,
    bytes: &[u8],
    samples: &mut Vec<i32>,
) -> Result<(), Damage> {
    samples.clear();
    samples.resize(header.n_samples as usize, 0);
    sum_into(bytes, samples, |count| count)?;
    if header.is_lossy() {
        restore(header, samples);
    }
    Ok(())
}

/// The samples of one whole block with plain statistics, without looking at its
/// checksum.
///
/// # Errors
/// [`Damage`] where the block is not one.
pub fn decode_block(decoder: &mut Decoder, block: &[u8]) -> Result<Vec<i32>, Damage> {
    let header = BlockHeader::parse(block)?;
    if header.n_bytes as usize > block.len() {
        return Err(Damage::new(format!(
            "the block's header says {} bytes, {} are there",
            header.n_bytes,
            block.len()
        )));
    }
    let mut samples = Vec::new();
    let mut result = Ok(());
    decoder.run(&[Task::new(header, block)], |_, bytes| {
        result = bytes.and_then(|bytes| samples_of(&header, bytes, &mut samples));
    });
    result.map(|()| samples)
}
