//! Section 3: the subject, and what the recording's times are moved by.

use crate::bytes::{i32_at, i64_at, put, put_text, text_at};
use crate::time::{NO_TIME, TimeOffset};

/// Bytes of section 3.
pub(crate) const SECTION_3_BYTES: usize = 3072;

/// The fields of section 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section3 {
    /// What stored times are moved by, as stored.
    pub recording_time_offset: i64,
    /// Start of daylight saving time, as stored.
    pub dst_start: i64,
    /// End of daylight saving time, as stored.
    pub dst_end: i64,
    /// Seconds east of Greenwich; -86401 for unknown.
    pub gmt_offset: i32,
    /// The subject's first name.
    pub subject_name_1: String,
    /// The subject's second name.
    pub subject_name_2: String,
    /// The subject's identifier.
    pub subject_id: String,
    /// Where the recording was made.
    pub recording_location: String,
}

impl Default for Section3 {
    fn default() -> Self {
        Section3 {
            recording_time_offset: 0,
            dst_start: NO_TIME,
            dst_end: NO_TIME,
            gmt_offset: 0,
            subject_name_1: String::new(),
            subject_name_2: String::new(),
            subject_id: String::new(),
            recording_location: String::new(),
        }
    }
}

impl Section3 {
    pub(crate) fn parse(section: &[u8]) -> Section3 {
        Section3 {
            recording_time_offset: i64_at(section, 0),
            dst_start: i64_at(section, 8),
            dst_end: i64_at(section, 16),
            gmt_offset: i32_at(section, 24),
            subject_name_1: text_at(section, 28, 128),
            subject_name_2: text_at(section, 156, 128),
            subject_id: text_at(section, 284, 128),
            recording_location: text_at(section, 412, 512),
        }
    }

    /// The offset of the recording's times.
    pub fn time_offset(&self) -> TimeOffset {
        TimeOffset::new(self.recording_time_offset)
    }

    /// Writes what differs from `before` into `section`; see
    /// [`super::Section2::patch`].
    pub(crate) fn patch(&self, before: &Section3, section: &mut [u8]) {
        put(section, 0, &self.recording_time_offset.to_le_bytes());
        put(section, 8, &self.dst_start.to_le_bytes());
        put(section, 16, &self.dst_end.to_le_bytes());
        put(section, 24, &self.gmt_offset.to_le_bytes());
        let mut text = |at, len, old: &String, new: &String| {
            if old != new {
                put_text(section, at, len, new);
            }
        };
        text(28, 128, &before.subject_name_1, &self.subject_name_1);
        text(156, 128, &before.subject_name_2, &self.subject_name_2);
        text(284, 128, &before.subject_id, &self.subject_id);
        text(
            412,
            512,
            &before.recording_location,
            &self.recording_location,
        );
    }
}
