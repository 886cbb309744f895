//! `header.json`: what the matrix is, and size and checksum of each file.

use std::io::Read;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::open_regular;
use serde_json::{Map, Value, json};

use crate::checksum::Checksum;

/// The header's file; a folder without it is no mapped matrix.
pub const HEADER_FILE: &str = "header.json";
/// What the header calls the format.
pub const FORMAT: &str = "axtile-mapped-matrix";
/// The version that is written and read.
pub const VERSION: u64 = 1;
/// A header takes less than 1 kB, and what its `source` and names take.
pub const MAX_HEADER_LEN: u64 = 1 << 20;
/// Most rows, columns and nonzeros: what an R integer holds.
pub const MAX_SIZE: u64 = i32::MAX as u64;

pub(crate) const STARTS_FILE: &str = "p.i32";
pub(crate) const ROWS_FILE: &str = "i.i32";
pub(crate) const VALUES_FILE: &str = "x.f64";
pub(crate) const ROW_NAMES_FILE: &str = "rownames.txt";
pub(crate) const COLUMN_NAMES_FILE: &str = "colnames.txt";

/// The last key: its digits count as zeros for the checksum.
const CHECKSUM_KEY: &str = "header_xxh3_64";
const CHECKSUM_LEN: usize = 16;

/// Size and checksum of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub(crate) n_bytes: u64,
    pub(crate) xxh3_64: String,
}

/// The content of a header, checked for consistency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Rows of the matrix, up to `MAX_SIZE`.
    pub n_rows: u64,
    /// Columns of the matrix, up to `MAX_SIZE`.
    pub n_columns: u64,
    /// Stored elements, up to `MAX_SIZE`.
    pub nnz: u64,
    /// What rows and columns are called, if anything.
    pub dimnames_names: Option<[String; 2]>,
    /// What the matrix was made from, in its maker's own terms.
    pub source: Option<String>,
    pub(crate) starts: FileFacts,
    pub(crate) rows: FileFacts,
    pub(crate) values: FileFacts,
    pub(crate) row_names: Option<FileFacts>,
    pub(crate) column_names: Option<FileFacts>,
}

impl Header {
    /// Whether `folder` is a mapped matrix of any version, sound or not: what a
    /// writer may replace.
    pub fn is_in(folder: &Path) -> bool {
        let text = read_text(&folder.join(HEADER_FILE));
        let json = text.map(|text| serde_json::from_slice::<Value>(&text));
        json.is_ok_and(|json| json.is_ok_and(|json| json.get("format") == Some(&FORMAT.into())))
    }

    /// Reads the header in `folder`.
    ///
    /// # Errors
    /// `Error::Io` if there is none, `Error::Version` if it is of another
    /// format or version, `Error::Corrupt` if it was changed or contradicts
    /// itself, `Error::Limit` if it is too large for one.
    pub fn read(folder: &Path) -> Result<Header> {
        Header::read_with_text(folder).map(|(header, _)| header)
    }

    /// The header and the bytes of its file.
    pub(crate) fn read_with_text(folder: &Path) -> Result<(Header, Vec<u8>)> {
        let path = folder.join(HEADER_FILE);
        let text = read_text(&path)?;
        let header = Parser { path: &path }.header(&text)?;
        Ok((header, text))
    }

    /// The bytes of `header.json`.
    pub(crate) fn text(&self) -> String {
        let facts = |facts: &FileFacts| json!({"bytes": facts.n_bytes, "xxh3_64": facts.xxh3_64});
        let mut files = Map::new();
        for (name, file) in self.files() {
            files.insert(name.to_owned(), facts(file));
        }
        let header = json!({
            "format": FORMAT,
            "version": VERSION,
            "byte_order": "little",
            "dim": [self.n_rows, self.n_columns],
            "nnz": self.nnz,
            "dimnames_names": self.dimnames_names,
            "source": self.source,
            "files": files,
            CHECKSUM_KEY: "0".repeat(CHECKSUM_LEN),
        });
        let text = format!("{header:#}\n");
        let checksum = Checksum::of(text.as_bytes());
        match digits_of(text.as_bytes()) {
            Some(start) => {
                let (before, rest) = text.split_at(start);
                let after = rest.get(CHECKSUM_LEN..).unwrap_or_default();
                format!("{before}{checksum}{after}")
            }
            None => text,
        }
    }

