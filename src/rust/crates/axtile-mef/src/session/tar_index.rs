//! The members of an uncompressed tar archive that holds one session.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Component, Path};
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_store::open_regular;

/// Where each member's bytes are.
#[derive(Debug)]
pub(crate) struct TarIndex {
    pub(crate) file: Arc<File>,
    /// Name of the session's folder in the archive.
    pub(crate) root: String,
    /// Path below the session's folder: offset and length.
    pub(crate) members: BTreeMap<String, (u64, u64)>,
}

impl TarIndex {
    /// Reads all headers of the archive at `path`.
    ///
    /// # Errors
    /// `Error::Unsupported` for compressed archives and sparse members,
    /// `Error::Corrupt` for paths that leave the archive, members that end
    /// behind it, and archives without exactly one session.
    pub(crate) fn open(path: &Path) -> Result<TarIndex> {
        let mut file = open_regular(path)?;
        let n_bytes = file.metadata().map_err(Error::io("inspect", path))?.len();
        let is_compressed = {
            use std::io::{Read, Seek};
            let mut start = [0; 4];
            let n = file.read(&mut start).map_err(Error::io("read", path))?;
            file.rewind().map_err(Error::io("read", path))?;
            let start = start.get(..n).unwrap_or_default();
            [
                &[0x1F, 0x8B][..],
                b"BZh",
                &[0xFD, b'7', b'z'],
                &[0x28, 0xB5, 0x2F, 0xFD],
            ]
            .iter()
            .any(|magic| start.starts_with(magic))
        };
        if is_compressed {
            return Err(Error::unsupported(
                path,
                "the archive is compressed; decompress it first",
            ));
        }
        let mut whole = BTreeMap::new();
        let mut archive = tar::Archive::new(&file);
        let damaged =
            |source: std::io::Error| Error::corrupt(path, "a member's header", source.to_string());
        for entry in archive.entries_with_seek().map_err(damaged)? {
            let entry = entry.map_err(damaged)?;
            let kind = entry.header().entry_type();
            let name = entry.path().map_err(damaged)?.into_owned();
            let Some(name) = clean(&name) else {
                return Err(Error::corrupt(
                    path,
                    "a member's name",
                    format!("'{}' leaves the archive", name.display()),
                ));
            };
            if kind.is_gnu_sparse() {
                return Err(Error::unsupported(
                    path,
                    format!("its member '{name}' is stored as a sparse file"),
                ));
            }
            if !kind.is_file() && !kind.is_contiguous() {
                continue;
            }
            let (offset, len) = (entry.raw_file_position(), entry.size());
            if offset.checked_add(len).is_none_or(|end| end > n_bytes) {
                return Err(Error::corrupt(
                    path,
                    format!("byte {offset}"),
                    format!("'{name}' has {len} bytes there, the archive {n_bytes}"),
                ));
            }
            whole.insert(name, (offset, len));
        }
        let root = find_root(whole.keys()).ok_or_else(|| {
            Error::corrupt(
                path,
                "the members' names",
                "expected one folder with a channel's folder '.timd' in it",
            )
        })?;
        let prefix = if root.is_empty() {
            String::new()
        } else {
            format!("{root}/")
        };
        let members = whole
            .into_iter()
            .filter_map(|(name, at)| Some((name.strip_prefix(&prefix)?.to_owned(), at)))
            .collect();
        Ok(TarIndex {
            file: Arc::new(file),
            root: root.rsplit('/').next().unwrap_or_default().to_owned(),
            members,
        })
    }
}

/// The path with plain components only; `None` for one that leads elsewhere.
fn clean(path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(parts.join("/"))
}

/// What is before the channels' folders, the same for all of them.
fn find_root<'a>(names: impl Iterator<Item = &'a String>) -> Option<String> {
    let mut root: Option<String> = None;
    for name in names {
        let parts: Vec<&str> = name.split('/').collect();
        let Some(at) = parts.iter().position(|part| part.ends_with(".timd")) else {
            continue;
        };
        let found = parts.get(..at)?.join("/");
        match &root {
            Some(root) if *root != found => return None,
            _ => root = Some(found),
        }
    }
    root
}
