//! LZF, h5py's filter 32000. The stream is a row of instructions (LibLZF,
//! <http://oldhome.schmorp.de/marc/liblzf.html>):
//!
//! | first byte | meaning |
//! |---|---|
//! | `000LLLLL` | L + 1 bytes follow as they are |
//! | `LLLooooo oooooooo` | L + 2 bytes from o + 1 bytes back, L in 1..=6 |
//! | `111ooooo LLLLLLLL oooooooo` | L + 9 bytes from o + 1 bytes back |

/// Inflates `stream` into all of `out`; says what is wrong where it does not fit.
pub(super) fn inflate(stream: &[u8], out: &mut [u8]) -> Result<(), &'static str> {
    const SHORT: &str = "the LZF stream ends early";
    const LONG: &str = "the LZF stream is longer than its chunk";
    let mut rest = stream;
    let mut done = 0usize;
    while let Some((&control, after)) = rest.split_first() {
        rest = after;
        let high = usize::from(control >> 5);
        if high == 0 {
            let n = usize::from(control) + 1;
            let (literal, after) = rest.split_at_checked(n).ok_or(SHORT)?;
            out.get_mut(done..done + n)
                .ok_or(LONG)?
                .copy_from_slice(literal);
            rest = after;
            done += n;
            continue;
        }
        let mut n = high + 2;
        if high == 7 {
            let (&more, after) = rest.split_first().ok_or(SHORT)?;
            rest = after;
            n += usize::from(more);
        }
        let (&low, after) = rest.split_first().ok_or(SHORT)?;
        rest = after;
        let back = (usize::from(control & 0x1f) << 8 | usize::from(low)) + 1;
        let from = done
            .checked_sub(back)
            .ok_or("an LZF match before the chunk's start")?;
        if done + n > out.len() {
            return Err(LONG);
        }
        if back >= n {
            out.copy_within(from..from + n, done);
        } else {
            // The match overlaps what it writes: its bytes repeat.
            let (before, after) = out.split_at_mut(done);
            let period = before.get(from..).unwrap_or_default();
            for (to, &byte) in after.iter_mut().take(n).zip(period.iter().cycle()) {
                *to = byte;
            }
        }
        done += n;
    }
    if done == out.len() {
        Ok(())
    } else {
        Err(SHORT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_matches_and_overlaps() {
        let mut out = [0; 3];
        inflate(&[2, b'a', b'b', b'c'], &mut out).unwrap();
        assert_eq!(&out, b"abc");
        // "ab", then 3 bytes from 2 back, then 2 + 7 + 1 = 10 bytes from 1 back
        let mut out = [0; 15];
        inflate(&[1, b'a', b'b', 1 << 5, 1, 0xe0, 1, 0], &mut out).unwrap();
        assert_eq!(&out, b"ababaaaaaaaaaaa");
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let mut out = [0; 4];
        for bad in [
            &[][..],
            &[3, b'a'],
            &[9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0, b'a', 1 << 5, 1],
            &[0, b'a', 1 << 5],
            &[0, b'a', 0xe0, 200, 0],
            &[0, b'a'],
        ] {
            assert!(inflate(bad, &mut out).is_err(), "{bad:?}");
        }
    }
}
