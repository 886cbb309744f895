//! Queries: their text, their answers for small stores and for the shared
//! example data.

mod answers;
#[path = "../cut/mod.rs"]
mod cut;
mod examples;
mod streamed;
mod support;
mod text;
