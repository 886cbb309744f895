//! Finding out what an input is, by its content.

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_tiles::CellSource;

use crate::h5::File;
use crate::h5ad::{H5ad, is_h5ad};
use crate::options::ImportOptions;

/// The first bytes of HDF5 files; a user block moves them to byte 512, 1024, ...
const HDF5_SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// Opens counts in any of the layouts that are read: AnnData's h5ad, 10x
/// Genomics' HDF5 (versions 2 and 3), a 10x Genomics Matrix Market folder, or a
/// bare Matrix Market file.
///
/// # Errors
/// `Error::Io` if it cannot be read, `Error::Unsupported` if it is something
/// else, `Error::Corrupt` if it breaks its format's rules.
pub fn open(path: &Path, options: &ImportOptions) -> Result<Box<dyn CellSource>> {
    let file = File::open(path)?;
    let root = file.root()?;
    if is_h5ad(&root)? {
        return Ok(Box::new(H5ad::from_file(file, options)?));
    }
    Err(Error::unsupported(path, "no h5ad"))
}
