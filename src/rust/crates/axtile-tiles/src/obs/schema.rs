//! `obs/schema.json`: names, types and category labels of the cells'
//! annotations, and the fingerprint that identifies a dataset's obs.
//!
//! The file is one line of Python's JSON:
//! `{"format": "deltacells-obs", "version": 1, "columns": [{"name": ...,
//! "kind": ..., "arrow_type": ..., "categories": [...] or null}, ...]}`.

use std::collections::HashSet;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_table::{Field, IntegerType, Kind, RealType, Stored};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::digest::{FINGERPRINT_LEN, hex};
use crate::python_json;

/// The file, in the folder `obs`.
pub(super) const FILE: &str = "schema.json";

const FORMAT: &str = "deltacells-obs";
const VERSION: u64 = 1;

/// A column and how it is stored.
#[derive(Clone, Debug)]
pub(super) struct ObsColumn {
    pub(super) field: Field,
    /// The type of the codes of a category.
    pub(super) codes: Option<IntegerType>,
}

impl ObsColumn {
    /// The type of the values in shards and cached files.
    pub(super) fn stored(&self) -> Stored {
        match (&self.field.kind, self.codes) {
            (_, Some(codes)) => Stored::Integer(codes),
            (Kind::Category { .. }, None) => Stored::Integer(IntegerType::I32),
            (Kind::Integer(width), None) => Stored::Integer(*width),
            (Kind::Real(width), None) => Stored::Real(*width),
            (Kind::Bool, None) => Stored::Bool,
            (Kind::Text, None) => Stored::Text,
        }
    }
}

/// The columns, in their order in the shards.
#[derive(Clone, Debug)]
pub(super) struct ObsSchema {
    pub(super) columns: Vec<ObsColumn>,
}

impl ObsSchema {
    /// The schema of columns to be written.
    pub(super) fn new(path: &Path, fields: &[Field]) -> Result<ObsSchema> {
        let mut names = HashSet::new();
        let columns = fields.iter().map(|field| {
            let name = &field.name;
            if !names.insert(name) {
                let problem = format!("two obs columns have the name '{name}'");
                return Err(Error::argument(problem));
            }
            let mut codes = None;
            if let Kind::Category { levels, .. } = &field.kind {
                if let Some(level) = repeated(levels) {
                    let problem = format!("the obs column '{name}' has the level '{level}' twice");
                    return Err(Error::argument(problem));
                }
                codes = IntegerType::for_codes(levels.len());
                if codes.is_none() {
                    let problem = format!("the obs column '{name}' has more than 2^31-1 levels");
                    return Err(Error::limit(path, problem));
                }
            }
            Ok(ObsColumn {
                field: field.clone(),
                codes,
            })
        });
        Ok(ObsSchema {
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// The canonical text.
    pub(super) fn to_json(&self) -> String {
        let columns: Vec<Value> = self.columns.iter().map(column_json).collect();
        python_json::compact(&json!({"format": FORMAT, "version": VERSION, "columns": columns}))
    }

    /// Parses the text of a file. Columns named in `ordered` become ordered
    /// categories.
    pub(super) fn parse(path: &Path, text: &str, ordered: &[String]) -> Result<ObsSchema> {
        let json: Value = serde_json::from_str(text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            Error::corrupt(path, place, format!("expected JSON: {error}"))
        })?;
        let (format, version) = (json.get("format"), json.get("version"));
        if format != Some(&json!(FORMAT)) || version != Some(&json!(VERSION)) {
            let text = |value: Option<&Value>| value.map_or("none".to_owned(), Value::to_string);
            return Err(Error::Version {
                path: path.to_owned(),
                problem: format!(
                    "format {}, version {}; expected \"{FORMAT}\", {VERSION}",
                    text(format),
                    text(version)
                ),
            });
        }
        let list = json.get("columns").and_then(Value::as_array);
        let list = list.ok_or_else(|| Error::corrupt(path, "columns", "expected a list"))?;
        let mut names = HashSet::new();
        let mut columns = Vec::new();
        for (i, json) in list.iter().enumerate() {
            let column = parse_column(json, ordered)
                .map_err(|problem| Error::corrupt(path, format!("column {i}"), problem))?;
            if !names.insert(column.field.name.clone()) {
                let problem = format!("two columns have the name '{}'", column.field.name);
                return Err(Error::corrupt(path, format!("column {i}"), problem));
            }
            columns.push(column);
        }
        Ok(ObsSchema { columns })
    }

    /// Identifies the obs of a dataset: a hash of the schema, the cells of each
    /// tile and the SHA-256 of each shard.
    pub(super) fn fingerprint(&self, tile_cells: &[u64], shards: &[String]) -> String {
        let payload = json!({
            "schema": self.to_json(),
            "tile_cells": tile_cells,
            "shards": shards,
        });
        let mut hash = hex(Sha256::new_with_prefix(python_json::sorted(&payload)));
        hash.truncate(FINGERPRINT_LEN);
        hash
    }
}

fn repeated(levels: &[String]) -> Option<&String> {
    let mut seen = HashSet::with_capacity(levels.len());
    levels.iter().find(|level| !seen.insert(*level))
}

fn column_json(column: &ObsColumn) -> Value {
    let codes = column.codes.unwrap_or(IntegerType::I32).name();
    let (kind, arrow_type, categories) = match &column.field.kind {
        Kind::Category { levels, .. } => ("category", codes, Some(levels)),
        Kind::Integer(width) => ("numeric", width.name(), None),
        Kind::Real(width) => ("numeric", width.name(), None),
        Kind::Bool => ("bool", "bool", None),
        Kind::Text => ("string", "string", None),
    };
    json!({
        "name": column.field.name,
        "kind": kind,
        "arrow_type": arrow_type,
        "categories": categories,
    })
}

fn parse_column(json: &Value, ordered: &[String]) -> Result<ObsColumn, String> {
    let object = json.as_object().ok_or("expected an object")?;
    let known = ["name", "kind", "arrow_type", "categories"];
    if let Some(key) = object.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("the unknown key '{key}'"));
    }
    let text = |key: &str| {
        let value = object.get(key).and_then(Value::as_str);
        value.ok_or_else(|| format!("expected a text as '{key}'"))
    };
    let (name, kind, arrow_type) = (text("name")?, text("kind")?, text("arrow_type")?);
    let categories = match (kind, object.get("categories")) {
        ("category", Some(Value::Array(labels))) => {
            let labels = labels.iter().map(|label| label.as_str().map(str::to_owned));
            let labels: Option<Vec<String>> = labels.collect();
            labels.ok_or("expected texts as 'categories'")?
        }
        ("category", _) => return Err("expected a list as 'categories'".to_owned()),
        (_, Some(Value::Null)) => Vec::new(),
        _ => return Err("expected null as 'categories'".to_owned()),
    };
    let integer = integer_type(arrow_type);
    let real = [RealType::F16, RealType::F32, RealType::F64];
    let real = real.into_iter().find(|width| width.name() == arrow_type);
    let mut codes = None;
    let kind = match (kind, integer, real) {
        ("category", Some(width @ (IntegerType::I8 | IntegerType::I16 | IntegerType::I32)), _) => {
            codes = Some(width);
            if let Some(label) = repeated(&categories) {
                return Err(format!("the category '{label}' occurs twice"));
            }
            Kind::Category {
                levels: categories,
                ordered: ordered.iter().any(|ordered| ordered == name),
            }
        }
        ("numeric", Some(width), _) => Kind::Integer(width),
        ("numeric", _, Some(width)) => Kind::Real(width),
        ("bool", ..) if arrow_type == "bool" => Kind::Bool,
        ("string", ..) if arrow_type == "string" => Kind::Text,
        ("category" | "numeric" | "bool" | "string", ..) => {
            return Err(format!("the kind '{kind}' with the type '{arrow_type}'"));
        }
        _ => return Err(format!("the unknown kind '{kind}'")),
    };
    Ok(ObsColumn {
        field: Field {
            name: name.to_owned(),
            kind,
        },
        codes,
    })
}

