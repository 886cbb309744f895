//! Bytes of one file, which may be a member of an archive. They are read, not
//! mapped: a session's files grow and, when it is repaired, shrink in place.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axtile_core::{Error, Result};

/// A file or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct ByteSource {
    file: Arc<File>,
    path: PathBuf,
    base: u64,
    len: u64,
}

impl ByteSource {
    pub(crate) fn new(file: Arc<File>, path: PathBuf, base: u64, len: u64) -> ByteSource {
        ByteSource {
            file,
            path,
            base,
            len,
        }
    }

    /// For messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// `len` bytes at `offset`.
    ///
    /// # Errors
    /// `Error::Corrupt` where the file ends before, `Error::Io` otherwise.
    pub(crate) fn read(&self, offset: u64, len: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_into(offset, len, &mut bytes)?;
        Ok(bytes)
    }

    /// As [`ByteSource::read`], into a buffer that is used again.
    pub(crate) fn read_into(&self, offset: u64, len: usize, bytes: &mut Vec<u8>) -> Result<()> {
        let is_inside = offset
            .checked_add(len as u64)
            .is_some_and(|end| end <= self.len);
        if !is_inside {
            return Err(Error::corrupt(
                &self.path,
                format!("byte {offset}"),
                format!("{len} bytes expected there, the file has {}", self.len),
            ));
        }
        bytes.clear();
        bytes.resize(len, 0);
        read_exact_at(&self.file, bytes, self.base + offset).map_err(Error::io("read", &self.path))
    }

    /// The first bytes, at most `most`.
    pub(crate) fn read_start(&self, most: usize) -> Result<Vec<u8>> {
        let len = usize::try_from(self.len).unwrap_or(most).min(most);
        self.read(0, len)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes = bytes.split_at_mut(n).1;
        offset += n as u64;
    }
    Ok(())
}
