//! Annotations of cells.

pub(crate) mod files;
