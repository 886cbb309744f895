//! Long work on a helper thread, while R's own thread looks for Ctrl-C and
//! shows progress. Only R's thread ever calls R.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::Instant;

use axtile_core::{Error, Result, TICK, Watch, attended};
use extendr_api::prelude::*;

use crate::r_api::is_interrupt_pending;

/// What work tells, and whether the user pressed Ctrl-C: looked for on R's own
/// thread, when work asks there or while it waits for other threads.
pub struct RWatch {
    thread: ThreadId,
    started: Instant,
    /// Milliseconds after the start at which to look next.
    next_look: AtomicU64,
    is_interrupted: AtomicBool,
    done: AtomicU64,
}

impl RWatch {
    /// To be called on R's thread.
    pub fn new() -> RWatch {
        RWatch {
            thread: thread::current().id(),
            started: Instant::now(),
            next_look: AtomicU64::new(TICK.as_millis() as u64),
            is_interrupted: AtomicBool::new(false),
            done: AtomicU64::new(0),
        }
    }

    /// The result of work. An interrupt that came too late to stop it is not
    /// forgotten, as R was told of it: what called the work stops.
    ///
    /// # Errors
    /// Those of the result; `Error::Interrupted`.
    pub fn settle<T>(&self, result: Result<T>) -> Result<T> {
        match result {
            Ok(_) if self.is_interrupted.load(Ordering::Relaxed) => Err(Error::Interrupted),
            result => result,
        }
    }
}

impl Watch for RWatch {
    fn advance(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        if self.is_interrupted.load(Ordering::Relaxed) {
            return true;
        }
        let now = self.started.elapsed().as_millis() as u64;
        if now < self.next_look.load(Ordering::Relaxed) || thread::current().id() != self.thread {
            return false;
        }
        let next = now + TICK.as_millis() as u64;
        self.next_look.store(next, Ordering::Relaxed);
        let is_pending = is_interrupt_pending();
        self.is_interrupted.fetch_or(is_pending, Ordering::Relaxed) || is_pending
    }
}

/// Runs `work` on another thread until it ends; never returns before, so that
/// memory of R's that it writes to stays valid. `progress` is NULL or an R
/// function that takes the units done so far and returns TRUE; FALSE to
/// interrupt the work; anything else, or an error, to be called no more.
///
/// # Errors
/// Those of `work`; `Error::Interrupted` if the user pressed Ctrl-C, even if the
/// work was done before it heard of that.
pub fn watched<T: Send>(
    progress: &Robj,
    work: impl FnOnce(&dyn Watch) -> Result<T> + Send,
) -> Result<T> {
    let watch = &RWatch::new();
    let mut show = progress.as_function();
    let look = || {
        watch.is_interrupted();
        let Some(function) = &show else { return };
        let done = watch.done.load(Ordering::Relaxed) as f64;
        match function
            .call(pairlist!(done))
            .ok()
            .and_then(|go_on| go_on.as_bool())
        {
            Some(true) => {}
            Some(false) => watch.is_interrupted.store(true, Ordering::Relaxed),
            None => show = None,
        }
    };
    let result = attended(look, move || work(watch));
    watch.settle(result)
}
