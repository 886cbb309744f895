//! Arguments that R hands over. R has checked them (`R/utils-check.R`); what
//! is wrong here is a mistake of this package and told as such.

use std::path::PathBuf;
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_tiles::{Dataset, DecodedCache, GeneOrder};
use extendr_api::prelude::*;

use crate::pool;
use crate::registry;

/// A named list of arguments.
pub struct Arguments(List);

impl Arguments {
    /// The list `value`.
    pub fn new(value: &Robj) -> Result<Arguments> {
        let list = value
            .as_list()
            .ok_or_else(|| Error::argument("internal: arguments are no list"))?;
        Ok(Arguments(list))
    }

    /// Argument `name`; NULL where it is missing.
    pub fn get(&self, name: &str) -> Robj {
        self.0
            .iter()
            .find(|(key, _)| *key == name)
            .map_or_else(|| Robj::from(()), |(_, value)| value)
    }

    /// An argument that R should not have let through.
    pub fn wrong(name: &str) -> Error {
        Error::argument(format!("internal: argument '{name}' is of a wrong type"))
    }

    /// A single text.
    pub fn text(&self, name: &str) -> Result<String> {
        let value = self.get(name);
        let text = value.as_str().ok_or_else(|| Self::wrong(name))?;
        Ok(text.to_owned())
    }

    /// A single path.
    pub fn path(&self, name: &str) -> Result<PathBuf> {
        self.text(name).map(PathBuf::from)
    }

    /// Texts; empty for NULL.
    pub fn texts(&self, name: &str) -> Result<Vec<String>> {
        let value = self.get(name);
        if value.is_null() {
            return Ok(Vec::new());
        }
        let texts = value.as_str_vector().ok_or_else(|| Self::wrong(name))?;
        Ok(texts.into_iter().map(str::to_owned).collect())
    }

    /// TRUE or FALSE.
    pub fn flag(&self, name: &str) -> Result<bool> {
        self.get(name).as_bool().ok_or_else(|| Self::wrong(name))
    }

    /// A single whole number, not negative.
    pub fn count(&self, name: &str) -> Result<u64> {
        let number = self.number(name)?;
        if number >= 0.0 && number.fract() == 0.0 {
            Ok(number as u64)
        } else {
            Err(Self::wrong(name))
        }
    }

    /// A single number.
    pub fn number(&self, name: &str) -> Result<f64> {
        let value = self.get(name);
        value
            .as_real()
            .or_else(|| value.as_integer().map(f64::from))
            .ok_or_else(|| Self::wrong(name))
    }

    /// Whether the argument is missing or NULL.
    pub fn is_null(&self, name: &str) -> bool {
        self.get(name).is_null()
    }

    /// Numbers counted from 1, counted from 0; `None` for NULL.
    pub fn indices(&self, name: &str) -> Result<Option<Vec<u64>>> {
        let value = self.get(name);
        if value.is_null() {
            return Ok(None);
        }
        let numbers = value.as_real_slice().ok_or_else(|| Self::wrong(name))?;
        let index = |&number: &f64| {
            if number >= 1.0 && number.fract() == 0.0 {
                Ok(number as u64 - 1)
            } else {
                Err(Self::wrong(name))
            }
        };
        numbers.iter().map(index).collect::<Result<_>>().map(Some)
    }

    /// Numbers of genes, counted from 0; `None` for NULL.
    pub fn genes(&self, name: &str) -> Result<Option<Vec<u32>>> {
        let genes = self.indices(name)?;
        // No dataset has a gene of the largest number.
        let number = |gene: u64| u32::try_from(gene).unwrap_or(u32::MAX);
        Ok(genes.map(|genes| genes.into_iter().map(number).collect()))
    }

    /// The folder of the obs cache; `None` for the usual one.
    pub fn cache_root(&self) -> Result<Option<PathBuf>> {
        if self.is_null("cache_root") {
            Ok(None)
        } else {
            self.path("cache_root").map(Some)
        }
    }

    /// The number of the layer that the argument `layer` names; the first for
    /// NULL.
    pub fn layer(&self, dataset: &Dataset) -> Result<usize> {
        let name = match self.is_null("layer") {
            true => None,
            false => Some(self.text("layer")?),
        };
        dataset.manifest().layer_number(name.as_deref())
    }

    /// How many threads to use.
    pub fn n_threads(&self) -> Result<usize> {
        Ok(self.count("threads")? as usize)
    }

    /// The argument `gene_order`.
    pub fn gene_order(&self) -> Result<GeneOrder> {
        match self.text("gene_order")?.as_str() {
            "stored" => Ok(GeneOrder::Stored),
            "source" => Ok(GeneOrder::Source),
            _ => Err(Self::wrong("gene_order")),
        }
    }

    /// The dataset of the arguments `path`, `identity` (NULL to open anew),
    /// `gene_order`, `cache_mb` and `pool_mb`.
    pub fn dataset(&self) -> Result<Arc<Dataset>> {
        let path = self.path("path")?;
        let bytes = |name: &str| Ok((self.number(name)?.max(0.0) * 1e6) as usize);
        let cache_bytes = bytes("cache_mb")?;
        pool::set_limit(bytes("pool_mb")?);
        if self.is_null("identity") {
            registry::open(&path, self.gene_order()?, cache_bytes)
        } else {
            let identity = self.text("identity")?;
            registry::reopen(&path, &identity, self.gene_order()?, cache_bytes)
        }
    }

    /// The same dataset with nothing of it in memory yet.
    pub fn dataset_anew(&self) -> Result<Dataset> {
        let known = self.dataset()?;
        let no_cache = Arc::new(DecodedCache::new(0));
        let dataset = Dataset::open(known.folder(), self.gene_order()?, no_cache)?;
        if dataset.identity() == known.identity() {
            Ok(dataset)
        } else {
            Err(Error::Stale {
                path: dataset.folder().to_owned(),
            })
        }
    }
}
