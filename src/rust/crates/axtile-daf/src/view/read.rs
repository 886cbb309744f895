//! Reading views.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use axtile_core::Result;

use super::marks::of_dependencies;
use super::{DataKey, View};
use crate::model::{
    Axis, Dependency, Matrix, Reader, Scalar, Stamp, StreamedMatrix, Vector, listing_stamp,
};
use crate::query::{Answer, Entries, Picked, Query, escape_value};

/// How the name of a thing matches an item of a view.
fn matches(pattern: &str, name: &str) -> bool {
    pattern == "*" || pattern == name
}

impl View {
    /// The query of the last item that is about a scalar, if it is shown.
    fn scalar_item(&self, name: &str) -> Option<&str> {
        self.item(|key| matches!(key, DataKey::Scalar(pattern) if matches(pattern, name)))
    }

    pub(super) fn vector_item(&self, axis: &str, name: &str) -> Option<&str> {
        self.item(|key| {
            matches!(key, DataKey::Vector(of, pattern)
                if matches(of, axis) && matches(pattern, name))
        })
    }

    /// The query of the last item that is about a matrix, either way round,
    /// and whether it is about this way.
    pub(super) fn matrix_item(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Option<(&str, bool)> {
        self.data
            .iter()
            .rev()
            .find_map(|(key, query)| {
                let DataKey::Matrix(of_rows, of_columns, pattern) = key else {
                    return None;
                };
                if !matches(pattern, name) {
                    return None;
                }
                let is_this_way = matches(of_rows, rows) && matches(of_columns, columns);
                let is_other_way = matches(of_rows, columns) && matches(of_columns, rows);
                (is_this_way || is_other_way).then_some((query.as_deref(), is_this_way))
            })
            .and_then(|(query, is_this_way)| Some((query?, is_this_way)))
    }

    fn item(&self, is_about: impl Fn(&DataKey) -> bool) -> Option<&str> {
        let (_, query) = self.data.iter().rev().find(|(key, _)| is_about(key))?;
        query.as_deref()
    }

    /// The query for a scalar of the store below, if it is shown and there.
    pub(super) fn scalar_query(&self, name: &str) -> Result<Option<Query>> {
        Ok(match self.scalar_item(name) {
            None => None,
            Some("=") if !self.base.has_scalar(name)? => None,
            Some("=") => Some(parse(&format!(". {}", escape_value(name)))?),
            Some(query) => Some(parse(query)?),
        })
    }

    pub(super) fn vector_query(&self, axis: &str, name: &str) -> Result<Option<Query>> {
        let Some(shown) = self.axes.get(axis) else {
            return Ok(None);
        };
        Ok(match self.vector_item(axis, name) {
            None => None,
            Some("=") if !self.base.has_stored_vector(&shown.base, name)? => None,
            Some("=") => {
                let text = format!(": {}", escape_value(name));
                Some(self.full_query(&text, &[axis])?)
            }
            Some(query) => Some(self.full_query(query, &[axis])?),
        })
    }

    pub(super) fn matrix_query(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Result<Option<Query>> {
        let (Some(of_rows), Some(of_columns)) = (self.axes.get(rows), self.axes.get(columns))
        else {
            return Ok(None);
        };
        Ok(match self.matrix_item(rows, columns, name) {
            Some(("=", _)) => {
                let is_there =
                    self.base
                        .has_stored_matrix(&of_rows.base, &of_columns.base, name)?;
                if !is_there {
                    return Ok(None);
                }
                let text = format!(":: {}", escape_value(name));
                Some(self.full_query(&text, &[rows, columns])?)
            }
            Some((query, true)) => Some(self.full_query(query, &[rows, columns])?),
            _ => None,
        })
    }

    fn entries(&self, axis: &str) -> Result<Option<Entries>> {
        let Some(shown) = self.axes.get(axis) else {
            return Ok(None);
        };
        match &self.evaluate(&shown.query)?.answer {
            Answer::Entries(entries) => Ok(Some(entries.clone())),
            _ => Err(self.wrong(&format!("the axis: {axis} has no entries"))),
        }
    }

    /// Which entries of the axis below are shown; all if none.
    fn picked_of(&self, axis: &str) -> Result<Option<Arc<Vec<u32>>>> {
        Ok(match self.entries(axis)? {
            Some(Entries::OfAxis { picked, .. }) => picked,
            _ => None,
        })
    }

    /// An axis of some entries, the same for as long as those stay so.
    fn picked_axis(&self, name: &str, some: &Entries, stamp: Stamp) -> Result<Option<Arc<Axis>>> {
        let mut picked = self.picked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, axis)) = picked.get(name)
            && *known == stamp
        {
            return Ok(Some(Arc::clone(axis)));
        }
        let axis = Axis::new(some.texts())
            .map(Arc::new)
            .ok_or_else(|| self.wrong(&format!("the axis: {name} has too many entries")))?;
        picked.insert(name.to_owned(), (stamp, Arc::clone(&axis)));
        Ok(Some(axis))
    }

