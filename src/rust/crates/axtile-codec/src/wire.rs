//! Numbers in the heads of tiles: bytes, and varints (LEB128: seven bits
//! a byte, the lowest first, the top bit set on all but the last).

use crate::error::{TileError, TileResult};

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes numbers from the front of a part of the tile.
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    place: &'a str,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `bytes`; errors speak of `place`.
    pub(crate) fn new(bytes: &'a [u8], place: &'a str) -> Cursor<'a> {
        Cursor { rest: bytes, place }
    }

    pub(crate) fn wrong(&self, problem: impl Into<String>) -> TileError {
        TileError::corrupt(self.place, problem)
    }

    pub(crate) fn bytes(&mut self, n: usize) -> TileResult<&'a [u8]> {
        let Some((bytes, rest)) = self.rest.split_at_checked(n) else {
            return Err(self.wrong(format!("it ends {} bytes early", n - self.rest.len())));
        };
        self.rest = rest;
        Ok(bytes)
    }

    pub(crate) fn byte(&mut self) -> TileResult<u8> {
        Ok(self.bytes(1)?[0])
    }

    pub(crate) fn array<const N: usize>(&mut self) -> TileResult<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub(crate) fn varint(&mut self) -> TileResult<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.wrong("a number of more than 64 bits"))
    }

    /// A varint from `min` to `max`; `what` it is.
    pub(crate) fn number(&mut self, what: &str, min: u64, max: u64) -> TileResult<u64> {
        let value = self.varint()?;
        if (min..=max).contains(&value) {
            return Ok(value);
        }
        Err(self.wrong(format!("{what} {value}, expected {min} to {max}")))
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn finish(self) -> TileResult<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.wrong(format!("{} bytes too many", self.rest.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_any_size() {
        let values = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        for value in values {
            put_varint(&mut bytes, value);
        }
        let mut cursor = Cursor::new(&bytes, "x");
        for value in values {
            assert_eq!(cursor.varint(), Ok(value));
        }
        cursor.finish().unwrap();
        assert!(Cursor::new(&[0x80; 20], "x").varint().is_err());
        assert!(Cursor::new(&[0x80], "x").varint().is_err());
        let mut too_large = [0xff; 10];
        too_large[9] = 2;
        assert!(Cursor::new(&too_large, "x").varint().is_err());
    }
}
