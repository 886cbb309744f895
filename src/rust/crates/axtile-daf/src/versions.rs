//! How often the things of a store were changed through this handle.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Counters by axis, vector and matrix; what was never counted is at 0.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    counts: Mutex<HashMap<Vec<String>, u64>>,
}

impl Versions {
    /// The count of an axis (one name), a vector (axis, name) or a matrix
    /// (rows, columns, name).
    pub(crate) fn get(&self, key: &[&str]) -> u64 {
        let key: Vec<String> = key.iter().map(|&name| name.to_owned()).collect();
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.get(&key).copied().unwrap_or(0)
    }

    /// Counts one more change.
    pub(crate) fn count(&self, key: &[&str]) {
        let key = key.iter().map(|&name| name.to_owned()).collect();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(key).or_insert(0) += 1;
    }
}