fn integer_type(name: &str) -> Option<IntegerType> {
    use IntegerType::*;
    let all = [I8, I16, I32, I64, U8, U16, U32, U64];
    all.into_iter().find(|width| width.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_those_of_the_reference() {
        let cases = include_str!("../../tests/fixtures/fingerprints.json");
        let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
        assert_eq!(cases.len(), 5);
        for case in cases {
            let text = case["schema_text"].as_str().unwrap();
            let schema = ObsSchema::parse(Path::new("x"), text, &[]).unwrap();
            assert_eq!(schema.to_json(), text);
            let tile_cells: Vec<u64> = serde_json::from_value(case["tile_cells"].clone()).unwrap();
            let shards: Vec<String> = serde_json::from_value(case["shards"].clone()).unwrap();
            let fingerprint = schema.fingerprint(&tile_cells, &shards);
            assert_eq!(fingerprint, case["fingerprint"], "{}", case["case"]);
        }
    }

    #[test]
    fn what_breaks_the_rules_is_refused() {
        let parse = |column: &str| {
            let text =
                format!(r#"{{"format": "deltacells-obs", "version": 1, "columns": [{column}]}}"#);
            ObsSchema::parse(Path::new("x"), &text, &[]).map(drop)
        };
        let column = |kind: &str, arrow: &str, categories: &str| {
            parse(&format!(
                r#"{{"name": "a", "kind": "{kind}", "arrow_type": "{arrow}", "categories": {categories}}}"#
            ))
        };
        column("category", "int8", r#"["x"]"#).unwrap();
        column("numeric", "halffloat", "null").unwrap();
        for (kind, arrow, categories) in [
            ("category", "int8", r#"["x", "x"]"#),
            ("category", "int8", r#"[1]"#),
            ("category", "int64", r#"["x"]"#),
            ("category", "int8", "null"),
            ("numeric", "int8", r#"["x"]"#),
            ("numeric", "string", "null"),
            ("bool", "int8", "null"),
            ("string", "large_string", "null"),
            ("datetime", "int64", "null"),
        ] {
            assert!(column(kind, arrow, categories).is_err(), "{kind} {arrow}");
        }
        assert!(parse(r#"{"name": "a", "kind": "bool", "arrow_type": "bool"}"#).is_err());
        assert!(parse("3").is_err());
    }
}
