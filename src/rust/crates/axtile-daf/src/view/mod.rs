//! Another look at a store: axes with other names or only some entries, and
//! data that queries give. What a view gives is found by queries on the store
//! below, and kept in a cache of its own.

mod marks;
mod read;
mod spec;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use axtile_core::{Error, Result, Unwatched};

pub use spec::{DataKey, ViewSpec};

use crate::cache::Cache;
use crate::model::{Axis, Reader, Stamp, missing_axis};
use crate::operations::{NoCustomOperations, Threads};
use crate::query::{Evaluated, Operation, Options, Query, escape_value};

/// Bytes of results that a view keeps.
const CACHE_BYTES: usize = 256 << 20;

/// A look at a store.
pub(crate) struct View {
    name: String,
    base: Arc<dyn Reader>,
    cache: Cache,
    axes: BTreeMap<String, ViewAxis>,
    data: Vec<(DataKey, Option<String>)>,
    /// Axes of some entries, with what they were made of.
    picked: Mutex<HashMap<String, (Stamp, Arc<Axis>)>>,
}

/// An axis of a view.
#[derive(Debug)]
struct ViewAxis {
    /// The axis of the store below.
    base: String,
    /// The query for its entries.
    query: Query,
}

/// A view of `base`, called `name` or else as the store below with `.view`
/// after it. Queries are read at once, and evaluated when their results are
/// asked for; the operations of users are not known in them.
///
/// # Errors
/// `Error::Range` if an axis that is shown does not exist; `Error::Argument`
/// if a query does not give what it is for, or a wildcard has a query.
pub fn viewer(
    base: Arc<dyn Reader>,
    name: Option<&str>,
    spec: ViewSpec,
) -> Result<Arc<dyn Reader>> {
    let everything = || Some("=".to_owned());
    let all = || vec![("*".to_owned(), everything())];
    let name = name.map_or_else(|| format!("{}.view", base.name()), str::to_owned);
    let mut view = View {
        axes: BTreeMap::new(),
        data: Vec::new(),
        picked: Mutex::default(),
        cache: Cache::new(Arc::clone(&base), CACHE_BYTES),
        name,
        base,
    };
    for (key, query) in spec.axes.unwrap_or_else(all) {
        view.show_axis(&key, query.as_deref())?;
    }
    let star = || "*".to_owned();
    let data = spec.data.unwrap_or_else(|| {
        vec![
            (DataKey::Scalar(star()), everything()),
            (DataKey::Vector(star(), star()), everything()),
            (DataKey::Matrix(star(), star(), star()), everything()),
        ]
    });
    for (key, query) in data {
        view.check_data(&key, query.as_deref())?;
        view.data.push((key, query));
    }
    Ok(Arc::new(view))
}

impl View {
    fn show_axis(&mut self, key: &str, query: Option<&str>) -> Result<()> {
        let is_plain = query == Some("=");
        if key == "*" {
            return match query {
                None => {
                    self.axes.clear();
                    Ok(())
                }
                Some(_) if is_plain => {
                    for axis in self.base.axis_names()? {
                        self.show_axis(&axis, query)?;
                    }
                    Ok(())
                }
                Some(query) => {
                    Err(self.wrong(&format!("the wildcard axis: * has the query: {query}")))
                }
            };
        }
        let Some(query) = query else {
            self.axes.remove(key);
            return Ok(());
        };
        let text = if is_plain {
            format!("@ {}", escape_value(key))
        } else {
            query.to_owned()
        };
        let query = Query::parse(&text, &NoCustomOperations)?;
        query.plan()?;
        let base = match query.axis_name() {
            Some(base) if query.is_axis() => base.to_owned(),
            _ => {
                return Err(self.wrong(&format!(
                    "the query: {text} of the axis: {key} gives no entries of an axis"
                )));
            }
        };
        if !self.base.has_axis(&base)? {
            return Err(missing_axis(self.base.name(), &base));
        }
        self.axes.insert(key.to_owned(), ViewAxis { base, query });
        Ok(())
    }

    fn check_data(&self, key: &DataKey, query: Option<&str>) -> Result<()> {
        let names = key.names().join(", ");
        let Some(query) = query.filter(|&query| query != "=") else {
            return Ok(());
        };
        if key.is_wildcard() {
            return Err(self.wrong(&format!(
                "the wildcard data: {names} has the query: {query}"
            )));
        }
        let (query, n_wanted) = match key {
            DataKey::Scalar(_) => (Query::parse(query, &NoCustomOperations)?, 0),
            DataKey::Vector(axis, _) => (self.full_query(query, &[axis])?, 1),
            DataKey::Matrix(rows, columns, _) => (self.full_query(query, &[rows, columns])?, 2),
        };
        if query.n_dimensions()? == n_wanted {
            return Ok(());
        }
        let what = ["scalar", "vector", "matrix"][n_wanted];
        Err(self.wrong(&format!(
            "the query: {} of the data: {names} gives no {what}",
            query.text()
        )))
    }

    fn wrong(&self, problem: &str) -> Error {
        Error::argument(format!("{problem} in the view: {}", self.name))
    }

    fn view_axis(&self, axis: &str) -> Result<&ViewAxis> {
        self.axes
            .get(axis)
            .ok_or_else(|| missing_axis(&self.name, axis))
    }

    /// The query with what it leaves out: the axes at its beginning, and what
    /// `__axis__` (for matrices also `__rows_axis__`, `__columns_axis__`)
    /// stands for.
    fn full_query(&self, text: &str, axes: &[&str]) -> Result<Query> {
        let short = Query::parse(text, &NoCustomOperations)?;
        let shown = axes
            .iter()
            .map(|axis| Ok(self.view_axis(axis)?.query.canonical()))
            .collect::<Result<Vec<String>>>()?;
        let mut pieces = Vec::new();
        let begins_with_axis = matches!(
            short.steps().first().map(|step| &step.operation),
            Some(Operation::Axis(_))
        );
        if !begins_with_axis {
            pieces.extend(shown.iter().cloned());
        }
        for step in short.steps() {
            let standing_for = match &step.operation {
                Operation::Axis(name) => match name.as_str() {
                    "__axis__" | "__rows_axis__" => shown.first(),
                    "__columns_axis__" => shown.get(1),
                    _ => None,
                },
                _ => None,
            };
            pieces.push(match standing_for {
                Some(query) => query.clone(),
                None => step.operation.to_string(),
            });
        }
        Query::parse(&pieces.join(" "), &NoCustomOperations)
    }

    fn evaluate(&self, query: &Query) -> Result<Arc<Evaluated>> {
        let options = Options {
            threads: Threads::default(),
            custom: &NoCustomOperations,
            watch: &Unwatched,
        };
        self.cache.evaluate(query, &options, 0)
    }
}
