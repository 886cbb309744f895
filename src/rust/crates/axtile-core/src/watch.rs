//! How long work and its caller talk: work reports what it has done, the
//! caller says when to stop. Worker threads share one watch.

use crate::{Error, Result};

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
