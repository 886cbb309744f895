//! A column to a column chunk: dictionary where it saves bytes, plain values
//! otherwise, in pages of about 1 MiB.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::ops::Range;

use zstd::bulk::Compressor;

use super::hybrid;
use super::page::{PLAIN, RLE, RLE_DICTIONARY, data_header, dictionary_header};
use crate::half::f64_to_half;
use crate::model::{Column, Kind, RealType};

/// Sizes at which a page ends and a dictionary is given up: pyarrow's defaults.
const PAGE_BYTES: usize = 1 << 20;
const DICTIONARY_BYTES: usize = 1 << 20;

/// A chunk ready to be written.
#[derive(Debug, Default)]
pub(super) struct Encoded {
    /// Pages with their headers, the dictionary first.
    pub(super) bytes: Vec<u8>,
    /// Length of the dictionary page with its header; 0 without dictionary.
    pub(super) dictionary_len: usize,
    /// Bytes before compression, headers included.
    pub(super) uncompressed_len: usize,
    pub(super) n_data_pages: usize,
}

impl Encoded {
    pub(super) fn encodings(&self) -> &'static [i32] {
        if self.dictionary_len > 0 {
            &[PLAIN as i32, RLE as i32, RLE_DICTIONARY as i32]
        } else {
            &[PLAIN as i32, RLE as i32]
        }
    }
}

/// Why a column cannot be written.
pub(super) type Refused = String;

/// How a file holds categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Categories {
    /// As their codes; -1 is missing.
    Codes,
    /// As their labels, with all levels in order in the dictionary of each row
    /// group; null is missing.
    Labels,
}

/// Encodes a column of the given kind.
pub(super) fn column(
    column: &Column,
    kind: &Kind,
    categories: Categories,
    compressor: &mut Compressor,
) -> Result<Encoded, Refused> {
    match (column, kind) {
        (Column::Category(codes), Kind::Category { levels, .. }) => {
            let n_levels = levels.len() as i64;
            let is_code = |code: &&i32| (-1..n_levels).contains(&i64::from(**code));
            if let Some(code) = codes.iter().find(|code| !is_code(code)) {
                return Err(format!("the code {code} of {n_levels} levels"));
            }
            if categories == Categories::Labels {
                return encode_labels(codes, levels, compressor);
            }
            let words = codes.iter().map(|code| Some(i64::from(*code) as u64));
            encode(words, Words(4), compressor)
        }
        (Column::Integer { values, missing }, Kind::Integer(width)) => {
            let rows = present(values, missing);
            if let Some(value) = rows.clone().flatten().find(|value| !width.holds(*value)) {
                return Err(format!("the value {value} is no {}", width.name()));
            }
            let words = rows.map(|value| value.map(|value| value as u64));
            encode(words, Words(width.bytes().max(4)), compressor)
        }
        (Column::Real(values), Kind::Real(width)) => {
            let words = values.iter().map(|value| real_bits(*value, *width));
            let words: Result<Vec<_>, Refused> = words.collect();
            encode(words?.into_iter(), Words(width.bytes()), compressor)
        }
        (Column::Bool { values, missing }, Kind::Bool) => {
            encode(present(values, missing), Bits, compressor)
        }
        (Column::Text(values), Kind::Text) => {
            let rows = values.iter().map(|value| value.as_deref());
            encode(rows, Texts, compressor)
        }
        _ => Err(format!("its values are not those of {}", kind.describe())),
    }
}

fn present<'a, T: Copy>(
    values: &'a [T],
    missing: &'a Option<Vec<bool>>,
) -> impl Iterator<Item = Option<T>> + Clone + 'a {
    let missing = missing.as_deref().unwrap_or(&[]);
    let missing = missing.iter().copied().chain(std::iter::repeat(false));
    let rows = values.iter().zip(missing);
    rows.map(|(value, is_missing)| (!is_missing).then_some(*value))
}

/// The bits of a real in its width; `None` for NaN, which is missing.
pub(crate) fn real_bits(value: f64, width: RealType) -> Result<Option<u64>, Refused> {
    if value.is_nan() {
        return Ok(None);
    }
    let bits = match width {
        RealType::F64 => Some(value.to_bits()),
        RealType::F32 => {
            let narrow = value as f32;
            (f64::from(narrow) == value).then_some(u64::from(narrow.to_bits()))
        }
        RealType::F16 => f64_to_half(value).map(u64::from),
    };
    bits.map(Some)
        .ok_or_else(|| format!("the value {value} is no {}", width.name()))
}

