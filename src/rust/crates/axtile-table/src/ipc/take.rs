//! Taking values out of a mapped file.

use std::ops::Deref;

use axtile_core::{Error, Result};

use super::read::{Batch, IpcColumn, Place};
use crate::damage::{Damage, Parsed};
use crate::half::half_to_f64;
use crate::model::{Column, IntegerType, Kind, RealType};
use crate::parquet::Stored;

/// A batch and its bytes.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    n_rows: usize,
    validity: Option<&'a [u8]>,
    offsets: &'a [[u8; 4]],
    values: &'a [u8],
}

impl<'a> Bytes<'a> {
    fn of(file: &'a [u8], batch: &Batch) -> Bytes<'a> {
        let get = |range: &std::ops::Range<usize>| file.get(range.clone()).unwrap_or(&[]);
        Bytes {
            n_rows: batch.n_rows,
            validity: batch.validity.as_ref().map(get),
            offsets: get(&batch.offsets).as_chunks::<4>().0,
            values: get(&batch.values),
        }
    }

    fn is_missing(&self, row: usize) -> bool {
        self.validity.is_some_and(|bits| !bit(bits, row))
    }

    fn word<const N: usize>(&self, row: usize) -> Option<[u8; N]> {
        self.values.as_chunks::<N>().0.get(row).copied()
    }

    fn text(&self, row: usize) -> Parsed<&'a str> {
        let offset = |i: usize| {
            let offset = self.offsets.get(i).map(|word| i32::from_le_bytes(*word));
            offset.and_then(|offset| usize::try_from(offset).ok())
        };
        let bytes = match (offset(row), offset(row + 1)) {
            (Some(start), Some(end)) => self.values.get(start..end),
            _ => None,
        };
        let bytes = bytes.ok_or_else(|| Damage::new("the offsets of a text are wrong"))?;
        std::str::from_utf8(bytes).map_err(|_| Damage::new("a text that is no UTF-8"))
    }
}

fn bit(bits: &[u8], at: usize) -> bool {
    bits.get(at / 8)
        .is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}

impl<B: Deref<Target = [u8]>> IpcColumn<B> {
    /// Takes the values at `places` as a column of `kind`, in their order and
    /// with repeats.
    ///
    /// # Errors
    /// If a place is out of range, the file's type is not that of `kind`, or a
    /// value is damaged.
    pub fn take(&self, kind: &Kind, places: &[Place]) -> Result<Column> {
        self.column(kind, places.iter().copied())
    }

    /// Takes all values of a batch.
    ///
    /// # Errors
    /// As [`IpcColumn::take`].
    pub fn read_batch(&self, kind: &Kind, batch: usize) -> Result<Column> {
        let n_rows = self.batches.get(batch).map_or(0, |batch| batch.n_rows);
        self.column(kind, (0..n_rows).map(|row| Place { batch, row }))
    }

    fn column(
        &self,
        kind: &Kind,
        places: impl ExactSizeIterator<Item = Place> + Clone,
    ) -> Result<Column> {
        use IntegerType as I;
        match (kind, &self.stored) {
            (Kind::Category { levels, .. }, Stored::Integer(width)) => {
                let n_levels = levels.len();
                let code = move |code: i32| {
                    if usize::try_from(code).is_ok_and(|code| code < n_levels) || code == -1 {
                        Ok(code)
                    } else {
                        Err(Damage::new(format!("the code {code} of {n_levels} levels")))
                    }
                };
                let codes = match width {
                    I::I8 => self.present(places, |b, row| {
                        code(i32::from(i8::from_le_bytes(value(b.word(row))?)))
                    }),
                    I::I16 => self.present(places, |b, row| {
                        code(i32::from(i16::from_le_bytes(value(b.word(row))?)))
                    }),
                    I::I32 => self.present(places, |b, row| {
                        code(i32::from_le_bytes(value(b.word(row))?))
                    }),
                    _ => return Err(self.wrong_type(kind)),
                };
                codes.map(Column::Category)
            }
            (Kind::Integer(wanted), Stored::Integer(width)) if wanted == width => {
                let (values, missing) = match width {
                    I::I8 => self.values(places, |w| i64::from(i8::from_le_bytes(w))),
                    I::I16 => self.values(places, |w| i64::from(i16::from_le_bytes(w))),
                    I::I32 => self.values(places, |w| i64::from(i32::from_le_bytes(w))),
                    I::U8 => self.values(places, |w| i64::from(u8::from_le_bytes(w))),
                    I::U16 => self.values(places, |w| i64::from(u16::from_le_bytes(w))),
                    I::U32 => self.values(places, |w| i64::from(u32::from_le_bytes(w))),
                    I::I64 | I::U64 => self.values(places, i64::from_le_bytes),
                }?;
                Ok(Column::Integer { values, missing })
            }
            (Kind::Real(wanted), Stored::Real(width)) if wanted == width => {
                let read = |b: Bytes, row: usize| {
                    if b.is_missing(row) {
                        return Ok(f64::NAN);
                    }
                    Ok(match width {
                        RealType::F16 => half_to_f64(u16::from_le_bytes(value(b.word(row))?)),
                        RealType::F32 => f64::from(f32::from_le_bytes(value(b.word(row))?)),
                        RealType::F64 => f64::from_le_bytes(value(b.word(row))?),
                    })
                };
                self.all(places, read).map(Column::Real)
            }
            (Kind::Bool, Stored::Bool) => {
                let missing = self.missing(places.clone())?;
                let read = |b: Bytes, row| Ok(!b.is_missing(row) && bit(b.values, row));
                let values = self.all(places, read)?;
                Ok(Column::Bool { values, missing })
            }
            (Kind::Text, Stored::Text) => {
                let read = |b: Bytes, row| {
                    if b.is_missing(row) {
                        return Ok(None);
                    }
                    b.text(row).map(|text| Some(text.to_owned()))
                };
                self.all(places, read).map(Column::Text)
            }
            _ => Err(self.wrong_type(kind)),
        }
    }

