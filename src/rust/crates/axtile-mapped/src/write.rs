//! Writing: the folder appears whole or not at all.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_store::{StageMode, StagedFolder, write_file};

use crate::checksum::Checksum;
use crate::header::{
    COLUMN_NAMES_FILE, FileFacts, HEADER_FILE, Header, MAX_HEADER_LEN, MAX_SIZE, ROW_NAMES_FILE,
    ROWS_FILE, STARTS_FILE, VALUES_FILE,
};
use crate::verify::check_columns;

/// How many numbers are turned into bytes at a time.
const BLOCK: usize = 1 << 16;

/// A matrix in compressed columns, with names.
#[derive(Clone, Copy, Debug)]
pub struct MatrixParts<'a> {
    /// Rows of the matrix.
    pub n_rows: usize,
    /// Where each column's elements start, and the end of the last one's.
    pub starts: &'a [i32],
    /// Rows of the elements, from 0, ascending in each column.
    pub rows: &'a [i32],
    /// Values of the elements.
    pub values: &'a [f64],
    /// Names of the rows, if they have any.
    pub row_names: Option<&'a [String]>,
    /// Names of the columns, if they have any.
    pub column_names: Option<&'a [String]>,
    /// What rows and columns are called, if anything.
    pub dimnames_names: Option<&'a [String; 2]>,
    /// What the matrix was made from; see [`Header::source`].
    pub source: Option<&'a str>,
}

/// Writes a matrix as the folder `target`. Reports written elements.
///
/// # Errors
/// `Error::Argument` if the parts are no matrix, or a name holds a line feed;
/// `Error::Exists` if `target` exists and is not to be overwritten;
/// `Error::Limit` if there are more rows or columns than `MAX_SIZE`;
/// `Error::Io`; `Error::Interrupted`. What was at `target` is then still there.
pub fn write_matrix(
    target: &Path,
    matrix: &MatrixParts,
    overwrite: bool,
    watch: &dyn Watch,
) -> Result<()> {
    let n_columns = check(target, matrix)?;
    let mode = StageMode {
        overwrite,
        resume: false,
    };
    let staged = StagedFolder::create(target, mode, Header::is_in)?;
    let path = |name: &str| staged.path().join(name);
    let names = |names: Option<&[String]>, file: &str| -> Result<Option<FileFacts>> {
        names
            .map(|names| write_names(&path(file), names))
            .transpose()
    };
    let starts = write_numbers(&path(STARTS_FILE), matrix.starts, i32::to_le_bytes, watch)?;
    let rows = write_numbers(&path(ROWS_FILE), matrix.rows, i32::to_le_bytes, watch)?;
    let values = write_numbers(&path(VALUES_FILE), matrix.values, f64::to_le_bytes, watch)?;
    let header = Header {
        n_rows: matrix.n_rows as u64,
        n_columns: n_columns as u64,
        nnz: matrix.rows.len() as u64,
        dimnames_names: matrix.dimnames_names.cloned(),
        source: matrix.source.map(str::to_owned),
        starts,
        rows,
        values,
        row_names: names(matrix.row_names, ROW_NAMES_FILE)?,
        column_names: names(matrix.column_names, COLUMN_NAMES_FILE)?,
    };
    let text = header.text();
    if text.len() as u64 > MAX_HEADER_LEN {
        let problem = format!("names of the dimensions of {} bytes", text.len());
        return Err(Error::limit(target, problem));
    }
    write_file(&path(HEADER_FILE), text.as_bytes())?;
    watch.check()?;
    staged.commit()?;
    watch.advance(header.nnz);
    Ok(())
}

/// The number of columns of a sound matrix.
fn check(target: &Path, matrix: &MatrixParts) -> Result<usize> {
    let invalid = |problem: String| Error::argument(format!("not a valid dgCMatrix: {problem}"));
    let n_columns = matrix.starts.len().checked_sub(1);
    let n_columns = n_columns.ok_or_else(|| invalid("slot p is empty".to_owned()))?;
    for (what, n) in [("rows", matrix.n_rows), ("columns", n_columns)] {
        if n as u64 > MAX_SIZE {
            let problem = format!("{n} {what}; a mapped matrix has up to {MAX_SIZE}");
            return Err(Error::limit(target, problem));
        }
    }
    if matrix.values.len() != matrix.rows.len() {
        let (values, rows) = (matrix.values.len(), matrix.rows.len());
        return Err(invalid(format!("{values} values for {rows} elements")));
    }
    check_columns(
        matrix.starts.iter().copied(),
        matrix.rows.iter().copied(),
        matrix.n_rows as u64,
    )
    .map_err(|(_, problem)| invalid(problem))?;
    for (what, names, n) in [
        ("row", matrix.row_names, matrix.n_rows),
        ("column", matrix.column_names, n_columns),
    ] {
        let Some(names) = names else { continue };
        if names.len() != n {
            return Err(invalid(format!("{} {what} names for {n}", names.len())));
        }
        let is_wrong = |name: &&String| name.contains(['\n', '\0']);
        if let Some(name) = names.iter().find(is_wrong) {
            return Err(Error::argument(format!(
                "the {what} name {name:?} holds a line feed or a zero byte, which a mapped matrix cannot store"
            )));
        }
    }
    Ok(n_columns)
}

/// A file on the disk, its size and checksum known when it is finished.
struct Hashed<'a> {
    file: File,
    path: &'a Path,
    checksum: Checksum,
    n_bytes: u64,
}

impl Hashed<'_> {
    fn create(path: &Path) -> Result<Hashed<'_>> {
        Ok(Hashed {
            file: File::create(path).map_err(Error::io("create", path))?,
            path,
            checksum: Checksum::new(),
            n_bytes: 0,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.add(bytes);
        self.n_bytes += bytes.len() as u64;
        self.file
            .write_all(bytes)
            .map_err(Error::io("write", self.path))
    }

    fn finish(self) -> Result<FileFacts> {
        self.file
            .sync_all()
            .map_err(Error::io("write", self.path))?;
        Ok(FileFacts {
            n_bytes: self.n_bytes,
            xxh3_64: self.checksum.hex(),
        })
    }
}

fn write_numbers<T: Copy, const N: usize>(
    path: &Path,
    numbers: &[T],
    to_bytes: impl Fn(T) -> [u8; N],
    watch: &dyn Watch,
) -> Result<FileFacts> {
    let mut out = Hashed::create(path)?;
    let mut bytes = Vec::with_capacity(N * BLOCK.min(numbers.len()));
    for block in numbers.chunks(BLOCK) {
        watch.check()?;
        bytes.clear();
        bytes.extend(block.iter().flat_map(|&number| to_bytes(number)));
        out.write(&bytes)?;
    }
    out.finish()
}

fn write_names(path: &Path, names: &[String]) -> Result<FileFacts> {
    let mut out = Hashed::create(path)?;
    for block in names.chunks(BLOCK) {
        let mut text = String::new();
        for name in block {
            text.push_str(name);
            text.push('\n');
        }
        out.write(text.as_bytes())?;
    }
    out.finish()
}
