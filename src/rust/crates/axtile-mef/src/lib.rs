//! MEF 3.0: sessions of electrophysiology, read, written, appended to, checked
//! and brought in order.
//!
//! A session is a folder `NAME.mefd` (or an uncompressed tar archive of one)
//! with a folder per channel, which has a folder per segment, which has three
//! files: metadata, an index of blocks, and the blocks, which hold counts coded
//! by [`red`]. Times are microseconds since 1970 UTC in `i64`; rates are in Hz;
//! spans of time have their start and not their end. Counts are `i32`, of which
//! `i32::MIN` stands for a missing one; times the segment's factor they are in
//! the channel's unit.
//!
//! # What a binding calls
//!
//! | to | call | costs |
//! |---|---|---|
//! | open | [`session::Session::open`], [`session::Session::open_cached`] | listing names; one metadata file |
//! | describe | [`channel_info`](session::Session::channel_info), [`segments`](session::Session::segments), [`blocks`](session::Session::blocks), [`gaps`](session::Session::gaps) | two metadata files a channel; all of a channel's; its indexes |
//! | read a window | [`plan`](session::Session::plan) gives rows and columns, the caller makes the array, [`ReadPlan::read`](read::ReadPlan::read) fills it with `f64`, `f32` or `i32` | the blocks in the window |
//! | draw a long span | [`blocks`](session::Session::blocks) has each block's extremes | no decoding |
//! | read records | [`session::Session::records`] | files of records |
//! | write | [`write::SessionWriter::create`], then [`write`](write::SessionWriter::write), [`write_records`](write::SessionWriter::write_records), [`close`](write::SessionWriter::close) | encoding |
//! | append | [`write::SessionWriter::open`], then the same | the same however long the recording |
//! | check | [`validate::validate`] | all data, or headers and indexes |
//! | bring in order | [`recover::recover`] | all data |
//! | copy | [`copy::cut_session`], [`copy::merge_sessions`], [`copy::anonymize_session`] | all data, decoding at edges only |
//! | pack | [`archive::archive_session`], [`archive::extract_session`] | all data |
//! | rename | [`rename::rename_session`] | headers |
//!
//! # Reading
//!
//! Row `i` of a window is at `from + i / rate`. A block takes the rows from the
//! one nearest to its start on (the earlier of two that are as near); rows that
//! no block takes are missing; where blocks overlap, the later one in the
//! session counts. The block's own header is right about its time and length,
//! the index about where it is, metadata about neither: data that metadata do
//! not know of yet are read. A damaged block fails the read, or in lenient mode
//! leaves its rows missing and is noticed. Blocks of all channels are decoded
//! in parallel and, in each thread, four at a time, straight into the caller's
//! array. Files are read, not mapped: sessions change in place.
//!
//! # Writing
//!
//! Everything about a call is checked and encoded before a file is touched. New
//! sessions and segments appear whole. An append writes blocks, index entries,
//! the two headers, and at last puts new metadata in the place of the old.
//! [`write::Durability::Full`]: all that is on the disk when the call returns.
//! [`write::Durability::Fast`]: when `flush` or `close` returns. A power cut
//! damages at most what was not on the disk; every state it can leave is what
//! [`recover`] is for.
//!
//! # Input that lies
//!
//! No number of a file is believed before it fits the file's length and the
//! bounds of `limits`; text may be of any bytes; loops end with their input.
//! What is wrong is an [`axtile_core::Error`] that names the file and the place.
//! Passwords protect little: see [`crypt`]. The bytes are described in
//! `inst/spec/mef.md`.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub mod archive;
mod bytes;
mod checksum;
pub mod copy;
pub mod crypt;
mod damage;
pub mod header;
mod limits;
pub mod read;
pub mod records;
pub mod recover;
pub mod red;
pub mod rename;
pub mod session;
mod snapshot;
#[cfg(test)]
mod spec;
pub mod time;
pub mod validate;
pub mod write;

pub use damage::Damage;
