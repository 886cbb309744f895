//! What opening takes on trust: contents of the files, and rows.

use axtile_core::{Error, Result, Watch};

use crate::checksum::Checksum;
use crate::header::HEADER_FILE;
use crate::open::{MappedMatrix, integers};

/// Bytes between two looks at the watch.
const BLOCK: usize = 1 << 20;

/// Checks compressed columns: starts ascend from 0 to the number of elements,
/// rows ascend strictly in each column and are below `n_rows`. What is wrong
/// comes with the element's number, or that of the start.
pub(crate) fn check_columns(
    starts: impl Iterator<Item = i32>,
    mut rows: impl ExactSizeIterator<Item = i32>,
    n_rows: u64,
) -> std::result::Result<(), (usize, String)> {
    let nnz = rows.len();
    let mut element = 0;
    let mut end = None;
    for (idx, start) in starts.enumerate() {
        let Some(before) = end.replace(start) else {
            if start != 0 {
                return Err((0, format!("the first column starts at {start}, not 0")));
            }
            continue;
        };
        let n = i64::from(start) - i64::from(before);
        if n < 0 {
            return Err((idx, format!("column {idx} ends before it starts")));
        }
        let mut last = -1;
        for row in rows.by_ref().take(n as usize) {
            if i64::from(row) <= last {
                let problem = format!("row {row} after row {last} in column {idx}");
                return Err((element, problem));
            }
            last = i64::from(row);
            element += 1;
        }
        // Rows ascend, so that the last one is the largest.
        if last >= n_rows as i64 {
            let problem = format!("row {last} of {n_rows} in column {idx}, rows counted from 0");
            return Err((element - 1, problem));
        }
        if start as usize != element {
            let problem = format!("column {idx} ends at {start} of {nnz} elements");
            return Err((idx, problem));
        }
    }
    if element == nnz {
        Ok(())
    } else {
        Err((0, format!("{element} of {nnz} elements are in a column")))
    }
}

impl MappedMatrix {
    /// Checks what opening does not: the checksums of the mapped files, and
    /// that rows ascend in each column and are in range. Reports elements.
    ///
    /// # Errors
    /// `Error::Corrupt`, `Error::Interrupted`.
    pub fn verify(&self, watch: &dyn Watch) -> Result<()> {
        let header = &self.header;
        for (map, facts) in [(&self.rows, &header.rows), (&self.values, &header.values)] {
            let mut checksum = Checksum::new();
            for block in map.chunks(BLOCK) {
                watch.check()?;
                checksum.add(block);
            }
            if checksum.hex() != facts.xxh3_64 {
                let problem = format!(
                    "the XXH3-64 is {}, {HEADER_FILE} says {}",
                    checksum.hex(),
                    facts.xxh3_64
                );
                return Err(Error::corrupt(map.path(), "its content", problem));
            }
        }
        let starts = self.starts.iter().copied();
        check_columns(starts, integers(&self.rows), header.n_rows).map_err(|(at, problem)| {
            Error::corrupt(self.rows.path(), format!("element {at}"), problem)
        })?;
        watch.advance(header.nnz);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::check_columns;

    fn check(starts: &[i32], rows: &[i32], n_rows: u64) -> Result<(), (usize, String)> {
        check_columns(starts.iter().copied(), rows.iter().copied(), n_rows)
    }

    #[test]
    fn columns_are_sound_or_refused() {
        assert!(check(&[0], &[], 0).is_ok());
        assert!(check(&[0, 0, 2, 3], &[0, 4, 1], 5).is_ok());
        for (starts, rows, n_rows) in [
            (&[][..], &[1][..], 5),
            (&[1, 3], &[0, 1, 2], 5),
            (&[0, 2], &[0, 1, 2], 5),
            (&[0, 4], &[0, 1, 2], 5),
            (&[0, i32::MAX], &[0], 5),
            (&[0, 2, 1, 3], &[0, 1, 2], 5),
            (&[0, -1, 3], &[0, 1, 2], 5),
            (&[0, i32::MIN], &[], 5),
            (&[0, 3], &[0, 2, 1], 5),
            (&[0, 3], &[0, 1, 1], 5),
            (&[0, 3], &[0, 1, 5], 5),
            (&[0, 1], &[-1], 5),
            (&[0, 1], &[i32::MIN], 5),
            (&[0, 1], &[0], 0),
        ] {
            assert!(check(starts, rows, n_rows).is_err(), "{starts:?} {rows:?}");
        }
    }
}
