//! Nodes of a Zarr hierarchy of version 3: folders with a `zarr.json` that
//! says whether they are groups or arrays. Arrays of a daf are one chunk each,
//! `c/0` or `c/0/0`, which is the whole array or packed.

use std::fs;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::{Map, write_file};
use serde_json::{Value, json};

use crate::mapped::mapped_values;
use crate::model::{ElementType, TextsBuilder, Values};
use crate::shard::{Compression, MAX_TEXT_CHUNK, Packing, texts, unpack};

/// The file that makes a folder a node.
pub(super) const FILE: &str = "zarr.json";

/// What a node is.
#[derive(Debug)]
pub(super) enum Node {
    Group,
    Array(Array),
}

/// An array of one or two dimensions.
#[derive(Debug)]
pub(super) struct Array {
    folder: PathBuf,
    kind: ElementType,
    shape: Vec<usize>,
    encoding: Encoding,
}

/// What is in the file of the one chunk.
#[derive(Debug)]
enum Encoding {
    Whole(Compression),
    Packed(Packing),
}

/// The JSON of a node, if the folder is one.
pub(super) fn read_json(folder: &Path) -> Result<Option<Value>> {
    let path = folder.join(FILE);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if crate::files::is_absent(&error) => return Ok(None),
        Err(error) => return Err(Error::io("read", &path)(error)),
    };
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
        Error::corrupt(
            &path,
            format!("line {}, column {}", error.line(), error.column()),
            format!("no valid JSON: {error}"),
        )
    })?;
    match value.get("zarr_format").and_then(Value::as_u64) {
        Some(3) => Ok(Some(value)),
        _ => Err(Error::Version {
            path,
            problem: "it is of another version of Zarr than 3; convert it first".into(),
        }),
    }
}

impl Node {
    /// The node in `folder`, if there is one.
    pub(super) fn read(folder: &Path) -> Result<Option<Node>> {
        let Some(json) = read_json(folder)? else {
            return Ok(None);
        };
        let path = folder.join(FILE);
        match json.get("node_type").and_then(Value::as_str) {
            Some("group") => Ok(Some(Node::Group)),
            Some("array") => Array::parse(folder, &json).map(|array| Some(Node::Array(array))),
            _ => Err(Error::corrupt(
                &path,
                "the key \"node_type\"",
                "neither \"group\" nor \"array\"",
            )),
        }
    }
}

impl Array {
    /// The array in `folder`.
    pub(super) fn read(folder: &Path) -> Result<Array> {
        match Node::read(folder)? {
            Some(Node::Array(array)) => Ok(array),
            _ => Err(Error::corrupt(folder, FILE, "no array")),
        }
    }

    fn parse(folder: &Path, json: &Value) -> Result<Array> {
        let path = folder.join(FILE);
        let damage =
            |key: &str, problem: &str| Error::corrupt(&path, format!("the key {key:?}"), problem);
        let kind = json
            .get("data_type")
            .and_then(Value::as_str)
            .and_then(ElementType::parse)
            .ok_or_else(|| damage("data_type", "no type of a daf"))?;
        let shape = json
            .get("shape")
            .and_then(counts)
            .filter(|shape| matches!(shape.len(), 1 | 2))
            .ok_or_else(|| damage("shape", "no one or two counts"))?;
        let grid = json.get("chunk_grid");
        let chunk = grid
            .and_then(|grid| grid.get("configuration")?.get("chunk_shape"))
            .and_then(counts)
            .ok_or_else(|| damage("chunk_grid", "no counts"))?;
        let is_whole =
            chunk.len() == shape.len() && chunk.iter().zip(&shape).all(|(chunk, len)| chunk >= len);
        if !is_whole {
            return Err(Error::unsupported(&path, "an array of several chunks"));
        }
        let separator = json
            .get("chunk_key_encoding")
            .and_then(|encoding| encoding.get("configuration")?.get("separator")?.as_str());
        if separator.is_some_and(|separator| separator != "/") {
            return Err(Error::unsupported(&path, "chunks that are not in folders"));
        }
        let is_zero = match json.get("fill_value") {
            None | Some(Value::Null | Value::Bool(false)) => true,
            Some(Value::Number(number)) => number.as_f64() == Some(0.0),
            Some(Value::String(text)) => text.is_empty(),
            Some(_) => false,
        };
        if !is_zero {
            return Err(Error::unsupported(&path, "a fill value that is not zero"));
        }
        let encoding = json
            .get("codecs")
            .and_then(Value::as_array)
            .ok_or_else(|| damage("codecs", "no list"))
            .and_then(|codecs| Encoding::parse(&path, codecs, kind, shape.len()))?;
        Ok(Array {
            folder: folder.to_owned(),
            kind,
            shape,
            encoding,
        })
    }

