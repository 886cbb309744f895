//! Checking every file of a dataset.

use axtile_codec::deltacells::Decoder;
use axtile_core::{Error, Result, Watch};
use rayon::prelude::*;

use crate::dataset::Dataset;
use crate::threads::on_threads;

/// What was found out about a file, or about obs as a whole.
#[derive(Debug)]
pub struct FileReport {
    /// The file, relative to the dataset's folder.
    pub file: String,
    /// What is wrong with it, if anything.
    pub problem: Option<Error>,
}

impl Dataset {
    /// Checks every tile (checksum, structure, every value), the gene order,
    /// var and obs. Reports finished cells. Whether a file is whole stands in
    /// the report.
    ///
    /// # Errors
    /// `Error::Interrupted` only.
    pub fn verify(&self, n_threads: usize, watch: &dyn Watch) -> Result<Vec<FileReport>> {
        let n_tiles = self.manifest().n_tiles();
        let mut reports = on_threads(n_threads, || {
            (0..n_tiles)
                .into_par_iter()
                .map_init(Decoder::new, |decoder, tile| {
                    watch.check()?;
                    let problem = self.verify_tile(tile, decoder).err();
                    watch.advance(self.manifest().tile_cells[tile]);
                    Ok(FileReport {
                        file: format!("tiles/tile_{tile:06}.dct"),
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
        let manifest = self.manifest();
        if manifest.has_gene_order {
            report("gene_order.npy", self.check_gene_order());
        }
        if manifest.has_var_names || manifest.has_var_table {
            report("var", self.var().map(drop));
        }
        if manifest.obs.is_some() {
            let outcome = self.obs().and_then(|obs| match obs {
                Some(obs) => obs.verify(n_threads, watch),
                None => Ok(()),
            });
            if let Err(Error::Interrupted) = outcome {
                return Err(Error::Interrupted);
            }
            report("obs", outcome);
        }
        Ok(reports)
    }

    fn verify_tile(&self, idx: usize, decoder: &mut Decoder) -> Result<()> {
        let tile = self.check_tile(idx)?;
        for chunk in 0..tile.tile.chunks().len() {
            decoder
                .each_cell(&tile.tile, chunk, |_, _, _| ())
                .map_err(|error| error.at(tile.path()))?;
        }
        Ok(())
    }
}
