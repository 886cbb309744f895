//! What a dataset says of its genes: their names, their order in the source,
//! and a table of annotations.

mod gene_order;
mod labels;
mod names;
mod pandas;
mod table;

pub(crate) use gene_order::FILE as GENE_ORDER_FILE;
pub(crate) use names::FILE as NAMES_FILE;
pub(crate) use table::FILE as TABLE_FILE;

pub use gene_order::{read_gene_order, write_gene_order};
pub use names::{read_var_names, write_var_names};
pub use table::{VarTable, read_var, write_var};
