//! Open sessions: folders and tar archives, their channels and segments.
//! Opening lists names; metadata and indexes are read when they are asked for.

mod channel;
mod info;
mod names;
mod open;
mod segment;
mod source;
mod storage;
mod tar_index;

pub use channel::Channel;
pub use info::{BlockInfo, ChannelInfo, Gap, SegmentInfo};
pub(crate) use names::{check_name, segment_folder};
pub use open::{Session, Skipped};
pub use segment::Segment;
pub(crate) use segment::SegmentMetadata;
pub(crate) use source::ByteSource;
pub(crate) use storage::Storage;
pub(crate) use tar_index::TarIndex;