    fn wrong_type(&self, kind: &Kind) -> Error {
        let problem = format!("{}, expected {}", self.stored, kind.describe());
        Error::corrupt(&self.path, "its type", problem)
    }

    /// Reads a value at each place.
    fn all<T>(
        &self,
        places: impl ExactSizeIterator<Item = Place>,
        read: impl Fn(Bytes, usize) -> Parsed<T>,
    ) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(places.len());
        // Neighbouring places are often in one batch.
        let mut current = None;
        for place in places {
            let bytes = match current {
                Some((batch, bytes)) if batch == place.batch => bytes,
                _ => {
                    let batch = self
                        .batches
                        .get(place.batch)
                        .ok_or_else(|| self.outside(place))?;
                    let bytes = Bytes::of(&self.bytes, batch);
                    current = Some((place.batch, bytes));
                    bytes
                }
            };
            if place.row >= bytes.n_rows {
                return Err(self.outside(place));
            }
            let value = read(bytes, place.row).map_err(|damage| {
                let place = format!("batch {}, row {}", place.batch, place.row);
                damage.within(place).in_file(&self.path)
            })?;
            values.push(value);
        }
        Ok(values)
    }

    /// Reads values none of which may be missing.
    fn present<T>(
        &self,
        places: impl ExactSizeIterator<Item = Place>,
        read: impl Fn(Bytes, usize) -> Parsed<T>,
    ) -> Result<Vec<T>> {
        self.all(places, |bytes, row| {
            if bytes.is_missing(row) {
                return Err(Damage::new("a code is null, expected -1 for missing"));
            }
            read(bytes, row)
        })
    }

    fn values<const N: usize>(
        &self,
        places: impl ExactSizeIterator<Item = Place> + Clone,
        widen: impl Fn([u8; N]) -> i64,
    ) -> Result<(Vec<i64>, Option<Vec<bool>>)> {
        let missing = self.missing(places.clone())?;
        let read = |bytes: Bytes, row| {
            if bytes.is_missing(row) {
                return Ok(0);
            }
            Ok(widen(value(bytes.word(row))?))
        };
        Ok((self.all(places, read)?, missing))
    }

    /// Which values are missing; `None` if none is.
    fn missing(&self, places: impl ExactSizeIterator<Item = Place>) -> Result<Option<Vec<bool>>> {
        if self.batches.iter().all(|batch| batch.validity.is_none()) {
            return Ok(None);
        }
        let missing = self.all(places, |bytes, row| Ok(bytes.is_missing(row)))?;
        Ok(missing.contains(&true).then_some(missing))
    }

    fn outside(&self, place: Place) -> Error {
        Error::range(format!(
            "'{}' has no row {} in batch {}",
            self.path.display(),
            place.row,
            place.batch
        ))
    }
}

fn value<T>(value: Option<T>) -> Parsed<T> {
    value.ok_or_else(|| Damage::new("the values end too early"))
}
