//! A column chunk to a column: pages, definition levels, dictionary.

use super::footer::{Chunk, Leaf};
use super::hybrid;
use super::page::{PLAIN, PLAIN_DICTIONARY, Page, PageKind, RLE, RLE_DICTIONARY};
use super::plain::{Bits, Integers, MAX_TEXT_BYTES, Plain, Reals, Texts};
use super::stored::Stored;
use crate::damage::{Damage, Parsed};
use crate::model::Column;

/// Decodes a chunk with the type it is stored in: codes of categories come as
/// integers.
pub(super) fn column(bytes: &[u8], leaf: &Leaf, chunk: &Chunk) -> Parsed<Column> {
    Ok(match &leaf.stored {
        Stored::Bool => {
            let decoded = Decoder::new(Bits, leaf, chunk).decode(bytes)?;
            let (values, missing) = decoded.with_missing(false);
            Column::Bool { values, missing }
        }
        Stored::Integer(width) => {
            let decoded = Decoder::new(Integers(*width), leaf, chunk).decode(bytes)?;
            let (values, missing) = decoded.with_missing(0);
            Column::Integer { values, missing }
        }
        Stored::Real(width) => {
            let decoded = Decoder::new(Reals(*width), leaf, chunk).decode(bytes)?;
            Column::Real(decoded.with_missing(f64::NAN).0)
        }
        Stored::Text => {
            let decoded = Decoder::new(Texts, leaf, chunk).decode(bytes)?;
            Column::Text(decoded.into_options())
        }
        Stored::Other(what) => return Err(Damage::unsupported(format!("the type {what}"))),
    })
}

/// The texts of a chunk's dictionary page, if it starts with one.
pub(super) fn dictionary(bytes: &[u8], leaf: &Leaf, chunk: &Chunk) -> Parsed<Option<Vec<String>>> {
    if leaf.stored != Stored::Text || bytes.is_empty() {
        return Ok(None);
    }
    let (page, _) = Page::parse(bytes)?;
    if page.kind != PageKind::Dictionary {
        return Ok(None);
    }
    let mut decoder = Decoder::new(Texts, leaf, chunk);
    decoder.read_dictionary(&page)?;
    Ok(decoder.dictionary)
}

/// Values that are there, and which those are.
struct Decoded<T> {
    values: Vec<T>,
    /// Empty where all are there.
    present: Vec<bool>,
}

impl<T: Clone> Decoded<T> {
    /// One value a row, with `fill` where it is missing, and which are missing.
    fn with_missing(self, fill: T) -> (Vec<T>, Option<Vec<bool>>) {
        if self.present.is_empty() {
            return (self.values, None);
        }
        let mut values = self.values.into_iter();
        let spread = self.present.iter().map(|is_present| {
            let value = if *is_present { values.next() } else { None };
            value.unwrap_or_else(|| fill.clone())
        });
        let spread = spread.collect();
        let missing = self.present.iter().map(|is_present| !is_present).collect();
        (spread, Some(missing))
    }

    fn into_options(self) -> Vec<Option<T>> {
        if self.present.is_empty() {
            return self.values.into_iter().map(Some).collect();
        }
        let mut values = self.values.into_iter();
        let spread = self.present.iter();
        spread
            .map(|is_present| if *is_present { values.next() } else { None })
            .collect()
    }
}

struct Decoder<'a, P: Plain> {
    plain: P,
    chunk: &'a Chunk,
    is_optional: bool,
    dictionary: Option<Vec<P::Value>>,
    values: Vec<P::Value>,
    present: Vec<bool>,
    /// Bytes of text so far.
    extra_bytes: u64,
    buffer: Vec<u8>,
}

impl<'a, P: Plain> Decoder<'a, P> {
    fn new(plain: P, leaf: &Leaf, chunk: &'a Chunk) -> Self {
        Decoder {
            plain,
            chunk,
            is_optional: leaf.is_optional,
            dictionary: None,
            values: Vec::new(),
            present: Vec::new(),
            extra_bytes: 0,
            buffer: Vec::new(),
        }
    }

    fn decode(mut self, bytes: &[u8]) -> Parsed<Decoded<P::Value>> {
        let mut rest = bytes;
        let mut n_seen = 0;
        let mut page_idx = 0;
        while (n_seen as u64) < self.chunk.n_values {
            let here = |damage: Damage| damage.within(format!("page {page_idx}"));
            let (page, after) = Page::parse(rest).map_err(here)?;
            rest = after;
            match page.kind {
                PageKind::Index => {}
                PageKind::Dictionary => {
                    if self.dictionary.is_some() || n_seen > 0 {
                        return Err(here(Damage::new("a dictionary that is not in front")));
                    }
                    self.read_dictionary(&page).map_err(here)?;
                }
                PageKind::Data { .. } | PageKind::DataV2 { .. } => {
                    let left = self.chunk.n_values - n_seen as u64;
                    if page.n_values as u64 > left {
                        let problem = format!("{} values, expected {left} more", page.n_values);
                        return Err(here(Damage::new(problem)));
                    }
                    self.read_data(&page).map_err(here)?;
                    n_seen += page.n_values;
                }
            }
            page_idx += 1;
        }
        if self.present.iter().all(|is_present| *is_present) {
            self.present = Vec::new();
        }
        Ok(Decoded {
            values: self.values,
            present: self.present,
        })
    }

