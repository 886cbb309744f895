//! What is refused before anything is written.

use std::path::Path;

use axtile_codec::deltacells::{MAX_GENES, check_level};
use axtile_core::{Error, Result};
use axtile_table::{Column, Kind, Table};

use crate::source::CellSource;
use crate::write::{CELL_NAMES, WriteOptions};

/// Refuses options that make no sense, and sources that the format, or R, cannot
/// hold.
pub(crate) fn check_source(source: &dyn CellSource, options: &WriteOptions) -> Result<()> {
    check_level(options.level)?;
    if options.tile_size == 0 || options.n_chunks == 0 || options.obs_tiles_per_file == 0 {
        return Err(Error::argument(
            "tile size, chunks and tiles per obs file must be at least 1",
        ));
    }
    for gene in source.genes() {
        check_text(gene, "the name of a gene", source.path())?;
    }
    let n_genes = source.genes().len();
    if n_genes == 0 || n_genes > MAX_GENES {
        return Err(Error::limit(
            source.path(),
            format!(
                "{n_genes} genes; the deltacells format, version 1, holds 1 to {MAX_GENES} genes"
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
