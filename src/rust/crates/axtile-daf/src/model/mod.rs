//! What a store holds, whichever way it keeps it: element types, arrays of
//! values, vectors, matrices, axes, and the traits through which stores are
//! read and written.

mod axis;
mod buffer;
mod dependency;
mod element;
mod indices;
mod matrix;
mod missing;
mod named;
mod names;
mod reader;
mod room;
mod scalar;
mod streamed;
mod texts;
mod transpose;
mod values;
mod vector;
mod writer;

pub use axis::Axis;
pub use buffer::{Buffer, Plain};
pub(crate) use dependency::listing_stamp;
pub use dependency::{Dependency, Stamp};
pub use element::ElementType;
pub use indices::{Index, Indices, Width};
pub use matrix::{DenseMatrix, Matrix, SparseMatrix};
pub use missing::{
    existing_axis, existing_matrix, existing_scalar, existing_vector, missing_axis, missing_entry,
    missing_matrix, missing_scalar, missing_vector, read_only,
};
pub use named::order_of_names;
pub use names::{check_name, is_readable_name};
pub use reader::Reader;
pub(crate) use room::Room;
pub use scalar::Scalar;
pub use streamed::StreamedMatrix;
pub use texts::Texts;
pub(crate) use texts::TextsBuilder;
pub use values::{Number, Values};
pub use vector::{SparseVector, Vector};
pub use writer::Writer;
