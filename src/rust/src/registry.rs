//! Open datasets. R's objects hold a path and the identity of the manifest, no
//! pointer: they can be saved, sent to another process and forked.

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use axtile_core::{Error, Result};
use axtile_tiles::{Dataset, DecodedCache, GeneOrder};

/// How many datasets stay open at once.
const MAX_OPEN: usize = 16;

static OPEN: Mutex<Vec<Arc<Dataset>>> = Mutex::new(Vec::new());

/// Decoded chunks of all open datasets.
static DECODED: LazyLock<Arc<DecodedCache>> = LazyLock::new(|| Arc::new(DecodedCache::new(0)));

/// Opens the dataset in `folder`, or finds it among the open ones, and sets
/// the limit of the cache that all share.
pub fn open(folder: &Path, gene_order: GeneOrder, cache_bytes: usize) -> Result<Arc<Dataset>> {
    DECODED.set_max_bytes(cache_bytes);
    if let Some(dataset) = find(folder, gene_order)
        && dataset.is_current()
    {
        return Ok(dataset);
    }
    let dataset = Arc::new(Dataset::open(folder, gene_order, Arc::clone(&DECODED))?);
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|other| !is_same(other, dataset.folder(), gene_order));
    if open.len() == MAX_OPEN {
        open.remove(0);
    }
    open.push(Arc::clone(&dataset));
    Ok(dataset)
}

/// The dataset that an R object speaks of.
///
/// # Errors
/// `Error::Stale` if there is another one in its place by now.
pub fn reopen(
    folder: &Path,
    identity: &str,
    gene_order: GeneOrder,
    cache_bytes: usize,
) -> Result<Arc<Dataset>> {
    let dataset = open(folder, gene_order, cache_bytes)?;
    if dataset.identity() == identity {
        Ok(dataset)
    } else {
        Err(Error::Stale {
            path: folder.to_owned(),
        })
    }
}

/// Closes the dataset in `folder`: its maps and what was decoded of it.
pub fn close(folder: &Path) {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|dataset| dataset.folder() != folder);
}

fn is_same(dataset: &Dataset, folder: &Path, gene_order: GeneOrder) -> bool {
    dataset.folder() == folder && dataset.gene_order() == gene_order
}

fn find(folder: &Path, gene_order: GeneOrder) -> Option<Arc<Dataset>> {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let at = open
        .iter()
        .position(|dataset| is_same(dataset, folder, gene_order))?;
    // The one used last goes to the end: the first is the next to be closed.
    let dataset = open.remove(at);
    open.push(Arc::clone(&dataset));
    Some(dataset)
}
