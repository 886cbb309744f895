//! Finding out what an input is, by its content.

use std::io::Read;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::open_regular;
use axtile_tiles::{CellSource, LayerKind};

use crate::h5::File;
use crate::h5ad::{H5ad, is_h5ad};
use crate::mtx::{BANNER, Mtx};
use crate::options::ImportOptions;
use crate::tenx::{TenX, is_tenx};

/// The first bytes of HDF5 files; a user block moves them to byte 512, 1024, ...
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// What is looked at: a user block is rarely longer.
const HEAD_LEN: u64 = 1 << 16;

const GZIP_SIGNATURE: &[u8] = b"\x1f\x8b";

/// Opens counts in any of the layouts that are read: AnnData's h5ad, 10x
/// Genomics' HDF5 (versions 2 and 3), a 10x Genomics Matrix Market folder, or a
/// bare Matrix Market file.
///
/// # Errors
/// `Error::Io` if it cannot be read, `Error::Unsupported` if it is something
/// else, `Error::Corrupt` if it breaks its format's rules.
pub fn open(path: &Path, options: &ImportOptions) -> Result<Box<dyn CellSource>> {
    let only_counts = |what: &str| match options.layers.as_slice() {
        [] if options.kind == LayerKind::Count => Ok(()),
        [] => Err(Error::argument(format!(
            "'{}' is {what}, of which only counts are read, not {} values",
            path.display(),
            options.kind.name()
        ))),
        [(layer, _), ..] => Err(Error::argument(format!(
            "'{}' is {what}, which has no layer '{layer}'",
            path.display()
        ))),
    };
    if path.is_dir() {
        only_counts("a folder with a Matrix Market file")?;
        return Ok(Box::new(Mtx::open(path, options)?));
    }
    let head = read_head(path)?;
    if has_hdf5_signature(&head) {
        let file = File::open(path)?;
        let root = file.root()?;
        if is_h5ad(&root)? {
            return Ok(Box::new(H5ad::from_file(file, options)?));
        }
        if is_tenx(&root)? {
            only_counts("a 10x Genomics file")?;
            return Ok(Box::new(TenX::from_file(file, options)?));
        }
        let (groups, datasets) = root.names()?;
        return Err(Error::unsupported(
            path,
            format!(
                "an HDF5 file that is neither AnnData's (groups obs and var) nor 10x Genomics' (group matrix); it has {}",
                [groups, datasets].concat().join(", ")
            ),
        ));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let gzipped_mtx = head.starts_with(GZIP_SIGNATURE) && name.ends_with(".mtx.gz");
    let banner = head.get(..BANNER.len()).unwrap_or_default();
    if gzipped_mtx || banner.eq_ignore_ascii_case(BANNER) || name.ends_with(".mtx") {
        only_counts("a Matrix Market file")?;
        return Ok(Box::new(Mtx::open(path, options)?));
    }
    Err(Error::unsupported(
        path,
        "neither an HDF5 file nor a Matrix Market file; h5ad, 10x Genomics h5, .mtx and folders with matrix.mtx are read",
    ))
}

fn read_head(path: &Path) -> Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut head = Vec::new();
    file.take(HEAD_LEN)
        .read_to_end(&mut head)
        .map_err(Error::io("read", path))?;
    Ok(head)
}

/// The signature is at byte 0, 512, 1024, 2048, ... (specification, II.A).
fn has_hdf5_signature(head: &[u8]) -> bool {
    let mut at = 0;
    while let Some(rest) = head.get(at..) {
        if rest.starts_with(HDF5_SIGNATURE) {
            return true;
        }
        at = if at == 0 { 512 } else { at * 2 };
    }
    false
}
