//! Streams of numbers, each coded the way that makes it smallest:
//!
//! | first byte | the rest |
//! |---|---|
//! | 0 | one number, which all of the stream are |
//! | 1 | how many byte planes, then a zstd frame of them, the lowest bytes first; bytes above are 0 |
//! | 2 | pco, in parts of [`PART_LEN`] numbers |
//!
//! A stream of no numbers has no bytes. How many numbers there are is for the
//! reader to know.

use std::path::Path;

use axtile_core::{Error, Result};
use pco::data_types::Number;
use pco::errors::PcoError;
use pco::metadata::DeltaEncoding;
use pco::wrapped::{FileCompressor, FileDecompressor};
use pco::{ChunkConfig, DeltaSpec, ModeSpec, PagingSpec};

use crate::error::{TileError, TileResult};

const CONSTANT: u8 = 0;
const PLANES: u8 = 1;
const PCO: u8 = 2;
/// pco codes no more numbers at once than 2^24.
const PART_LEN: usize = 1 << 20;
/// The mode of pco's chunks that have a dictionary.
const PCO_DICTIONARY: u32 = 4;
/// The shortest window that pco looks back in.
const MIN_PCO_WINDOW: usize = 16;
/// The level of zstd.
const ZSTD_LEVEL: i32 = 19;
/// zstd is tried at that level if this share of what it makes at level 1 is less
/// than what pco makes.
const ZSTD_GAIN: f64 = 0.9;
/// Numbers that are looked at to tell whether most are different.
const N_LOOKED_AT: usize = 1 << 16;

/// A number that streams are made of.
pub(crate) trait Element: Number + Copy + Default {
    /// Its size in bytes.
    const WIDTH: usize;
    /// Whether it is a floating-point number.
    const IS_FLOAT: bool;
    /// Its bits, in the low ones.
    fn bits(self) -> u64;
    /// The number with these bits; higher ones are ignored.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! element {
    ($type:ty, $bits:ty, $is_float:expr, $to:expr, $from:expr) => {
        impl Element for $type {
            const WIDTH: usize = size_of::<$type>();
            const IS_FLOAT: bool = $is_float;

            #[inline(always)]
            fn bits(self) -> u64 {
                let to: fn($type) -> $bits = $to;
                to(self).into()
            }

            #[inline(always)]
            fn from_bits(bits: u64) -> $type {
                let from: fn($bits) -> $type = $from;
                from(bits as $bits)
            }
        }
    };
}

element!(u32, u32, false, |number| number, |bits| bits);
element!(u64, u64, false, |number| number, |bits| bits);
element!(f32, u32, true, f32::to_bits, f32::from_bits);
element!(f64, u64, true, f64::to_bits, f64::from_bits);

/// Codes a stream.
///
/// # Errors
/// `Error::Limit` if a compressor fails.
pub(crate) fn encode<T: Element>(numbers: &[T]) -> Result<Vec<u8>> {
    let Some(first) = numbers.first() else {
        return Ok(Vec::new());
    };
    if numbers.iter().all(|number| number.bits() == first.bits()) {
        let mut stream = vec![CONSTANT];
        stream.extend_from_slice(&first.bits().to_le_bytes()[..T::WIDTH]);
        return Ok(stream);
    }
    let mut stream = pco(numbers, &ChunkConfig::default())?;
    if T::IS_FLOAT && repeats(numbers) {
        let dictionary = ChunkConfig::default()
            .with_delta_spec(DeltaSpec::NoOp)
            .with_mode_spec(ModeSpec::TryDict);
        shortest(&mut stream, pco(numbers, &dictionary)?);
    }
    let quick = planes(numbers, 1)?;
    if (quick.len() as f64) * ZSTD_GAIN < stream.len() as f64 {
        shortest(&mut stream, planes(numbers, ZSTD_LEVEL)?);
    }
    Ok(stream)
}

/// Whether no more than half of some of the numbers are different.
fn repeats<T: Element>(numbers: &[T]) -> bool {
    let step = numbers.len().div_ceil(N_LOOKED_AT);
    let mut some: Vec<u64> = numbers
        .iter()
        .step_by(step)
        .map(|number| number.bits())
        .collect();
    let n = some.len();
    some.sort_unstable();
    some.dedup();
    some.len() <= n / 2
}

fn shortest(stream: &mut Vec<u8>, other: Vec<u8>) {
    if other.len() < stream.len() {
        *stream = other;
    }
}

fn failed(problem: impl ToString) -> Error {
    Error::limit(Path::new(""), problem.to_string())
}

