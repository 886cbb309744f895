//! The metadata of `var.parquet`: the entry `pandas`, from which pandas restores
//! index and types, and the entry `axtile`, which holds the levels of factors.

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};
use serde_json::{Map, Value, json};

use super::table::VarTable;
use crate::python_json;

pub(super) const KEY: &str = "pandas";
pub(super) const OWN_KEY: &str = "axtile";

/// What pandas calls an index without a name.
pub(super) const UNNAMED_INDEX: &str = "__index_level_0__";

/// What is said of the columns.
#[derive(Debug, Default)]
pub(super) struct Description {
    /// The column that is the index.
    pub(super) index: Option<usize>,
    pub(super) index_name: Option<String>,
    pub(super) categories: Vec<Category>,
}

/// A column of categories.
#[derive(Debug)]
pub(super) struct Category {
    pub(super) column: usize,
    pub(super) n_levels: Option<u64>,
    pub(super) ordered: bool,
}

impl Description {
    /// The index is the last column, and nothing else is known.
    pub(super) fn without_metadata(names: &[&str]) -> Description {
        let last = names.last().copied();
        Description {
            index: names.len().checked_sub(1),
            index_name: last
                .filter(|name| *name != UNNAMED_INDEX)
                .map(str::to_owned),
            categories: Vec::new(),
        }
    }

    /// Parses the entry `pandas` of a file with columns of these names.
    pub(super) fn parse(path: &Path, text: &str, names: &[&str]) -> Result<Description> {
        let wrong = |problem: String| Error::corrupt(path, "the metadata 'pandas'", problem);
        let json: Value =
            serde_json::from_str(text).map_err(|error| wrong(format!("expected JSON: {error}")))?;
        let mut description = Description::default();
        let index = json.get("index_columns").and_then(Value::as_array);
        let index = index.map_or(&[][..], Vec::as_slice);
        if index.len() > 1 {
            let problem = format!("var has an index of {} levels; one is read", index.len());
            return Err(Error::unsupported(path, problem));
        }
        // An index that is a range is described in place and has no column.
        if let Some(name) = index.first().and_then(Value::as_str) {
            let position = names.iter().position(|column| *column == name);
            let problem = || wrong(format!("the index '{name}' is no column of the file"));
            description.index = Some(position.ok_or_else(problem)?);
        }
        let columns = json.get("columns").and_then(Value::as_array);
        for column in columns.into_iter().flatten() {
            let text = |key: &str| column.get(key).and_then(Value::as_str);
            let name = text("field_name").or_else(|| text("name"));
            let Some(i) = names.iter().position(|column| Some(*column) == name) else {
                continue;
            };
            if description.index == Some(i) {
                description.index_name = text("name").map(str::to_owned);
            } else if text("pandas_type") == Some("categorical") {
                let about = column.get("metadata");
                let about = |key: &str| about.and_then(|about| about.get(key));
                description.categories.push(Category {
                    column: i,
                    n_levels: about("num_categories").and_then(Value::as_u64),
                    ordered: about("ordered").and_then(Value::as_bool).unwrap_or(false),
                });
            }
        }
        Ok(description)
    }
}

/// Parses the entry `axtile`: names, levels and order of factors.
pub(super) fn own_levels(path: &Path, text: &str) -> Result<Vec<(String, Vec<String>, bool)>> {
    let levels = || {
        let json: Value = serde_json::from_str(text).ok()?;
        let entries = json.get("categories")?.as_object()?.iter();
        let entries = entries.map(|(name, entry)| {
            let levels = entry.get("levels")?.as_array()?.iter();
            let levels = levels.map(|level| level.as_str().map(str::to_owned));
            let levels = levels.collect::<Option<_>>()?;
            Some((name.clone(), levels, entry.get("ordered")?.as_bool()?))
        });
        entries.collect::<Option<Vec<_>>>()
    };
    levels().ok_or_else(|| {
        let problem = "expected JSON with the levels of categories";
        Error::corrupt(path, "the metadata 'axtile'", problem)
    })
}

/// The entry `axtile`.
pub(super) fn describe_levels(fields: &[Field]) -> String {
    let mut categories = Map::new();
    for field in fields {
        if let Kind::Category { levels, ordered } = &field.kind {
            let entry = json!({"levels": levels, "ordered": ordered});
            categories.insert(field.name.clone(), entry);
        }
    }
    python_json::compact(&json!({"version": 1, "categories": categories}))
}

/// The entry `pandas` for `var`, which is stored as `table`: with its index, if
/// it has one, as the last column.
pub(super) fn describe(var: &VarTable, table: &Table) -> String {
    let n_columns = var.table.fields.len();
    let columns = table.fields.iter().zip(&table.columns).enumerate();
    let columns: Vec<Value> = columns
        .map(|(i, (field, column))| {
            let (pandas_type, numpy_type, about) = types(field, column);
            let name = if i < n_columns {
                json!(field.name)
            } else {
                json!(var.index_name)
            };
            json!({
                "name": name,
                "field_name": field.name,
                "pandas_type": pandas_type,
                "numpy_type": numpy_type,
                "metadata": about,
            })
        })
        .collect();
    let index = match table.fields.get(n_columns) {
        Some(field) => json!(field.name),
        None => json!({
            "kind": "range",
            "name": var.index_name,
            "start": 0,
            "stop": table.n_rows,
            "step": 1,
        }),
    };
    python_json::compact(&json!({
        "index_columns": [index],
        "column_indexes": [{
            "name": null,
            "field_name": null,
            "pandas_type": "unicode",
            "numpy_type": "object",
            "metadata": {"encoding": "UTF-8"},
        }],
        "columns": columns,
        "attributes": {},
        "creator": {"library": "axtile", "version": env!("CARGO_PKG_VERSION")},
        "pandas_version": null,
    }))
}

/// pandas' names of a type: in its metadata, and of the column in memory. Whole
/// numbers and flags with missing values are of pandas' own nullable types.
fn types(field: &Field, column: &Column) -> (String, String, Value) {
    let has_missing = match column {
        Column::Integer { missing, .. } | Column::Bool { missing, .. } => missing.is_some(),
        _ => false,
    };
    let plain = |name: &str| (name.to_owned(), name.to_owned(), Value::Null);
    match &field.kind {
        Kind::Category { levels, ordered } => {
            let codes = IntegerType::for_codes(levels.len()).unwrap_or(IntegerType::I32);
            let about = json!({"num_categories": levels.len(), "ordered": ordered});
            ("categorical".to_owned(), codes.name().to_owned(), about)
        }
        Kind::Integer(width) if has_missing => {
            let nullable = width.name().replace("uint", "UInt").replace("int", "Int");
            (width.name().to_owned(), nullable, Value::Null)
        }
        Kind::Integer(width) => plain(width.name()),
        Kind::Real(RealType::F16) => plain("float16"),
        Kind::Real(RealType::F32) => plain("float32"),
        Kind::Real(RealType::F64) => plain("float64"),
        Kind::Bool if has_missing => ("bool".to_owned(), "boolean".to_owned(), Value::Null),
        Kind::Bool => plain("bool"),
        Kind::Text => ("unicode".to_owned(), "object".to_owned(), Value::Null),
    }
}
