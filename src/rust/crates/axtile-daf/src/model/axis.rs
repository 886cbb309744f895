//! The entries of an axis.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::Texts;

/// The entries of an axis, and where each of them is.
#[derive(Debug)]
pub struct Axis {
    entries: Texts,
    lookup: OnceLock<Lookup>,
}

/// Positions by entry; the table holds no entry, only where to find it.
#[derive(Debug)]
struct Lookup {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    /// The first entry that was there before.
    repeated: Option<usize>,
}

impl Lookup {
    fn new(entries: &Texts) -> Lookup {
        let hasher = DefaultHashBuilder::default();
        let mut table = HashTable::with_capacity(entries.len());
        let mut repeated = None;
        for (idx, entry) in entries.iter_bytes().enumerate() {
            let found = table.entry(
                hasher.hash_one(entry),
                |&at: &u32| entries.bytes(at as usize) == entry,
                |&at| hasher.hash_one(entries.bytes(at as usize)),
            );
            match found {
                hashbrown::hash_table::Entry::Occupied(_) => {
                    repeated.get_or_insert(idx);
                }
                hashbrown::hash_table::Entry::Vacant(place) => {
                    // Axes are no longer than `Axis::MAX_LEN`.
                    place.insert(idx as u32);
                }
            }
        }
        Lookup {
            hasher,
            table,
            repeated,
        }
    }
}

impl Axis {
    /// The most entries an axis can have.
    pub const MAX_LEN: usize = u32::MAX as usize;

    /// An axis of these entries. None if they are more than `MAX_LEN`.
    pub fn new(entries: Texts) -> Option<Axis> {
        (entries.len() <= Axis::MAX_LEN).then(|| Axis {
            entries,
            lookup: OnceLock::new(),
        })
    }

    /// The axis of the entries at `positions`, in their order.
    pub(crate) fn taken(&self, positions: &[usize]) -> Axis {
        Axis {
            entries: self.entries.take(positions.iter().copied()),
            lookup: OnceLock::new(),
        }
    }

    /// The entries in order.
    pub fn entries(&self) -> &Texts {
        &self.entries
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Where `entry` is, counted from 0. The first call looks at all entries,
    /// later ones at few.
    pub fn position(&self, entry: &str) -> Option<usize> {
        self.position_of_bytes(entry.as_bytes())
    }

    /// As [`Axis::position`], for the bytes of an entry.
    pub fn position_of_bytes(&self, entry: &[u8]) -> Option<usize> {
        let lookup = self.lookup();
        lookup
            .table
            .find(lookup.hasher.hash_one(entry), |&at| {
                self.entries.bytes(at as usize) == entry
            })
            .map(|&at| at as usize)
    }

    /// The first entry that was there before, if the entries are not unique.
    pub fn repeated(&self) -> Option<usize> {
        self.lookup().repeated
    }

    fn lookup(&self) -> &Lookup {
        self.lookup.get_or_init(|| Lookup::new(&self.entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_where_they_are() {
        let names: Vec<String> = (0..5000).map(|at| format!("cell {at}")).collect();
        let axis = Axis::new(names.iter().map(String::as_str).collect()).unwrap();
        for (at, name) in names.iter().enumerate() {
            assert_eq!(axis.position(name), Some(at));
        }
        assert_eq!(axis.position("cell"), None);
        assert_eq!(axis.repeated(), None);
    }

    #[test]
    fn repeats_are_seen() {
        let axis = Axis::new(["a", "b", "a", "b"].into_iter().collect()).unwrap();
        assert_eq!(axis.repeated(), Some(2));
        assert_eq!(axis.position("b"), Some(1));
    }
}
