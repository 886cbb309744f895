//! Bringing a session in order.

use std::path::{Path, PathBuf};

use axtile_core::{Error, Result, Watch};
use axtile_store::lock_store;

use crate::header::{FileType, MetadataImage};
use crate::recover::backup::Backup;
use crate::recover::records;
use crate::recover::segment::SegmentPlan;
use crate::session::Session;

/// Something that was, or would be, brought in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoverAction {
    /// The segment's folder, or the records' files without ending.
    pub path: PathBuf,
    /// What is done, or why nothing can be done.
    pub action: String,
    /// Blocks that had no right entry in the index.
    pub n_recovered: usize,
    /// Entries that had no whole block.
    pub n_dropped: usize,
    /// Nothing can be done here.
    pub is_refused: bool,
}

/// What was, or would be, done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoverReport {
    /// One per segment and pair of record files that is not in order.
    pub actions: Vec<RecoverAction>,
    /// Where replaced files are kept.
    pub backup: Option<PathBuf>,
}

/// Looks for what can be brought in order in the session in folder `path`, and
/// does it if `apply`. Reads all data. `watch` advances by bytes.
///
/// # Errors
/// `Error::Unsupported` for an archive, `Error::Argument` where a password is
/// missing or wrong or another process writes the session, `Error::Io`,
/// `Error::Interrupted`. What cannot be brought in order is in the report.
pub fn recover(
    path: &Path,
    password: Option<&str>,
    apply: bool,
    watch: &dyn Watch,
) -> Result<RecoverReport> {
    if !path.is_dir() {
        return Err(Error::unsupported(
            path,
            "only sessions in folders can be recovered; extract the archive first",
        ));
    }
    let _lock = if apply { Some(lock_store(path)?) } else { None };
    let session = Session::list_all(path, password)?;
    let mut work = Work {
        session: &session,
        backup: Backup::new(path),
        apply,
        actions: Vec::new(),
    };
    if let Some(file) = session.session_records()? {
        work.records(file.strip_suffix(".rdat").unwrap_or(&file))?;
    }
    for channel in session.channels() {
        work.records(&format!("{}/{}", channel.folder(), channel.name()))?;
        work.partial_segments(&channel.folder())?;
        let mut previous: Option<MetadataImage> = None;
        for segment in channel.segments() {
            previous = work.segment(segment, previous.as_ref(), watch)?;
            let file = segment.file(FileType::Records);
            work.records(file.strip_suffix(".rdat").unwrap_or(&file))?;
        }
    }
    Ok(RecoverReport {
        backup: work.backup.folder().map(Path::to_owned),
        actions: work.actions,
    })
}

struct Work<'a> {
    session: &'a Session,
    backup: Backup,
    apply: bool,
    actions: Vec<RecoverAction>,
}

impl Work<'_> {
    fn push(&mut self, path: PathBuf, action: String, counts: (usize, usize), is_refused: bool) {
        self.actions.push(RecoverAction {
            path,
            action,
            n_recovered: counts.0,
            n_dropped: counts.1,
            is_refused,
        });
    }

    fn refuse(&mut self, path: PathBuf, error: Error) -> Result<()> {
        match error {
            Error::Argument { .. } | Error::Interrupted => Err(error),
            // A missing file is damage here; all else the system has to say.
            Error::Io { ref source, .. } if source.kind() != std::io::ErrorKind::NotFound => {
                Err(error)
            }
            error => {
                self.push(path, error.to_string(), (0, 0), true);
                Ok(())
            }
        }
    }

    fn segment(
        &mut self,
        segment: &crate::session::Segment,
        previous: Option<&MetadataImage>,
        watch: &dyn Watch,
    ) -> Result<Option<MetadataImage>> {
        let metadata = self
            .session
            .storage()
            .path_of(&segment.file(FileType::Metadata));
        let (Some(folder), Some(stem)) = (
            metadata.parent(),
            metadata.file_stem().and_then(|stem| stem.to_str()),
        ) else {
            return Ok(None);
        };
        let password = self.session.password();
        let plan = match SegmentPlan::new(folder, stem, segment.number(), password, previous, watch)
        {
            Ok(plan) => plan,
            Err(error) => {
                self.refuse(folder.to_owned(), error)?;
                return Ok(None);
            }
        };
        if !plan.actions.is_empty() {
            if self.apply {
                plan.apply(&mut self.backup)?;
            }
            let counts = (plan.n_recovered, plan.n_dropped);
            self.push(folder.to_owned(), plan.actions.join("; "), counts, false);
        }
        Ok(Some(plan.image().clone()))
    }

    fn records(&mut self, stem: &str) -> Result<()> {
        let stem = self.session.storage().path_of(stem);
        match records::plan(&stem) {
            Ok(Some(plan)) if !plan.actions.is_empty() => {
                if self.apply {
                    plan.apply(&mut self.backup)?;
                }
                self.push(stem, plan.actions.join("; "), (0, 0), false);
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => self.refuse(stem, error),
        }
    }

    /// Folders of segments whose first write did not end.
    fn partial_segments(&mut self, channel_folder: &str) -> Result<()> {
        for item in self.session.storage().list(channel_folder)? {
            let ending = format!(".segd.{}", crate::write::PARTIAL);
            if item.is_folder && item.name.starts_with('.') && item.name.ends_with(&ending) {
                let path = self
                    .session
                    .storage()
                    .path_of(channel_folder)
                    .join(&item.name);
                if self.apply {
                    self.backup.take(&path)?;
                }
                let action = "a segment that was never complete is moved away".to_owned();
                self.push(path, action, (0, 0), false);
            }
        }
        Ok(())
    }
}
