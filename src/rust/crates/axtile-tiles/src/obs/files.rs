//! Small files of a dataset, read whole.

use std::io::Read;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::open_regular;

/// Reads a whole text file.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    open_regular(path)?
        .read_to_end(&mut bytes)
        .map_err(Error::io("read", path))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::corrupt(path, format!("byte {at}"), "expected UTF-8 text")
    })
}
