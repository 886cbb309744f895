//! How to read, and what was noticed.

use std::sync::Mutex;

/// How to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// A damaged block leaves its samples missing instead of failing the read.
    pub lenient: bool,
    /// Threads; 1 reads on the caller's.
    pub n_threads: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            lenient: false,
            n_threads: 1,
        }
    }
}

/// Something that the reader of the samples should know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// Name of the channel.
    pub channel: String,
    /// Number of the segment.
    pub segment: u32,
    /// Number of the block in the segment, from 0; `None` for all.
    pub block: Option<usize>,
    /// What it is.
    pub problem: String,
}

/// Notices of several threads.
#[derive(Debug, Default)]
pub(crate) struct Notices(Mutex<Vec<Notice>>);

impl Notices {
    pub(crate) fn push(&self, notice: Notice) {
        if let Ok(mut notices) = self.0.lock() {
            notices.push(notice);
        }
    }

    /// All of them, sorted, each once.
    pub(crate) fn take(self) -> Vec<Notice> {
        let mut notices = self.0.into_inner().unwrap_or_default();
        notices.sort();
        notices.dedup();
        notices
    }
}
