//! Undoing a chunk's filters: deflate (1), shuffle (2), Fletcher-32 (3), LZF
//! (32000) and zstd (32015) here, szip (4), n-bit (5) and scale-offset (6) by
//! `hdf5-reader`. Numbers from the HDF Group's list of registered filters,
//! <https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md>.

use hdf5_reader::FilterRegistry;
use hdf5_reader::messages::filter_pipeline::FilterDescription;
use libdeflater::Decompressor;

use super::lzf;

const DEFLATE: u16 = 1;
const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;
const SZIP: u16 = 4;
const N_BIT: u16 = 5;
const SCALE_OFFSET: u16 = 6;
const LZF: u16 = 32000;
const ZSTD: u16 = 32015;

/// Bytes of the checksum at the end of a chunk.
const CHECKSUM_LEN: usize = 4;

/// A dataset's filters, in the order in which they were applied.
#[derive(Debug, Default)]
pub(super) struct Pipeline {
    filters: Vec<FilterDescription>,
}

/// Buffers that are used again from chunk to chunk.
#[derive(Default)]
pub(super) struct FilterScratch {
    input: Vec<u8>,
    inflater: Option<Decompressor>,
}

impl Pipeline {
    /// The filters, or the name of one that is not known.
    pub(super) fn new(filters: Vec<FilterDescription>) -> Result<Pipeline, String> {
        for filter in &filters {
            if !matches!(
                filter.id,
                DEFLATE | SHUFFLE | FLETCHER32 | SZIP | N_BIT | SCALE_OFFSET | LZF | ZSTD
            ) {
                return Err(format!(
                    "it is compressed with {}; write it again with gzip, lzf or zstd",
                    filter_name(filter)
                ));
            }
        }
        Ok(Pipeline { filters })
    }

    /// Whether chunks are stored as they are.
    pub(super) fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }

    /// How many times a chunk can be larger than its stored bytes.
    pub(super) fn max_expansion(&self) -> u64 {
        self.filters
            .iter()
            .map(|filter| match filter.id {
                SHUFFLE | FLETCHER32 => 1,
                DEFLATE | LZF => super::MAX_EXPANSION,
                _ => super::MAX_EXPANSION_OTHER,
            })
            .max()
            .unwrap_or(1)
    }

    /// Decodes `stored` into all of `out`. Bit i of `mask` says that filter i
    /// was left out for this chunk.
    pub(super) fn decode(
        &self,
        stored: &[u8],
        mask: u32,
        element_size: usize,
        scratch: &mut FilterScratch,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let applied: Vec<&FilterDescription> = (0u32..)
            .zip(&self.filters)
            .filter(|(bit, _)| mask.checked_shr(*bit).unwrap_or(0) & 1 == 0)
            .map(|(_, filter)| filter)
            .collect();
        let n_out = out.len();
        let mut n_checksums = applied
            .iter()
            .filter(|filter| filter.id == FLETCHER32)
            .count();
        let mut first = true;
        for filter in applied.iter().rev() {
            if filter.id == FLETCHER32 {
                n_checksums -= 1;
            }
            let n_next = n_out + CHECKSUM_LEN * n_checksums;
            if first {
                first = false;
                undo(
                    filter,
                    stored,
                    n_next,
                    element_size,
                    &mut scratch.inflater,
                    out,
                )?;
            } else {
                std::mem::swap(&mut scratch.input, out);
                let input = std::mem::take(&mut scratch.input);
                let done = undo(
                    filter,
                    &input,
                    n_next,
                    element_size,
                    &mut scratch.inflater,
                    out,
                );
                scratch.input = input;
                done?;
            }
        }
        if first {
            same_len(stored.len(), n_out)?;
            out.copy_from_slice(stored);
        }
        same_len(out.len(), n_out)
    }
}

fn filter_name(filter: &FilterDescription) -> String {
    let known = match filter.id {
        307 => "bzip2",
        32001 => "blosc",
        32004 => "lz4",
        32008 => "bitshuffle",
        32013 => "zfp",
        32026 => "blosc2",
        _ => return format!("the unknown filter {}", filter.id),
    };
    known.to_owned()
}

fn wrong_len(got: usize, expected: usize) -> String {
    format!("a chunk of {got} bytes where {expected} were expected")
}

fn undo(
    filter: &FilterDescription,
    input: &[u8],
    n_out: usize,
    element_size: usize,
    inflater: &mut Option<Decompressor>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    // What the filter gives: shuffling keeps the length, a checksum takes 4 bytes
    // off whatever it covers, compression hides a known length. Stale bytes need
    // no clearing: each filter fills `out` or fails.
    let n_out = match filter.id {
        SHUFFLE => input.len(),
        FLETCHER32 => input.len().saturating_sub(CHECKSUM_LEN),
        _ => n_out,
    };
    out.resize(n_out, 0);
    match filter.id {
        DEFLATE => {
            let inflater = inflater.get_or_insert_with(Decompressor::new);
            let n = inflater
                .zlib_decompress(input, out)
                .map_err(|_| "a damaged deflate stream".to_owned())?;
            same_len(n, n_out)
        }
        SHUFFLE => {
            let width = filter
                .client_data
                .first()
                .map_or(element_size, |&n| n as usize);
            unshuffle(input, width, out);
            Ok(())
        }
        FLETCHER32 => {
            let (data, sum) = input
                .split_last_chunk::<CHECKSUM_LEN>()
                .ok_or_else(|| wrong_len(input.len(), CHECKSUM_LEN))?;
            let expected = u32::from_le_bytes(*sum);
            let actual = fletcher32(data);
            if actual != expected {
                return Err(format!(
                    "the checksum is {actual:08x}, {expected:08x} was stored"
                ));
            }
            out.copy_from_slice(data);
            Ok(())
        }
        LZF => lzf::inflate(input, out).map_err(str::to_owned),
        ZSTD => {
            let n = zstd::bulk::decompress_to_buffer(input, out.as_mut_slice())
                .map_err(|error| format!("a damaged zstd stream: {error}"))?;
            same_len(n, n_out)
        }
        _ => {
            let bytes = FilterRegistry::new()
                .apply_with_limit(filter, input, element_size, Some(n_out))
                .map_err(|error| error.to_string())?;
            same_len(bytes.len(), n_out)?;
            out.copy_from_slice(&bytes);
            Ok(())
        }
    }
}

