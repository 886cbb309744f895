//! Chains that are found again on the disk: a store names the one before it,
//! and what of that is to be seen, in scalars of its own.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axtile_core::{Error, Result};

use super::{chain_reader, chain_writer};
use crate::model::{Reader, Scalar, Writer};
use crate::view::{ViewSpec, viewer};
use crate::{FilesDaf, OpenMode, open_writer};

/// The scalar that names the store before: its path, relative to the folder
/// of the store that has the scalar, or absolute.
const BASE: &str = "base_daf_repository";
/// The scalar that says in JSON what is seen of the store before.
const BASE_VIEW: &str = "base_daf_view";
/// More stores in a row are a circle.
const MAX_CHAIN: usize = 1000;

/// Chains `new` to `base`, or to a view of it, and makes `new` remember that.
///
/// # Errors
/// `Error::Argument` if one of the stores is not on the disk; `Error::Existing`
/// if `new` has a base already; errors of writing and of [`chain_writer`].
pub fn complete_chain(
    base: Arc<dyn Reader>,
    new: Arc<dyn Writer>,
    view: Option<ViewSpec>,
    is_absolute: bool,
    name: Option<&str>,
) -> Result<Arc<dyn Writer>> {
    let base_path = absolute(base.as_ref())?;
    let new_path = absolute(new.as_ref())?;
    let path = if is_absolute {
        base_path
    } else {
        relative(&base_path, &new_path)
    };
    let text = path
        .to_str()
        .ok_or_else(|| Error::argument(format!("the path '{}' is no UTF-8", path.display())))?;
    let seen = match &view {
        None => base,
        Some(view) => viewer(base, None, view.clone())?,
    };
    let chain = chain_writer(vec![seen], Arc::clone(&new), name)?;
    new.set_scalar(BASE, &Scalar::from(text), false)?;
    if let Some(view) = &view {
        new.set_scalar(BASE_VIEW, &Scalar::String(view.to_json()), false)?;
    }
    Ok(chain)
}

/// Opens the store at `path` with all the stores before it; with a mode to
/// write, that goes to the store at `path`.
///
/// # Errors
/// Errors of opening one of the stores; `Error::Argument` if they go in a
/// circle, or the mode is not to open a store that exists.
pub fn complete_daf(path: &Path, mode: OpenMode, name: Option<&str>) -> Result<Arc<dyn Reader>> {
    match mode {
        OpenMode::Read => {
            let leaf = crate::open_reader(path)?;
            let base = all_before(leaf.as_ref(), path)?;
            chain_reader(base.into_iter().chain([leaf]).collect(), name)
        }
        OpenMode::Update => Ok(complete_writer(path, name)?),
        OpenMode::Create | OpenMode::Replace => Err(Error::argument(
            "only a store that exists can be completed: the mode is \"r\" or \"r+\"",
        )),
    }
}

/// Opens the store at `path`, to write to it, with all the stores before it.
///
/// # Errors
/// As [`complete_daf`].
pub fn complete_writer(path: &Path, name: Option<&str>) -> Result<Arc<dyn Writer>> {
    let leaf = open_writer(path, OpenMode::Update)?;
    let base = all_before(leaf.as_ref(), path)?;
    chain_writer(base.into_iter().collect(), leaf, name)
}

/// All the stores before `leaf`, which is at `path`, as one.
fn all_before(leaf: &dyn Reader, path: &Path) -> Result<Option<Arc<dyn Reader>>> {
    let mut earlier = Vec::new();
    let mut next = before(leaf)?;
    while let Some((store, view)) = next {
        if earlier.len() == MAX_CHAIN {
            return Err(Error::argument(format!(
                "more than {MAX_CHAIN} stores before '{}': they name each other",
                path.display()
            )));
        }
        next = before(store.as_ref())?;
        earlier.push((store, view));
    }
    // The first store is seen through the view of the second, and so on.
    let mut base: Option<Arc<dyn Reader>> = None;
    for (store, view) in earlier.into_iter().rev() {
        let members = base.into_iter().chain([store]).collect();
        let whole = chain_reader(members, None)?;
        base = Some(match view {
            Some(view) => viewer(whole, None, view)?,
            None => whole,
        });
    }
    Ok(base)
}

/// The paths of the store at `path` and of all the stores before it, the
/// first of them last.
///
/// # Errors
/// As [`complete_daf`].
pub fn complete_path(store: &dyn Reader) -> Result<Vec<PathBuf>> {
    let mut paths = vec![absolute(store)?];
    let mut next = before(store)?;
    while let Some((store, _)) = next {
        if paths.len() > MAX_CHAIN {
            return Err(Error::argument(format!(
                "more than {MAX_CHAIN} stores before '{}': they name each other",
                store.name()
            )));
        }
        paths.push(absolute(store.as_ref())?);
        next = before(store.as_ref())?;
    }
    Ok(paths)
}

/// A store, and what the one after it sees of it unless all.
type Seen = (Arc<dyn Reader>, Option<ViewSpec>);

/// The store before `store`, if there is one.
fn before(store: &dyn Reader) -> Result<Option<Seen>> {
    let Some(Scalar::String(base)) = store.find_scalar(BASE)? else {
        return Ok(None);
    };
    let folder = absolute(store)?;
    let mut path = folder.join(&base);
    if !FilesDaf::is_store(&path)
        && let Some(parent) = folder.parent()
        && FilesDaf::is_store(&parent.join(&base))
    {
        // Some writers mean the path from the folder that both stores are in.
        path = parent.join(&base);
    }
    let view = match store.find_scalar(BASE_VIEW)? {
        Some(Scalar::String(json)) => Some(ViewSpec::from_json(&json)?),
        _ => None,
    };
    Ok(Some((crate::open_reader(&path)?, view)))
}

fn absolute(store: &dyn Reader) -> Result<PathBuf> {
    let path = store.path().ok_or_else(|| {
        Error::argument(format!("the daf data is not on the disk: {}", store.name()))
    })?;
    path.canonicalize().map_err(Error::io("find", path))
}

/// The way from the folder `from` to `to`, both absolute.
fn relative(to: &Path, from: &Path) -> PathBuf {
    let (to_parts, from_parts): (Vec<Component>, Vec<Component>) =
        (to.components().collect(), from.components().collect());
    let n_common = to_parts
        .iter()
        .zip(&from_parts)
        .take_while(|(to, from)| to == from)
        .count();
    let up = from_parts
        .iter()
        .skip(n_common)
        .map(|_| Component::ParentDir);
    up.chain(to_parts.iter().skip(n_common).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_between_folders() {
        let way = |to: &str, from: &str| relative(Path::new(to), Path::new(from));
        assert_eq!(way("/a/base", "/a/new"), Path::new("../base"));
        assert_eq!(way("/base", "/a/b/new"), Path::new("../../../base"));
        assert_eq!(way("/a/new/base", "/a/new"), Path::new("base"));
    }
}
