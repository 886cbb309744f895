//! Reading obs: columns of any cells, from the shards or from the local cache.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use axtile_core::{Error, Result, Watch};
use axtile_table::{Column, Field, Table};
use rayon::prelude::*;

use super::cells::{Cells, Locator, Plan, TileRows};
use super::files::read_text;
use super::localized::OpenMaps;
use super::schema::{self, ObsSchema};
use super::shard::{Shard, tiles_of};
use super::{ObsSection, shard_name};
use crate::threads::on_threads;

/// The annotations of the cells of consecutive tiles.
#[derive(Debug)]
pub struct ObsReader {
    folder: PathBuf,
    pub(super) section: ObsSection,
    pub(super) tile_cells: Vec<u64>,
    locator: Locator,
    schema: ObsSchema,
    fields: Vec<Field>,
    /// Opened when first needed.
    shards: Vec<OnceLock<Shard>>,
    pub(super) maps: OpenMaps,
}

impl ObsReader {
    /// Opens the obs part in `folder`; `ordered` names the columns whose levels are
    /// ordered. Shards are opened when something is read.
    ///
    /// # Errors
    /// If the schema cannot be read or is damaged, or `section` does not go
    /// with `tile_cells`.
    pub fn open(
        folder: &Path,
        section: &ObsSection,
        tile_cells: &[u64],
        ordered: &[String],
    ) -> Result<ObsReader> {
        let wrong = |problem: String| Error::corrupt(folder, "obs in the manifest", problem);
        section
            .check(tile_cells.len())
            .map_err(|(key, problem)| wrong(format!("{key}: {problem}")))?;
        let n_shards = section.shard_bytes.len();
        let Some(locator) = Locator::new(tile_cells) else {
            return Err(wrong("more than 2^64 cells".to_owned()));
        };
        let path = folder.join(schema::FILE);
        let schema = ObsSchema::parse(&path, &read_text(&path)?, ordered)?;
        Ok(ObsReader {
            folder: folder.to_owned(),
            section: section.clone(),
            tile_cells: tile_cells.to_vec(),
            locator,
            fields: schema
                .columns
                .iter()
                .map(|column| column.field.clone())
                .collect(),
            schema,
            shards: (0..n_shards).map(|_| OnceLock::new()).collect(),
            maps: OpenMaps::default(),
        })
    }

    /// Names and types of the columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The number of cells.
    pub fn n_cells(&self) -> u64 {
        self.locator.n_cells()
    }

