//! What a view shows, and that in JSON.

use axtile_core::{Error, Result};
use serde_json::{Map, Value, json};

/// What a view shows. Of several items for the same thing, the last one
/// counts. A query of `=` shows the thing as it is; none hides it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewSpec {
    /// The axes by name, or `*` for all. All are shown if there is no list.
    pub axes: Option<Vec<(String, Option<String>)>>,
    /// Scalars, vectors and matrices. All are shown if there is no list.
    pub data: Option<Vec<(DataKey, Option<String>)>>,
}

/// Which data an item of a view is about. `*` in the place of a name is all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataKey {
    /// The name of a scalar.
    Scalar(String),
    /// The axis and name of a vector.
    Vector(String, String),
    /// The rows, columns and name of a matrix.
    Matrix(String, String, String),
}

impl DataKey {
    pub(super) fn is_wildcard(&self) -> bool {
        self.names().contains(&"*")
    }

    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            DataKey::Scalar(name) => vec![name],
            DataKey::Vector(axis, name) => vec![axis, name],
            DataKey::Matrix(rows, columns, name) => vec![rows, columns, name],
        }
    }

    fn from_names(names: &[&str]) -> Option<DataKey> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        match <[String; 1]>::try_from(names) {
            Ok([name]) => Some(DataKey::Scalar(name)),
            Err(names) => match <[String; 2]>::try_from(names) {
                Ok([axis, name]) => Some(DataKey::Vector(axis, name)),
                Err(names) => {
                    let [rows, columns, name] = <[String; 3]>::try_from(names).ok()?;
                    Some(DataKey::Matrix(rows, columns, name))
                }
            },
        }
    }
}

impl ViewSpec {
    /// The JSON of the view: lists of objects of one key each, in which the
    /// names of vectors and matrices are written as tuples.
    pub fn to_json(&self) -> String {
        let mut object = Map::new();
        if let Some(axes) = &self.axes {
            let items = axes.iter().map(|(key, query)| json!({ key: query }));
            object.insert("axes".into(), items.collect());
        }
        if let Some(data) = &self.data {
            let items = data.iter().map(|(key, query)| {
                let names = key.names();
                let text = match names.as_slice() {
                    [name] => (*name).to_owned(),
                    names => {
                        let quoted: Vec<String> = names
                            .iter()
                            .map(|&name| Value::from(name).to_string())
                            .collect();
                        format!("({})", quoted.join(","))
                    }
                };
                json!({ text: query })
            });
            object.insert("data".into(), items.collect());
        }
        Value::Object(object).to_string()
    }

    /// Reads the JSON of a view, also if its items are pairs of key and query.
    ///
    /// # Errors
    /// `Error::Argument` that says what is wrong.
    pub fn from_json(text: &str) -> Result<ViewSpec> {
        let wrong = |what: &str| Error::argument(format!("the view {text} {what}"));
        let value: Value = serde_json::from_str(text).map_err(|_| wrong("is no valid JSON"))?;
        let object = value
            .as_object()
            .ok_or_else(|| wrong("is no JSON object"))?;
        let items = |key: &str| -> Result<Option<Vec<Item>>> {
            match object.get(key) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::Array(items)) => items
                    .iter()
                    .map(|value| item(value).ok_or_else(|| wrong("has an item that is no pair")))
                    .collect::<Result<Vec<_>>>()
                    .map(Some),
                Some(_) => Err(wrong("has something else than a list of items")),
            }
        };
        let axes = match items("axes")? {
            None => None,
            Some(items) => Some(
                items
                    .into_iter()
                    .map(|(key, query)| match key {
                        Value::String(key) => Ok((key, query)),
                        _ => Err(wrong("has an axis whose name is no text")),
                    })
                    .collect::<Result<Vec<_>>>()?,
            ),
        };
        let data = match items("data")? {
            None => None,
            Some(items) => Some(
                items
                    .into_iter()
                    .map(|(key, query)| match data_key(&key) {
                        Some(key) => Ok((key, query)),
                        None => Err(wrong("has data whose key is no name or list of names")),
                    })
                    .collect::<Result<Vec<_>>>()?,
            ),
        };
        Ok(ViewSpec { axes, data })
    }
}

/// A key and a query of a list.
type Item = (Value, Option<String>);

fn item(value: &Value) -> Option<Item> {
    let (key, query) = match value {
        Value::Object(object) if object.len() == 1 => {
            let (key, query) = object.iter().next()?;
            (Value::from(key.as_str()), query)
        }
        Value::Array(pair) => match pair.as_slice() {
            [key, query] => (key.clone(), query),
            _ => return None,
        },
        _ => return None,
    };
    match query {
        Value::Null => Some((key, None)),
        Value::String(query) => Some((key, Some(query.clone()))),
        _ => None,
    }
}

fn data_key(key: &Value) -> Option<DataKey> {
    match key {
        Value::String(text) if text.starts_with('(') => {
            let list = format!("[{}]", text.strip_prefix('(')?.strip_suffix(')')?);
            data_key(&serde_json::from_str(&list).ok()?)
        }
        Value::String(name) => Some(DataKey::Scalar(name.clone())),
        Value::Array(names) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            DataKey::from_names(&names?)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> ViewSpec {
        let query = |text: &str| Some(text.to_owned());
        ViewSpec {
            axes: Some(vec![
                ("*".into(), query("=")),
                ("cell".into(), query("@ cell [ age > 1 ]")),
                ("gene".into(), None),
            ]),
            data: Some(vec![
                (DataKey::Scalar("s".into()), query("=")),
                (DataKey::Vector("cell".into(), "a\"b".into()), query(": x")),
                (DataKey::Matrix("*".into(), "*".into(), "*".into()), None),
            ]),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let spec = spec();
        assert_eq!(ViewSpec::from_json(&spec.to_json()).unwrap(), spec);
        let empty = ViewSpec::default();
        assert_eq!(empty.to_json(), "{}");
        assert_eq!(ViewSpec::from_json("{}").unwrap(), empty);
        assert!(
            spec.to_json()
                .starts_with("{\"axes\":[{\"*\":\"=\"},{\"cell\":\"@ cell [ age > 1 ]\"}")
        );
    }

    #[test]
    fn pairs_are_read() {
        let json = "{\"axes\":[[\"cell\",\"=\"],[\"gene\",null]],\
                    \"data\":[[\"s\",\"=\"],[[\"cell\",\"age\"],\": x\"]]}";
        let read = ViewSpec::from_json(json).unwrap();
        assert_eq!(read.axes.unwrap()[1], ("gene".into(), None));
        assert_eq!(
            read.data.unwrap()[1].0,
            DataKey::Vector("cell".into(), "age".into())
        );
    }

    #[test]
    fn what_is_no_view_is_refused() {
        for json in [
            "",
            "[]",
            "{\"axes\":3}",
            "{\"axes\":[3]}",
            "{\"axes\":[[\"a\"]]}",
            "{\"axes\":[[\"a\",3]]}",
            "{\"axes\":[[[\"a\"],\"=\"]]}",
            "{\"data\":[[[\"a\",\"b\",\"c\",\"d\"],\"=\"]]}",
            "{\"data\":[[[],\"=\"]]}",
            "{\"data\":[{\"(\":\"=\"}]}",
        ] {
            assert!(
                matches!(ViewSpec::from_json(json), Err(Error::Argument { .. })),
                "{json}"
            );
        }
    }
}