    /// The files that belong to the matrix.
    pub(crate) fn files(&self) -> Vec<(&'static str, &FileFacts)> {
        let mut files = vec![
            (STARTS_FILE, &self.starts),
            (ROWS_FILE, &self.rows),
            (VALUES_FILE, &self.values),
        ];
        files.extend(self.row_names.iter().map(|facts| (ROW_NAMES_FILE, facts)));
        let names = self.column_names.iter();
        files.extend(names.map(|facts| (COLUMN_NAMES_FILE, facts)));
        files
    }
}

/// Where the digits of the header's own checksum are. A quote inside of any
/// text has a backslash before it, so that nothing else looks like the key.
fn digits_of(text: &[u8]) -> Option<usize> {
    let key = format!("\"{CHECKSUM_KEY}\": \"");
    let at = text
        .windows(key.len())
        .position(|window| window == key.as_bytes())?;
    Some(at + key.len())
}

fn read_text(path: &Path) -> Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut text = Vec::new();
    file.take(MAX_HEADER_LEN + 1)
        .read_to_end(&mut text)
        .map_err(Error::io("read", path))?;
    if text.len() as u64 > MAX_HEADER_LEN {
        let problem = format!(
            "'{}' is longer than the {MAX_HEADER_LEN} bytes of a header",
            path.display()
        );
        return Err(Error::limit(path, problem));
    }
    Ok(text)
}

struct Parser<'a> {
    path: &'a Path,
}

