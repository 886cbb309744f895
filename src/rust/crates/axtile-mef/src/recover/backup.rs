//! Copies of what recovery replaces.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::sync_folder;

/// A folder `NAME.mefd.axtile-backup-N` beside the session, made when the first
/// copy goes there.
pub(crate) struct Backup {
    session: PathBuf,
    folder: Option<PathBuf>,
}

impl Backup {
    pub(crate) fn new(session: &Path) -> Backup {
        Backup {
            session: session.to_owned(),
            folder: None,
        }
    }

    /// Where the copies are; `None` if there are none.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    fn folder_for(&mut self, path: &Path) -> Result<PathBuf> {
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => {
                let folder = self.create()?;
                self.folder = Some(folder.clone());
                folder
            }
        };
        let parent = path.parent().unwrap_or(path);
        let inside = folder.join(parent.strip_prefix(&self.session).unwrap_or(Path::new("")));
        fs::create_dir_all(&inside).map_err(Error::io("create", &inside))?;
        Ok(inside)
    }

    fn create(&self) -> Result<PathBuf> {
        let name = self.session.file_name().unwrap_or_default();
        for number in 1_u32.. {
            let mut own = name.to_owned();
            own.push(format!(".axtile-backup-{number}"));
            let folder = self.session.with_file_name(own);
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(folder),
                Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(Error::io("create", &folder)(source)),
            }
        }
        Err(Error::argument("there is no number left for a backup"))
    }

    /// Keeps bytes `from..to` of the file at `path`, named by their place; all
    /// of it under its own name. Does nothing where there is no file.
    pub(crate) fn keep(&mut self, path: &Path, span: Option<(u64, u64)>) -> Result<()> {
        let mut source = match File::open(path) {
            Ok(source) => source,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(Error::io("open", path)(source)),
        };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        let (from, n_bytes) = match span {
            Some((from, to)) => {
                name.push(format!(".bytes-{from}"));
                (from, to.saturating_sub(from))
            }
            None => (0, u64::MAX),
        };
        let folder = self.folder_for(path)?;
        let copy = folder.join(name);
        let mut target = File::create(&copy).map_err(Error::io("create", &copy))?;
        source
            .seek(SeekFrom::Start(from))
            .and_then(|_| std::io::copy(&mut source.take(n_bytes), &mut target))
            .and_then(|_| target.flush())
            .and_then(|()| target.sync_all())
            .map_err(Error::io("write", &copy))?;
        sync_folder(&folder)
    }

    /// Moves a file or folder into the backup.
    pub(crate) fn take(&mut self, path: &Path) -> Result<()> {
        let folder = self.folder_for(path)?;
        let target = folder.join(path.file_name().unwrap_or_default());
        fs::rename(path, &target).map_err(Error::io("move", path))?;
        sync_folder(&folder)
    }
}
