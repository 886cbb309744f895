//! Which blocks a window needs, and reading them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axtile_core::{Error, Result, Watch};
use rayon::prelude::*;

use crate::header::{FileType, IndexEntry};
use crate::read::decode_group::{GroupReader, Pool};
use crate::read::grid::{n_rows, slot_of};
use crate::read::groups::{Group, Placed, group};
use crate::read::report::{Notice, Notices, ReadOptions};
use crate::red::{BlockHeader, HEADER_BYTES, Sample};
use crate::session::{Segment, SegmentMetadata, Session};
use crate::time::{duration, shown};

/// A span of time `[from, to)` in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First time.
    pub from: i64,
    /// The time behind the last.
    pub to: i64,
}

/// A segment that the window touches.
pub(crate) struct PlanSegment<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) metadata: &'a SegmentMetadata,
    index: Arc<[IndexEntry]>,
}

/// A window of some channels, ready to be read into an array of known size.
pub struct ReadPlan<'a> {
    session: &'a Session,
    channels: Vec<PlanChannel<'a>>,
    window: Window,
    rate: f64,
    n_rows: usize,
}

struct PlanChannel<'a> {
    name: &'a str,
    segments: Vec<PlanSegment<'a>>,
}

impl Session {
    /// Finds what is needed to read `channels` in `window`, without decoding
    /// anything. Without a window: from the earliest start to the latest end.
    ///
    /// # Errors
    /// `Error::Range` for no such channel or none with samples,
    /// `Error::Argument` for no channel, a window that ends before it starts or
    /// channels of different rates, `Error::Unsupported` for a channel whose
    /// segments have different rates; those of reading metadata and indexes.
    pub fn plan(
        &self,
        channels: &[usize],
        window: Option<Window>,
        watch: &dyn Watch,
    ) -> Result<ReadPlan<'_>> {
        let Some(&first) = channels.first() else {
            return Err(Error::argument("no channel was asked for"));
        };
        let rate = self.channel_info(first)?.rate;
        for &index in channels {
            let info = self.channel_info(index)?;
            if info.rate != rate {
                return Err(Error::argument(format!(
                    "channels of different sampling rates cannot be read into one matrix: \
                     '{}' has {rate} Hz, '{}' {} Hz",
                    self.channel(first)?.name(),
                    info.name,
                    info.rate
                )));
            }
        }
        let window = match window {
            Some(window) => window,
            None => {
                let mut all = Window {
                    from: i64::MAX,
                    to: i64::MIN,
                };
                for &index in channels {
                    watch.check()?;
                    let (start, end) = self.span(index)?;
                    all = Window {
                        from: all.from.min(start),
                        to: all.to.max(end),
                    };
                }
                all
            }
        };
        if window.to < window.from {
            return Err(Error::argument(format!(
                "the window ends at {}, before it starts at {}",
                shown(window.to),
                shown(window.from)
            )));
        }
        let mut plan = ReadPlan {
            session: self,
            channels: Vec::new(),
            window,
            rate,
            n_rows: n_rows(window.from, window.to, rate)?,
        };
        for &index in channels {
            watch.check()?;
            plan.add_channel(index)?;
        }
        Ok(plan)
    }
}

impl<'a> ReadPlan<'a> {
    /// Rows of each column.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Columns, one per channel.
    pub fn n_columns(&self) -> usize {
        self.channels.len()
    }

    /// Rows per second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The window; row 0 is at its start.
    pub fn window(&self) -> Window {
        self.window
    }

    /// What the counts of each column are multiplied with in each of the
    /// segments that the window touches.
    pub fn factors(&self) -> Vec<Vec<(u32, f64)>> {
        self.channels
            .iter()
            .map(|channel| {
                let segments = channel.segments.iter();
                segments
                    .map(|one| (one.segment.number(), one.metadata.factor))
                    .collect()
            })
            .collect()
    }

    fn add_channel(&mut self, index: usize) -> Result<()> {
        let session = self.session;
        let storage = session.storage();
        let channel = session.channel(index)?;
        let mut segments = Vec::new();
        for segment in channel.complete(storage)? {
            let metadata = segment.metadata(storage, session.password())?;
            if metadata.start >= self.window.to || metadata.end <= self.window.from {
                continue;
            }
            if metadata.rate != self.rate {
                return Err(Error::unsupported(
                    &storage.path_of(&segment.file(FileType::Metadata)),
                    format!(
                        "the segment has {} Hz, its channel {} Hz; read it on its own",
                        metadata.rate, self.rate
                    ),
                ));
            }
            segments.push(PlanSegment {
                segment,
                metadata,
                index: segment.index(storage)?,
            });
        }
        self.channels.push(PlanChannel {
            name: channel.name(),
            segments,
        });
        Ok(())
    }

