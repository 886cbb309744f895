//! Small files of a dataset, read whole, and hashes as text.

use std::path::Path;

use axtile_core::{Error, Result};
use sha2::Digest;

/// Reads a whole text file.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::corrupt(path, format!("byte {at}"), "expected UTF-8 text")
    })
}

/// The digest of `hash` in lower-case hexadecimal.
pub(crate) fn hex(hash: sha2::Sha256) -> String {
    let digits = b"0123456789abcdef";
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        text.push(char::from(digits[usize::from(byte >> 4)]));
        text.push(char::from(digits[usize::from(byte & 15)]));
    }
    text
}
