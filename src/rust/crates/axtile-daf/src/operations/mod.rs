//! Operations on values: element-wise ones and reductions, their names,
//! parameters and types, and the kernels that do them on the arrays of a
//! store as they are, dense or sparse.

mod accumulate;
mod apply;
mod custom;
mod dense;
mod eltwise;
mod jobs;
mod lane;
mod parameters;
mod piece;
mod reduce;
mod reduction;
mod results;
mod select;
mod slots;
mod sparse;
mod streamed;
mod texts;
mod threads;
mod view;

pub use apply::{Columns, apply, of_zero};
pub use custom::{Custom, CustomOperations, NoCustomOperations, OperationKind};
pub use eltwise::Eltwise;
pub use lane::Numbers;
pub use parameters::{Parameter, ParameterProblem, parse_number};
pub use reduce::{Request, Shape, reduce_matrix};
pub use reduction::{Reduction, float_type};
pub use results::Results;
pub use slots::{Members, NO_SLOT};
pub use sparse::SparseView;
pub use streamed::reduce_streamed;
pub use texts::mode_of_texts;
pub use threads::{Threads, attended};
pub use view::MatrixView;
pub(crate) use view::{numbers, viewed};