    /// How long the array is, if it has one dimension.
    pub(super) fn len(&self) -> Result<usize> {
        match self.shape.as_slice() {
            [len] => Ok(*len),
            _ => Err(self.wrong("the array has two dimensions instead of one")),
        }
    }

    pub(super) fn wrong(&self, problem: &str) -> Error {
        Error::corrupt(&self.folder.join(FILE), "the key \"shape\"", problem)
    }

    /// The values of an array that should be of this length; the axes or other
    /// arrays say so.
    pub(super) fn load(&self, len: usize) -> Result<Values> {
        if self.len()? != len {
            return Err(self.wrong(&format!("{:?} instead of {len} values", self.shape)));
        }
        self.load_any(true)
    }

    /// The values of a matrix, whose dimensions are stored in the other order.
    pub(super) fn load_matrix(&self, n_rows: usize, n_columns: usize) -> Result<Values> {
        if self.shape != [n_columns, n_rows] {
            return Err(self.wrong(&format!(
                "{:?} instead of [{n_columns}, {n_rows}]",
                self.shape
            )));
        }
        self.load_any(true)
    }

    /// The values of an array of any length; it must have a chunk.
    pub(super) fn load_all(&self) -> Result<Values> {
        self.len()?;
        self.load_any(false)
    }

    fn load_any(&self, may_lack_chunk: bool) -> Result<Values> {
        let (n_rows, n_columns) = match self.shape.as_slice() {
            [columns, rows] => (*rows, *columns),
            [len] => (*len, 1),
            _ => return Err(self.wrong("no dimensions")),
        };
        let len = n_rows
            .checked_mul(n_columns)
            .ok_or_else(|| self.wrong("more values than the machine counts"))?;
        let path = self.chunk();
        if len == 0 {
            return Ok(Values::zeros(self.kind, 0));
        }
        if !path.exists() {
            return match may_lack_chunk {
                true => Ok(Values::zeros(self.kind, len)),
                false => Err(Error::corrupt(&self.folder, "its chunk", "there is none")),
            };
        }
        let damage = |problem: String| Error::corrupt(&path, "the values", problem);
        match (&self.encoding, self.kind.size()) {
            (Encoding::Packed(packing), _) => {
                let map = Map::open(&path)?;
                unpack(&path, &map, self.kind, (n_rows, n_columns), packing)
            }
            (Encoding::Whole(Compression::None), Some(_)) => {
                mapped_values(&path, self.kind, Some(len))
            }
            (Encoding::Whole(compression), Some(size)) => {
                let map = Map::open(&path)?;
                let n_bytes = len
                    .checked_mul(size)
                    .ok_or_else(|| self.wrong("more bytes than the machine counts"))?;
                let plain = compression.decompress(&map, n_bytes).map_err(damage)?;
                if plain.len() != n_bytes {
                    return Err(damage(format!("{} of {n_bytes} bytes", plain.len())));
                }
                Values::from_le_bytes(self.kind, &plain)
                    .ok_or_else(|| damage("a truth that is neither 0 nor 1".into()))
            }
            (Encoding::Whole(compression), None) => {
                let map = Map::open(&path)?;
                let mut found = TextsBuilder::default();
                match compression {
                    Compression::None => texts(&map, len, |text| found.push(text)),
                    _ => compression
                        .decompress(&map, MAX_TEXT_CHUNK)
                        .and_then(|plain| texts(&plain, len, |text| found.push(text))),
                }
                .map_err(damage)?;
                Ok(Values::String(found.finish()))
            }
        }
    }

    /// The file of the one chunk.
    pub(super) fn chunk(&self) -> PathBuf {
        chunk(&self.folder, self.shape.len())
    }
}

/// The file of the one chunk of an array.
pub(super) fn chunk(folder: &Path, n_dimensions: usize) -> PathBuf {
    let chunk = folder.join("c").join("0");
    match n_dimensions {
        2 => chunk.join("0"),
        _ => chunk,
    }
}

