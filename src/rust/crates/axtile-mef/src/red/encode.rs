//! Samples to blocks, several at a time.

use axtile_core::{Error, Result};

use crate::bytes::put;
use crate::damage::Damage;
use crate::limits::MAX_BLOCK_SAMPLES;
use crate::red::block::{BlockHeader, STATISTICS_AT, seal_block};
use crate::red::differences::{Differences, difference};
use crate::red::encode_lanes::{Lane, step};
use crate::red::lanes::LANES;
use crate::red::model::scale_counts;

/// What blocks are filled up with.
pub(crate) const PADDING: u8 = 0x7E;

/// Samples that become one block.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The counts.
    pub counts: &'a [i32],
    /// Start time as it is to be stored.
    pub start: i64,
    /// Whether the run does not go on where the one before ended.
    pub is_discontinuity: bool,
}

/// A block as it is stored, and what the index says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedBlock {
    /// Header, payload and padding.
    pub bytes: Vec<u8>,
    /// The block's header.
    pub header: BlockHeader,
    /// Smallest count.
    pub minimum: i32,
    /// Largest count.
    pub maximum: i32,
}

/// Scratch space of a thread that encodes.
pub struct Encoder {
    lanes: [Lane; LANES],
    differences: Differences,
}

impl Default for Encoder {
    fn default() -> Self {
        Encoder::new(Differences::Exact)
    }
}

impl Encoder {
    /// An encoder that takes differences in this way.
    pub fn new(differences: Differences) -> Encoder {
        Encoder {
            lanes: std::array::from_fn(|_| Lane::new()),
            differences,
        }
    }

    /// Encodes all runs, in their order.
    ///
    /// # Errors
    /// `Error::Argument` for a run without samples or with too many.
    pub fn encode(&mut self, runs: &[Run<'_>]) -> Result<Vec<EncodedBlock>> {
        if let Some(run) = runs
            .iter()
            .find(|run| run.counts.is_empty() || run.counts.len() > MAX_BLOCK_SAMPLES as usize)
        {
            return Err(Error::argument(format!(
                "a block of {} samples, expected 1 to {MAX_BLOCK_SAMPLES}",
                run.counts.len()
            )));
        }
        let mut blocks: Vec<Option<EncodedBlock>> = runs.iter().map(|_| None).collect();
        self.encode_into(runs, &mut blocks)
            .map_err(|damage| Error::argument(damage.0))?;
        Ok(blocks.into_iter().flatten().collect())
    }

    fn encode_into(
        &mut self,
        runs: &[Run<'_>],
        blocks: &mut [Option<EncodedBlock>],
    ) -> Result<(), Damage> {
        let mut statistics = [[0; 256]; LANES];
        let mut waiting = runs.iter().enumerate();
        let mut n_used = 0;
        loop {
            while n_used < LANES
                && let Some((tag, run)) = waiting.next()
            {
                let (Some(lane), Some(statistics)) =
                    (self.lanes.get_mut(n_used), statistics.get_mut(n_used))
                else {
                    break;
                };
                let counts = difference(run.counts, self.differences, &mut lane.symbols);
                *statistics = scale_counts(&counts);
                lane.start(tag, statistics)?;
                n_used += 1;
            }
            let used = self.lanes.get_mut(..n_used).unwrap_or_default();
            let Some(n_steps) = used.iter().map(Lane::n_left).min() else {
                return Ok(());
            };
            match used {
                [a, b, c, d] => step([a, b, c, d], n_steps),
                [a, b, c] => step([a, b, c], n_steps),
                [a, b] => step([a, b], n_steps),
                [a] => step([a], n_steps),
                _ => return Ok(()),
            }
            let mut l = 0;
            while l < n_used {
                let (Some(lane), Some(own)) = (self.lanes.get_mut(l), statistics.get(l)) else {
                    break;
                };
                if lane.n_left() > 0 {
                    l += 1;
                    continue;
                }
                if let (Some(run), Some(block)) = (runs.get(lane.tag), blocks.get_mut(lane.tag)) {
                    *block = Some(complete(lane, own, run));
                }
                n_used -= 1;
                self.lanes.swap(l, n_used);
                statistics.swap(l, n_used);
            }
        }
    }
}

fn complete(lane: &mut Lane, statistics: &[u8; 256], run: &Run<'_>) -> EncodedBlock {
    let n_coded = lane.symbols.len();
    let mut bytes = lane.finish(PADDING);
    let mut header = BlockHeader {
        checksum: 0,
        flags: u8::from(run.is_discontinuity),
        slope: 0.0,
        intercept: 0.0,
        scale: 1.0,
        difference_bytes: n_coded as u32 + 1,
        n_samples: run.counts.len() as u32,
        n_bytes: bytes.len() as u32,
        start: run.start,
    };
    header.write(&mut bytes);
    put(&mut bytes, STATISTICS_AT, statistics);
    header.checksum = seal_block(&mut bytes);
    EncodedBlock {
        bytes,
        header,
        minimum: run.counts.iter().copied().min().unwrap_or(0),
        maximum: run.counts.iter().copied().max().unwrap_or(0),
    }
}
