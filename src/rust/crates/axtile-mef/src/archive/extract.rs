//! A session's archive as a folder.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_store::{StageMode, StagedFolder, sync_folder};

use crate::session::{ByteSource, Session, Storage};

const AT_ONCE: u64 = 1 << 20;

/// Writes the session in the archive at `path` to a folder at `target`, which
/// appears whole. Only plain files are taken. `watch` advances by bytes.
///
/// # Errors
/// Those of [`Session::open`] for archives; `Error::Argument` for a folder,
/// `Error::Exists`, `Error::Io`, `Error::Interrupted`.
pub fn extract_session(path: &Path, target: &Path, watch: &dyn Watch) -> Result<()> {
    let session = Session::list_all(path, None)?;
    let Storage::Tar(_, index) = session.storage() else {
        return Err(Error::argument(format!(
            "'{}' is no archive of a session",
            path.display()
        )));
    };
    let staged = StagedFolder::create(target, StageMode::default(), |_| false)?;
    for (name, &(offset, len)) in &index.members {
        let place = staged.path().join(name);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        }
        let source = ByteSource::new(index.file.clone(), path.join(name), offset, len);
        write(&source, &place, watch)?;
    }
    sync_folders(staged.path())?;
    staged.commit()
}

fn write(source: &ByteSource, place: &Path, watch: &dyn Watch) -> Result<()> {
    let mut file = File::create(place).map_err(Error::io("create", place))?;
    let mut at = 0;
    while at < source.len() {
        watch.check()?;
        let n = (source.len() - at).min(AT_ONCE);
        let bytes = source.read(at, n as usize)?;
        file.write_all(&bytes).map_err(Error::io("write", place))?;
        watch.advance(n);
        at += n;
    }
    file.sync_all().map_err(Error::io("write", place))
}

fn sync_folders(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(Error::io("list", folder))? {
        let path = entry.map_err(Error::io("list", folder))?.path();
        if path.is_dir() {
            sync_folders(&path)?;
        }
    }
    sync_folder(folder)
}
