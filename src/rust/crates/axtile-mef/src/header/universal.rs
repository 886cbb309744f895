//! The universal header, 1024 bytes at the start of every file.

use std::path::Path;

use axtile_core::{Error, Result};

use crate::bytes::{array, i32_at, i64_at, put, put_text, text_at, u32_at};
use crate::checksum::checksum;
use crate::damage::Damage;

/// Bytes of the universal header.
pub const UNIVERSAL_BYTES: usize = 1024;
const VERSION: u8 = 3;
const LITTLE_ENDIAN: u8 = 1;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileType {
    /// Metadata, `.tmet`.
    Metadata,
    /// Index of blocks, `.tidx`.
    Index,
    /// Blocks, `.tdat`.
    Data,
    /// Records, `.rdat`.
    Records,
    /// Index of records, `.ridx`.
    RecordIndex,
}

impl FileType {
    /// The four letters that are both its mark and its file extension.
    pub fn extension(self) -> &'static str {
        match self {
            FileType::Metadata => "tmet",
            FileType::Index => "tidx",
            FileType::Data => "tdat",
            FileType::Records => "rdat",
            FileType::RecordIndex => "ridx",
        }
    }
}

/// What a file says of itself and of the level it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniversalHeader {
    /// Checksum of what follows the header; 0 where it was never computed.
    pub body_checksum: u32,
    /// Start as stored.
    pub start: i64,
    /// End as stored; of the first sample that is not there.
    pub end: i64,
    /// Number of entries, blocks or records; -1 for unknown.
    pub n_entries: i64,
    /// Size of the largest entry.
    pub maximum_entry: i64,
    /// Number of the segment; negative at other levels.
    pub segment: i32,
    /// Name of the channel.
    pub channel: String,
    /// Name of the session.
    pub session: String,
    /// Name of the subject in anonymised files.
    pub anonymized_name: String,
    /// Same for all files of a level.
    pub level_id: [u8; 16],
    /// Different for each file.
    pub file_id: [u8; 16],
    /// The file that this one comes from.
    pub provenance_id: [u8; 16],
    /// By which a level 1 password is known.
    pub level_1_field: [u8; 16],
    /// By which a level 2 password is known.
    pub level_2_field: [u8; 16],
}

impl UniversalHeader {
    /// Reads the fields; version, type and checksum are not looked at.
    pub(crate) fn fields(image: &[u8]) -> UniversalHeader {
        UniversalHeader {
            body_checksum: u32_at(image, 4),
            start: i64_at(image, 16),
            end: i64_at(image, 24),
            n_entries: i64_at(image, 32),
            maximum_entry: i64_at(image, 40),
            segment: i32_at(image, 48),
            channel: text_at(image, 52, 256),
            session: text_at(image, 308, 256),
            anonymized_name: text_at(image, 564, 256),
            level_id: array(image, 820),
            file_id: array(image, 836),
            provenance_id: array(image, 852),
            level_1_field: array(image, 868),
            level_2_field: array(image, 884),
        }
    }

    /// Reads the header at the start of `image`, a file at `path`.
    ///
    /// # Errors
    /// `Error::Corrupt` where the file is shorter, of another type, or its
    /// header's checksum is wrong, `Error::Version` for another version,
    /// `Error::Unsupported` for big-endian files.
    pub fn parse(image: &[u8], file_type: FileType, path: &Path) -> Result<UniversalHeader> {
        if let Err(damage) = check_header(image, file_type) {
            return Err(damage.at(path, "the universal header"));
        }
        let [major, minor, order] = array(image, 13);
        if major != VERSION {
            return Err(Error::Version {
                path: path.to_owned(),
                problem: format!("it is of MEF version {major}.{minor}, expected 3"),
            });
        }
        if order != LITTLE_ENDIAN {
            return Err(Error::unsupported(
                path,
                "its byte order is not little-endian",
            ));
        }
        Ok(UniversalHeader::fields(image))
    }

    /// Writes the fields into `image`; all else stays.
    pub(crate) fn patch(&self, image: &mut [u8]) {
        put(image, 4, &self.body_checksum.to_le_bytes());
        put(image, 16, &self.start.to_le_bytes());
        put(image, 24, &self.end.to_le_bytes());
        put(image, 32, &self.n_entries.to_le_bytes());
        put(image, 40, &self.maximum_entry.to_le_bytes());
        put(image, 48, &self.segment.to_le_bytes());
        put_text(image, 52, 256, &self.channel);
        put_text(image, 308, 256, &self.session);
        put_text(image, 564, 256, &self.anonymized_name);
        put(image, 820, &self.level_id);
        put(image, 836, &self.file_id);
        put(image, 852, &self.provenance_id);
        put(image, 868, &self.level_1_field);
        put(image, 884, &self.level_2_field);
    }

    /// A new header with its checksum.
    pub(crate) fn image(&self, file_type: FileType) -> [u8; UNIVERSAL_BYTES] {
        let mut image = [0; UNIVERSAL_BYTES];
        put_text(&mut image, 8, 5, file_type.extension());
        put(&mut image, 13, &[VERSION, 0, LITTLE_ENDIAN]);
        self.patch(&mut image);
        seal_header(&mut image);
        image
    }
}

/// Length, type and checksum of a header.
pub(crate) fn check_header(image: &[u8], file_type: FileType) -> Result<(), Damage> {
    let Some(header) = image.get(..UNIVERSAL_BYTES) else {
        return Err(Damage::new(format!(
            "the file has {} bytes, its header alone {UNIVERSAL_BYTES}",
            image.len()
        )));
    };
    let found = text_at(header, 8, 5);
    if found != file_type.extension() {
        return Err(Damage::new(format!(
            "the file is of type '{}', expected '{}'",
            found.escape_debug(),
            file_type.extension()
        )));
    }
    let stored = u32_at(header, 0);
    let computed = checksum(header.get(4..).unwrap_or_default());
    if stored != 0 && stored != computed {
        return Err(Damage::new(format!(
            "the header's checksum is {computed:08x}, expected {stored:08x}"
        )));
    }
    Ok(())
}

/// Computes and writes the header's checksum.
pub(crate) fn seal_header(image: &mut [u8]) {
    let sum = checksum(image.get(4..UNIVERSAL_BYTES).unwrap_or_default());
    put(image, 0, &sum.to_le_bytes());
}
