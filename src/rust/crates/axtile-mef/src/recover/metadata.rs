//! The metadata file of a segment that may have lost it.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use crate::header::{METADATA_BYTES, MetadataImage, Section2, UniversalHeader};
use crate::time::NO_TIME;
use crate::write::new_id;

/// Where metadata come from.
pub(crate) enum Origin {
    /// The file itself.
    File,
    /// A complete file that had not taken the name yet.
    Temporary(PathBuf),
    /// The segment before.
    Previous,
}

/// Endings that writers give to metadata before they take their name.
const TEMPORARY: [&str; 2] = ["axtile-tmp", "mef3io-tmp"];

/// Files beside `path` that were to take its name.
pub(crate) fn temporaries(path: &Path) -> Vec<PathBuf> {
    TEMPORARY
        .iter()
        .map(|ending| {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{ending}"));
            path.with_file_name(name)
        })
        .filter(|path| path.is_file())
        .collect()
}

fn load(path: &Path, password: Option<&str>) -> Result<MetadataImage> {
    let mut bytes = fs::read(path).map_err(Error::io("read", path))?;
    bytes.truncate(METADATA_BYTES);
    MetadataImage::parse(&bytes, password, path)
}

/// The metadata of a segment, from its file or what is left of it.
///
/// # Errors
/// Why the file itself cannot be read, where nothing stands in for it.
pub(crate) fn find(
    path: &Path,
    password: Option<&str>,
    previous: Option<&MetadataImage>,
    number: u32,
) -> Result<(MetadataImage, Origin)> {
    let error = match load(path, password) {
        Ok(image) => return Ok((image, Origin::File)),
        Err(error) => error,
    };
    // A wrong password is no reason to take anything else.
    let is_lost = matches!(&error, Error::Corrupt { .. } | Error::Io { .. });
    if !is_lost {
        return Err(error);
    }
    for temporary in temporaries(path) {
        if let Ok(image) = load(&temporary, password) {
            return Ok((image, Origin::Temporary(temporary)));
        }
    }
    // Only a file that is gone or empty is made anew: a damaged one may still
    // tell somebody something.
    let is_gone = fs::metadata(path).map_or(true, |metadata| metadata.len() == 0);
    match previous {
        Some(previous) if is_gone && previous.section_3().is_some() => {
            Ok((follow(previous, number)?, Origin::Previous))
        }
        _ => Err(error),
    }
}

/// Metadata for the segment after that of `previous`.
fn follow(previous: &MetadataImage, number: u32) -> Result<MetadataImage> {
    let mut image = previous.clone();
    let before = previous.section_2();
    let file_id = new_id()?;
    image.set_header(&UniversalHeader {
        start: NO_TIME,
        end: NO_TIME,
        segment: number.cast_signed(),
        level_id: new_id()?,
        file_id,
        provenance_id: file_id,
        ..previous.header()
    });
    image.set_section_2(&Section2 {
        start_sample: before
            .start_sample
            .max(0)
            .saturating_add(before.n_samples.max(0)),
        ..before
    });
    Ok(image)
}
