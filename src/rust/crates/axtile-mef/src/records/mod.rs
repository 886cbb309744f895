//! Records: notes, annotations and events of a session, a channel or a segment.

mod body;
mod events;
mod file;
mod read;

pub use body::RecordBody;
pub use events::{Cursor, ElectricStimulus, Epoch, Seizure, SeizureChannel, Stimulus};
pub(crate) use file::{RECORD_HEADER_BYTES, RECORD_INDEX_BYTES, encode_record, parse_records};
pub use read::{Record, RecordScope};