    /// Reads columns, by number, of some cells: only these columns of tiles
    /// that hold one of the cells are read. Columns that are in the cache in
    /// `cache_root`, or in the default place, come from there. `watch` advances
    /// by a unit for each cell and column.
    ///
    /// # Errors
    /// If there is no such column or cell, or a file is damaged.
    pub fn read(
        &self,
        columns: &[usize],
        cells: Cells,
        cache_root: Option<&Path>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Table> {
        let fields = self.chosen(columns)?;
        let places = match cells {
            Cells::All => None,
            Cells::List(cells) => Some(self.locator.places(cells)?),
        };
        let n_rows = places.as_ref().map_or(self.n_cells() as usize, Vec::len);
        let mut table = Table {
            fields,
            columns: Vec::with_capacity(columns.len()),
            n_rows,
        };
        // Made when the first column is read that is not in the cache.
        let mut plan = None;
        for &column in columns {
            let values = match self.map(column, cache_root, n_threads, watch)? {
                Some(map) => self.look_up(&map, column, places.as_deref(), watch)?,
                None => {
                    let plan = plan.get_or_insert_with(|| match &places {
                        None => Plan::all(self.tile_cells.len(), n_rows),
                        Some(places) => Plan::of(places),
                    });
                    self.read_shards(column, plan, n_threads, watch)?
                }
            };
            table.columns.push(values);
        }
        Ok(table)
    }

    fn chosen(&self, columns: &[usize]) -> Result<Vec<Field>> {
        let field = |column: &usize| {
            self.fields.get(*column).cloned().ok_or_else(|| {
                let n = self.fields.len();
                Error::range(format!("obs column {column} of {n}, counted from 0"))
            })
        };
        columns.iter().map(field).collect()
    }

    /// Reads a column according to a plan from the shards.
    fn read_shards(
        &self,
        column: usize,
        plan: &Plan,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Column> {
        let read = |tile: &TileRows| {
            watch.check()?;
            let piece = self.read_tile(column, tile)?;
            watch.advance(piece.len() as u64);
            Ok(piece)
        };
        let pieces: Vec<Column> = if n_threads == 1 || plan.tiles.len() == 1 {
            plan.tiles.iter().map(read).collect::<Result<_>>()?
        } else {
            on_threads(n_threads, || plan.tiles.par_iter().map(read).collect())?
        };
        let mut pieces = pieces.into_iter();
        let mut all = match pieces.next() {
            Some(first) => first,
            None => self.column(column)?.field.kind.empty_column(),
        };
        all.reserve(plan.n_rows.saturating_sub(all.len()));
        for piece in pieces {
            if !all.append(piece) {
                return Err(Error::argument("pieces of a column of different types"));
            }
        }
        match &plan.from {
            None => Ok(all),
            Some(from) => all
                .gather(from)
                .ok_or_else(|| Error::range(format!("a row beyond the {} rows read", all.len()))),
        }
    }

    /// The rows wanted of a column in a tile.
    pub(super) fn read_tile(&self, column: usize, tile: &TileRows) -> Result<Column> {
        let per_file = self.section.tiles_per_file as usize;
        let shard = self.shard(tile.tile / per_file)?;
        let whole = shard.read(tile.tile % per_file, column, self.column(column)?)?;
        match &tile.rows {
            None => Ok(whole),
            Some(rows) => whole.gather(rows).ok_or_else(|| {
                let problem = format!("a row beyond the {} rows of a tile", whole.len());
                Error::range(problem)
            }),
        }
    }

    pub(super) fn column(&self, column: usize) -> Result<&schema::ObsColumn> {
        self.schema.columns.get(column).ok_or_else(|| {
            Error::range(format!(
                "obs column {column} of {}",
                self.schema.columns.len()
            ))
        })
    }

    fn shard(&self, shard: usize) -> Result<&Shard> {
        let slot = self
            .shards
            .get(shard)
            .ok_or_else(|| Error::range(format!("obs shard {shard} of {}", self.shards.len())))?;
        if let Some(open) = slot.get() {
            open.check_current()?;
            return Ok(open);
        }
        let path = self.folder.join(shard_name(shard));
        let tiles = tiles_of(
            shard,
            self.section.tiles_per_file as usize,
            self.tile_cells.len(),
        );
        let cells = self.tile_cells.get(tiles).unwrap_or(&[]);
        let n_bytes = self.section.shard_bytes.get(shard).copied().unwrap_or(0);
        let open = Shard::open(&path, n_bytes, &self.schema, cells)?;
        // Another thread may have been faster; both opened the same file.
        Ok(slot.get_or_init(|| open))
    }

    /// Whether the bytes of the shards are those that were written.
    pub(super) fn verify_shards(&self, watch: &dyn Watch) -> Result<()> {
        for (shard, sha256) in self.section.shard_sha256.iter().enumerate() {
            watch.check()?;
            self.shard(shard)?.verify(sha256)?;
        }
        Ok(())
    }

    /// Checks everything: that each shard has the size, SHA-256, columns and
    /// row groups it should have, that the fingerprint is that of schema and
    /// shards, and that all values can be read. `watch` advances as in
    /// [`ObsReader::read`].
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn verify(&self, n_threads: usize, watch: &dyn Watch) -> Result<()> {
        let shards = &self.section.shard_sha256;
        let fingerprint = self.schema.fingerprint(&self.tile_cells, shards);
        if fingerprint != self.section.fingerprint {
            let problem = format!(
                "the fingerprint of schema and shards is {fingerprint}, the manifest has {}",
                self.section.fingerprint
            );
            return Err(Error::corrupt(
                &self.folder.join(schema::FILE),
                "its text",
                problem,
            ));
        }
        let verify = |shard: usize| {
            let open = self.shard(shard)?;
            let sha256 = shards.get(shard).map_or("", String::as_str);
            open.verify(sha256)?;
            let per_file = self.section.tiles_per_file as usize;
            for tile in tiles_of(shard, per_file, self.tile_cells.len()) {
                for (column, kind) in self.schema.columns.iter().enumerate() {
                    watch.check()?;
                    let values = open.read(tile % per_file, column, kind)?;
                    watch.advance(values.len() as u64);
                }
            }
            Ok(())
        };
        let n_shards = self.shards.len();
        if n_threads == 1 || n_shards == 1 {
            (0..n_shards).try_for_each(verify)
        } else {
            on_threads(n_threads, || {
                (0..n_shards).into_par_iter().try_for_each(verify)
            })
        }
    }
}
