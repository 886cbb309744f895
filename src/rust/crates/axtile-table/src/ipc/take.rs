//! Taking values out of a mapped file.

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BinaryArray, BooleanArray, PrimitiveArray};
use axtile_core::{Error, Result};

use super::read::{IpcColumn, Place};
use crate::damage::{Damage, Parsed};
use crate::model::{Column, IntegerType as I, Kind, RealType};
use crate::nullable::Nullable;
use crate::stored::{Stored, codes};

impl IpcColumn {
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
        let n_rows = self.batches.get(batch).map_or(0, |batch| batch.len());
        self.column(kind, (0..n_rows).map(|row| Place { batch, row }))
    }

    fn column(&self, kind: &Kind, places: impl ExactSizeIterator<Item = Place>) -> Result<Column> {
        if !self.stored.holds(kind) {
            let problem = format!("{}, expected {}", self.stored, kind.describe());
            return Err(Error::corrupt(&self.path, "its type", problem));
        }
        let column = match &self.stored {
            Stored::Integer(I::I8) => self.integers::<Int8Type>(places, i64::from),
            Stored::Integer(I::I16) => self.integers::<Int16Type>(places, i64::from),
            Stored::Integer(I::I32) => self.integers::<Int32Type>(places, i64::from),
            Stored::Integer(I::I64) => self.integers::<Int64Type>(places, i64::from),
            Stored::Integer(I::U8) => self.integers::<UInt8Type>(places, i64::from),
            Stored::Integer(I::U16) => self.integers::<UInt16Type>(places, i64::from),
            Stored::Integer(I::U32) => self.integers::<UInt32Type>(places, i64::from),
            Stored::Integer(I::U64) => self.integers::<UInt64Type>(places, u64::cast_signed),
            Stored::Real(RealType::F16) => self.reals::<Float16Type>(places, f64::from),
            Stored::Real(RealType::F32) => self.reals::<Float32Type>(places, f64::from),
            Stored::Real(RealType::F64) => self.reals::<Float64Type>(places, f64::from),
            Stored::Bool => {
                let mut column = Nullable::with_capacity(places.len());
                self.each(places, |batch: &BooleanArray, row| {
                    column.push(batch.is_valid(row).then(|| batch.value(row)));
                    Ok(())
                })?;
                Ok(column.into())
            }
            Stored::Text | Stored::Other(_) => self.texts(places),
        }?;
        match (column, kind) {
            (Column::Integer { values, missing }, Kind::Category { levels, .. }) => match missing {
                None => codes(values, levels.len()),
                Some(_) => Err("a code is null, expected -1 for missing".to_owned()),
            }
            .map(Column::Category)
            .map_err(|problem| Error::corrupt(&self.path, "its codes", problem)),
            (column, _) => Ok(column),
        }
    }

    fn integers<T: ArrowPrimitiveType>(
        &self,
        places: impl ExactSizeIterator<Item = Place>,
        widen: impl Fn(T::Native) -> i64,
    ) -> Result<Column> {
        let mut column = Nullable::with_capacity(places.len());
        self.each(places, |batch: &PrimitiveArray<T>, row| {
            column.push(batch.is_valid(row).then(|| widen(batch.value(row))));
            Ok(())
        })?;
        Ok(column.into())
    }

    fn reals<T: ArrowPrimitiveType>(
        &self,
        places: impl ExactSizeIterator<Item = Place>,
        widen: impl Fn(T::Native) -> f64,
    ) -> Result<Column> {
        let mut values = Vec::with_capacity(places.len());
        self.each(places, |batch: &PrimitiveArray<T>, row| {
            values.push(match batch.is_valid(row) {
                true => widen(batch.value(row)),
                false => f64::NAN,
            });
            Ok(())
        })?;
        Ok(Column::Real(values))
    }

    fn texts(&self, places: impl ExactSizeIterator<Item = Place>) -> Result<Column> {
        let mut values = Vec::with_capacity(places.len());
        self.each(places, |batch: &BinaryArray, row| {
            values.push(match batch.is_valid(row) {
                true => match std::str::from_utf8(batch.value(row)) {
                    Ok(text) => Some(text.to_owned()),
                    Err(_) => return Err(Damage::new("a text that is no UTF-8")),
                },
                false => None,
            });
            Ok(())
        })?;
        Ok(Column::Text(values))
    }

    /// Calls `visit` with the batch and the row of each place.
    fn each<A: Array + 'static>(
        &self,
        places: impl Iterator<Item = Place>,
        mut visit: impl FnMut(&A, usize) -> Parsed<()>,
    ) -> Result<()> {
        let batches = self.batches.iter().map(|batch| {
            let array = batch.as_any().downcast_ref::<A>();
            array.ok_or_else(|| Error::corrupt(&self.path, "its type", "not the declared one"))
        });
        let batches = batches.collect::<Result<Vec<&A>>>()?;
        for Place { batch, row } in places {
            let array = batches.get(batch).filter(|array| row < array.len());
            let array = array.ok_or_else(|| {
                let path = self.path.display();
                Error::range(format!("'{path}' has no row {row} in batch {batch}"))
            })?;
            visit(array, row).map_err(|damage| {
                let place = format!("batch {batch}, row {row}");
                damage.within(place).in_file(&self.path)
            })?;
        }
        Ok(())
    }
}
