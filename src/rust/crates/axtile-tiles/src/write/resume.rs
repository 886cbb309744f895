//! What an unfinished write leaves so that the next attempt can go on with it:
//! a note of what was being written. Tiles tell by their checksums whether
//! they are whole.

use std::fs;
use std::path::Path;

use axtile_core::{Error, Result};
use axtile_store::{FileIdentity, write_file};
use sha2::{Digest, Sha256};

use super::WriteOptions;
use crate::digest::hex;
use crate::source::CellSource;
use crate::var::read_gene_order;

const NOTE_FILE: &str = "unfinished";
const GENE_ORDER_MARK: &str = "unfinished_gene_order";

/// A hash of the sources (paths, sizes, times of change) and of all options
/// that change a byte of the result.
pub(crate) struct ResumeNote(String);

impl ResumeNote {
    pub(crate) fn of(source: &dyn CellSource, options: &WriteOptions) -> Result<ResumeNote> {
        let mut text = format!(
            "{} cells {} layers {:?} tile_size {} format {:?} sort {} {:?} {}\n",
            env!("CARGO_PKG_VERSION"),
            source.n_cells(),
            source.layers(),
            options.tile_size,
            options.format,
            options.sort_genes,
            options.sort_genes_max_files,
            options.source_choices,
        );
        for part in source.parts() {
            for file in files_of(&part.path) {
                let identity = FileIdentity::read(&file).ok();
                let facts = identity.map(|identity| (identity.size(), identity.modified()));
                text += &format!("{} {facts:?} {:?}\n", file.display(), part.cells);
            }
        }
        for gene in source.genes() {
            text += &format!("{gene:?}\n");
        }
        Ok(ResumeNote(hex(Sha256::new_with_prefix(text))))
    }

    /// Whether `folder` holds an unfinished dataset of the same making.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        fs::read_to_string(folder.join(NOTE_FILE)).is_ok_and(|text| text == self.0)
    }

    /// Empties the folder and notes what is going to be written to it.
    pub(crate) fn start(&self, folder: &Path) -> Result<()> {
        fs::remove_dir_all(folder).map_err(Error::io("remove", folder))?;
        fs::create_dir(folder).map_err(Error::io("create", folder))?;
        write_file(&folder.join(NOTE_FILE), self.0.as_bytes())
    }

    /// The gene order that an earlier attempt settled on, if it got that far.
    pub(crate) fn gene_order(folder: &Path, n_genes: usize) -> Result<Option<Vec<u32>>> {
        if !folder.join(GENE_ORDER_MARK).exists() {
            return Ok(None);
        }
        read_gene_order(folder, n_genes).map(Some)
    }

    /// Notes that the gene order is on the disk.
    pub(crate) fn mark_gene_order(folder: &Path) -> Result<()> {
        write_file(&folder.join(GENE_ORDER_MARK), b"")
    }

    /// Removes the notes from a finished dataset.
    pub(crate) fn remove(folder: &Path) -> Result<()> {
        for name in [GENE_ORDER_MARK, NOTE_FILE] {
            let path = folder.join(name);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("remove", &path)(source));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A file itself, or the files of a folder.
fn files_of(path: &Path) -> Vec<std::path::PathBuf> {
    match fs::read_dir(path) {
        Ok(entries) => {
            let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            files.sort();
            files
        }
        Err(_) => vec![path.to_owned()],
    }
}
