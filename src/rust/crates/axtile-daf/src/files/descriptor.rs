//! Descriptors: the JSON beside the files of a vector or matrix that says
//! what they hold. Version 1.1 describes each array of sparse data by itself;
//! version 1.0 gives two types for all of them.

use std::path::Path;

use axtile_core::{Error, Result};
use serde_json::{Map, Value};

use crate::model::ElementType;
use crate::shard::Packing;

/// What the files of a vector or matrix hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Descriptor {
    /// All values, in `data`, `txt` or `zip`.
    Dense(Array),
    /// Positions, and the kept values.
    Sparse {
        /// One array for vectors (`nzind`), two for matrices (`colptr`,
        /// `rowval`).
        positions: Vec<Array>,
        /// `nzval` or `nztxt`; all true if there are none.
        values: Option<Array>,
        /// True values have no file even though they are described.
        may_lack_values: bool,
    },
}

/// One array in a file of its own.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    pub(super) kind: ElementType,
    /// Not given where the axes, or the size of the file, tell.
    pub(super) n_elements: Option<usize>,
    /// How it is packed, unless the file is the array.
    pub(super) packing: Option<Packing>,
}

impl Descriptor {
    /// Reads the descriptor in `path` of a thing with these arrays of
    /// positions if it is sparse.
    pub(super) fn parse(path: &Path, bytes: &[u8], positions: &[&str]) -> Result<Descriptor> {
        let reader = Reader { path };
        let value: Value = serde_json::from_slice(bytes).map_err(|error| {
            Error::corrupt(
                path,
                format!("line {}, column {}", error.line(), error.column()),
                format!("no valid JSON: {error}"),
            )
        })?;
        let object = reader.object(&value, "the descriptor")?;
        match object.get("format").and_then(Value::as_str) {
            Some("dense") => Ok(Descriptor::Dense(reader.array(object, "the descriptor")?)),
            Some("sparse") if object.contains_key("eltype") => {
                let positions = vec![reader.plain(object, "indtype")?; positions.len()];
                let values = reader.plain(object, "eltype")?;
                reader.check_positions(&positions)?;
                Ok(Descriptor::Sparse {
                    positions,
                    may_lack_values: values.kind == ElementType::Bool,
                    values: Some(values),
                })
            }
            Some("sparse") => {
                let positions = positions
                    .iter()
                    .map(|name| reader.component(object, name))
                    .collect::<Result<Vec<Array>>>()?;
                reader.check_positions(&positions)?;
                let values = match object.get("nzval") {
                    Some(_) => Some(reader.component(object, "nzval")?),
                    None => None,
                };
                Ok(Descriptor::Sparse {
                    positions,
                    values,
                    may_lack_values: false,
                })
            }
            _ => Err(reader.problem("format", "neither \"dense\" nor \"sparse\"")),
        }
    }
}

struct Reader<'a> {
    path: &'a Path,
}

impl Reader<'_> {
    fn problem(&self, key: &str, problem: &str) -> Error {
        Error::corrupt(self.path, format!("the key {key:?}"), problem)
    }

    fn object<'v>(&self, value: &'v Value, what: &str) -> Result<&'v Map<String, Value>> {
        value
            .as_object()
            .ok_or_else(|| Error::corrupt(self.path, what, "no JSON object"))
    }

    fn kind(&self, object: &Map<String, Value>, key: &str) -> Result<ElementType> {
        object
            .get(key)
            .and_then(Value::as_str)
            .and_then(ElementType::parse)
            .ok_or_else(|| self.problem(key, "no name of an element type"))
    }

    fn plain(&self, object: &Map<String, Value>, key: &str) -> Result<Array> {
        Ok(Array {
            kind: self.kind(object, key)?,
            n_elements: None,
            packing: None,
        })
    }

    fn component(&self, object: &Map<String, Value>, key: &str) -> Result<Array> {
        let value = object
            .get(key)
            .ok_or_else(|| self.problem(key, "missing"))?;
        let array = self.array(self.object(value, key)?, key)?;
        if array.n_elements.is_none() {
            return Err(self.problem(key, "\"n_elements\" is no count"));
        }
        Ok(array)
    }

    fn array(&self, object: &Map<String, Value>, what: &str) -> Result<Array> {
        if object.get("format").and_then(Value::as_str) != Some("dense") {
            return Err(self.problem(what, "the \"format\" is not \"dense\""));
        }
        let n_elements = match object.get("n_elements") {
            None => None,
            Some(value) => Some(
                value
                    .as_u64()
                    .and_then(|n| usize::try_from(n).ok())
                    .ok_or_else(|| self.problem(what, "\"n_elements\" is no count"))?,
            ),
        };
        let packing = match object.get("packed_format") {
            None => None,
            Some(_) => Some(Packing::parse(self.path, object)?),
        };
        Ok(Array {
            kind: self.kind(object, "eltype")?,
            n_elements,
            packing,
        })
    }

    fn check_positions(&self, positions: &[Array]) -> Result<()> {
        match positions.iter().find(|array| !array.kind.is_integer()) {
            Some(array) => Err(self.problem(
                "indtype",
                &format!("positions cannot be of type {}", array.kind),
            )),
            None => Ok(()),
        }
    }
}

