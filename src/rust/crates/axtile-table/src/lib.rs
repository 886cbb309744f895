//! Annotation tables (obs and var): typed columns in memory, parquet row
//! groups on disk, and memory-mapped Arrow IPC files for fast look-ups.
#![forbid(unsafe_code)]

mod damage;
mod half;
pub mod ipc;
mod model;
pub mod parquet;
mod rows;

pub use model::{Column, Field, IntegerType, Kind, RealType, Table};
