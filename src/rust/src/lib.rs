//! The binding to R.
#![allow(missing_docs, reason = "users see R functions, documented in R")]

use extendr_api::prelude::*;

// The version of the Rust workspace.
#[extendr]
fn rs_version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}

extendr_module! {
    mod axtile;
    fn rs_version;
}
