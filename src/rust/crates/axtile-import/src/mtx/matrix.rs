//! The coordinate format of Matrix Market:
//! <https://math.nist.gov/MatrixMarket/formats.html>. A banner, comments, the
//! size, and a line for each entry: row and column from 1, and a value.

use std::path::Path;

use axtile_core::{Error, Result};

use super::lines::Lines;

/// The start of every Matrix Market file.
pub(crate) const BANNER: &[u8] = b"%%MatrixMarket";

/// An open file at its first entry.
pub(super) struct Entries {
    lines: Lines,
    pub(super) n_rows: u64,
    pub(super) n_columns: u64,
    n_entries: u64,
    n_read: u64,
    /// `pattern`: entries without values, each a 1.
    pattern: bool,
}

/// One entry, with row and column from 0.
pub(super) struct Entry<'a> {
    pub(super) row: u64,
    pub(super) column: u64,
    /// `Err` is the text of what is no count.
    pub(super) count: Result<u32, &'a [u8]>,
}

impl Entries {
    /// Opens `path` and reads its head.
    pub(super) fn open(path: &Path) -> Result<Entries> {
        let mut lines = Lines::open(path)?;
        let banner = lines.next_text()?.unwrap_or_default().to_ascii_lowercase();
        let words: Vec<&str> = banner.split_ascii_whitespace().collect();
        let pattern = match words.as_slice() {
            ["%%matrixmarket", "matrix", "coordinate", field, "general"] => match *field {
                "integer" | "unsigned-integer" | "real" | "double" => false,
                "pattern" => true,
                other => {
                    return Err(Error::unsupported(
                        path,
                        format!("a matrix of '{other}' values"),
                    ));
                }
            },
            ["%%matrixmarket", rest @ ..] => {
                return Err(Error::unsupported(
                    path,
                    format!(
                        "'{}'; 'matrix coordinate integer general' or real or pattern is read",
                        rest.join(" ")
                    ),
                ));
            }
            _ => return Err(lines.corrupt("'%%MatrixMarket' was expected")),
        };
        let size = loop {
            match lines.next()? {
                None => return Err(lines.corrupt("the file ends before its size")),
                Some(line) if line.starts_with(b"%") || line.trim_ascii().is_empty() => {}
                Some(line) => break three_numbers(line),
            }
        };
        let [n_rows, n_columns, n_entries] =
            size.ok_or_else(|| lines.corrupt("rows, columns and entries were expected"))?;
        Ok(Entries {
            lines,
            n_rows,
            n_columns,
            n_entries,
            n_read: 0,
            pattern,
        })
    }

    /// The next entry; `None` behind the last one.
    pub(super) fn next(&mut self) -> Result<Option<Entry<'_>>> {
        loop {
            match self.lines.next()? {
                None if self.n_read == self.n_entries => return Ok(None),
                None => {
                    return Err(self.lines.corrupt(format!(
                        "the file ends after {} of {} entries",
                        self.n_read, self.n_entries
                    )));
                }
                Some(line) if line.trim_ascii().is_empty() || line.starts_with(b"%") => {}
                Some(_) => break,
            }
        }
        self.n_read += 1;
        if self.n_read > self.n_entries {
            let problem = format!("more than the {} entries announced", self.n_entries);
            return Err(self.lines.corrupt(problem));
        }
        // The line is parsed again from the buffer: the borrow above ended.
        let line = self.lines.last();
        let mut words = Words(line);
        let row = words.next().and_then(whole_number);
        let column = words.next().and_then(whole_number);
        let value = words.next();
        let complete = words.next().is_none() && value.is_some() != self.pattern;
        let (Some(row), Some(column), true) = (row, column, complete) else {
            let parts = if self.pattern {
                "row and column"
            } else {
                "row, column and value"
            };
            return Err(self.lines.corrupt(format!("{parts} were expected")));
        };
        if row == 0 || row > self.n_rows || column == 0 || column > self.n_columns {
            return Err(self.lines.corrupt(format!(
                "row {row}, column {column} in a matrix of {} x {}",
                self.n_rows, self.n_columns
            )));
        }
        Ok(Some(Entry {
            row: row - 1,
            column: column - 1,
            count: value.map_or(Ok(1), |value| count(value).ok_or(value)),
        }))
    }

    /// The number of entries that the file announces.
    pub(super) fn n_entries(&self) -> u64 {
        self.n_entries
    }

    /// The number of the line that was read last.
    pub(super) fn line(&self) -> u64 {
        self.lines.number()
    }
}

/// Words between blanks and tabs.
struct Words<'a>(&'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0.trim_ascii_start();
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        let (word, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        Some(word)
    }
}

fn three_numbers(line: &[u8]) -> Option<[u64; 3]> {
    let mut words = Words(line);
    let mut next = || words.next().and_then(whole_number);
    let numbers = [next()?, next()?, next()?];
    words.next().is_none().then_some(numbers)
}

fn whole_number(word: &[u8]) -> Option<u64> {
    if word.is_empty() {
        return None;
    }
    word.iter().try_fold(0u64, |value, digit| {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A count, also one that is written as a real number.
fn count(word: &[u8]) -> Option<u32> {
    if let Some(value) = whole_number(word) {
        return u32::try_from(value).ok();
    }
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    let count = value as u32;
    (f64::from(count) == value).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_all_spellings() {
        for (word, value) in [
            ("0", Some(0)),
            ("17", Some(17)),
            ("4294967295", Some(u32::MAX)),
            ("4294967296", None),
            ("99999999999999999999999", None),
            ("3.0", Some(3)),
            ("1e3", Some(1000)),
            ("+2", Some(2)),
            ("-0.0", Some(0)),
            ("-1", None),
            ("0.5", None),
            ("nan", None),
            ("inf", None),
            ("4294967296.0", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(count(word.as_bytes()), value, "{word}");
        }
    }
}
