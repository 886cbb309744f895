//! The constants in `inst/spec/mef.md` are those of the code.

use crate::header::{ENTRY_BYTES, METADATA_BYTES, UNIVERSAL_BYTES};
use crate::limits::{
    MAX_BLOCK_SAMPLES, MAX_INDEX_BYTES, MAX_NAME_BYTES, MAX_RECORD_BYTES, MAX_ROWS,
};
use crate::records::{RECORD_HEADER_BYTES, RECORD_INDEX_BYTES};
use crate::red::{HEADER_BYTES, STATISTICS_BYTES};

#[test]
fn the_specification_has_the_constants_of_the_code() {
    let text = include_str!("../../../../../inst/spec/mef.md");
    let section = text.split("## Constants").nth(1).unwrap();
    let table = section.split("\n## ").next().unwrap();
    let constants = [
        ("UNIVERSAL_BYTES", UNIVERSAL_BYTES as u64),
        ("METADATA_BYTES", METADATA_BYTES as u64),
        ("ENTRY_BYTES", ENTRY_BYTES as u64),
        ("HEADER_BYTES", HEADER_BYTES as u64),
        ("STATISTICS_BYTES", STATISTICS_BYTES as u64),
        ("RECORD_HEADER_BYTES", RECORD_HEADER_BYTES as u64),
        ("RECORD_INDEX_BYTES", RECORD_INDEX_BYTES as u64),
        ("MAX_BLOCK_SAMPLES", MAX_BLOCK_SAMPLES.into()),
        ("MAX_INDEX_BYTES", MAX_INDEX_BYTES),
        ("MAX_RECORD_BYTES", MAX_RECORD_BYTES),
        ("MAX_ROWS", MAX_ROWS),
        ("MAX_NAME_BYTES", MAX_NAME_BYTES as u64),
    ];
    for (name, value) in constants {
        assert!(table.contains(&format!("| {name} | {value} |")), "{name}");
    }
    let n_rows = table.lines().filter(|line| line.starts_with("| ")).count();
    assert_eq!(n_rows, constants.len() + 1);
}
