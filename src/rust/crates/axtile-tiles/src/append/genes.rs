//! Which gene of a dataset each gene of a source is.

use std::collections::{HashMap, HashSet};

use axtile_codec::GeneMap;
use axtile_core::{Error, Result};

use crate::dataset::{Dataset, inverse};
use crate::source::CellSource;

/// How many names a message shows.
const MAX_SHOWN: usize = 5;

/// The stored number of each gene of `source`, which must have the genes of
/// `dataset` in any order; `None` if they are stored in the source's order.
pub(super) fn stored_of_source(
    dataset: &Dataset,
    source: &dyn CellSource,
) -> Result<Option<GeneMap>> {
    let found = source.genes();
    let own = match dataset.manifest().var_names.is_there() {
        true => dataset.gene_names()?,
        false => None,
    };
    let own_of_source = match own {
        Some(own) if own == found => None,
        Some(own) => Some(match_names(dataset, &own, source)?),
        None if dataset.manifest().n_genes == found.len() => None,
        None => {
            return Err(Error::argument(format!(
                "'{}' has {} genes, '{}', whose genes have no names, has {}",
                source.path().display(),
                found.len(),
                dataset.folder().display(),
                dataset.manifest().n_genes
            )));
        }
    };
    let stored_of_own = match dataset.manifest().gene_order.is_there() {
        true => Some(inverse(&dataset.stored_gene_order()?)),
        false => None,
    };
    let numbers = match (own_of_source, stored_of_own) {
        (None, None) => return Ok(None),
        (Some(numbers), None) | (None, Some(numbers)) => numbers,
        (Some(own), Some(stored)) => own.iter().map(|&gene| stored[gene as usize]).collect(),
    };
    Ok(Some(GeneMap::new(numbers.into_iter())))
}

/// The number in the dataset of each gene of the source.
fn match_names(dataset: &Dataset, own: &[String], source: &dyn CellSource) -> Result<Vec<u32>> {
    let found = source.genes();
    let (folder, path) = (dataset.folder().display(), source.path().display());
    let mut numbers: HashMap<&str, u32> = HashMap::with_capacity(own.len());
    for (name, number) in own.iter().zip(0..) {
        if numbers.insert(name, number).is_some() {
            return Err(Error::argument(format!(
                "'{folder}' has the gene '{name}' twice: the genes of '{path}' must be the same, \
                 in the same order"
            )));
        }
    }
    let mut known: HashSet<&str> = HashSet::with_capacity(found.len());
    if let Some(name) = found.iter().find(|name| !known.insert(name)) {
        return Err(Error::argument(format!(
            "'{path}' has the gene '{name}' twice; genes are matched by name"
        )));
    }
    let refuse = |wrong: Vec<&str>, what: &str| {
        let shown: Vec<&str> = wrong.iter().take(MAX_SHOWN).copied().collect();
        let more = wrong.len() - shown.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let shown = shown.join(", ");
        Err(Error::argument(format!("'{path}' {what}: {shown}{more}")))
    };
    let names = found.iter().map(String::as_str);
    let unknown: Vec<&str> = names.filter(|name| !numbers.contains_key(name)).collect();
    if !unknown.is_empty() {
        return refuse(unknown, &format!("has genes that '{folder}' does not have"));
    }
    let names = own.iter().map(String::as_str);
    let missing: Vec<&str> = names.filter(|name| !known.contains(name)).collect();
    if !missing.is_empty() {
        return refuse(missing, &format!("lacks genes of '{folder}'"));
    }
    let number = |name: &String| numbers.get(name.as_str()).copied().unwrap_or(0);
    Ok(found.iter().map(number).collect())
}