/// The descriptor of flat dense values.
pub(super) fn dense(kind: ElementType) -> String {
    format!("{{\"format\":\"dense\",\"eltype\":\"{kind}\"}}\n")
}

/// The descriptor of flat sparse values: the names, types and lengths of the
/// arrays.
pub(super) fn sparse(arrays: &[(&str, ElementType, usize)]) -> String {
    let mut text = String::from("{\"format\":\"sparse\"");
    for (name, kind, n_elements) in arrays {
        text.push_str(&format!(
            ",\"{name}\":{{\"format\":\"dense\",\"eltype\":\"{kind}\",\"n_elements\":{n_elements}}}"
        ));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, positions: &[&str]) -> Result<Descriptor> {
        Descriptor::parse(Path::new("a.json"), text.as_bytes(), positions)
    }

    #[test]
    fn what_is_written_is_read() {
        let array = |kind, n_elements| Array {
            kind,
            n_elements,
            packing: None,
        };
        let text = dense(ElementType::UInt8);
        assert_eq!(text, "{\"format\":\"dense\",\"eltype\":\"UInt8\"}\n");
        assert_eq!(
            parse(&text, &[]).unwrap(),
            Descriptor::Dense(array(ElementType::UInt8, None))
        );
        let text = sparse(&[
            ("nzind", ElementType::UInt32, 3),
            ("nzval", ElementType::Float64, 3),
        ]);
        assert_eq!(
            parse(&text, &["nzind"]).unwrap(),
            Descriptor::Sparse {
                positions: vec![array(ElementType::UInt32, Some(3))],
                values: Some(array(ElementType::Float64, Some(3))),
                may_lack_values: false
            }
        );
    }

    #[test]
    fn broken_descriptors_are_damage() {
        let broken = [
            "",
            "[]",
            "{}",
            "{\"format\":\"other\"}",
            "{\"format\":\"dense\"}",
            "{\"format\":\"dense\",\"eltype\":\"Float16\"}",
            "{\"format\":\"dense\",\"eltype\":3}",
            "{\"format\":\"sparse\"}",
            "{\"format\":\"sparse\",\"eltype\":\"Bool\"}",
            "{\"format\":\"sparse\",\"eltype\":\"Bool\",\"indtype\":\"Float64\"}",
            "{\"format\":\"sparse\",\"nzind\":3}",
            "{\"format\":\"sparse\",\"nzind\":{\"format\":\"dense\",\"eltype\":\"Int8\"}}",
            "{\"format\":\"sparse\",\"nzind\":{\"format\":\"dense\",\"eltype\":\"Int8\",\
             \"n_elements\":-1}}",
            "{\"format\":\"sparse\",\"nzind\":{\"format\":\"dense\",\"eltype\":\"String\",\
             \"n_elements\":1}}",
        ];
        for text in broken {
            let error = parse(text, &["nzind"]).unwrap_err();
            assert!(matches!(error, Error::Corrupt { .. }), "{text}: {error}");
        }
        let deep = "[".repeat(100_000);
        assert!(matches!(parse(&deep, &[]), Err(Error::Corrupt { .. })));
    }
}
