//! AnnData's tables, obs and var, in the three layouts that files have:
//!
//! | anndata | layout | categories |
//! |---|---|---|
//! | >= 0.8 | group, one child a column | a group of codes and categories |
//! | 0.7 | group, one child a column | labels in the child `__categories` |
//! | <= 0.6 | one dataset of records | labels in `uns/<column>_categories` |
//!
//! <https://anndata.readthedocs.io/en/latest/fileformat-prose.html>

use std::ops::Range;
use std::sync::Arc;

use axtile_core::Result;
use axtile_table::{Field, Table};

use crate::columns::{StoredColumn, Values};
use crate::h5::{Dataset, Element, Group, Node};

/// The group of the labels in files of anndata 0.7.
const OLD_CATEGORIES: &str = "__categories";

/// A table of an open file.
pub(crate) struct AnnTable {
    n_rows: u64,
    index: StoredColumn,
    fields: Vec<Field>,
    columns: Vec<StoredColumn>,
}

impl AnnTable {
    /// The table `name` of `group`, without the columns `exclude`.
    pub(crate) fn open(group: &Group, name: &str, exclude: &[String]) -> Result<AnnTable> {
        match group.child(name)? {
            Some(Node::Group(table)) => AnnTable::open_group(&table, exclude),
            Some(Node::Dataset(records)) => AnnTable::open_records(group, *records, exclude),
            None => Err(group
                .file()
                .corrupt(group.name(), format!("'{name}' is missing"))),
        }
    }

    fn open_group(table: &Group, exclude: &[String]) -> Result<AnnTable> {
        let file = table.file();
        let index_name = match table.text_attribute("_index")? {
            Some(name) => name,
            None => "_index".to_owned(),
        };
        let index = table.child(&index_name)?.ok_or_else(|| {
            file.corrupt(table.name(), format!("the index '{index_name}' is missing"))
        })?;
        let index = StoredColumn::open(index, &index_name)?;
        let mut result = AnnTable {
            n_rows: index.n_rows(),
            index,
            fields: Vec::new(),
            columns: Vec::new(),
        };
        let names = match table.texts_attribute("column-order")? {
            Some(names) => names,
            None => {
                let (groups, datasets) = table.names()?;
                let mut names: Vec<String> = groups.into_iter().chain(datasets).collect();
                names.retain(|name| *name != index_name && name != OLD_CATEGORIES);
                names
            }
        };
        let old_categories = table.group(OLD_CATEGORIES)?;
        for name in names.into_iter().filter(|name| !exclude.contains(name)) {
            let node = table.child(&name)?.ok_or_else(|| {
                file.corrupt(table.name(), format!("the column '{name}' is missing"))
            })?;
            let column = match (node, &old_categories) {
                (Node::Dataset(codes), Some(labels)) if codes.has_attribute("categories") => {
                    let labels = labels.required(&name)?;
                    let ordered = labels.flag_attribute("ordered")?;
                    let levels =
                        StoredColumn::open(Node::Dataset(Box::new(labels)), &name)?.labels()?;
                    StoredColumn::category(Values::whole(*codes), levels, ordered, &name)?
                }
                (node, _) => StoredColumn::open(node, &name)?,
            };
            if column.n_rows() != result.n_rows {
                let problem = format!(
                    "{} rows in column '{name}', {} in the index",
                    column.n_rows(),
                    result.n_rows
                );
                return Err(file.corrupt(table.name(), problem));
            }
            result.push(name, column, table)?;
        }
        Ok(result)
    }

    fn open_records(group: &Group, records: Dataset, exclude: &[String]) -> Result<AnnTable> {
        let file = group.file();
        let Element::Record { fields, .. } = records.element().clone() else {
            let what = records.element().describe();
            return Err(file.unsupported(
                records.place(),
                format!("{what} where a table was expected"),
            ));
        };
        let records = Arc::new(records);
        let labels = group.group("uns")?;
        let mut fields = fields.into_iter();
        // The index is the first field, named "index" or "_index".
        let (index_name, offset, element) = fields
            .next()
            .ok_or_else(|| file.corrupt(records.place(), "records without fields"))?;
        let index = StoredColumn::plain(Values::field(&records, offset, element), &index_name)?;
        let mut result = AnnTable {
            n_rows: records.n_rows(),
            index,
            fields: Vec::new(),
            columns: Vec::new(),
        };
        for (name, offset, element) in fields.filter(|(name, ..)| !exclude.contains(name)) {
            let values = Values::field(&records, offset, element.clone());
            let labels = match (&labels, &element) {
                (Some(uns), Element::Integer { .. }) => {
                    uns.dataset(&format!("{name}_categories"))?
                }
                _ => None,
            };
            let column = match labels {
                Some(labels) if labels.rank() == 1 => {
                    let levels =
                        StoredColumn::open(Node::Dataset(Box::new(labels)), &name)?.labels()?;
                    StoredColumn::category(values, levels, false, &name)?
                }
                _ => StoredColumn::plain(values, &name)?,
            };
            result.push(name, column, group)?;
        }
        Ok(result)
    }

    fn push(&mut self, name: String, column: StoredColumn, table: &Group) -> Result<()> {
        if self.fields.iter().any(|field| field.name == name) {
            let problem = format!("the column '{name}' is there twice");
            return Err(table.file().corrupt(table.name(), problem));
        }
        self.fields.push(Field {
            name,
            kind: column.kind.clone(),
        });
        self.columns.push(column);
        Ok(())
    }

    /// The number of rows.
    pub(crate) fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// Names and types of the columns.
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The columns' values in the rows `rows`.
    pub(crate) fn read(&self, rows: Range<u64>) -> Result<Table> {
        Ok(Table {
            fields: self.fields.clone(),
            columns: self
                .columns
                .iter()
                .map(|column| column.read(rows.clone()))
                .collect::<Result<_>>()?,
            n_rows: (rows.end - rows.start) as usize,
        })
    }

    /// The index, as text, in the rows `rows`.
    pub(crate) fn names(&self, rows: Range<u64>) -> Result<Vec<String>> {
        self.index.names(rows)
    }
}
