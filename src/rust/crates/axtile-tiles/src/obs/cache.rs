//! The local cache: copies of obs columns that are fast to look up.
//!
//! A column is an Arrow IPC file with a record batch for each tile,
//! `<root>/<fingerprint>/obs/<name, percent-encoded>.arrow`. Files are made
//! under the lock `<root>/<fingerprint>/.lock` beside their place and renamed,
//! so that whoever opens one finds it whole. The reference implementation uses
//! the same files.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axtile_core::{Error, Result, Watch};
use axtile_table::Column;
use axtile_table::ipc::{IpcColumn, IpcWriter};

use super::schema::ObsColumn;

/// The longest file name of the usual file systems, in bytes.
const MAX_NAME: usize = 255;

/// Between two attempts to take the lock.
const LOCK_WAIT: Duration = Duration::from_millis(50);

/// The root of the cache: the argument, or else what the environment says:
/// `$DELTACELLS_CACHE`, `deltacells` in `$XDG_CACHE_HOME`, `.cache/deltacells`
/// in the home folder. `None` if there is none of these.
pub fn cache_root(argument: Option<&Path>) -> Option<PathBuf> {
    let variable = |name: &str| {
        let value = env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    argument
        .map(Path::to_owned)
        .or_else(|| variable("DELTACELLS_CACHE"))
        .or_else(|| variable("XDG_CACHE_HOME").map(|root| root.join("deltacells")))
        .or_else(|| env::home_dir().map(|home| home.join(".cache").join("deltacells")))
}

/// The part of the cache that belongs to one dataset.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache for a fingerprint; `None` if there is no root.
    pub(super) fn of(root: Option<&Path>, fingerprint: &str) -> Option<Cache> {
        let folder = cache_root(root)?.join(fingerprint);
        Some(Cache { folder })
    }

    /// The file of a column.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        let file = format!("{}.arrow", percent_encoded(name));
        self.folder.join("obs").join(file)
    }

    /// Opens the file of a column; `None` if there is none.
    ///
    /// # Errors
    /// If the file is damaged or is not this column of this dataset.
    pub(super) fn open(&self, column: &ObsColumn, tile_cells: &[u64]) -> Result<Option<IpcColumn>> {
        let path = self.file(&column.field.name);
        if !path.is_file() {
            return Ok(None);
        }
        let file = IpcColumn::open(&path)?;
        // Names can differ only in case, which some file systems ignore.
        let is_ours = file.name() == column.field.name
            && *file.stored() == column.stored()
            && file.batch_rows().eq(tile_cells.iter().copied());
        if is_ours {
            return Ok(Some(file));
        }
        let problem = "it does not belong to this dataset";
        Err(Error::corrupt(&path, "the footer", problem))
    }

    /// Takes the lock on the dataset's part of the cache, for as long as the
    /// result lives. The lock file stays: if it went, two processes could hold
    /// locks on two files of that name.
    pub(super) fn lock(&self, watch: &dyn Watch) -> Result<File> {
        let columns = self.folder.join("obs");
        fs::create_dir_all(&columns).map_err(Error::io("create", &columns))?;
        let path = self.folder.join(".lock");
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io("create", &path))?;
        loop {
            watch.check()?;
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_WAIT),
                Err(TryLockError::Error(source)) => return Err(Error::io("lock", &path)(source)),
            }
        }
    }

    /// Removes the file of a column.
    pub(super) fn remove(&self, name: &str) -> Result<()> {
        let path = self.file(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", &path)(error))
            }
            _ => Ok(()),
        }
    }
}

/// A file of the cache under construction. It is removed if it is not finished.
pub(super) struct CacheFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<IpcWriter<BufWriter<File>>>,
}

impl CacheFile {
    /// Starts the file of a column; the lock must be held.
    pub(super) fn create(cache: &Cache, column: &ObsColumn) -> Result<CacheFile> {
        let name = &column.field.name;
        let path = cache.file(name);
        let mut file_name = path.file_name().unwrap_or_default().to_owned();
        file_name.push(format!(".tmp{}", std::process::id()));
        if file_name.len() > MAX_NAME {
            let problem = format!("the name '{name}' is too long for a file of the cache");
            return Err(Error::limit(&path, problem));
        }
        let temporary = path.with_file_name(file_name);
        let file = File::create(&temporary).map_err(Error::io("create", &temporary))?;
        let out = BufWriter::with_capacity(1 << 20, file);
        let writer = IpcWriter::new(out, &temporary, name, column.stored())?;
        Ok(CacheFile {
            path,
            temporary,
            writer: Some(writer),
        })
    }

    pub(super) fn write(&mut self, tile: &Column) -> Result<()> {
        match &mut self.writer {
            Some(writer) => writer.write_batch(tile),
            None => Ok(()),
        }
    }

    pub(super) fn finish(mut self) -> Result<()> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let finished = writer.finish().and_then(|out| {
            // Arrow files have no checksum: a name must not be there before its
            // content is.
            let file = out
                .into_inner()
                .map_err(|error| Error::io("write", &self.temporary)(error.into_error()))?;
            file.sync_all()
                .map_err(Error::io("write", &self.temporary))?;
            fs::rename(&self.temporary, &self.path).map_err(Error::io("write", &self.path))
        });
        if finished.is_err() {
            let _ = fs::remove_file(&self.temporary);
        }
        finished
    }
}

impl Drop for CacheFile {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            // Something failed before; a leftover is only untidy.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// RFC 3986: all bytes but the unreserved ones as `%XX`.
fn percent_encoded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.-~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_file_names() {
        assert_eq!(
            percent_encoded("odd / name %é"),
            "odd%20%2F%20name%20%25%C3%A9"
        );
        assert_eq!(percent_encoded("a_b.c-d~E9"), "a_b.c-d~E9");
        let root = Path::new("r");
        assert_eq!(cache_root(Some(root)).as_deref(), Some(root));
    }
}
