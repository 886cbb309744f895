//! What a result was made of, and whether that is still the same.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

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

    /// The mark of what these bytes describe.
    pub fn of_bytes(bytes: &[u8]) -> Stamp {
        Stamp(xxh3_64(bytes))
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
