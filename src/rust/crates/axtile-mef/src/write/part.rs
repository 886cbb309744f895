//! What is to be written to one channel.

use crate::header::Section2;
use crate::write::counts::Precision;

/// Samples of a channel, one after the other.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// In the channel's unit; NaN is a gap.
    Scaled {
        /// The samples.
        values: &'a [f64],
        /// What they keep.
        precision: Precision,
    },
    /// As they are stored. INT32_MIN is a gap, as it is when read.
    Counts {
        /// The samples.
        counts: &'a [i32],
        /// What they are multiplied with to get the channel's unit.
        factor: f64,
    },
}

impl Values<'_> {
    /// Number of samples, gaps included.
    pub(crate) fn len(&self) -> usize {
        match self {
            Values::Scaled { values, .. } => values.len(),
            Values::Counts { counts, .. } => counts.len(),
        }
    }
}

/// Samples for one channel.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The channel's name.
    pub channel: &'a str,
    /// The samples.
    pub values: Values<'a>,
    /// Time of the first one, microseconds since 1970.
    pub start: i64,
    /// Samples per second.
    pub rate: f64,
    /// Unit, descriptions, filters and the acquisition channel of a channel that
    /// does not exist yet; all else in here is not looked at.
    pub description: Option<&'a Section2>,
    /// Start a new segment even where the last one could be extended.
    pub new_segment: bool,
}
