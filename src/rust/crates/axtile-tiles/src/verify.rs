//! Checking every file of a dataset.

use std::path::Path;

use axtile_core::{Error, Result, Watch};
use rayon::prelude::*;

use crate::dataset::Dataset;
use crate::threads::on_threads;
use crate::tile::TileDecoder;
use crate::var::GENE_ORDER_FILE;

/// What was found out about a file, or about obs as a whole.
#[derive(Debug)]
pub struct FileReport {
    /// The file, relative to the dataset's folder.
    pub file: String,
    /// What is wrong with it, if anything.
    pub problem: Option<Error>,
}

impl Dataset {
    /// Checks every tile of every layer (checksum, structure, every value), the
    /// gene order, var and obs. Reports finished cells of each layer. Whether a
    /// file is whole stands in the report.
    ///
    /// # Errors
    /// `Error::Interrupted` only.
    pub fn verify(&self, n_threads: usize, watch: &dyn Watch) -> Result<Vec<FileReport>> {
        let manifest = self.manifest();
        let (n_tiles, n_layers) = (manifest.n_tiles(), manifest.layers.len());
        let mut reports = on_threads(n_threads, || {
            (0..n_tiles * n_layers)
                .into_par_iter()
                .map_init(TileDecoder::default, |decoder, job| {
                    watch.check()?;
                    let (layer, tile) = (job / n_tiles, job % n_tiles);
                    let problem = self.verify_tile(layer, tile, decoder).err();
                    watch.advance(manifest.tile_cells[tile]);
                    Ok(FileReport {
                        file: shown(&manifest.tile_file(layer, tile)),
                        problem,
                    })
                })
                .collect::<Result<Vec<FileReport>>>()
        })?;
        let mut report = |file: &str, outcome: Result<()>| {
            reports.push(FileReport {
                file: file.to_owned(),
                problem: outcome.err(),
            });
        };
        if manifest.gene_order.is_there() {
            report(GENE_ORDER_FILE, self.stored_gene_order().map(drop));
        }
        if manifest.var_names.is_there() || manifest.var_table.is_there() {
            report("var", self.var().map(drop));
        }
        for part in 0..manifest.obs_parts.len() {
            let outcome = self.obs().and_then(|obs| match obs {
                Some(obs) => obs.verify_part(part, n_threads, watch),
                None => Ok(()),
            });
            if let Err(Error::Interrupted) = outcome {
                return Err(Error::Interrupted);
            }
            report(&shown(&manifest.obs_folder(part)), outcome);
        }
        Ok(reports)
    }

    fn verify_tile(&self, layer: usize, idx: usize, decoder: &mut TileDecoder) -> Result<()> {
        let tile = self.check_tile(layer, idx)?;
        tile.starts()?;
        for chunk in 0..tile.file.n_chunks() {
            decoder
                .chunk(&tile.file, chunk, None)
                .map_err(|error| error.at(tile.path()))?;
        }
        Ok(())
    }
}

/// A path inside the dataset, the same on every system.
fn shown(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
