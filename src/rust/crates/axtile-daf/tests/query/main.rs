//! Queries: their text, their answers for small stores and for the shared
//! example data.

mod answers;
mod examples;
mod support;
mod text;
