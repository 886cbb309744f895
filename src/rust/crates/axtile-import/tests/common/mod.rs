//! Reading sources whole, and the expected content of the fixtures.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use axtile_core::{Result, Unwatched};
use axtile_import::{GeneNames, ImportOptions, Layer};
use axtile_table::{Column, IntegerType, Kind, RealType, Table};
use axtile_tiles::{CellBlock, CellSource};
use serde_json::Value;

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

pub fn expected() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(fixture("expected.json")).unwrap();
    match serde_json::from_str(&text).unwrap() {
        Value::Object(all) => all,
        _ => panic!("expected.json is no object"),
    }
}

/// The published matrices, if they are there: they are not part of the repository
/// but in the folder `$AXTILE_SHARED/data`, or `shared/data` beside it.
pub fn data_folder() -> Option<PathBuf> {
    let shared = match std::env::var_os("AXTILE_SHARED") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|folder| folder.join("shared"))
            .find(|folder| folder.is_dir()),
    };
    shared
        .map(|folder| folder.join("data"))
        .filter(|folder| folder.is_dir())
}

/// The options that a fixture's variant stands for.
pub fn options(file: &str, variant: &str) -> ImportOptions {
    let mut options = ImportOptions::default();
    match variant {
        "" => {}
        "raw" => options.layer = Layer::Raw,
        "id" => options.gene_names = GeneNames::Id,
        "excluded" => options.obs_exclude = vec!["when".to_owned(), "deep".to_owned()],
        layer => options.layer = Layer::Named(layer.to_owned()),
    }
    if file.starts_with("mtx") {
        options.spill_bytes = Some(64);
    }
    options
}

/// Ranges of at most `step` cells.
pub fn cuts(n_cells: u64, step: u64) -> Vec<u64> {
    let mut cuts: Vec<u64> = (0..n_cells).step_by(step.max(1) as usize).collect();
    cuts.push(n_cells);
    cuts.dedup();
    if cuts == [0] {
        cuts.push(0);
    }
    cuts
}

/// Hands all counts to `each`, read in ranges of `step` cells: cell, gene, count;
/// sorted, added up and without zeros.
pub fn for_each(
    source: &mut dyn CellSource,
    step: u64,
    mut each: impl FnMut(u64, u32, u64),
) -> Result<()> {
    let scratch = tempfile::tempdir().unwrap();
    let cuts = cuts(source.n_cells(), step);
    source.prepare(&cuts, scratch.path(), &Unwatched)?;
    for range in cuts.windows(2) {
        let block = source.counts(0, range[0]..range[1])?;
        check_block(&block, range[1] - range[0], source.genes().len());
        for cell in 0..block.n_cells() {
            let (genes, counts) = block.cell(cell);
            let mut pairs: Vec<(u32, u64)> = genes
                .iter()
                .zip(counts)
                .map(|(&gene, &count)| (gene, u64::from(count)))
                .collect();
            pairs.sort();
            for same in pairs.chunk_by(|a, b| a.0 == b.0) {
                let count = same.iter().map(|(_, count)| count).sum();
                if count > 0 {
                    each(range[0] + cell as u64, same[0].0, count);
                }
            }
        }
    }
    Ok(())
}

/// All counts as a list.
pub fn triplets(source: &mut dyn CellSource, step: u64) -> Result<Vec<(u64, u32, u64)>> {
    let mut all = Vec::new();
    for_each(source, step, |cell, gene, count| {
        all.push((cell, gene, count))
    })?;
    Ok(all)
}

/// What every block must satisfy, also of a damaged file.
pub fn check_block(block: &CellBlock, n_cells: u64, n_genes: usize) {
    assert_eq!(block.n_cells() as u64, n_cells);
    assert_eq!(block.starts[0], 0);
    assert!(block.starts.windows(2).all(|pair| pair[0] <= pair[1]));
    assert_eq!(*block.starts.last().unwrap(), block.genes.len());
    assert_eq!(block.genes.len(), block.counts.len());
    assert!(block.genes.iter().all(|&gene| (gene as usize) < n_genes));
}

