//! A check of the schema in a footer, before the crate parses it: it reserves
//! room for as many children as a group declares, and recurses into groups
//! without a limit. Here a schema must be a root and as many columns as the
//! root says; groups are refused. All fields must have the types that
//! parquet.thrift gives them, so that the crate reads the same as this.

use crate::damage::{Damage, Parsed};

/// Types of Thrift's compact protocol; true and false are 1 and 2.
const BYTE: u8 = 3;
const I32: u8 = 5;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// What fields 1 (`version`) and 2 (`schema`) of FileMetaData start with: the
/// step from the field before and the type.
const VERSION_HEAD: u8 = 1 << 4 | I32;
const SCHEMA_HEAD: u8 = 1 << 4 | LIST;

/// Checks the schema of a FileMetaData.
pub(super) fn check(footer: &[u8]) -> Parsed<()> {
    let damaged = || Damage::new("the schema is wrong, or of an unknown version");
    let mut reader = Reader(footer);
    let n = reader.schema_start().ok_or_else(damaged)?;
    let root = reader.element().ok_or_else(damaged)?;
    for _ in 1..n {
        if reader.element().ok_or_else(damaged)? > 0 {
            return Err(Damage::unsupported("columns in groups"));
        }
    }
    if root == n - 1 {
        Ok(())
    } else {
        Err(damaged())
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Calls `read` with number and type of each field of a struct.
    fn fields(&mut self, mut read: impl FnMut(&mut Self, u64, u8) -> Option<()>) -> Option<()> {
        let mut id = 0;
        loop {
            let head = self.byte()?;
            match (head >> 4, head & 0xf) {
                (_, 0) => return Some(()),
                // Numbers are written out only after a gap of more than 15.
                (0, _) => return None,
                (step, wire) => {
                    id += u64::from(step);
                    read(self, id, wire)?;
                }
            }
        }
    }

    /// The number of elements, which follow.
    fn schema_start(&mut self) -> Option<u64> {
        if self.byte()? != VERSION_HEAD {
            return None;
        }
        self.varint()?;
        if self.byte()? != SCHEMA_HEAD {
            return None;
        }
        match self.byte()? {
            head if head & 0xf != STRUCT => None,
            head if head >> 4 == 15 => self.varint(),
            head => Some(u64::from(head >> 4)),
        }
        .filter(|n| *n > 0)
    }

    /// The number of children of a SchemaElement.
    fn element(&mut self) -> Option<u64> {
        let mut n_children = 0;
        self.fields(|reader, id, wire| match (id, wire) {
            (5, I32) => {
                // Signed numbers are twice themselves; odd ones are negative.
                let doubled = reader.varint()?;
                n_children = (doubled % 2 == 0).then_some(doubled / 2)?;
                Some(())
            }
            (1..=3 | 6..=9, I32) => reader.varint().map(drop),
            (4, BINARY) => {
                let len = usize::try_from(reader.varint()?).ok()?;
                reader.0 = reader.0.get(len..)?;
                Some(())
            }
            (10, STRUCT) => reader.logical_type(),
            _ => None,
        })?;
        Some(n_children)
    }

    fn logical_type(&mut self) -> Option<()> {
        self.fields(|reader, member, wire| {
            if wire != STRUCT {
                return None;
            }
            reader.fields(|reader, id, wire| match (member, id, wire) {
                // Decimal: scale, precision.
                (5, 1..=2, I32) => reader.varint().map(drop),
                // Time and timestamp: whether it is in UTC, unit.
                (7..=8, 1, 1..=2) => Some(()),
                (7..=8, 2, STRUCT) => reader.fields(|reader, _, wire| {
                    let is_empty = |reader: &mut Self| reader.fields(|_, _, _| None);
                    (wire == STRUCT).then(|| is_empty(reader))?
                }),
                // Integer: width, whether it is signed.
                (10, 1, BYTE) => reader.byte().map(drop),
                (10, 2, 1..=2) => Some(()),
                _ => None,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schema of a root that declares `n_children`, and these elements.
    fn footer(n_children: u8, elements: &[&[u8]]) -> Vec<u8> {
        let n = elements.len() as u8 + 1;
        let mut bytes = vec![VERSION_HEAD, 2, SCHEMA_HEAD, n << 4 | STRUCT];
        bytes.extend([0x48, 1, b'r', 0x15, 2 * n_children, 0]);
        bytes.extend(elements.concat());
        bytes
    }

    #[test]
    fn only_flat_schemas_pass() {
        let column = [
            0x15, 2, 0x25, 2, 0x18, 1, b'c', 0x6c, 0xac, 0x13, 8, 0x11, 0, 0, 0,
        ];
        let group = [0x35, 2, 0x18, 1, b'g', 0x15, 2, 0];
        assert!(check(&footer(0, &[])).is_ok());
        assert!(check(&footer(2, &[&column, &column])).is_ok());
        assert!(check(&footer(3, &[&column, &column])).is_err());
        assert!(check(&footer(1, &[&column, &column])).is_err());
        assert!(check(&footer(1, &[&group, &column])).is_err());
        let whole = footer(1, &[&column]);
        for len in 0..whole.len() {
            assert!(check(&whole[..len]).is_err());
        }
        // A number of children that claims to be a text.
        let mut other = footer(1, &[&column]);
        other[7] = 0x18;
        assert!(check(&other).is_err());
    }
}
