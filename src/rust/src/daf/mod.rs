//! Data in axes: stores, what they hold, and queries, for R.

use extendr_api::prelude::*;

mod custom;
mod from_r;
mod handle;
mod kept;
mod names;
mod query;
mod read;
mod stores;
mod to_r;
mod to_r_matrix;
mod view;
mod write;

extendr_module! {
    mod daf;
    use query;
    use read;
    use stores;
    use write;
}