/// A column as JSON: labels, numbers, bools or text, null where missing.
pub fn values(column: &Column, kind: &Kind) -> Vec<Value> {
    let masked = |missing: &Option<Vec<bool>>, row: usize| {
        missing.as_ref().is_some_and(|missing| missing[row])
    };
    match (column, kind) {
        (Column::Category(codes), Kind::Category { levels, .. }) => codes
            .iter()
            .map(|&code| match code {
                -1 => Value::Null,
                code => levels[code as usize].clone().into(),
            })
            .collect(),
        (Column::Integer { values, missing }, Kind::Integer(width)) => (0..values.len())
            .map(|row| match (masked(missing, row), width) {
                (true, _) => Value::Null,
                (_, IntegerType::U64) => (values[row] as u64).into(),
                _ => values[row].into(),
            })
            .collect(),
        (Column::Real(values), Kind::Real(_)) => values
            .iter()
            .map(|value| match value {
                value if value.is_nan() => Value::Null,
                value if value.is_infinite() => "inf".into(),
                value => (*value).into(),
            })
            .collect(),
        (Column::Bool { values, missing }, Kind::Bool) => (0..values.len())
            .map(|row| match masked(missing, row) {
                true => Value::Null,
                false => values[row].into(),
            })
            .collect(),
        (Column::Text(values), Kind::Text) => {
            values.iter().map(|value| value.clone().into()).collect()
        }
        (column, kind) => panic!("{column:?} is no {kind:?}"),
    }
}

/// The name of a kind in `expected.json`.
pub fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Category { .. } => "category",
        Kind::Integer(IntegerType::I8) => "i8",
        Kind::Integer(IntegerType::I16) => "i16",
        Kind::Integer(IntegerType::I32) => "i32",
        Kind::Integer(IntegerType::I64) => "i64",
        Kind::Integer(IntegerType::U8) => "u8",
        Kind::Integer(IntegerType::U16) => "u16",
        Kind::Integer(IntegerType::U32) => "u32",
        Kind::Integer(IntegerType::U64) => "u64",
        Kind::Real(RealType::F16) => "f16",
        Kind::Real(RealType::F32) => "f32",
        Kind::Real(RealType::F64) => "f64",
        Kind::Bool => "bool",
        Kind::Text => "text",
    }
}

/// Compares a table with its description.
pub fn check_table(table: &Table, expected: &Value, context: &str) {
    let expected = expected.as_object().unwrap();
    let names: Vec<&String> = table.fields.iter().map(|field| &field.name).collect();
    assert_eq!(names, expected.keys().collect::<Vec<_>>(), "{context}");
    for (field, column) in table.fields.iter().zip(&table.columns) {
        let context = format!("{context}, column {}", field.name);
        let expected = &expected[&field.name];
        assert_eq!(kind_name(&field.kind), expected["kind"], "{context}");
        assert_eq!(column.len(), table.n_rows, "{context}");
        if let Kind::Category { levels, ordered } = &field.kind {
            assert_eq!(Value::from(levels.clone()), expected["levels"], "{context}");
            assert_eq!(*ordered, expected["ordered"], "{context}");
        }
        let got = values(column, &field.kind);
        let wanted = expected["values"].as_array().unwrap();
        assert_eq!(got.len(), wanted.len(), "{context}");
        for (got, wanted) in got.iter().zip(wanted) {
            // JSON has one kind of number; u64 is written as text.
            let same = got == wanted
                || got.as_f64().is_some() && got.as_f64() == wanted.as_f64()
                || got.as_u64().map(|got| got.to_string()) == wanted.as_str().map(str::to_owned);
            assert!(same, "{context}: {got} instead of {wanted}");
        }
    }
}

/// Reads everything there is; for damaged files.
pub fn read_all(source: &mut dyn CellSource) -> Result<()> {
    source.var()?;
    let n_cells = source.n_cells();
    let names = source.cell_names(0..n_cells)?;
    assert!(names.is_none_or(|names| names.len() as u64 == n_cells));
    let obs = source.obs(0..n_cells)?;
    assert!(
        obs.columns
            .iter()
            .all(|column| column.len() as u64 == n_cells)
    );
    triplets(source, n_cells.div_ceil(2))?;
    Ok(())
}
