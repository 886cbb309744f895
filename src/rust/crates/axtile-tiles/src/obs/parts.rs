//! Obs in several parts, as appending makes them. All parts have the same
//! columns; the levels of a category may differ and are united in order of
//! first appearance.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_table::{Column, Field, Kind, Table};

use super::{Cells, ObsReader};
use crate::manifest::Manifest;

/// The annotations of a dataset's cells.
#[derive(Debug)]
pub(crate) struct ObsParts {
    parts: Vec<Part>,
    fields: Vec<Field>,
    n_cells: u64,
}

#[derive(Debug)]
struct Part {
    first_cell: u64,
    reader: ObsReader,
    /// For each column the common level of each of the part's own levels;
    /// `None` where they are the same.
    codes: Vec<Option<Vec<i32>>>,
}

impl ObsParts {
    /// Opens all parts of a dataset with obs; `ordered` names the columns whose
    /// levels are ordered.
    pub(crate) fn open(folder: &Path, manifest: &Manifest, ordered: &[String]) -> Result<ObsParts> {
        let mut readers = Vec::with_capacity(manifest.obs_parts.len());
        let mut tiles = manifest.tile_cells.as_slice();
        for (idx, part) in manifest.obs_parts.iter().enumerate() {
            let (own, others) = tiles.split_at(part.n_tiles.min(tiles.len()));
            tiles = others;
            let part_folder = folder.join(manifest.obs_folder(idx));
            part.schema.check(&part_folder.join(super::SCHEMA_FILE))?;
            readers.push(ObsReader::open(&part_folder, &part.section, own, ordered)?);
        }
        let mut fields: Vec<Field> = Vec::new();
        for (idx, reader) in readers.iter().enumerate() {
            if idx == 0 {
                fields = reader.fields().to_vec();
            }
            if let Err(problem) = same_columns(&fields, reader.fields()) {
                let path = folder.join(manifest.obs_folder(idx));
                return Err(Error::corrupt(&path, super::SCHEMA_FILE, problem));
            }
        }
        for (column, field) in fields.iter_mut().enumerate() {
            unite_levels(field, readers.iter().map(|reader| &reader.fields()[column]));
        }
        let mut n_cells = 0;
        let parts = readers.into_iter().map(|reader| {
            let first_cell = n_cells;
            n_cells += reader.n_cells();
            let own = fields.iter().zip(reader.fields());
            Part {
                first_cell,
                codes: own
                    .map(|(all, own)| recoding(&all.kind, &own.kind))
                    .collect(),
                reader,
            }
        });
        Ok(ObsParts {
            parts: parts.collect(),
            fields,
            n_cells,
        })
    }

