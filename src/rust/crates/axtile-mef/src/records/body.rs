//! What records of each type hold.

use crate::bytes::{i32_at, i64_at, text};
use crate::records::events::{Cursor, ElectricStimulus, Epoch, Seizure, Stimulus};
use crate::time::TimeOffset;

/// The body of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordBody {
    /// `Note` and `SyLg`.
    Text(String),
    /// `EDFA`: text with a duration in microseconds.
    Annotation {
        /// Microseconds.
        duration: i64,
        /// The text.
        text: String,
    },
    /// `Seiz`.
    Seizure(Seizure),
    /// `Epoc`.
    Epoch(Epoch),
    /// `Curs`.
    Cursor(Cursor),
    /// `CSti`.
    Stimulus(Stimulus),
    /// `ESti`.
    ElectricStimulus(ElectricStimulus),
    /// `LNTP`: the template of line noise.
    LineNoise(Vec<i32>),
    /// Of another type, version or length: as it is stored, plain.
    Other(Vec<u8>),
    /// Encrypted, and the password does not open it.
    Locked,
}

impl RecordBody {
    /// Reads the body of a record of type `kind`, version 1.0.
    pub(super) fn parse(kind: &str, body: &[u8], offset: TimeOffset) -> RecordBody {
        let known = match kind {
            "Note" | "SyLg" => Some(RecordBody::Text(text(body))),
            "EDFA" => body.get(8..).map(|rest| RecordBody::Annotation {
                duration: i64_at(body, 0),
                text: text(rest),
            }),
            "Seiz" => Seizure::parse(body, offset).map(RecordBody::Seizure),
            "Epoc" => Epoch::parse(body, offset).map(RecordBody::Epoch),
            "Curs" => Cursor::parse(body, offset).map(RecordBody::Cursor),
            "CSti" => Stimulus::parse(body).map(RecordBody::Stimulus),
            "ESti" => ElectricStimulus::parse(body).map(RecordBody::ElectricStimulus),
            "LNTP" => line_noise(body).map(RecordBody::LineNoise),
            _ => None,
        };
        known.unwrap_or_else(|| RecordBody::Other(body.to_vec()))
    }

    /// The body as it is stored, without padding; `None` for one that is locked.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let with_text = |mut bytes: Vec<u8>, text: &str| {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
            bytes
        };
        Some(match self {
            RecordBody::Text(text) => with_text(Vec::new(), text),
            RecordBody::Annotation { duration, text } => {
                with_text(duration.to_le_bytes().to_vec(), text)
            }
            RecordBody::Seizure(seizure) => seizure.encode(),
            RecordBody::Epoch(epoch) => epoch.encode(),
            RecordBody::Cursor(cursor) => cursor.encode(),
            RecordBody::Stimulus(stimulus) => stimulus.encode(),
            RecordBody::ElectricStimulus(stimulus) => stimulus.encode(),
            RecordBody::LineNoise(template) => {
                let mut bytes = (template.len() as i64).to_le_bytes().to_vec();
                bytes.extend(template.iter().flat_map(|value| value.to_le_bytes()));
                bytes
            }
            RecordBody::Other(bytes) => bytes.clone(),
            RecordBody::Locked => return None,
        })
    }
}

/// The format has 32-bit integers here; one writer stores 64-bit ones, which
/// show by their high halves all being signs.
fn line_noise(body: &[u8]) -> Option<Vec<i32>> {
    let n = usize::try_from(i64_at(body, 0)).ok()?;
    let values = body.get(8..)?;
    let narrow = values.get(..n.checked_mul(4)?)?;
    if let Some(wide) = values.get(..n.checked_mul(8)?) {
        let (wide, _) = wide.as_chunks::<8>();
        let all: Option<Vec<i32>> = wide
            .iter()
            .map(|value| i32::try_from(i64::from_le_bytes(*value)).ok())
            .collect();
        if let Some(all) = all {
            return Some(all);
        }
    }
    Some((0..n).map(|i| i32_at(narrow, i * 4)).collect())
}
