//! Passwords and AES-128. Only metadata sections, bodies of records and (in
//! few files) part of the blocks' statistics are ever encrypted: samples and
//! times can be read without a password by whoever knows the format.

mod access;
mod key;

pub use access::Access;
pub(crate) use key::Key;
