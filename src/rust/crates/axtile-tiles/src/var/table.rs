//! `var.parquet`: annotations of the genes in stored order, as pandas writes a
//! DataFrame with its index.
//!
//! The index, which holds the names of the genes, is a column behind the
//! others. Which one it is, what it is called, and which columns are categories
//! stands in the entry `pandas` of the file's metadata (a JSON text that
//! pandas' developer documentation describes); categories themselves are plain
//! texts. A file without that entry has its index in the last column.
//!
//! The levels of a category are, in this order of preference: those in the
//! entry `axtile`, which our own files have; those in the dictionary of the
//! column, where pyarrow puts all levels in their order, if their number is the
//! one in `pandas`; else the labels in order of first appearance. Categories
//! that are no texts become texts as Python prints them, in increasing order.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::sync_folder;
use axtile_table::ipc::parquet_schema;
use axtile_table::parquet::{Categories, ParquetFile, ParquetWriter};
use axtile_table::{Column, Field, Kind, Table};

use super::labels::{factor, texts};
use super::pandas::{self, Description};

pub(crate) const FILE: &str = "var.parquet";

/// The zstd level of pyarrow.
const LEVEL: i32 = 1;

/// What a dataset says of its genes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VarTable {
    /// The names of the genes.
    pub names: Option<Vec<String>>,
    /// What the names are called, if anything.
    pub index_name: Option<String>,
    /// The annotations; a row for each gene.
    pub table: Table,
}

impl VarTable {
    /// A table of so many genes without names and annotations.
    pub fn without_columns(n_genes: usize) -> VarTable {
        VarTable {
            table: Table {
                n_rows: n_genes,
                ..Table::default()
            },
            ..VarTable::default()
        }
    }

    /// The genes in another order: gene `j` of the result is gene `order[j]`.
    /// Numbers out of range are passed over.
    #[must_use]
    pub fn permuted(&self, order: &[u32]) -> VarTable {
        let n_rows = self.table.n_rows;
        let order = order.iter().map(|gene| *gene as usize);
        let order: Vec<usize> = order.filter(|gene| *gene < n_rows).collect();
        let names = self.names.as_ref().map(|names| {
            let names = order.iter().filter_map(|gene| names.get(*gene).cloned());
            names.collect()
        });
        let columns = self.table.columns.iter();
        VarTable {
            names,
            index_name: self.index_name.clone(),
            table: Table {
                fields: self.table.fields.clone(),
                columns: columns.filter_map(|column| column.gather(&order)).collect(),
                n_rows: order.len(),
            },
        }
    }
}

/// Reads the annotations of a dataset's genes.
///
/// # Errors
/// If the file cannot be read, is damaged, has another number of rows than
/// `n_genes`, more than one index, or a column of a type that is not read.
pub fn read_var(dataset_dir: &Path, n_genes: usize) -> Result<VarTable> {
    let path = dataset_dir.join(FILE);
    let file = ParquetFile::open(&path)?;
    let n_rows: u64 = file.group_rows().sum();
    // The parquet crate counts rows by columns: without one there is no row.
    let has_nothing = file.columns().is_empty() && n_rows == 0;
    if n_rows != n_genes as u64 && !has_nothing {
        let problem = format!("{n_rows} rows, expected one for each of {n_genes} genes");
        return Err(Error::corrupt(&path, "row groups", problem));
    }
    let names: Vec<&str> = file
        .columns()
        .iter()
        .map(|leaf| leaf.name.as_str())
        .collect();
    for (i, name) in names.iter().enumerate() {
        if names.iter().take(i).any(|earlier| earlier == name) {
            let problem = format!("two columns have the name '{name}'");
            return Err(Error::corrupt(&path, "columns", problem));
        }
    }
    let description = match file.metadata(pandas::KEY) {
        Some(text) => Description::parse(&path, text, &names)?,
        None => Description::without_metadata(&names),
    };
    let own = match file.metadata(pandas::OWN_KEY) {
        Some(text) => pandas::own_levels(&path, text)?,
        None => Vec::new(),
    };

    let mut var = VarTable::without_columns(n_genes);
    var.index_name = description.index_name.clone();
    for (i, name) in names.iter().enumerate() {
        let stored = read_column(&file, i)?;
        if description.index == Some(i) {
            let labels = texts(&stored).into_iter().collect::<Option<Vec<_>>>();
            let labels = labels.ok_or_else(|| {
                let place = format!("column '{name}'");
                Error::corrupt(&path, place, "the name of a gene is missing")
            })?;
            var.names = Some(labels);
            continue;
        }
        let category = description.categories.iter().find(|c| c.column == i);
        let levels = own.iter().find(|(column, ..)| column == name);
        let (kind, column) = match (levels, category) {
            (Some((_, levels, ordered)), _) => factor(&texts(&stored), levels.clone(), *ordered)
                .map_err(|problem| Error::corrupt(&path, format!("column '{name}'"), problem))?,
            (None, Some(category)) => {
                let stored_levels = stored_levels(&file, i, category.n_levels)?;
                let labels = texts(&stored);
                let levels = stored_levels.unwrap_or_else(|| super::labels::levels_of(&stored));
                factor(&labels, levels, category.ordered)
                    .map_err(|problem| Error::corrupt(&path, format!("column '{name}'"), problem))?
            }
            (None, None) => (kind_of(&file, i)?, stored),
        };
        var.table.fields.push(Field {
            name: (*name).to_owned(),
            kind,
        });
        var.table.columns.push(column);
    }
    Ok(var)
}

