//! Lines of text files, plain or gzipped, with their numbers. Files of several
//! gzip members, as bgzip and pigz write them, are read to their end.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::open_regular;
use flate2::bufread::MultiGzDecoder;

/// RFC 1952, 2.3.1.
const GZIP_SIGNATURE: [u8; 2] = [0x1f, 0x8b];

/// No line of these formats is longer; what is longer is something else.
const MAX_LINE_LEN: u64 = 1 << 20;

const BUFFER_LEN: usize = 1 << 18;

/// A text file, read line by line.
pub(super) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    /// Opens `path`; whether it is gzipped is seen from its first bytes.
    pub(super) fn open(path: &Path) -> Result<Lines> {
        let file = open_regular(path)?;
        let mut plain = BufReader::with_capacity(BUFFER_LEN, file);
        let start = plain.fill_buf().map_err(Error::io("read", path))?;
        let reader: Box<dyn BufRead> = if start.starts_with(&GZIP_SIGNATURE) {
            Box::new(BufReader::with_capacity(
                BUFFER_LEN,
                MultiGzDecoder::new(plain),
            ))
        } else {
            Box::new(plain)
        };
        Ok(Lines {
            path: path.to_owned(),
            reader,
            line: Vec::new(),
            number: 0,
        })
    }

    /// The next line, without its end; `None` behind the last one.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.reader)
            .take(MAX_LINE_LEN)
            .read_until(b'\n', &mut self.line);
        let n = match read {
            Ok(n) => n,
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof
                ) =>
            {
                return Err(self.corrupt(format!("a damaged gzip stream: {error}")));
            }
            Err(error) => return Err(Error::io("read", &self.path)(error)),
        };
        if n == 0 {
            return Ok(None);
        }
        if n as u64 == MAX_LINE_LEN && !self.line.ends_with(b"\n") {
            return Err(self.corrupt(format!("a line of more than {MAX_LINE_LEN} bytes")));
        }
        Ok(Some(self.last()))
    }

    /// The line that was read last, without its end.
    pub(super) fn last(&self) -> &[u8] {
        let line = self.line.as_slice();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The next line as text.
    pub(super) fn next_text(&mut self) -> Result<Option<String>> {
        let text = match self.next()? {
            None => return Ok(None),
            Some(line) => std::str::from_utf8(line).map(str::to_owned),
        };
        text.map(Some)
            .map_err(|_| self.corrupt("text that is not UTF-8"))
    }

    /// The number of the last line that was read, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Damage in the line that was read last.
    pub(super) fn corrupt(&self, problem: impl Into<String>) -> Error {
        Error::corrupt(&self.path, format!("line {}", self.number), problem)
    }
}