fn same_len(got: usize, expected: usize) -> Result<(), String> {
    if got == expected {
        Ok(())
    } else {
        Err(wrong_len(got, expected))
    }
}

/// Byte b of element i is at b * n + i; bytes behind the last whole element
/// stay where they are. `input` and `out` are equally long.
fn unshuffle(input: &[u8], width: usize, out: &mut [u8]) {
    fn planes<const WIDTH: usize>(input: &[u8], out: &mut [u8]) {
        let n = input.len() / WIDTH;
        let planes: [&[u8]; WIDTH] =
            std::array::from_fn(|b| input.get(b * n..(b + 1) * n).unwrap_or_default());
        let (elements, _) = out.as_chunks_mut::<WIDTH>();
        for (i, element) in elements.iter_mut().enumerate() {
            for (byte, plane) in element.iter_mut().zip(planes) {
                *byte = plane.get(i).copied().unwrap_or_default();
            }
        }
    }
    match width {
        0 | 1 => return out.copy_from_slice(input),
        2 => planes::<2>(input, out),
        4 => planes::<4>(input, out),
        8 => planes::<8>(input, out),
        width => {
            let n = input.len() / width;
            for (i, element) in out.chunks_exact_mut(width).enumerate() {
                for (b, byte) in element.iter_mut().enumerate() {
                    *byte = input.get(b * n + i).copied().unwrap_or_default();
                }
            }
        }
    }
    let whole = input.len() / width * width;
    if let (Some(from), Some(to)) = (input.get(whole..), out.get_mut(whole..)) {
        to.copy_from_slice(from);
    }
}

/// Fletcher's checksum over big-endian 16-bit words, an odd last byte counting
/// as the high half of a word, sums reduced modulo 65535 (with 65535 for 0 once
/// anything but zeros was added), as HDF5 stores it.
fn fletcher32(data: &[u8]) -> u32 {
    let (mut first, mut second) = (0u32, 0u32);
    let fold = |sum: u32| (sum & 0xffff) + (sum >> 16);
    // 360 words are the most for which neither sum can overflow.
    for block in data.chunks(2 * 360) {
        let (words, last) = block.as_chunks::<2>();
        for &word in words {
            first += u32::from(u16::from_be_bytes(word));
            second += first;
        }
        if let Some(&byte) = last.first() {
            first += u32::from(byte) << 8;
            second += first;
        }
        (first, second) = (fold(first), fold(second));
    }
    fold(second) << 16 | fold(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(id: u16, client_data: &[u32]) -> FilterDescription {
        FilterDescription {
            id,
            name: None,
            client_data: client_data.to_vec(),
        }
    }

    #[test]
    fn shuffle_of_all_widths() {
        for width in [1usize, 2, 3, 4, 8] {
            let plain: Vec<u8> = (0..width as u8 * 5 + 2).collect();
            let n = plain.len() / width;
            let mut stored = plain.clone();
            for i in 0..n {
                for b in 0..width {
                    stored[b * n + i] = plain[i * width + b];
                }
            }
            let mut out = vec![0; plain.len()];
            unshuffle(&stored, width, &mut out);
            assert_eq!(out, plain, "width {width}");
        }
    }

    #[test]
    fn checksums_are_verified_and_stripped() {
        let pipeline = Pipeline::new(vec![filter(SHUFFLE, &[2]), filter(FLETCHER32, &[])]).unwrap();
        let mut stored = vec![1, 3, 2, 4];
        let sum = fletcher32(&stored);
        stored.extend(sum.to_le_bytes());
        let mut out = vec![0; 4];
        let mut scratch = FilterScratch::default();
        pipeline
            .decode(&stored, 0, 2, &mut scratch, &mut out)
            .unwrap();
        assert_eq!(out, [1, 2, 3, 4]);
        // both filters masked out
        out.resize(4, 0);
        pipeline
            .decode(&[9, 8, 7, 6], 3, 2, &mut scratch, &mut out)
            .unwrap();
        assert_eq!(out, [9, 8, 7, 6]);
        stored[0] = 5;
        out.resize(4, 0);
        assert!(
            pipeline
                .decode(&stored, 0, 2, &mut scratch, &mut out)
                .is_err()
        );
        out.resize(4, 0);
        assert!(pipeline.decode(&[1], 0, 2, &mut scratch, &mut out).is_err());
    }

    #[test]
    fn names_what_it_cannot_undo() {
        let problem = Pipeline::new(vec![filter(32001, &[])]).unwrap_err();
        assert!(problem.contains("blosc"), "{problem}");
    }
}
