//! Sorting values by cell in bounded memory: they come in any order, are
//! appended to one of as many buckets as there are ranges of cells, and a
//! bucket is sorted when its range is asked for. All buckets share one scratch
//! file; a bucket is the list of its pieces there.
//!
//! A record is 12 or 16 bytes, little-endian: cell within its range, gene, value.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use axtile_core::{Error, Result, Watch};

use crate::value::{Cells, Value};

/// Memory for the buffers of all buckets, unless the options say otherwise.
pub const DEFAULT_SPILL_BYTES: usize = 64 << 20;

/// Bytes of cell and gene in a record.
const PLACE_LEN: usize = 8;

/// How much of a bucket is read at a time.
const READ_RECORDS: usize = 1 << 16;

/// Takes values in any order.
pub(crate) struct SpillWriter<V> {
    spill: Spill<V>,
    buffers: Vec<Vec<u8>>,
    capacity: usize,
    n_bytes: u64,
    /// The bucket of the last record: neighbours tend to be neighbours.
    last: usize,
}

/// Values by range of cells.
pub(crate) struct Spill<V> {
    file: File,
    path: PathBuf,
    cuts: Vec<u64>,
    pieces: Vec<Vec<Piece>>,
    values: PhantomData<V>,
}

/// Reports how far sorting is, as a share of the cells: the unit that the whole
/// work is told in.
pub(crate) struct SortProgress<'a> {
    watch: &'a dyn Watch,
    n_cells: u64,
    n_entries: u64,
    reported: u64,
}

impl<'a> SortProgress<'a> {
    pub(crate) fn new(watch: &'a dyn Watch, n_cells: u64, n_entries: u64) -> SortProgress<'a> {
        SortProgress {
            watch,
            n_cells,
            n_entries: n_entries.max(1),
            reported: 0,
        }
    }

    /// So many entries are sorted. To be called every few hundred thousand.
    pub(crate) fn reach(&mut self, entries: u64) -> Result<()> {
        let share = entries.min(self.n_entries) as f64 / self.n_entries as f64;
        let cells = (share * self.n_cells as f64) as u64;
        self.watch.advance(cells.saturating_sub(self.reported));
        self.reported = self.reported.max(cells);
        self.watch.check()
    }
}

struct Piece {
    offset: u64,
    n_records: usize,
}

/// Bytes of a record.
const fn record_len<V: Value>() -> usize {
    PLACE_LEN + V::LEN
}

impl<V: Value> SpillWriter<V> {
    /// For the ranges between neighbouring `cuts`, with a file in `scratch`.
    pub(crate) fn create(cuts: &[u64], scratch: &Path, budget: usize) -> Result<SpillWriter<V>> {
        let n = cuts.len().saturating_sub(1);
        let rising = cuts
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a <= b && b - a <= u64::from(u32::MAX)));
        if cuts.first() != Some(&0) || !rising {
            return Err(Error::argument(
                "the cuts must start with 0, must not fall, and be less than 2^32 cells apart",
            ));
        }
        let (file, path) = create_file(scratch)?;
        let records = (budget / n.max(1) / record_len::<V>()).clamp(1, READ_RECORDS);
        Ok(SpillWriter {
            spill: Spill {
                file,
                path,
                cuts: cuts.to_vec(),
                pieces: (0..n).map(|_| Vec::new()).collect(),
                values: PhantomData,
            },
            buffers: vec![Vec::new(); n],
            capacity: records * record_len::<V>(),
            n_bytes: 0,
            last: 0,
        })
    }

    /// Adds one value.
    pub(crate) fn push(&mut self, cell: u64, gene: u32, value: V) -> Result<()> {
        let bucket = match self.spill.range(self.last) {
            Some(range) if range.contains(&cell) => self.last,
            _ => self
                .spill
                .cuts
                .partition_point(|&cut| cut <= cell)
                .wrapping_sub(1),
        };
        let (Some(range), Some(buffer)) = (self.spill.range(bucket), self.buffers.get_mut(bucket))
        else {
            return Err(Error::range(format!(
                "cell {cell} lies behind the last cut"
            )));
        };
        self.last = bucket;
        if buffer.capacity() == 0 {
            // Growing step by step would overshoot the budget.
            buffer.reserve_exact(self.capacity);
        }
        buffer.extend_from_slice(&((cell - range.start) as u32).to_le_bytes());
        buffer.extend_from_slice(&gene.to_le_bytes());
        value.write(buffer);
        if buffer.len() >= self.capacity {
            self.flush(bucket)?;
        }
        Ok(())
    }

    fn flush(&mut self, bucket: usize) -> Result<()> {
        let (Some(buffer), Some(pieces)) = (
            self.buffers.get_mut(bucket),
            self.spill.pieces.get_mut(bucket),
        ) else {
            return Ok(());
        };
        if buffer.is_empty() {
            return Ok(());
        }
        let path = &self.spill.path;
        self.spill
            .file
            .write_all(buffer)
            .map_err(Error::io("write", path))?;
        pieces.push(Piece {
            offset: self.n_bytes,
            n_records: buffer.len() / record_len::<V>(),
        });
        self.n_bytes += buffer.len() as u64;
        buffer.clear();
        Ok(())
    }

    /// Ends the writing.
    pub(crate) fn finish(mut self) -> Result<Spill<V>> {
        for bucket in 0..self.buffers.len() {
            self.flush(bucket)?;
        }
        Ok(self.spill)
    }
}

