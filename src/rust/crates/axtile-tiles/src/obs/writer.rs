//! Writing obs: parquet shards with a row group for each tile.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_store::{sync_folder, write_file};
use axtile_table::parquet::{Categories, ParquetWriter};
use axtile_table::{Field, Table};
use sha2::{Digest, Sha256};

use super::schema::{self, ObsSchema};
use super::{ObsSection, shard_name};
use crate::digest::hex;

/// The zstd level of the reference implementation.
const LEVEL: i32 = 9;

/// Writes the annotations of cells, tile by tile.
pub struct ObsWriter {
    folder: PathBuf,
    schema: ObsSchema,
    fields: Vec<Field>,
    tiles_per_file: u32,
    tile_rows: Vec<u64>,
    shard: Option<(PathBuf, ParquetWriter<Hashed>)>,
    section: ObsSection,
    is_broken: bool,
}

impl ObsWriter {
    /// Starts the folder of an obs part. Shards of an earlier attempt are removed.
    ///
    /// # Errors
    /// If two columns have a name or a column two equal levels, if
    /// `tiles_per_file` is 0, or if the folder cannot be made.
    pub fn create(folder: &Path, fields: &[Field], tiles_per_file: u32) -> Result<ObsWriter> {
        if tiles_per_file == 0 {
            return Err(Error::argument(
                "0 tiles per obs file; at least 1 is needed",
            ));
        }
        let schema = ObsSchema::new(folder, fields)?;
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        remove_earlier(folder)?;
        Ok(ObsWriter {
            folder: folder.to_owned(),
            schema,
            fields: fields.to_vec(),
            tiles_per_file,
            tile_rows: Vec::new(),
            shard: None,
            section: ObsSection {
                tiles_per_file,
                fingerprint: String::new(),
                shard_bytes: Vec::new(),
                shard_sha256: Vec::new(),
            },
            is_broken: false,
        })
    }

    /// Writes the annotations of the next tile's cells.
    ///
    /// # Errors
    /// If the table has other fields, a value does not fit its type, or writing
    /// fails. The writer cannot be used any more then.
    pub fn write_tile(&mut self, table: &Table) -> Result<()> {
        self.check_whole()?;
        self.is_broken = true;
        let mut shard = match self.shard.take() {
            Some(shard) => shard,
            None => self.start_shard()?,
        };
        shard.1.write_group(table)?;
        self.tile_rows.push(table.n_rows as u64);
        if self
            .tile_rows
            .len()
            .is_multiple_of(self.tiles_per_file as usize)
        {
            self.end_shard(shard)?;
        } else {
            self.shard = Some(shard);
        }
        self.is_broken = false;
        Ok(())
    }

    /// Ends the last shard and writes the schema. All files are on the disk
    /// when this returns. `tile_cells` is the number of cells of each tile.
    ///
    /// # Errors
    /// If the tiles written are others than `tile_cells` says, or writing fails.
    pub fn finish(mut self, tile_cells: &[u64]) -> Result<ObsSection> {
        self.check_whole()?;
        if self.tile_rows != tile_cells {
            return Err(Error::argument(format!(
                "obs was written for {} tiles and {} cells, expected {} and {}",
                self.tile_rows.len(),
                self.tile_rows.iter().sum::<u64>(),
                tile_cells.len(),
                tile_cells.iter().sum::<u64>()
            )));
        }
        if let Some(shard) = self.shard.take() {
            self.end_shard(shard)?;
        }
        let path = self.folder.join(schema::FILE);
        write_file(&path, self.schema.to_json().as_bytes())?;
        sync_folder(&self.folder)?;
        let shards = &self.section.shard_sha256;
        self.section.fingerprint = self.schema.fingerprint(tile_cells, shards);
        Ok(self.section)
    }

    fn check_whole(&self) -> Result<()> {
        if self.is_broken {
            return Err(Error::argument("writing obs failed before; start it again"));
        }
        Ok(())
    }

    fn start_shard(&self) -> Result<(PathBuf, ParquetWriter<Hashed>)> {
        let path = self.folder.join(shard_name(self.section.shard_bytes.len()));
        let file = File::create(&path).map_err(Error::io("create", &path))?;
        let out = Hashed {
            file: BufWriter::new(file),
            hash: Sha256::new(),
            len: 0,
        };
        let writer = ParquetWriter::new(out, &path, &self.fields, Categories::Codes, LEVEL)?;
        Ok((path, writer))
    }

    fn end_shard(&mut self, (path, writer): (PathBuf, ParquetWriter<Hashed>)) -> Result<()> {
        let out = writer.finish(&[])?;
        let file = out
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error);
        file.and_then(|file| file.sync_all())
            .map_err(Error::io("write", &path))?;
        self.section.shard_bytes.push(out.len);
        self.section.shard_sha256.push(hex(out.hash));
        Ok(())
    }
}

fn remove_earlier(folder: &Path) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    for entry in entries {
        let entry = entry.map_err(Error::io("read", folder))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_shard = name
            .strip_prefix("obs_")
            .and_then(|rest| rest.strip_suffix(".parquet"))
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        if is_shard || name == schema::FILE {
            let path = entry.path();
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}

/// A file that is hashed while it is written.
struct Hashed {
    file: BufWriter<File>,
    hash: Sha256,
    len: u64,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hash.update(bytes.get(..n).unwrap_or(bytes));
        self.len += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
