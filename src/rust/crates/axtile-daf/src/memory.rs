//! A store that keeps everything in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use axtile_core::Result;

use crate::model::{
    Axis, Dependency, Matrix, Reader, Scalar, Stamp, Vector, Writer, listing_stamp, missing_axis,
};
use crate::versions::Versions;
use crate::{Orders, reorder};

/// A store in memory; what it holds goes with it.
#[derive(Debug)]
pub struct MemoryDaf {
    name: String,
    held: RwLock<Held>,
    versions: Versions,
}

#[derive(Debug, Default)]
struct Held {
    scalars: BTreeMap<String, Stamped<Scalar>>,
    axes: BTreeMap<String, Stamped<Arc<Axis>>>,
    vectors: BTreeMap<(String, String), Stamped<Vector>>,
    matrices: BTreeMap<(String, String, String), Stamped<Matrix>>,
}

#[derive(Debug)]
struct Stamped<T> {
    value: T,
    stamp: Stamp,
}

impl<T> Stamped<T> {
    /// The value with a stamp that no other value of this process has.
    fn new(value: T) -> Stamped<T> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let stamp = Stamp::of_number(NEXT.fetch_add(1, Ordering::Relaxed));
        Stamped { value, stamp }
    }
}

impl MemoryDaf {
    /// An empty store.
    pub fn new(name: impl Into<String>) -> MemoryDaf {
        MemoryDaf {
            name: name.into(),
            held: RwLock::default(),
            versions: Versions::default(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Held> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Held> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pair(axis: &str, name: &str) -> (String, String) {
    (axis.into(), name.into())
}

fn triple(rows: &str, columns: &str, name: &str) -> (String, String, String) {
    (rows.into(), columns.into(), name.into())
}

impl Reader for MemoryDaf {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "MemoryDaf"
    }

    fn as_writer(&self) -> Option<&dyn Writer> {
        Some(self)
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        Ok(self.read().scalars.keys().cloned().collect())
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        Ok(self.read().axes.keys().cloned().collect())
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        let held = self.read();
        if !held.axes.contains_key(axis) {
            return Err(missing_axis(&self.name, axis));
        }
        let along = held
            .vectors
            .range(pair(axis, "")..)
            .take_while(|((of, _), _)| of == axis);
        Ok(along.map(|((_, name), _)| name.clone()).collect())
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        let held = self.read();
        for axis in [rows, columns] {
            if !held.axes.contains_key(axis) {
                return Err(missing_axis(&self.name, axis));
            }
        }
        let along = held
            .matrices
            .range(triple(rows, columns, "")..)
            .take_while(|((of, by, _), _)| of == rows && by == columns);
        Ok(along.map(|((_, _, name), _)| name.clone()).collect())
    }

    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>> {
        Ok(self.read().scalars.get(name).map(|held| held.value.clone()))
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        let held = self.read();
        Ok(held.axes.get(axis).map(|held| Arc::clone(&held.value)))
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        let held = self.read();
        let found = held.vectors.get(&pair(axis, name));
        Ok(found.map(|held| held.value.clone()))
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        let held = self.read();
        let found = held.matrices.get(&triple(rows, columns, name));
        Ok(found.map(|held| held.value.clone()))
    }

    fn has_scalar(&self, name: &str) -> Result<bool> {
        Ok(self.read().scalars.contains_key(name))
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        Ok(self.read().axes.contains_key(axis))
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        Ok(self.read().vectors.contains_key(&pair(axis, name)))
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        let held = self.read();
        Ok(held.matrices.contains_key(&triple(rows, columns, name)))
    }

    fn axis_version(&self, axis: &str) -> u64 {
        self.versions.get(&[axis])
    }

    fn vector_version(&self, axis: &str, name: &str) -> u64 {
        self.versions.get(&[axis, name])
    }

    fn matrix_version(&self, rows: &str, columns: &str, name: &str) -> u64 {
        self.versions.get(&[rows, columns, name])
    }

    fn stamp(&self, of: &Dependency) -> Result<Stamp> {
        if let Some(stamp) = listing_stamp(self, of)? {
            return Ok(stamp);
        }
        let held = self.read();
        let found = match of {
            Dependency::Scalar(name) => held.scalars.get(name).map(|held| held.stamp),
            Dependency::Axis(axis) => held.axes.get(axis).map(|held| held.stamp),
            Dependency::Vector(axis, name) => {
                held.vectors.get(&pair(axis, name)).map(|held| held.stamp)
            }
            Dependency::Matrix(rows, columns, name) => {
                let key = triple(rows, columns, name);
                held.matrices.get(&key).map(|held| held.stamp)
            }
            _ => None,
        };
        Ok(found.unwrap_or(Stamp::ABSENT))
    }
}

impl Writer for MemoryDaf {
    fn put_axis(&self, axis: &str, entries: Arc<Axis>) -> Result<()> {
        self.write().axes.insert(axis.into(), Stamped::new(entries));
        Ok(())
    }

    fn drop_axis(&self, axis: &str) -> Result<()> {
        self.write().axes.remove(axis);
        self.versions.count(&[axis]);
        Ok(())
    }

    fn put_scalar(&self, name: &str, value: &Scalar) -> Result<()> {
        let stamped = Stamped::new(value.clone());
        self.write().scalars.insert(name.into(), stamped);
        Ok(())
    }

    fn drop_scalar(&self, name: &str) -> Result<()> {
        self.write().scalars.remove(name);
        Ok(())
    }

    fn put_vector(&self, axis: &str, name: &str, vector: &Vector) -> Result<()> {
        let stamped = Stamped::new(vector.clone());
        self.write().vectors.insert(pair(axis, name), stamped);
        self.versions.count(&[axis, name]);
        Ok(())
    }

    fn drop_vector(&self, axis: &str, name: &str) -> Result<()> {
        self.write().vectors.remove(&pair(axis, name));
        Ok(())
    }

    fn put_matrix(&self, rows: &str, columns: &str, name: &str, matrix: &Matrix) -> Result<()> {
        let stamped = Stamped::new(matrix.clone());
        let key = triple(rows, columns, name);
        self.write().matrices.insert(key, stamped);
        self.versions.count(&[rows, columns, name]);
        Ok(())
    }

    fn drop_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<()> {
        self.write().matrices.remove(&triple(rows, columns, name));
        Ok(())
    }

    fn reorder(&self, orders: &Orders) -> Result<()> {
        let mut held = self.write();
        for (name, order) in orders {
            if let Some(axis) = held.axes.get_mut(name) {
                *axis = Stamped::new(Arc::new(axis.value.taken(order)));
                self.versions.count(&[name]);
            }
        }
        for ((axis, name), vector) in &mut held.vectors {
            if let Some(order) = orders.get(axis) {
                *vector = Stamped::new(reorder::vector(&vector.value, order));
                self.versions.count(&[axis, name]);
            }
        }
        for ((rows, columns, name), matrix) in &mut held.matrices {
            let along = [rows, columns].map(|axis| orders.get(axis).map(Vec::as_slice));
            if along != [None, None] {
                *matrix = Stamped::new(reorder::matrix(&matrix.value, along[0], along[1]));
                self.versions.count(&[rows, columns, name]);
            }
        }
        Ok(())
    }
}
