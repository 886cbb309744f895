//! Zeros to be filled with results, which then become an array without a copy.

use std::marker::PhantomData;
use std::sync::Arc;

use axtile_store::Pages;

use super::buffer::{Buffer, Memory, Plain};

/// Bytes from which on memory is worth pages of its own.
const LARGE: usize = 8 << 20;

/// Zeros to be filled.
pub(crate) enum Room<T> {
    Small(Vec<T>),
    Large(Pages, PhantomData<T>),
}

impl<T: Plain> Room<T> {
    /// `n` zeros.
    pub(crate) fn zeros(n: usize) -> Room<T> {
        match n.checked_mul(size_of::<T>()) {
            Some(n_bytes) if n_bytes >= LARGE => match Pages::zeroed(n_bytes) {
                Some(pages) => Room::Large(pages, PhantomData),
                None => Room::Small(vec![T::zeroed(); n]),
            },
            _ => Room::Small(vec![T::zeroed(); n]),
        }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Room::Small(values) => values,
            // Pages begin at multiples of more than any number's size.
            Room::Large(pages, _) => bytemuck::cast_slice_mut(pages),
        }
    }
}

impl<T: Plain> From<Room<T>> for Buffer<T> {
    fn from(room: Room<T>) -> Buffer<T> {
        match room {
            Room::Small(values) => values.into(),
            Room::Large(pages, of) => Buffer {
                memory: Memory::Pages(Arc::new(pages), of),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_room_becomes_an_array() {
        for n in [3, LARGE / 16, LARGE / 16 + 1] {
            let mut room = Room::<i128>::zeros(n);
            let values = room.as_mut_slice();
            assert!(values.len() == n && values.iter().all(|&value| value == 0));
            values[n - 1] = -5;
            let buffer: Buffer<i128> = room.into();
            assert!(!buffer.is_mapped());
            let copy = buffer.clone();
            assert_eq!((copy.len(), copy[n - 2], copy[n - 1]), (n, 0, -5));
        }
    }
}
