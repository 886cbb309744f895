//! The grid of a window `[from, to)`: row `i` is at `from + i / rate`.

use axtile_core::{Error, Result};

use crate::limits::MAX_ROWS;
use crate::time::round_to_i64;

/// Number of rows of a window.
///
/// # Errors
/// `Error::Limit`, as an argument error, for a window of too many rows.
pub(crate) fn n_rows(from: i64, to: i64, rate: f64) -> Result<usize> {
    let rows = round_to_i64(to.saturating_sub(from) as f64 * rate / 1e6);
    let rows = u64::try_from(rows).unwrap_or(0);
    if rows > MAX_ROWS {
        return Err(Error::argument(format!(
            "the window from {from} to {to} has {rows} rows, at most {MAX_ROWS} are read at once"
        )));
    }
    usize::try_from(rows).map_err(|_| Error::argument("the window has more rows than memory"))
}

/// The row of a sample at `time`; between two rows the earlier one.
pub(crate) fn slot_of(time: i64, from: i64, rate: f64) -> i64 {
    let ticks = i128::from(time) - i128::from(from);
    (ticks as f64 * rate / 1e6 - 0.5).ceil() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_earlier_row() {
        assert_eq!(slot_of(2000, 0, 1000.0), 2);
        assert_eq!(slot_of(2500, 0, 1000.0), 2);
        assert_eq!(slot_of(2501, 0, 1000.0), 3);
        assert_eq!(slot_of(-1500, 0, 1000.0), -2);
        assert_eq!(slot_of(i64::MAX, i64::MIN, 1e300), i64::MAX);
        assert_eq!(n_rows(0, 2500, 1000.0).unwrap(), 3);
        assert_eq!(n_rows(5, 0, 1000.0).unwrap(), 0);
        assert!(n_rows(0, i64::MAX, 1e9).is_err());
    }
}
