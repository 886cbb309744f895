//! Packed arrays: one file of compressed chunks behind an index of where each
//! of them is. The same file is a ZIP archive and a sharded Zarr array; here
//! it is read by its index:
//!
//! | bytes | what |
//! |---|---|
//! | 16 for each chunk | offset and length, u64 little-endian; both all ones: a chunk of zeros |
//! | 4 | CRC-32C of the above, little-endian |
//! | the rest | the chunks |
//!
//! A chunk is `chunk_rows` values of one column, the last one of each column
//! filled up with zeros. Chunks are in order of their rows, then columns.

mod bits;
mod blosc;
mod codec;

use std::path::Path;

use axtile_core::{Error, Result};
use serde_json::{Map, Value};

pub(crate) use codec::{Compression, MAX_TEXT_CHUNK};

use crate::model::{ElementType, TextsBuilder, Values};

/// How an array is packed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packing {
    pub(crate) chunk_rows: usize,
    pub(crate) compression: Compression,
}

/// The offset and length of a chunk that is all zeros.
const ABSENT: u64 = u64::MAX;

impl Packing {
    /// Reads how the array that `descriptor` in `path` describes is packed.
    pub(crate) fn parse(path: &Path, descriptor: &Map<String, Value>) -> Result<Packing> {
        let text = |key: &str| descriptor.get(key).and_then(Value::as_str);
        if text("packed_format") != Some("indexed+zipped") {
            return Err(Error::unsupported(
                path,
                "the \"packed_format\" is not \"indexed+zipped\"",
            ));
        }
        if text("index_location").is_some_and(|place| place != "start") {
            return Err(Error::unsupported(
                path,
                "the index is not at the start of the packed array",
            ));
        }
        let compression = text("compression").unwrap_or_default();
        let compression = Compression::parse(compression)
            .ok_or_else(|| Error::unsupported(path, format!("the compression {compression:?}")))?;
        let chunk_rows = descriptor
            .get("chunk_shape")
            .and_then(Value::as_array)
            .and_then(|shape| Packing::chunk_rows(shape))
            .ok_or_else(|| {
                Error::corrupt(
                    path,
                    "the key \"chunk_shape\"",
                    "not a count of rows, and 1 column if there are several",
                )
            })?;
        Ok(Packing {
            chunk_rows,
            compression,
        })
    }

    fn chunk_rows(shape: &[Value]) -> Option<usize> {
        let (rows, columns) = match shape {
            [rows] => (rows, None),
            [rows, columns] => (rows, Some(columns)),
            _ => return None,
        };
        if columns.is_some_and(|columns| columns.as_u64() != Some(1)) {
            return None;
        }
        usize::try_from(rows.as_u64()?).ok()
    }
}

/// Unpacks `bytes`, the file `path`, to `n_columns` columns of `n_rows` values.
pub(crate) fn unpack(
    path: &Path,
    bytes: &[u8],
    kind: ElementType,
    (n_rows, n_columns): (usize, usize),
    packing: &Packing,
) -> Result<Values> {
    if n_rows == 0 || n_columns == 0 {
        return Ok(Values::zeros(kind, 0));
    }
    let chunk_rows = packing.chunk_rows;
    if chunk_rows == 0 || chunk_rows > n_rows {
        return Err(Error::corrupt(
            path,
            "its descriptor",
            format!("chunks of {chunk_rows} of {n_rows} values"),
        ));
    }
    let n_blocks = n_rows.div_ceil(chunk_rows);
    let chunks = index(path, bytes, n_blocks.checked_mul(n_columns))?;
    let mut unpacked = Unpacked::new(path, kind, n_rows, n_columns)?;
    for (number, &(offset, len)) in chunks.iter().enumerate() {
        let n_wanted = chunk_rows.min(n_rows - (number % n_blocks) * chunk_rows);
        if offset == ABSENT && len == ABSENT {
            unpacked.add_zeros(n_wanted);
            continue;
        }
        let stored = range(offset, len)
            .and_then(|range| bytes.get(range))
            .ok_or_else(|| chunk_problem(path, number, "its place is not in the file"))?;
        unpacked
            .add(stored, chunk_rows, n_wanted, packing.compression)
            .map_err(|problem| chunk_problem(path, number, &problem))?;
    }
    unpacked.finish(path)
}

