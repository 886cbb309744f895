//! What a result was made of, and whether that is still the same.

use std::hash::{Hash, Hasher};

use axtile_core::Result;
use xxhash_rust::xxh3::Xxh3;

use super::Reader;

/// One thing that a result can depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dependency {
    /// Which scalars there are.
    Scalars,
    /// A scalar, or that there is none of this name.
    Scalar(String),
    /// Which axes there are.
    Axes,
    /// An axis, or that there is none of this name.
    Axis(String),
    /// Which vectors an axis has.
    Vectors(String),
    /// Axis and name of a vector, or that there is none.
    Vector(String, String),
    /// Which matrices are stored with these rows and columns.
    Matrices(String, String),
    /// Rows, columns and name of a stored matrix, or that there is none.
    Matrix(String, String, String),
}

/// A mark that changes whenever the thing it was taken of does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp(u64);

impl Stamp {
    /// The mark of what does not exist.
    pub const ABSENT: Stamp = Stamp(0);

    /// The mark of something with a number that no other state of it has.
    pub fn of_number(number: u64) -> Stamp {
        Stamp(number)
    }

    /// The mark of something that is told from its other states by `value`.
    pub fn of(value: &impl Hash) -> Stamp {
        let mut hash = Xxh3::new();
        value.hash(&mut hash);
        Stamp(hash.finish())
    }

    /// The mark of a list of names.
    pub fn of_names(names: &[String]) -> Stamp {
        let mut hash = Xxh3::new();
        for name in names {
            hash.update(name.as_bytes());
            hash.update(&[0]);
        }
        Stamp(hash.digest())
    }

    /// The mark of things that have these marks, in this order.
    pub fn of_all(stamps: impl IntoIterator<Item = Stamp>) -> Stamp {
        let mut hash = Xxh3::new();
        for stamp in stamps {
            hash.update(&stamp.0.to_le_bytes());
        }
        Stamp(hash.digest())
    }
}

/// The mark of the list of names that `of` is, in the state that `store` lists
/// them in. None if `of` is no list of names.
pub(crate) fn listing_stamp(store: &dyn Reader, of: &Dependency) -> Result<Option<Stamp>> {
    let names = match of {
        Dependency::Scalars => store.scalar_names()?,
        Dependency::Axes => store.axis_names()?,
        Dependency::Vectors(axis) => {
            if !store.has_axis(axis)? {
                return Ok(Some(Stamp::ABSENT));
            }
            store.vector_names(axis)?
        }
        Dependency::Matrices(rows, columns) => {
            if !store.has_axis(rows)? || !store.has_axis(columns)? {
                return Ok(Some(Stamp::ABSENT));
            }
            store.stored_matrix_names(rows, columns)?
        }
        Dependency::Scalar(_)
        | Dependency::Axis(_)
        | Dependency::Vector(..)
        | Dependency::Matrix(..) => return Ok(None),
    };
    Ok(Some(Stamp::of_names(&names)))
}
