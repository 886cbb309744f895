//! RED, the codec of blocks of samples: differences of neighbours as bytes,
//! those bytes range-coded with a model that each block carries.

mod block;
mod decode;
mod differences;
mod encode;
mod encode_lanes;
mod lanes;
mod lossy;
mod model;
mod sample;

pub use block::{
    BlockHeader, DISCONTINUITY, HEADER_BYTES, STATISTICS_BYTES, STATISTICS_LEVEL_1,
    STATISTICS_LEVEL_2, verify_block,
};
pub(crate) use block::{STATISTICS_AT, seal_block};
pub use decode::{Decoder, decode_block};
pub(crate) use decode::{Task, samples_of};
pub use differences::Differences;
pub(crate) use differences::sum_into;
pub use encode::{EncodedBlock, Encoder, Run};
pub use sample::{MISSING_COUNT, Sample};
