//! Annotation tables (obs and var): typed columns in memory, parquet row
//! groups on disk, and memory-mapped Arrow IPC files for fast look-ups.
#![forbid(unsafe_code)]

mod damage;
pub mod ipc;
mod model;
mod nullable;
pub mod parquet;
mod rows;
mod stored;

pub use model::{Column, Field, IntegerType, Kind, RealType, Table};
pub use stored::Stored;
