//! The section of values: a transform, how many are stored one by one, streams.

use crate::streams::{Kind, numbers};
use crate::wire::{put_varint, varint};

#[derive(Clone)]
pub struct Section {
    pub transform: u8,
    pub n_singles: u64,
    pub streams: Vec<Stream>,
}

#[derive(Clone)]
pub struct Stream {
    /// What is said of it.
    pub len: u64,
    pub bytes: Vec<u8>,
}

impl Stream {
    pub fn new(bytes: Vec<u8>) -> Stream {
        Stream {
            len: bytes.len() as u64,
            bytes,
        }
    }
}

/// `None` for a section that is not sound.
pub fn read(section: &[u8]) -> Option<Section> {
    let (&transform, mut rest) = section.split_first()?;
    let n_singles = varint(&mut rest)?;
    let mut streams = Vec::new();
    for _ in 0..if transform == 0 { 3 } else { 5 } {
        let len = usize::try_from(varint(&mut rest)?).ok()?;
        let (bytes, after) = rest.split_at_checked(len)?;
        streams.push(Stream::new(bytes.to_vec()));
        rest = after;
    }
    rest.is_empty().then_some(Section {
        transform,
        n_singles,
        streams,
    })
}

impl Section {
    pub fn write(&self) -> Vec<u8> {
        let mut section = vec![self.transform];
        put_varint(&mut section, self.n_singles);
        for stream in &self.streams {
            put_varint(&mut section, stream.len);
            section.extend_from_slice(&stream.bytes);
        }
        section
    }

    /// How many numbers a stream has, of what kind; values are of `width` bytes.
    pub fn numbers_of(&self, stream: usize, n_cells: usize, width: u8) -> (usize, Kind) {
        let (float, unsigned) = match width {
            4 => (Kind::F32, Kind::U32),
            _ => (Kind::F64, Kind::U64),
        };
        let sizes = || numbers(&self.streams[0].bytes, n_cells, Kind::U32).unwrap_or_default();
        let n_entries = || sizes().iter().map(|&size| size as usize).sum();
        match (stream, self.transform) {
            (0, _) => (n_cells, Kind::U32),
            (1, _) => (self.n_singles as usize, float),
            (2, 0) => (n_entries(), float),
            (2, _) => (sizes().iter().filter(|&&size| size > 0).count(), float),
            (3, _) => (n_entries(), Kind::U32),
            _ => (n_entries(), unsigned),
        }
    }
}
