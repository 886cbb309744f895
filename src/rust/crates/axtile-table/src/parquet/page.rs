//! Pages: a header in Thrift, then values that are compressed as a whole
//! (parquet-format, README.md and parquet.thrift).

use std::io::Read;

use super::thrift::{Reader, Wire, Writer};
use crate::damage::{Damage, Parsed};

/// Compression codecs of parquet.thrift.
pub(super) const UNCOMPRESSED: i64 = 0;
pub(super) const ZSTD: i64 = 6;

/// Encodings of parquet.thrift.
pub(super) const PLAIN: i64 = 0;
pub(super) const PLAIN_DICTIONARY: i64 = 2;
pub(super) const RLE: i64 = 3;
pub(super) const RLE_DICTIONARY: i64 = 8;

const DATA_PAGE: i64 = 0;
const INDEX_PAGE: i64 = 1;
const DICTIONARY_PAGE: i64 = 2;
const DATA_PAGE_V2: i64 = 3;

/// Pages are about 1 MiB. Up to here a buffer of the size that a header
/// declares is made at once; larger ones grow with what they really hold.
const TRUSTED_SIZE: usize = 4 << 20;

/// A page as it lies in a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    pub(super) kind: PageKind,
    pub(super) n_values: usize,
    pub(super) encoding: i64,
    compressed: &'a [u8],
    size: usize,
    is_compressed: bool,
}

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageKind {
    /// The distinct values.
    Dictionary,
    /// Levels and values, compressed together.
    Data { levels: i64 },
    /// Levels of a fixed length, uncompressed, and then values.
    DataV2 { levels_len: usize },
    /// Something to be passed over.
    Index,
}

impl<'a> Page<'a> {
    /// Parses the first page of `bytes` and returns what follows it.
    pub(super) fn parse(bytes: &'a [u8]) -> Parsed<(Page<'a>, &'a [u8])> {
        let mut header = Header::default();
        let mut reader = Reader::new(bytes);
        reader.fields(|reader, id, wire| header.field(reader, id, wire))?;
        let too_long = || {
            Damage::new(format!(
                "a page of {} bytes where {} are left",
                header.compressed_size,
                reader.rest().len()
            ))
        };
        let len = usize::try_from(header.compressed_size).map_err(|_| too_long())?;
        let split = reader.rest().split_at_checked(len);
        let (compressed, rest) = split.ok_or_else(too_long)?;
        let kind = match header.kind {
            Some(DATA_PAGE) => PageKind::Data {
                levels: header.levels,
            },
            Some(DATA_PAGE_V2) => {
                if header.repetition_len != 0 {
                    return Err(Damage::new("repetition levels in a flat column"));
                }
                PageKind::DataV2 {
                    levels_len: clamp(header.levels),
                }
            }
            Some(DICTIONARY_PAGE) => PageKind::Dictionary,
            Some(INDEX_PAGE) => PageKind::Index,
            other => return Err(Damage::new(format!("a page of the unknown type {other:?}"))),
        };
        let page = Page {
            kind,
            n_values: clamp(header.n_values as i64),
            encoding: header.encoding,
            compressed,
            size: clamp(header.size as i64),
            is_compressed: header.is_compressed,
        };
        Ok((page, rest))
    }

    /// The page's bytes; those of a version 2 page without its levels.
    pub(super) fn decompress(&self, codec: i64, buffer: &mut Vec<u8>) -> Parsed<()> {
        buffer.clear();
        let levels_len = self.levels().len();
        let compressed = self.compressed.get(levels_len..).unwrap_or(&[]);
        let size = self.size.checked_sub(levels_len);
        let size = size.ok_or_else(|| Damage::new("levels longer than their page"))?;
        if codec == UNCOMPRESSED || !self.is_compressed {
            buffer.extend_from_slice(compressed);
        } else if codec == ZSTD {
            decompress_zstd(compressed, size, buffer)?;
        } else {
            return Err(Damage::unsupported(format!(
                "the compression is {}; zstd and none are read",
                codec_name(codec)
            )));
        }
        if buffer.len() == size {
            Ok(())
        } else {
            Err(Damage::new(format!(
                "a page of {} bytes, expected {size}",
                buffer.len()
            )))
        }
    }

