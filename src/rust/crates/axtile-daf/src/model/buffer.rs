//! Arrays of plain numbers, owned or seen in place in a mapped file.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::Arc;

use axtile_store::{Map, Pages};

/// A number that is its bytes: any pattern of them is a value.
pub trait Plain: bytemuck::Pod + PartialEq + fmt::Debug + Send + Sync {}

impl<T: bytemuck::Pod + PartialEq + fmt::Debug + Send + Sync> Plain for T {}

/// An array that costs nothing to clone; dereferences to a slice.
pub struct Buffer<T> {
    pub(super) memory: Memory<T>,
}

pub(super) enum Memory<T> {
    Owned(Arc<Vec<T>>),
    /// As many bytes as whole numbers have.
    Pages(Arc<Pages>, PhantomData<T>),
    Mapped {
        map: Arc<Map>,
        /// In bytes; `start` is a multiple of the alignment of `T`, the range
        /// one of its size and inside the map.
        start: usize,
        end: usize,
        of: PhantomData<T>,
    },
}

impl<T: Plain> Buffer<T> {
    /// The little-endian numbers in `map` from byte `start` to byte `end`:
    /// seen in place, or copied where the machine cannot see them so. None if
    /// the range is not inside the map or holds no whole count of numbers.
    pub fn mapped(map: &Arc<Map>, start: usize, end: usize) -> Option<Buffer<T>> {
        let bytes = map.get(start..end)?;
        if !bytes.len().is_multiple_of(size_of::<T>()) {
            return None;
        }
        let in_place = cfg!(target_endian = "little") || size_of::<T>() == 1;
        if in_place && bytemuck::try_cast_slice::<u8, T>(bytes).is_ok() {
            return Some(Buffer {
                memory: Memory::Mapped {
                    map: Arc::clone(map),
                    start,
                    end,
                    of: PhantomData,
                },
            });
        }
        Buffer::from_le_bytes(bytes)
    }

    /// A copy of little-endian numbers. None if `bytes` holds no whole count
    /// of them.
    pub fn from_le_bytes(bytes: &[u8]) -> Option<Buffer<T>> {
        if !bytes.len().is_multiple_of(size_of::<T>()) {
            return None;
        }
        let mut values = vec![T::zeroed(); bytes.len() / size_of::<T>()];
        let target: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        target.copy_from_slice(bytes);
        if cfg!(target_endian = "big") {
            for number in target.chunks_exact_mut(size_of::<T>()) {
                number.reverse();
            }
        }
        Some(Buffer::from(values))
    }

    /// Whether the numbers are seen in place in a mapped file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.memory, Memory::Mapped { .. })
    }

    /// The map that the numbers are seen in, and at which of its bytes.
    pub fn place(&self) -> Option<(&Map, Range<usize>)> {
        match &self.memory {
            Memory::Owned(_) | Memory::Pages(..) => None,
            Memory::Mapped {
                map, start, end, ..
            } => Some((map, *start..*end)),
        }
    }

    /// The same bytes as numbers of another type of the same size, such as
    /// unsigned for signed ones. None if the sizes differ.
    pub fn reinterpreted<U: Plain>(&self) -> Option<Buffer<U>> {
        if size_of::<T>() != size_of::<U>() || align_of::<T>() != align_of::<U>() {
            return None;
        }
        let memory = match &self.memory {
            Memory::Mapped {
                map, start, end, ..
            } => Memory::Mapped {
                map: Arc::clone(map),
                start: *start,
                end: *end,
                of: PhantomData,
            },
            Memory::Pages(pages, _) => Memory::Pages(Arc::clone(pages), PhantomData),
            Memory::Owned(values) => Memory::Owned(Arc::new(
                bytemuck::try_cast_vec(values.to_vec()).unwrap_or_default(),
            )),
        };
        Some(Buffer { memory })
    }

    /// The bytes as files hold them, little-endian.
    pub fn to_le_bytes(&self) -> std::borrow::Cow<'_, [u8]> {
        let bytes: &[u8] = bytemuck::cast_slice(self);
        if cfg!(target_endian = "little") || size_of::<T>() == 1 {
            return bytes.into();
        }
        let mut swapped = bytes.to_vec();
        for number in swapped.chunks_exact_mut(size_of::<T>()) {
            number.reverse();
        }
        swapped.into()
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Owned(values) => values,
            Memory::Pages(pages, _) => bytemuck::cast_slice(pages),
            Memory::Mapped {
                map, start, end, ..
            } => bytemuck::cast_slice(map.get(*start..*end).unwrap_or_default()),
        }
    }
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Buffer<T> {
        let memory = match &self.memory {
            Memory::Owned(values) => Memory::Owned(Arc::clone(values)),
            Memory::Pages(pages, of) => Memory::Pages(Arc::clone(pages), *of),
            Memory::Mapped {
                map, start, end, ..
            } => Memory::Mapped {
                map: Arc::clone(map),
                start: *start,
                end: *end,
                of: PhantomData,
            },
        };
        Buffer { memory }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Buffer<T> {
        Buffer {
            memory: Memory::Owned(Arc::new(values)),
        }
    }
}

impl<T> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Buffer<T> {
        Buffer::from(values.into_iter().collect::<Vec<T>>())
    }
}

impl<T: Plain> PartialEq for Buffer<T> {
    fn eq(&self, other: &Buffer<T>) -> bool {
        **self == **other
    }
}

impl<T: Plain> fmt::Debug for Buffer<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map_of(bytes: &[u8]) -> Arc<Map> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, bytes).unwrap();
        Arc::new(Map::open(&path).unwrap())
    }

    #[test]
    fn aligned_numbers_stay_in_the_map_and_others_are_copied() {
        let bytes: Vec<u8> = (0..=16).collect();
        let map = map_of(&bytes);
        let aligned = Buffer::<u32>::mapped(&map, 4, 12).unwrap();
        assert!(aligned.is_mapped());
        assert_eq!(aligned.place().unwrap().1, 4..12);
        assert_eq!(&*aligned, &[0x0706_0504, 0x0b0a_0908]);
        let skewed = Buffer::<u32>::mapped(&map, 1, 9).unwrap();
        assert!(!skewed.is_mapped() && skewed.place().is_none());
        assert_eq!(&*skewed, &[0x0403_0201, 0x0807_0605]);
        assert_eq!(&*skewed.to_le_bytes(), &bytes[1..9]);
        assert!(Buffer::<u32>::mapped(&map, 0, 5).is_none());
        assert!(Buffer::<u32>::mapped(&map, 12, 24).is_none());
        assert!(Buffer::<u32>::mapped(&map, 8, 4).is_none());
    }

    #[test]
    fn an_empty_file_is_an_empty_array() {
        let buffer = Buffer::<f64>::mapped(&map_of(b""), 0, 0).unwrap();
        assert!(buffer.is_empty());
    }

    #[test]
    fn signs_can_be_forgotten() {
        let buffer = Buffer::from(vec![1_i32, -1]);
        assert_eq!(
            buffer.reinterpreted::<u32>().unwrap(),
            Buffer::from(vec![1, u32::MAX])
        );
        assert!(buffer.reinterpreted::<u64>().is_none());
    }
}
