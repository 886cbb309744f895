//! A shard: the parquet file with the annotations of up to `tiles_per_file`
//! tiles.

use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::FileIdentity;
use axtile_table::Column;
use axtile_table::parquet::ParquetFile;
use sha2::{Digest, Sha256};

use super::schema::{ObsColumn, ObsSchema};
use crate::digest::hex;

/// An open shard whose columns and row groups are those of the dataset.
#[derive(Debug)]
pub(super) struct Shard {
    file: ParquetFile,
    /// For each column of the schema its number in the file.
    identity: FileIdentity,
    columns: Vec<usize>,
}

impl Shard {
    /// Opens the shard of some tiles. Columns are found by name: a file with
    /// other columns, other types or other row groups is refused.
    pub(super) fn open(
        path: &Path,
        n_bytes: u64,
        schema: &ObsSchema,
        tile_cells: &[u64],
    ) -> Result<Shard> {
        let identity = FileIdentity::read(path)?;
        let file = ParquetFile::open(path)?;
        if file.bytes().len() as u64 != n_bytes {
            let problem = format!("{} bytes, expected {n_bytes}", file.bytes().len());
            return Err(Error::corrupt(path, "its size", problem));
        }
        let mut columns = Vec::with_capacity(schema.columns.len());
        for column in &schema.columns {
            columns.push(find(&file, column)?);
        }
        if let Some(other) = (0..file.columns().len()).find(|i| !columns.contains(i)) {
            let name = file.columns().get(other).map_or("", |leaf| &leaf.name);
            let problem = format!("the column '{name}' is not in the schema");
            return Err(Error::corrupt(path, "columns", problem));
        }
        let rows: Vec<u64> = file.group_rows().collect();
        if rows != tile_cells {
            let group = rows
                .iter()
                .zip(tile_cells)
                .take_while(|(a, b)| a == b)
                .count();
            let text = |n: Option<&u64>| n.map_or("none".to_owned(), u64::to_string);
            let problem = format!(
                "{} rows in row group {group}, expected {} cells as in its tile",
                text(rows.get(group)),
                text(tile_cells.get(group))
            );
            return Err(Error::corrupt(path, "row groups", problem));
        }
        Ok(Shard {
            file,
            identity,
            columns,
        })
    }

    /// Refuses a file that was changed or replaced since it was opened: one that
    /// was cut short could not be read through its map.
    pub(super) fn check_current(&self) -> Result<()> {
        let path = self.file.path();
        if FileIdentity::read(path)? == self.identity {
            return Ok(());
        }
        Err(Error::Stale {
            path: path.to_owned(),
        })
    }

    /// Reads a column of a tile; `group` counts the tiles of this shard.
    pub(super) fn read(&self, group: usize, column: usize, kind: &ObsColumn) -> Result<Column> {
        let in_file = self.columns.get(column).copied().unwrap_or(usize::MAX);
        self.file.read(group, in_file, &kind.field)
    }

    /// Whether the columns are in the order of the schema too, and the bytes
    /// are those that were written.
    pub(super) fn verify(&self, sha256: &str) -> Result<()> {
        let found = hex(Sha256::new_with_prefix(self.file.bytes()));
        if found != sha256 {
            let problem = format!("the SHA-256 is {found}, expected {sha256}");
            return Err(Error::corrupt(self.file.path(), "its bytes", problem));
        }
        if !self.columns.is_sorted() {
            let problem = "they are in another order than in the schema";
            return Err(Error::corrupt(self.file.path(), "columns", problem));
        }
        Ok(())
    }
}

fn find(file: &ParquetFile, column: &ObsColumn) -> Result<usize> {
    let name = &column.field.name;
    let mut found = file
        .columns()
        .iter()
        .enumerate()
        .filter(|(_, leaf)| leaf.name == *name);
    let (Some((i, leaf)), None) = (found.next(), found.next()) else {
        let problem = format!("expected one column '{name}'");
        return Err(Error::corrupt(file.path(), "columns", problem));
    };
    let expected = column.stored();
    if leaf.stored != expected {
        let problem = format!("it is stored as {}, expected {expected}", leaf.stored);
        return Err(Error::corrupt(
            file.path(),
            format!("column '{name}'"),
            problem,
        ));
    }
    Ok(i)
}

/// The tiles of shard `shard`.
pub(super) fn tiles_of(shard: usize, tiles_per_file: usize, n_tiles: usize) -> Range<usize> {
    let start = shard.saturating_mul(tiles_per_file).min(n_tiles);
    start..start.saturating_add(tiles_per_file).min(n_tiles)
}
