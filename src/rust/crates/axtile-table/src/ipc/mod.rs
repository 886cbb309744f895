//! Arrow IPC files of one column: uncompressed, a record batch for each tile,
//! to be memory-mapped
//! (<https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format>).

mod read;
mod schema;
mod take;
mod write;

pub use read::{IpcColumn, Place};
pub use schema::parquet_schema;
pub use write::IpcWriter;
