//! New segments: built beside, then renamed.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};

use crate::checksum::SEED;
use crate::crypt::Access;
use crate::header::{
    ENTRY_BYTES, FileType, METADATA_BYTES, MetadataImage, Section2, Section3, UNIVERSAL_BYTES,
    UniversalHeader,
};
use crate::session::segment_folder;
use crate::time::NO_TIME;
use crate::write::durability::Dirty;
use crate::write::segment::OpenSegment;
use crate::write::statistics::forget;

/// Ending of a segment's folder while it is built.
pub(crate) const PARTIAL: &str = "axtile-partial";

/// A random identifier.
pub(crate) fn new_id() -> Result<[u8; 16]> {
    let mut id = [0; 16];
    getrandom::fill(&mut id)
        .map_err(|error| Error::argument(format!("the system gives no random numbers: {error}")))?;
    Ok(id)
}

/// What a new segment is made of.
pub(crate) struct NewSegment<'a> {
    /// The session's folder.
    pub(crate) root: &'a Path,
    pub(crate) session: &'a str,
    pub(crate) channel: &'a str,
    pub(crate) number: u32,
    pub(crate) access: Access,
    /// Descriptions, rate, factor and start sample; declarations are forgotten.
    pub(crate) section_2: Section2,
    pub(crate) section_3: Section3,
    /// Metadata that the new ones go on from, with foreign bytes.
    pub(crate) template: Option<&'a MetadataImage>,
}

impl NewSegment<'_> {
    /// The channel's folder.
    pub(crate) fn channel_folder(&self) -> PathBuf {
        self.root.join(format!("{}.timd", self.channel))
    }

    /// Makes the folder under its temporary name, with empty files.
    pub(crate) fn create(self, dirty: &mut Dirty) -> Result<OpenSegment> {
        let parent = self.channel_folder();
        if !parent.is_dir() {
            fs::create_dir_all(&parent).map_err(Error::io("create", &parent))?;
            dirty.insert(self.root);
        }
        let stem = segment_folder(self.channel, self.number);
        let folder = parent.join(format!(".{stem}.segd.{PARTIAL}"));
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(Error::io("remove", &folder))?;
        }
        fs::create_dir(&folder).map_err(Error::io("create", &folder))?;
        let level_id = new_id()?;
        let (level_1_field, level_2_field) = self.access.fields();
        let header = |n_entries, maximum_entry| -> Result<UniversalHeader> {
            let file_id = new_id()?;
            Ok(UniversalHeader {
                body_checksum: SEED,
                start: NO_TIME,
                end: NO_TIME,
                n_entries,
                maximum_entry,
                segment: self.number.cast_signed(),
                channel: self.channel.to_owned(),
                session: self.session.to_owned(),
                anonymized_name: String::new(),
                level_id,
                file_id,
                provenance_id: file_id,
                level_1_field,
                level_2_field,
            })
        };
        let mut section_2 = self.section_2;
        forget(&mut section_2);
        let own = header(1, METADATA_BYTES as i64)?;
        let mut image = match self.template {
            Some(template) => {
                let mut image = template.clone();
                let anonymized_name = template.header().anonymized_name;
                image.set_header(&UniversalHeader {
                    anonymized_name,
                    ..own
                });
                image.set_section_2(&section_2);
                image.set_section_3(&self.section_3);
                if *image.access() != self.access {
                    image.set_access(self.access);
                }
                image
            }
            None => MetadataImage::new(&own, self.access, &section_2, &self.section_3),
        };
        image.mark();
        let segment = OpenSegment {
            target: Some(parent.join(format!("{stem}.segd"))),
            folder,
            stem,
            image,
            index_header: header(0, ENTRY_BYTES as i64)?
                .image(FileType::Index)
                .to_vec(),
            data_header: header(0, 0)?.image(FileType::Data).to_vec(),
            index_bytes: UNIVERSAL_BYTES as u64,
            data_bytes: UNIVERSAL_BYTES as u64,
        };
        segment.write_headers()?;
        Ok(segment)
    }
}
