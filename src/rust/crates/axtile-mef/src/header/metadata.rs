//! A metadata file as a whole: 16384 bytes, the universal header and three
//! sections. Kept as bytes and changed in place, so that regions which other
//! programs use stay as they are.

use std::path::Path;

use axtile_core::{Error, Result};

use crate::bytes::{put, u32_at};
use crate::checksum::checksum;
use crate::crypt::Access;
use crate::header::section1::Encryption;
use crate::header::section2::{SECTION_2_BYTES, Section2};
use crate::header::section3::{SECTION_3_BYTES, Section3};
use crate::header::universal::{FileType, UNIVERSAL_BYTES, UniversalHeader, seal_header};

/// Bytes of a metadata file. Some writers append padding, which is ignored.
pub const METADATA_BYTES: usize = 16384;
/// The universal header's region for the use of writers.
const DISCRETIONARY_AT: usize = 960;
const DISCRETIONARY_BYTES: usize = 64;
const MARK: &[u8] = b"AXTILE\x00\x01";
const SECTION_1_AT: usize = UNIVERSAL_BYTES;
const SECTION_2_AT: usize = 2560;
const SECTION_3_AT: usize = SECTION_2_AT + SECTION_2_BYTES;

/// A metadata file in memory, with its sections decrypted where the keys allow.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataImage {
    bytes: Vec<u8>,
    access: Access,
    /// Section 3 is as it is in the file: its key is not known.
    is_locked: bool,
}

impl MetadataImage {
    /// Reads a metadata file at `path`.
    ///
    /// # Errors
    /// Those of [`UniversalHeader::parse`]; `Error::Corrupt` also for a short
    /// file or a wrong checksum; `Error::Argument` where a password is missing
    /// or wrong.
    pub fn parse(bytes: &[u8], password: Option<&str>, path: &Path) -> Result<MetadataImage> {
        let header = UniversalHeader::parse(bytes, FileType::Metadata, path)?;
        let Some(bytes) = bytes.get(..METADATA_BYTES) else {
            return Err(Error::corrupt(
                path,
                format!("byte {}", bytes.len()),
                format!("the file ends, expected {METADATA_BYTES} bytes"),
            ));
        };
        let stored = u32_at(bytes, 4);
        let computed = checksum(bytes.get(UNIVERSAL_BYTES..).unwrap_or_default());
        if stored != 0 && stored != computed {
            return Err(Error::corrupt(
                path,
                "the sections",
                format!("their checksum is {computed:08x}, expected {stored:08x}"),
            ));
        }
        let access = Access::unlock(&header, password, path)?;
        let mut image = MetadataImage {
            bytes: bytes.to_vec(),
            access,
            is_locked: false,
        };
        let (second, third) = image.encryption();
        let missing = || {
            Error::argument(format!(
                "'{}' is encrypted: a password is needed",
                path.display()
            ))
        };
        if second.level() > 0 {
            let key = image.access.key(second.level()).ok_or_else(missing)?;
            key.decrypt(image.section_mut(SECTION_2_AT, SECTION_2_BYTES));
        }
        if third.level() > 0 {
            match image.access.key(third.level()) {
                Some(key) => key.decrypt(image.section_mut(SECTION_3_AT, SECTION_3_BYTES)),
                None => image.is_locked = true,
            }
        }
        Ok(image)
    }

    /// New metadata.
    pub(crate) fn new(
        header: &UniversalHeader,
        access: Access,
        section_2: &Section2,
        section_3: &Section3,
    ) -> MetadataImage {
        let mut bytes = vec![0; METADATA_BYTES];
        put(&mut bytes, 0, &header.image(FileType::Metadata));
        let (second, third) = if access.is_encrypting() {
            (Encryption(1), Encryption(2))
        } else {
            (Encryption::PLAIN_LEVEL_1, Encryption::PLAIN_LEVEL_2)
        };
        put(&mut bytes, SECTION_1_AT, &[second.0 as u8, third.0 as u8]);
        let mut image = MetadataImage {
            bytes,
            access,
            is_locked: false,
        };
        image.set_section_2(section_2);
        image.set_section_3(section_3);
        image
    }

    fn encryption(&self) -> (Encryption, Encryption) {
        let byte = |at: usize| Encryption(self.bytes.get(at).copied().unwrap_or(0) as i8);
        (byte(SECTION_1_AT), byte(SECTION_1_AT + 1))
    }

    fn section(&self, at: usize, len: usize) -> &[u8] {
        self.bytes.get(at..at + len).unwrap_or_default()
    }

    fn section_mut(&mut self, at: usize, len: usize) -> &mut [u8] {
        self.bytes.get_mut(at..at + len).unwrap_or_default()
    }

    /// The universal header.
    pub fn header(&self) -> UniversalHeader {
        UniversalHeader::fields(&self.bytes)
    }

    /// The keys that the file was opened with.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Section 2.
    pub fn section_2(&self) -> Section2 {
        Section2::parse(self.section(SECTION_2_AT, SECTION_2_BYTES))
    }

    /// Section 3; `None` where its key is not known.
    pub fn section_3(&self) -> Option<Section3> {
        (!self.is_locked).then(|| Section3::parse(self.section(SECTION_3_AT, SECTION_3_BYTES)))
    }

    pub(crate) fn set_header(&mut self, header: &UniversalHeader) {
        header.patch(&mut self.bytes);
    }

    pub(crate) fn set_section_2(&mut self, section: &Section2) {
        let before = self.section_2();
        section.patch(&before, self.section_mut(SECTION_2_AT, SECTION_2_BYTES));
    }

    /// Whether all blocks were written by this crate.
    pub(crate) fn is_marked(&self) -> bool {
        self.section(DISCRETIONARY_AT, MARK.len()) == MARK
    }

    /// Marks new metadata as this crate's; the region is for such marks.
    pub(crate) fn mark(&mut self) {
        let region = self.section_mut(DISCRETIONARY_AT, DISCRETIONARY_BYTES);
        region.fill(0);
        put(region, 0, MARK);
    }

    /// Does nothing to a locked section.
    pub(crate) fn set_section_3(&mut self, section: &Section3) {
        if let Some(before) = self.section_3() {
            section.patch(&before, self.section_mut(SECTION_3_AT, SECTION_3_BYTES));
        }
    }

    /// Encrypts with other keys from now on.
    pub(crate) fn set_access(&mut self, access: Access) {
        let bytes = if access.is_encrypting() {
            [1, 2]
        } else {
            [
                Encryption::PLAIN_LEVEL_1.0 as u8,
                Encryption::PLAIN_LEVEL_2.0 as u8,
            ]
        };
        put(&mut self.bytes, SECTION_1_AT, &bytes);
        let mut header = self.header();
        (header.level_1_field, header.level_2_field) = access.fields();
        self.set_header(&header);
        self.access = access;
    }

    /// The file's bytes: encrypted as its first section says, with both
    /// checksums. A body checksum that was never computed is computed.
    pub(crate) fn to_file(&self) -> Vec<u8> {
        let mut file = self.clone();
        let (second, third) = file.encryption();
        if let Some(key) = file.access.key(second.level()) {
            key.encrypt(file.section_mut(SECTION_2_AT, SECTION_2_BYTES));
        }
        if !file.is_locked
            && let Some(key) = file.access.key(third.level())
        {
            key.encrypt(file.section_mut(SECTION_3_AT, SECTION_3_BYTES));
        }
        let body = checksum(file.bytes.get(UNIVERSAL_BYTES..).unwrap_or_default());
        put(&mut file.bytes, 4, &body.to_le_bytes());
        seal_header(&mut file.bytes);
        file.bytes
    }
}