/// A column of all row groups.
fn read_column(file: &ParquetFile, column: usize) -> Result<Column> {
    let mut all = kind_of(file, column)?.empty_column();
    for group in 0..file.group_rows().len() {
        if !all.append(file.read_stored(group, column)?) {
            return Err(Error::corrupt(
                file.path(),
                "columns",
                "pieces of different types",
            ));
        }
    }
    Ok(all)
}

fn kind_of(file: &ParquetFile, column: usize) -> Result<Kind> {
    let leaf = file.columns().get(column);
    let kind = leaf.and_then(|leaf| leaf.stored.kind());
    kind.ok_or_else(|| {
        let (name, stored) = leaf.map_or(("", String::new()), |leaf| {
            (leaf.name.as_str(), leaf.stored.to_string())
        });
        Error::unsupported(
            file.path(),
            format!("the column '{name}' is of the type {stored}"),
        )
    })
}

/// The levels in the dictionary of a text column, if there are `n_levels`.
fn stored_levels(
    file: &ParquetFile,
    column: usize,
    n_levels: Option<u64>,
) -> Result<Option<Vec<String>>> {
    // With several row groups each has a dictionary of its own.
    if file.group_rows().len() != 1 {
        return Ok(None);
    }
    let levels = file.read_dictionary(0, column)?;
    Ok(levels.filter(|levels| n_levels == Some(levels.len() as u64)))
}

/// Writes the annotations of a dataset's genes.
///
/// # Errors
/// If names and annotations are of different numbers of genes, a value does not
/// fit its type, two columns have one name, or writing fails.
pub fn write_var(dataset_dir: &Path, var: &VarTable) -> Result<()> {
    let path = dataset_dir.join(FILE);
    let mut table = var.table.clone();
    for (i, field) in table.fields.iter().enumerate() {
        if table
            .fields
            .iter()
            .take(i)
            .any(|earlier| earlier.name == field.name)
        {
            let problem = format!("two var columns have the name '{}'", field.name);
            return Err(Error::argument(problem));
        }
    }
    if let Some(names) = &var.names {
        if names.len() != table.n_rows {
            return Err(Error::argument(format!(
                "{} names of genes for {} rows of var",
                names.len(),
                table.n_rows
            )));
        }
        let is_column = |name: &str| table.fields.iter().any(|field| field.name == name);
        let name = match &var.index_name {
            Some(name) if !is_column(name) => name.clone(),
            _ if is_column(pandas::UNNAMED_INDEX) => {
                let name = pandas::UNNAMED_INDEX;
                let problem = format!("a var column is called '{name}', as the index would be");
                return Err(Error::argument(problem));
            }
            _ => pandas::UNNAMED_INDEX.to_owned(),
        };
        table.fields.push(Field {
            name,
            kind: Kind::Text,
        });
        table
            .columns
            .push(Column::Text(names.iter().cloned().map(Some).collect()));
    }
    let pandas = pandas::describe(var, &table);
    let own = pandas::describe_levels(&var.table.fields);
    let metadata = [
        (pandas::KEY, pandas.as_str()),
        (pandas::OWN_KEY, own.as_str()),
    ];
    let arrow = parquet_schema(&table.fields, &metadata);
    let [pandas, own] = metadata;
    let metadata = [pandas, own, ("ARROW:schema", arrow.as_str())];

    let file = File::create(&path).map_err(Error::io("create", &path))?;
    let out = BufWriter::new(file);
    let mut writer = ParquetWriter::new(out, &path, &table.fields, Categories::Labels, LEVEL)?;
    writer.write_group(&table)?;
    let file = writer.finish(&metadata)?.into_inner();
    let file = file.map_err(std::io::IntoInnerError::into_error);
    file.and_then(|file| file.sync_all())
        .map_err(Error::io("write", &path))?;
    sync_folder(dataset_dir)
}
