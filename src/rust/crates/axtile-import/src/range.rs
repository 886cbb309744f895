//! Checks of what callers ask for.

use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result};

/// Refuses ranges of cells that `n_cells` cells do not have.
pub(crate) fn check_cells(path: &Path, cells: &Range<u64>, n_cells: u64) -> Result<()> {
    if cells.start <= cells.end && cells.end <= n_cells {
        return Ok(());
    }
    Err(Error::range(format!(
        "cells {}..{} were asked for, '{}' has {n_cells}",
        cells.start,
        cells.end,
        path.display()
    )))
}
