//! Reading, from bytes that may hold anything.

use crate::damage::{Damage, Parsed};

/// The types of fields and elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::parquet) enum Wire {
    True,
    False,
    Byte,
    I16,
    I32,
    I64,
    Double,
    Binary,
    List,
    Set,
    Map,
    Struct,
    Uuid,
}

impl Wire {
    fn from_nibble(nibble: u8) -> Parsed<Wire> {
        Ok(match nibble {
            1 => Wire::True,
            2 => Wire::False,
            3 => Wire::Byte,
            4 => Wire::I16,
            5 => Wire::I32,
            6 => Wire::I64,
            7 => Wire::Double,
            8 => Wire::Binary,
            9 => Wire::List,
            10 => Wire::Set,
            11 => Wire::Map,
            12 => Wire::Struct,
            13 => Wire::Uuid,
            other => return Err(Damage::new(format!("unknown Thrift type {other}"))),
        })
    }
}

/// How deep structs and lists may be nested; parquet needs 6.
const MAX_DEPTH: u32 = 32;

/// Reads from bytes that may hold anything.
#[derive(Clone, Debug)]
pub(in crate::parquet) struct Reader<'a> {
    rest: &'a [u8],
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(in crate::parquet) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader {
            rest: bytes,
            depth: 0,
        }
    }

    /// What has not been read yet.
    pub(in crate::parquet) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn byte(&mut self) -> Parsed<u8> {
        let (first, rest) = self.rest.split_first().ok_or_else(ended)?;
        self.rest = rest;
        Ok(*first)
    }

    fn bytes(&mut self, len: u64) -> Parsed<&'a [u8]> {
        let len = usize::try_from(len).map_err(|_| ended())?;
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or_else(ended)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn varint(&mut self) -> Parsed<u64> {
        let (value, rest) = varint(self.rest)?;
        self.rest = rest;
        Ok(value)
    }

    fn zigzag(&mut self) -> Parsed<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn nest<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Damage::new("Thrift structs are nested too deeply"));
        }
        self.depth += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    /// Reads a struct: `field` gets each field's number and type and must read
    /// or [`Reader::skip`] its value.
    pub(in crate::parquet) fn fields(
        &mut self,
        mut field: impl FnMut(&mut Self, i64, Wire) -> Parsed<()>,
    ) -> Parsed<()> {
        self.nest(|reader| {
            let mut id = 0i64;
            loop {
                let head = reader.byte()?;
                if head == 0 {
                    return Ok(());
                }
                let delta = i64::from(head >> 4);
                id = if delta == 0 {
                    reader.zigzag()?
                } else {
                    id.saturating_add(delta)
                };
                let wire = Wire::from_nibble(head & 15)?;
                field(reader, id, wire)?;
            }
        })
    }

    /// Reads a list of structs or other values: `element` reads one.
    pub(in crate::parquet) fn list<T>(
        &mut self,
        wire: Wire,
        mut element: impl FnMut(&mut Self, Wire) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        expect(wire, Wire::List)?;
        self.nest(|reader| {
            let (n, wire) = reader.list_head()?;
            // Each element takes a byte or more, which `list_head` checked; the
            // vector still grows with what was really read.
            let mut elements = Vec::new();
            for _ in 0..n {
                elements.push(element(reader, wire)?);
            }
            Ok(elements)
        })
    }

    fn list_head(&mut self) -> Parsed<(u64, Wire)> {
        let head = self.byte()?;
        let n = match head >> 4 {
            15 => self.varint()?,
            n => u64::from(n),
        };
        if n > self.rest.len() as u64 {
            return Err(Damage::new(format!(
                "a list of {n} elements in {} bytes",
                self.rest.len()
            )));
        }
        Ok((n, Wire::from_nibble(head & 15)?))
    }

    /// Reads a struct in a struct.
    pub(in crate::parquet) fn structure(
        &mut self,
        wire: Wire,
        field: impl FnMut(&mut Self, i64, Wire) -> Parsed<()>,
    ) -> Parsed<()> {
        expect(wire, Wire::Struct)?;
        self.fields(field)
    }

    /// Reads a whole number of any width.
    pub(in crate::parquet) fn integer(&mut self, wire: Wire) -> Parsed<i64> {
        match wire {
            Wire::Byte => Ok(i64::from(self.byte()? as i8)),
            Wire::I16 | Wire::I32 | Wire::I64 => self.zigzag(),
            other => Err(Damage::new(format!("{other:?} in place of an integer"))),
        }
    }

    /// Reads a whole number that cannot be negative.
    pub(in crate::parquet) fn count(&mut self, wire: Wire) -> Parsed<u64> {
        let value = self.integer(wire)?;
        u64::try_from(value).map_err(|_| Damage::new(format!("the negative count {value}")))
    }

    /// Reads true or false as a field of a struct.
    pub(in crate::parquet) fn flag(&mut self, wire: Wire) -> Parsed<bool> {
        match wire {
            Wire::True => Ok(true),
            Wire::False => Ok(false),
            other => Err(Damage::new(format!("{other:?} in place of a flag"))),
        }
    }

    /// Reads a text.
    pub(in crate::parquet) fn text(&mut self, wire: Wire) -> Parsed<&'a str> {
        expect(wire, Wire::Binary)?;
        let len = self.varint()?;
        let bytes = self.bytes(len)?;
        std::str::from_utf8(bytes).map_err(|_| Damage::new("a text that is not UTF-8"))
    }

    /// Passes over a value.
    pub(in crate::parquet) fn skip(&mut self, wire: Wire) -> Parsed<()> {
        match wire {
            Wire::True | Wire::False => Ok(()),
            Wire::Byte => self.byte().map(drop),
            Wire::I16 | Wire::I32 | Wire::I64 => self.varint().map(drop),
            Wire::Double => self.bytes(8).map(drop),
            Wire::Uuid => self.bytes(16).map(drop),
            Wire::Binary => {
                let len = self.varint()?;
                self.bytes(len).map(drop)
            }
            Wire::Struct => self.fields(|reader, _, wire| reader.skip(wire)),
            Wire::List | Wire::Set => self.nest(|reader| {
                let (n, wire) = reader.list_head()?;
                (0..n).try_for_each(|_| reader.skip_element(wire))
            }),
            Wire::Map => self.nest(|reader| {
                let n = reader.varint()?;
                if n == 0 {
                    return Ok(());
                }
                if n > reader.rest.len() as u64 {
                    return Err(ended());
                }
                let kinds = reader.byte()?;
                let key = Wire::from_nibble(kinds >> 4)?;
                let value = Wire::from_nibble(kinds & 15)?;
                (0..n).try_for_each(|_| {
                    reader.skip_element(key)?;
                    reader.skip_element(value)
                })
            }),
        }
    }

    /// In lists and maps true and false take a byte, in structs none.
    fn skip_element(&mut self, wire: Wire) -> Parsed<()> {
        match wire {
            Wire::True | Wire::False => self.byte().map(drop),
            other => self.skip(other),
        }
    }
}

fn ended() -> Damage {
    Damage::new("it ends too early")
}

fn expect(found: Wire, expected: Wire) -> Parsed<()> {
    if found == expected {
        Ok(())
    } else {
        Err(Damage::new(format!("{found:?} in place of {expected:?}")))
    }
}

/// An unsigned LEB128 number of up to 64 bits, and what follows it.
pub(in crate::parquet) fn varint(bytes: &[u8]) -> Parsed<(u64, &[u8])> {
    let mut value = 0u64;
    let mut rest = bytes;
    for shift in (0..64).step_by(7) {
        let (first, after) = rest.split_first().ok_or_else(ended)?;
        rest = after;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Ok((value, rest));
        }
    }
    Err(Damage::new("a number of more than 64 bits"))
}
