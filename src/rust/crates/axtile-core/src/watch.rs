//! How long work and its caller talk: work reports what it has done, the
//! caller says when to stop. Worker threads share one watch.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::{Error, Result};

/// How often a thread looks up from waiting for others.
pub const TICK: Duration = Duration::from_millis(50);

/// Progress and interruption of long work.
pub trait Watch: Sync {
    /// `done` more units of work are finished. The unit is the caller's: what
    /// it was told the total is counted in.
    fn advance(&self, done: u64);

    /// Whether the user asked to stop.
    fn is_interrupted(&self) -> bool;

    /// `Err(Error::Interrupted)` if the user asked to stop. To be called at
    /// least every few hundred milliseconds of work.
    fn check(&self) -> Result<()> {
        if self.is_interrupted() {
            Err(Error::Interrupted)
        } else {
            Ok(())
        }
    }
}

/// A watch that nobody looks at and that never interrupts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn advance(&self, _done: u64) {}

    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Runs `work` on another thread until it ends, never returning before, and
/// meanwhile `look` on this one every [`TICK`]: what only this thread may ask.
pub fn attended<T: Send>(mut look: impl FnMut(), work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let (finished, wait) = sync_channel::<()>(1);
        let worker = scope.spawn(move || {
            // Dropped also when `work` panics, which ends the wait.
            let _finished = finished;
            work()
        });
        while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(TICK) {
            look();
        }
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn this_thread_looks_while_another_works() {
        let this = thread::current().id();
        let n_looks = AtomicUsize::new(0);
        let look = || {
            assert_eq!(thread::current().id(), this);
            n_looks.fetch_add(1, Ordering::SeqCst);
        };
        let other = attended(look, || {
            while n_looks.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
            }
            thread::current().id()
        });
        assert_ne!(other, this);
    }

    #[test]
    fn a_panic_of_the_work_ends_the_wait() {
        let panics = || attended(|| {}, || panic!("as it must"));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    }
}
