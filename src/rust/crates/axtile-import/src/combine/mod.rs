//! Several sources as one, cells after cells.

mod genes;
mod kinds;

use std::ops::Range;
use std::path::Path;

use axtile_core::{Error, Result, Watch};
use axtile_table::{Column, Field, Table};
use axtile_tiles::{CellBlock, CellSource, FloatBlock, LayerField, SourcePart};

use crate::range::check_cells;
use crate::value::Cells;
use genes::{DROPPED, JoinedGenes, join_genes};
use kinds::Unified;

pub use genes::Join;

/// Sources one after the other, with genes joined by name and annotations
/// brought to common columns: those of the first source, then what later ones
/// add. Where a source lacks a column, its cells have missing values.
pub struct Combined {
    sources: Vec<Box<dyn CellSource>>,
    /// The first cell of each source, and the number of cells.
    starts: Vec<u64>,
    genes: Vec<String>,
    places: Vec<Option<Vec<u32>>>,
    obs: Unified,
    var: Table,
    has_names: bool,
}

impl Combined {
    /// Combines `sources` in their order.
    ///
    /// # Errors
    /// `Error::Argument` if there is no source, or if the genes cannot be joined;
    /// `Error::Unsupported` if columns of the same name do not go together.
    pub fn new(sources: Vec<Box<dyn CellSource>>, join: Join) -> Result<Combined> {
        let lists: Vec<(&Path, &[String])> = sources
            .iter()
            .map(|source| (source.path(), source.genes()))
            .collect();
        let JoinedGenes { genes, places } = join_genes(&lists, join)?;
        check_layers(&sources)?;
        let mut starts = vec![0u64];
        let mut n_cells = 0u64;
        for source in &sources {
            n_cells = n_cells
                .checked_add(source.n_cells())
                .ok_or_else(|| Error::limit(source.path(), "more than 2^64 cells"))?;
            starts.push(n_cells);
        }
        let obs: Vec<(&Path, &[Field])> = sources
            .iter()
            .map(|source| (source.path(), source.obs_fields()))
            .collect();
        let obs = Unified::new(&obs)?;
        let mut has_names = true;
        for source in &sources {
            has_names &= source.cell_names(0..source.n_cells().min(1))?.is_some();
        }
        let var = join_var(&sources, &places, genes.len(), join)?;
        Ok(Combined {
            sources,
            starts,
            genes,
            places,
            obs,
            var,
            has_names,
        })
    }

    /// The values of some cells, which `read` gets from a source.
    fn cells<V: Copy>(
        &self,
        cells: Range<u64>,
        read: impl Fn(&dyn CellSource, Range<u64>) -> Result<Cells<V>>,
    ) -> Result<Cells<V>> {
        check_cells(self.path(), &cells, self.n_cells())?;
        let mut block = Cells::none();
        for (number, source, range) in self.pieces(cells) {
            let places = self.places.get(number).and_then(Option::as_deref);
            append_cells(&mut block, read(source, range)?, places);
        }
        Ok(block)
    }

    /// The sources that have some of `cells`, with their number and the range
    /// in their own numbering.
    fn pieces(
        &self,
        cells: Range<u64>,
    ) -> impl Iterator<Item = (usize, &dyn CellSource, Range<u64>)> {
        let ranges = self.starts.windows(2).map(|pair| match pair {
            [start, end] => (*start, *end),
            _ => (0, 0),
        });
        let all = self.sources.iter().zip(ranges).enumerate();
        all.filter_map(move |(number, (source, (start, end)))| {
            let from = cells.start.max(start);
            let to = cells.end.min(end);
            (from < to).then(|| (number, source.as_ref(), from - start..to - start))
        })
    }
}

/// Refuses sources with other layers than the first.
fn check_layers(sources: &[Box<dyn CellSource>]) -> Result<()> {
    let Some((first, others)) = sources.split_first() else {
        return Ok(());
    };
    let layers = first.layers();
    let Some(other) = others.iter().find(|other| other.layers() != layers) else {
        return Ok(());
    };
    let names = |layers: Vec<LayerField>| {
        let name = |layer: LayerField| format!("{} ({})", layer.name, layer.kind.name());
        let names: Vec<String> = layers.into_iter().map(name).collect();
        names.join(", ")
    };
    Err(Error::argument(format!(
        "'{}' has the layers {}, '{}' has {}",
        other.path().display(),
        names(other.layers()),
        first.path().display(),
        names(layers)
    )))
}