    /// Refuses values that belong to something else than the entries of an
    /// axis of the view.
    fn check_entries(&self, found: &Entries, axis: &str, of: &str) -> Result<()> {
        let wanted = self.entries(axis)?;
        let is_same = wanted.is_some_and(|wanted| {
            let is_known = found.axis_name() == wanted.axis_name()
                && found.axis_name().is_some()
                && found.picked() == wanted.picked();
            is_known || found.texts() == wanted.texts()
        });
        if is_same {
            return Ok(());
        }
        Err(self.wrong(&format!(
            "the query of the data: {of} gives values for other entries than those of the axis: \
             {axis}"
        )))
    }
}

fn parse(text: &str) -> Result<Query> {
    Query::parse(text, &crate::operations::NoCustomOperations)
}

impl Reader for View {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "View"
    }

    fn path(&self) -> Option<&Path> {
        self.base.path()
    }

    fn scalar_names(&self) -> Result<Vec<String>> {
        let mut names = self.base.scalar_names()?;
        for (key, _) in &self.data {
            if let DataKey::Scalar(name) = key
                && !key.is_wildcard()
            {
                names.push(name.clone());
            }
        }
        shown(names, |name| self.has_scalar(name))
    }

    fn axis_names(&self) -> Result<Vec<String>> {
        Ok(self.axes.keys().cloned().collect())
    }

    fn vector_names(&self, axis: &str) -> Result<Vec<String>> {
        let mut names = self.base.vector_names(&self.view_axis(axis)?.base)?;
        for (key, _) in &self.data {
            if let DataKey::Vector(_, name) = key
                && !key.is_wildcard()
            {
                names.push(name.clone());
            }
        }
        shown(names, |name| self.has_stored_vector(axis, name))
    }

    fn stored_matrix_names(&self, rows: &str, columns: &str) -> Result<Vec<String>> {
        let (of_rows, of_columns) = (self.view_axis(rows)?, self.view_axis(columns)?);
        let mut names = self
            .base
            .stored_matrix_names(&of_rows.base, &of_columns.base)?;
        for (key, _) in &self.data {
            if let DataKey::Matrix(_, _, name) = key
                && !key.is_wildcard()
            {
                names.push(name.clone());
            }
        }
        shown(names, |name| self.has_stored_matrix(rows, columns, name))
    }

    fn find_scalar(&self, name: &str) -> Result<Option<Scalar>> {
        let Some(query) = self.scalar_query(name)? else {
            return Ok(None);
        };
        match &self.evaluate(&query)?.answer {
            Answer::Scalar(scalar) => Ok(Some(scalar.clone())),
            _ => Err(self.wrong(&format!("the scalar: {name} is none"))),
        }
    }

    fn find_axis(&self, axis: &str) -> Result<Option<Arc<Axis>>> {
        let Some(shown) = self.axes.get(axis) else {
            return Ok(None);
        };
        let result = self.evaluate(&shown.query)?;
        match &result.answer {
            Answer::Entries(Entries::OfAxis {
                axis, picked: None, ..
            }) => Ok(Some(Arc::clone(axis))),
            Answer::Entries(some) => self.picked_axis(axis, some, of_dependencies(&result)),
            _ => Err(self.wrong(&format!("the axis: {axis} has no entries"))),
        }
    }

    fn find_vector(&self, axis: &str, name: &str) -> Result<Option<Vector>> {
        let Some(query) = self.vector_query(axis, name)? else {
            return Ok(None);
        };
        match &self.evaluate(&query)?.answer {
            Answer::Vector { entries, values } => {
                self.check_entries(entries, axis, name)?;
                Ok(Some(values.clone()))
            }
            Answer::Entries(entries) => {
                self.check_entries(entries, axis, name)?;
                Ok(Some(entries.texts().into()))
            }
            _ => Err(self.wrong(&format!("the vector: {name} is none"))),
        }
    }

    fn find_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<Option<Matrix>> {
        let Some(query) = self.matrix_query(rows, columns, name)? else {
            return Ok(None);
        };
        match &self.evaluate(&query)?.answer {
            Answer::Matrix {
                rows: of_rows,
                columns: of_columns,
                values,
            } => {
                self.check_entries(of_rows, rows, name)?;
                self.check_entries(of_columns, columns, name)?;
                Ok(Some(values.clone()))
            }
            _ => Err(self.wrong(&format!("the matrix: {name} is none"))),
        }
    }

    fn find_streamed(
        &self,
        rows: &str,
        columns: &str,
        name: &str,
    ) -> Result<Option<Arc<dyn StreamedMatrix>>> {
        let (Some(of_rows), Some(of_columns)) = (self.axes.get(rows), self.axes.get(columns))
        else {
            return Ok(None);
        };
        if !matches!(self.matrix_item(rows, columns, name), Some(("=", _))) {
            return Ok(None);
        }
        let (of_rows, of_columns) = (&of_rows.base, &of_columns.base);
        let Some(whole) = self.base.find_streamed(of_rows, of_columns, name)? else {
            return Ok(None);
        };
        Ok(match (self.picked_of(rows)?, self.picked_of(columns)?) {
            (None, None) => Some(whole),
            (rows, columns) => {
                let columns = columns.as_deref().map(Vec::as_slice);
                Some(Arc::new(Picked::new(whole, rows, columns)))
            }
        })
    }

    fn has_scalar(&self, name: &str) -> Result<bool> {
        Ok(self.scalar_query(name)?.is_some())
    }

    fn has_axis(&self, axis: &str) -> Result<bool> {
        Ok(self.axes.contains_key(axis))
    }

    fn has_stored_vector(&self, axis: &str, name: &str) -> Result<bool> {
        Ok(self.vector_query(axis, name)?.is_some())
    }

    fn has_stored_matrix(&self, rows: &str, columns: &str, name: &str) -> Result<bool> {
        Ok(self.matrix_query(rows, columns, name)?.is_some())
    }

    fn axis_version(&self, axis: &str) -> u64 {
        self.axes
            .get(axis)
            .map_or(0, |shown| self.base.axis_version(&shown.base))
    }

    fn vector_version(&self, axis: &str, name: &str) -> u64 {
        self.axes
            .get(axis)
            .map_or(0, |shown| self.base.vector_version(&shown.base, name))
    }

    fn matrix_version(&self, rows: &str, columns: &str, name: &str) -> u64 {
        match (self.axes.get(rows), self.axes.get(columns)) {
            (Some(rows), Some(columns)) => {
                self.base.matrix_version(&rows.base, &columns.base, name)
            }
            _ => 0,
        }
    }

    fn stamp(&self, of: &Dependency) -> Result<Stamp> {
        if let Some(stamp) = listing_stamp(self, of)? {
            return Ok(stamp);
        }
        self.mark(of)
    }
}

/// The names that are shown, in order.
fn shown(mut names: Vec<String>, is_shown: impl Fn(&str) -> Result<bool>) -> Result<Vec<String>> {
    names.sort_unstable();
    names.dedup();
    let mut shown = Vec::new();
    for name in names {
        if is_shown(&name)? {
            shown.push(name);
        }
    }
    Ok(shown)
}