    /// Reads all columns into `out`, one after the other: `n_rows * n_columns`
    /// values. Scaled types are in the channel's unit. Returns what was noticed.
    ///
    /// # Errors
    /// `Error::Argument` for `out` of another length; `Error::Corrupt` for a
    /// damaged block unless `options.lenient`; `Error::Io`,
    /// `Error::Interrupted`. `watch` advances by samples.
    pub fn read<T: Sample>(
        &self,
        out: &mut [T],
        options: ReadOptions,
        watch: &dyn Watch,
    ) -> Result<Vec<Notice>> {
        if Some(out.len()) != self.n_rows.checked_mul(self.channels.len()) {
            return Err(Error::argument(format!(
                "the result has room for {} values, {} rows and {} columns were planned",
                out.len(),
                self.n_rows,
                self.channels.len()
            )));
        }
        let notices = self.notices_of_factors();
        if self.n_rows == 0 {
            return Ok(notices.take());
        }
        // The index says where blocks belong. Only where a block's own header
        // says something else are the headers read first.
        let mut by_header = self.index_is_poor();
        loop {
            let is_displaced = AtomicBool::new(false);
            self.read_placed(out, by_header, &is_displaced, &notices, options, watch)?;
            if by_header || !is_displaced.load(Ordering::Relaxed) {
                return Ok(notices.take());
            }
            by_header = true;
        }
    }

    fn notices_of_factors(&self) -> Notices {
        let notices = Notices::default();
        for channel in &self.channels {
            for one in &channel.segments {
                if one.metadata.section_2.units_conversion_factor == 0.0 {
                    notices.push(Notice {
                        channel: channel.name.to_owned(),
                        segment: one.segment.number(),
                        block: None,
                        problem: "no units conversion factor is stored: counts are \
                                  read as they are"
                            .to_owned(),
                    });
                }
            }
        }
        notices
    }

    /// Whether some entry says too little to know which blocks are needed.
    fn index_is_poor(&self) -> bool {
        let mut segments = self.channels.iter().flat_map(|channel| &channel.segments);
        segments.any(|one| {
            one.index.iter().any(|entry| {
                entry.n_samples == 0 || one.metadata.offset.absolute(entry.start).is_none()
            })
        })
    }

    fn read_placed<T: Sample>(
        &self,
        out: &mut [T],
        by_header: bool,
        is_displaced: &AtomicBool,
        notices: &Notices,
        options: ReadOptions,
        watch: &dyn Watch,
    ) -> Result<()> {
        let mut tasks = Vec::new();
        for (channel, column) in self.channels.iter().zip(out.chunks_exact_mut(self.n_rows)) {
            let placed = self.place(channel, by_header, options, notices)?;
            let mut rest = column;
            for group in group(placed, self.n_rows) {
                let (rows, after) = rest
                    .split_at_mut_checked(group.to - group.from)
                    .unwrap_or_default();
                rest = after;
                tasks.push((channel, group, rows));
            }
        }
        let pool = Pool::default();
        let run = |(channel, group, rows): (&PlanChannel<'_>, Group, &mut [T])| {
            watch.check()?;
            let reader = GroupReader {
                storage: self.session.storage(),
                channel: channel.name,
                segments: &channel.segments,
                notices,
                lenient: options.lenient,
                is_displaced,
            };
            let n_samples = group.blocks.iter().map(|b| u64::from(b.n_samples)).sum();
            pool.with(|scratch| reader.read(&group, rows, scratch))?;
            watch.advance(n_samples);
            Ok(())
        };
        if options.n_threads <= 1 || tasks.len() <= 1 {
            return tasks.into_iter().try_for_each(run);
        }
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(options.n_threads.min(tasks.len()))
            .build()
            .map_err(|error| Error::argument(format!("no threads can be started: {error}")))?;
        threads.install(|| tasks.into_par_iter().try_for_each(run))
    }

    /// The blocks of a channel that the window needs.
    fn place(
        &self,
        channel: &PlanChannel<'_>,
        by_header: bool,
        options: ReadOptions,
        notices: &Notices,
    ) -> Result<Vec<Placed>> {
        let mut placed = Vec::new();
        for (at, one) in channel.segments.iter().enumerate() {
            let data = one
                .segment
                .open_file(self.session.storage(), FileType::Data)?;
            for (number, entry) in one.index.iter().enumerate() {
                let Some((offset, n_bytes)) = entry.span(data.len()) else {
                    let problem = format!(
                        "the index has {} bytes at byte {}, the data file {}",
                        entry.n_bytes,
                        entry.offset,
                        data.len()
                    );
                    if options.lenient {
                        notices.push(Notice {
                            channel: channel.name.to_owned(),
                            segment: one.segment.number(),
                            block: Some(number),
                            problem,
                        });
                        continue;
                    }
                    let path = self.session.storage();
                    let path = path.path_of(&one.segment.file(FileType::Index));
                    return Err(Error::corrupt(&path, format!("entry {number}"), problem));
                };
                let (mut start, mut n_samples) = (entry.start, entry.n_samples);
                if by_header
                    && let Ok(header) = BlockHeader::parse(&data.read(offset, HEADER_BYTES)?)
                {
                    (start, n_samples) = (header.start, header.n_samples);
                }
                let Some(time) = one.metadata.offset.absolute(start) else {
                    continue;
                };
                let end = time.saturating_add(duration(n_samples.into(), self.rate));
                if end > self.window.from && time < self.window.to {
                    placed.push(Placed {
                        segment: at,
                        block: number,
                        offset,
                        n_bytes,
                        start,
                        n_samples,
                        slot: slot_of(time, self.window.from, self.rate),
                    });
                }
            }
        }
        Ok(placed)
    }
}
