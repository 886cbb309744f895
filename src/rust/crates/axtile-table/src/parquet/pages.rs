//! The pages of a column chunk. The crate reserves the size that a page's
//! header declares before it decompresses, and decodes as many values as the
//! header says. So it gets the chunk as if nothing was compressed, and pages are
//! decompressed and checked here.

use bytes::Bytes;
use parquet::basic::{Compression, CompressionCodec, Encoding};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use zstd::bulk::Decompressor;
use zstd::zstd_safe::get_frame_content_size;

use super::file::MAX_GROUP_ROWS;

/// Most bytes of a page that are read. Writers end a page at about 1 MiB.
const MAX_PAGE_BYTES: usize = 1 << 28;

/// The pages of a chunk, decompressed.
pub(super) struct Pages {
    stored: SerializedPageReader<Bytes>,
    /// `None` if the chunk is not compressed.
    zstd: Option<Decompressor<'static>>,
    has_dictionary: bool,
    n_left: u64,
}

impl Pages {
    /// The pages of a chunk of `file` that holds `n_rows` rows.
    pub(super) fn new(file: &Bytes, chunk: &ColumnChunkMetaData, n_rows: u64) -> Result<Pages> {
        let zstd = match chunk.compression_codec() {
            CompressionCodec::UNCOMPRESSED => None,
            CompressionCodec::ZSTD => Some(Decompressor::new()?),
            other => {
                let problem = format!("the compression is {other:?}; zstd and none are read");
                return Err(ParquetError::NYI(problem));
            }
        };
        // Some writers say 0 where there is no dictionary.
        let dictionary = chunk.dictionary_page_offset().filter(|at| *at > 0);
        let as_stored = chunk
            .clone()
            .into_builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_dictionary_page_offset(dictionary)
            .build()?;
        let file = file.clone().into();
        Ok(Pages {
            stored: SerializedPageReader::new(file, &as_stored, n_rows as usize, None)?,
            zstd,
            has_dictionary: false,
            n_left: n_rows,
        })
    }

    /// The page's bytes, of which the first `n_plain` are never compressed.
    fn decompress(&mut self, page: &Bytes, n_plain: usize, is_compressed: bool) -> Result<Bytes> {
        let Some(zstd) = self.zstd.as_mut().filter(|_| is_compressed) else {
            return Ok(page.clone());
        };
        let short = || ParquetError::EOF("the page ends too early".to_owned());
        let (plain, compressed) = page.split_at_checked(n_plain).ok_or_else(short)?;
        if compressed.is_empty() {
            return Ok(page.clone());
        }
        let declared = get_frame_content_size(compressed).ok().flatten();
        let capacity = declared.and_then(|size| usize::try_from(size).ok());
        let capacity = capacity.unwrap_or(MAX_PAGE_BYTES).min(MAX_PAGE_BYTES);
        let mut bytes = zstd.decompress(compressed, capacity)?;
        bytes.splice(..0, plain.iter().copied());
        Ok(bytes.into())
    }

    fn check_data(&mut self, n_values: u32, encoding: Encoding) -> Result<()> {
        let left = self.n_left;
        self.n_left = left.checked_sub(u64::from(n_values)).ok_or_else(|| {
            ParquetError::General(format!("{n_values} values in a page, expected {left} more"))
        })?;
        match encoding {
            Encoding::PLAIN | Encoding::RLE => Ok(()),
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY if self.has_dictionary => Ok(()),
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY => {
                let problem = "a dictionary is used but there is none";
                Err(ParquetError::General(problem.to_owned()))
            }
            other => Err(ParquetError::NYI(format!(
                "the encoding {other}; plain, dictionary and run-length encoding are read"
            ))),
        }
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.stored.get_next_page()? else {
            return Ok(None);
        };
        match &mut page {
            Page::DictionaryPage {
                buf, num_values, ..
            } => {
                *buf = self.decompress(buf, 0, true)?;
                // The shortest values in dictionaries are halves: 2 bytes.
                let n = u64::from(*num_values);
                if n > buf.len() as u64 / 2 || n > MAX_GROUP_ROWS {
                    let problem = format!("a dictionary of {n} values in {} bytes", buf.len());
                    return Err(ParquetError::General(problem));
                }
                self.has_dictionary = true;
            }
            Page::DataPage {
                buf,
                num_values,
                encoding,
                ..
            } => {
                self.check_data(*num_values, *encoding)?;
                *buf = self.decompress(buf, 0, true)?;
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                self.check_data(*num_values, *encoding)?;
                let n_plain = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                *buf = self.decompress(buf, n_plain as usize, *is_compressed)?;
            }
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.stored.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.stored.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
