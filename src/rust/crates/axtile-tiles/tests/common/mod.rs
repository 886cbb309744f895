//! Where fixtures are, and values as texts.
#![allow(dead_code)]

pub mod memory;

use std::path::{Path, PathBuf};

use axtile_table::{Column, Field, Kind};
use axtile_tiles::ObsSection;
use serde_json::{Value, from_value};

/// The fixtures of this crate.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The larger fixtures that are kept outside the repository: in
/// `$AXTILE_SHARED`, or in `shared` beside it. `None` where they are not there.
pub fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../../shared");
    let root = std::env::var_os("AXTILE_SHARED").map_or_else(beside, PathBuf::from);
    let folder = root.join("fixtures/deltacells");
    folder.is_dir().then_some(folder)
}

/// What the manifest of a dataset says of obs, and the cells of its tiles.
pub fn section(dataset: &Path) -> (ObsSection, Vec<u64>) {
    let text = std::fs::read_to_string(dataset.join("manifest.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let section = ObsSection {
        tiles_per_file: from_value(json["obs_tiles_per_file"].clone()).unwrap(),
        fingerprint: from_value(json["obs_fingerprint"].clone()).unwrap(),
        shard_bytes: from_value(json["obs_shard_bytes"].clone()).unwrap(),
        shard_sha256: from_value(json["obs_shard_sha256"].clone()).unwrap(),
    };
    (section, from_value(json["tile_cells"].clone()).unwrap())
}

/// The values of a column as texts; `None` is missing.
pub fn texts(field: &Field, column: &Column) -> Vec<Option<String>> {
    let is_missing = |missing: &Option<Vec<bool>>, i: usize| missing.as_ref().is_some_and(|m| m[i]);
    match column {
        Column::Category(codes) => {
            let Kind::Category { levels, .. } = &field.kind else {
                panic!()
            };
            let codes = codes.iter();
            codes
                .map(|code| usize::try_from(*code).ok().map(|code| levels[code].clone()))
                .collect()
        }
        Column::Integer { values, missing } => (0..values.len())
            .map(|i| {
                let is_u64 = matches!(field.kind, Kind::Integer(axtile_table::IntegerType::U64));
                let text = if is_u64 {
                    (values[i] as u64).to_string()
                } else {
                    values[i].to_string()
                };
                (!is_missing(missing, i)).then_some(text)
            })
            .collect(),
        Column::Real(values) => values
            .iter()
            .map(|value| (!value.is_nan()).then(|| format!("{value:?}")))
            .collect(),
        Column::Bool { values, missing } => (0..values.len())
            .map(|i| (!is_missing(missing, i)).then(|| values[i].to_string()))
            .collect(),
        Column::Text(values) => values.clone(),
    }
}

/// A value of an expected JSON file as [`texts`] has it.
pub fn text_of(field: &Field, value: &Value) -> Option<String> {
    match (value, &field.kind) {
        (Value::Null, _) => None,
        (Value::String(text), Kind::Real(_)) => Some(text.to_lowercase()),
        (Value::String(text), _) => Some(text.clone()),
        (Value::Number(number), Kind::Real(_)) => Some(format!("{:?}", number.as_f64().unwrap())),
        (other, _) => Some(other.to_string()),
    }
}
