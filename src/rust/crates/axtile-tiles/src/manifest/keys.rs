//! Takes keys out of JSON objects, with errors that name them.

use std::path::Path;

use axtile_core::{Error, Result};
use serde_json::{Map, Value};

/// An object of the manifest that is being read.
pub(super) struct Keys<'a> {
    path: &'a Path,
    /// Where the object is: nothing, or `layers[2].`.
    place: String,
    json: Map<String, Value>,
}

impl<'a> Keys<'a> {
    /// The object `value`, at `place`.
    pub(super) fn new(path: &'a Path, place: impl Into<String>, value: Value) -> Result<Keys<'a>> {
        let place = place.into();
        match value {
            Value::Object(json) => Ok(Keys { path, place, json }),
            _ => {
                let place = if place.is_empty() {
                    "top level"
                } else {
                    &place
                };
                Err(Error::corrupt(path, place, "not an object"))
            }
        }
    }

    /// An error about a key.
    pub(super) fn wrong(&self, key: &str, problem: impl Into<String>) -> Error {
        Error::corrupt(self.path, format!("key '{}{key}'", self.place), problem)
    }

    /// Refuses keys that nobody took.
    pub(super) fn end(self) -> Result<()> {
        match self.json.keys().next() {
            Some(key) => Err(self.wrong(key, "not a key of this version")),
            None => Ok(()),
        }
    }

    /// The value of a key, if there is one.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.json.shift_remove(key)
    }

    /// The value of a key that must be there.
    pub(super) fn value(&mut self, key: &str) -> Result<Value> {
        self.take(key).ok_or_else(|| self.wrong(key, "missing"))
    }

    pub(super) fn text(&mut self, key: &str) -> Result<String> {
        match self.value(key)? {
            Value::String(text) => Ok(text),
            value => Err(self.wrong(key, format!("{value}, expected a text"))),
        }
    }

    pub(super) fn integer(&mut self, key: &str, default: Option<u64>) -> Result<u64> {
        match (self.take(key), default) {
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.wrong(key, "missing")),
            (Some(value), _) => value
                .as_u64()
                .ok_or_else(|| self.wrong(key, format!("{value}, expected a whole number"))),
        }
    }

    pub(super) fn signed(&mut self, key: &str) -> Result<i64> {
        let value = self.value(key)?;
        value
            .as_i64()
            .ok_or_else(|| self.wrong(key, format!("{value}, expected a whole number")))
    }

    /// True or false; false where the key is missing.
    pub(super) fn flag(&mut self, key: &str) -> Result<bool> {
        match self.take(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(value) => Err(self.wrong(key, format!("{value}, expected true or false"))),
        }
    }

    /// The values of a list; `None` where the key is missing.
    pub(super) fn list(&mut self, key: &str) -> Result<Option<Vec<Value>>> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Array(values)) => Ok(Some(values)),
            Some(_) => Err(self.wrong(key, "not a list")),
        }
    }

    pub(super) fn integers(&mut self, key: &str, is_optional: bool) -> Result<Vec<u64>> {
        let values = match self.list(key)? {
            None if is_optional => return Ok(Vec::new()),
            None => return Err(self.wrong(key, "missing")),
            Some(values) => values,
        };
        let number = |value: Value| {
            value
                .as_u64()
                .ok_or_else(|| self.wrong(key, format!("{value}, expected a whole number")))
        };
        values.into_iter().map(number).collect()
    }

    /// Texts; none where the key is missing.
    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>> {
        let values = self.list(key)?.unwrap_or_default();
        let text = |value: Value| match value {
            Value::String(text) => Ok(text),
            value => Err(self.wrong(key, format!("{value}, expected a text"))),
        };
        values.into_iter().map(text).collect()
    }
}
