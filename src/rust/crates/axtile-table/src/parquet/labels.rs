//! Categories as labels: a text column whose dictionary holds all levels in
//! their order, also those that no row has. pyarrow and pandas take the levels
//! from there. The crate makes dictionaries of the values it meets, in the order
//! in which it meets them, so this chunk is put together here: a page of levels
//! and one of codes (parquet-format, Encodings.md).

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// The chunk of an optional text column, and what the footer says of it. The
/// codes must be those of the levels, or -1; there must be a level.
pub(super) fn chunk(
    column: &ColumnDescPtr,
    codes: &[i32],
    levels: &[String],
    level: ZstdLevel,
) -> Result<(Bytes, ColumnCloseResult)> {
    let mut dictionary = Vec::new();
    for text in levels {
        dictionary.extend_from_slice(&count(text.len())?.to_le_bytes());
        dictionary.extend_from_slice(text.as_bytes());
    }
    let present = codes.iter().map(|code| u32::from(*code >= 0));
    let present = packed(present, 1)?;
    let indices: Vec<u32> = codes
        .iter()
        .filter_map(|code| u32::try_from(*code).ok())
        .collect();
    // At least 1, as not all readers take 0.
    let width = (count(levels.len())? - 1).max(1).ilog2() + 1;
    let mut data = count(present.len())?.to_le_bytes().to_vec();
    data.extend_from_slice(&present);
    data.push(width as u8);
    data.extend_from_slice(&packed(indices.into_iter(), width)?);

    let compress = |page: &[u8]| zstd::bulk::compress(page, level.compression_level());
    let dictionary_page = Page::DictionaryPage {
        buf: compress(&dictionary)?.into(),
        num_values: count(levels.len())?,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    };
    let data_page = Page::DataPage {
        buf: compress(&data)?.into(),
        num_values: count(codes.len())?,
        encoding: Encoding::RLE_DICTIONARY,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let mut out = TrackedWrite::new(Vec::new());
    let mut pages = SerializedPageWriter::new(&mut out);
    let first = pages.write_page(CompressedPage::new(dictionary_page, dictionary.len()))?;
    let second = pages.write_page(CompressedPage::new(data_page, data.len()))?;
    pages.close()?;
    let bytes = out.into_inner()?;

    let stats = |page_type, encoding| PageEncodingStats {
        page_type,
        encoding,
        count: 1,
    };
    let metadata = ColumnChunkMetaData::builder(column.clone())
        .set_compression(Compression::ZSTD(level))
        .set_encodings(vec![
            Encoding::PLAIN,
            Encoding::RLE,
            Encoding::RLE_DICTIONARY,
        ])
        .set_page_encoding_stats(vec![
            stats(PageType::DICTIONARY_PAGE, Encoding::PLAIN),
            stats(PageType::DATA_PAGE, Encoding::RLE_DICTIONARY),
        ])
        .set_num_values(codes.len() as i64)
        .set_total_compressed_size(bytes.len() as i64)
        .set_total_uncompressed_size((first.uncompressed_size + second.uncompressed_size) as i64)
        .set_dictionary_page_offset(Some(first.offset as i64))
        .set_data_page_offset(second.offset as i64)
        .build()?;
    let close = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written: codes.len() as u64,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok((bytes.into(), close))
}

/// Numbers of `width` bits in the hybrid encoding, as a single run of packed
/// bits; zstd makes short work of what repeats.
fn packed(values: impl ExactSizeIterator<Item = u32>, width: u32) -> Result<Vec<u8>> {
    let n_groups = values.len().div_ceil(8);
    let mut out = Vec::new();
    let mut head = u64::from(count(n_groups)?) << 1 | 1;
    while head >= 0x80 {
        out.push(head as u8 | 0x80);
        head >>= 7;
    }
    out.push(head as u8);
    let len = out.len() + n_groups * width as usize;
    let (mut bits, mut n_bits) = (0u64, 0);
    for value in values {
        bits |= u64::from(value) << n_bits;
        n_bits += width;
        while n_bits >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            n_bits -= 8;
        }
    }
    out.push(bits as u8);
    out.resize(len, 0);
    Ok(out)
}

/// A length or number as parquet's pages hold it.
fn count(n: usize) -> Result<u32> {
    let count = i32::try_from(n).map(i32::cast_unsigned);
    count.map_err(|_| ParquetError::General(format!("{n} bytes or levels in a page")))
}
