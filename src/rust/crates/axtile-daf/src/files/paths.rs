//! Where a folder store keeps what it holds.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::FileIdentity;

/// The folders that every store has.
pub(super) const FOLDERS: [&str; 4] = ["axes", "matrices", "scalars", "vectors"];

/// Where the files that a change replaces are kept until it is done.
pub(super) const BACKUP: &str = ".reorder.backup";

/// What follows the name of a property in the names of its files.
pub(super) const SUFFIXES: [&str; 14] = [
    "json",
    "data",
    "txt",
    "zip",
    "nzind",
    "nzind.zip",
    "colptr",
    "colptr.zip",
    "rowval",
    "rowval.zip",
    "nzval",
    "nzval.zip",
    "nztxt",
    "nztxt.zip",
];

/// The files of one vector or matrix: a folder and what their names begin
/// with.
#[derive(Clone, Debug)]
pub(super) struct Files {
    folder: PathBuf,
    name: String,
}

impl Files {
    /// The files of a vector.
    pub(super) fn of_vector(root: &Path, axis: &str, name: &str) -> Files {
        Files {
            folder: root.join("vectors").join(axis),
            name: name.into(),
        }
    }

    /// The files of a matrix.
    pub(super) fn of_matrix(root: &Path, rows: &str, columns: &str, name: &str) -> Files {
        Files {
            folder: root.join("matrices").join(rows).join(columns),
            name: name.into(),
        }
    }

    /// The file whose name ends with `suffix`.
    pub(super) fn path(&self, suffix: &str) -> PathBuf {
        self.folder.join(format!("{}.{suffix}", self.name))
    }

    /// The descriptor, which says what the other files hold.
    pub(super) fn descriptor(&self) -> PathBuf {
        self.path("json")
    }
}

/// The file of a scalar.
pub(super) fn scalar(root: &Path, name: &str) -> PathBuf {
    root.join("scalars").join(format!("{name}.json"))
}

/// The file of an axis.
pub(super) fn axis(root: &Path, name: &str) -> PathBuf {
    root.join("axes").join(format!("{name}.txt"))
}

/// Which file is at `path`, if there is one.
pub(crate) fn identity(path: &Path) -> Result<Option<FileIdentity>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(FileIdentity::of(&metadata))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(Error::io("inspect", path)(error)),
    }
}

/// Whether `error` says that there is no such file. A name that is too long
/// for a file is the name of none.
pub(crate) fn is_absent(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
    )
}

/// The names of the files in `folder` that end with `.suffix`, without that
/// end, in bytewise order; none if there is no such folder.
pub(super) fn names(folder: &Path, suffix: &str) -> Result<Vec<String>> {
    let listing = match fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("list", folder)(error)),
    };
    let mut names = Vec::new();
    for entry in listing {
        let entry = entry.map_err(Error::io("list", folder))?;
        let path = entry.path();
        if path.extension() == Some(OsStr::new(suffix))
            && let Some(name) = path.file_stem().and_then(OsStr::to_str)
        {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Removes a file, unless there is none.
pub(super) fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if !is_absent(&error) => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes a folder with all that is in it, unless there is none.
pub(super) fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if !is_absent(&error) => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
}
