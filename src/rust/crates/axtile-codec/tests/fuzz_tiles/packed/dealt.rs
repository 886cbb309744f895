//! The section of nonzeros: gaps, then counts, dealt out to streams.

use crate::wire::{put_varint, varint};

#[derive(Clone)]
pub struct Dealt {
    pub n_streams: u64,
    pub first_classes: Vec<u8>,
    pub streams: Vec<Stream>,
}

#[derive(Clone)]
pub struct Stream {
    pub n: u64,
    /// What is said of it.
    pub len: u64,
    pub bytes: Vec<u8>,
}

/// `None` for a section that is not sound.
pub fn read(mut section: &[u8]) -> Option<Vec<Dealt>> {
    let all = (0..2).map(|_| read_one(&mut section)).collect();
    if section.is_empty() { all } else { None }
}

fn read_one(rest: &mut &[u8]) -> Option<Dealt> {
    let n_streams = varint(rest)?;
    let (first_classes, after) = rest.split_at_checked(n_streams.checked_sub(1)? as usize)?;
    *rest = after;
    let mut streams = Vec::new();
    for _ in 0..n_streams {
        streams.push(Stream {
            n: varint(rest)?,
            len: varint(rest)?,
            bytes: Vec::new(),
        });
    }
    for stream in &mut streams {
        let (bytes, after) = rest.split_at_checked(usize::try_from(stream.len).ok()?)?;
        stream.bytes = bytes.to_vec();
        *rest = after;
    }
    Some(Dealt {
        n_streams,
        first_classes: first_classes.to_vec(),
        streams,
    })
}

pub fn write(all: &[Dealt]) -> Vec<u8> {
    let mut section = Vec::new();
    for dealt in all {
        put_varint(&mut section, dealt.n_streams);
        section.extend_from_slice(&dealt.first_classes);
        for stream in &dealt.streams {
            put_varint(&mut section, stream.n);
            put_varint(&mut section, stream.len);
        }
        for stream in &dealt.streams {
            section.extend_from_slice(&stream.bytes);
        }
    }
    section
}
