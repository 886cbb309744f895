//! R's objects that were made of what a store holds, for as long as that is
//! the same.
//!
//! The objects are elements of a list of R's that the store's pointer
//! protects; here is only which one is where. Were they here, as `Robj`, they
//! would be dropped by a finaliser, which R may run while extendr holds the
//! lock that it needs.

use std::collections::HashMap;
use std::sync::Arc;

use axtile_daf::model::{Axis, Stamp};
use axtile_daf::query::Evaluated;

/// How many objects are kept.
pub const N_PLACES: usize = 256;

/// What an object was made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The entries of an axis.
    Entries(String),
    /// A vector: axis, name, and whether it has names.
    Vector(String, String, bool),
    /// A matrix: rows, columns, name.
    Matrix(String, String, String),
    /// What a query gives, by its text.
    Query(String),
}

/// The state that it was in.
#[derive(Clone)]
pub enum State {
    /// What tells it from other states.
    Stamp(Stamp),
    /// The very axis.
    Axis(Arc<Axis>),
    /// The very result.
    Result(Arc<Evaluated>),
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        match (self, other) {
            (State::Stamp(one), State::Stamp(other)) => one == other,
            (State::Axis(one), State::Axis(other)) => Arc::ptr_eq(one, other),
            (State::Result(one), State::Result(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Which objects are where.
pub struct Kept {
    max_bytes: usize,
    n_bytes: usize,
    clock: u64,
    by_key: HashMap<Key, usize>,
    places: Vec<Option<Place>>,
}

struct Place {
    key: Key,
    state: State,
    n_bytes: usize,
    used: u64,
}

impl Kept {
    /// Room for objects of so many bytes together.
    pub fn new(max_bytes: usize) -> Kept {
        Kept {
            max_bytes,
            n_bytes: 0,
            clock: 0,
            by_key: HashMap::new(),
            places: Vec::new(),
        }
    }

    /// Where the object is, if it is kept.
    pub fn find(&mut self, key: &Key, state: &State) -> Option<usize> {
        let &at = self.by_key.get(key)?;
        let place = self.places.get_mut(at)?.as_mut()?;
        if place.state != *state {
            return None;
        }
        self.clock += 1;
        place.used = self.clock;
        Some(at)
    }

    /// A place for an object of so many bytes, and the places whose objects
    /// have to go for it; none if it is too large.
    pub fn make_place(
        &mut self,
        key: Key,
        state: State,
        n_bytes: usize,
    ) -> Option<(usize, Vec<usize>)> {
        let mut gone = Vec::new();
        if let Some(at) = self.by_key.get(&key).copied() {
            self.forget(at);
            gone.push(at);
        }
        if n_bytes > self.max_bytes {
            return None;
        }
        while self.n_bytes + n_bytes > self.max_bytes || self.by_key.len() >= N_PLACES {
            let oldest = self.places.iter().enumerate();
            let (at, _) = oldest
                .filter_map(|(at, place)| Some((at, place.as_ref()?.used)))
                .min_by_key(|&(_, used)| used)?;
            self.forget(at);
            gone.push(at);
        }
        let at = match self.places.iter().position(Option::is_none) {
            Some(at) => at,
            None => {
                self.places.push(None);
                self.places.len() - 1
            }
        };
        self.clock += 1;
        self.n_bytes += n_bytes;
        self.by_key.insert(key.clone(), at);
        if let Some(place) = self.places.get_mut(at) {
            *place = Some(Place {
                key,
                state,
                n_bytes,
                used: self.clock,
            });
        }
        Some((at, gone))
    }

    /// Forgets the objects that `is_meant` says, and tells their places.
    pub fn clear(&mut self, is_meant: impl Fn(&Key) -> bool) -> Vec<usize> {
        let meant: Vec<usize> = self
            .by_key
            .iter()
            .filter(|(key, _)| is_meant(key))
            .map(|(_, &at)| at)
            .collect();
        for &at in &meant {
            self.forget(at);
        }
        meant
    }

    fn forget(&mut self, at: usize) {
        if let Some(place) = self.places.get_mut(at).and_then(Option::take) {
            self.by_key.remove(&place.key);
            self.n_bytes -= place.n_bytes;
        }
    }
}
