//! Small files of a dataset: written whole and synced, read whole.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use axtile_core::{Error, Result};
use sha2::Digest;

/// Writes a file and waits until it is on the disk.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path).map_err(Error::io("create", path))?;
    file.write_all(bytes).map_err(Error::io("write", path))?;
    file.sync_all().map_err(Error::io("sync", path))
}

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