/// How values are laid out in plain encoding.
trait Layout<V>: Copy {
    /// Hashes values for the dictionary; `None`: there is never one.
    type Hashing: BuildHasher + Default;
    const HAS_DICTIONARY: bool = true;

    /// Bits that a value takes.
    fn bits(self, value: V) -> u64;

    fn push(self, values: &[V], out: &mut Vec<u8>);
}

/// Words of so many bytes.
#[derive(Clone, Copy)]
struct Words(usize);

impl Layout<u64> for Words {
    type Hashing = BuildHasherDefault<WordHasher>;

    fn bits(self, _value: u64) -> u64 {
        8 * self.0 as u64
    }

    fn push(self, values: &[u64], out: &mut Vec<u8>) {
        for value in values {
            out.extend_from_slice(&value.to_le_bytes()[..self.0]);
        }
    }
}

/// A hasher for single words; the standard one costs as much as all the rest.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // Odd, with bits spread evenly; the halves of the product are mixed so
        // that all bits of the word reach the low bits.
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Clone, Copy)]
struct Bits;

impl Layout<bool> for Bits {
    type Hashing = RandomState;
    const HAS_DICTIONARY: bool = false;

    fn bits(self, _value: bool) -> u64 {
        1
    }

    fn push(self, values: &[bool], out: &mut Vec<u8>) {
        for group in values.chunks(8) {
            let bits = group.iter().enumerate();
            out.push(bits.fold(0, |byte, (bit, value)| byte | u8::from(*value) << bit));
        }
    }
}

#[derive(Clone, Copy)]
struct Texts;

impl Layout<&str> for Texts {
    type Hashing = RandomState;

    fn bits(self, value: &str) -> u64 {
        8 * (4 + value.len() as u64)
    }

    fn push(self, values: &[&str], out: &mut Vec<u8>) {
        for value in values {
            // A text of 4 GiB makes its page too long, which is refused there.
            out.extend_from_slice(&(value.len() as u32).to_le_bytes());
            out.extend_from_slice(value.as_bytes());
        }
    }
}

/// The distinct values in order of first appearance, and the index of each.
struct Dictionary<V> {
    values: Vec<V>,
    indices: Vec<u32>,
}

impl<V: Copy + Eq + Hash> Dictionary<V> {
    /// `None` if the dictionary would be too large or save nothing.
    fn make<L: Layout<V>>(values: &[V], layout: L) -> Option<Dictionary<V>> {
        if !L::HAS_DICTIONARY || values.is_empty() {
            return None;
        }
        let mut known: HashMap<V, u32, L::Hashing> = HashMap::default();
        let mut distinct = Vec::new();
        let mut indices = Vec::with_capacity(values.len());
        let mut dictionary_bits = 0u64;
        let mut plain_bits = 0u64;
        for &value in values {
            plain_bits = plain_bits.saturating_add(layout.bits(value));
            let next = u32::try_from(distinct.len()).ok()?;
            let idx = *known.entry(value).or_insert_with(|| {
                dictionary_bits = dictionary_bits.saturating_add(layout.bits(value));
                distinct.push(value);
                next
            });
            if dictionary_bits > 8 * DICTIONARY_BYTES as u64 {
                return None;
            }
            indices.push(idx);
        }
        let dictionary = Dictionary {
            values: distinct,
            indices,
        };
        let indices_bits = u64::from(dictionary.width()) * values.len() as u64;
        (dictionary_bits + indices_bits < plain_bits).then_some(dictionary)
    }

    /// Bits of an index; 1 for a single value, as not all readers take 0.
    fn width(&self) -> u32 {
        hybrid::width_for(self.values.len().saturating_sub(1) as u32).max(1)
    }
}

fn encode<V: Copy + Eq + Hash, L: Layout<V>>(
    rows: impl Iterator<Item = Option<V>>,
    layout: L,
    compressor: &mut Compressor,
) -> Result<Encoded, Refused> {
    let mut levels = Vec::new();
    let mut values = Vec::new();
    for row in rows {
        levels.push(u32::from(row.is_some()));
        values.extend(row);
    }
    let dictionary = Dictionary::make(&values, layout);
    encode_chunk(&levels, &values, dictionary, layout, compressor)
}

