//! Small files of a dataset, read whole.

use std::path::Path;

use axtile_core::{Error, Result};

/// Reads a whole text file.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::corrupt(path, format!("byte {at}"), "expected UTF-8 text")
    })
}
