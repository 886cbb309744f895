//! Columns of annotation tables as HDF5 files store them, read by ranges of
//! rows.

use std::ops::Range;
use std::sync::Arc;

use axtile_core::{Error, Result};
use axtile_table::{Column, IntegerType, Kind, RealType};

use crate::h5::{Dataset, Element, Group, Node, Scratch, TextReader, integers_into, real};
use crate::pandas::{bool_label, real_label};

/// A dataset, or one field of a dataset of records.
#[derive(Clone)]
pub(crate) struct Values {
    dataset: Arc<Dataset>,
    offset: usize,
    element: Element,
}

impl Values {
    /// All of a dataset.
    pub(crate) fn whole(dataset: Dataset) -> Values {
        Values {
            element: dataset.element().clone(),
            dataset: Arc::new(dataset),
            offset: 0,
        }
    }

    /// The field at byte `offset` of each record.
    pub(crate) fn field(records: &Arc<Dataset>, offset: usize, element: Element) -> Values {
        Values {
            dataset: Arc::clone(records),
            offset,
            element,
        }
    }

    fn n_rows(&self) -> u64 {
        self.dataset.n_rows()
    }

    fn each(&self, rows: Range<u64>, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let width = self.dataset.element().width();
        let field = self.offset..self.offset + self.element.width();
        self.dataset
            .visit(rows, &mut Scratch::default(), |_, bytes| {
                for bytes in bytes.chunks_exact(width) {
                    each(bytes.get(field.clone()).unwrap_or_default())?;
                }
                Ok(())
            })
    }

    fn texts(&self, rows: Range<u64>) -> Result<Vec<String>> {
        let root = self.dataset.file().root()?;
        let mut reader = TextReader::new(&root, self.dataset.place());
        let mut texts = Vec::new();
        self.each(rows, |bytes| {
            texts.push(reader.read(&self.element, bytes)?);
            Ok(())
        })?;
        Ok(texts)
    }

    fn integers(&self, rows: Range<u64>) -> Result<Vec<i64>> {
        let mut values = Vec::new();
        self.each(rows, |bytes| {
            integers_into(&self.element, bytes, &mut values);
            Ok(())
        })?;
        Ok(values)
    }

    fn reals(&self, rows: Range<u64>) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        self.each(rows, |bytes| {
            values.push(real(&self.element, bytes).unwrap_or(f64::NAN));
            Ok(())
        })?;
        Ok(values)
    }

    fn bools(&self, rows: Range<u64>) -> Result<Vec<bool>> {
        let mut values = Vec::new();
        self.each(rows, |bytes| {
            values.push(bytes.first().is_some_and(|&byte| byte != 0));
            Ok(())
        })?;
        Ok(values)
    }
}

/// A column of an open file.
#[derive(Clone)]
pub(crate) struct StoredColumn {
    /// Its type.
    pub(crate) kind: Kind,
    values: Values,
    missing: Option<Values>,
}

impl StoredColumn {
    /// The column in `values` with a type of its own; `name` is for messages.
    pub(crate) fn plain(values: Values, name: &str) -> Result<StoredColumn> {
        let file = values.dataset.file();
        if values.dataset.rank() != 1 {
            let problem = format!("an array of {} dimensions", values.dataset.rank());
            return Err(unsupported(file.path(), name, &problem));
        }
        let kind = match &values.element {
            Element::Bool => Kind::Bool,
            Element::Integer { width, signed, .. } => Kind::Integer(integer_type(*width, *signed)),
            Element::Real { width, .. } => Kind::Real(match width {
                2 => RealType::F16,
                4 => RealType::F32,
                _ => RealType::F64,
            }),
            element if element.is_text() => Kind::Text,
            element => return Err(unsupported(file.path(), name, &element.describe())),
        };
        Ok(StoredColumn {
            kind,
            values,
            missing: None,
        })
    }

    /// The column in `codes` with labels from `levels`.
    pub(crate) fn category(
        codes: Values,
        levels: Vec<String>,
        ordered: bool,
        name: &str,
    ) -> Result<StoredColumn> {
        let column = StoredColumn::plain(codes, name)?;
        let dataset = &column.values.dataset;
        if !matches!(column.kind, Kind::Integer(_)) {
            return Err(dataset
                .file()
                .corrupt(dataset.place(), "codes that are no integers"));
        }
        let mut sorted: Vec<&String> = levels.iter().collect();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find_map(|pair| match pair {
            [a, b] if a == b => Some(a),
            _ => None,
        });
        if let Some(twice) = twice {
            return Err(dataset.file().corrupt(
                dataset.place(),
                format!("the category {twice:?} is there twice"),
            ));
        }
        Ok(StoredColumn {
            kind: Kind::Category { levels, ordered },
            ..column
        })
    }

    /// The column `node` in one of anndata's encodings.
    pub(crate) fn open(node: Node, name: &str) -> Result<StoredColumn> {
        match node {
            Node::Dataset(dataset) => {
                let encoding = dataset.text_attribute("encoding-type")?;
                match encoding.as_deref() {
                    None | Some("" | "array" | "string-array") => {}
                    Some(other) => {
                        let problem = format!("the encoding '{other}'");
                        return Err(unsupported(dataset.file().path(), name, &problem));
                    }
                }
                StoredColumn::plain(Values::whole(*dataset), name)
            }
            Node::Group(group) => StoredColumn::open_group(&group, name),
        }
    }

