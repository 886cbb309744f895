//! Writing obs and var, and what else the manifest says of them.

use std::ops::Range;
use std::path::Path;

use axtile_core::{Result, Watch};
use axtile_table::{Column, Field, Kind, Table};
use serde_json::{Value, json};

use super::checks::{check_text, check_texts};
use super::genes::GenePlan;
use super::{CELL_NAMES, DatasetFormat, Writer, copy};
use crate::manifest::{FileEntry, ObsPart, obs_folder};
use crate::obs::{ObsWriter, SCHEMA_FILE};
use crate::source::{CellSource, SourcePart};
use crate::var::{NAMES_FILE, TABLE_FILE, VarTable, write_var, write_var_names};

/// The obs columns of a source with the cell names, if it has any.
pub(crate) fn obs_fields(source: &dyn CellSource) -> Result<Vec<Field>> {
    let mut fields = source.obs_fields().to_vec();
    if source.cell_names(0..1)?.is_some() {
        fields.push(Field {
            name: CELL_NAMES.to_owned(),
            kind: Kind::Text,
        });
    }
    Ok(fields)
}

/// Writes the obs of the cells of `tiles` to `folder`, which becomes an obs part
/// with the columns `fields`.
pub(crate) fn write_obs(
    source: &dyn CellSource,
    format: DatasetFormat,
    folder: &Path,
    tiles: &[Range<u64>],
    fields: &[Field],
    tiles_per_file: u32,
    watch: &dyn Watch,
) -> Result<ObsPart> {
    let has_names = fields.len() > source.obs_fields().len();
    let mut writer = ObsWriter::create(folder, fields, tiles_per_file)?;
    for cells in tiles {
        watch.check()?;
        let mut table: Table = source.obs(cells.clone())?;
        check_texts(&table, source.path())?;
        if has_names {
            let names = source.cell_names(cells.clone())?.unwrap_or_default();
            names
                .iter()
                .try_for_each(|name| check_text(name, "a cell name", source.path()))?;
            table
                .columns
                .push(Column::Text(names.into_iter().map(Some).collect()));
            table.fields = fields.to_vec();
        }
        writer.write_tile(&table)?;
    }
    let tile_cells: Vec<u64> = tiles.iter().map(|cells| cells.end - cells.start).collect();
    Ok(ObsPart {
        n_tiles: tiles.len(),
        section: writer.finish(&tile_cells)?,
        schema: format.entry(&folder.join(SCHEMA_FILE))?,
    })
}

impl Writer<'_> {
    pub(super) fn obs(&self) -> Result<Vec<ObsPart>> {
        if let Some(parts) = copy::obs(self.source, self.options.format, &self.tiles, self.folder)?
        {
            return Ok(parts);
        }
        let fields = obs_fields(self.source)?;
        if fields.is_empty() {
            return Ok(Vec::new());
        }
        let format = self.options.format;
        let folder = self.folder.join(obs_folder(format.of_manifest(), 0));
        let per_file = self.options.obs_tiles_per_file;
        let part = write_obs(
            self.source,
            format,
            &folder,
            &self.tiles,
            &fields,
            per_file,
            self.watch,
        )?;
        Ok(vec![part])
    }

    /// Writes names and annotations of the genes; what the manifest says of the
    /// two files.
    pub(super) fn var(&self, genes: &GenePlan) -> Result<(FileEntry, FileEntry)> {
        let format = self.options.format;
        if let Some(dataset) = self.source.dataset()
            && genes.is_kept
        {
            return copy::var(dataset, format, self.folder);
        }
        let names = self.source.genes().to_vec();
        let mut table = self.source.var()?;
        check_texts(&table, self.source.path())?;
        if table.columns.is_empty() {
            table.n_rows = names.len();
        }
        let mut var = VarTable {
            names: Some(names),
            index_name: match self.source.dataset() {
                Some(dataset) => dataset.var()?.index_name,
                None => None,
            },
            table,
        };
        if let Some(order) = &genes.order {
            var = var.permuted(order);
        }
        write_var_names(self.folder, var.names.as_deref().unwrap_or_default())?;
        write_var(self.folder, &var)?;
        Ok((
            format.entry(&self.folder.join(NAMES_FILE))?,
            format.entry(&self.folder.join(TABLE_FILE))?,
        ))
    }
}

/// The free notes of the manifest. Those of a dataset that is written anew stay.
pub(crate) fn metadata(source: &dyn CellSource, genes: &GenePlan) -> Value {
    if let Some(dataset) = source.dataset() {
        return dataset.manifest().metadata.clone();
    }
    let parts = source.parts();
    let name = |part: Option<&SourcePart>| {
        part.and_then(|part| part.path.file_name())
            .map(|name| name.to_string_lossy().into_owned())
    };
    let ordered: Vec<&str> = source
        .obs_fields()
        .iter()
        .filter(|field| matches!(field.kind, Kind::Category { ordered: true, .. }))
        .map(|field| field.name.as_str())
        .collect();
    json!({
        "source": format!("axtile {}", env!("CARGO_PKG_VERSION")),
        "n_source_files": parts.len(),
        "first_file": name(parts.first()),
        "last_file": name(parts.last()),
        "sort_genes": genes.file.is_there(),
        "sort_genes_n_files": genes.n_files,
        "axtile": { "ordered": ordered },
    })
}

/// Names of the obs columns whose levels are ordered: the one thing about
/// factors that the formats have no place for.
pub(crate) fn ordered_columns(metadata: &Value) -> Vec<String> {
    metadata["axtile"]["ordered"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}
