//! Columns of the same name in several tables: which kind holds the values of
//! all, and bringing the values of one table to it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use axtile_core::{Error, Result};
use axtile_table::{Column, Field, IntegerType, Kind, RealType, Table};

/// Whole numbers beyond this are not all float64 numbers: 2^53.
const MAX_EXACT: u64 = 1 << 53;

/// The columns that stand for those of several tables.
pub(super) struct Unified {
    pub(super) fields: Vec<Field>,
    /// For each table and column: where its values come from.
    tables: Vec<Vec<Option<Origin>>>,
    paths: Vec<PathBuf>,
}

struct Origin {
    /// The column's place in its own table.
    at: usize,
    kind: Kind,
    /// For categories: the common level of each of its own.
    codes: Vec<i32>,
}

impl Unified {
    /// Columns in the order of the first table, then those that later ones add.
    ///
    /// # Errors
    /// `Error::Unsupported` for columns whose kinds do not go together.
    pub(super) fn new(tables: &[(&Path, &[Field])]) -> Result<Unified> {
        let mut fields: Vec<Field> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (path, table) in tables {
            for field in *table {
                match places.get(&field.name).and_then(|&at| fields.get_mut(at)) {
                    None => {
                        places.insert(field.name.clone(), fields.len());
                        fields.push(field.clone());
                    }
                    Some(known) => {
                        known.kind = common(&known.kind, &field.kind).ok_or_else(|| {
                            Error::unsupported(
                                path,
                                format!(
                                    "column '{}' is {}, but {} in the files before; leave it out by naming it in `obs_exclude`",
                                    field.name,
                                    describe(&field.kind),
                                    describe(&known.kind)
                                ),
                            )
                        })?;
                    }
                }
            }
        }
        let origins = tables.iter().map(|(_, table)| {
            fields
                .iter()
                .map(|field| {
                    let at = table.iter().position(|other| other.name == field.name)?;
                    let kind = table.get(at)?.kind.clone();
                    let codes = recode(&kind, &field.kind);
                    Some(Origin { at, kind, codes })
                })
                .collect()
        });
        Ok(Unified {
            tables: origins.collect(),
            paths: tables.iter().map(|(path, _)| path.to_path_buf()).collect(),
            fields,
        })
    }

    /// The rows of table number `table` under the common columns.
    ///
    /// # Errors
    /// `Error::Unsupported` for a whole number that float64 does not hold.
    pub(super) fn convert(&self, table: usize, rows: Table) -> Result<Table> {
        let n_rows = rows.n_rows;
        let mut columns: Vec<Option<Column>> = rows.columns.into_iter().map(Some).collect();
        let origins = self
            .tables
            .get(table)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let converted = self.fields.iter().zip(origins).map(|(field, origin)| {
            let column = origin
                .as_ref()
                .and_then(|origin| Some((origin, columns.get_mut(origin.at)?.take()?)));
            match column {
                None => Ok(missing(&field.kind, n_rows)),
                Some((origin, column)) => convert(column, origin, &field.kind).ok_or_else(|| {
                    let path = self.paths.get(table).map(PathBuf::as_path);
                    Error::unsupported(
                        path.unwrap_or(Path::new("")),
                        format!(
                            "column '{}' has whole numbers beyond 2^53, which float64, its type in all files together, does not hold",
                            field.name
                        ),
                    )
                }),
            }
        });
        Ok(Table {
            columns: converted.collect::<Result<_>>()?,
            fields: self.fields.clone(),
            n_rows,
        })
    }

    /// A table of no rows.
    pub(super) fn empty(&self) -> Table {
        Table {
            columns: self
                .fields
                .iter()
                .map(|field| missing(&field.kind, 0))
                .collect(),
            fields: self.fields.clone(),
            n_rows: 0,
        }
    }
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Category { .. } => "a factor".to_owned(),
        Kind::Integer(_) => "whole numbers".to_owned(),
        Kind::Real(_) => "real numbers".to_owned(),
        Kind::Bool => "true or false".to_owned(),
        Kind::Text => "text".to_owned(),
    }
}