fn counts(value: &Value) -> Option<Vec<usize>> {
    value
        .as_array()?
        .iter()
        .map(|count| usize::try_from(count.as_u64()?).ok())
        .collect()
}

impl Encoding {
    fn parse(
        path: &Path,
        codecs: &[Value],
        kind: ElementType,
        n_dimensions: usize,
    ) -> Result<Encoding> {
        let unsupported = |what: &str| Error::unsupported(path, format!("codecs with {what}"));
        let name = |codec: &Value| codec.get("name").and_then(Value::as_str).map(str::to_owned);
        let [first, ..] = codecs else {
            return Err(unsupported("nothing in them"));
        };
        if name(first).as_deref() != Some("sharding_indexed") {
            return compression(codecs, kind)
                .map(Encoding::Whole)
                .ok_or_else(|| unsupported("others than bytes, texts and a compression"));
        }
        let sharding = first
            .get("configuration")
            .ok_or_else(|| unsupported("shards of no configuration"))?;
        let index: Option<Vec<String>> = sharding
            .get("index_codecs")
            .and_then(Value::as_array)
            .and_then(|codecs| codecs.iter().map(name).collect());
        if index.as_deref() != Some(&["bytes".to_owned(), "crc32c".to_owned()])
            || sharding.get("index_location").and_then(Value::as_str) != Some("start")
        {
            return Err(unsupported(
                "an index that is not plain, checked and at the start",
            ));
        }
        let chunk = sharding.get("chunk_shape").and_then(counts);
        let chunk_rows = match (chunk.as_deref(), n_dimensions) {
            (Some([rows]), 1) => *rows,
            (Some([1, rows]), 2) => *rows,
            _ => return Err(unsupported("chunks of more than one column")),
        };
        let compression = sharding
            .get("codecs")
            .and_then(Value::as_array)
            .and_then(|codecs| compression(codecs, kind))
            .ok_or_else(|| unsupported("others than bytes, texts and a compression"))?;
        Ok(Encoding::Packed(Packing {
            chunk_rows,
            compression,
        }))
    }
}

/// The compression after the codec that the type of the values needs.
fn compression(codecs: &[Value], kind: ElementType) -> Option<Compression> {
    let name = |codec: &Value| codec.get("name").and_then(Value::as_str).map(str::to_owned);
    let (first, rest) = codecs.split_first()?;
    let is_right = match (name(first)?.as_str(), kind) {
        ("vlen-utf8", ElementType::String) => true,
        ("bytes", ElementType::String) => false,
        ("bytes", _) => {
            let endian = first
                .get("configuration")
                .and_then(|configuration| configuration.get("endian"));
            kind.size() == Some(1) || endian.and_then(Value::as_str) == Some("little")
        }
        _ => false,
    };
    if !is_right {
        return None;
    }
    match rest {
        [] => Some(Compression::None),
        [codec] => match name(codec)?.as_str() {
            "blosc" => Some(Compression::Blosc),
            "zstd" => Some(Compression::Zstd),
            "gzip" => Some(Compression::Gzip),
            _ => None,
        },
        _ => None,
    }
}

/// Writes the JSON of a node.
pub(super) fn write_json(folder: &Path, json: &Value) -> Result<()> {
    write_file(&folder.join(FILE), json.to_string().as_bytes())
}

/// The JSON of a group.
pub(super) fn group_json() -> Value {
    json!({ "node_type": "group", "zarr_format": 3 })
}

/// The JSON of an array of one plain chunk.
pub(super) fn array_json(kind: ElementType, shape: &[usize]) -> Value {
    let (codec, fill) = match kind {
        ElementType::String => (
            json!({ "configuration": {}, "name": "vlen-utf8" }),
            json!(""),
        ),
        kind => {
            let fill = match kind {
                ElementType::Bool => json!(false),
                ElementType::Float32 | ElementType::Float64 => json!(0.0),
                _ => json!(0),
            };
            let codec = json!({ "configuration": { "endian": "little" }, "name": "bytes" });
            (codec, fill)
        }
    };
    json!({
        "chunk_grid": { "configuration": { "chunk_shape": shape }, "name": "regular" },
        "chunk_key_encoding": { "configuration": { "separator": "/" }, "name": "default" },
        "codecs": [codec],
        "data_type": kind.name().to_ascii_lowercase(),
        "fill_value": fill,
        "node_type": "array",
        "shape": shape,
        "zarr_format": 3,
    })
}
