//! Headers of data and index, with right counts.

use std::path::Path;

use axtile_core::{Result, Watch};

use crate::checksum::{SEED, extend};
use crate::header::{FileType, MetadataImage, UNIVERSAL_BYTES, UniversalHeader, seal_header};
use crate::session::ByteSource;
use crate::write::new_id;

/// The data's checksum up to `end`.
pub(super) fn data_checksum(data: &ByteSource, end: u64, watch: &dyn Watch) -> Result<u32> {
    const AT_ONCE: u64 = 1 << 20;
    let mut state = SEED;
    let mut at = UNIVERSAL_BYTES as u64;
    while at < end {
        watch.check()?;
        let n = (end - at).min(AT_ONCE);
        state = extend(state, &data.read(at, n as usize)?);
        at += n;
    }
    Ok(state)
}

/// What the headers of a segment's files share.
pub(super) struct Frame<'a> {
    pub(super) image: &'a MetadataImage,
    pub(super) n_entries: i64,
}

impl Frame<'_> {
    /// Whether a file's header is lost or counts other than there is.
    pub(super) fn miscounts(&self, old: &[u8], file_type: FileType) -> bool {
        let header = UniversalHeader::parse(old, file_type, Path::new(""));
        header.map_or(true, |header| header.n_entries != self.n_entries)
    }

    /// The header of a file: the old one, with its counts where the body's
    /// checksum is given, or a new one where it is lost.
    pub(super) fn file(
        &self,
        old: &[u8],
        file_type: FileType,
        path: &Path,
        maximum_entry: i64,
        body_checksum: Option<u32>,
    ) -> Result<Vec<u8>> {
        let own = self.image.header();
        let parsed = UniversalHeader::parse(old, file_type, path).ok();
        let Some(body_checksum) = body_checksum else {
            return Ok(old.get(..UNIVERSAL_BYTES).unwrap_or_default().to_vec());
        };
        let Some(mut header) = parsed else {
            let file_id = new_id()?;
            let header = UniversalHeader {
                file_id,
                provenance_id: file_id,
                maximum_entry,
                body_checksum,
                n_entries: self.n_entries,
                ..own
            };
            return Ok(header.image(file_type).to_vec());
        };
        header.n_entries = self.n_entries;
        header.maximum_entry = header.maximum_entry.max(maximum_entry);
        header.start = own.start;
        header.end = own.end;
        // Zero was never computed, and goes on not to be.
        if header.body_checksum != 0 {
            header.body_checksum = body_checksum;
        }
        let mut image = old.get(..UNIVERSAL_BYTES).unwrap_or_default().to_vec();
        header.patch(&mut image);
        seal_header(&mut image);
        Ok(image)
    }
}
