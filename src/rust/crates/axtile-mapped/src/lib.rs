//! Mapped matrices: a sparse matrix in compressed columns as a folder whose
//! files are the matrix's own arrays, to be mapped instead of read. The format
//! is that of `inst/spec/mapped-matrix.md`.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod checksum;
mod header;
mod open;
mod verify;
mod write;

pub use checksum::Checksum;
pub use header::{FORMAT, HEADER_FILE, Header, MAX_HEADER_LEN, MAX_SIZE, VERSION};
pub use open::MappedMatrix;
pub use write::{MatrixParts, write_matrix};