/// Annotations of the joined genes: of each gene, those of the first source
/// that has it. Only a union needs more than the first source's.
fn join_var(
    sources: &[Box<dyn CellSource>],
    places: &[Option<Vec<u32>>],
    n_genes: usize,
    join: Join,
) -> Result<Table> {
    let n_used = if join == Join::Union {
        sources.len()
    } else {
        1
    };
    let used = || sources.iter().zip(places).take(n_used);
    let tables = used()
        .map(|(source, _)| source.var())
        .collect::<Result<Vec<Table>>>()?;
    let fields: Vec<(&Path, &[Field])> = used()
        .zip(&tables)
        .map(|((source, _), table)| (source.path(), table.fields.as_slice()))
        .collect();
    let unified = Unified::new(&fields)?;
    let mut all = unified.empty();
    // The row among all tables' rows of each joined gene.
    let mut rows: Vec<Option<usize>> = vec![None; n_genes];
    for (number, ((_, places), table)) in used().zip(tables).enumerate() {
        for row in 0..table.n_rows {
            let place = match places {
                None => Some(row),
                Some(places) => places.get(row).map(|&place| place as usize),
            };
            if let Some(slot @ None) = place.and_then(|place| rows.get_mut(place)) {
                *slot = Some(all.n_rows + row);
            }
        }
        append(&mut all, unified.convert(number, table)?);
    }
    let rows: Vec<usize> = rows.into_iter().flatten().collect();
    Ok(Table {
        columns: all
            .columns
            .iter()
            .map(|column| take(column, &rows))
            .collect(),
        fields: all.fields,
        n_rows: rows.len(),
    })
}

/// Appends rows of the same columns.
fn append(table: &mut Table, more: Table) {
    let (n_before, n_more) = (table.n_rows, more.n_rows);
    let join_missing = |a: &mut Option<Vec<bool>>, b: Option<Vec<bool>>| {
        if a.is_some() || b.is_some() {
            let all = a.get_or_insert_with(|| vec![false; n_before]);
            all.extend(b.unwrap_or_else(|| vec![false; n_more]));
        }
    };
    for (column, more) in table.columns.iter_mut().zip(more.columns) {
        match (column, more) {
            (Column::Category(a), Column::Category(b)) => a.extend(b),
            (Column::Real(a), Column::Real(b)) => a.extend(b),
            (Column::Text(a), Column::Text(b)) => a.extend(b),
            (
                Column::Integer { values, missing },
                Column::Integer {
                    values: more,
                    missing: more_missing,
                },
            ) => {
                values.extend(more);
                join_missing(missing, more_missing);
            }
            (
                Column::Bool { values, missing },
                Column::Bool {
                    values: more,
                    missing: more_missing,
                },
            ) => {
                values.extend(more);
                join_missing(missing, more_missing);
            }
            // `Unified` gives the columns of a field one kind.
            _ => {}
        }
    }
    table.n_rows += n_more;
}

/// The rows `rows`, in that order.
fn take(column: &Column, rows: &[usize]) -> Column {
    fn pick<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
        rows.iter()
            .filter_map(|&row| values.get(row))
            .cloned()
            .collect()
    }
    let missing_of = |missing: &Option<Vec<bool>>| {
        let missing = missing.as_ref().map(|missing| pick(missing, rows));
        missing.filter(|missing| missing.contains(&true))
    };
    match column {
        Column::Category(codes) => Column::Category(pick(codes, rows)),
        Column::Real(values) => Column::Real(pick(values, rows)),
        Column::Text(values) => Column::Text(pick(values, rows)),
        Column::Integer { values, missing } => Column::Integer {
            values: pick(values, rows),
            missing: missing_of(missing),
        },
        Column::Bool { values, missing } => Column::Bool {
            values: pick(values, rows),
            missing: missing_of(missing),
        },
    }
}

