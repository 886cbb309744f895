//! Results that are kept for as long as what they were made of stays as it
//! was, in a bounded amount of memory. What is mapped from files costs none.

use std::sync::{Arc, Mutex, PoisonError};

use axtile_core::Result;
use lru::LruCache;

use crate::model::{Dependency, Matrix, Reader, Stamp, Vector};
use crate::query::{Answer, Entries, Evaluated, Options, Query};

/// The results of one store.
pub struct Cache {
    store: Arc<dyn Reader>,
    max_bytes: usize,
    kept: Mutex<Kept>,
}

struct Kept {
    results: LruCache<Key, Arc<Evaluated>>,
    flipped: LruCache<Key, (Stamp, Matrix)>,
    n_bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The canonical text of a query, and the number of the state that the
    /// operations of the user were in.
    Query(String, u64),
    /// Rows, columns and name of a matrix that is stored the other way round.
    Flipped(String, String, String),
}

/// What a result takes besides its values.
const OVERHEAD: usize = 512;

impl Cache {
    /// A cache of at most `max_bytes` bytes of results of `store`; with 0,
    /// nothing is kept.
    pub fn new(store: Arc<dyn Reader>, max_bytes: usize) -> Cache {
        Cache {
            store,
            max_bytes,
            kept: Mutex::new(Kept {
                results: LruCache::unbounded(),
                flipped: LruCache::unbounded(),
                n_bytes: 0,
            }),
        }
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Reader> {
        &self.store
    }

    /// What the query gives, from before if all that it depends on is still
    /// the same. `registrations` is a number that changes with the operations
    /// in `options.custom`.
    ///
    /// # Errors
    /// As [`Query::evaluate`]; errors are not kept.
    pub fn evaluate(
        &self,
        query: &Query,
        options: &Options<'_>,
        registrations: u64,
    ) -> Result<Arc<Evaluated>> {
        let key = Key::Query(query.canonical(), registrations);
        let known = self.lock().results.get(&key).map(Arc::clone);
        if let Some(known) = known
            && self.holds(&known.dependencies)?
        {
            return Ok(known);
        }
        let result = Arc::new(query.evaluate(self.store.as_ref(), options)?);
        let n_bytes = result_bytes(&result);
        let mut kept = self.lock();
        if let Some(old) = kept.results.pop(&key) {
            kept.n_bytes -= result_bytes(&old);
        }
        if self.make_room(&mut kept, n_bytes) {
            kept.results.put(key, Arc::clone(&result));
            kept.n_bytes += n_bytes;
        }
        Ok(result)
    }

    /// The matrix, and if it is stored the other way round, exchanged once.
    ///
    /// # Errors
    /// As [`Reader::matrix`].
    pub fn matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Matrix> {
        if let Some(matrix) = self.store.find_matrix(rows, columns, name)? {
            return Ok(matrix);
        }
        let source = Dependency::Matrix(columns.into(), rows.into(), name.into());
        let stamp = self.store.stamp(&source)?;
        let key = Key::Flipped(rows.into(), columns.into(), name.into());
        if let Some((known, matrix)) = self.lock().flipped.get(&key)
            && *known == stamp
        {
            return Ok(matrix.clone());
        }
        let matrix = self.store.matrix(rows, columns, name)?;
        let n_bytes = matrix_bytes(&matrix) + OVERHEAD;
        let mut kept = self.lock();
        if let Some((_, old)) = kept.flipped.pop(&key) {
            kept.n_bytes -= matrix_bytes(&old) + OVERHEAD;
        }
        if self.make_room(&mut kept, n_bytes) {
            kept.flipped.put(key, (stamp, matrix.clone()));
            kept.n_bytes += n_bytes;
        }
        Ok(matrix)
    }

    /// Bytes of memory that the kept results take.
    pub fn n_bytes(&self) -> usize {
        self.lock().n_bytes
    }

    /// How many results are kept.
    pub fn len(&self) -> usize {
        let kept = self.lock();
        kept.results.len() + kept.flipped.len()
    }

    /// Whether no result is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all results of queries.
    pub fn clear_queries(&self) {
        let mut kept = self.lock();
        while let Some((_, old)) = kept.results.pop_lru() {
            kept.n_bytes -= result_bytes(&old);
        }
    }

    /// Forgets all matrices that were exchanged.
    pub fn clear_matrices(&self) {
        let mut kept = self.lock();
        while let Some((_, (_, old))) = kept.flipped.pop_lru() {
            kept.n_bytes -= matrix_bytes(&old) + OVERHEAD;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn holds(&self, dependencies: &[(Dependency, Stamp)]) -> Result<bool> {
        for (dependency, stamp) in dependencies {
            if self.store.stamp(dependency)? != *stamp {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Forgets what was not used for longest, until there is room; whether
    /// there is enough at all.
    fn make_room(&self, kept: &mut Kept, n_bytes: usize) -> bool {
        if n_bytes > self.max_bytes {
            return false;
        }
        while kept.n_bytes + n_bytes > self.max_bytes {
            if let Some((_, old)) = kept.results.pop_lru() {
                kept.n_bytes -= result_bytes(&old);
            } else if let Some((_, (_, old))) = kept.flipped.pop_lru() {
                kept.n_bytes -= matrix_bytes(&old) + OVERHEAD;
            } else {
                return false;
            }
        }
        true
    }
}

fn result_bytes(result: &Evaluated) -> usize {
    let values = match &result.answer {
        Answer::Names(names) => names.iter().map(|name| name.len() + OVERHEAD / 8).sum(),
        Answer::Entries(entries) => entries_bytes(entries),
        Answer::Scalar(scalar) => scalar.as_text().map_or(0, str::len),
        Answer::Vector { entries, values } => entries_bytes(entries) + vector_bytes(values),
        Answer::Matrix {
            rows,
            columns,
            values,
        } => entries_bytes(rows) + entries_bytes(columns) + matrix_bytes(values),
    };
    values + OVERHEAD
}

fn entries_bytes(entries: &Entries) -> usize {
    match entries {
        Entries::OfAxis { picked, .. } => picked.as_ref().map_or(0, |all| 4 * all.len()),
        Entries::Labels(labels) => labels.n_bytes() + 8 * labels.len(),
    }
}

fn vector_bytes(vector: &Vector) -> usize {
    let is_mapped = match vector {
        Vector::Dense(values) => values.is_mapped(),
        Vector::Sparse(sparse) => sparse.values().is_mapped(),
    };
    if is_mapped { 0 } else { vector.n_bytes() }
}

fn matrix_bytes(matrix: &Matrix) -> usize {
    let is_mapped = match matrix {
        Matrix::Dense(dense) => dense.values().is_mapped(),
        Matrix::Sparse(sparse) => sparse.values().is_mapped(),
    };
    if is_mapped { 0 } else { matrix.n_bytes() }
}
