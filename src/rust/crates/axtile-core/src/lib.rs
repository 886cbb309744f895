//! What every crate of axtile shares: the error type and its kinds, and the
//! watch through which long work reports progress and learns of an interrupt.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod error;
mod watch;

pub use error::{Error, ErrorKind, Result};
pub use watch::{TICK, Unwatched, Watch, attended};
