//! Opening whatever kind of store is at a path.

use std::path::Path;
use std::sync::Arc;

use axtile_core::Result;

use crate::model::{Reader, Writer};
use crate::{FilesDaf, OpenMode, ZarrDaf};

/// Whether a store at `path` is, or is to be, one of Zarr arrays: its name
/// ends with `.zarr`.
fn is_zarr(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "zarr")
}

/// Opens a store to read.
///
/// # Errors
/// As [`FilesDaf::open`] and [`ZarrDaf::open`].
pub fn open_reader(path: &Path) -> Result<Arc<dyn Reader>> {
    Ok(if is_zarr(path) {
        Arc::new(ZarrDaf::open(path, OpenMode::Read, None)?)
    } else {
        Arc::new(FilesDaf::open(path, OpenMode::Read, None)?)
    })
}

/// Opens or creates a store to write.
///
/// # Errors
/// As [`FilesDaf::open`] and [`ZarrDaf::open`].
pub fn open_writer(path: &Path, mode: OpenMode) -> Result<Arc<dyn Writer>> {
    Ok(if is_zarr(path) {
        Arc::new(ZarrDaf::open(path, mode, None)?)
    } else {
        Arc::new(FilesDaf::open(path, mode, None)?)
    })
}
