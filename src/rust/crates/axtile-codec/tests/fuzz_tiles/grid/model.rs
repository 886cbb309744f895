//! The model of a tile as a list of fields, each of which can be changed alone.

use crate::wire::{put_varint, varint};

/// What a field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    Clusters,
    Classes,
    Buckets,
    /// How many bytes of levels follow.
    LevelsLen,
    Levels,
    Width,
    Share,
    Threshold,
    GapBits,
    CountBits,
    Regular,
    Escapes,
    Gaps,
    Counts,
    EscapeGaps,
    EscapeCounts,
    Tables,
    TableOf,
    Lengths,
}

#[derive(Clone, Debug)]
pub enum Value {
    Number(u64),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: Name,
    pub value: Value,
}

struct Reader<'a> {
    rest: &'a [u8],
    fields: Vec<Field>,
}

impl Reader<'_> {
    fn number(&mut self, name: Name) -> Option<usize> {
        let number = varint(&mut self.rest)?;
        let value = Value::Number(number);
        self.fields.push(Field { name, value });
        usize::try_from(number).ok()
    }

    fn bytes(&mut self, name: Name, len: usize) -> Option<()> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        let value = Value::Bytes(bytes.to_vec());
        self.fields.push(Field { name, value });
        Some(())
    }
}

/// The fields, or `None` if the bytes are no model.
pub fn fields(model: &[u8]) -> Option<Vec<Field>> {
    let mut reader = Reader {
        rest: model,
        fields: Vec::new(),
    };
    let n_clusters = reader.number(Name::Clusters)?;
    let n_classes = reader.number(Name::Classes)?;
    let n_buckets = reader.number(Name::Buckets)?;
    for _ in 0..n_clusters {
        let n_levels = reader.number(Name::LevelsLen)?;
        reader.bytes(Name::Levels, n_levels)?;
        for _ in 0..n_buckets {
            reader.number(Name::Width)?;
        }
    }
    for _ in 0..n_buckets {
        for _ in 0..n_clusters {
            reader.number(Name::Share)?;
            for _ in 1..n_classes {
                reader.number(Name::Threshold)?;
            }
        }
        reader.number(Name::GapBits)?;
        reader.number(Name::CountBits)?;
        let n_regular = reader.number(Name::Regular)?;
        let n_escapes = reader.number(Name::Escapes)?;
        reader.bytes(Name::Gaps, n_regular)?;
        reader.bytes(Name::Counts, n_regular)?;
        reader.bytes(Name::EscapeGaps, n_escapes)?;
        reader.bytes(Name::EscapeCounts, n_escapes)?;
        // Tables of no symbol take no bytes.
        let n_tables = reader.number(Name::Tables).filter(|&n| n <= 256)?;
        reader.bytes(Name::TableOf, n_clusters.checked_mul(n_classes)?)?;
        for _ in 0..n_tables {
            reader.bytes(Name::Lengths, n_regular.checked_add(n_escapes)?)?;
        }
    }
    Some(reader.fields)
}

pub fn model(fields: &[Field]) -> Vec<u8> {
    let mut model = Vec::new();
    for field in fields {
        match &field.value {
            Value::Number(number) => put_varint(&mut model, *number),
            Value::Bytes(bytes) => model.extend_from_slice(bytes),
        }
    }
    model
}