/// Appends cells, with genes at their common places.
fn append_cells<V: Copy>(block: &mut Cells<V>, more: Cells<V>, places: Option<&[u32]>) {
    let Some(places) = places else {
        let n = block.genes.len();
        block
            .starts
            .extend(more.starts.iter().skip(1).map(|start| n + start));
        if n == 0 {
            (block.genes, block.values) = (more.genes, more.values);
        } else {
            block.genes.extend(more.genes);
            block.values.extend(more.values);
        }
        return;
    };
    let mut nonzeros = more.genes.iter().zip(&more.values);
    for bounds in more.starts.windows(2) {
        let n = match bounds {
            [start, end] => end - start,
            _ => 0,
        };
        for (&gene, &value) in nonzeros.by_ref().take(n) {
            let place = places.get(gene as usize).copied().unwrap_or(DROPPED);
            if place != DROPPED {
                block.genes.push(place);
                block.values.push(value);
            }
        }
        block.starts.push(block.genes.len());
    }
}

impl CellSource for Combined {
    /// The path of the first source.
    fn path(&self) -> &Path {
        self.sources
            .first()
            .map_or(Path::new(""), |source| source.path())
    }

    fn n_cells(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    fn parts(&self) -> Vec<SourcePart> {
        let mut parts = Vec::new();
        for (source, &start) in self.sources.iter().zip(&self.starts) {
            parts.extend(source.parts().into_iter().map(|part| SourcePart {
                cells: start + part.cells.start..start + part.cells.end,
                path: part.path,
            }));
        }
        parts
    }

    fn genes(&self) -> &[String] {
        &self.genes
    }

    fn var(&self) -> Result<Table> {
        Ok(self.var.clone())
    }

    fn layers(&self) -> Vec<LayerField> {
        self.sources
            .first()
            .map_or_else(Vec::new, |source| source.layers())
    }

    fn obs_fields(&self) -> &[Field] {
        &self.obs.fields
    }

    fn obs(&self, cells: Range<u64>) -> Result<Table> {
        check_cells(self.path(), &cells, self.n_cells())?;
        let mut table = self.obs.empty();
        for (number, source, range) in self.pieces(cells) {
            append(&mut table, self.obs.convert(number, source.obs(range)?)?);
        }
        Ok(table)
    }

    fn cell_names(&self, cells: Range<u64>) -> Result<Option<Vec<String>>> {
        check_cells(self.path(), &cells, self.n_cells())?;
        if !self.has_names {
            return Ok(None);
        }
        let mut names = Vec::new();
        for (_, source, range) in self.pieces(cells) {
            names.extend(source.cell_names(range)?.unwrap_or_default());
        }
        Ok(Some(names))
    }

    fn prepare_work(&self) -> u64 {
        self.sources
            .iter()
            .map(|source| source.prepare_work())
            .sum()
    }

    fn prepare(&mut self, cuts: &[u64], scratch: &Path, watch: &dyn Watch) -> Result<()> {
        let bounds = self.starts.windows(2);
        for (source, bounds) in self.sources.iter_mut().zip(bounds) {
            let [start, end] = bounds else {
                continue;
            };
            // The source's share of each range, in its own numbering.
            let inside = cuts.iter().filter(|cut| (start + 1..*end).contains(cut));
            let mut own = vec![0];
            own.extend(inside.map(|cut| cut - start));
            own.push(end - start);
            source.prepare(&own, scratch, watch)?;
        }
        Ok(())
    }

    fn counts(&self, layer: usize, cells: Range<u64>) -> Result<CellBlock> {
        let read = |source: &dyn CellSource, range| source.counts(layer, range).map(Cells::from);
        self.cells(cells, read).map(CellBlock::from)
    }

    fn floats(&self, layer: usize, cells: Range<u64>) -> Result<FloatBlock> {
        let read = |source: &dyn CellSource, range| source.floats(layer, range).map(Cells::from);
        self.cells(cells, read).map(FloatBlock::from)
    }
}
