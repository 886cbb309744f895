//! A segment's copy.

use std::path::Path;

use axtile_core::{Result, Watch};

use crate::copy::blocks::BlockCopier;
use crate::crypt::Access;
use crate::header::{FileType, METADATA_BYTES, MetadataImage, Section2, Section3};
use crate::read::Window;
use crate::session::{Segment, Session};
use crate::time::TimeOffset;
use crate::write::{Dirty, Durability, NewSegment, append_all};

/// What is different in the copy.
#[derive(Clone, Default)]
pub(crate) struct Change {
    /// Only samples in this span.
    pub(crate) window: Option<Window>,
    /// Microseconds that are added to all times.
    pub(crate) shift: i64,
    /// Other passwords.
    pub(crate) access: Option<Access>,
    /// Without what tells who the subject is.
    pub(crate) anonymize: Option<Anonymity>,
}

/// What is taken out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anonymity {
    pub(crate) pseudonym: String,
    pub(crate) keep_location: bool,
    pub(crate) keep_descriptions: bool,
}

impl Anonymity {
    fn apply(&self, section_2: &mut Section2, section_3: &mut Section3, names: (&str, &str)) {
        section_3.subject_name_1.clear();
        section_3.subject_name_2.clear();
        section_3.subject_id.clone_from(&self.pseudonym);
        if !self.keep_location {
            section_3.recording_location.clear();
        }
        if !self.keep_descriptions {
            names.0.clone_into(&mut section_2.session_description);
            names.1.clone_into(&mut section_2.channel_description);
            section_2.reference_description.clear();
        }
    }
}

/// Where copies go.
pub(crate) struct Place<'a> {
    pub(crate) root: &'a Path,
    pub(crate) session: &'a str,
    pub(crate) dirty: &'a mut Dirty,
}

/// Bytes of blocks that are held at a time.
const AT_ONCE: usize = 64 << 20;

/// Copies a segment as number `number`, starting at sample `start_sample` of the
/// channel. Returns the number of samples; without any, nothing is made.
pub(crate) fn copy_segment(
    source: &Session,
    channel: &str,
    segment: &Segment,
    (number, start_sample): (u32, i64),
    change: &Change,
    place: &mut Place<'_>,
    watch: &dyn Watch,
) -> Result<i64> {
    let storage = source.storage();
    let metadata = segment.metadata(storage, source.password())?;
    let file = segment.open_file(storage, FileType::Metadata)?;
    let image = MetadataImage::parse(
        &file.read_start(METADATA_BYTES)?,
        source.password(),
        file.path(),
    )?;
    let Some(mut section_3) = image.section_3() else {
        return Err(axtile_core::Error::argument(format!(
            "'{}': the level 2 password is needed to copy",
            file.path().display()
        )));
    };
    let mut offset = metadata.offset;
    if change.shift != 0 {
        offset = TimeOffset::default();
        section_3.recording_time_offset = 0;
    }
    let mut section_2 = image.section_2();
    section_2.start_sample = start_sample;
    if let Some(anonymity) = &change.anonymize {
        anonymity.apply(&mut section_2, &mut section_3, (place.session, channel));
    }
    let mut copier = BlockCopier::new(source, segment, metadata, change, offset)?;
    let mut new = Some(NewSegment {
        root: place.root,
        session: place.session,
        channel,
        number,
        access: change.access.clone().unwrap_or(image.access().clone()),
        section_2,
        section_3,
        // Regions for the use of other programs may hold anything.
        template: Some(&image).filter(|_| change.anonymize.is_none()),
    });
    let mut open = None;
    let mut held = Vec::new();
    let mut n_held = 0;
    let mut n_samples = 0;
    let index = segment.index(storage)?;
    for (at, entry) in index.iter().enumerate() {
        watch.check()?;
        if let Some(block) = copier.copy(at, entry)? {
            n_held += block.bytes.len();
            n_samples += i64::from(block.header.n_samples);
            held.push(block);
        }
        watch.advance(entry.n_bytes.into());
        let is_last = at + 1 == index.len();
        if held.is_empty() || (n_held < AT_ONCE && !is_last) {
            continue;
        }
        if let Some(new) = new.take() {
            open = Some(new.create(place.dirty)?);
        }
        if let Some(open) = &mut open {
            append_all(&mut [(open, held.as_slice())], None, place.dirty)?;
        }
        held.clear();
        n_held = 0;
    }
    if let Some(mut open) = open {
        if let Some(anonymity) = &change.anonymize {
            open.set_anonymized_name(&anonymity.pseudonym);
        }
        open.redeclare(place.dirty)?;
        open.complete(Durability::Fast, place.dirty)?;
    }
    Ok(n_samples)
}
