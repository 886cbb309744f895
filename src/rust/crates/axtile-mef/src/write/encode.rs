//! Counts as blocks: gaps split them into runs, runs into blocks.

use std::borrow::Cow;
use std::sync::Mutex;

use axtile_core::{Error, Result, Watch};
use rayon::prelude::*;

use crate::read::Window;
use crate::red::{EncodedBlock, Encoder, MISSING_COUNT, Run};
use crate::time::{TimeOffset, round_to_i64, shown};

/// Rate from which on a block lasts one second instead of ten.
const FAST_RATE: f64 = 5000.0;
/// Blocks encoded as one task.
const AT_ONCE: usize = 8;

/// Samples of a block, as other writers have them.
pub(crate) fn block_length(rate: f64) -> usize {
    let seconds = if rate >= FAST_RATE { 1.0 } else { 10.0 };
    ((seconds * rate).floor() as usize).clamp(1, crate::limits::MAX_BLOCK_SAMPLES as usize)
}

/// Samples `from..to` that become a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunSpan {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) is_discontinuity: bool,
}

/// The blocks of `counts`.
pub(crate) fn spans(counts: &[i32], block_length: usize) -> Vec<RunSpan> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < counts.len() {
        let rest = counts.get(at..).unwrap_or_default();
        let n_missing = count_while(rest, |count| count == MISSING_COUNT);
        at += n_missing;
        let rest = rest.get(n_missing..).unwrap_or_default();
        let end = at + count_while(rest, |count| count != MISSING_COUNT);
        let mut is_discontinuity = true;
        while at < end {
            let to = (at + block_length).min(end);
            spans.push(RunSpan {
                from: at,
                to,
                is_discontinuity,
            });
            is_discontinuity = false;
            at = to;
        }
    }
    spans
}

fn count_while(counts: &[i32], is_counted: impl Fn(i32) -> bool) -> usize {
    counts
        .iter()
        .position(|&count| !is_counted(count))
        .unwrap_or(counts.len())
}

/// Time of sample `row` of samples that start at `start`.
pub(crate) fn time_of(start: i64, row: usize, rate: f64) -> i64 {
    start.saturating_add(round_to_i64(row as f64 / rate * 1e6))
}

/// Which of `n` samples from `start` on are in a window.
pub(crate) fn slot_span(start: i64, n: usize, window: Window, rate: f64) -> (usize, usize) {
    // The first row whose time is not before `time`.
    let first = |time: i64| -> usize {
        let ticks = i128::from(time) - i128::from(start);
        let near = (ticks as f64 * rate / 1e6).floor().max(0.0) as usize;
        let mut row = near.saturating_sub(1).min(n);
        while row < n && time_of(start, row, rate) < time {
            row += 1;
        }
        row
    };
    (first(window.from), first(window.to))
}

/// Samples ready to be encoded.
pub(crate) struct Prepared<'a> {
    pub(crate) counts: Cow<'a, [i32]>,
    pub(crate) spans: Vec<RunSpan>,
    pub(crate) start: i64,
    pub(crate) rate: f64,
    pub(crate) offset: TimeOffset,
}

/// Encodes all parts; blocks in order for each.
///
/// # Errors
/// `Error::Argument` for a time that the format cannot hold,
/// `Error::Interrupted`. `watch` advances by samples.
pub(crate) fn encode_all(
    parts: &[Prepared<'_>],
    n_threads: usize,
    watch: &dyn Watch,
) -> Result<Vec<Vec<EncodedBlock>>> {
    let mut tasks = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        tasks.extend(part.spans.chunks(AT_ONCE).map(|spans| (number, spans)));
    }
    let idle: Mutex<Vec<Encoder>> = Mutex::default();
    let encode = |&(number, spans): &(usize, &[RunSpan])| -> Result<Vec<EncodedBlock>> {
        watch.check()?;
        let Some(part) = parts.get(number) else {
            return Ok(Vec::new());
        };
        let mut runs = Vec::with_capacity(spans.len());
        for span in spans {
            let time = time_of(part.start, span.from, part.rate);
            runs.push(Run {
                counts: part.counts.get(span.from..span.to).unwrap_or_default(),
                start: part.offset.stored(time).ok_or_else(|| unstorable(time))?,
                is_discontinuity: span.is_discontinuity,
            });
        }
        let known = idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut encoder = known.unwrap_or_default();
        let blocks = encoder.encode(&runs);
        if let Ok(mut idle) = idle.lock() {
            idle.push(encoder);
        }
        watch.advance(runs.iter().map(|run| run.counts.len() as u64).sum());
        blocks
    };
    let encoded: Vec<Vec<EncodedBlock>> = if n_threads <= 1 || tasks.len() <= 1 {
        tasks.iter().map(encode).collect::<Result<_>>()?
    } else {
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads.min(tasks.len()))
            .build()
            .map_err(|error| Error::argument(format!("no threads can be started: {error}")))?;
        threads.install(|| tasks.par_iter().map(encode).collect::<Result<_>>())?
    };
    let mut blocks: Vec<Vec<EncodedBlock>> = parts.iter().map(|_| Vec::new()).collect();
    for ((number, _), encoded) in tasks.iter().zip(encoded) {
        if let Some(own) = blocks.get_mut(*number) {
            own.extend(encoded);
        }
    }
    Ok(blocks)
}

pub(crate) fn unstorable(time: i64) -> Error {
    Error::argument(format!(
        "the time {} cannot be stored: MEF holds times after 1970 and after the \
         recording's time offset only",
        shown(time)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_split_runs_and_runs_blocks() {
        const M: i32 = MISSING_COUNT;
        let span = |from, to, is_discontinuity| RunSpan {
            from,
            to,
            is_discontinuity,
        };
        assert_eq!(
            spans(&[M, 1, 2, 3, M, M, 4, M], 2),
            [span(1, 3, true), span(3, 4, false), span(6, 7, true)]
        );
        assert_eq!(spans(&[M, M], 2), []);
        assert_eq!((block_length(250.0), block_length(0.01)), (2500, 1));
        assert_eq!((block_length(5000.0), block_length(4999.5)), (5000, 49995));
    }
}