    fn read_dictionary(&mut self, page: &Page) -> Parsed<()> {
        if !matches!(page.encoding, PLAIN | PLAIN_DICTIONARY) {
            return Err(unsupported_encoding(page.encoding));
        }
        page.decompress(self.chunk.codec, &mut self.buffer)?;
        let mut values = Vec::new();
        self.plain
            .decode(&self.buffer, page.n_values, &mut values)?;
        self.dictionary = Some(values);
        Ok(())
    }

    fn read_data(&mut self, page: &Page) -> Parsed<()> {
        // Taken out so that its slices live beside `self`.
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = page
            .decompress(self.chunk.codec, &mut buffer)
            .and_then(|()| self.read_levels_and_values(page, &buffer));
        self.buffer = buffer;
        read
    }

    fn read_levels_and_values(&mut self, page: &Page, bytes: &[u8]) -> Parsed<()> {
        let mut values = bytes;
        let mut n_values = page.n_values;
        if self.is_optional {
            let levels = match page.kind {
                PageKind::Data { levels: RLE } => {
                    let (levels, after) = sized(bytes)?;
                    values = after;
                    levels
                }
                PageKind::Data { levels } => return Err(unsupported_encoding(levels)),
                _ => page.levels(),
            };
            n_values = 0;
            hybrid::decode(levels, 1, page.n_values, |level, count| {
                if level == 1 {
                    n_values += count;
                }
                self.present.extend(std::iter::repeat_n(level == 1, count));
                Ok(())
            })
            .map_err(|damage| damage.within("levels"))?;
        }
        self.read_values(page.encoding, values, n_values)
            .map_err(|damage| damage.within("values"))
    }

    fn read_values(&mut self, encoding: i64, bytes: &[u8], n: usize) -> Parsed<()> {
        match encoding {
            PLAIN => self.plain.decode(bytes, n, &mut self.values),
            PLAIN_DICTIONARY | RLE_DICTIONARY if n == 0 => Ok(()),
            PLAIN_DICTIONARY | RLE_DICTIONARY => {
                let Some(dictionary) = &self.dictionary else {
                    return Err(Damage::new("a dictionary is used but there is none"));
                };
                let (width, runs) = bytes
                    .split_first()
                    .ok_or_else(|| Damage::new("the values end too early"))?;
                hybrid::decode(runs, u32::from(*width), n, |idx, count| {
                    let value = dictionary.get(idx as usize).ok_or_else(|| {
                        let len = dictionary.len();
                        Damage::new(format!("entry {idx} of a dictionary of {len}"))
                    })?;
                    let extra = P::extra_bytes(value).saturating_mul(count as u64);
                    self.extra_bytes = self.extra_bytes.saturating_add(extra);
                    if self.extra_bytes > MAX_TEXT_BYTES {
                        let problem = format!("more than {MAX_TEXT_BYTES} bytes of text");
                        return Err(Damage::unsupported(problem));
                    }
                    if count == 1 {
                        self.values.push(value.clone());
                    } else {
                        let run = std::iter::repeat_n(value.clone(), count);
                        self.values.extend(run);
                    }
                    Ok(())
                })
            }
            RLE if P::HAS_RUNS => {
                let (runs, _) = sized(bytes)?;
                hybrid::decode(runs, 1, n, |bit, count| {
                    let value = P::from_bit(bit == 1);
                    self.values.extend(
                        value
                            .into_iter()
                            .flat_map(|v| std::iter::repeat_n(v, count)),
                    );
                    Ok(())
                })
            }
            other => Err(unsupported_encoding(other)),
        }
    }
}

/// Bytes with their length in 4 bytes before them, and what follows.
fn sized(bytes: &[u8]) -> Parsed<(&[u8], &[u8])> {
    bytes
        .split_first_chunk::<4>()
        .and_then(|(len, rest)| rest.split_at_checked(u32::from_le_bytes(*len) as usize))
        .ok_or_else(|| Damage::new("the page ends too early"))
}

fn unsupported_encoding(encoding: i64) -> Damage {
    Damage::unsupported(format!(
        "the encoding number {encoding}; plain, dictionary and run-length encoding are read"
    ))
}
