//! Reading FlatBuffers (<https://flatbuffers.dev/internals/>) that may hold
//! anything.
//!
//! A table starts with an i32: its position minus that of its vtable. A vtable
//! holds u16: its own size, the table's size, and for each field its offset in
//! the table, or 0 where it has its default. References are u32, from where
//! they stand. Vectors and strings start with a u32, the number of elements.

use crate::damage::{Damage, Parsed};

/// A table in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    buffer: &'a [u8],
    at: usize,
    vtable: &'a [u8],
}

/// A vector in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<'a> {
    buffer: &'a [u8],
    /// Where the first element is.
    at: usize,
    pub(super) len: usize,
}

fn outside() -> Damage {
    Damage::new("a reference out of its FlatBuffer")
}

fn word<const N: usize>(buffer: &[u8], at: usize) -> Parsed<[u8; N]> {
    let bytes = buffer.get(at..).and_then(|rest| rest.first_chunk::<N>());
    bytes.copied().ok_or_else(outside)
}

/// Follows the reference at `at`.
fn follow(buffer: &[u8], at: usize) -> Parsed<usize> {
    let offset = u32::from_le_bytes(word(buffer, at)?) as usize;
    at.checked_add(offset).ok_or_else(outside)
}

impl<'a> Table<'a> {
    /// The table that a whole buffer stands for.
    pub(super) fn root(buffer: &'a [u8]) -> Parsed<Table<'a>> {
        Table::at(buffer, follow(buffer, 0)?)
    }

    fn at(buffer: &'a [u8], at: usize) -> Parsed<Table<'a>> {
        let back = i64::from(i32::from_le_bytes(word(buffer, at)?));
        let start = (at as i64).checked_sub(back).ok_or_else(outside)?;
        let start = usize::try_from(start).map_err(|_| outside())?;
        let size = usize::from(u16::from_le_bytes(word(buffer, start)?));
        let vtable = buffer.get(start..).and_then(|rest| rest.get(..size));
        Ok(Table {
            buffer,
            at,
            vtable: vtable.ok_or_else(outside)?,
        })
    }

    /// Where a field is; `None` if it has its default.
    fn field(&self, field: usize) -> Parsed<Option<usize>> {
        let Ok(offset) = word::<2>(self.vtable, 4 + 2 * field) else {
            return Ok(None);
        };
        match usize::from(u16::from_le_bytes(offset)) {
            0 => Ok(None),
            offset => self.at.checked_add(offset).map(Some).ok_or_else(outside),
        }
    }

    fn value<const N: usize>(&self, field: usize) -> Parsed<Option<[u8; N]>> {
        let at = self.field(field)?;
        at.map(|at| word(self.buffer, at)).transpose()
    }

    pub(super) fn u8(&self, field: usize) -> Parsed<u8> {
        Ok(self.value::<1>(field)?.map_or(0, |[byte]| byte))
    }

    pub(super) fn i16(&self, field: usize) -> Parsed<i16> {
        Ok(self.value(field)?.map_or(0, i16::from_le_bytes))
    }

    pub(super) fn i32(&self, field: usize) -> Parsed<i32> {
        Ok(self.value(field)?.map_or(0, i32::from_le_bytes))
    }

    pub(super) fn i64(&self, field: usize) -> Parsed<i64> {
        Ok(self.value(field)?.map_or(0, i64::from_le_bytes))
    }

    pub(super) fn has(&self, field: usize) -> Parsed<bool> {
        Ok(self.field(field)?.is_some())
    }

    pub(super) fn table(&self, field: usize) -> Parsed<Option<Table<'a>>> {
        let Some(at) = self.field(field)? else {
            return Ok(None);
        };
        Table::at(self.buffer, follow(self.buffer, at)?).map(Some)
    }

    /// A text; empty if it is not there.
    pub(super) fn text(&self, field: usize) -> Parsed<&'a str> {
        let vector = self.vector(field, 1)?;
        let rest = vector.buffer.get(vector.at..).unwrap_or(&[]);
        let bytes = rest.get(..vector.len).ok_or_else(outside)?;
        std::str::from_utf8(bytes).map_err(|_| Damage::new("a text that is no UTF-8"))
    }

    /// A vector whose elements take `size` bytes; empty if it is not there.
    pub(super) fn vector(&self, field: usize, size: usize) -> Parsed<Vector<'a>> {
        let Some(at) = self.field(field)? else {
            return Ok(Vector {
                buffer: self.buffer,
                at: 0,
                len: 0,
            });
        };
        let at = follow(self.buffer, at)?;
        let len = u32::from_le_bytes(word(self.buffer, at)?) as usize;
        let rest = self.buffer.get(at..).unwrap_or(&[]).len().saturating_sub(4);
        if len > rest / size {
            return Err(outside());
        }
        Ok(Vector {
            buffer: self.buffer,
            at: at + 4,
            len,
        })
    }
}

impl<'a> Vector<'a> {
    /// The table that element `i` refers to.
    pub(super) fn table(&self, i: usize) -> Parsed<Table<'a>> {
        Table::at(self.buffer, follow(self.buffer, self.at + 4 * i)?)
    }

    /// The number at `offset` of element `i`, a struct of `size` bytes.
    pub(super) fn i64(&self, i: usize, size: usize, offset: usize) -> Parsed<i64> {
        Ok(i64::from_le_bytes(word(
            self.buffer,
            self.at + size * i + offset,
        )?))
    }

    /// As [`Vector::i64`].
    pub(super) fn i32(&self, i: usize, size: usize, offset: usize) -> Parsed<i32> {
        Ok(i32::from_le_bytes(word(
            self.buffer,
            self.at + size * i + offset,
        )?))
    }
}
