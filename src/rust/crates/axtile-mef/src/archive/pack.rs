//! A session's folder as an archive.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_store::sync_folder;

use crate::session::{Session, Storage};

/// Where a member's header has its checksum.
const CHECKSUM_AT: usize = 148;

/// Writes the session in folder `path` to an uncompressed ustar archive at
/// `target`: members sorted, without times and owners. `watch` advances by
/// bytes.
///
/// # Errors
/// `Error::Exists` unless `overwrite`, `Error::Argument` for a folder without
/// channels, `Error::Limit` for names longer than the archive's format has room
/// for, `Error::Unsupported` for anything but files and folders, `Error::Io`,
/// `Error::Interrupted`. The target is then as it was.
pub fn archive_session(
    path: &Path,
    target: &Path,
    overwrite: bool,
    watch: &dyn Watch,
) -> Result<()> {
    if !path.is_dir() {
        return Err(Error::argument(format!(
            "'{}' is no folder of a session",
            path.display()
        )));
    }
    if target.exists() && !overwrite {
        return Err(Error::Exists {
            path: target.to_owned(),
        });
    }
    let session = Session::list_all(path, None)?;
    if session.channels().is_empty() {
        return Err(Error::argument(format!(
            "'{}' holds no channel of samples",
            path.display()
        )));
    }
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".axtile-partial");
    let partial = target.with_file_name(name);
    let written = pack(&session, &partial, watch)
        .and_then(|()| fs::rename(&partial, target).map_err(Error::io("create", target)));
    if written.is_err() {
        // The first error matters; a leftover is only untidy.
        let _ = fs::remove_file(&partial);
    }
    written?;
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => Ok(()),
    }
}

fn pack(session: &Session, partial: &Path, watch: &dyn Watch) -> Result<()> {
    let file = File::create(partial).map_err(Error::io("create", partial))?;
    let mut builder = tar::Builder::new(BufWriter::with_capacity(1 << 20, file));
    let root = format!("{}.mefd", session.name());
    let mut packer = Packer {
        storage: session.storage(),
        root,
        partial,
        watch,
    };
    packer.folder("", &mut builder)?;
    let mut writer = builder.into_inner().map_err(Error::io("write", partial))?;
    writer
        .flush()
        .and_then(|()| writer.get_ref().sync_all())
        .map_err(Error::io("write", partial))
}

struct Packer<'a> {
    storage: &'a Storage,
    root: String,
    partial: &'a Path,
    watch: &'a dyn Watch,
}

impl Packer<'_> {
    fn folder<W: Write>(&mut self, relative: &str, builder: &mut tar::Builder<W>) -> Result<()> {
        let name = if relative.is_empty() {
            format!("{}/", self.root)
        } else {
            format!("{}/{relative}/", self.root)
        };
        let mut header = self.header(&name, 0, tar::EntryType::Directory)?;
        self.append(builder, &mut header, std::io::empty())?;
        for item in self.storage.list(relative)? {
            self.watch.check()?;
            let inside = if relative.is_empty() {
                item.name.clone()
            } else {
                format!("{relative}/{}", item.name)
            };
            if item.is_folder {
                self.folder(&inside, builder)?;
            } else {
                self.file(&inside, builder)?;
            }
        }
        Ok(())
    }

    fn file<W: Write>(&mut self, relative: &str, builder: &mut tar::Builder<W>) -> Result<()> {
        let path = self.storage.path_of(relative);
        let file = axtile_store::open_regular(&path)?;
        let len = file.metadata().map_err(Error::io("inspect", &path))?.len();
        let name = format!("{}/{relative}", self.root);
        let mut header = self.header(&name, len, tar::EntryType::Regular)?;
        let mut reader = Watched {
            // A file that grows meanwhile gives what it had.
            inner: file.take(len),
            watch: self.watch,
            n_read: 0,
        };
        let result = self.append(builder, &mut header, &mut reader);
        if self.watch.is_interrupted() {
            return Err(Error::Interrupted);
        }
        result?;
        if reader.n_read != len {
            return Err(Error::Stale { path });
        }
        Ok(())
    }

    fn header(&self, name: &str, len: u64, kind: tar::EntryType) -> Result<tar::Header> {
        let mut header = tar::Header::new_ustar();
        header.set_path(name).map_err(|error| {
            Error::limit(
                self.storage.path(),
                format!("'{name}' does not fit in the archive: {error}"),
            )
        })?;
        header.set_entry_type(kind);
        header.set_mode(if kind.is_dir() { 0o755 } else { 0o644 });
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_size(len);
        header
            .set_device_major(0)
            .and_then(|()| header.set_device_minor(0))
            .map_err(Error::io("write", self.partial))?;
        header.set_cksum();
        // As most programs write it: six digits, a NUL and a space.
        let sum = header.cksum().map_err(Error::io("write", self.partial))?;
        crate::bytes::put(
            header.as_mut_bytes(),
            CHECKSUM_AT,
            format!("{sum:06o}\0 ").as_bytes(),
        );
        Ok(header)
    }

    fn append<W: Write>(
        &self,
        builder: &mut tar::Builder<W>,
        header: &mut tar::Header,
        data: impl Read,
    ) -> Result<()> {
        builder
            .append(header, data)
            .map_err(Error::io("write", self.partial))
    }
}

struct Watched<'a, R> {
    inner: R,
    watch: &'a dyn Watch,
    n_read: u64,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.watch.is_interrupted() {
            return Err(std::io::Error::other("interrupted"));
        }
        let n = self.inner.read(bytes)?;
        self.n_read += n as u64;
        self.watch.advance(n as u64);
        Ok(n)
    }
}