    /// Names and types of the columns.
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// As [`ObsReader::read`].
    pub(crate) fn read(
        &self,
        columns: &[usize],
        cells: Cells,
        cache_root: Option<&Path>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<Table> {
        if let [part] = self.parts.as_slice() {
            return part
                .reader
                .read(columns, cells, cache_root, n_threads, watch);
        }
        let fields = columns.iter().map(|&column| {
            self.fields.get(column).cloned().ok_or_else(|| {
                let n = self.fields.len();
                Error::range(format!("obs column {column} of {n}, counted from 0"))
            })
        });
        let mut table = Table {
            fields: fields.collect::<Result<_>>()?,
            ..Table::default()
        };
        table.columns = table
            .fields
            .iter()
            .map(|field| field.kind.empty_column())
            .collect();
        let wanted = match cells {
            Cells::All => None,
            Cells::List(cells) => Some(self.by_part(cells)?),
        };
        for (idx, part) in self.parts.iter().enumerate() {
            let cells = match wanted.as_ref().map(|wanted| wanted[idx].0.as_slice()) {
                None => Cells::All,
                Some([]) => continue,
                Some(list) => Cells::List(list),
            };
            let piece = part
                .reader
                .read(columns, cells, cache_root, n_threads, watch)?;
            table.n_rows += piece.n_rows;
            for ((all, mut more), &column) in
                table.columns.iter_mut().zip(piece.columns).zip(columns)
            {
                part.recode(column, &mut more);
                if !all.append(more) {
                    return Err(Error::argument("pieces of a column of different types"));
                }
            }
        }
        if let Some(wanted) = wanted {
            let mut from = vec![0; table.n_rows];
            for (row, &place) in wanted.iter().flat_map(|(_, places)| places).enumerate() {
                from[place] = row;
            }
            if !from.is_sorted() {
                let gathered = table.columns.iter().map(|column| column.gather(&from));
                table.columns = gathered
                    .collect::<Option<_>>()
                    .ok_or_else(|| Error::range("a row beyond the rows read"))?;
            }
        }
        Ok(table)
    }

    /// For each part the cells wanted of it, by their number in the part, and
    /// their places in `cells`.
    fn by_part(&self, cells: &[u64]) -> Result<Vec<(Vec<u64>, Vec<usize>)>> {
        let mut wanted = vec![(Vec::new(), Vec::new()); self.parts.len()];
        for (place, &cell) in cells.iter().enumerate() {
            if cell >= self.n_cells {
                let n_cells = self.n_cells;
                let problem = format!("cell {cell} of {n_cells} cells, counted from 0");
                return Err(Error::range(problem));
            }
            let idx = self.parts.partition_point(|part| part.first_cell <= cell) - 1;
            wanted[idx].0.push(cell - self.parts[idx].first_cell);
            wanted[idx].1.push(place);
        }
        Ok(wanted)
    }

    /// As [`ObsReader::localize`], of every part.
    pub(crate) fn localize(
        &self,
        columns: &[usize],
        cache_root: Option<&Path>,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        let mut parts = self.parts.iter();
        parts.try_for_each(|part| part.reader.localize(columns, cache_root, n_threads, watch))
    }

    /// Names of the columns of which every part is in the cache.
    pub(crate) fn localized_columns(&self, cache_root: Option<&Path>) -> Vec<String> {
        let mut parts = self.parts.iter();
        let first = parts.next();
        let mut names =
            first.map_or_else(Vec::new, |part| part.reader.localized_columns(cache_root));
        for part in parts {
            let others = part.reader.localized_columns(cache_root);
            names.retain(|name| others.contains(name));
        }
        names
    }

    /// As [`ObsReader::verify`], of one part.
    pub(crate) fn verify_part(
        &self,
        part: usize,
        n_threads: usize,
        watch: &dyn Watch,
    ) -> Result<()> {
        match self.parts.get(part) {
            Some(part) => part.reader.verify(n_threads, watch),
            None => Err(Error::range(format!("obs part {part}"))),
        }
    }
}

impl Part {
    fn recode(&self, column: usize, values: &mut Column) {
        if let (Some(Some(codes)), Column::Category(values)) = (self.codes.get(column), values) {
            for code in values {
                // -1 is missing; the reader has checked the others.
                *code = usize::try_from(*code).map_or(-1, |own| codes[own]);
            }
        }
    }
}

/// Whether columns have the same names and kinds, in order, whatever the levels
/// of categories without an order; if not, what differs.
pub(crate) fn same_columns(expected: &[Field], found: &[Field]) -> Result<(), String> {
    for (expected, found) in expected.iter().zip(found) {
        if expected.name != found.name {
            return Err(format!(
                "the column '{}', expected '{}'",
                found.name, expected.name
            ));
        }
        let is_same = match (&expected.kind, &found.kind) {
            (
                Kind::Category { levels, ordered },
                Kind::Category {
                    levels: others,
                    ordered: other_ordered,
                },
            ) => ordered == other_ordered && (!ordered || levels == others),
            (expected, found) => expected == found,
        };
        if !is_same {
            let describe = |kind: &Kind| match kind {
                Kind::Category {
                    levels,
                    ordered: true,
                } => {
                    format!("a category of ordered levels ({})", levels.join(", "))
                }
                other => other.describe(),
            };
            return Err(format!(
                "the column '{}' is {}, expected {}",
                found.name,
                describe(&found.kind),
                describe(&expected.kind)
            ));
        }
    }
    if expected.len() == found.len() {
        return Ok(());
    }
    let names = |fields: &[Field]| {
        let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
        names.join(", ")
    };
    Err(format!(
        "the columns {}; expected {}",
        names(found),
        names(expected)
    ))
}

fn unite_levels<'a>(field: &mut Field, own: impl Iterator<Item = &'a Field>) {
    let Kind::Category { levels, .. } = &mut field.kind else {
        return;
    };
    let mut known: HashSet<String> = levels.iter().cloned().collect();
    for own in own {
        if let Kind::Category { levels: more, .. } = &own.kind {
            for level in more {
                if known.insert(level.clone()) {
                    levels.push(level.clone());
                }
            }
        }
    }
}

/// The code among the levels of `all` of each level of `own`; `None` where they
/// begin alike.
fn recoding(all: &Kind, own: &Kind) -> Option<Vec<i32>> {
    let (Kind::Category { levels: all, .. }, Kind::Category { levels: own, .. }) = (all, own)
    else {
        return None;
    };
    if all.starts_with(own) {
        return None;
    }
    let codes: HashMap<&str, i32> = all.iter().map(String::as_str).zip(0..).collect();
    let code = |level: &String| codes.get(level.as_str()).copied().unwrap_or(-1);
    Some(own.iter().map(code).collect())
}