    /// The definition levels of a version 2 page.
    pub(super) fn levels(&self) -> &'a [u8] {
        match self.kind {
            PageKind::DataV2 { levels_len } => {
                self.compressed.get(..levels_len).unwrap_or(self.compressed)
            }
            _ => &[],
        }
    }
}

fn clamp(value: i64) -> usize {
    usize::try_from(value.max(0)).unwrap_or(usize::MAX)
}

fn decompress_zstd(compressed: &[u8], size: usize, buffer: &mut Vec<u8>) -> Parsed<()> {
    let refused = |error: std::io::Error| Damage::new(format!("zstd: {error}"));
    if size <= TRUSTED_SIZE {
        buffer.reserve(size);
        let mut decompressor = zstd::bulk::Decompressor::new().map_err(refused)?;
        decompressor
            .decompress_to_buffer(compressed, buffer)
            .map_err(refused)?;
        return Ok(());
    }
    zstd::stream::read::Decoder::with_buffer(compressed)
        .map_err(refused)?
        .take(size as u64 + 1)
        .read_to_end(buffer)
        .map_err(refused)?;
    Ok(())
}

fn codec_name(codec: i64) -> String {
    match codec {
        1 => "snappy".to_owned(),
        2 => "gzip".to_owned(),
        4 => "brotli".to_owned(),
        5 | 7 => "lz4".to_owned(),
        other => format!("number {other}"),
    }
}

#[derive(Debug)]
struct Header {
    kind: Option<i64>,
    size: u64,
    compressed_size: u64,
    n_values: u64,
    encoding: i64,
    levels: i64,
    repetition_len: i64,
    is_compressed: bool,
}

impl Default for Header {
    fn default() -> Header {
        Header {
            kind: None,
            size: 0,
            compressed_size: 0,
            n_values: 0,
            encoding: PLAIN,
            levels: 0,
            repetition_len: 0,
            is_compressed: true,
        }
    }
}

impl Header {
    fn field(&mut self, reader: &mut Reader, id: i64, wire: Wire) -> Parsed<()> {
        match id {
            1 => self.kind = Some(reader.integer(wire)?),
            2 => self.size = reader.count(wire)?,
            3 => self.compressed_size = reader.count(wire)?,
            5 | 7 => reader.structure(wire, |reader, id, wire| {
                match id {
                    1 => self.n_values = reader.count(wire)?,
                    2 => self.encoding = reader.integer(wire)?,
                    3 if wire == Wire::I32 => self.levels = reader.integer(wire)?,
                    _ => reader.skip(wire)?,
                }
                Ok(())
            })?,
            8 => reader.structure(wire, |reader, id, wire| {
                match id {
                    1 => self.n_values = reader.count(wire)?,
                    4 => self.encoding = reader.integer(wire)?,
                    5 => self.levels = reader.integer(wire)?,
                    6 => self.repetition_len = reader.integer(wire)?,
                    7 => self.is_compressed = reader.flag(wire)?,
                    _ => reader.skip(wire)?,
                }
                Ok(())
            })?,
            _ => reader.skip(wire)?,
        }
        Ok(())
    }
}

/// The header of a dictionary page.
pub(super) fn dictionary_header(size: i32, compressed_size: i32, n_values: i32) -> Vec<u8> {
    let mut out = Writer::new();
    out.i32(1, DICTIONARY_PAGE as i32);
    out.i32(2, size);
    out.i32(3, compressed_size);
    out.structure(7, |page| {
        page.i32(1, n_values);
        page.i32(2, PLAIN as i32);
    });
    out.finish()
}

/// The header of a data page of version 1.
pub(super) fn data_header(
    size: i32,
    compressed_size: i32,
    n_values: i32,
    encoding: i64,
) -> Vec<u8> {
    let mut out = Writer::new();
    out.i32(1, DATA_PAGE as i32);
    out.i32(2, size);
    out.i32(3, compressed_size);
    out.structure(5, |page| {
        page.i32(1, n_values);
        page.i32(2, encoding as i32);
        page.i32(3, RLE as i32);
        page.i32(4, RLE as i32);
    });
    out.finish()
}