fn encode_labels(
    codes: &[i32],
    labels: &[String],
    compressor: &mut Compressor,
) -> Result<Encoded, Refused> {
    let levels: Vec<u32> = codes.iter().map(|code| u32::from(*code >= 0)).collect();
    let indices: Vec<u32> = codes
        .iter()
        .filter_map(|code| u32::try_from(*code).ok())
        .collect();
    let values: Vec<&str> = indices
        .iter()
        .map(|idx| labels[*idx as usize].as_str())
        .collect();
    let dictionary = Dictionary {
        values: labels.iter().map(String::as_str).collect(),
        indices,
    };
    let dictionary = (!labels.is_empty()).then_some(dictionary);
    encode_chunk(&levels, &values, dictionary, Texts, compressor)
}

fn encode_chunk<V: Copy + Eq + Hash, L: Layout<V>>(
    levels: &[u32],
    values: &[V],
    dictionary: Option<Dictionary<V>>,
    layout: L,
    compressor: &mut Compressor,
) -> Result<Encoded, Refused> {
    let mut encoded = Encoded::default();
    if let Some(dictionary) = &dictionary {
        let mut page = Vec::new();
        layout.push(&dictionary.values, &mut page);
        let n = length(dictionary.values.len())?;
        encoded.push(&page, compressor, |size, compressed| {
            dictionary_header(size, compressed, n)
        })?;
        encoded.dictionary_len = encoded.bytes.len();
    }

    let mut at = 0;
    for page in pages(levels, values, layout, dictionary.as_ref()) {
        let levels = &levels[page];
        let n_values = levels.iter().filter(|level| **level == 1).count();
        let values_range = at..at + n_values;
        at += n_values;

        let mut bytes = vec![0; 4];
        hybrid::encode(levels, 1, &mut bytes);
        let levels_len = length(bytes.len() - 4)?;
        bytes[..4].copy_from_slice(&levels_len.to_le_bytes());
        let encoding = if let Some(dictionary) = &dictionary {
            bytes.push(dictionary.width() as u8);
            let indices = &dictionary.indices[values_range];
            hybrid::encode(indices, dictionary.width(), &mut bytes);
            RLE_DICTIONARY
        } else {
            layout.push(&values[values_range], &mut bytes);
            PLAIN
        };
        let n = length(levels.len())?;
        encoded.push(&bytes, compressor, |size, compressed| {
            data_header(size, compressed, n, encoding)
        })?;
        encoded.n_data_pages += 1;
    }
    Ok(encoded)
}

/// Cuts rows into pages; there is always one, also without rows.
fn pages<V: Copy + Eq + Hash, L: Layout<V>>(
    levels: &[u32],
    values: &[V],
    layout: L,
    dictionary: Option<&Dictionary<V>>,
) -> Vec<Range<usize>> {
    let index_bits = dictionary.map(|dictionary| u64::from(dictionary.width()));
    let mut values = values.iter();
    let mut pages = Vec::new();
    let mut start = 0;
    let mut bits = 0u64;
    for (row, level) in levels.iter().enumerate() {
        bits += 1;
        if *level == 1 {
            let value_bits = values.next().map_or(0, |value| layout.bits(*value));
            bits = bits.saturating_add(index_bits.unwrap_or(value_bits));
        }
        if bits >= 8 * PAGE_BYTES as u64 {
            pages.push(start..row + 1);
            start = row + 1;
            bits = 0;
        }
    }
    if start < levels.len() || pages.is_empty() {
        pages.push(start..levels.len());
    }
    pages
}

impl Encoded {
    fn push(
        &mut self,
        page: &[u8],
        compressor: &mut Compressor,
        header: impl FnOnce(i32, i32) -> Vec<u8>,
    ) -> Result<(), Refused> {
        let compressed = compressor
            .compress(page)
            .map_err(|error| format!("zstd: {error}"))?;
        let header = header(length(page.len())?, length(compressed.len())?);
        self.uncompressed_len += header.len() + page.len();
        self.bytes.extend_from_slice(&header);
        self.bytes.extend_from_slice(&compressed);
        Ok(())
    }
}

/// A length or number as parquet's pages hold it.
fn length(n: usize) -> Result<i32, Refused> {
    i32::try_from(n).map_err(|_| format!("{n} bytes or rows in a page, which holds 2^31-1"))
}
