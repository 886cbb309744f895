//! Worker threads. Every call has a pool of its own: a forked R process
//! (`parallel::mclapply`) would hang in a pool that it inherited.

use axtile_core::{Error, Result};

/// Runs `work` with rayon's parallel iterators on `n_threads` threads.
///
/// # Errors
/// `Error::Argument` for 0 threads, or if the system gives none.
pub fn on_threads<T: Send>(n_threads: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if n_threads == 0 {
        return Err(Error::argument("0 threads; at least 1 is needed"));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .map_err(|problem| Error::argument(format!("{n_threads} threads: {problem}")))?;
    pool.install(work)
}
