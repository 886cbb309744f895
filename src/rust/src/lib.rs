//! The binding to R: the only crate that knows R.
//!
//! Every function takes one list of arguments that R has checked, and returns
//! its result or an error as a value (`guard`). Long work runs beside R's
//! thread (`watch`), which alone calls R.
#![allow(missing_docs, reason = "users see R functions, documented in R")]

use extendr_api::prelude::*;

mod altrep;
mod arguments;
mod daf;
mod fresh;
mod guard;
mod mapped;
mod matrix_source;
mod mef;
mod pool;
mod r_api;
mod registry;
mod tables;
mod tile_counts;
mod tiles_genes;
mod tiles_materialize;
mod tiles_read;
mod tiles_write;
mod watch;

// The version of the Rust workspace.
#[extendr]
fn rs_version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}

extendr_module! {
    mod axtile;
    use daf;
    use mapped;
    use mef;
    use tile_counts;
    use tiles_genes;
    use tiles_materialize;
    use tiles_read;
    use tiles_write;
    fn rs_version;
}
