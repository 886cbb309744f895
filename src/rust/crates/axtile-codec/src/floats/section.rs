//! The section of a chunk: dictionaries, and values that are stored one by one.

use axtile_core::Result;

use super::dictionary::{fit, predict};
use super::transform::Transform;
use super::width::{Float, Width};
use crate::error::{TileError, TileResult};
use crate::streams::{Element, decode, encode, room};
use crate::wire::{Cursor, put_varint};

/// The values of a chunk.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// For each cell the size of its dictionary, or 0.
    pub(super) sizes: Vec<u32>,
    /// Of all cells with a dictionary, in turn.
    pub(super) dictionaries: Vec<f64>,
    /// Of all cells without, in turn.
    pub(super) singles: Vec<f64>,
}

impl Values {
    /// Codes the section; values have `width` without loss. Dictionaries are
    /// predicted by `transform` if that makes them smaller.
    ///
    /// # Errors
    /// `Error::Limit` if a compressor fails.
    pub(super) fn encode(&self, width: Width, transform: Transform) -> Result<Vec<u8>> {
        match width {
            Width::F32 => self.encode_as::<f32>(transform),
            Width::F64 => self.encode_as::<f64>(transform),
        }
    }

    fn encode_as<F: Float>(&self, transform: Transform) -> Result<Vec<u8>> {
        let narrow = |values: &[f64]| -> Vec<F> {
            values
                .iter()
                .filter_map(|&value| F::narrow(value))
                .collect()
        };
        let dictionaries = narrow(&self.dictionaries);
        let mut plain = Vec::new();
        put_stream(&mut plain, &dictionaries)?;
        let mut used = Transform::None;
        if transform != Transform::None {
            let predicted = self.encode_predicted(&dictionaries, transform)?;
            if predicted.len() < plain.len() {
                (plain, used) = (predicted, transform);
            }
        }
        let mut section = vec![used as u8];
        put_varint(&mut section, self.singles.len() as u64);
        put_stream(&mut section, &self.sizes)?;
        put_stream(&mut section, &narrow(&self.singles))?;
        section.extend(plain);
        Ok(section)
    }

    fn encode_predicted<F: Float>(
        &self,
        dictionaries: &[F],
        transform: Transform,
    ) -> Result<Vec<u8>> {
        let (mut scales, mut steps, mut corrections) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = dictionaries;
        for &size in self.sizes.iter().filter(|&&size| size > 0) {
            let (dictionary, others) = rest.split_at(size as usize);
            let prediction = fit(transform, dictionary);
            scales.push(prediction.scale);
            steps.extend(prediction.steps);
            corrections.extend(prediction.corrections);
            rest = others;
        }
        let mut bytes = Vec::new();
        put_stream(&mut bytes, &scales)?;
        put_stream(&mut bytes, &steps)?;
        put_stream(&mut bytes, &corrections)?;
        Ok(bytes)
    }

    /// Decodes the section of `n_cells` cells with `nnz` values.
    ///
    /// # Errors
    /// `TileError` if it is damaged.
    pub(super) fn decode(
        &mut self,
        section: &[u8],
        width: Width,
        n_cells: usize,
        nnz: usize,
        place: &str,
    ) -> TileResult<()> {
        match width {
            Width::F32 => self.decode_as::<f32>(section, n_cells, nnz, place),
            Width::F64 => self.decode_as::<f64>(section, n_cells, nnz, place),
        }
    }

    fn decode_as<F: Float>(
        &mut self,
        section: &[u8],
        n_cells: usize,
        nnz: usize,
        place: &str,
    ) -> TileResult<()> {
        let mut cursor = Cursor::new(section, place);
        let transform = Transform::from_byte(cursor.byte()?)
            .ok_or_else(|| cursor.wrong("an unknown transform"))?;
        let n_singles = cursor.number("values", 0, nnz as u64)? as usize;
        self.sizes.clear();
        take_stream(&mut cursor, n_cells, &mut self.sizes, place)?;
        let n_entries: u64 = self.sizes.iter().map(|&size| u64::from(size)).sum();
        if n_entries > (nnz - n_singles) as u64 {
            return Err(TileError::corrupt(
                place,
                format!("dictionaries of {n_entries} values, more than there are"),
            ));
        }
        let mut singles: Vec<F> = Vec::new();
        take_stream(&mut cursor, n_singles, &mut singles, place)?;
        let mut entries: Vec<F> = Vec::new();
        if transform == Transform::None {
            take_stream(&mut cursor, n_entries as usize, &mut entries, place)?;
        } else {
            self.take_predicted(
                &mut cursor,
                n_entries as usize,
                transform,
                &mut entries,
                place,
            )?;
        }
        cursor.finish()?;
        widen(&singles, &mut self.singles, place)?;
        widen(&entries, &mut self.dictionaries, place)
    }

    fn take_predicted<F: Float>(
        &self,
        cursor: &mut Cursor<'_>,
        n_entries: usize,
        transform: Transform,
        entries: &mut Vec<F>,
        place: &str,
    ) -> TileResult<()> {
        let sizes = || self.sizes.iter().filter(|&&size| size > 0);
        let mut scales: Vec<F> = Vec::new();
        take_stream(cursor, sizes().count(), &mut scales, place)?;
        let mut steps: Vec<u32> = Vec::new();
        take_stream(cursor, n_entries, &mut steps, place)?;
        let mut corrections: Vec<F::Correction> = Vec::new();
        take_stream(cursor, n_entries, &mut corrections, place)?;
        room(entries, n_entries, place)?;
        entries.clear();
        let mut numbers = steps.iter().zip(&corrections);
        for (&size, &scale) in sizes().zip(&scales) {
            let mut multiple = 0;
            for (&step, &correction) in numbers.by_ref().take(size as usize) {
                multiple += u64::from(step);
                entries.push(predict(transform, scale, multiple).add(correction));
            }
        }
        Ok(())
    }
}

fn put_stream<T: Element>(out: &mut Vec<u8>, numbers: &[T]) -> Result<()> {
    let stream = encode(numbers)?;
    put_varint(out, stream.len() as u64);
    out.extend(stream);
    Ok(())
}

/// Decodes `n` numbers into `out`, which holds nothing else then.
fn take_stream<T: Element>(
    cursor: &mut Cursor<'_>,
    n: usize,
    out: &mut Vec<T>,
    place: &str,
) -> TileResult<()> {
    let len = cursor.number("length", 0, u32::MAX.into())? as usize;
    let stream = cursor.bytes(len)?;
    room(out, n, place)?;
    out.truncate(n);
    decode(stream, out, &mut Vec::new(), place)
}

fn widen<F: Float>(narrow: &[F], wide: &mut Vec<f64>, place: &str) -> TileResult<()> {
    room(wide, narrow.len(), place)?;
    wide.clear();
    wide.extend(narrow.iter().map(|value| value.widen()));
    Ok(())
}
