//! Memory for large results, kept for the next ones when R has freed it.
//!
//! R gives the memory of a large vector back to the system as soon as it frees
//! it, so that the next one is mapped and cleared page by page again; and it
//! looks through the whole session before an allocation that is larger than it
//! expects. For a tile, each takes as long as decoding it. Large results are
//! vectors over memory of this pool instead (see `altrep`). R does not count
//! such memory towards its next garbage collection, so that the pool keeps the
//! books and asks for one.
//!
//! Memory is taken on R's thread, and given back by finalisers, there too.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Smaller vectors are R's own business.
const MIN_BYTES: usize = 8 << 20;

/// How much freed memory is kept, and how much may wait for R's garbage
/// collector, in bytes; 0 for no pool.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// Changes the limit.
pub fn set_limit(n_bytes: usize) {
    LIMIT.store(n_bytes, Ordering::Relaxed);
    system::trim(n_bytes);
}

/// Gives all memory that is kept back to the system.
pub fn clear() {
    system::trim(0);
}

/// Memory for a vector of so many bytes, which holds anything; `None` where the
/// vector is R's own business, or there is none. May run R's garbage collector.
pub fn take(n_bytes: usize) -> Option<Memory> {
    let limit = LIMIT.load(Ordering::Relaxed);
    if n_bytes < MIN_BYTES || limit == 0 {
        return None;
    }
    system::take(n_bytes, limit)
}

pub use system::Memory;

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::c_void;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

    use super::*;
    use crate::r_api::run_r;

    /// Memory is mapped in whole huge pages.
    const HUGE: usize = 2 << 20;
    /// A mapping may be larger than what is asked for by a quarter.
    const WASTE: usize = 4;

    /// A mapping that nobody else has; it goes back to the pool when dropped.
    #[derive(Debug)]
    pub struct Memory {
        start: *mut u8,
        len: usize,
    }

    // SAFETY: plain memory, owned.
    unsafe impl Send for Memory {}

    struct Pool {
        /// Freed memory, the one freed last at the end.
        free: Vec<Memory>,
        /// Bytes that R has, in use or waiting for its garbage collector.
        handed_out: usize,
        /// At how many of them the garbage collector is asked.
        collect_at: usize,
    }

    static POOL: Mutex<Pool> = Mutex::new(Pool {
        free: Vec::new(),
        handed_out: 0,
        collect_at: 0,
    });

    fn pool() -> MutexGuard<'static, Pool> {
        // No panic leaves memory half moved.
        POOL.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Pool {
        /// The smallest free memory that fits.
        fn find(&self, len: usize) -> Option<usize> {
            let fits = |memory: &Memory| memory.len >= len && memory.len <= len + len / WASTE;
            let all = self.free.iter().enumerate();
            all.filter(|(_, memory)| fits(memory))
                .min_by_key(|(_, memory)| memory.len)
                .map(|(at, _)| at)
        }
    }

    /// Runs R's garbage collector and the finalisers of what it frees.
    fn collect_garbage() {
        unsafe extern "C" {
            fn R_gc();
        }
        unsafe extern "C" fn collect(_: *mut c_void) {
            // SAFETY: on R's thread, inside R_ToplevelExec.
            unsafe { R_gc() }
        }
        // SAFETY: `collect` looks at nothing and has no object with a destructor.
        unsafe { run_r(collect, &mut ()) };
    }

    pub(super) fn take(n_bytes: usize, limit: usize) -> Option<Memory> {
        let len = n_bytes.checked_next_multiple_of(HUGE)?;
        let must_collect = {
            let pool = pool();
            pool.find(len).is_none() && pool.handed_out + len > pool.collect_at.max(limit)
        };
        if must_collect {
            // Its finalisers lock the pool.
            collect_garbage();
            let mut pool = pool();
            pool.collect_at = 2 * pool.handed_out;
        }
        let mut pool = pool();
        let memory = match pool.find(len) {
            Some(at) => pool.free.remove(at),
            None => Memory::map(len)?,
        };
        pool.handed_out += memory.len;
        Some(memory)
    }

    /// Unmaps what was freed longest ago until at most `limit` bytes are left.
    pub(super) fn trim(limit: usize) {
        let mut pool = pool();
        let mut kept: usize = pool.free.iter().map(|memory| memory.len).sum();
        while kept > limit && !pool.free.is_empty() {
            let memory = pool.free.remove(0);
            kept -= memory.len;
            memory.unmap();
        }
    }

    impl Memory {
        /// Maps memory at a multiple of 2 MB, so that all can be huge pages.
        fn map(len: usize) -> Option<Memory> {
            let mapped = len.checked_add(HUGE)?;
            let access = ProtFlags::READ | ProtFlags::WRITE;
            let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
            // SAFETY: new memory, at an address that the system chooses.
            let first = unsafe { mmap_anonymous(std::ptr::null_mut(), mapped, access, flags) };
            let first = first.ok()?.cast::<u8>();
            let before = first.align_offset(HUGE);
            // SAFETY: parts of the new mapping before and behind the memory, then
            // the memory; the advice changes no content, a refusal does no harm.
            unsafe {
                let start = first.add(before);
                if before > 0 {
                    let _ = munmap(first.cast::<c_void>(), before);
                }
                if before < HUGE {
                    let _ = munmap(start.add(len).cast::<c_void>(), HUGE - before);
                }
                let _ = madvise(start.cast::<c_void>(), len, Advice::LinuxHugepage);
                Some(Memory { start, len })
            }
        }

        fn unmap(self) {
            // SAFETY: a mapping of its own, which nobody uses any more.
            let _ = unsafe { munmap(self.start.cast::<c_void>(), self.len) };
            std::mem::forget(self);
        }

        /// Where it starts: a multiple of 2 MB.
        pub fn as_mut_ptr(&mut self) -> *mut u8 {
            self.start
        }
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            let memory = Memory {
                start: self.start,
                len: self.len,
            };
            {
                let mut pool = pool();
                pool.handed_out = pool.handed_out.saturating_sub(memory.len);
                pool.free.push(memory);
            }
            trim(LIMIT.load(Ordering::Relaxed));
        }
    }
}

/// Elsewhere, R allocates.
#[cfg(not(target_os = "linux"))]
mod system {
    /// There is none.
    #[derive(Debug)]
    pub enum Memory {}

    impl Memory {
        /// Never called.
        pub fn as_mut_ptr(&mut self) -> *mut u8 {
            match *self {}
        }
    }

    pub(super) fn take(_n_bytes: usize, _limit: usize) -> Option<Memory> {
        None
    }

    pub(super) fn trim(_limit: usize) {}
}
