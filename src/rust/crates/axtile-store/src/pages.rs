//! Large fresh memory, in huge pages where the system has them: filling it for
//! the first time is then several times faster.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Memory of zeros that belongs to no file; dereferences to its bytes, the
/// first of which is at the start of a page.
#[derive(Debug)]
pub struct Pages {
    map: MmapMut,
}

impl Pages {
    /// `n_bytes` zeros. `None` if the system does not give so many, or for
    /// none.
    pub fn zeroed(n_bytes: usize) -> Option<Pages> {
        if n_bytes == 0 {
            return None;
        }
        let map = MmapMut::map_anon(n_bytes).ok()?;
        // Small pages do as well.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Some(Pages { map })
    }
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zeros_to_be_written() {
        let mut pages = Pages::zeroed(5_000_000).unwrap();
        assert_eq!(pages.len(), 5_000_000);
        assert!(pages.iter().all(|&byte| byte == 0));
        pages[4_999_999] = 7;
        assert_eq!(pages[4_999_998..], [0, 7]);
        assert!(Pages::zeroed(0).is_none());
        assert!(Pages::zeroed(usize::MAX).is_none());
    }
}