fn chunk_problem(path: &Path, number: usize, problem: &str) -> Error {
    Error::corrupt(path, format!("chunk {number}"), problem)
}

fn range(offset: u64, len: u64) -> Option<std::ops::Range<usize>> {
    let end = offset.checked_add(len)?;
    Some(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
}

/// The offsets and lengths of all chunks.
fn index(path: &Path, bytes: &[u8], n_chunks: Option<usize>) -> Result<Vec<(u64, u64)>> {
    let short = || {
        Error::corrupt(
            path,
            "the index",
            format!("{} bytes are too few for the chunks", bytes.len()),
        )
    };
    let n_bytes = n_chunks
        .and_then(|n_chunks| n_chunks.checked_mul(16))
        .ok_or_else(short)?;
    let (index, rest) = bytes.split_at_checked(n_bytes).ok_or_else(short)?;
    let stored = rest.first_chunk::<4>().ok_or_else(short)?;
    if u32::from_le_bytes(*stored) != crc32c::crc32c(index) {
        return Err(Error::corrupt(path, "the index", "the checksum differs"));
    }
    let (numbers, _) = index.as_chunks::<8>();
    Ok(numbers
        .chunks_exact(2)
        .map(|pair| (u64::from_le_bytes(pair[0]), u64::from_le_bytes(pair[1])))
        .collect())
}

/// What was unpacked so far.
struct Unpacked {
    kind: ElementType,
    size: Option<usize>,
    bytes: Vec<u8>,
    texts: TextsBuilder,
}

impl Unpacked {
    fn new(path: &Path, kind: ElementType, n_rows: usize, n_columns: usize) -> Result<Unpacked> {
        let size = kind.size();
        let mut unpacked = Unpacked {
            kind,
            size,
            bytes: Vec::new(),
            texts: TextsBuilder::default(),
        };
        let reserved = match (n_rows.checked_mul(n_columns), size) {
            (Some(len), Some(size)) => len
                .checked_mul(size)
                .is_some_and(|n_bytes| unpacked.bytes.try_reserve_exact(n_bytes).is_ok()),
            // Each text was read, or is of a chunk that the index has.
            (len, None) => len.is_some(),
            (None, _) => false,
        };
        if reserved {
            return Ok(unpacked);
        }
        Err(Error::limit(
            path,
            format!(
                "'{}': {n_rows} times {n_columns} values do not fit into memory",
                path.display()
            ),
        ))
    }

    fn add_zeros(&mut self, n_wanted: usize) {
        match self.size {
            Some(size) => self.bytes.resize(self.bytes.len() + n_wanted * size, 0),
            None => (0..n_wanted).for_each(|_| self.texts.push("")),
        }
    }

    fn add(
        &mut self,
        stored: &[u8],
        chunk_rows: usize,
        n_wanted: usize,
        compression: Compression,
    ) -> Result<(), String> {
        let Some(size) = self.size else {
            let plain = compression.decompress(stored, MAX_TEXT_CHUNK)?;
            let mut n_left = n_wanted;
            return texts(&plain, chunk_rows, |text| {
                if n_left > 0 {
                    n_left -= 1;
                    self.texts.push(text);
                }
            });
        };
        let n_bytes = chunk_rows
            .checked_mul(size)
            .ok_or("the chunk is too large")?;
        let plain = compression.decompress(stored, n_bytes)?;
        if plain.len() != n_bytes {
            return Err(format!("{} of {n_bytes} bytes", plain.len()));
        }
        self.bytes
            .extend_from_slice(plain.get(..n_wanted * size).unwrap_or_default());
        Ok(())
    }

    fn finish(self, path: &Path) -> Result<Values> {
        if self.size.is_none() {
            return Ok(Values::String(self.texts.finish()));
        }
        Values::from_le_bytes(self.kind, &self.bytes)
            .ok_or_else(|| Error::corrupt(path, "the values", "truth that is neither 0 nor 1"))
    }
}

/// Gives `n_texts` texts to `take`: a count, then the length and the bytes of
/// each, the numbers 32 bits little-endian.
pub(crate) fn texts(
    bytes: &[u8],
    n_texts: usize,
    mut take: impl FnMut(&str),
) -> Result<(), String> {
    let (first, mut rest) = bytes.split_first_chunk::<4>().ok_or("no count of texts")?;
    let n_found = u32::from_le_bytes(*first) as usize;
    if n_found != n_texts {
        return Err(format!("{n_found} of {n_texts} texts"));
    }
    for _ in 0..n_texts {
        let (first, after) = rest.split_first_chunk::<4>().ok_or("a text is cut off")?;
        let len = u32::from_le_bytes(*first) as usize;
        let (text, after) = after.split_at_checked(len).ok_or("a text is cut off")?;
        take(std::str::from_utf8(text).map_err(|_| "a text is no UTF-8")?);
        rest = after;
    }
    if !rest.is_empty() {
        return Err(format!("{} bytes follow the last text", rest.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packed array of 3 chunks of 2 values each of one byte, zstd.
    fn packed() -> Vec<u8> {
        let chunks: Vec<Vec<u8>> = [[1_u8, 2], [3, 4], [5, 0]]
            .iter()
            .map(|chunk| zstd::bulk::compress(chunk, 1).unwrap())
            .collect();
        let mut index = Vec::new();
        let mut offset = 16 * 3 + 4;
        for chunk in &chunks {
            index.extend_from_slice(&(offset as u64).to_le_bytes());
            index.extend_from_slice(&(chunk.len() as u64).to_le_bytes());
            offset += chunk.len();
        }
        let checksum = crc32c::crc32c(&index);
        index.extend_from_slice(&checksum.to_le_bytes());
        index.extend(chunks.concat());
        index
    }

    fn unpacked(bytes: &[u8], shape: (usize, usize)) -> Result<Values> {
        let packing = Packing {
            chunk_rows: 2,
            compression: Compression::Zstd,
        };
        unpack(Path::new("a"), bytes, ElementType::UInt8, shape, &packing)
    }

    #[test]
    fn chunks_are_joined_without_their_filling() {
        assert_eq!(
            unpacked(&packed(), (5, 1)).unwrap(),
            vec![1_u8, 2, 3, 4, 5].into()
        );
        assert_eq!(
            unpacked(&packed(), (2, 3)).unwrap(),
            vec![1_u8, 2, 3, 4, 5, 0].into()
        );
    }

    #[test]
    fn damage_is_an_error_wherever_it_is() {
        let whole = packed();
        for len in 0..whole.len() {
            assert!(unpacked(&whole[..len], (5, 1)).is_err(), "{len}");
        }
        for at in 0..52 {
            let mut broken = whole.clone();
            broken[at] ^= 0x10;
            assert!(unpacked(&broken, (5, 1)).is_err(), "{at}");
        }
        for at in 52..whole.len() {
            for bit in 0..8 {
                let mut broken = whole.clone();
                broken[at] ^= 1 << bit;
                // No checksum covers the chunks: what counts is that none panics.
                let _ = unpacked(&broken, (5, 1));
            }
        }
        for shape in [
            (usize::MAX, 1),
            (usize::MAX, usize::MAX),
            (1 << 40, 1 << 20),
        ] {
            assert!(unpacked(&whole, shape).is_err());
        }
    }

    #[test]
    fn texts_are_counted_and_whole() {
        let texts = |bytes: &[u8], n_texts| {
            let mut found = Vec::new();
            super::texts(bytes, n_texts, |text| found.push(text.to_owned())).map(|()| found)
        };
        let bytes = [2, 0, 0, 0, 1, 0, 0, 0, b'a', 0, 0, 0, 0];
        assert_eq!(texts(&bytes, 2).unwrap(), ["a", ""]);
        assert!(texts(&bytes, 1).is_err());
        for len in 0..bytes.len() {
            assert!(texts(&bytes[..len], 2).is_err());
        }
        assert!(texts(&[1, 0, 0, 0, 1, 0, 0, 0, 0xff], 1).is_err());
        assert!(texts(&[255, 255, 255, 255], u32::MAX as usize).is_err());
    }
}