impl Parser<'_> {
    fn header(&self, text: &[u8]) -> Result<Header> {
        let mut json: Map<String, Value> = serde_json::from_slice(text)
            .map_err(|problem| Error::corrupt(self.path, "its JSON", problem.to_string()))?;
        self.check_version(&mut json)?;
        self.check_checksum(text, &mut json)?;
        let order = self.take(&mut json, "byte_order")?;
        if order != "little" {
            return Err(self.wrong("byte_order", format!("{order}, expected \"little\"")));
        }
        let dim = self.take(&mut json, "dim")?;
        let [n_rows, n_columns] = match dim.as_array().map(Vec::as_slice) {
            Some([rows, columns]) => [self.size("dim", rows)?, self.size("dim", columns)?],
            _ => return Err(self.wrong("dim", format!("{dim}, expected two numbers"))),
        };
        let nnz = self.size("nnz", &self.take(&mut json, "nnz")?)?;
        let mut files = match self.take(&mut json, "files")? {
            Value::Object(files) => files,
            other => return Err(self.wrong("files", format!("{other}, expected an object"))),
        };
        let header = Header {
            n_rows,
            n_columns,
            nnz,
            dimnames_names: self.dimnames_names(self.take(&mut json, "dimnames_names")?)?,
            source: match self.take(&mut json, "source")? {
                Value::Null => None,
                Value::String(text) => Some(text),
                other => return Err(self.wrong("source", format!("{other}, expected a text"))),
            },
            starts: self.sized(&mut files, STARTS_FILE, 4 * (n_columns + 1))?,
            rows: self.sized(&mut files, ROWS_FILE, 4 * nnz)?,
            values: self.sized(&mut files, VALUES_FILE, 8 * nnz)?,
            row_names: self.facts(&mut files, ROW_NAMES_FILE)?,
            column_names: self.facts(&mut files, COLUMN_NAMES_FILE)?,
        };
        for (key, left) in [("files", files), ("header", json)] {
            if let Some((name, _)) = left.iter().next() {
                return Err(self.wrong(key, format!("{name:?}, which version 1 has not")));
            }
        }
        Ok(header)
    }

    fn check_version(&self, json: &mut Map<String, Value>) -> Result<()> {
        let format = json.shift_remove("format").unwrap_or_default();
        let version = json.shift_remove("version").unwrap_or_default();
        let problem = if format != FORMAT {
            format!("its format is {format}, expected \"{FORMAT}\"")
        } else if version.as_u64() != Some(VERSION) {
            format!("version {version} of the mapped matrix, this build reads version {VERSION}")
        } else {
            return Ok(());
        };
        Err(Error::Version {
            path: self.path.to_owned(),
            problem,
        })
    }

    /// Nobody edits a header unnoticed: sizes that are not the files' own would
    /// let R read beyond a map.
    fn check_checksum(&self, text: &[u8], json: &mut Map<String, Value>) -> Result<()> {
        let stated = self.take(json, CHECKSUM_KEY)?;
        let mut zeroed = text.to_owned();
        let digits = digits_of(text)
            .and_then(|start| zeroed.get_mut(start..start + CHECKSUM_LEN))
            .ok_or_else(|| self.wrong(CHECKSUM_KEY, "not of its form"))?;
        digits.fill(b'0');
        let found = Checksum::of(&zeroed);
        if stated != *found {
            let problem = format!("{stated}, but the header's is \"{found}\": it was changed");
            return Err(self.wrong(CHECKSUM_KEY, problem));
        }
        Ok(())
    }

    fn take(&self, json: &mut Map<String, Value>, key: &str) -> Result<Value> {
        json.shift_remove(key)
            .ok_or_else(|| self.wrong(key, "it is missing"))
    }

    fn size(&self, key: &str, value: &Value) -> Result<u64> {
        value
            .as_u64()
            .filter(|&size| size <= MAX_SIZE)
            .ok_or_else(|| {
                self.wrong(
                    key,
                    format!("{value}, expected a number from 0 to {MAX_SIZE}"),
                )
            })
    }

    fn dimnames_names(&self, value: Value) -> Result<Option<[String; 2]>> {
        match value {
            Value::Null => Ok(None),
            value => serde_json::from_value(value.clone())
                .map(Some)
                .map_err(|_| self.wrong("dimnames_names", format!("{value}, expected two texts"))),
        }
    }

    /// A file whose size follows from the matrix.
    fn sized(
        &self,
        files: &mut Map<String, Value>,
        name: &str,
        expected: u64,
    ) -> Result<FileFacts> {
        let facts = self
            .facts(files, name)?
            .ok_or_else(|| self.wrong("files", format!("no {name:?}")))?;
        if facts.n_bytes != expected {
            let problem = format!(
                "{name} has {} bytes, expected {expected} by dim and nnz",
                facts.n_bytes
            );
            return Err(self.wrong("files", problem));
        }
        Ok(facts)
    }

    fn facts(&self, files: &mut Map<String, Value>, name: &str) -> Result<Option<FileFacts>> {
        let Some(value) = files.shift_remove(name) else {
            return Ok(None);
        };
        let n_bytes = value.get("bytes").and_then(Value::as_u64);
        let xxh3_64 = value.get("xxh3_64").and_then(Value::as_str);
        match (n_bytes, xxh3_64) {
            (Some(n_bytes), Some(xxh3_64)) if xxh3_64.len() == CHECKSUM_LEN => {
                Ok(Some(FileFacts {
                    n_bytes,
                    xxh3_64: xxh3_64.to_owned(),
                }))
            }
            _ => Err(self.wrong("files", format!("{name:?} without size or checksum"))),
        }
    }

    fn wrong(&self, key: &str, problem: impl Into<String>) -> Error {
        Error::corrupt(self.path, format!("key '{key}'"), problem)
    }
}
