//! Adding cells to a dataset: new tiles and a new obs part beside what is
//! there, then a new manifest in the place of the old one. Whatever happens
//! before that last step, the dataset is what it was; what is left over then is
//! removed by the next append.

mod genes;
mod leftovers;

use std::ops::Range;
use std::path::Path;

use axtile_codec::GeneMap;
use axtile_core::{Error, Result, Watch};
use axtile_store::{lock_store, restore_interrupted, sync_folder};

use crate::manifest::{Format, Layer, MAX_CELLS, Manifest};
use crate::obs::same_columns;
use crate::source::CellSource;
use crate::threads::on_threads;
use crate::write::{
    DatasetFormat, KeptBlocks, Scratch, TileWriter, check_source, cuts, obs_fields, tile_ranges,
    write_obs,
};
use crate::{Dataset, DecodedCache, GeneOrder};

/// How cells are added.
#[derive(Clone, Copy, Debug)]
pub struct AppendOptions {
    /// Tiles an obs shard.
    pub obs_tiles_per_file: u32,
    /// Worker threads.
    pub n_threads: usize,
}

/// How many cells the watch will hear of in all.
pub fn append_work_of(source: &dyn CellSource) -> u64 {
    source.prepare_work() + source.n_cells() * source.layers().len() as u64
}

/// Adds all cells of `source` behind those of the dataset at `target`: as new
/// tiles of its tile size, with the same layers and obs columns. Genes are
/// matched by name, in whatever order; those of a dataset without names by their
/// number. Annotations of the genes are not looked at.
///
/// Nothing that is there is read but the manifest, the names of the genes and
/// of the obs columns, or written but the manifest: readers that have the
/// dataset open go on with the cells that it had.
///
/// # Errors
/// `Error::Unsupported` for a dataset of the deltacells format;
/// `Error::Argument` if layers, genes or obs columns are others, or somebody
/// else is writing; as [`write_dataset`](crate::write_dataset) else. The dataset
/// is then what it was.
pub fn append_dataset(
    target: &Path,
    source: &mut dyn CellSource,
    options: &AppendOptions,
    watch: &dyn Watch,
) -> Result<()> {
    restore_interrupted(target)?;
    let _lock = lock_store(target)?;
    let known = std::sync::Arc::new(DecodedCache::new(0));
    let dataset = Dataset::open(target, GeneOrder::Source, known)?;
    if dataset.manifest().format != Format::Axtile {
        return Err(Error::unsupported(
            dataset.folder(),
            "the deltacells format cannot be appended to; \
             convert the dataset to the axtile format first, with convert_tiles()",
        ));
    }
    leftovers::remove(dataset.folder(), dataset.manifest())?;
    let appended = Append {
        dataset: &dataset,
        options,
        watch,
    }
    .run(source);
    if appended.is_err() {
        // What the manifest on the disk does not speak of: it may have been
        // replaced even if its folder could not be synced. The first error
        // matters; a leftover is only untidy.
        let _ = Manifest::read(dataset.folder())
            .and_then(|(manifest, _)| leftovers::remove(dataset.folder(), &manifest));
    }
    appended
}

struct Append<'a> {
    dataset: &'a Dataset,
    options: &'a AppendOptions,
    watch: &'a dyn Watch,
}

impl Append<'_> {
    fn run(&self, source: &mut dyn CellSource) -> Result<()> {
        let folder = self.dataset.folder();
        let manifest = self.dataset.manifest();
        let stored_of_source = self.check(source)?;
        let n_cells = manifest.n_cells.checked_add(source.n_cells());
        let n_cells = n_cells.filter(|&n_cells| n_cells <= MAX_CELLS);
        let n_cells = n_cells.ok_or_else(|| Error::limit(folder, "more than 2^53 cells"))?;
        let tiles = tile_ranges(source.n_cells(), manifest.tile_size);

        let scratch = Scratch::create(folder)?;
        source.prepare(&cuts(&tiles), scratch.path(), self.watch)?;
        let source: &dyn CellSource = source;
        let (layers, obs_part) = on_threads(self.options.n_threads, || {
            // What is wrong with names and annotations comes to light first.
            let obs_part = self.write_obs(source, &tiles)?;
            let layers = TileWriter {
                source,
                layers: &source.layers(),
                format: DatasetFormat::AXTILE,
                folder,
                first_tile: manifest.n_tiles(),
                tiles: &tiles,
                stored_of_source,
                resume: false,
                n_threads: self.options.n_threads,
                watch: self.watch,
            }
            .write(&KeptBlocks::new(0))?;
            Ok((layers, obs_part))
        })?;
        scratch.remove()?;
        self.watch.check()?;

        let mut manifest = manifest.clone();
        manifest.n_cells = n_cells;
        let new_cells = tiles.iter().map(|cells| cells.end - cells.start);
        manifest.tile_cells.extend(new_cells);
        for (layer, new) in manifest.layers.iter_mut().zip(layers) {
            extend(layer, new);
        }
        manifest.obs_parts.extend(obs_part);
        manifest.write(folder)
    }

    /// Refuses a source that does not go with the dataset; the stored number of
    /// each of its genes.
    fn check(&self, source: &dyn CellSource) -> Result<Option<GeneMap>> {
        check_source(source, DatasetFormat::AXTILE)?;
        let manifest = self.dataset.manifest();
        let described = |layers: &mut dyn Iterator<Item = (String, &'static str)>| {
            let layers: Vec<String> = layers
                .map(|(name, kind)| format!("'{name}' ({kind})"))
                .collect();
            layers.join(", ")
        };
        let own = manifest.layers.iter();
        let own = described(&mut own.map(|layer| (layer.name.clone(), layer.kind.name())));
        let layers = source.layers().into_iter();
        let found = described(&mut layers.map(|layer| (layer.name, layer.kind.name())));
        if own != found {
            return Err(Error::argument(format!(
                "'{}' has the layers {found}; '{}' has {own}",
                source.path().display(),
                self.dataset.folder().display()
            )));
        }
        same_columns(self.dataset.obs_fields()?, &obs_fields(source)?).map_err(|problem| {
            Error::argument(format!(
                "obs of '{}' does not go with that of '{}': {problem}",
                source.path().display(),
                self.dataset.folder().display()
            ))
        })?;
        genes::stored_of_source(self.dataset, source)
    }

    fn write_obs(
        &self,
        source: &dyn CellSource,
        tiles: &[Range<u64>],
    ) -> Result<Option<crate::ObsPart>> {
        let fields = obs_fields(source)?;
        if fields.is_empty() {
            return Ok(None);
        }
        let manifest = self.dataset.manifest();
        let folder = self.dataset.folder();
        let part_folder = folder.join(manifest.obs_folder(manifest.obs_parts.len()));
        let part = write_obs(
            source,
            DatasetFormat::AXTILE,
            &part_folder,
            tiles,
            &fields,
            self.options.obs_tiles_per_file,
            self.watch,
        )?;
        sync_folder(&folder.join("obs"))?;
        Ok(Some(part))
    }
}

fn extend(layer: &mut Layer, new: Layer) {
    layer.tile_nnz.extend(new.tile_nnz);
    layer.tile_bytes.extend(new.tile_bytes);
    layer.tile_checksum.extend(new.tile_checksum);
}
