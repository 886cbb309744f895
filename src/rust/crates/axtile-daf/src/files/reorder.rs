//! Axes of a folder store in another order. Every file along them is written
//! once, all of them or none.

use axtile_core::Result;

use super::paths::Files;
use super::write::{Stored, present};
use super::{FilesDaf, backup, paths, steps};
use crate::model::{Reader, missing_axis};
use crate::{Orders, reorder};

impl FilesDaf {
    pub(super) fn reorder_files(&self, orders: &Orders) -> Result<()> {
        let mut axes = Vec::new();
        let mut vectors = Vec::new();
        for (axis, order) in orders {
            let entries = self
                .load_axis(axis)?
                .ok_or_else(|| missing_axis(&self.name, axis))?;
            for name in self.vector_names(axis)? {
                vectors.push((axis, name, order));
            }
            axes.push((axis, entries, order));
        }
        let mut matrices = Vec::new();
        let names = self.axis_names()?;
        for rows in &names {
            for columns in &names {
                let along = (orders.get(rows), orders.get(columns));
                if along == (None, None) {
                    continue;
                }
                for name in self.stored_matrix_names(rows, columns)? {
                    matrices.push((rows, columns, name, along));
                }
            }
        }
        let mut files = Vec::new();
        for (axis, _, _) in &axes {
            files.push(paths::axis(&self.root, axis));
        }
        for (axis, name, _) in &vectors {
            files.extend(present(&Files::of_vector(&self.root, axis, name))?);
        }
        for (rows, columns, name, _) in &matrices {
            files.extend(present(&Files::of_matrix(&self.root, rows, columns, name))?);
        }
        self.change_indexed(None, || {
            backup::change(&self.root, &files, || {
                for (axis, entries, order) in &axes {
                    let moved = entries.taken(order);
                    let lines = moved.entries().to_lines().unwrap_or_default();
                    steps::write(&paths::axis(&self.root, axis), &lines)?;
                }
                for (axis, name, order) in &vectors {
                    let files = Files::of_vector(&self.root, axis, name);
                    if let Some(vector) = self.load_vector(&files, order.len())? {
                        let moved = reorder::vector(&vector, order);
                        Stored::vector(&moved)?.replace(&files)?;
                    }
                }
                for (rows, columns, name, (row_order, column_order)) in &matrices {
                    let files = Files::of_matrix(&self.root, rows, columns, name);
                    let shape = (self.axis(rows)?.len(), self.axis(columns)?.len());
                    if let Some(matrix) = self.load_matrix(&files, shape)? {
                        let moved = reorder::matrix(
                            &matrix,
                            row_order.map(Vec::as_slice),
                            column_order.map(Vec::as_slice),
                        );
                        Stored::matrix(&moved)?.replace(&files)?;
                    }
                }
                Ok(())
            })
        })?;
        for (axis, _, _) in &axes {
            self.versions.count(&[axis]);
        }
        for (axis, name, _) in &vectors {
            self.versions.count(&[axis, name]);
        }
        for (rows, columns, name, _) in &matrices {
            self.versions.count(&[rows, columns, name]);
        }
        Ok(())
    }
}
