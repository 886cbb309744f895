//! MEF 3.0
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod bytes;
mod checksum;
mod damage;
mod limits;
pub mod red;

pub use damage::Damage;
pub mod archive;
pub mod copy;
pub mod crypt;
pub mod header;
pub mod read;
pub mod records;
pub mod recover;
pub mod session;
mod snapshot;
pub mod time;
pub mod validate;
pub mod write;
