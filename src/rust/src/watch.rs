//! Long work on a helper thread, while R's own thread looks for Ctrl-C and
//! shows progress. Only R's thread ever calls R.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use axtile_core::{Result, Watch};
use extendr_api::prelude::*;

use crate::r_api::is_interrupt_pending;

/// How often R's thread looks up from waiting.
const TICK: Duration = Duration::from_millis(50);

#[derive(Default)]
struct SharedWatch {
    done: AtomicU64,
    is_interrupted: AtomicBool,
}

impl Watch for SharedWatch {
    fn advance(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

/// The watch of work on R's own thread, which looks for Ctrl-C itself. Its worker
/// threads hear of it after that.
pub struct OwnThread {
    thread: ThreadId,
    started: Instant,
    /// Milliseconds after the start at which to look next.
    next_look: AtomicU64,
    is_interrupted: AtomicBool,
}

impl OwnThread {
    /// To be called on R's thread.
    pub fn new() -> OwnThread {
        OwnThread {
            thread: thread::current().id(),
            started: Instant::now(),
            next_look: AtomicU64::new(TICK.as_millis() as u64),
            is_interrupted: AtomicBool::new(false),
        }
    }
}

impl Watch for OwnThread {
    fn advance(&self, _done: u64) {}

    fn is_interrupted(&self) -> bool {
        let now = self.started.elapsed().as_millis() as u64;
        if now >= self.next_look.load(Ordering::Relaxed) && thread::current().id() == self.thread {
            self.next_look
                .store(now + TICK.as_millis() as u64, Ordering::Relaxed);
            if is_interrupt_pending() {
                self.is_interrupted.store(true, Ordering::Relaxed);
            }
        }
        self.is_interrupted.load(Ordering::Relaxed)
    }
}

/// Runs `work` on another thread until it ends; never returns before, so that
/// memory of R's that it writes to stays valid. `progress` is NULL or an R
/// function that takes the units done so far and returns TRUE; FALSE to
/// interrupt the work; anything else, or an error, to be called no more.
///
/// # Errors
/// What `work` returns: `Error::Interrupted` if the user pressed Ctrl-C and
/// `work` stopped for it.
pub fn watched<T: Send>(
    progress: &Robj,
    work: impl FnOnce(&dyn Watch) -> Result<T> + Send,
) -> Result<T> {
    let watch = SharedWatch::default();
    let mut show = progress.as_function();
    thread::scope(|scope| {
        let (finished, wait) = sync_channel::<()>(1);
        let watch = &watch;
        let worker = scope.spawn(move || {
            // Dropped also when `work` panics, which ends the wait.
            let _finished = finished;
            work(watch)
        });
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(TICK) {
            if !watch.is_interrupted() && is_interrupt_pending() {
                watch.is_interrupted.store(true, Ordering::Relaxed);
            }
            let Some(function) = &show else { continue };
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
        }
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
