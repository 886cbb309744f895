//! Open datasets. R's objects hold a path and the identity of the manifest, no
//! pointer: they can be saved, sent to another process and forked.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use axtile_core::{Error, Result};
use axtile_tiles::{Dataset, GeneOrder, OpenOptions};

/// How many datasets stay open at once.
const MAX_OPEN: usize = 16;

static OPEN: Mutex<Vec<(PathBuf, Arc<Dataset>)>> = Mutex::new(Vec::new());

/// Opens the dataset in `folder`, or finds it among the open ones.
pub fn open(folder: &Path, options: OpenOptions) -> Result<Arc<Dataset>> {
    if let Some(dataset) = find(folder, options.gene_order)
        && dataset.is_current()
    {
        dataset.set_cache_bytes(options.cache_bytes);
        return Ok(dataset);
    }
    let dataset = Arc::new(Dataset::open(folder, options)?);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|(path, other)| path != folder || other.gene_order() != options.gene_order);
    if open.len() == MAX_OPEN {
        open.remove(0);
    }
    open.push((folder.to_owned(), Arc::clone(&dataset)));
    Ok(dataset)
}

/// The dataset that an R object speaks of.
///
/// # Errors
/// `Error::Stale` if there is another one in its place by now.
pub fn reopen(folder: &Path, identity: &str, options: OpenOptions) -> Result<Arc<Dataset>> {
    let dataset = open(folder, options)?;
    if dataset.identity() == identity {
        Ok(dataset)
    } else {
        Err(Error::Stale {
            path: folder.to_owned(),
        })
    }
}

fn find(folder: &Path, gene_order: GeneOrder) -> Option<Arc<Dataset>> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let at = open
        .iter()
        .position(|(path, dataset)| path == folder && dataset.gene_order() == gene_order)?;
    let entry = open.remove(at);
    let dataset = Arc::clone(&entry.1);
    open.push(entry);
    Some(dataset)
}