fn pco<T: Element>(numbers: &[T], config: &ChunkConfig) -> Result<Vec<u8>> {
    let config = config
        .clone()
        .with_paging_spec(PagingSpec::EqualPagesUpTo(PART_LEN));
    let mut stream = vec![PCO];
    let file = FileCompressor::default();
    file.write_header(&mut stream).map_err(failed)?;
    for part in numbers.chunks(PART_LEN) {
        let mut chunk = file.chunk_compressor(part, &config).map_err(failed)?;
        chunk.write_meta(&mut stream).map_err(failed)?;
        chunk.write_page(0, &mut stream).map_err(failed)?;
    }
    Ok(stream)
}

fn planes<T: Element>(numbers: &[T], level: i32) -> Result<Vec<u8>> {
    let all = numbers.iter().fold(0, |all, number| all | number.bits());
    let n_planes = (u64::BITS - all.leading_zeros()).div_ceil(8) as usize;
    let bytes: Vec<u8> = (0..n_planes)
        .flat_map(|plane| {
            numbers
                .iter()
                .map(move |number| (number.bits() >> (8 * plane)) as u8)
        })
        .collect();
    let mut stream = vec![PLANES, n_planes as u8];
    stream.extend(zstd::bulk::compress(&bytes, level).map_err(failed)?);
    Ok(stream)
}

/// Decodes a stream of exactly as many numbers as `out` has places. `planes` is
/// room that may be used again; errors speak of `place`.
///
/// # Errors
/// `TileError` if the stream is not one of so many numbers.
pub(crate) fn decode<T: Element>(
    stream: &[u8],
    out: &mut [T],
    planes: &mut Vec<u8>,
    place: &str,
) -> TileResult<()> {
    let wrong = |problem: String| TileError::corrupt(place, problem);
    let Some((&kind, rest)) = stream.split_first() else {
        if out.is_empty() {
            return Ok(());
        }
        return Err(wrong(format!("no bytes for {} numbers", out.len())));
    };
    if out.is_empty() {
        return Err(wrong(format!("{} bytes, but no numbers", stream.len())));
    }
    match kind {
        CONSTANT => {
            if rest.len() != T::WIDTH {
                return Err(wrong("a constant of another width".into()));
            }
            let mut bits = [0; 8];
            bits[..T::WIDTH].copy_from_slice(rest);
            out.fill(T::from_bits(u64::from_le_bytes(bits)));
            Ok(())
        }
        PLANES => decode_planes(rest, out, planes, place),
        PCO => decode_pco(rest, out, place),
        _ => Err(wrong(format!("an unknown coding {kind}"))),
    }
}

fn decode_pco<T: Element>(stream: &[u8], out: &mut [T], place: &str) -> TileResult<()> {
    let wrong = |problem: String| TileError::corrupt(place, problem);
    let failed = |problem: PcoError| TileError::corrupt(place, problem.to_string());
    let (file, mut rest) = FileDecompressor::new(stream).map_err(failed)?;
    for part in out.chunks_mut(PART_LEN) {
        let n = part.len();
        let n_words = dictionary_len(rest);
        if n_words > n || n_words > rest.len() / T::WIDTH {
            return Err(wrong(format!("a dictionary of {n_words} numbers for {n}")));
        }
        let (mut chunk, after) = file.chunk_decompressor::<T, _>(rest).map_err(failed)?;
        match chunk.meta().delta_encoding {
            // Never written, and the least tried of pco's encodings.
            DeltaEncoding::Conv1(_) => return Err(wrong("a convolution of pco's".into())),
            DeltaEncoding::Lookback { config, .. } if 1 << config.window_n_log > max_window(n) => {
                return Err(wrong(format!(
                    "it looks back 2^{} numbers, there are {n}",
                    config.window_n_log
                )));
            }
            _ => {}
        }
        let mut page = chunk.page_decompressor(after, n).map_err(failed)?;
        let progress = page.read(part).map_err(failed)?;
        if progress.n_processed != n || !progress.finished {
            return Err(wrong(format!(
                "{} numbers, expected {n}",
                progress.n_processed
            )));
        }
        rest = page.into_src();
    }
    if rest.is_empty() {
        return Ok(());
    }
    Err(wrong(format!("{} bytes too many", rest.len())))
}

/// How many numbers pco makes room for before it looks whether they are there:
/// behind four bits of a chunk's mode, the 25 bits of the dictionary's size.
fn dictionary_len(chunk: &[u8]) -> usize {
    let head = chunk
        .first_chunk()
        .map_or(0, |&head| u32::from_le_bytes(head));
    match head & 0xf {
        PCO_DICTIONARY => (head >> 4 & 0x1ff_ffff) as usize,
        _ => 0,
    }
}

