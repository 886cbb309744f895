//! The text files beside a 10x Genomics matrix: `barcodes.tsv` with a name a
//! line, `features.tsv` with identifier, symbol, type and for peaks a place,
//! or `genes.tsv` of older versions with identifier and symbol. None has a head.
//! <https://www.10xgenomics.com/support/software/cell-ranger/latest/analysis/outputs/cr-outputs-mex-matrices>

use std::path::Path;

use axtile_core::Result;
use axtile_table::{Column, Field, Kind, Table};

use super::lines::Lines;
use crate::options::GeneNames;

/// What the columns of `features.tsv` are.
const NAMES: [&str; 6] = ["id", "name", "feature_type", "chromosome", "start", "end"];

/// Gene names and the other columns.
pub(super) struct Features {
    pub(super) genes: Vec<String>,
    pub(super) var: Table,
}

/// Reads names, one a line.
pub(super) fn read_names(path: &Path) -> Result<Vec<String>> {
    let mut lines = Lines::open(path)?;
    let mut names = Vec::new();
    while let Some(name) = lines.next_text()? {
        names.push(name);
    }
    Ok(names)
}

/// Reads a table of features; a single column is identifier and symbol.
pub(super) fn read_features(path: &Path, names: GeneNames, exclude: &[String]) -> Result<Features> {
    let mut lines = Lines::open(path)?;
    let mut columns: Vec<Vec<Option<String>>> = Vec::new();
    let mut n_rows = 0;
    while let Some(line) = lines.next_text()? {
        let mut n_fields = 0;
        for (at, text) in line.split('\t').enumerate() {
            n_fields = at + 1;
            if at == columns.len() && n_rows == 0 {
                columns.push(Vec::new());
            }
            match columns.get_mut(at) {
                Some(column) => column.push(Some(text.to_owned())),
                None => {
                    let problem =
                        format!("more than the {} columns of the first line", columns.len());
                    return Err(lines.corrupt(problem));
                }
            }
        }
        let last = if names == GeneNames::Symbol { 2 } else { 1 };
        if n_fields < last.min(columns.len()) {
            return Err(lines.corrupt("the gene's symbol is missing"));
        }
        // Peaks have a place where genes have none.
        for column in columns.iter_mut().skip(n_fields) {
            column.push(None);
        }
        n_rows += 1;
    }
    let named = match names {
        GeneNames::Symbol if columns.len() > 1 => 1,
        _ => 0,
    };
    let mut features = Features {
        genes: Vec::new(),
        var: Table {
            n_rows,
            ..Table::default()
        },
    };
    for (at, texts) in columns.into_iter().enumerate() {
        if at == named {
            features.genes = texts.into_iter().map(Option::unwrap_or_default).collect();
            continue;
        }
        let name = match NAMES.get(at) {
            Some(name) => (*name).to_owned(),
            None => format!("column_{}", at + 1),
        };
        if exclude.contains(&name) {
            continue;
        }
        features.var.fields.push(Field {
            name,
            kind: Kind::Text,
        });
        features.var.columns.push(Column::Text(texts));
    }
    Ok(features)
}
