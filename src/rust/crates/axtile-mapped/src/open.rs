//! Opening: what is small is read and checked, the elements are mapped.

use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::{Map, PrivateMap, restore_interrupted};

use crate::checksum::Checksum;
use crate::header::{
    COLUMN_NAMES_FILE, FileFacts, HEADER_FILE, Header, ROW_NAMES_FILE, ROWS_FILE, STARTS_FILE,
    VALUES_FILE,
};

/// An opened matrix in compressed columns.
#[derive(Debug)]
pub struct MappedMatrix {
    /// What the matrix is.
    pub header: Header,
    /// Where each column's elements start, and the end of the last one's:
    /// ascending from 0 to the number of elements. A copy, so that what was
    /// checked stays as it is, whatever happens to the file.
    pub starts: Vec<i32>,
    /// Rows of the elements: little-endian i32.
    pub rows: PrivateMap,
    /// Values of the elements: little-endian f64.
    pub values: PrivateMap,
    /// Names of the rows, if they have any.
    pub row_names: Option<Vec<String>>,
    /// Names of the columns, if they have any.
    pub column_names: Option<Vec<String>>,
}

impl MappedMatrix {
    /// Opens the matrix in `folder`. Starts and names are read and checked
    /// against their checksums; of the elements, only the number is.
    ///
    /// # Errors
    /// `Error::Io`, `Error::Version`, `Error::Corrupt` or `Error::Limit` if
    /// there is none or it is damaged; `Error::Stale` if another one took its
    /// place meanwhile; `Error::Unsupported` on a machine whose numbers are not
    /// little-endian.
    pub fn open(folder: &Path) -> Result<MappedMatrix> {
        if cfg!(target_endian = "big") {
            let problem = "its numbers are little-endian, those of this machine are not";
            return Err(Error::unsupported(folder, problem));
        }
        restore_interrupted(folder)?;
        let (header, text) = Header::read_with_text(folder)?;
        let names = |file: &str, facts: &Option<FileFacts>, n: u64| {
            let names = facts
                .as_ref()
                .map(|facts| names(&folder.join(file), facts, n));
            names.transpose()
        };
        let matrix = MappedMatrix {
            starts: starts(&folder.join(STARTS_FILE), &header)?,
            rows: elements(&folder.join(ROWS_FILE), &header.rows, 4)?,
            values: elements(&folder.join(VALUES_FILE), &header.values, 8)?,
            row_names: names(ROW_NAMES_FILE, &header.row_names, header.n_rows)?,
            column_names: names(COLUMN_NAMES_FILE, &header.column_names, header.n_columns)?,
            header,
        };
        // Files of two matrices must not mix where one replaced the other.
        match Header::read_with_text(folder) {
            Ok((_, now)) if now == text => Ok(matrix),
            _ => Err(Error::Stale {
                path: folder.join(HEADER_FILE),
            }),
        }
    }
}

/// The little-endian integers in `bytes`.
pub(crate) fn integers(bytes: &[u8]) -> impl ExactSizeIterator<Item = i32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| i32::from_le_bytes(bytes))
}

/// A map of the size that the header says.
fn elements(path: &Path, facts: &FileFacts, width: u64) -> Result<PrivateMap> {
    let map = PrivateMap::open(path, 0, None, width)?;
    check_size(path, map.len(), facts)?;
    Ok(map)
}

fn check_size(path: &Path, n_bytes: usize, facts: &FileFacts) -> Result<()> {
    if n_bytes as u64 == facts.n_bytes {
        return Ok(());
    }
    let problem = format!("{n_bytes} bytes, {HEADER_FILE} says {}", facts.n_bytes);
    Err(Error::corrupt(path, "its end", problem))
}

/// A file that is read as a whole.
fn content(path: &Path, facts: &FileFacts) -> Result<Map> {
    let map = Map::open(path)?;
    check_size(path, map.len(), facts)?;
    let found = Checksum::of(&map);
    if found != facts.xxh3_64 {
        let problem = format!(
            "the XXH3-64 is {found}, {HEADER_FILE} says {}",
            facts.xxh3_64
        );
        return Err(Error::corrupt(path, "its content", problem));
    }
    Ok(map)
}

fn starts(path: &Path, header: &Header) -> Result<Vec<i32>> {
    let map = content(path, &header.starts)?;
    let starts: Vec<i32> = integers(&map).collect();
    let is_sound = starts.first() == Some(&0)
        && starts.is_sorted()
        && starts.last().is_some_and(|&end| end as u64 == header.nnz);
    if is_sound {
        return Ok(starts);
    }
    let problem = format!("the starts do not ascend from 0 to {}", header.nnz);
    Err(Error::corrupt(path, "its numbers", problem))
}

fn names(path: &Path, facts: &FileFacts, n: u64) -> Result<Vec<String>> {
    let map = content(path, facts)?;
    let text = std::str::from_utf8(&map).map_err(|problem| {
        let place = format!("byte {}", problem.valid_up_to());
        Error::corrupt(path, place, "not UTF-8")
    })?;
    let wrong = |problem: String| Error::corrupt(path, "its lines", problem);
    if text.contains('\0') {
        return Err(wrong("a name with a zero byte".to_owned()));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(wrong("the last one does not end".to_owned()));
    }
    let names: Vec<String> = text.split_terminator('\n').map(str::to_owned).collect();
    if names.len() as u64 != n {
        return Err(wrong(format!("{} names, expected {n}", names.len())));
    }
    Ok(names)
}