/// How far pco may look back, since it makes room for that: a power of two not
/// below `n` is what it writes, or this.
fn max_window(n: usize) -> usize {
    n.next_power_of_two().max(MIN_PCO_WINDOW)
}

fn decode_planes<T: Element>(
    stream: &[u8],
    out: &mut [T],
    planes: &mut Vec<u8>,
    place: &str,
) -> TileResult<()> {
    let wrong = |problem: String| TileError::corrupt(place, problem);
    let Some((&n_planes, frame)) = stream.split_first() else {
        return Err(wrong("it ends early".into()));
    };
    let n_planes = usize::from(n_planes);
    if n_planes == 0 || n_planes > T::WIDTH {
        return Err(wrong(format!("{n_planes} byte planes")));
    }
    let n = out.len();
    let planes = room(planes, n_planes * n, place)?;
    let written = zstd::bulk::decompress_to_buffer(frame, planes)
        .map_err(|problem| wrong(problem.to_string()))?;
    if written != n_planes * n {
        return Err(wrong(format!("{written} bytes, expected {}", n_planes * n)));
    }
    out.fill(T::from_bits(0));
    for (idx, plane) in planes.chunks_exact(n).enumerate() {
        for (number, &byte) in out.iter_mut().zip(plane) {
            *number = T::from_bits(number.bits() | u64::from(byte) << (8 * idx));
        }
    }
    Ok(())
}

/// The first `len` elements of a buffer that grows as needed.
pub(crate) fn room<'a, T: Copy + Default>(
    buffer: &'a mut Vec<T>,
    len: usize,
    place: &str,
) -> TileResult<&'a mut [T]> {
    if let Some(more) = len.checked_sub(buffer.len()) {
        buffer
            .try_reserve_exact(more)
            .map_err(|_| TileError::Memory {
                place: place.into(),
                n_bytes: len.saturating_mul(size_of::<T>()),
            })?;
        buffer.resize(len, T::default());
    }
    Ok(&mut buffer[..len])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip<T: Element>(numbers: &[T]) {
        let stream = encode(numbers).unwrap();
        let mut out = vec![T::default(); numbers.len()];
        decode(&stream, &mut out, &mut Vec::new(), "x").unwrap();
        assert!(numbers.iter().zip(&out).all(|(a, b)| a.bits() == b.bits()));
        for len in 0..stream.len() {
            assert!(decode(&stream[..len], &mut out, &mut Vec::new(), "x").is_err());
        }
        let mut longer = stream.clone();
        longer.push(0);
        assert!(decode(&longer, &mut out, &mut Vec::new(), "x").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn any_bits_come_back(
            bits in prop::collection::vec(prop_oneof![0u64..3, any::<u64>()], 0..120),
        ) {
            round_trip(&bits);
            round_trip(&bits.iter().map(|&bits| bits as u32).collect::<Vec<u32>>());
            round_trip(&bits.iter().map(|&bits| f64::from_bits(bits)).collect::<Vec<f64>>());
            let floats: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
            round_trip(&floats);
        }
    }

    /// Values that compressors of floats treat in ways of their own.
    #[test]
    fn floats_of_every_kind() {
        let special = [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::from_bits(0x7ff0_0000_0000_0001),
            f64::from_bits(0xfff8_1234_5678_9abc),
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            -f64::from_bits(7),
            f64::MAX,
        ];
        // Multiples of one number, small integers and numbers of 32 bits.
        for step in [0.1, 1.0, 1.0 / 3.0, f64::from(0.1f32)] {
            let mut numbers: Vec<f64> = (0..3_000).map(|i| f64::from(i % 700) * step).collect();
            numbers.extend(special);
            round_trip(&numbers[numbers.len() - 40..]);
            let stream = encode(&numbers).unwrap();
            let mut out = vec![0.0; numbers.len()];
            decode(&stream, &mut out, &mut Vec::new(), "x").unwrap();
            assert!(numbers.iter().zip(&out).all(|(a, b)| a.bits() == b.bits()));
        }
    }

    #[test]
    fn a_stream_that_repeats_itself_is_short() {
        let numbers: Vec<u32> = (0..200_000u32)
            .map(|i| (i % 1_000).wrapping_mul(2_654_435_761) >> 8)
            .collect();
        assert!(encode(&numbers).unwrap().len() < 10_000);
        let constant = encode(&[7u32; 1_000]).unwrap();
        assert_eq!(constant, [CONSTANT, 7, 0, 0, 0]);
    }
}
