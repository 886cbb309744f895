//! Streams of numbers: read and written apart from the code under test, and
//! damaged.

use pco::data_types::Number;
use pco::wrapped::{FileCompressor, FileDecompressor};
use pco::{ChunkConfig, DeltaSpec, ModeSpec};

use crate::random::Random;

/// What a stream's numbers are.
#[derive(Clone, Copy)]
pub enum Kind {
    U32,
    U64,
    F32,
    F64,
}

impl Kind {
    pub fn width(self) -> usize {
        match self {
            Kind::U32 | Kind::F32 => 4,
            Kind::U64 | Kind::F64 => 8,
        }
    }
}

/// The bits of a sound stream's numbers; `None` for one that is not.
pub fn numbers(stream: &[u8], n: usize, kind: Kind) -> Option<Vec<u64>> {
    let (&coding, rest) = match stream.split_first() {
        Some(split) if n > 0 && n < 1 << 20 => split,
        _ => return (n == 0).then(Vec::new),
    };
    match coding {
        0 => {
            let mut bits = [0; 8];
            bits.get_mut(..rest.len())?.copy_from_slice(rest);
            Some(vec![u64::from_le_bytes(bits); n])
        }
        1 => {
            let (&n_planes, frame) = rest.split_first()?;
            let bytes = zstd::bulk::decompress(frame, usize::from(n_planes) * n).ok()?;
            let number = |at: usize| {
                let bytes = bytes.iter().skip(at).step_by(n).take(8).enumerate();
                bytes.fold(0, |bits, (plane, &byte)| {
                    bits | u64::from(byte) << (8 * plane)
                })
            };
            Some((0..n).map(number).collect())
        }
        _ => match kind {
            Kind::U32 => unpco::<u32>(rest, n, u64::from),
            Kind::U64 => unpco::<u64>(rest, n, |number| number),
            Kind::F32 => unpco::<f32>(rest, n, |number| number.to_bits().into()),
            Kind::F64 => unpco::<f64>(rest, n, f64::to_bits),
        },
    }
}

fn unpco<T: Number>(stream: &[u8], n: usize, bits: impl Fn(T) -> u64) -> Option<Vec<u64>> {
    let (file, rest) = FileDecompressor::new(stream).ok()?;
    let (mut chunk, rest) = file.chunk_decompressor::<T, _>(rest).ok()?;
    let mut page = chunk.page_decompressor(rest, n).ok()?;
    let mut numbers = vec![T::default(); n];
    page.read(&mut numbers).ok()?;
    Some(numbers.into_iter().map(bits).collect())
}

pub fn constant(number: u64, width: usize) -> Vec<u8> {
    let mut stream = vec![0];
    stream.extend_from_slice(&number.to_le_bytes()[..width]);
    stream
}

/// Byte planes of numbers; `damage` may change them before they are compressed.
pub fn planes(numbers: &[u64], n_planes: u8, damage: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    for plane in 0..n_planes {
        bytes.extend(
            numbers
                .iter()
                .map(|number| (number >> (8 * plane).min(56)) as u8),
        );
    }
    damage(&mut bytes);
    let mut stream = vec![1, n_planes];
    stream.extend(zstd::bulk::compress(&bytes, 1).unwrap());
    stream
}

/// By pco, in any way that it has; `None` if it refuses.
pub fn pco(numbers: &[u64], kind: Kind, config: &ChunkConfig) -> Option<Vec<u8>> {
    let numbers = numbers.iter().copied();
    match kind {
        Kind::U32 => of_pco(numbers.map(|bits| bits as u32), config),
        Kind::U64 => of_pco(numbers, config),
        Kind::F32 => of_pco(numbers.map(|bits| f32::from_bits(bits as u32)), config),
        Kind::F64 => of_pco(numbers.map(f64::from_bits), config),
    }
}

fn of_pco<T: Number>(numbers: impl Iterator<Item = T>, config: &ChunkConfig) -> Option<Vec<u8>> {
    let numbers: Vec<T> = numbers.collect();
    let mut stream = vec![2];
    let file = FileCompressor::default();
    file.write_header(&mut stream).ok()?;
    let mut chunk = file.chunk_compressor(&numbers, config).ok()?;
    chunk.write_meta(&mut stream).ok()?;
    chunk.write_page(0, &mut stream).ok()?;
    Some(stream)
}

fn any_config(random: &mut Random) -> ChunkConfig {
    let mode = match random.below(6) {
        0 => ModeSpec::Classic,
        1 => ModeSpec::TryFloatMult(0.1),
        2 => ModeSpec::TryFloatQuant(random.below(20) as u32),
        3 => ModeSpec::TryIntMult(1 + random.below(300) as u64),
        4 => ModeSpec::TryDict,
        _ => ModeSpec::Auto,
    };
    let delta = match random.below(6) {
        0 => DeltaSpec::NoOp,
        1 | 2 => DeltaSpec::TryConsecutive(random.below(8)),
        3 => DeltaSpec::TryLookback,
        // With more weights, pco fails to write some lengths.
        4 => DeltaSpec::TryConv1(1),
        _ => DeltaSpec::Auto,
    };
    ChunkConfig::default()
        .with_compression_level(random.below(9))
        .with_mode_spec(mode)
        .with_delta_spec(delta)
}

/// Damages the stream of `n` numbers.
pub fn mutate(random: &mut Random, stream: &mut Vec<u8>, n: usize, kind: Kind) {
    if random.once_in(3) {
        return random.damage(stream);
    }
    let Some(mut numbers) = numbers(stream, n, kind).filter(|_| n > 0) else {
        return random.damage(stream);
    };
    change_numbers(random, &mut numbers);
    let width = kind.width();
    *stream = match random.below(8) {
        0 => constant(numbers[0], width),
        1 => planes(&numbers, random.below(width + 2) as u8, |_| ()),
        2 => planes(&numbers, width as u8, |bytes| random.damage(bytes)),
        3 | 4 => {
            let config = any_config(random);
            pco(&numbers, kind, &config)
                .map(|mut stream| {
                    if random.once_in(2) {
                        random.damage(&mut stream);
                    }
                    stream
                })
                .unwrap_or_default()
        }
        _ => planes(&numbers, width as u8, |_| ()),
    };
}

fn change_numbers(random: &mut Random, numbers: &mut Vec<u64>) {
    for _ in 0..random.below(4) {
        let [a, b] = [(); 2].map(|()| random.below(numbers.len()));
        match random.below(8) {
            0 => numbers.swap(a, b),
            // Their sum stays.
            1..4 => {
                let some = 1 + random.below(3) as u64;
                numbers[a] = numbers[a].wrapping_add(some);
                numbers[b] = numbers[b].wrapping_sub(some);
            }
            4 => {
                let value = numbers[a];
                numbers.fill(value);
            }
            _ => numbers[a] = random.number(numbers[a]),
        }
    }
    // Seldom one more or less.
    if random.once_in(16) {
        let last = numbers[numbers.len() - 1];
        numbers.push(last);
    } else if random.once_in(16) && numbers.len() > 1 {
        numbers.pop();
    }
}
