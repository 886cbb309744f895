//! Worker threads of one call. A call has a pool of its own: a forked R
//! process would hang in a pool that it inherited.

use axtile_core::{Error, Result};
use rayon::prelude::*;

/// How many threads to use, and for how much work more than one.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// At least 1.
    pub n: usize,
    /// Values; work on fewer is done by the calling thread.
    pub threshold: usize,
}

impl Default for Threads {
    fn default() -> Threads {
        Threads {
            n: 1,
            threshold: 100_000,
        }
    }
}

impl Threads {
    /// Runs `work`, which looks at `n_values` values, so that [`map`] and
    /// [`fill`] inside it use the threads.
    ///
    /// # Errors
    /// Those of `work`; `Error::Argument` if the system gives no threads.
    pub fn run<T: Send>(
        &self,
        n_values: usize,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        if self.n <= 1 || n_values < self.threshold {
            return work();
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.n)
            .build()
            .map_err(|problem| Error::argument(format!("{} threads: {problem}", self.n)))?;
        pool.install(work)
    }
}

/// Whether this thread belongs to a pool of [`Threads::run`].
fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// The results of `work` for 0 to `n` - 1, in this order.
pub(super) fn map<T: Send>(
    n: usize,
    work: impl Fn(usize) -> Result<T> + Send + Sync,
) -> Result<Vec<T>> {
    if in_pool() && n > 1 {
        (0..n).into_par_iter().map(work).collect()
    } else {
        (0..n).map(work).collect()
    }
}

/// One array whose consecutive parts, of `sizes` values each, `work` fills.
pub(super) fn fill<T: Clone + Default + Send>(
    sizes: &[usize],
    work: impl Fn(usize, &mut [T]) -> Result<()> + Send + Sync,
) -> Result<Vec<T>> {
    let mut values = vec![T::default(); sizes.iter().sum()];
    let mut rest = values.as_mut_slice();
    let mut parts = Vec::with_capacity(sizes.len());
    for (idx, &size) in sizes.iter().enumerate() {
        let (part, after) = rest.split_at_mut(size);
        parts.push((idx, part));
        rest = after;
    }
    if in_pool() && parts.len() > 1 {
        parts
            .into_par_iter()
            .try_for_each(|(idx, part)| work(idx, part))?;
    } else {
        for (idx, part) in parts {
            work(idx, part)?;
        }
    }
    Ok(values)
}