/// The kind for the values of both. Numbers are promoted as numpy does. Factors
/// keep their order only if their levels are the same; a factor and text, which
/// anndata makes of the same strings depending on how often they repeat, are
/// text.
fn common(a: &Kind, b: &Kind) -> Option<Kind> {
    Some(match (a, b) {
        (
            Kind::Category { levels, ordered },
            Kind::Category {
                levels: others,
                ordered: other_ordered,
            },
        ) => {
            let mut all = levels.clone();
            let known: std::collections::HashSet<&String> = levels.iter().collect();
            all.extend(
                others
                    .iter()
                    .filter(|level| !known.contains(level))
                    .cloned(),
            );
            Kind::Category {
                ordered: *ordered && *other_ordered && levels == others,
                levels: all,
            }
        }
        (Kind::Category { .. } | Kind::Text, Kind::Category { .. } | Kind::Text) => Kind::Text,
        (Kind::Integer(a), Kind::Integer(b)) => promote(*a, *b),
        (Kind::Integer(whole), Kind::Real(real)) | (Kind::Real(real), Kind::Integer(whole)) => {
            let least = match width(*whole) {
                1 => RealType::F16,
                2 => RealType::F32,
                _ => RealType::F64,
            };
            Kind::Real(wider(least, *real))
        }
        (Kind::Real(a), Kind::Real(b)) => Kind::Real(wider(*a, *b)),
        (Kind::Bool, Kind::Bool) => Kind::Bool,
        _ => return None,
    })
}

fn width(kind: IntegerType) -> u32 {
    match kind {
        IntegerType::I8 | IntegerType::U8 => 1,
        IntegerType::I16 | IntegerType::U16 => 2,
        IntegerType::I32 | IntegerType::U32 => 4,
        IntegerType::I64 | IntegerType::U64 => 8,
    }
}

fn signed(kind: IntegerType) -> bool {
    matches!(
        kind,
        IntegerType::I8 | IntegerType::I16 | IntegerType::I32 | IntegerType::I64
    )
}

fn promote(a: IntegerType, b: IntegerType) -> Kind {
    if signed(a) == signed(b) {
        return Kind::Integer(if width(a) >= width(b) { a } else { b });
    }
    // A signed type must be wider than an unsigned one to hold its values.
    let (with, without) = if signed(a) { (a, b) } else { (b, a) };
    match width(with).max(2 * width(without)) {
        2 => Kind::Integer(IntegerType::I16),
        4 => Kind::Integer(IntegerType::I32),
        8 => Kind::Integer(IntegerType::I64),
        _ => Kind::Real(RealType::F64),
    }
}

fn wider(a: RealType, b: RealType) -> RealType {
    match (a, b) {
        (RealType::F64, _) | (_, RealType::F64) => RealType::F64,
        (RealType::F32, _) | (_, RealType::F32) => RealType::F32,
        (RealType::F16, RealType::F16) => RealType::F16,
    }
}

/// The code among the levels of `to` of each level of `from`.
fn recode(from: &Kind, to: &Kind) -> Vec<i32> {
    let (Kind::Category { levels, .. }, Kind::Category { levels: all, .. }) = (from, to) else {
        return Vec::new();
    };
    let codes: HashMap<&String, i32> = all.iter().zip(0..).collect();
    levels
        .iter()
        .map(|level| codes.get(level).copied().unwrap_or(-1))
        .collect()
}

