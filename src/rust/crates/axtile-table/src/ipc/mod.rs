//! Arrow IPC files of one column: uncompressed, a record batch for each tile,
//! to be memory-mapped
//! (<https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format>).
//!
//! | content | layout |
//! |---|---|
//! | start | `ARROW1`, two zero bytes |
//! | messages | schema, then record batches: `ff ff ff ff`, i32 length n, n bytes of FlatBuffers, body |
//! | end of messages | `ff ff ff ff`, i32 0 |
//! | footer | FlatBuffers: schema, place of each record batch |
//! | end | i32 length of the footer, `ARROW1` |
//!
//! The body of a record batch holds three buffers at most: validity bits
//! (absent where nothing is missing), for text the offsets, and the values.
//! All is little-endian and aligned to 8 bytes.
//!
//! The Arrow crates would more than double the build time of the package for
//! this.

mod build;
mod flat;
mod read;
mod schema;
mod take;
mod write;

pub use read::{IpcColumn, Place};
pub use schema::parquet_schema;
pub use write::IpcWriter;

/// What a file starts with; the same six bytes end it.
const MAGIC: &[u8; 6] = b"ARROW1";

/// What every message starts with since Arrow 0.15.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// MetadataVersion V5, the one since Arrow 1.0.
const VERSION: i16 = 4;

/// Members of the union MessageHeader.
const HEADER_SCHEMA: u8 = 1;
const HEADER_RECORD_BATCH: u8 = 3;