    fn open_group(group: &Group, name: &str) -> Result<StoredColumn> {
        let encoding = group.text_attribute("encoding-type")?.unwrap_or_default();
        match encoding.as_str() {
            "categorical" => {
                let categories = group.child("categories")?.ok_or_else(|| {
                    group
                        .file()
                        .corrupt(group.name(), "'categories' is missing")
                })?;
                let levels = StoredColumn::open(categories, name)?.labels()?;
                let codes = Values::whole(group.required("codes")?);
                StoredColumn::category(codes, levels, group.flag_attribute("ordered")?, name)
            }
            "nullable-integer" | "nullable-boolean" | "nullable-string-array" => {
                let values = Values::whole(group.required("values")?);
                let mut column = StoredColumn::plain(values, name)?;
                if let Some(mask) = group.dataset("mask")? {
                    let fits = mask.rank() == 1 && mask.n_rows() == column.n_rows();
                    let flags = matches!(
                        mask.element(),
                        Element::Bool | Element::Integer { width: 1, .. }
                    );
                    if !fits || !flags {
                        return Err(group
                            .file()
                            .corrupt(mask.place(), "a mask that does not fit its values"));
                    }
                    column.missing = Some(Values::whole(mask));
                }
                Ok(column)
            }
            other => {
                let problem = format!("the encoding '{other}'");
                Err(unsupported(group.file().path(), name, &problem))
            }
        }
    }

    /// The number of rows.
    pub(crate) fn n_rows(&self) -> u64 {
        self.values.n_rows()
    }

    /// The values of the rows `rows`.
    pub(crate) fn read(&self, rows: Range<u64>) -> Result<Column> {
        let missing = match &self.missing {
            Some(mask) => Some(mask.bools(rows.clone())?).filter(|mask| mask.contains(&true)),
            None => None,
        };
        Ok(match &self.kind {
            Kind::Category { levels, .. } => {
                let dataset = &self.values.dataset;
                let n = levels.len() as i64;
                let codes = self.values.integers(rows)?;
                let codes = codes.into_iter().map(|code| {
                    i32::try_from(code)
                        .ok()
                        .filter(|_| (-1..n).contains(&code))
                        .ok_or_else(|| {
                            dataset.file().corrupt(
                                dataset.place(),
                                format!("the code {code} for {n} categories"),
                            )
                        })
                });
                Column::Category(codes.collect::<Result<_>>()?)
            }
            Kind::Integer(_) => {
                let mut values = self.values.integers(rows)?;
                blank(&mut values, missing.as_deref(), 0);
                Column::Integer { values, missing }
            }
            Kind::Bool => {
                let mut values = self.values.bools(rows)?;
                blank(&mut values, missing.as_deref(), false);
                Column::Bool { values, missing }
            }
            Kind::Real(_) => {
                let mut values = self.values.reals(rows)?;
                blank(&mut values, missing.as_deref(), f64::NAN);
                Column::Real(values)
            }
            Kind::Text => {
                let texts = self.values.texts(rows)?;
                let mut texts: Vec<Option<String>> = texts.into_iter().map(Some).collect();
                blank(&mut texts, missing.as_deref(), None);
                Column::Text(texts)
            }
        })
    }

    /// The values of the rows `rows` as names.
    pub(crate) fn names(&self, rows: Range<u64>) -> Result<Vec<String>> {
        let dataset = &self.values.dataset;
        let nameless = || dataset.file().corrupt(dataset.place(), "a missing name");
        let names: Option<Vec<String>> = match (self.read(rows)?, &self.kind) {
            (Column::Text(texts), _) => texts.into_iter().collect(),
            (
                Column::Integer {
                    values,
                    missing: None,
                },
                Kind::Integer(IntegerType::U64),
            ) => Some(
                values
                    .iter()
                    .map(|&value| (value as u64).to_string())
                    .collect(),
            ),
            (
                Column::Integer {
                    values,
                    missing: None,
                },
                _,
            ) => Some(values.iter().map(i64::to_string).collect()),
            (Column::Real(values), Kind::Real(RealType::F64)) => Some(
                values
                    .iter()
                    .map(|&value| real_label(value, false))
                    .collect(),
            ),
            (Column::Real(values), _) => Some(
                values
                    .iter()
                    .map(|&value| real_label(value, true))
                    .collect(),
            ),
            (
                Column::Bool {
                    values,
                    missing: None,
                },
                _,
            ) => Some(
                values
                    .iter()
                    .map(|&value| bool_label(value).to_owned())
                    .collect(),
            ),
            (Column::Category(codes), Kind::Category { levels, .. }) => codes
                .iter()
                .map(|&code| levels.get(usize::try_from(code).ok()?).cloned())
                .collect(),
            _ => None,
        };
        names.ok_or_else(nameless)
    }

    /// All values as labels of categories.
    pub(crate) fn labels(&self) -> Result<Vec<String>> {
        self.names(0..self.n_rows())
    }
}

fn integer_type(width: usize, signed: bool) -> IntegerType {
    match (width, signed) {
        (1, true) => IntegerType::I8,
        (2, true) => IntegerType::I16,
        (4, true) => IntegerType::I32,
        (_, true) => IntegerType::I64,
        (1, false) => IntegerType::U8,
        (2, false) => IntegerType::U16,
        (4, false) => IntegerType::U32,
        (_, false) => IntegerType::U64,
    }
}

fn blank<T>(values: &mut [T], missing: Option<&[bool]>, nothing: T)
where
    T: Clone,
{
    for (value, _) in values
        .iter_mut()
        .zip(missing.unwrap_or_default())
        .filter(|(_, missing)| **missing)
    {
        *value = nothing.clone();
    }
}

/// The column `name` cannot be read; says how to do without it.
pub(crate) fn unsupported(path: &std::path::Path, name: &str, what: &str) -> Error {
    Error::unsupported(
        path,
        format!(
            "column '{name}' is {what}; leave it out by naming it in `obs_exclude` (or `var_exclude`)"
        ),
    )
}
