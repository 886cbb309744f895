//! Copy-on-write memory maps: memory that may be written, of a file that the
//! writes never reach.

use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use memmap2::{MmapMut, MmapOptions};

use crate::map::open_regular;
use crate::{FileIdentity, Map};

/// A range of a file, mapped privately; dereferences to its bytes. A page that
/// is written becomes this map's own; file and other maps stay as they are.
#[derive(Debug)]
pub struct PrivateMap {
    map: MmapMut,
    path: PathBuf,
    offset: u64,
}

impl PrivateMap {
    /// Maps `len` bytes of `path` from byte `offset`, or all to the file's end.
    /// The range consists of elements of `width` bytes, and begins at a
    /// multiple of that: its address is one, too. Nothing is read yet.
    ///
    /// # Errors
    /// `Error::Io` if the file cannot be opened, is no regular file, or cannot
    /// be mapped; `Error::Argument` if `offset` is no multiple of `width`;
    /// `Error::Range` if the range goes beyond the end; `Error::Corrupt` if it
    /// is no whole number of elements.
    ///
    /// # Panics
    /// If `width` is no power of two up to 16.
    pub fn open(path: &Path, offset: u64, len: Option<u64>, width: u64) -> Result<PrivateMap> {
        // Pages are larger than that, so that offsets and addresses agree.
        assert!(width.is_power_of_two() && width <= 16);
        let file = open_regular(path)?;
        let size = file.metadata().map_err(Error::io("inspect", path))?.len();
        if !offset.is_multiple_of(width) {
            return Err(Error::argument(format!(
                "'{}': the offset {offset} is no multiple of the {width} bytes of an element",
                path.display()
            )));
        }
        let rest = size.checked_sub(offset);
        let Some((rest, len)) = rest
            .map(|rest| (rest, len.unwrap_or(rest)))
            .filter(|(rest, len)| len <= rest)
        else {
            return Err(Error::range(format!(
                "'{}' has {size} bytes; {} from byte {offset} on go beyond its end",
                path.display(),
                len.map_or_else(|| "those".to_owned(), |len| format!("{len} bytes"))
            )));
        };
        if !len.is_multiple_of(width) {
            return Err(Error::corrupt(
                path,
                format!("byte {size}, its end"),
                format!(
                    "{rest} bytes from byte {offset} on, expected a multiple of the \
                     {width} bytes of an element"
                ),
            ));
        }
        let n_bytes = usize::try_from(len).map_err(|_| {
            Error::limit(path, format!("{len} bytes are more than can be addressed"))
        })?;
        // Without a reservation: the system would refuse a map larger than its
        // memory, although hardly any of it will be written.
        // SAFETY: the map is private, so that no write of ours changes the
        // file; that nobody truncates or rewrites a mapped file in place is the
        // assumption behind every map (see `Map::open`). The range lies within
        // the file.
        let map = unsafe {
            MmapOptions::new()
                .offset(offset)
                .len(n_bytes)
                .no_reserve_swap()
                .map_copy(&file)
        };
        Ok(PrivateMap {
            map: map.map_err(Error::io("map", path))?,
            path: path.to_owned(),
            offset,
        })
    }

    /// A private map of the bytes `range` of what `map` maps; `None` if there is
    /// no such range, `width` does not divide where it begins, or the file at
    /// the path is another one by now.
    pub fn of_map(map: &Map, range: Range<usize>, width: u64) -> Option<PrivateMap> {
        map.get(range.clone())?;
        let (offset, len) = (range.start as u64, range.len() as u64);
        let private = PrivateMap::open(map.path(), offset, Some(len), width).ok()?;
        // Looked at after the file was opened: if it is still the same, it was.
        let now = FileIdentity::read(map.path()).ok()?;
        (now == map.identity()).then_some(private)
    }

    /// The file's path as it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where in the file the range begins, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The first byte, for those who keep the map and hand its memory out. It
    /// stays where it is when the map itself is moved.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.map.as_mut_ptr()
    }
}

impl Deref for PrivateMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a %s b");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn writes_stay_private() {
        let (_folder, path) = file(&[1; 10_000]);
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let mut map = PrivateMap::open(&path, 0, None, 8).unwrap();
        let other = PrivateMap::open(&path, 0, None, 8).unwrap();
        // SAFETY: byte 4,999 of 10,000; nobody else looks at the map.
        unsafe { map.as_mut_ptr().add(4_999).write(7) };
        assert_eq!(map[4_999], 7);
        assert_eq!(other[4_999], 1);
        assert_eq!(std::fs::read(&path).unwrap(), [1; 10_000]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!((map[4_999], map[9_999]), (7, 1));
    }

    #[test]
    fn a_map_becomes_private_while_its_file_is_the_same() {
        let bytes: Vec<u8> = (0..100).collect();
        let (folder, path) = file(&bytes);
        let map = Map::open(&path).unwrap();
        let private = PrivateMap::of_map(&map, 8..24, 8).unwrap();
        assert_eq!(&*private, &bytes[8..24]);
        assert!(PrivateMap::of_map(&map, 8..108, 4).is_none());
        assert!(PrivateMap::of_map(&map, 4..12, 8).is_none());
        let other = folder.path().join("other");
        std::fs::write(&other, &bytes).unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert!(PrivateMap::of_map(&map, 8..24, 8).is_none());
        std::fs::remove_file(&path).unwrap();
        assert!(PrivateMap::of_map(&map, 8..24, 8).is_none());
    }

    #[test]
    fn ranges_lie_within_the_file() {
        let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let (_folder, path) = file(&bytes);
        for (offset, len) in [
            (0, 10_000),
            (8, 16),
            (5_000, 5_000),
            (8_192, 0),
            (10_000, 0),
        ] {
            let map = PrivateMap::open(&path, offset, Some(len), 8).unwrap();
            let range = offset as usize..(offset + len) as usize;
            assert_eq!(&*map, &bytes[range]);
            assert_eq!(map.as_ptr() as usize % 8, 0);
            assert_eq!((map.path(), map.offset()), (path.as_path(), offset));
        }
        assert_eq!(PrivateMap::open(&path, 9_992, None, 8).unwrap().len(), 8);
        assert!(PrivateMap::open(&path, 10_000, None, 8).unwrap().is_empty());
        let kind = |offset, len| PrivateMap::open(&path, offset, len, 8).unwrap_err().kind();
        use axtile_core::ErrorKind::{Argument, Corrupt, Range};
        assert_eq!(kind(4, None), Argument);
        assert_eq!(kind(u64::MAX - 7, None), Range);
        assert_eq!(kind(10_008, None), Range);
        assert_eq!(kind(9_992, Some(16)), Range);
        assert_eq!(kind(8, Some(u64::MAX)), Range);
        assert_eq!(kind(8, Some(7)), Corrupt);
        let (_folder, odd) = file(&[0; 12]);
        let end = PrivateMap::open(&odd, 0, None, 8).unwrap_err();
        assert_eq!(end.kind(), Corrupt);
        let (_folder, empty) = file(&[]);
        assert!(PrivateMap::open(&empty, 0, None, 8).unwrap().is_empty());
    }

    #[test]
    fn a_map_may_be_larger_than_memory() {
        let (_folder, path) = file(&[]);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        let len = 1 << 38;
        // Not every file system has sparse files of that size.
        if file.set_len(len).is_ok() {
            let map = PrivateMap::open(&path, 0, None, 8).unwrap();
            assert_eq!(map.len() as u64, len);
            assert_eq!(map.last(), Some(&0));
        }
    }
}
