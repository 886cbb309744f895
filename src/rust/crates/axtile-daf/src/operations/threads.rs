//! Worker threads of one call. A call has a pool of its own: a forked R
//! process would hang in a pool that it inherited.

use axtile_core::{Error, Result, Watch};
use rayon::prelude::*;

use super::accumulate::Accumulator;
use super::lane::Lane;
use crate::model::{Buffer, Plain, Room};

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
    /// Runs `work`, which looks at `n_values` values, so that [`accumulate`]
    /// and [`fill`] inside it use the threads.
    ///
    /// # Errors
    /// Those of `work`; `Error::Argument` if the system gives no threads.
    pub fn run<T: Send>(
        &self,
        n_values: usize,
        watch: &dyn Watch,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        if self.n <= 1 || n_values < self.threshold {
            return work();
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.n)
            .build()
            .map_err(|problem| Error::argument(format!("{} threads: {problem}", self.n)))?;
        attended(watch, || pool.install(work))
    }
}

/// Runs `work` on another thread, while this one looks at `watch`: one that can
/// only look on the thread it was made on hears of an interrupt then.
pub fn attended<T: Send>(watch: &dyn Watch, work: impl FnOnce() -> T + Send) -> T {
    let look = || {
        watch.is_interrupted();
    };
    axtile_core::attended(look, work)
}

/// Whether this thread belongs to a pool of [`Threads::run`].
fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Puts what `work` accumulates of chunks 0 to `n` - 1 into `all`, whose
/// accumulators are as new; merged in this order whatever the threads. So many
/// chunks at a time as `at_once` says have accumulators of their own.
pub(super) fn accumulate<L: Lane, A: Accumulator<L>>(
    all: &mut [A],
    n: usize,
    at_once: usize,
    work: impl Fn(usize, &mut [A]) -> Result<()> + Send + Sync,
) -> Result<()> {
    if n <= 1 {
        return (0..n).try_for_each(|chunk| work(chunk, all));
    }
    let new = all.to_vec();
    let merge = |all: &mut [A], part: &[A]| {
        for (one, later) in all.iter_mut().zip(part) {
            one.merge(later);
        }
    };
    if !in_pool() {
        work(0, all)?;
        let mut part = new.clone();
        for chunk in 1..n {
            part.copy_from_slice(&new);
            work(chunk, &mut part)?;
            merge(all, &part);
        }
        return Ok(());
    }
    let mut is_first = true;
    for from in (0..n).step_by(at_once.max(1)) {
        let chunks = from..(from + at_once.max(1)).min(n);
        let parts = chunks.into_par_iter().map(|chunk| {
            let mut part = new.clone();
            work(chunk, &mut part)?;
            Ok(part)
        });
        for part in parts.collect::<Result<Vec<Vec<A>>>>()? {
            if std::mem::take(&mut is_first) {
                all.copy_from_slice(&part);
            } else {
                merge(all, &part);
            }
        }
    }
    Ok(())
}

/// One array whose consecutive parts, of `sizes` values each, `work` fills;
/// all values are zero before.
pub(super) fn fill<T: Plain>(
    sizes: &[usize],
    watch: &dyn Watch,
    work: impl Fn(usize, &mut [T]) -> Result<()> + Send + Sync,
) -> Result<Buffer<T>> {
    let mut values = Room::<T>::zeros(sizes.iter().sum());
    let mut rest = values.as_mut_slice();
    let mut parts = Vec::with_capacity(sizes.len());
    for (idx, &size) in sizes.iter().enumerate() {
        let (part, after) = rest.split_at_mut(size);
        parts.push((idx, part));
        rest = after;
    }
    let one = |(idx, part)| {
        watch.check()?;
        work(idx, part)
    };
    if in_pool() && parts.len() > 1 {
        parts.into_par_iter().try_for_each(one)?;
    } else {
        parts.into_iter().try_for_each(one)?;
    }
    Ok(values.into())
}
