//! Tile datasets: single-cell counts in self-contained tiles, with annotations
//! of cells (obs) and genes (var).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod annotations;
mod append;
mod chunks;
mod dataset;
mod dataset_source;
mod decoded;
mod digest;
mod float_stats;
mod gather;
mod genes;
mod manifest;
mod obs;
mod python_json;
mod read;
mod recent_tiles;
mod source;
mod stats;
mod threads;
mod tile;
mod values;
mod var;
mod verify;
mod write;

pub use append::{AppendOptions, append_dataset, append_work_of};
pub use dataset::{Dataset, GeneOrder, OpenTile};
pub use dataset_source::DatasetSource;
pub use decoded::DecodedCache;
pub use float_stats::FloatSums;
pub use gather::{Gather, Selection};
pub use genes::GeneValues;
pub use manifest::{
    FileEntry, FileFacts, Format, Layer, LayerKind, MANIFEST_FILE, Manifest, ObsPart, is_dataset,
};
pub use obs::{Cells, ObsReader, ObsSection, ObsWriter, cache_root};
pub use source::{CellBlock, CellSource, FloatBlock, LayerField, SourcePart};
pub use stats::CountSums;
pub use threads::on_threads;
pub use var::{
    VarTable, read_gene_order, read_var, read_var_names, write_gene_order, write_var,
    write_var_names,
};
pub use verify::FileReport;
pub use write::{CELL_NAMES, DatasetFormat, WriteOptions, work_of, write_dataset};
