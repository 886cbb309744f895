//! Sources of counts to import: AnnData h5ad, 10x Genomics HDF5 and Matrix
//! Market folders.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic
    )
)]

mod anndata_table;
mod columns;
mod combine;
mod h5;
mod h5ad;
mod matrix;
mod mtx;
mod open;
mod options;
mod pandas;
mod paths;
mod range;
mod spill;
mod tenx;
mod value;

pub use combine::{Combined, Join};
pub use h5ad::H5ad;
pub use mtx::Mtx;
pub use open::open;
pub use options::{GeneNames, ImportOptions, Layer, Orientation};
pub use paths::{expand_paths, natural_order};
pub use spill::DEFAULT_SPILL_BYTES;
pub use tenx::TenX;
