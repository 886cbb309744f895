//! Reading and decoding the blocks of a group into the rows they belong to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use axtile_core::{Error, Result};

use crate::crypt::Access;
use crate::damage::Damage;
use crate::header::FileType;
use crate::read::groups::{Group, Placed};
use crate::read::plan::PlanSegment;
use crate::read::report::{Notice, Notices};
use crate::red::{
    BlockHeader, Decoder, STATISTICS_LEVEL_1, STATISTICS_LEVEL_2, Sample, Task, samples_of,
    sum_into, verify_block,
};
use crate::session::Storage;

/// What a thread needs to decode.
#[derive(Default)]
pub(crate) struct Scratch {
    decoder: Decoder,
    bytes: Vec<u8>,
    samples: Vec<i32>,
}

/// Scratch space that threads hand to each other.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Scratch>>);

impl Pool {
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Scratch) -> R) -> R {
        let idle = self.0.lock().ok().and_then(|mut idle| idle.pop());
        let mut scratch = idle.unwrap_or_default();
        let result = work(&mut scratch);
        if let Ok(mut idle) = self.0.lock() {
            idle.push(scratch);
        }
        result
    }
}

/// Reads groups of one channel.
pub(crate) struct GroupReader<'a> {
    pub(crate) storage: &'a Storage,
    pub(crate) channel: &'a str,
    pub(crate) segments: &'a [PlanSegment<'a>],
    pub(crate) notices: &'a Notices,
    pub(crate) lenient: bool,
    /// Set where a block's header places it elsewhere than the index.
    pub(crate) is_displaced: &'a AtomicBool,
}

/// Blocks read and decoded at a time.
const AT_ONCE: usize = 8;

impl GroupReader<'_> {
    pub(crate) fn read<T: Sample>(
        &self,
        group: &Group,
        rows: &mut [T],
        scratch: &mut Scratch,
    ) -> Result<()> {
        rows.fill(T::MISSING);
        let at_once = if group.has_overlaps { 1 } else { AT_ONCE };
        for blocks in group.blocks.chunks(at_once) {
            // Blocks of a segment that follow each other are read as one.
            for run in blocks
                .chunk_by(|a, b| a.segment == b.segment && a.offset + a.n_bytes as u64 == b.offset)
            {
                self.read_run(run, group.from, rows, scratch)?;
            }
        }
        Ok(())
    }

    fn read_run<T: Sample>(
        &self,
        run: &[Placed],
        first_row: usize,
        rows: &mut [T],
        scratch: &mut Scratch,
    ) -> Result<()> {
        let (Some(first), Some(segment)) = (
            run.first(),
            run.first()
                .and_then(|block| self.segments.get(block.segment)),
        ) else {
            return Ok(());
        };
        let data = segment.segment.open_file(self.storage, FileType::Data)?;
        let n_bytes = run.iter().map(|block| block.n_bytes).sum();
        data.read_into(first.offset, n_bytes, &mut scratch.bytes)?;
        let mut rest = scratch.bytes.as_slice();
        let mut tasks = Vec::with_capacity(run.len());
        let mut placed = Vec::with_capacity(run.len());
        for block in run {
            let (bytes, after) = rest.split_at_checked(block.n_bytes).unwrap_or_default();
            rest = after;
            let task = verify_block(bytes)
                .and_then(|header| prepare(header, bytes, &segment.metadata.access));
            match task {
                Ok(task) => {
                    let header = &task.header;
                    if header.start != block.start || header.n_samples != block.n_samples {
                        self.is_displaced.store(true, Ordering::Relaxed);
                        self.notice(
                            block,
                            "its header and the index disagree on its \
                             start or length; the header was followed",
                        );
                        continue;
                    }
                    tasks.push(task);
                    placed.push(block);
                }
                Err(damage) => self.damaged(block, damage)?,
            }
        }
        let factor = segment.metadata.factor;
        let samples = &mut scratch.samples;
        let mut failed = Ok(());
        scratch.decoder.run(&tasks, |tag, bytes| {
            let (Some(task), Some(block)) = (tasks.get(tag), placed.get(tag)) else {
                return;
            };
            let result =
                bytes.and_then(|bytes| fill(task, block, bytes, first_row, rows, factor, samples));
            if let Err(damage) = result {
                let outcome = self.damaged(block, damage);
                if failed.is_ok() {
                    failed = outcome;
                }
            }
        });
        failed
    }

    fn notice(&self, block: &Placed, problem: &str) {
        self.notices.push(Notice {
            channel: self.channel.to_owned(),
            segment: self
                .segments
                .get(block.segment)
                .map_or(0, |one| one.segment.number()),
            block: Some(block.block),
            problem: problem.to_owned(),
        });
    }

    fn damaged(&self, block: &Placed, damage: Damage) -> Result<()> {
        if self.lenient {
            self.notice(block, damage.problem());
            return Ok(());
        }
        let path = match self.segments.get(block.segment) {
            Some(one) => self.storage.path_of(&one.segment.file(FileType::Data)),
            None => self.storage.path().to_owned(),
        };
        Err(Error::corrupt(
            &path,
            format!("block {}, byte {}", block.block, block.offset),
            damage.0,
        ))
    }
}

/// The block's task, with plain statistics.
pub(crate) fn prepare<'b>(
    header: BlockHeader,
    bytes: &'b [u8],
    access: &Access,
) -> Result<Task<'b>, Damage> {
    let level = match header.flags & (STATISTICS_LEVEL_1 | STATISTICS_LEVEL_2) {
        0 => 0,
        STATISTICS_LEVEL_1 => 1,
        STATISTICS_LEVEL_2 => 2,
        _ => {
            return Err(Damage::new(
                "the block's flags say it is encrypted at both levels",
            ));
        }
    };
    let mut task = Task::new(header, bytes);
    if level > 0 {
        let key = access.key(level).ok_or_else(|| {
            Damage::new(format!(
                "the block is encrypted and the level {level} password was not given"
            ))
        })?;
        if let Some(first) = task.statistics.get_mut(..16) {
            key.decrypt(first);
        }
    }
    Ok(task)
}

/// Fills the block's rows. On damage they are missing.
fn fill<T: Sample>(
    task: &Task<'_>,
    block: &Placed,
    bytes: &[u8],
    first_row: usize,
    rows: &mut [T],
    factor: f64,
    samples: &mut Vec<i32>,
) -> Result<(), Damage> {
    let header = &task.header;
    let convert = |count| T::from_count(count, factor);
    let n_samples = header.n_samples as usize;
    let from = i128::from(block.slot) - first_row as i128;
    let to = from + n_samples as i128;
    let inside = usize::try_from(from)
        .ok()
        .and_then(|from| rows.get_mut(from..from.checked_add(n_samples)?));
    if let Some(rows) = inside.filter(|_| !header.is_lossy()) {
        let summed = sum_into(bytes, rows, convert);
        if summed.is_err() {
            rows.fill(T::MISSING);
        }
        return summed;
    }
    samples_of(header, bytes, samples)?;
    let n_before = usize::try_from(-from).unwrap_or(0);
    let first = usize::try_from(from).unwrap_or(0);
    let last = usize::try_from(to).unwrap_or(0).min(rows.len());
    let slots = rows.get_mut(first..last).unwrap_or_default();
    for (slot, &count) in slots.iter_mut().zip(samples.iter().skip(n_before)) {
        *slot = convert(count);
    }
    Ok(())
}
