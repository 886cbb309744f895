//! What is looked up in the store. Each look-up is remembered, also where
//! nothing is found; what is missing is said with near names.

use std::sync::Arc;

use axtile_core::{Error, Result};

use super::Evaluation;
use super::data::filled_matrix;
use super::entries::Entries;
use super::matrix::Grid;
use super::source::Source;
use crate::model::{
    Axis, Dependency, Scalar, Vector, missing_axis, missing_entry, missing_matrix, missing_scalar,
    missing_vector,
};
use crate::query::expression::{AsAxis, Name, Property};
use crate::query::place::Span;
use crate::query::suggest::did_you_mean;

impl Evaluation<'_> {
    /// An axis of the store.
    pub fn axis(&mut self, name: &Name) -> Result<Arc<Axis>> {
        match self.find_axis(&name.text)? {
            Some(axis) => Ok(axis),
            None => Err(self.missing_axis(&name.text, name.span)),
        }
    }

    fn find_axis(&mut self, name: &str) -> Result<Option<Arc<Axis>>> {
        self.depend(Dependency::Axis(name.to_owned()))?;
        self.store.find_axis(name)
    }

    fn missing_axis(&self, name: &str, span: Span) -> Error {
        let problem = missing_axis(self.store.name(), name);
        self.near(span, &problem, name, self.store.axis_names())
    }

    /// What is missing, near names of it, and its place in the query.
    fn near(&self, span: Span, problem: &Error, name: &str, names: Result<Vec<String>>) -> Error {
        let names = names.unwrap_or_default();
        let hint = did_you_mean(name, names.iter().map(String::as_str));
        self.missing(span, format!("{problem}{hint}"))
    }

    /// The position of an entry that is named in the query.
    pub fn index(&self, axis_name: &str, axis: &Axis, entry: &Name) -> Result<u32> {
        self.entry_index(axis_name, axis, entry.text.as_bytes(), entry.span)
    }

    /// The position of an entry; `span` is the place that led to it.
    pub fn entry_index(
        &self,
        axis_name: &str,
        axis: &Axis,
        entry: &[u8],
        span: Span,
    ) -> Result<u32> {
        if let Some(idx) = axis.position_of_bytes(entry) {
            return Ok(idx as u32);
        }
        let entry = String::from_utf8_lossy(entry);
        let problem = missing_entry(self.store.name(), axis_name, &entry);
        let hint = did_you_mean(&entry, axis.entries().iter());
        Err(self.missing(span, format!("{problem}{hint}")))
    }

    /// The axis whose entries some values are: the one that is given, or the
    /// one that the name of their property says.
    pub fn implied_axis(
        &mut self,
        property: Option<&str>,
        as_axis: Option<&AsAxis>,
        span: Span,
    ) -> Result<(String, Arc<Axis>)> {
        if let Some(AsAxis {
            axis: Some(name),
            span,
        }) = as_axis
        {
            return match self.find_axis(name)? {
                Some(axis) => Ok((name.clone(), axis)),
                None => Err(self.missing_axis(name, *span)),
            };
        }
        let span = as_axis.map_or(span, |as_axis| as_axis.span);
        let Some(property) = property else {
            let problem = "nothing says which axis the values are entries of; \
                           '=@' and its name do";
            return Err(self.wrong(span, problem));
        };
        if let Some(axis) = self.find_axis(property)? {
            return Ok((property.to_owned(), axis));
        }
        if let Some((name, _)) = property.split_once('.')
            && let Some(axis) = self.find_axis(name)?
        {
            return Ok((name.to_owned(), axis));
        }
        let problem = missing_axis(self.store.name(), property);
        let problem = format!(
            "{problem}; the values of '{property}' are taken as its entries unless '=@' names another"
        );
        Err(self.missing(span, problem))
    }

    /// A scalar of the store.
    pub fn stored_scalar(&mut self, name: &Name) -> Result<Option<Scalar>> {
        self.depend(Dependency::Scalar(name.text.clone()))?;
        self.store.find_scalar(&name.text)
    }

    /// That there is no such scalar.
    pub fn missing_scalar(&self, name: &Name) -> Error {
        let problem = missing_scalar(self.store.name(), &name.text);
        self.near(name.span, &problem, &name.text, self.store.scalar_names())
    }

    /// A vector of the store, or the default for each entry.
    pub fn stored_vector(
        &mut self,
        axis_name: &str,
        axis: &Axis,
        property: &Property,
    ) -> Result<Vector> {
        let name = &property.name.text;
        if name == "name" || name == "index" {
            return self.store.vector(axis_name, name);
        }
        self.depend(Dependency::Vector(axis_name.to_owned(), name.clone()))?;
        if let Some(vector) = self.store.find_vector(axis_name, name)? {
            return Ok(vector);
        }
        if let Some(literal) = &property.if_missing {
            return Ok(Vector::Dense(literal.repeated(axis.len())?));
        }
        let problem = missing_vector(self.store.name(), axis_name, name);
        let names = self.store.vector_names(axis_name).map(|mut names| {
            names.extend(["name", "index"].map(str::to_owned));
            names
        });
        Err(self.near(property.name.span, &problem, name, names))
    }

    fn find_matrix(&mut self, rows: &str, columns: &str, name: &str) -> Result<Option<Source>> {
        let on = Dependency::Matrix(rows.to_owned(), columns.to_owned(), name.to_owned());
        self.depend(on)?;
        if let Some(streamed) = self.store.find_streamed(rows, columns, name)? {
            return Ok(Some(Source::Streamed(streamed)));
        }
        let found = self.store.find_matrix(rows, columns, name)?;
        Ok(found.map(Source::Memory))
    }

    fn missing_matrix(&self, rows: &str, columns: &str, property: &Property) -> Error {
        let name = &property.name;
        let problem = missing_matrix(self.store.name(), rows, columns, &name.text);
        let names = self.store.matrix_names(rows, columns);
        self.near(name.span, &problem, &name.text, names)
    }

    /// The values along `axis` for entry `idx` of the other axis of a matrix.
    pub fn stored_slice(
        &mut self,
        axis_name: &str,
        axis: &Axis,
        other: &str,
        property: &Property,
        idx: u32,
    ) -> Result<Vector> {
        let name = &property.name.text;
        if let Some(matrix) = self.find_matrix(axis_name, other, name)? {
            return self.column_of(&matrix, idx);
        }
        if axis_name != other
            && let Some(matrix) = self.find_matrix(other, axis_name, name)?
        {
            self.has_flipped |= matches!(matrix, Source::Memory(_));
            return self.row_of(&matrix, idx);
        }
        match &property.if_missing {
            Some(literal) => Ok(Vector::Dense(literal.repeated(axis.len())?)),
            None => Err(self.missing_matrix(axis_name, other, property)),
        }
    }

    /// A column or row of a square matrix.
    pub fn stored_square(
        &mut self,
        axis_name: &str,
        axis: &Axis,
        property: &Property,
        idx: u32,
        is_column: bool,
    ) -> Result<Vector> {
        match self.find_matrix(axis_name, axis_name, &property.name.text)? {
            Some(matrix) if is_column => self.column_of(&matrix, idx),
            Some(matrix) => self.row_of(&matrix, idx),
            None => match &property.if_missing {
                Some(literal) => Ok(Vector::Dense(literal.repeated(axis.len())?)),
                None => Err(self.missing_matrix(axis_name, axis_name, property)),
            },
        }
    }

    /// A matrix of the store, or the default everywhere.
    pub fn stored_matrix(
        &mut self,
        rows: Entries,
        columns: Entries,
        property: &Property,
    ) -> Result<Grid> {
        let names = (rows.axis_name(), columns.axis_name());
        let (rows_name, columns_name) = match names {
            (Some(rows), Some(columns)) => (rows.to_owned(), columns.to_owned()),
            _ => return Err(self.wrong(property.name.span, "a matrix is of two axes")),
        };
        let name = &property.name.text;
        let mut is_flipped = false;
        let mut found = self.find_matrix(&rows_name, &columns_name, name)?;
        if found.is_none() && rows_name != columns_name {
            found = self.find_matrix(&columns_name, &rows_name, name)?;
            is_flipped = found.is_some();
            self.has_flipped |= matches!(found, Some(Source::Memory(_)));
        }
        let is_whole = found.is_some();
        let source = match (found, &property.if_missing) {
            (Some(source), _) => source,
            (None, Some(literal)) => {
                Source::Memory(filled_matrix(rows.len(), columns.len(), |n| {
                    literal.repeated(n)
                })?)
            }
            (None, None) => {
                return Err(self.missing_matrix(&rows_name, &columns_name, property));
            }
        };
        Ok(Grid {
            rows,
            columns,
            source,
            is_whole,
            is_flipped,
            property: Some(name.clone()),
            finals: Vec::new(),
        })
    }
}
