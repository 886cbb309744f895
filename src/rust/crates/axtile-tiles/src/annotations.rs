//! Annotations of a dataset's cells, by column name.

use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_table::{Field, Table};

use crate::dataset::Dataset;
use crate::obs::{Cells, ObsParts};
use crate::write::ordered_columns;

impl Dataset {
    /// The obs, opened at the first call; `None` without obs.
    pub(crate) fn obs(&self) -> Result<Option<&ObsParts>> {
        let manifest = self.manifest();
        if manifest.obs_parts.is_empty() {
            return Ok(None);
        }
        if let Some(reader) = self.obs_reader.get() {
            return Ok(Some(reader));
        }
        let ordered = ordered_columns(&manifest.metadata);
        let reader = ObsParts::open(self.folder(), manifest, &ordered)?;
        Ok(Some(self.obs_reader.get_or_init(|| reader)))
    }

    /// Names and types of the obs columns; none without obs.
    ///
    /// # Errors
    /// `Error::Io` or `Error::Corrupt` if the schema is missing or wrong.
    pub fn obs_fields(&self) -> Result<&[Field]> {
        Ok(self.obs()?.map_or(&[], ObsParts::fields))
    }

    /// Reads the named columns of some cells. Columns that were localized come
    /// from the cache in `cache_root`. Reports cells times columns.
    ///
    /// # Errors
    /// `Error::Range` for a column or cell that is not there; `Error::Io` or
    /// `Error::Corrupt` if a file is missing or wrong.
    pub fn read_obs(
        &self,
        columns: &[String],
        cells: Cells,
        cache_root: Option<&Path>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Table> {
        let Some(obs) = self.obs()? else {
            return match columns.first() {
                Some(column) => Err(self.no_column(column)),
                None => Ok(Table::default()),
            };
        };
        let columns = self.column_numbers(obs, columns)?;
        obs.read(&columns, cells, cache_root, n_threads, watch)
    }

    /// Copies the named columns to the cache in `cache_root`. Reports cells
    /// times columns.
    ///
    /// # Errors
    /// As [`Dataset::read_obs`]; `Error::Io` if the cache cannot be written.
    pub fn localize_obs(
        &self,
        columns: &[String],
        cache_root: Option<&Path>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        let Some(obs) = self.obs()? else {
            return match columns.first() {
                Some(column) => Err(self.no_column(column)),
                None => Ok(()),
            };
        };
        let columns = self.column_numbers(obs, columns)?;
        obs.localize(&columns, cache_root, n_threads, watch)
    }

    /// Names of the columns in the cache in `cache_root`.
    ///
    /// # Errors
    /// As [`Dataset::obs_fields`].
    pub fn localized_obs(&self, cache_root: Option<&Path>) -> Result<Vec<String>> {
        Ok(self
            .obs()?
            .map_or_else(Vec::new, |obs| obs.localized_columns(cache_root)))
    }

    fn column_numbers(&self, obs: &ObsParts, columns: &[String]) -> Result<Vec<usize>> {
        let number = |column: &String| {
            obs.fields()
                .iter()
                .position(|field| field.name == *column)
                .ok_or_else(|| self.no_column(column))
        };
        columns.iter().map(number).collect()
    }

    fn no_column(&self, column: &str) -> Error {
        Error::range(format!(
            "there is no obs column '{column}' in '{}'",
            self.folder().display()
        ))
    }
}