/// A new file in `scratch`. Another process may have left one of the same name.
fn create_file(scratch: &Path) -> Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = scratch.join(format!("import-{}-{number}.spill", std::process::id()));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path);
        match file {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("create", &path)(error)),
        }
    }
}

impl<V: Value> Spill<V> {
    fn range(&self, bucket: usize) -> Option<Range<u64>> {
        let start = *self.cuts.get(bucket)?;
        let end = *self.cuts.get(bucket.checked_add(1)?)?;
        Some(start..end)
    }

    /// The values of one of the ranges.
    pub(crate) fn cells(&self, cells: Range<u64>) -> Result<Cells<V>> {
        if cells.is_empty() {
            return Ok(Cells::none());
        }
        let bucket = self
            .cuts
            .partition_point(|&cut| cut <= cells.start)
            .wrapping_sub(1);
        let pieces = self.pieces.get(bucket);
        let (Some(range), Some(pieces)) =
            (self.range(bucket).filter(|range| *range == cells), pieces)
        else {
            return Err(Error::argument(format!(
                "cells {}..{} are none of the prepared ranges",
                cells.start, cells.end
            )));
        };
        let n_cells = (range.end - range.start) as usize;
        // Counting sort: how many of each cell, where each cell starts, and
        // then every record to its place.
        let mut starts = vec![0usize; n_cells + 1];
        let odd = || Error::corrupt(&self.path, "a record", "a cell outside its range");
        self.each(pieces, |cell, _, _| {
            *starts.get_mut(cell as usize + 1).ok_or_else(odd)? += 1;
            Ok(())
        })?;
        let mut n = 0;
        for start in &mut starts {
            n += *start;
            *start = n;
        }
        let mut next = starts.clone();
        let (mut genes, mut values) = (vec![0; n], vec![V::default(); n]);
        self.each(pieces, |cell, gene, value| {
            let at = next.get_mut(cell as usize).ok_or_else(odd)?;
            *genes.get_mut(*at).ok_or_else(odd)? = gene;
            *values.get_mut(*at).ok_or_else(odd)? = value;
            *at += 1;
            Ok(())
        })?;
        Ok(Cells {
            starts,
            genes,
            values,
        })
    }

    fn each(
        &self,
        pieces: &[Piece],
        mut each: impl FnMut(u32, u32, V) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        for piece in pieces {
            // No piece is longer than READ_RECORDS, see `create`.
            bytes.resize(piece.n_records * record_len::<V>(), 0);
            read_exact_at(&self.file, &mut bytes, piece.offset)
                .map_err(Error::io("read", &self.path))?;
            for record in bytes.chunks_exact(record_len::<V>()) {
                let (place, value) = record.split_at(PLACE_LEN);
                let (cell, gene) = place.split_at(PLACE_LEN / 2);
                each(u32::read(cell), u32::read(gene), V::read(value))?;
            }
        }
        Ok(())
    }
}

impl<V> Drop for Spill<V> {
    fn drop(&mut self) {
        // A leftover in a scratch folder is only untidy.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            n => {
                bytes = bytes.split_at_mut(n).1;
                offset += n as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_cell_and_keeps_order_within() {
        let folder = tempfile::tempdir().unwrap();
        let cuts = [0, 3, 3, 7];
        let mut writer = SpillWriter::<u32>::create(&cuts, folder.path(), 100).unwrap();
        for (cell, gene) in [(6, 1), (0, 9), (2, 5), (0, 3), (6, 0), (4, 4)] {
            writer.push(cell, gene, gene + 10).unwrap();
        }
        assert!(matches!(writer.push(7, 0, 1), Err(Error::Range { .. })));
        let spill = writer.finish().unwrap();
        let first = spill.cells(0..3).unwrap();
        assert_eq!(first.starts, [0, 2, 2, 3]);
        assert_eq!(first.genes, [9, 3, 5]);
        assert_eq!(first.values, [19, 13, 15]);
        assert_eq!(spill.cells(3..3).unwrap().starts, [0]);
        let last = spill.cells(3..7).unwrap();
        assert_eq!(last.starts, [0, 0, 1, 1, 3]);
        assert_eq!(last.genes, [4, 1, 0]);
        assert!(matches!(spill.cells(0..4), Err(Error::Argument { .. })));
        drop(spill);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn refuses_odd_cuts() {
        let folder = tempfile::tempdir().unwrap();
        for cuts in [&[][..], &[1, 2], &[0, 3, 2], &[0, 1 << 33]] {
            assert!(SpillWriter::<u32>::create(cuts, folder.path(), 100).is_err());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