fn missing(kind: &Kind, n_rows: usize) -> Column {
    match kind {
        Kind::Category { .. } => Column::Category(vec![-1; n_rows]),
        Kind::Integer(_) => Column::Integer {
            values: vec![0; n_rows],
            missing: (n_rows > 0).then(|| vec![true; n_rows]),
        },
        Kind::Real(_) => Column::Real(vec![f64::NAN; n_rows]),
        Kind::Bool => Column::Bool {
            values: vec![false; n_rows],
            missing: (n_rows > 0).then(|| vec![true; n_rows]),
        },
        Kind::Text => Column::Text(vec![None; n_rows]),
    }
}

/// `None` if a number does not survive.
fn convert(column: Column, origin: &Origin, to: &Kind) -> Option<Column> {
    Some(match (column, &origin.kind, to) {
        (Column::Category(codes), Kind::Category { .. }, Kind::Category { .. }) => {
            let recoded = codes.into_iter().map(|code| {
                usize::try_from(code)
                    .ok()
                    .and_then(|code| origin.codes.get(code).copied())
                    .unwrap_or(-1)
            });
            Column::Category(recoded.collect())
        }
        (Column::Category(codes), Kind::Category { levels, .. }, Kind::Text) => {
            let texts = codes
                .into_iter()
                .map(|code| levels.get(usize::try_from(code).ok()?).cloned());
            Column::Text(texts.collect())
        }
        (Column::Integer { values, missing }, Kind::Integer(from), Kind::Real(_)) => {
            let mut reals = Vec::with_capacity(values.len());
            for (row, value) in values.into_iter().enumerate() {
                let absent = missing.as_ref().and_then(|missing| missing.get(row)) == Some(&true);
                let (size, real) = match from {
                    IntegerType::U64 => (value as u64, value as u64 as f64),
                    _ => (value.unsigned_abs(), value as f64),
                };
                if absent {
                    reals.push(f64::NAN);
                } else if size <= MAX_EXACT {
                    reals.push(real);
                } else {
                    return None;
                }
            }
            Column::Real(reals)
        }
        // Integers are kept in 64 bits whatever their width, reals as float64.
        (column, _, _) => column,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_promoted_as_numpy_does() {
        use IntegerType::*;
        let whole = Kind::Integer;
        for (a, b, all) in [
            (whole(I8), whole(I8), whole(I8)),
            (whole(I8), whole(U8), whole(I16)),
            (whole(I16), whole(U8), whole(I16)),
            (whole(I16), whole(U16), whole(I32)),
            (whole(I64), whole(U32), whole(I64)),
            (whole(I32), whole(U32), whole(I64)),
            (whole(I8), whole(U64), Kind::Real(RealType::F64)),
            (whole(U8), whole(U64), whole(U64)),
            (
                whole(I8),
                Kind::Real(RealType::F16),
                Kind::Real(RealType::F16),
            ),
            (
                whole(I16),
                Kind::Real(RealType::F16),
                Kind::Real(RealType::F32),
            ),
            (
                whole(I32),
                Kind::Real(RealType::F32),
                Kind::Real(RealType::F64),
            ),
            (
                Kind::Real(RealType::F16),
                Kind::Real(RealType::F32),
                Kind::Real(RealType::F32),
            ),
        ] {
            assert_eq!(common(&a, &b), Some(all.clone()), "{a:?} {b:?}");
            assert_eq!(common(&b, &a), Some(all), "{b:?} {a:?}");
        }
        assert_eq!(common(&Kind::Bool, &whole(I8)), None);
        assert_eq!(common(&Kind::Text, &whole(I8)), None);
    }

    #[test]
    fn numbers_that_do_not_survive_are_refused() {
        let origin = Origin {
            at: 0,
            kind: Kind::Integer(IntegerType::I64),
            codes: Vec::new(),
        };
        let column = |value| Column::Integer {
            values: vec![value],
            missing: None,
        };
        let real = Kind::Real(RealType::F64);
        assert_eq!(
            convert(column(-5), &origin, &real),
            Some(Column::Real(vec![-5.0]))
        );
        assert_eq!(convert(column(1 << 54), &origin, &real), None);
    }
}
