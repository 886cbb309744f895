//! What is refused before anything is written.

use std::path::Path;

use axtile_codec::deltacells::check_level;
use axtile_codec::grid::MAX_CELLS;
use axtile_core::{Error, Result};
use axtile_table::{Column, Kind, Table};

use super::{CELL_NAMES, DatasetFormat, WriteOptions};
use crate::manifest::LayerKind;
use crate::source::{CellSource, LayerField};

/// Refuses options that make no sense, and sources that the format, or R, cannot
/// hold.
pub(super) fn check_options(source: &dyn CellSource, options: &WriteOptions) -> Result<()> {
    if options.tile_size == 0 || options.obs_tiles_per_file == 0 {
        return Err(Error::argument(
            "tile size and tiles per obs file must be at least 1",
        ));
    }
    if let DatasetFormat::Deltacells { n_chunks, level } = options.format {
        check_level(level)?;
        if n_chunks == 0 {
            return Err(Error::argument("0 chunks; at least 1 is needed"));
        }
        let layers = source.layers();
        if layers.len() > 1 {
            let names: Vec<&str> = layers.iter().map(|layer| &*layer.name).collect();
            return Err(Error::unsupported(
                source.path(),
                format!(
                    "the deltacells format holds one layer, not {}: write the axtile format",
                    names.join(", ")
                ),
            ));
        }
    }
    if let DatasetFormat::Axtile { .. } = options.format
        && options.tile_size > MAX_CELLS as u64
    {
        return Err(Error::argument(format!(
            "{} cells a tile; the axtile format holds at most {MAX_CELLS}",
            options.tile_size
        )));
    }
    check_source(source, options.format)
}

/// Refuses sources that the format, or R, cannot hold.
pub(crate) fn check_source(source: &dyn CellSource, format: DatasetFormat) -> Result<()> {
    for gene in source.genes() {
        check_text(gene, "the name of a gene", source.path())?;
    }
    check_layers(&source.layers(), source.path(), format)?;
    let n_genes = source.genes().len();
    let max_genes = format.max_genes();
    if n_genes == 0 || n_genes > max_genes {
        return Err(Error::limit(
            source.path(),
            format!(
                "{n_genes} genes; {} holds 1 to {max_genes} genes",
                format.name()
            ),
        ));
    }
    if source.n_cells() == 0 {
        return Err(Error::limit(
            source.path(),
            "no cells; a dataset holds at least one",
        ));
    }
    if let Some(field) = source
        .obs_fields()
        .iter()
        .find(|field| field.name == CELL_NAMES)
    {
        return Err(Error::argument(format!(
            "'{}': an obs column is called '{}', which is where cell names go; leave it out",
            source.path().display(),
            field.name
        )));
    }
    Ok(())
}

fn check_layers(layers: &[LayerField], path: &Path, format: DatasetFormat) -> Result<()> {
    if layers.is_empty() {
        return Err(Error::argument("no layer; at least one is needed"));
    }
    for (idx, layer) in layers.iter().enumerate() {
        check_text(&layer.name, "the name of a layer", path)?;
        let name = &layer.name;
        if name.is_empty() || layers.iter().take(idx).any(|other| other.name == *name) {
            return Err(Error::argument(format!(
                "layers must have names, all different; there is '{name}' again, or empty"
            )));
        }
        if let DatasetFormat::Deltacells { .. } = format
            && layer.kind != LayerKind::Count
        {
            let problem = format!(
                "layer '{name}' holds {} values, the deltacells format holds counts: \
                 write the axtile format",
                layer.kind.name()
            );
            return Err(Error::unsupported(path, problem));
        }
    }
    Ok(())
}

/// Refuses texts that R could not hold.
pub(crate) fn check_texts(table: &Table, path: &Path) -> Result<()> {
    for (field, column) in table.fields.iter().zip(&table.columns) {
        check_text(&field.name, "the name of a column", path)?;
        let what = || format!("column '{}'", field.name);
        if let Kind::Category { levels, .. } = &field.kind {
            levels
                .iter()
                .try_for_each(|level| check_text(level, &what(), path))?;
        }
        if let Column::Text(values) = column {
            values
                .iter()
                .flatten()
                .try_for_each(|text| check_text(text, &what(), path))?;
        }
    }
    Ok(())
}

/// As [`check_texts`], for one text; `what` it is.
pub(crate) fn check_text(text: &str, what: &str, path: &Path) -> Result<()> {
    if text.contains('\0') {
        return Err(Error::unsupported(
            path,
            format!("{what} holds a zero byte, which no text in R can"),
        ));
    }
    Ok(())
}
