//! What the values of a vector, or the rows and columns of a matrix, belong
//! to.

use std::sync::Arc;

use crate::model::{Axis, Texts};

/// What values belong to, in order.
#[derive(Clone, Debug)]
pub enum Entries {
    /// Entries of an axis.
    OfAxis {
        /// The name of the axis.
        name: String,
        /// The axis.
        axis: Arc<Axis>,
        /// Which entries, ascending; all if none.
        picked: Option<Arc<Vec<u32>>>,
    },
    /// Groups, by their labels.
    Labels(Texts),
}

impl Entries {
    /// All entries of an axis.
    pub fn all(name: &str, axis: Arc<Axis>) -> Entries {
        Entries::OfAxis {
            name: name.to_owned(),
            axis,
            picked: None,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Entries::OfAxis {
                picked: Some(picked),
                ..
            } => picked.len(),
            Entries::OfAxis { axis, .. } => axis.len(),
            Entries::Labels(labels) => labels.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of the axis, if they belong to one.
    pub fn axis_name(&self) -> Option<&str> {
        match self {
            Entries::OfAxis { name, .. } => Some(name),
            Entries::Labels(_) => None,
        }
    }

    /// Their positions on the axis, unless they are all of it.
    pub fn picked(&self) -> Option<&[u32]> {
        match self {
            Entries::OfAxis { picked, .. } => picked.as_deref().map(Vec::as_slice),
            Entries::Labels(_) => None,
        }
    }

    /// The name of entry `idx`; an empty one if there is none.
    pub fn name(&self, idx: usize) -> &str {
        match self {
            Entries::OfAxis {
                axis,
                picked: Some(picked),
                ..
            } => picked
                .get(idx)
                .map_or("", |&at| axis.entries().get(at as usize)),
            Entries::OfAxis { axis, .. } => axis.entries().get(idx),
            Entries::Labels(labels) => labels.get(idx),
        }
    }

    /// All names.
    pub fn texts(&self) -> Texts {
        match self {
            Entries::OfAxis {
                axis,
                picked: Some(picked),
                ..
            } => axis.entries().take(picked.iter().map(|&at| at as usize)),
            Entries::OfAxis { axis, .. } => axis.entries().clone(),
            Entries::Labels(labels) => labels.clone(),
        }
    }

    /// Those at `positions`, which ascend.
    pub(super) fn pick(&self, positions: &[u32]) -> Entries {
        match self {
            Entries::OfAxis { name, axis, picked } => {
                let of_axis = |&at: &u32| match picked {
                    Some(picked) => picked.get(at as usize).copied().unwrap_or(u32::MAX),
                    None => at,
                };
                Entries::OfAxis {
                    name: name.clone(),
                    axis: Arc::clone(axis),
                    picked: Some(Arc::new(positions.iter().map(of_axis).collect())),
                }
            }
            Entries::Labels(labels) => {
                Entries::Labels(labels.take(positions.iter().map(|&at| at as usize)))
            }
        }
    }
}
